"""The command as a person types it: its output, its errors and its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from carrete import cli
from tests.support.server import clean_environment


@dataclass(frozen=True)
class CommandResult:
    exit_code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """All of its error output, on one line however wide the terminal is, without progress bars."""
        assert "Traceback" not in self.err
        complaint = " ".join(line for line in self.err.splitlines() if "━" not in line)
        assert complaint.startswith("carrete: "), self.err
        assert complaint.count("carrete: ") == 1
        return " ".join(complaint.split())


Carrete = Callable[..., CommandResult]


@pytest.fixture
def carrete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Carrete:
    """`carrete("worker", "list", DATABASE_URL=…)`, in this process: what is not caught there fails the test."""

    def run(*arguments: object, **settings: str) -> CommandResult:
        with monkeypatch.context() as here:
            environment = {**clean_environment(), **settings}
            here.setattr("os.environ", environment)
            here.setattr(sys, "argv", ["carrete", *map(str, arguments)])
            capsys.readouterr()
            umask = os.umask(0o022)
            try:
                exit_code = _exit_code()
            finally:
                os.umask(umask)
        result = capsys.readouterr()
        return CommandResult(exit_code, result.out.strip(), result.err.strip())

    return run


def _exit_code() -> int:
    try:
        cli.main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0
