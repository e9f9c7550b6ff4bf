"""Callbacks from the lane into the rest of its process. The lane calls them in its own thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Listeners:
    """`edited` gets the tags of the spools that people changed, for the live streams, and those of them whose holder
    changed, for the gate. `first_read` is called once, after the first read."""

    edited: Callable[[Sequence[str], Sequence[str]], None] = lambda _tags, _held_anew: None
    first_read: Callable[[], None] = lambda: None
