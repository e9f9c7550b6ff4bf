"""The rows of an upload: a page of its preview, and the report of what was done and refused as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from carrete.domain.texts import without_formulas
from carrete.uploads.folder import ROWS, UploadFolder
from carrete.uploads.refusals import UploadUnknown
from carrete.uploads.upload import Upload, UploadState
from carrete.workbook.effects import RowKind

DONE_PREFIX = "done-"
LINES_PER_PIECE = 1_000
BYTE_ORDER_MARK = "\ufeff"  # without it Excel does not read the text as UTF-8
COLUMNS = ("resultado", "hoja", "fila", "clave", "tipo", "columna", "antes", "despues", "motivo")
_WITHOUT_EFFECT = {RowKind.REFUSED: "rechazado", RowKind.NOTICE: "aviso"}


def page(
    folder: UploadFolder, id_: str, kind: RowKind | None, offset: int, limit: int
) -> tuple[list[dict[str, Any]], int | None]:
    """Rows of the preview from this place in its file on, and where the next page begins; None at the end."""
    start = f'{{"kind": "{kind.value}"'.encode() if kind else b"{"
    found: list[dict[str, Any]] = []
    try:
        with folder.file(folder.get(id_).id, ROWS).open("rb") as file:
            file.seek(offset)
            while line := file.readline():
                if not line.startswith(start):
                    continue
                if len(found) == limit:
                    return found, file.tell() - len(line)
                found.append(_decoded(line))
    except FileNotFoundError:
        return [], None
    return found, None


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
    except ValueError:  # the place is not the beginning of a line
        raise UploadUnknown from None
    return row


def csv_pieces(folder: UploadFolder, upload: Upload) -> Iterator[str]:
    """What was done; before anything was, what would be done. Many lines at a time: each piece costs a thread's turn
    when it is sent."""
    lines = _csv_lines(folder, upload)
    while piece := "".join(islice(lines, LINES_PER_PIECE)):
        yield piece


def _csv_lines(folder: UploadFolder, upload: Upload) -> Iterator[str]:
    yield BYTE_ORDER_MARK + _csv_line(COLUMNS)
    done = sorted((folder.path / upload.id).glob(f"{DONE_PREFIX}*.jsonl"), key=lambda path: path.stat().st_mtime)
    for path in done:
        yield from _csv_of(path.open("rb"), "hecho")
    if upload.state is not UploadState.DONE:
        rows = folder.file(upload.id, ROWS)
        yield from _csv_of(rows.open("rb"), "previsto") if rows.exists() else ()


def _csv_of(file: io.BufferedReader, effect: str) -> Iterator[str]:
    with file:
        for line in file:
            row = json.loads(line)
            result = _WITHOUT_EFFECT.get(row["kind"], effect)
            where = (result, row["sheet"], row["row"] or "", row["key"], row["kind"])
            for cell in row["cells"] or [{"column": "", "before": "", "after": "", "reason": ""}]:
                yield _csv_line((*where, cell["column"], cell["before"], cell["after"], cell["reason"]))


def _csv_line(values: tuple[Any, ...]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow([_cell(value) for value in values])
    return text.getvalue()


def _cell(value: Any) -> Any:
    return without_formulas(value) if isinstance(value, str) else value
