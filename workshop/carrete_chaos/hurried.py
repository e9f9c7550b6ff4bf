"""Runs `carrete` with a lane in a hurry: `python -m carrete_chaos.hurried 0.1 serve …` waits a tenth of the usual.

Every pause, back-off and lease shrinks alike, so that their order stays. The product has no switch for it.
"""

from __future__ import annotations

import runpy
import sys

import httpx

from carrete.sheets import lane, lease, running
from carrete.sheets.google import client, pace
from carrete.sheets.pull import puller
from carrete.sheets.push import planner

_WAITS = {
    lane: (
        *("LOOK_S", "COALESCE_S", "FLUSH_EVERY_S", "SPOOLS_EVERY_S", "JOINTS_EVERY_S", "LEASE_RETRY_S"),
        *("TOO_FAST_S", "BACKOFF_S", "BACKOFF_S_MAX", "PROBE_S"),
    ),
    lease: ("LEASE_S",),
    pace: ("APART_S_MIN", "MINUTE_S"),
    puller: ("REVERSAL_S",),
    planner: ("GAP_S_MAX",),
    running: ("AFTER_A_MISTAKE_S",),
}
_PATIENCE_S = {"READING": 60.0, "WRITING": 190.0}  # how long Google may take to answer


def hurry(factor: float) -> None:
    for module, names in _WAITS.items():
        for name in names:
            setattr(module, name, getattr(module, name) * factor)
    for name, seconds in _PATIENCE_S.items():
        shorter = seconds * factor / 4  # nothing on the stage is as slow as Google may be
        setattr(client, name, httpx.Timeout(connect=5, read=shorter, write=shorter, pool=5))


if __name__ == "__main__":
    hurry(float(sys.argv[1]))
    sys.argv = ["carrete", *sys.argv[2:]]
    runpy.run_module("carrete", run_name="__main__")
