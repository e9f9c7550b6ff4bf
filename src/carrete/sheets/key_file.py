"""Where the key of the Google service account is: given by the machine, or uploaded by an administrator."""

from __future__ import annotations

import json
from pathlib import Path

from carrete.settings import Settings

KEY_FILE = "google-key.json"  # in CARRETE_DATA


def key_path(settings: Settings) -> str:
    """The machine's own setting, or else the key that an administrator uploaded; empty without either."""
    uploaded = settings.data / KEY_FILE
    return settings.google_credentials or (str(uploaded) if uploaded.exists() else "")


def account_of(settings: Settings) -> str | None:
    """The address to share the workbook with; None without a key."""
    try:
        info = json.loads(Path(key_path(settings)).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    email = info.get("client_email") if isinstance(info, dict) else None
    return email if isinstance(email, str) else None
