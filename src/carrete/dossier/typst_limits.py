"""Bounds of the process that sets a dossier."""

from __future__ import annotations

from carrete.limited_process import ProcessLimits

PDF_BYTES_MAX = 100_000_000
# Of address space, which is more than it uses: the library alone maps 80 MB.
LIMITS = ProcessLimits(memory_bytes_max=2 << 30, cpu_s_max=60, wall_s_max=90.0, output_bytes_max=PDF_BYTES_MAX)
DOCUMENT, TEMPLATE, FONTS = "document.json", "dossier.typ", "fonts"
