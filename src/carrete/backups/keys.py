"""The server's keys in one file, encrypted with a passphrase. No copy of the ledger has them.

The file: a line that names the format, a line of JSON in the clear, then JSON with the keys' files, encrypted with
AES-256-GCM under a key that scrypt makes of the passphrase. Both lines are authenticated with it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from carrete.backups.errors import BackupFailed, cannot_write
from carrete.backups.folder import keys_files_in, stamp
from carrete.backups.working_folder import move_into_place, new_private_file, working_folder
from carrete.findings import Words

# Every key of the server, in the data folder. A new kind of key is a line here. The certificate that the authority
# signed is none of them: it is made anew.
KEY_FILES = ("*.key", "google-key.json", "tls/authority.key", "tls/authority.crt")
PASSPHRASE_CHARS_MIN, PASSPHRASE_CHARS_MAX = 12, 200
FILE_BYTES_MAX = 1024 * 1024
MAGIC = b"carrete-keys 1\n"
# 64 MB and a fifth of a second for each guess.
_SCRYPT = {"n": 2**16, "r": 8, "p": 2}
_SCRYPT_MAX = {"n": 2**18, "r": 16, "p": 8}  # a hostile file must not ask for more
_SALT_BYTES, _NONCE_BYTES = 16, 12


class WrongPassphrase(BackupFailed):
    def __init__(self) -> None:
        super().__init__(
            Words("The passphrase is not the one of this file.", "La frase no es la de este archivo de claves.")
        )


@dataclass(frozen=True, slots=True)
class KeysBackup:
    file: Path
    made_at: datetime
    up_to_date: bool  # whether it holds the keys that the server has now


def key_paths(data: Path) -> list[Path]:
    """Links are left out: what they lead to is kept elsewhere."""
    found = (path for pattern in KEY_FILES for path in data.glob(pattern))
    return [path for path in found if path.is_file() and not path.is_symlink()]


def present_keys(data: Path) -> dict[str, bytes]:
    """The keys by their path in the data folder. Raises OSError for one that this user cannot read."""
    return {path.relative_to(data).as_posix(): path.read_bytes() for path in key_paths(data)}


def write_keys_file(data: Path, folder: Path, passphrase: str, at: datetime) -> Path:
    """Files of before that have no other key are deleted: a person who knows an older passphrase must not open the keys
    of now. One with another key stays: an older copy of the ledger may need it."""
    while (target := folder / f"carrete-keys-{stamp(at)}.enc").exists():  # made in the same second
        at += timedelta(seconds=1)
    write_keys_to(data, target, passphrase, at)
    kept = _header_of(target).get("keys", {}).items()
    for older, made_at in keys_files_in(folder):
        held = _header_of(older).get("keys")
        if made_at < at and held and held.items() <= kept:
            with suppress(OSError):
                older.unlink()
    return target


def write_keys_to(data: Path, target: Path, passphrase: str, at: datetime) -> None:
    try:
        keys = present_keys(data)
    except OSError as error:
        raise _closed_key(error) from None
    if not keys:
        raise _no_keys(data)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with working_folder(target.parent) as private:
            draft = private / "keys"
            new_private_file(draft)
            draft.write_bytes(encrypted(keys, passphrase, at))
            move_into_place(draft, target)
    except OSError as error:
        raise cannot_write(str(target), error) from None


def keys_backup(data: Path, folder: Path) -> KeysBackup | None:
    """The newest file of keys in the folder."""
    found = keys_files_in(folder)
    if not found:
        return None
    file, made_at = found[0]
    try:
        keys = present_keys(data)
    except OSError:  # a key that somebody put there as another user is in no backup
        return KeysBackup(file, made_at, up_to_date=False)
    return KeysBackup(file, made_at, _header_of(file).get("keys") == key_digests(keys))


def key_digests(keys: Mapping[str, bytes]) -> dict[str, str]:
    """Tells whether a file has the keys of now. Keys are random, so that nothing can be guessed from it."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(keys.items())}


