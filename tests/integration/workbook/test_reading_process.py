"""The process that reads a workbook: if it fails, its parent goes on and prints one sentence."""

from __future__ import annotations

import io
import os
import pickle
import sys
import tempfile
from pathlib import Path

import pytest

from carrete.workbook import xlsx_in
from carrete.workbook.errors import WorkbookError
from carrete.workbook.xlsx_in import read_book
from carrete.workbook.xlsx_messages import send, unpacked
from tests.integration.workbook.files import write_file

SAYS_MB = "import sys; sys.stdout.buffer.write((1 << 30).to_bytes(4, 'big'))"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return write_file(tmp_path / "libro.xlsx", Operaciones=[{"TAG_SPOOL": "A-1"}])


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("import os; os.abort()", "está dañado"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "está dañado"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "demasiada memoria"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "tarda demasiado"),
        ("import os; os.write(2, b'memory allocation of 9 bytes failed'); os.abort()", "demasiada memoria"),
        ("pass", "está dañado"),
        ("import sys; sys.stdout.buffer.write(b'\\0\\0')", "está dañado"),
        ("import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\xff')", "está dañado"),
        (SAYS_MB, "demasiada memoria"),
    ],
)
def test_a_reader_that_ends_badly_is_a_sentence(
    book: Path, does: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_in, "_CHILD", (sys.executable, "-c", does))
    with pytest.raises(WorkbookError, match=says):
        read_book(book)


def test_a_reader_that_does_not_end_is_ended(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_in, "_CHILD", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(xlsx_in, "WALL_S_MAX", 0.3)
    with pytest.raises(WorkbookError, match="tarda demasiado"):
        read_book(book)


def test_the_reader_knows_no_secrets_and_leaves_nothing_behind(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump_file = tmp_path / "told"
    monkeypatch.setenv("DATABASE_URL", "postgresql://carrete:secreto@db/x")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dump = f"import os; open({str(dump_file)!r}, 'w').write(repr(dict(os.environ)))"
    monkeypatch.setattr(xlsx_in, "_CHILD", (sys.executable, "-c", dump))
    with pytest.raises(WorkbookError):
        read_book(book)
    assert "secreto" not in dump_file.read_text()
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert read_book(book)["Operaciones"] == [["TAG_SPOOL"], ["A-1"]]
    assert sorted(os.listdir(tmp_path)) == ["libro.xlsx", "told"]


def test_the_output_of_the_reader_can_only_be_cells() -> None:
    out = io.BytesIO()
    send(("rows", [["A-1", 1.5, True, None]]), out)
    assert unpacked(out.getvalue()[4:]) == ("rows", [["A-1", 1.5, True, None]])
    with pytest.raises(pickle.UnpicklingError, match="is no cell"):
        unpacked(pickle.dumps(("rows", os.system)))
