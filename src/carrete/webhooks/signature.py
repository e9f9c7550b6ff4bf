"""Headers and signature of Standard Webhooks (standardwebhooks.com): receivers can check who sent a message."""

from __future__ import annotations

import hmac
from base64 import b64encode

PREFIX = "whsec_"


def secret_text(key: bytes) -> str:
    """The secret as a receiver's library takes it."""
    return PREFIX + b64encode(key).decode()


def signed_headers(key: bytes, message_id: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    content = f"{message_id}.{timestamp_s}.".encode() + body
    signature = b64encode(hmac.digest(key, content, "sha256")).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": f"v1,{signature}",
    }
