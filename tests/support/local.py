"""Options for httpx clients of servers on this machine: plain HTTP, no proxy, and no certificates loaded (34 ms a
client)."""

from __future__ import annotations

from typing import Any

LOCAL: Any = {"verify": False, "trust_env": False}
