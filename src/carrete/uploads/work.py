"""The work on one upload: its preview, and applying exactly what the preview shows."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.uploads.folder import BOOK, PLAN, ROWS, UploadFolder
from carrete.uploads.report import DONE_PREFIX
from carrete.uploads.upload import Upload, UploadState, UploadSummary
from carrete.workbook.effects import RowChange
from carrete.workbook.importing import ImportSheets, read_sheets
from carrete.workbook.preview import PreviewCounts, apply_steps, preview_steps

PROGRESS_EVERY_S = 0.5
PAUSE_S = 0.12  # SQLite does not queue its writers: one that waits looks again every 100 ms
_CHANGED = "El taller cambió desde la vista previa. No se aplicó nada; esta es la vista previa de ahora."
_CHANGED_IN_PART = (
    "Mientras se aplicaba, el taller cambió algunas de las filas. Las demás quedaron hechas (vea el informe); "
    "esta es la vista previa de lo que falta."
)


class Stopping(Exception):
    """The process stops: the next one takes the work up."""


@dataclass(frozen=True, slots=True)
class UploadContext:
    """`edited` gets the tags of spools that changed, and those of them whose holder changed."""

    folder: UploadFolder
    database: Database
    shop: Shop
    edited: Callable[[Sequence[str], Sequence[str]], None]
    stopped: Callable[[], bool] = lambda: False

    def let_others_write(self) -> None:
        """Between two steps. Ends the work when the process stops."""
        if self.stopped():
            raise Stopping
        if self.database.engine == "sqlite":
            time.sleep(PAUSE_S)


def work_on(upload: Upload, context: UploadContext) -> None:
    """Raises WorkbookError for a file that cannot be read, UploadUnknown for one that was discarded meanwhile."""
    if upload.state is UploadState.APPLYING:
        apply(upload, context)
    else:
        read(upload, context)


# ─── preview ──────────────────────────────────────────────────────────────────────────────────────────────────


def read(upload: Upload, context: UploadContext) -> None:
    """Writes two files beside the upload: the rows of the preview, and a digest of what each commit would do. `apply`
    compares these digests with what it does."""
    sheets, now = _sheets(upload, context), datetime.now(UTC)
    counts, digests, progress = PreviewCounts(), [], _Progress(upload, context)
    with context.folder.replacing(upload.id, ROWS) as file:
        for number, step in enumerate(preview_steps(context.database, sheets, context.shop, now)):
            context.folder.require_room()
            file.writelines(_line(number, row) for row in step.rows)
            counts.add(step.rows)
            digests.append(step.digest)
            progress.show(step.done, step.total)
    context.folder.replace_file(upload.id, PLAN, json.dumps(digests))
    summary = UploadSummary(
        counts.new, counts.changed, counts.retired, counts.refused, counts.unchanged(sheets), counts.notices
    )
    context.folder.update(
        upload.id,
        lambda one: replace(
            one, state=UploadState.READY, done=sheets.rows, total=sheets.rows, summary=summary, view=_view(digests)
        ),
    )


def _sheets(upload: Upload, context: UploadContext) -> ImportSheets:
    return read_sheets(context.folder.file(upload.id, BOOK), context.shop, upload.name)


def _view(digests: Sequence[str]) -> str:
    return sha256("".join(digests).encode()).hexdigest()[:16]


def _line(step: int, row: RowChange) -> str:
    """The kind comes first, so that a search for rows of one kind need not decode the others."""
    fields = asdict(row)
    return json.dumps({"kind": fields.pop("kind"), "step": step, **fields}, ensure_ascii=False) + "\n"


# ─── applying ─────────────────────────────────────────────────────────────────────────────────────────────────


def apply(upload: Upload, context: UploadContext) -> None:
    """When nothing was committed yet, all steps are compared with the preview first: usually all of them still hold, or
    nothing is done. After that each step is compared once more, inside its transaction."""
    planned: list[str] = json.loads(context.folder.file(upload.id, PLAN).read_text("utf-8"))
    sheets, now = _sheets(upload, context), datetime.now(UTC)
    if not upload.checked:
        if not _still_holds(sheets, planned, context, now):
            _read_anew(upload, context, _CHANGED)
            return
        context.folder.update(upload.id, lambda one: replace(one, checked=True))
    progress, applied, skipped = _Progress(upload, context), set(), False
    for step in apply_steps(context.database, sheets, context.shop, now, planned, upload.applied_by):
        if step.applied:
            applied.add(step.number)
        skipped |= not step.applied
        if step.tags:
            context.edited(step.tags, step.held_anew)
        progress.show(step.done, step.total)
    _keep_done(upload, context, applied)
    if skipped:
        _read_anew(upload, context, _CHANGED_IN_PART)
    else:
        context.folder.update(
            upload.id, lambda one: replace(one, state=UploadState.DONE, done=sheets.rows, total=sheets.rows)
        )


def _still_holds(sheets: ImportSheets, planned: Sequence[str], context: UploadContext, now: datetime) -> bool:
    digests = (step.digest for step in preview_steps(context.database, sheets, context.shop, now))
    count = 0
    for count, digest in enumerate(digests, 1):
        context.let_others_write()
        if count > len(planned) or digest != planned[count - 1]:
            return False
    return count == len(planned)


def _read_anew(upload: Upload, context: UploadContext, sentence: str) -> None:
    context.folder.update(
        upload.id, lambda one: replace(one, state=UploadState.READING, done=0, error=sentence, checked=False)
    )


def _keep_done(upload: Upload, context: UploadContext, applied: set[int]) -> None:
    """For the report. Under the name of its preview, so that work which is taken up again does not report twice."""
    with context.folder.replacing(upload.id, f"{DONE_PREFIX}{upload.view}.jsonl") as file:
        file.writelines(line for line, row in _rows(upload, context) if row["step"] in applied)


def _rows(upload: Upload, context: UploadContext) -> Iterator[tuple[str, dict[str, Any]]]:
    with context.folder.file(upload.id, ROWS).open(encoding="utf-8") as file:
        for line in file:
            yield line, json.loads(line)


class _Progress:
    """Writes the progress into the upload's state now and then."""

    def __init__(self, upload: Upload, context: UploadContext) -> None:
        self._upload = upload
        self._context = context
        self._shown_at = 0.0

    def show(self, done: int, total: int) -> None:
        self._context.let_others_write()
        if time.monotonic() - self._shown_at >= PROGRESS_EVERY_S:
            self._shown_at = time.monotonic()
            self._context.folder.update(self._upload.id, lambda one: replace(one, done=done, total=total))
