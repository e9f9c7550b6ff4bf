"""The shop's signing key (Ed25519): 32 random bytes in a 0600 file beside the data, never in the ledger or its copies.

The ledger has its public key. Several machines may share the file or have one each: a signature counts with any of the
ledger's public keys. A lost key loses nothing: the next start makes another.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.witness import encoded, key_fingerprint, seal_message
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.values import instant_text
from carrete.settings import WrongSetting

KEY_FILE = "signing.key"
KEY_BYTES = 32


class SigningKey:
    def __init__(self, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public_key = self._key.public_key().public_bytes_raw()
        self.fingerprint = key_fingerprint(self.public_key)

    @classmethod
    def load(cls, data_folder: Path) -> SigningKey:
        """Reads the file, or makes it."""
        path = data_folder / KEY_FILE
        try:
            if not path.exists():
                _make(path)
            return cls.read(path)
        except OSError as error:
            raise _unusable(path, error) from error

    @classmethod
    def read(cls, path: Path) -> SigningKey:
        secret = path.read_bytes()
        if len(secret) != KEY_BYTES:
            raise WrongSetting(
                f"{path} has {len(secret)} bytes instead of {KEY_BYTES}: put it back from the keys' backup, or move it "
                "away, and a new one is made."
            )
        return cls(secret)

    def sign(self, head: ChainHead, at: str = "") -> str:
        return encoded(self._key.sign(seal_message(self.fingerprint, head, at)))

    @classmethod
    def of_ledger(cls, data_folder: Path, database: Database) -> SigningKey:
        """The key of the file, with its public key in the ledger."""
        key = cls.load(data_folder)
        if not key.is_known_to(database):
            with database.writing() as tx:
                key.register(tx)
        return key

    def is_known_to(self, database: Database) -> bool:
        with database.reading() as tx:
            return self.fingerprint in {fingerprint for fingerprint, *_ in tx.all("trail_keys")}

    def register(self, tx: Tx) -> None:
        tx.run(
            "trail_key_put",
            fingerprint=self.fingerprint,
            public_key=encoded(self.public_key),
            made_at=instant_text(datetime.now(UTC)),
        )


def known_key(data_folder: Path, database: Database) -> tuple[SigningKey | None, str]:
    """The key, or why there is none, for work that is worth doing without a signature too. It must be there and the
    ledger must know it: signatures of another key cannot be checked."""
    path = data_folder / KEY_FILE
    try:
        key = SigningKey.read(path)
        if key.is_known_to(database):
            return key, ""
    except FileNotFoundError:
        return None, f"there is no key {path}."
    except OSError as error:
        return None, str(_unusable(path, error))
    except WrongSetting as error:
        return None, str(error)
    except LedgerUnavailable as error:
        return None, f"which keys the ledger knows cannot be read: {error}"
    return None, f"the ledger does not know the key {path}: it is not the server's."


def own_public_key(data_folder: Path) -> bytes | None:
    """Of this machine's key, None while it has none."""
    return SigningKey.load(data_folder).public_key if (data_folder / KEY_FILE).exists() else None


def _unusable(path: Path, error: OSError) -> WrongSetting:
    return WrongSetting(f"{path} cannot be read or written: {error.strerror}.")


def _make(path: Path) -> None:
    """The file gets its name when it is whole. Of two processes that make one at once, the first wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{KEY_FILE}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, secrets.token_bytes(KEY_BYTES))
        os.fsync(file)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.close(file)
        draft.unlink()
