"""Reads an .xlsx file into the raw rows of the sheets that we know.

A child process (`xlsx_child`) reads the file within limits: nothing in the file can crash this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TypeAlias

from carrete.workbook.cells import RawRow, Reader
from carrete.workbook.columns import VERSION, Header, SheetPlan, find_header
from carrete.workbook.errors import WorkbookError
from carrete.workbook.limits import FILE_BYTES_MAX, RECEIVED_BYTES_MAX, WALL_S_MAX
from carrete.workbook.xlsx_messages import DAMAGED, LENGTH, TOO_MUCH_MEMORY, TOO_SLOW, Message, unpacked

_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
_CHILD = (sys.executable, "-P", "-m", "carrete.workbook.xlsx_child")
_CHILD_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL")  # and no secrets
STDERR_BYTES_MAX = 64 * 1024
_OUT_OF_MEMORY = (b"memory allocation of", b"MemoryError", b"failed to map", b"cannot allocate")

Book: TypeAlias = Mapping[str, list[RawRow]]


@dataclass(frozen=True)
class ParsedSheet:
    """One sheet with its header found and its rows below it."""

    plan: SheetPlan
    header: Header
    rows: list[RawRow]

    @property
    def first(self) -> int:
        """The number of the first row, as the spreadsheet program counts."""
        return self.header.row + 2

    @cached_property
    def key_readers(self) -> list[tuple[str, int, Reader]]:
        return [(name, self.header.indexes[name], self.plan.column(name).read) for name in self.plan.key]

    @cached_property
    def readers(self) -> list[tuple[str, int, Reader]]:
        """All columns except key and token, which identify the row."""
        names = self.header.indexes.items()
        identifying = {*self.plan.key, VERSION}
        return [(name, at, self.plan.column(name).read) for name, at in names if name not in identifying]


def read_book(path: Path, shown_name: str | None = None, sheets: Sequence[str] = ()) -> Book:
    """The sheets of our plans by name, or these sheets. Raises WorkbookError when the file is not a readable
    workbook; its sentence has the file's own name, or `shown_name`."""
    name = shown_name or path.name
    _require_xlsx(path, name)
    book: dict[str, list[RawRow]] = {}
    rows: list[RawRow] = []
    with _messages(path, name, sheets) as messages:
        for kind, content in messages:
            if kind == "refused":
                raise WorkbookError(f"{name} {content}")
            if kind == "sheet":
                rows = book[content] = []
            else:
                rows += content
    return book


@contextmanager
def _messages(path: Path, name: str, sheets: Sequence[str]) -> Iterator[Iterator[Message]]:
    """The messages of the child process. When the block ends, the process has ended and its copy is deleted."""
    with tempfile.TemporaryDirectory(prefix="carrete-import-") as folder, tempfile.TemporaryFile() as stderr:
        child = _ReaderProcess(path, name, folder, stderr, sheets)
        try:
            yield child.messages()
        finally:
            child.end()


class _ReaderProcess:
    def __init__(self, path: Path, name: str, folder: str, stderr: IO[bytes], sheets: Sequence[str]) -> None:
        self._name = name
        self._stderr = stderr
        self._process = subprocess.Popen(
            [*_CHILD, str(path.resolve()), folder, *sheets],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={name: os.environ[name] for name in _CHILD_ENVIRONMENT if name in os.environ},
        )
        self._late = False
        self._timer = threading.Timer(WALL_S_MAX, self._too_late)
        self._timer.start()

    def _too_late(self) -> None:
        self._late = True
        self._process.kill()

    def end(self) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def messages(self) -> Iterator[Message]:
        """Until the message "end". A process that ends without it could not read this file."""
        out, total = self._process.stdout, 0
        assert out is not None
        while len(head := out.read(LENGTH.size)) == LENGTH.size:
            (length,) = LENGTH.unpack(head)
            total += length
            if total > RECEIVED_BYTES_MAX:
                raise WorkbookError(f"{self._name} {TOO_MUCH_MEMORY}")
            payload = out.read(length)
            if len(payload) < length:
                break
            message = unpacked(payload)
            if message[0] == "end":
                return
            yield message
        raise WorkbookError(f"{self._name} {self._why_it_ended()}")

    def _why_it_ended(self) -> str:
        status = self._process.wait()
        self._stderr.seek(0)
        errors = self._stderr.read(STDERR_BYTES_MAX)
        if self._late or status == -signal.SIGXCPU:
            return TOO_SLOW
        killed = status == -signal.SIGKILL  # by the system, when the machine has no memory left
        return TOO_MUCH_MEMORY if killed or any(text in errors for text in _OUT_OF_MEMORY) else DAMAGED


def sheet_of(book: Book, plan: SheetPlan) -> ParsedSheet | None:
    if plan.name not in book:
        return None
    rows = book[plan.name]
    header = find_header(plan, rows)
    return ParsedSheet(plan, header, rows[header.row + 1 :])


def _require_xlsx(path: Path, name: str) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(8)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise WorkbookError(f"{path} no se puede abrir: {error.strerror}.") from error
    if not start:
        raise WorkbookError(f"{name} está vacío.")
    if start == _OLE:
        raise WorkbookError(
            f"{name} está protegido con contraseña o es un .xls antiguo: guárdelo sin contraseña como .xlsx."
        )
    if not start.startswith(b"PK"):
        raise WorkbookError(f"{name} no es un archivo .xlsx.")
    if size > FILE_BYTES_MAX:
        raise WorkbookError(f"{name} es demasiado grande: más de {FILE_BYTES_MAX >> 20} MB.")
