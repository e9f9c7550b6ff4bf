"""Runs `carrete` with shorter timings of the sheet lane: `python -m carrete_chaos.hurried 0.1 serve …` for a tenth.

Every pause, back-off, time-out and lease shrinks alike, so that their order stays.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from carrete.cli import main
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings

GOOGLE_QUICKER = 4  # the emulator never takes as long to answer as Google may


def hurried_timings(factor: float) -> LaneTimings:
    shorter = DEFAULT_TIMINGS.scaled(factor)
    return replace(
        shorter,
        read_timeout_s=shorter.read_timeout_s / GOOGLE_QUICKER,
        write_timeout_s=shorter.write_timeout_s / GOOGLE_QUICKER,
    )


if __name__ == "__main__":
    timings = hurried_timings(float(sys.argv[1]))
    sys.argv = ["carrete", *sys.argv[2:]]
    main(timings)
