"""Several real processes that begin the same work at the same moment."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_AT_THE_GUN = """
import json, sys
{setup}
print("ready", flush=True)
sys.stdin.readline()
print(json.dumps({work}), flush=True)
"""
ANSWER_S_MAX = 60


def at_once(processes: int, setup: str, work: str, *arguments: str) -> list[Any]:
    """The value of `work`, an expression, in each process. `setup` runs before all of them are started at once."""
    script = _AT_THE_GUN.format(setup=setup, work=work)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(number), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise AssertionError(process.communicate(timeout=ANSWER_S_MAX)[1])
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [_answer(process) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


def _answer(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=ANSWER_S_MAX)
    assert process.returncode == 0, err
    return json.loads(out)
