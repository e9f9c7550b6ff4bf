"""The command with which the tests are run: it ends, and leaves nothing running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "bounded.py"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process its orphans")


def bounded(minutes: float, *command: str) -> subprocess.CompletedProcess[str]:
    """With a pipe for its output: reading it ends only when nobody has it open any more."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(minutes), *command], capture_output=True, text=True, timeout=30
    )


@pytest.mark.parametrize("status", [0, 1, 5])
def test_it_exits_as_the_command_does(status: int) -> None:
    assert bounded(1, sys.executable, "-c", f"raise SystemExit({status})").returncode == status


def test_a_command_that_takes_too_long_is_ended() -> None:
    done = bounded(0.01, "sleep", "600")
    assert (done.returncode, done.stderr) == (124, "not done after 0.01 minutes: ended\n")


def test_a_process_that_was_left_behind_in_a_session_of_its_own_is_ended() -> None:
    leave = "import subprocess as s; print(s.Popen(['sleep', '600'], start_new_session=True).pid)"
    left = int(bounded(1, sys.executable, "-c", leave).stdout)
    with pytest.raises(ProcessLookupError):
        os.kill(left, 0)


def test_when_it_is_told_to_end_it_ends_what_it_started() -> None:
    say_pid = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    command = [sys.executable, str(SCRIPT), "1", sys.executable, "-c", say_pid]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        started = int(run.stdout.readline())
        run.terminate()
        assert run.wait(30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)
