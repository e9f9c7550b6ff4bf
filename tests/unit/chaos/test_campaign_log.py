"""A campaign of many seeds: every result is on the disk as it ends, nothing is run twice, and the report adds up."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from carrete_chaos.campaign import EDITS, CampaignVerdict
from carrete_chaos.campaign_command import parse_seeds, sized
from carrete_chaos.campaign_log import CampaignLog, SeedResult, run_missing
from carrete_chaos.campaign_report import render
from carrete_chaos.checker import Violation
from carrete_chaos.cluster import ClusterFailed
from carrete_chaos.profiles import PROFILES


def verdict(db: str, seed: int, *wrong: Violation) -> CampaignVerdict:
    found = CampaignVerdict(seed, db, actions=1000 * seed, events=100, violations=list(wrong), edits=3)
    found.answered = Counter({"ActionDone": 600 * seed, "SPOOL_OCCUPIED": 400 * seed})
    found.bit = Counter({"FLUSHALL": 2, "kill -9 of Redis": 1, EDITS: 3})
    return found


class Seeds:
    """Notes which seeds were run. Seeds in `red` are wrong, those in `failing` cannot be run."""

    def __init__(self, red: tuple[int, ...] = (), failing: tuple[int, ...] = (), ends_at: int | None = None) -> None:
        self.ran: list[tuple[str, int]] = []
        self.red, self.failing, self.ends_at = red, failing, ends_at

    def run(self, db: str, seed: int) -> CampaignVerdict:
        if seed == self.ends_at:
            raise KeyboardInterrupt
        self.ran.append((db, seed))
        if seed in self.failing:
            raise ClusterFailed("Redis was not healthy again in time")
        return verdict(db, seed, *([Violation("locks", "A", "differ")] if seed in self.red else []))


def wanted(*seeds: int) -> list[tuple[str, int]]:
    return [(db, seed) for seed in seeds for db in ("sqlite", "postgres")]


def test_a_campaign_that_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    log = CampaignLog(tmp_path / "campaign.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run_missing(log, "M", wanted(1, 2, 3), Seeds(ends_at=2).run, lambda _: None)
    assert [result.key for result in log.read()] == [("M", "sqlite", 1), ("M", "postgres", 1)]
    rest = Seeds()
    run_missing(log, "M", wanted(1, 2, 3), rest.run, lambda _: None)
    assert rest.ran == wanted(2, 3)
    run_missing(log, "M", wanted(1, 2, 3), rest.run, lambda _: None)
    assert rest.ran == wanted(2, 3), "nothing is missing any more"


def test_a_line_that_was_cut_off_is_no_result_and_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    log = CampaignLog(path)
    run_missing(log, "M", [("sqlite", 1)], Seeds().run, lambda _: None)
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2])
    again = Seeds()
    run_missing(log, "M", [("sqlite", 1), ("sqlite", 2)], again.run, lambda _: None)
    assert again.ran == [("sqlite", 2)]
    assert [result.seed for result in log.read()] == [1, 2]


def test_what_is_red_or_could_not_be_run_is_reported_and_run_again_when_asked(tmp_path: Path) -> None:
    log = CampaignLog(tmp_path / "campaign.jsonl")
    run_missing(log, "M", [("sqlite", n) for n in (1, 2, 3)], Seeds(red=(2,), failing=(3,)).run, lambda _: None)
    assert [result.green for result in log.read()] == [True, False, False]
    untouched, again = Seeds(), Seeds()
    run_missing(log, "M", [("sqlite", n) for n in (1, 2, 3)], untouched.run, lambda _: None)
    assert untouched.ran == []
    run_missing(log, "M", [("sqlite", n) for n in (1, 2, 3)], again.run, lambda _: None, again=True)
    assert again.ran == [("sqlite", 2), ("sqlite", 3)]
    report = render(log.read())
    assert report.startswith(
        "3 runs (sqlite, profile M: seeds 1-3), 3 green, 0 red: 6,000 actions checked, 300 events, 9 faults of 2 kinds"
    )
    assert "locks: A differ. Cause: not looked into yet." in report, "also after it was green"
    assert "Redis was not healthy again in time" in report


def test_the_report_adds_up(tmp_path: Path) -> None:
    log = CampaignLog(tmp_path / "campaign.jsonl")
    run_missing(log, "M", wanted(1, 2), Seeds(red=(2,)).run, lambda _: None)
    results = log.read()
    report = render([*results[:-1], replace(results[-1], cause="a full disk of the machine itself")])
    assert "(postgres, profile M: seeds 1-2; sqlite, profile M: seeds 1-2), 2 green, 2 red: 6,000 actions" in report
    assert "12 faults of 2 kinds" in report
    assert f"| {EDITS} | 12 |" in report
    assert "| postgres M 2 RED | 2,000 | 800 | 0 | 100 | 3 | 3 of 2 kinds |" in report
    assert "Cause: a full disk of the machine itself" in report
    assert "## Not tested" in report


def test_runs_of_several_profiles_are_one_report(tmp_path: Path) -> None:
    log = CampaignLog(tmp_path / "campaign.jsonl")
    for profile in ("M", "L"):
        run_missing(log, profile, [("sqlite", 1)], Seeds().run, lambda _: None)
    report = render(log.read())
    assert report.startswith("2 runs (sqlite, profile L: seeds 1; sqlite, profile M: seeds 1), 2 green, 0 red: 2,000")
    assert "| sqlite L 1 |" in report
    assert "| sqlite M 1 |" in report


def test_without_a_result_the_report_says_so() -> None:
    assert render([]).startswith("No seed has ended yet.")


def test_the_seeds_of_the_command() -> None:
    assert parse_seeds("1-3,7, 2") == [1, 2, 3, 7]
    for wrong in ("", "x", "3-1", "1-99999", "1..3"):
        with pytest.raises(typer.BadParameter):
            parse_seeds(wrong)


def test_more_actions_give_a_slow_machine_more_time_and_no_fast_one() -> None:
    medium = PROFILES["M"]
    larger = sized(medium, actions=25_000, minutes=0)
    assert (larger.actions_min, larger.seconds) == (25_000, medium.seconds)
    assert larger.slower_max == pytest.approx(2.5 * medium.slower_max)
    assert sized(medium, actions=0, minutes=60).seconds == 3600
    assert sized(medium, 0, 0) == medium


def test_a_result_survives_the_file(tmp_path: Path) -> None:
    log = CampaignLog(tmp_path / "campaign.jsonl")
    result = SeedResult("S", "sqlite", 1, "2026-11-17T07:00:00+00:00", 12.5, bit={"«á»": 1}, cause="ñ")
    log.add(result)
    assert log.read() == [result]
