"""When a change of the sheet is too large to be believed: writes stop and somebody is asked. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from carrete.sheets.rows.verdict import Verdict

COLUMNS, TAB, VANISHED, CHANGED = "COLUMNAS", "PESTAÑA", "FILAS", "CELDAS"
CONFIRM, RESUME = "CONFIRMAR", "REANUDAR"  # the sheet stands as it is, or ours does and is written again
DECISIONS = {
    VANISHED: (CONFIRM, RESUME),
    CHANGED: (CONFIRM, RESUME),
    TAB: (CONFIRM,),  # another tab of its name is taken; without one there is nothing to write to
    COLUMNS: (),  # goes on once the column is back
}
ROWS_MIN, ROWS_SHARE = 20, 0.02
CELLS_MIN, CELLS_SHARE = 20, 0.30
COLUMN_CELLS_MAX = 200


def vanished(missing: int, known: int) -> str:
    if missing <= max(ROWS_MIN, ROWS_SHARE * known):
        return ""
    return f"{missing} de {known} filas desaparecieron a la vez"


def changed(verdicts: Iterable[Verdict], rows: int, columns: int, filled: Callable[[str], int]) -> str:
    """Too many cells in all, or too many of one column that had said something. Filling in is never too much."""
    by_column: Counter[str] = Counter()
    total = 0
    for verdict in verdicts:
        base = verdict.base
        if base is None:
            continue
        for name, said in verdict.said.items():
            was = base.get(name, "")
            if was != said:
                total += 1
                by_column[name] += bool(was)
    if total > max(CELLS_MIN, CELLS_SHARE * rows * columns):
        return f"{total} de {rows * columns} celdas cambiaron a la vez"
    for name, overwritten in by_column.items():
        if overwritten > CELLS_MIN and overwritten > max(CELLS_MIN, min(COLUMN_CELLS_MAX, CELLS_SHARE * filled(name))):
            return f"{overwritten} celdas de {name} cambiaron o se borraron a la vez"
    return ""
