"""Files that are made to crash their reader: `carrete import` prints one sentence, exits with 1, uses little memory."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.workbook.bombs import BOMBS, HARMLESS

ADDRESS_KB_MAX = 600_000
PEAK_MB_MAX = 300
# The peak of a process counts the memory of its parent: a small process starts the command and measures it.
MEASURED = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as peak:
    peak.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


@dataclass(frozen=True)
class Ended:
    status: int
    output: str
    peak_mb: int  # of the largest of its processes


def imported(path: Path, folder: Path) -> Ended:
    """`carrete import` as a person runs it, under `ulimit -v`."""
    environment = {
        "PATH": os.environ["PATH"],
        "CARRETE_DATA": str(folder / "data"),
        "REDIS_URL": "off",
        "COLUMNS": "300",
    }
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    output, peak = folder / "output.txt", folder / "peak.txt"
    command = [sys.executable, "-c", MEASURED, str(peak), "sh", "-c", f'ulimit -v {ADDRESS_KB_MAX}; exec "$@"', "sh"]
    command += [sys.executable, "-m", "carrete", "import", str(path)]
    with output.open("wb") as out:
        status = subprocess.call(command, stdout=out, stderr=out, env=environment, cwd=folder)
    return Ended(status, output.read_text(errors="replace"), int(peak.read_text()) // 1024)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_one_sentence_and_with_little_memory(name: str, tmp_path: Path) -> None:
    make, words = BOMBS[name]
    ended = imported(make(tmp_path / "bomba.xlsx"), tmp_path)
    (sentence,) = [line for line in ended.output.splitlines() if line.startswith("carrete: ")]
    print(f"\n| {name} | {sentence} | {ended.peak_mb} MB |")
    assert ended.status == 1
    assert words in sentence
    assert sentence.endswith(".")
    assert "Traceback" not in ended.output
    assert "panicked" not in ended.output
    assert ended.peak_mb <= PEAK_MB_MAX


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_dangerous_is_read(name: str, tmp_path: Path) -> None:
    ended = imported(HARMLESS[name](tmp_path / "raro.xlsx"), tmp_path)
    assert ended.status == 0, ended.output
    assert "Spools: 0 nuevos" in ended.output
    assert ended.peak_mb <= PEAK_MB_MAX
