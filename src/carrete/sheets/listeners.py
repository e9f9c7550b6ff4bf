"""Who hears of what the lane did; it never waits for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Listeners:
    """Who must hear of what people did: live streams of these spools, and the gate of those whose holder changed."""

    edited: Callable[[Sequence[str], Sequence[str]], None] = lambda _tags, _held_anew: None
    first_read: Callable[[], None] = lambda: None
