"""How large a workbook may be, and what reading it may cost."""

from __future__ import annotations

FILE_BYTES_MAX = 64 << 20
INFLATED_BYTES_MAX = 100 << 20  # counted while inflating: what a file says about itself is not believed
INDEX_BYTES_MAX = 4 << 20  # of each part that says where the others are
SHEETS_MAX = 1_000
STRINGS_MAX = 2_000_000  # that cells can refer to
CELLS_MAX = 3_000_000  # of the rectangles that the sheets fill, blanks included
ROWS_MAX = 200_000  # that say anything, of all sheets
VALUES_MAX = 1_500_000  # cells that say anything, of all sheets
TEXT_CHARS_MAX = 20_000_000  # in all cells; a text that many cells refer to counts for each of them

# Of the process that reads the file.
MEMORY_BYTES_MAX = 256 << 20  # its address space
CPU_S_MAX = 60
WALL_S_MAX = 120.0
RECEIVED_BYTES_MAX = 200 << 20  # what the process that asked takes from it
