"""How tests ask servers of this machine: plain HTTP, no proxy, and nobody's certificates loaded (34 ms a client)."""

from __future__ import annotations

from typing import Any

LOCAL: Any = {"verify": False, "trust_env": False}
