"""The server's own secret: 32 random bytes in a 0600 file beside the data, never in the ledger or its backups.

The pepper of the PINs, the tap keys, the secrets of webhooks and the key pair for sealed PINs are derived from it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from carrete.ledger.database import Tx
from carrete.settings import WrongSetting

KEY_FILE = "identity.key"
KEY_BYTES = 32
SEALED_CHARS_MAX = 1_000
FINGERPRINT = "identity_key"  # the name of the ledger's setting that has the fingerprint
_SEAL_INFO = b"carrete pin"
_COORDINATE_BYTES = 32  # of a point of P-256
_POINT_BYTES = 1 + 2 * _COORDINATE_BYTES  # uncompressed
_NONCE_BYTES = 12
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class WrongIdentityKey(WrongSetting):
    """The file of the key is missing, damaged or of another ledger. The message says how to go on."""


class NotSealedForUs(Exception):
    """The text was not sealed with our public key, or was changed."""


class ServerKeys:
    def __init__(self, key: bytes) -> None:
        self._key = key
        self.pepper = self._derived(b"carrete pepper")
        self._tap_secret = self._derived(b"carrete taps")
        self._webhook_secret = self._derived(b"carrete webhooks")

    @classmethod
    def load(cls, data_folder: Path, tx: Tx) -> ServerKeys:
        """Reads the file, or makes it for a ledger that has never had one. `tx` must be able to write."""
        tx.one("sign_in_lock")
        known = tx.one("setting", name=FINGERPRINT)
        path = data_folder / KEY_FILE
        if known is None:
            keys = cls(_read_or_make(path))
            tx.run("setting_put", name=FINGERPRINT, value=keys.fingerprint)
            return keys
        if not path.exists():
            raise WrongIdentityKey(_recovery(path, "is missing"))
        keys = cls(_read(path))
        if not hmac.compare_digest(keys.fingerprint, str(known[0])):
            raise WrongIdentityKey(_recovery(path, "is not the key of this ledger"))
        return keys

    @classmethod
    def replace(cls, data_folder: Path, tx: Tx) -> ServerKeys:
        """Replaces the key, or makes the first one. All PINs end, because nothing can check them any more. If the
        commit fails afterwards, `load` refuses the new file, and replacing it again is safe."""
        tx.one("sign_in_lock")
        tx.run("pins_forget")
        path = data_folder / KEY_FILE
        path.unlink(missing_ok=True)
        keys = cls(_read_or_make(path))
        tx.run("setting_put", name=FINGERPRINT, value=keys.fingerprint)
        return keys

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self._derived(b"carrete fingerprint")).hexdigest()

    def tap_key(self, session_id: str) -> bytes:
        """The key with which a session's taps are signed. It is derived, so that nothing more has to be stored."""
        return hmac.digest(self._tap_secret, session_id.encode(), "sha256")

    def webhook_key(self, webhook_id: str) -> bytes:
        """The key with which messages to an address are signed. A copy of the ledger does not have it."""
        return hmac.digest(self._webhook_secret, webhook_id.encode(), "sha256")

    def seal_public_key(self) -> str:
        """The uncompressed point, in base64url without padding."""
        return _encoded(_raw_point(self._seal_key.public_key()))

    def unseal(self, text: str) -> str:
        """The text that a tablet sealed: base64url of its ephemeral public point, a nonce and the ciphertext."""
        if len(text) > SEALED_CHARS_MAX:
            raise NotSealedForUs
        try:
            raw = _decoded(text)
            point, nonce = raw[:_POINT_BYTES], raw[_POINT_BYTES : _POINT_BYTES + _NONCE_BYTES]
            ephemeral = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
            shared = self._seal_key.exchange(ec.ECDH(), ephemeral)
            return AESGCM(_hkdf(shared, _SEAL_INFO)).decrypt(nonce, raw[_POINT_BYTES + _NONCE_BYTES :], None).decode()
        except (InvalidTag, ValueError) as error:
            raise NotSealedForUs from error

    @cached_property
    def _seal_key(self) -> ec.EllipticCurvePrivateKey:
        """48 bytes, so that the remainder by the curve's order is as good as uniform."""
        number = int.from_bytes(_hkdf(self._key, b"carrete seal", 48))
        return ec.derive_private_key(number % (_P256_ORDER - 1) + 1, ec.SECP256R1())

    def _derived(self, info: bytes) -> bytes:
        return _hkdf(self._key, info)


def seal(public_key: str, text: str) -> str:
    """Encrypts `text` so that only the server can read it, as a tablet does with a PIN that is typed without a
    connection. For tests and other clients."""
    server = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(public_key))
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    nonce = secrets.token_bytes(_NONCE_BYTES)
    key = _hkdf(ephemeral.exchange(ec.ECDH(), server), _SEAL_INFO)
    return _encoded(_raw_point(ephemeral.public_key()) + nonce + AESGCM(key).encrypt(nonce, text.encode(), None))


def _read_or_make(path: Path) -> bytes:
    """The key gets its name only when it is whole and on the disk: another process that starts now finds all of it or
    none. Of two that make one at once, the first wins and both use it."""
    if path.exists():
        return _read(path)
    draft = path.with_name(f"{KEY_FILE}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_durably(draft, secrets.token_bytes(KEY_BYTES))
        with suppress(FileExistsError):
            os.link(draft, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise WrongIdentityKey(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return _read(path)


def _write_durably(path: Path, content: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise WrongIdentityKey(f"{path} cannot be read: {error.strerror}.") from error
    if len(key) != KEY_BYTES:
        raise WrongIdentityKey(_recovery(path, f"has {len(key)} bytes instead of {KEY_BYTES}"))
    return key


def _recovery(path: Path, what: str) -> str:
    return (
        f"{path} {what}: copy it from the machine or the backup that has it, "
        "or run `carrete admin new-key`, which ends all PINs."
    )


def _hkdf(secret: bytes, info: bytes, length: int = 32) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=info).derive(secret)


def _raw_point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Uncompressed, as X9.62 has it. cryptography's own `serialization` would load all of SSH for these bytes."""
    point = key.public_numbers()
    return b"\x04" + point.x.to_bytes(_COORDINATE_BYTES, "big") + point.y.to_bytes(_COORDINATE_BYTES, "big")


def _encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
