"""A tablet without a connection whose few spools are all used up."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from carrete_chaos import offline_tablet
from carrete_chaos.offline_tablet import OfflineTablet
from carrete_chaos.sending import TabletFloor
from carrete_chaos.tablet_device import TabletSession


def test_a_tablet_taps_nothing_more_once_no_spool_takes_a_further_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline_tablet, "TAP_EVERY_S_MAX", 0.0)
    monkeypatch.setattr(offline_tablet, "LOOKS_MAX", 1_000_000)
    floor = TabletFloor(ports=(), whole=("CH-W-001",), jointed=("CH-J-001",))
    tablet = OfflineTablet(floor, TabletSession("s1", 1, "d1", "secret", b"key"), {"CH-W-001": "ARM"}, Random(5))
    entries = asyncio.run(tablet.work(0.5))
    assert {entry.taps[0].tag for entry in entries} == {"CH-W-001", "CH-J-001"}
    assert all(entry.is_alone or len(entry.taps) == offline_tablet.STEPS_MAX for entry in entries)