def encrypted(keys: Mapping[str, bytes], passphrase: str, at: datetime) -> bytes:
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    header = {
        "made_at": at.astimezone(UTC).isoformat(),
        "keys": key_digests(keys),
        "kdf": "scrypt",
        **_SCRYPT,
        "salt": _text(salt),
        "nonce": _text(nonce),
    }
    head = MAGIC + json.dumps(header).encode() + b"\n"
    content = json.dumps({name: _text(key) for name, key in keys.items()}).encode()
    return head + AESGCM(_derived(passphrase, salt, _SCRYPT)).encrypt(nonce, content, head)


def decrypted(content: bytes, passphrase: str) -> dict[str, bytes]:
    head, header = _head(content)
    try:
        cost = {name: int(header[name]) for name in _SCRYPT}
        salt, nonce = b64decode(header["salt"], validate=True), b64decode(header["nonce"], validate=True)
        if any(not 0 < cost[name] <= _SCRYPT_MAX[name] for name in cost):
            raise ValueError
        derived = _derived(passphrase, salt, cost)
        keys = json.loads(AESGCM(derived).decrypt(nonce, content[len(head) :], head))
        return {str(name): b64decode(key, validate=True) for name, key in keys.items()}
    except InvalidTag:
        raise WrongPassphrase from None
    except (KeyError, TypeError, ValueError):
        raise _damaged() from None


def _head(content: bytes) -> tuple[bytes, dict[str, Any]]:
    """Both lines as they stand, and what the second says."""
    line, separator, _ = content[len(MAGIC) :].partition(b"\n")
    if not content.startswith(MAGIC) or not separator:
        raise _damaged()
    try:
        header = json.loads(line)
    except ValueError:
        raise _damaged() from None
    if not isinstance(header, dict) or not isinstance(header.get("keys", {}), dict):
        raise _damaged()
    return MAGIC + line + b"\n", header


def _header_of(file: Path) -> dict[str, Any]:
    """Empty when it cannot be read."""
    try:
        with file.open("rb") as content:
            return _head(content.read(FILE_BYTES_MAX))[1]
    except (OSError, BackupFailed):
        return {}


def _derived(passphrase: str, salt: bytes, cost: Mapping[str, int]) -> bytes:
    """The key of the encryption. The passphrase is normalized first: from another keyboard the same letters may have
    other code points."""
    typed = unicodedata.normalize("NFC", passphrase.strip())
    return Scrypt(salt, 32, cost["n"], cost["r"], cost["p"]).derive(typed.encode())


def restore_keys(data: Path, keys: Mapping[str, bytes], at: datetime) -> list[str]:
    """Puts the keys into the data folder; returns the names of those that were not there already. A key that was
    there and is another one is kept under a name that says when it was replaced."""
    if not keys or not all(_is_key(name) for name in keys):
        raise _damaged()
    changed = []
    try:
        for name, content in keys.items():
            path = data / name
            if path.is_file() and path.read_bytes() == content:
                continue
            _put(path, content, stamp(at))
            changed.append(name)
    except OSError as error:
        raise cannot_write(str(data), error) from None
    return changed


def _put(path: Path, content: bytes, when: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with working_folder(path.parent) as private:
        draft = private / "key"
        new_private_file(draft)
        draft.write_bytes(content)
        if os.path.lexists(path):
            os.rename(path, path.with_name(f"{path.name}.before-{when}"))
        move_into_place(draft, path)


def _is_key(name: str) -> bool:
    """Only names that this program could have written: a file from elsewhere must not put anything anywhere else."""
    path = Path(name)
    return ".." not in path.parts and any(
        len(path.parts) == len(Path(pattern).parts) and path.match(pattern) for pattern in KEY_FILES
    )


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()


def _no_keys(data: Path) -> BackupFailed:
    return BackupFailed(
        Words(
            f"There are no keys in {data}: the first start with identity or --lan makes them.",
            "El servidor todavía no tiene claves que respaldar.",
        )
    )


def _closed_key(error: OSError) -> BackupFailed:
    reason, key = error.strerror or "it cannot be opened", error.filename or "a key"
    return BackupFailed(
        Words(
            f"{key} cannot be read: {reason}. Give it to the user of the service. Nothing was copied.",
            f"El servidor no puede leer {Path(str(key)).name}: déselo al usuario del servicio. No se copió nada.",
        )
    )


def _damaged() -> BackupFailed:
    return BackupFailed(
        Words("This is no file of keys, or it is damaged.", "Este archivo de claves no se puede leer: está dañado.")
    )
