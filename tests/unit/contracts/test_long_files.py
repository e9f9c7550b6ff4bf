"""The list of long tests names files that exist, each once: `make test` would run a file that was renamed."""

from __future__ import annotations

from pathlib import Path

from tests.long_files import LONG_FILES

TESTS = Path(__file__).parents[2]


def test_every_long_file_exists_and_is_named_once() -> None:
    assert [name for name in LONG_FILES if not (TESTS / name).is_file()] == []
    assert len(set(LONG_FILES)) == len(LONG_FILES)
