"""How large a workbook may be, and what reading it may cost."""

from __future__ import annotations

FILE_BYTES_MAX = 64 << 20
INFLATED_BYTES_MAX = 100 << 20  # counted while inflating: the sizes that the archive declares are not trusted
INDEX_BYTES_MAX = 4 << 20  # of each part that lists other parts
SHEETS_MAX = 1_000
STRINGS_MAX = 2_000_000  # shared strings
CELLS_MAX = 3_000_000  # in the rectangles that the sheets fill, blanks included
ROWS_MAX = 200_000  # that are not blank, of all sheets
VALUES_MAX = 1_500_000  # cells that are not blank, of all sheets
TEXT_CHARS_MAX = 20_000_000  # in all cells; a shared string counts once per cell

# Limits of the process that reads the file.
MEMORY_BYTES_MAX = 256 << 20  # its address space
CPU_S_MAX = 60
WALL_S_MAX = 120.0
RECEIVED_BYTES_MAX = 200 << 20  # that the parent process accepts from it
