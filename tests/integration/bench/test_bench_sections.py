"""The parts of `carrete bench all` that have figures of their own, with a small scale. No time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete.photos.jpeg import rewritten
from carrete_bench import dossier, photos, verifying
from carrete_bench.dossier import DossierResults, DossierScale
from carrete_bench.full import sections
from carrete_bench.photos import PhotoResults, PhotoScale
from carrete_bench.results import LatencyPercentiles
from carrete_bench.verifying import VerifyingResults, VerifyingScale


def test_photos_and_their_notes_arrive_beside_taps(tmp_path: Path) -> None:
    result = photos.measure(tmp_path, PhotoScale(clients=3, uploaders=2, rounds=1, round_s=0.2))

    assert result.photos >= 2, "each of the two sends at least one"
    assert 0 < result.photo.p50_ms <= result.photo.p95_ms
    assert result.taps_p95_ratio == result.taps_beside.p95_ms / result.taps.p95_ms


def test_each_photo_is_one_that_a_tablet_may_send_and_another_one() -> None:
    one, other = rewritten(photos.a_jpeg()), rewritten(photos.a_jpeg())

    assert (one.width, one.height) == (1600, 1600)
    assert len(one.content) > 290_000
    assert one.content != other.content


def test_a_dossier_of_a_work_order_is_made_in_a_process_that_is_measured(tmp_path: Path) -> None:
    result = dossier.measure(tmp_path, DossierScale(spools=2))

    assert result.joints == 20
    assert result.use["kilobytes"] > 100, "its drawings are in it"
    assert result.use["cpu_s"] > 0
    assert result.use["peak_mb"] > 10


def test_the_time_to_verify_a_trail_is_reported_for_a_million_events(
    database_url: str, engine: str, tmp_path: Path
) -> None:
    result = verifying.measure(engine, database_url, tmp_path, VerifyingScale(events=600))

    assert (result.engine, result.events) == (engine, 600)
    assert result.million_s == result.seconds * 1_000_000 / 600


@pytest.mark.parametrize(("more", "reached"), [(0.0, True), (0.1, False)])
def test_a_goal_of_a_section_that_was_missed_is_called_missed(more: float, reached: bool) -> None:
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    made = DossierResults(500, {"seconds": 10 + more, "cpu_s": 1, "peak_mb": 300 + more, "kilobytes": 9})
    found = [
        *photos.goals(PhotoResults(9, 4, latency, latency, latency, 3 + more)),
        *dossier.goals(made),
        *sections.verifying_goals([VerifyingResults("sqlite", 100_000, 6 + more, 1.0)]),
    ]

    assert [goal.reached for goal in found] == [reached] * 4
