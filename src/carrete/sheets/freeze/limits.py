"""When a change of the sheet is so large that it may be a mistake: the sheet freezes and a supervisor decides. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from carrete.sheets.rows.verdict import RowVerdict

COLUMNS, TAB, VANISHED, CHANGED = "COLUMNAS", "PESTAÑA", "FILAS", "CELDAS"
CONFIRM, RESUME = "CONFIRMAR", "REANUDAR"  # the sheet's state is accepted, or the ledger's is written again
DECISIONS = {
    VANISHED: (CONFIRM, RESUME),
    CHANGED: (CONFIRM, RESUME),
    TAB: (CONFIRM,),  # another tab with the same name is used; there must be one to write to
    COLUMNS: (),  # ends when the column is back
}
ROWS_MIN, ROWS_SHARE = 20, 0.02
CELLS_MIN, CELLS_SHARE = 20, 0.30
COLUMN_CELLS_MAX = 200


def vanished_reason(missing: int, known: int) -> str:
    if missing <= max(ROWS_MIN, ROWS_SHARE * known):
        return ""
    return f"{missing} de {known} filas desaparecieron a la vez"


def changed_reason(verdicts: Iterable[RowVerdict], rows: int, columns: int, filled: Callable[[str], int]) -> str:
    """The reason, if too many cells have changed, or too many filled cells of one column; else `""`."""
    by_column: Counter[str] = Counter()
    total = 0
    for verdict in verdicts:
        base = verdict.base
        if base is None:
            continue
        for name, value in verdict.values.items():
            was = base.get(name, "")
            if was != value:
                total += 1
                by_column[name] += bool(was)
    if total > max(CELLS_MIN, CELLS_SHARE * rows * columns):
        return f"{total} de {rows * columns} celdas cambiaron a la vez"
    for name, overwritten in by_column.items():
        if overwritten > CELLS_MIN and overwritten > max(CELLS_MIN, min(COLUMN_CELLS_MAX, CELLS_SHARE * filled(name))):
            return f"{overwritten} celdas de {name} cambiaron o se borraron a la vez"
    return ""
