"""Pictures over `carrete serve`: a photo and a drawing are uploaded, a spool gets the drawing with the numbers of its
joints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any, ClassVar

from carrete.domain.shop_time import whole_second
from carrete.drawings import png
from carrete.drawings.picture import JPEG, PNG
from carrete.ledger.drawings import NewDrawing, save_drawing
from carrete_bench.photos import jpeg_of
from carrete_chaos.sweep.acting import JOINTED, KeylessAction, write
from carrete_chaos.sweep.http import HttpAnswer, get_with, post_with, upload
from carrete_chaos.sweep.scenario import ReferenceRun, TrialResult
from carrete_chaos.sweep.snapshot import Snapshot, difference

_NOISE = Random(1)  # the same in each run, because a picture's id is the hash of its bytes
PHOTO = jpeg_of(_NOISE.randbytes(20_000))
DRAWING = png.made(_NOISE.randbytes(160 * 120), 160, 120, png.GREY)
DRAWING_ID = hashlib.sha256(DRAWING.content).hexdigest()


class PictureAction(KeylessAction):
    """However often it is sent again, there is one picture and one drawing of the spool."""

    tables: ClassVar[dict[str, str]]

    def snapshot(self) -> Snapshot:
        return Snapshot({name: self.ledger.ask(sql) for name, sql in self.tables.items()})

    def judge(self, reference: ReferenceRun) -> TrialResult:
        result = super().judge(reference)
        if (now := self.snapshot()).same_as(reference.after):
            return result
        return TrialResult(result.outcome, (*result.wrong, f"after trying again: {difference(now, reference.after)}"))


class UploadPicture(PictureAction):
    """Two rows in one commit: the picture, and its bytes."""

    media_type: ClassVar[str]
    content: ClassVar[bytes]

    def _ask(self, port: int) -> HttpAnswer | None:
        return upload(port, self.path, self.content, self.media_type)

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:  # noqa: ARG002 - it makes no difference
        """The same picture has the same id, however often it is sent."""
        first, second = self._ask(port), self._ask(port)
        if first is None or first.status != self.status or second != first:
            yield f"the same picture was answered {first} and then {second}"
        elif self.answer not in (None, first):
            yield f"it was answered {self.answer} and then {first}"
        else:
            yield from self._unreadable(port, json.loads(first.body)["id"])

    def _unreadable(self, port: int, id_: str) -> Iterator[str]:
        read = get_with(port, f"{self.path}/{id_}")
        if read is None or read.status != self.status or hashlib.sha256(read.body).hexdigest() != id_:
            yield f"{id_} is read as {read.status if read else None}, and not as the picture of this hash"


class SendPhoto(UploadPicture):
    name = "photo"
    what = "a photo is uploaded"
    path = "/api/fotos"
    media_type = JPEG
    content = PHOTO
    tables: ClassVar[dict[str, str]] = {
        "photo": "SELECT id, bytes, width, height, by_id, noted FROM photo ORDER BY id",
        "photo_bytes": "SELECT id, length(content) FROM photo_bytes ORDER BY id",
    }


class SendDrawing(UploadPicture):
    name = "drawing"
    what = "a drawing is uploaded"
    path = "/api/planos"
    media_type = PNG
    content = DRAWING.content
    tables: ClassVar[dict[str, str]] = {
        "drawing": "SELECT id, media_type, bytes, width, height, by_id, used FROM drawing ORDER BY id",
        "drawing_bytes": "SELECT id, length(content) FROM drawing_bytes ORDER BY id",
    }


class MarkDrawing(PictureAction):
    """A new revision of the spool's drawing, and the drawing is in use from then on."""

    name = "drawing-marks"
    what = "a spool gets a drawing with the numbers of three joints"
    path = f"/api/spools/{JOINTED}/plano"
    body: ClassVar[dict[str, Any]] = {
        **{"plano": DRAWING_ID, "version": 0},
        "marcas": [{"n_union": n, "x": 100 * n, "y": 50 * n} for n in (1, 2, 3)],
    }
    tables: ClassVar[dict[str, str]] = {
        **SendDrawing.tables,
        "spool_drawing": "SELECT tag, revision, drawing_id, marks, by_id FROM spool_drawing ORDER BY tag, revision",
    }

    def prepare(self) -> None:
        super().prepare()
        drawing = NewDrawing(DRAWING_ID, PNG, *DRAWING)
        write(self.ledger.url, lambda tx: save_drawing(tx, drawing, None, whole_second(datetime.now(UTC))))

    def _ask(self, port: int) -> HttpAnswer | None:
        return post_with(port, self.path, self.body, {})

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """Saving names the version that was read, so the same request is done once and then refused."""
        answers = [self._ask(port), self._ask(port)]
        wanted = [409 if happened else 200, 409]
        if [answer and answer.status for answer in answers] != wanted:
            yield f"saving it again and again was answered {answers} instead of {wanted}"
        read = get_with(port, self.path)
        shown: dict[str, Any] = json.loads(read.body) if read and read.status == 200 else {}
        if any(shown.get(name) != self.body[name] for name in ("plano", "marcas")):
            yield f"the drawing is read as {read}"
        if self.answer is not None and json.loads(self.answer.body) != {"success": True, **shown}:
            yield f"it was answered {self.answer}, and now it is {shown}"
