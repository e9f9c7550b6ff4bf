"""The paper that labels are printed on: where each label is, in millimetres from the upper left corner of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from carrete.domain.refusals import NotValid

A4_WIDTH_MM, A4_HEIGHT_MM = 210.0, 297.0
GRID_COLUMNS_MAX, GRID_ROWS_MAX = 7, 10
MARGIN_MM_MAX = 50.0
LABEL_WIDTH_MM_MIN, LABEL_HEIGHT_MM_MIN = 50.0, 29.0  # a code of 20 mm with its white margin, and words beside it


class LabelFormat(StrEnum):
    A4_3X8 = "a4-3x8"
    A4_GRID = "a4-libre"
    ROLL_62 = "rollo-62"
    ROLL_100X50 = "rollo-100x50"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, by: float) -> Box:
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)


@dataclass(frozen=True, slots=True)
class LabelStock:
    page_width: float
    page_height: float
    columns: int = 1
    rows: int = 1
    margin_top: float = 0.0
    margin_left: float = 0.0
    gap_x: float = 0.0
    gap_y: float = 0.0
    padding: float = 3.0  # most office printers leave the outer millimetres of a page white

    @property
    def label_width(self) -> float:
        """The margin on the right is that on the left."""
        return (self.page_width - 2 * self.margin_left - (self.columns - 1) * self.gap_x) / self.columns

    @property
    def label_height(self) -> float:
        return (self.page_height - 2 * self.margin_top - (self.rows - 1) * self.gap_y) / self.rows

    @property
    def labels_per_page(self) -> int:
        return self.columns * self.rows

    def boxes(self) -> Iterator[Box]:
        """The labels of a page, row by row, without their padding."""
        width, height = self.label_width, self.label_height
        for row in range(self.rows):
            for column in range(self.columns):
                x = self.margin_left + column * (width + self.gap_x)
                y = self.margin_top + row * (height + self.gap_y)
                yield Box(x, y, width, height).inset(self.padding)

    def used_labels(self, skip: int) -> int:
        """How many labels of the first page stay empty. Refuses a whole sheet of them; a roll has none."""
        if self.labels_per_page == 1:
            return 0
        if skip >= self.labels_per_page:
            raise NotValid([{"campo": "saltar", "motivo": f"la hoja tiene {self.labels_per_page} etiquetas."}])
        return skip

    def pages_for(self, labels: int, skip: int = 0) -> int:
        return -(-(labels + skip) // self.labels_per_page)


STOCKS = {
    LabelFormat.A4_3X8: LabelStock(A4_WIDTH_MM, A4_HEIGHT_MM, columns=3, rows=8),
    LabelFormat.ROLL_62: LabelStock(62.0, 29.0, padding=0.7),
    LabelFormat.ROLL_100X50: LabelStock(100.0, 50.0),
}
# Cards of 85 × 54 mm, the size of a bank card, on plain paper.
BADGE_STOCK = LabelStock(
    A4_WIDTH_MM, A4_HEIGHT_MM, columns=2, rows=5, margin_top=13.5, margin_left=16.0, gap_x=8.0, padding=4.0
)


def free_grid(
    columns: int,
    rows: int,
    margin_top: float = 0.0,
    margin_left: float = 0.0,
    gap_x: float = 0.0,
    gap_y: float = 0.0,
) -> LabelStock:
    """An A4 sheet with labels of another size. Refuses labels that are too small for a code that can be read."""
    stock = LabelStock(A4_WIDTH_MM, A4_HEIGHT_MM, columns, rows, margin_top, margin_left, gap_x, gap_y, padding=0.7)
    if stock.label_width < LABEL_WIDTH_MM_MIN or stock.label_height < LABEL_HEIGHT_MM_MIN:
        size = f"{stock.label_width:.1f} × {stock.label_height:.1f} mm"
        least = f"{LABEL_WIDTH_MM_MIN:g} × {LABEL_HEIGHT_MM_MIN:g} mm"
        raise NotValid([{"campo": "cuadricula", "motivo": f"cada etiqueta mediría {size}; al menos {least}."}])
    return stock
