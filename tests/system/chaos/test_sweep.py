"""The crash sweep in its shortest form; and programs that are wrong only when they are killed in between are caught."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from carrete_chaos.sweep.acting import Pause
from carrete_chaos.sweep.command import Name
from carrete_chaos.sweep.ledgers import SqliteFiles
from carrete_chaos.sweep.points import NoPoint, Point, points_in, spread
from carrete_chaos.sweep.scenario import Scenario
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.sweeping import SCENARIOS, Swept
from tests.system.chaos.planted_commits import BUGS

CARRETE = (sys.executable, "-m", "carrete")
PLANTED = (sys.executable, str(Path(__file__).with_name("planted_commits.py")))
RUN_S_MAX = 600
NO_STRACE = "there is no strace on this machine: no crash sweep"


class Run:
    """A sweep beside others: most of its time it waits."""

    def __init__(self, program: tuple[str, ...], *options: str) -> None:
        command = [*program, "chaos", "sweep", *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ended(self) -> tuple[int, str]:
        output, _ = self._process.communicate(timeout=RUN_S_MAX)
        return self._process.returncode, output

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


def of(*names: str) -> list[str]:
    return [word for name in names for word in ("--scenario", name)]


SHORT = ("take", "finish", "hand-over", "flush", "migration", "import")
OTHERS = tuple(name for name in SCENARIOS if name not in SHORT)
ONCE_EACH = ("--points", "1", "--jobs", "4")
SWEEPS = {
    "short": (*of(*SHORT), *ONCE_EACH),
    "the_key_follows_in_a_commit_of_its_own": (*of("take"), "--points", "4"),
}
MORE_SWEEPS = {
    "a_hand_over_frees_the_spool_in_a_commit_of_its_own": (*of("hand-over"), "--points", "8"),
    "the_number_of_a_migration_follows_in_a_commit_of_its_own": (*of("migration"), "--points", "4"),
    "the_record_of_a_new_token_follows_in_a_commit_of_its_own": (*of("token"), "--points", "8"),
    "the_bytes_of_a_photo_follow_in_a_commit_of_their_own": (*of("photo"), "--points", "8"),
    "the_message_of_a_seal_follows_in_a_commit_of_its_own": (*of("seal"), "--points", "8"),
    "an_event_counts_as_delivered_before_it_is_sent": (*of("webhook"), "--points", "8"),
}


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, Run]]:
    if shutil.which("strace") is None:
        pytest.fail(NO_STRACE)
    started = {name: Run((*PLANTED, name) if name in BUGS else CARRETE, *options) for name, options in SWEEPS.items()}
    try:
        yield started
    finally:
        for run in started.values():
            run.stop()


def test_after_a_kill_at_any_point_nothing_is_lost_halved_or_done_twice(runs: dict[str, Run]) -> None:
    code, output = runs["short"].ended()
    assert code == 0, output
    assert f"{len(SHORT)} points in all; green" in output


@pytest.mark.long
def test_nothing_is_lost_in_any_other_kind_of_commit_either() -> None:
    run = Run(CARRETE, *of(*OTHERS), *ONCE_EACH)
    try:
        code, output = run.ended()
    finally:
        run.stop()
    assert code == 0, output
    assert f"{len(OTHERS)} points in all; green" in output


@pytest.mark.parametrize("bug", [name for name in BUGS if name in SWEEPS])
def test_a_program_that_commits_in_two_halves_is_caught(runs: dict[str, Run], bug: str) -> None:
    assert_caught(runs[bug])


@pytest.mark.long
@pytest.mark.parametrize("bug", [name for name in BUGS if name not in SWEEPS])
def test_a_program_that_writes_other_things_in_two_halves_is_caught_too(bug: str) -> None:
    run = Run((*PLANTED, bug), *MORE_SWEEPS[bug])
    try:
        assert_caught(run)
    finally:
        run.stop()


def assert_caught(run: Run) -> None:
    """And every line of the report says how to see it again."""
    code, output = run.ended()
    assert code == 1, output
    assert re.search(r"WRONG at \w+:\d+: ", output)
    assert re.search(r"again: carrete chaos sweep --scenario [\w-]+ --at \w+:\d+", output)


def test_a_sweep_that_killed_less_often_than_it_was_asked_to_is_red() -> None:
    assert Swept("take", wanted=2, killed=2).green
    assert not Swept("take", wanted=2, killed=1, not_reached=[Point("write", 9)]).green
    assert not Swept("take", wanted=1, killed=1, wrong=[(Point("write", 1), "it is half there")]).green


def test_without_strace_it_says_so_and_is_not_green() -> None:
    ended = subprocess.run(
        [*CARRETE, "chaos", "sweep"], env={**os.environ, "PATH": ""}, capture_output=True, text=True, timeout=RUN_S_MAX
    )
    assert ended.returncode == 2
    assert "the crash sweep needs strace, which is not on PATH. Nothing was swept." in ended.stderr
    assert not ended.stdout


def test_every_scenario_can_be_asked_for() -> None:
    assert [name.value for name in Name] == list(SCENARIOS)


def as_they_begin(scenario: type[Scenario], folder: Path) -> Snapshot:
    folder.mkdir()
    begun = scenario(folder, SqliteFiles())
    begun.prepare()
    return begun.snapshot()


def test_pictures_of_the_same_shop_are_the_same_whenever_and_with_whatever_tokens_it_was_made(tmp_path: Path) -> None:
    first, second = (as_they_begin(Pause, tmp_path / name) for name in ("first", "second"))
    assert first.raw != second.raw
    assert first.same_as(second)


def test_a_picture_shows_an_event_that_is_missing_and_a_token_that_is_another(tmp_path: Path) -> None:
    whole = as_they_begin(Pause, tmp_path / "whole")
    (event,) = whole.raw["event"]
    no_event = Snapshot({**whole.raw, "event": []}, whole.schema)
    another_token = Snapshot({**whole.raw, "event": [(*event[:-2], str(uuid4()), event[-1])]}, whole.schema)
    assert not no_event.same_as(whole)
    assert not another_token.same_as(whole)
    assert difference(no_event, whole).startswith("event has [] and lacks [(1, ")


TRACE = """\
7 pwrite64(3, "", 4096, 0) = 4096
8 write(1, "x", 1 <unfinished ...>
7 pwrite64(3, "", 4096, 4096) = 4096
8 <... write resumed>) = 1
9 pwrite64(3, "", 4096, 0) = 4096
7 fdatasync(3) = 0
9 +++ exited with 0 +++
"""


def test_a_point_is_where_some_thread_first_makes_its_nth_call() -> None:
    found = [str(point) for point in points_in(TRACE.splitlines())]
    assert found == ["pwrite64:1", "write:1", "pwrite64:2", "fdatasync:1"]


def test_points_are_chosen_evenly_from_the_first_to_the_last() -> None:
    points = [Point("write", n) for n in range(1, 101)]
    assert [point.nth for point in spread(points, 4)] == [1, 34, 67, 100]
    assert spread(points[:3], 10) == points[:3]
    assert len(spread(points, 1)) == 1


@pytest.mark.parametrize("text", ["fdatasync", "fdatasync:0", "fdatasync:x", "getpid:1", ""])
def test_a_text_that_is_no_kill_point_is_refused(text: str) -> None:
    with pytest.raises(NoPoint):
        Point.parse(text)
