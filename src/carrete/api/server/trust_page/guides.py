"""The form of the page's text: what it says, and the four steps of each kind of device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["es", "en"]
Frame = Literal["tablet", "window", "terminal"]


@dataclass(frozen=True, slots=True)
class TrustStep:
    """`shown` are the lines of the drawing; the line with the number `touched` is the one to touch or to type."""

    text: str
    title: str
    shown: tuple[str, ...]
    touched: int = 0
    frame: Frame | None = None  # where it is not the guide's


@dataclass(frozen=True, slots=True)
class DeviceGuide:
    name: str
    frame: Frame
    file: str
    steps: tuple[TrustStep, TrustStep, TrustStep, TrustStep]


@dataclass(frozen=True, slots=True)
class PageWords:
    title: str
    other_language: str
    why_title: str
    why: tuple[str, ...]
    check_title: str
    check: str
    device_title: str
    download: str
    go_title: str
    go: str
    go_button: str
    not_here: str
    back: str
    guides: tuple[DeviceGuide, ...]
