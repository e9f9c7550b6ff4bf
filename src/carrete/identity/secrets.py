"""Random secrets for cookies, codes and tokens, and the form in which the ledger keeps them."""

from __future__ import annotations

import hashlib
import secrets

SECRET_BYTES = 32
_ID_BYTES = 8


def new_secret() -> str:
    """256 random bits as 43 characters that a cookie may have."""
    return secrets.token_urlsafe(SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """A secret of 256 random bits cannot be guessed, so a fast hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def short_id(prefix: str) -> str:
    """A public name for a device, session or token, such as `s-3f9a0c51d2e7b846`."""
    return f"{prefix}-{secrets.token_hex(_ID_BYTES)}"
