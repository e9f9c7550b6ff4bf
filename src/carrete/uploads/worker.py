"""The thread of a serving process that works on uploads, one at a time on each machine."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from carrete.actions.recount import recount_after_import
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import known_schema
from carrete.settings import Settings
from carrete.shop_settings import with_shop_settings
from carrete.uploads.folder import UploadFolder
from carrete.uploads.refusals import UploadUnknown
from carrete.uploads.upload import Upload, UploadState
from carrete.workbook.errors import WorkbookError

log = structlog.get_logger()

LOOK_EVERY_S = 2.0  # work that another process received, or left behind when it was killed
CLEAN_EVERY_S = 3_600.0
STOP_S_MAX = 2.0
_INTERNAL = "Error interno, que quedó registrado. Suba el archivo de nuevo: lo que ya entró no se repite."
_NO_ROOM = "En el disco del servidor no queda espacio. Haga lugar y suba el archivo de nuevo."


class UploadWorker:
    def __init__(self, folder: UploadFolder, machine: Settings) -> None:
        self._folder = folder
        self._machine = machine
        self._edited: Callable[[Sequence[str], Sequence[str]], None] = lambda _tags, _held_anew: None
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._cleaned_at = -CLEAN_EVERY_S
        self._thread = threading.Thread(target=self._run, name="uploads", daemon=True)

    def start(self, edited: Callable[[Sequence[str], Sequence[str]], None]) -> None:
        """`edited` gets the tags of spools that changed, and those of them whose holder changed."""
        self._edited = edited
        self._thread.start()

    def poke(self) -> None:
        """There is work."""
        self._wake.set()

    def stop(self) -> None:
        """A commit under way ends; the rest is taken up by another process, or at the next start."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S_MAX)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._look()
            except Exception as error:
                log.error("the work on uploads failed", exc_info=error)
            self._wake.wait(LOOK_EVERY_S)
            self._wake.clear()

    def _look(self) -> None:
        if time.monotonic() - self._cleaned_at > CLEAN_EVERY_S:
            self._cleaned_at = time.monotonic()
            self._folder.clean(datetime.now(UTC))
        if self._folder.next_to_work_on() is None:
            return
        with self._folder.only_worker() as ours:
            if not ours:
                return
            database = open_database(self._machine.ledger_url)
            database.schema = known_schema()  # this process has migrated it
            try:
                while not self._stopping.is_set() and (upload := self._folder.next_to_work_on()):
                    if not self._work(upload, database):
                        return
            finally:
                database.close()

    def _work(self, upload: Upload, database: Database) -> bool:
        """False when the work must wait: the process stops, or the ledger does not answer."""
        from carrete.uploads.work import Stopping, UploadContext, work_on  # loads all that reads workbooks

        try:
            shop = with_shop_settings(self._machine, database).shop
            work_on(upload, UploadContext(self._folder, database, shop, self._edited, self._stopping.is_set))
            recount_after_import(database, self._machine, shop, datetime.now(UTC))
        except Stopping:
            return False
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("an upload waits for the ledger", upload=upload.id, reason=str(error))
            return False
        except UploadUnknown:
            pass  # somebody discarded it
        except WorkbookError as error:
            self._fail(upload, str(error))
        except OSError as error:
            log.error("an upload could not be worked on", upload=upload.id, exc_info=error)
            self._fail(upload, _NO_ROOM if error.errno in (errno.ENOSPC, errno.EDQUOT) else _INTERNAL)
        except Exception as error:
            log.error("an upload could not be worked on", upload=upload.id, exc_info=error)
            self._fail(upload, _INTERNAL)
        return True

    def _fail(self, upload: Upload, sentence: str) -> None:
        with suppress(UploadUnknown):
            self._folder.update(upload.id, lambda one: replace(one, state=UploadState.FAILED, error=sentence))
