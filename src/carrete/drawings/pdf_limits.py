"""Bounds of a drawing that comes as a PDF."""

from __future__ import annotations

from carrete.limited_process import ProcessLimits

PAGES_MAX = 200
PICTURE_BYTES_MAX = 4_000_000
SIDE_PX = 3_000  # the longer side: A3 at 180 dots per inch
SIDE_PX_SMALL = 2_000
LIMITS = ProcessLimits(
    memory_bytes_max=1 << 30, cpu_s_max=20, wall_s_max=30.0, output_bytes_max=PICTURE_BYTES_MAX + 1_000
)
