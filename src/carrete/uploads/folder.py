"""The files of uploads in CARRETE_DATA/uploads, a folder for each. Every process of this machine sees them.

A folder appears complete or not at all, and each file in it is replaced whole. The kernel frees a lock when its process
dies, so that no work stays locked."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

from carrete.identity.secrets import short_id
from carrete.uploads.refusals import NoRoomOnDisk, TooManyUploads, UploadBusy, UploadTooLarge, UploadUnknown
from carrete.uploads.upload import WORKING, Upload, UploadState, upload_from_json

UPLOAD_BYTES_MAX = 32 << 20
UPLOADS_MAX = 20  # kept at a time, on one machine
KEPT_FOR = timedelta(hours=24)
PARTIAL_KEPT_FOR = timedelta(hours=1)  # a file that is still partial after this long belongs to a dead process
ROOM_KEPT_BYTES = 64 << 20  # the ledger needs the rest of the disk
BOOK, STATE, ROWS, PLAN = "book.xlsx", "upload.json", "rows.jsonl", "plan.json"
_RECEIVING = ".receiving"
_LOCK = ".lock"
_ID = re.compile(r"[a-z0-9-]{1,64}")


class UploadFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    # ─── receiving ────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, size_max: int = UPLOAD_BYTES_MAX) -> PartialUpload:
        """Raises a Refusal when there is no room for another file of this size."""
        self._make()
        if len(self.all()) >= UPLOADS_MAX and not self._drop_oldest():
            raise TooManyUploads(f"Hay {UPLOADS_MAX} cargas sin terminar. Descarte alguna primero.")
        if shutil.disk_usage(self.path).free < size_max + ROOM_KEPT_BYTES:
            raise NoRoomOnDisk
        return PartialUpload(self, short_id("c"))

    def require_room(self) -> None:
        """For a file that grows: raises OSError before it takes the room that the ledger needs."""
        if shutil.disk_usage(self.path).free < ROOM_KEPT_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _drop_oldest(self) -> bool:
        """Only an upload that no person waits for is deleted to make room."""
        over = [one for one in self.all() if one.state in (UploadState.DONE, UploadState.FAILED)]
        if not over:
            return False
        self._delete(over[-1].id)
        return True

    def temporary_file(self) -> Path:
        """A place for a file that is made here and sent; it is deleted after an hour if that was not done before."""
        self._make()
        return self.path / f".{short_id('x')}.xlsx"

    def _make(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    # ─── looking ──────────────────────────────────────────────────────────────────────────────────────────────

    def all(self) -> list[Upload]:
        """The newest first."""
        found = []
        for folder in self.path.iterdir() if self.path.is_dir() else ():
            with suppress(UploadUnknown):
                found.append(self.get(folder.name))
        return sorted(found, key=lambda one: (one.uploaded_at, one.id), reverse=True)

    def get(self, id_: str) -> Upload:
        if not _ID.fullmatch(id_):
            raise UploadUnknown
        try:
            return upload_from_json(self.file(id_, STATE).read_text("utf-8"))
        except (OSError, ValueError, KeyError, TypeError):
            raise UploadUnknown from None

    def file(self, id_: str, name: str) -> Path:
        return self.path / id_ / name

    # ─── changing ─────────────────────────────────────────────────────────────────────────────────────────────

    def update(self, id_: str, change: Callable[[Upload], Upload]) -> Upload:
        """One change at a time on this machine. Raises UploadUnknown when the upload was discarded meanwhile."""
        with self._locked(f"state{_LOCK}"):
            after = change(self.get(id_))
            self.replace_file(id_, STATE, after.to_json())
            return after

    def replace_file(self, id_: str, name: str, text: str) -> None:
        with self.replacing(id_, name) as file:
            file.write(text)

    @contextmanager
    def replacing(self, id_: str, name: str) -> Iterator[IO[str]]:
        """A file that gets its name when it is complete and on the disk."""
        path = self.file(id_, name)
        partial = path.with_name(f".{name}.{os.getpid()}")
        try:
            with _gone_is_unknown():
                file = partial.open("w", encoding="utf-8")
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            with _gone_is_unknown():
                os.replace(partial, path)
        finally:
            with suppress(OSError):
                partial.unlink()

    def begin_applying(self, id_: str, view: str | None, by: str | None) -> Upload:
        """`view`: the preview that the person saw; None for whichever there is."""

        def change(upload: Upload) -> Upload:
            if upload.state is not UploadState.READY or (view is not None and view != upload.view):
                raise UploadBusy(_sentence(upload))
            return replace(upload, state=UploadState.APPLYING, done=0, error=None, checked=False, applied_by=by)

        return self.update(id_, change)

    def discard(self, id_: str) -> None:
        with self._locked(f"state{_LOCK}"):
            upload = self.get(id_)
            if upload.state is UploadState.APPLYING:
                raise UploadBusy("Se está aplicando; espere a que termine.")
            self._delete(id_)

    def clean(self, now: datetime) -> None:
        """Deletes what is older than a day, and what a killed process left half done."""
        known = {upload.id: upload for upload in self.all()}
        for upload in known.values():
            if upload.state not in WORKING and now - datetime.fromisoformat(upload.uploaded_at) > KEPT_FOR:
                self._delete(upload.id)
        for path in self.path.iterdir() if self.path.is_dir() else ():
            if path.name not in known and path.suffix != _LOCK:
                kept_for = PARTIAL_KEPT_FOR if path.name.startswith(".") else KEPT_FOR
                _delete_if_older(path, now - kept_for)

    def _delete(self, id_: str) -> None:
        """The state goes first: a folder without it is no upload."""
        with suppress(OSError):
            self.file(id_, STATE).unlink()
        shutil.rmtree(self.path / id_, ignore_errors=True)

    # ─── work ─────────────────────────────────────────────────────────────────────────────────────────────────

    def next_to_work_on(self) -> Upload | None:
        """The oldest: begun applications before previews."""
        waiting = [one for one in reversed(self.all()) if one.state in WORKING]
        return min(waiting, key=lambda one: one.state is not UploadState.APPLYING, default=None)

    @contextmanager
    def only_worker(self) -> Iterator[bool]:
        """Whether no other process of this machine works on uploads now; none does until the block ends."""
        with ExitStack() as held:
            try:
                held.enter_context(self._locked(f"work{_LOCK}", wait=False))
                ours = True
            except BlockingIOError:
                ours = False
            yield ours

    @contextmanager
    def _locked(self, name: str, *, wait: bool = True) -> Iterator[None]:
        self._make()
        descriptor = os.open(self.path / name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield
        finally:
            os.close(descriptor)


class PartialUpload:
    """A file that is being received. It becomes an upload when it is complete."""

    def __init__(self, uploads: UploadFolder, id_: str) -> None:
        self.id = id_
        self.size = 0
        self.start = b""
        self._uploads = uploads
        self._folder = uploads.path / f".{id_}{_RECEIVING}"
        self._folder.mkdir(mode=0o700)
        self._file = (self._folder / BOOK).open("wb")

    def write(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > UPLOAD_BYTES_MAX:
            raise UploadTooLarge(f"El archivo pasa de {UPLOAD_BYTES_MAX >> 20} MB: divídalo en varios.")
        self.start += data[: 8 - len(self.start)] if len(self.start) < 8 else b""
        with _room_refused():
            self._file.write(data)

    def finish(self, name: str, by: str | None) -> Upload:
        with _room_refused():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            upload = Upload(self.id, name, self.size, by, datetime.now(UTC).isoformat(timespec="microseconds"))
            (self._folder / STATE).write_text(upload.to_json(), "utf-8")
            os.replace(self._folder, self._uploads.path / self.id)
        return upload

    def abandon(self) -> None:
        """Does nothing after `finish`."""
        self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _delete_if_older(path: Path, than: datetime) -> None:
    with suppress(OSError):
        if path.stat().st_mtime < than.timestamp():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


@contextmanager
def _gone_is_unknown() -> Iterator[None]:
    """Somebody discarded the upload meanwhile."""
    try:
        yield
    except FileNotFoundError:
        raise UploadUnknown from None


@contextmanager
def _room_refused() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoRoomOnDisk from None
        raise


def _sentence(upload: Upload) -> str:
    match upload.state:
        case UploadState.READING:
            return "La vista previa no está lista todavía."
        case UploadState.APPLYING:
            return "Ya se está aplicando."
        case UploadState.DONE:
            return "Ya se aplicó."
        case UploadState.FAILED:
            return "El archivo no se pudo leer: suba otro."
        case UploadState.READY:
            return "Hay una vista previa más nueva: mire de nuevo y decida."
