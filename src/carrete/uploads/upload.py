"""One uploaded workbook and its state."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class UploadState(StrEnum):
    READING = "leyendo"  # its preview is being made, or waits for its turn
    READY = "lista"
    APPLYING = "aplicando"
    DONE = "hecha"
    FAILED = "fallida"


WORKING = (UploadState.READING, UploadState.APPLYING)


@dataclass(frozen=True, slots=True)
class UploadSummary:
    """Rows of the file by what the import does to them."""

    new: int = 0
    changed: int = 0
    retired: int = 0
    refused: int = 0
    unchanged: int = 0
    notices: int = 0


@dataclass(frozen=True, slots=True)
class Upload:
    id: str
    name: str
    size: int
    uploaded_by: str | None
    uploaded_at: str
    state: UploadState = UploadState.READING
    done: int = 0  # rows of spools and joints
    total: int = 0
    summary: UploadSummary = field(default_factory=UploadSummary)
    view: str = ""  # which preview this is
    error: str | None = None
    applied_by: str | None = None
    checked: bool = False  # while it is applied: the preview still held, and commits may have been made

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def upload_from_json(text: str) -> Upload:
    stored = json.loads(text)
    return Upload(
        **{**stored, "state": UploadState(stored["state"]), "summary": UploadSummary(**stored["summary"])},
    )
