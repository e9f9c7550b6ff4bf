"""QR codes as horizontal bars of dark modules, which draw as vectors on paper and on a screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

ERROR_CORRECTION = "q"  # a quarter of the code may be scratched or painted over
QUIET_MODULES = 4  # white on each side, which readers need
# With a given mask a code is made in 0.4 ms; segno needs 2.2 ms to try all eight. This one has the fewest long runs for
# tags like ours, and a reader understands each of them.
MASK = 7


@dataclass(frozen=True, slots=True)
class QrCode:
    """`bars` are (x, y, width) in modules, without the white margin."""

    modules: int
    bars: tuple[tuple[int, int, int], ...]

    @property
    def modules_with_margin(self) -> int:
        return self.modules + 2 * QUIET_MODULES


@lru_cache(maxsize=4_096)
def qr_code(text: str) -> QrCode:
    """Text beyond ASCII is UTF-8 and says so, because readers would guess otherwise. Its mode is given too: segno takes
    some UTF-8 for Japanese in another encoding."""
    import segno  # not at the start of a server: few of its processes ever draw a code

    if text.isascii():
        made = segno.make_qr(text, error=ERROR_CORRECTION, boost_error=False, mask=MASK)
    else:
        made = segno.make_qr(
            text, error=ERROR_CORRECTION, boost_error=False, mask=MASK, mode="byte", encoding="utf-8", eci=True
        )
    return QrCode(len(made.matrix), tuple(_bars(made.matrix)))


def _bars(matrix: tuple[bytearray, ...]) -> list[tuple[int, int, int]]:
    """Each run of dark modules in a row: column, row and length."""
    bars = []
    for y, row in enumerate(matrix):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                bars.append((x, y, width))
            x += width
    return bars
