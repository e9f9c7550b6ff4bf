"""Measures `carrete verify`: the whole trail read, hashed and compared, as seconds for a million events."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from carrete.domain.trail.canonical import EMPTY
from carrete.ledger import open_database
from carrete.ledger.append_only import changes_allowed
from carrete.ledger.hash_old_events import chain_events_after
from carrete.settings import Settings
from carrete.verification.ledger import GivenWitnesses, verify
from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.full.growth import fill_events
from carrete_bench.goals import Goal, at_most

MILLION = 1_000_000
MILLION_S_MAX = 60.0
_SPOOLS = 200


@dataclass(frozen=True, slots=True)
class VerifyingScale:
    """Each event costs the same, so that the time of a part of a million gives the time of the whole."""

    events: int = 100_000


@dataclass(frozen=True, slots=True)
class VerifyingResults:
    engine: str
    events: int
    seconds: float
    cpu_s: float  # of the process that verifies

    @property
    def million_s(self) -> float:
        return self.seconds * MILLION / self.events


def measure(engine: str, ledger_url: str, folder: Path, scale: VerifyingScale) -> VerifyingResults:
    shop.fill(ledger_url, _SPOOLS)
    fill_events(ledger_url, scale.events, _SPOOLS)
    with closing(open_database(ledger_url)) as database:
        with database.writing() as tx, changes_allowed(tx, database.engine):
            head = chain_events_after(tx, EMPTY)
            tx.many("trail_head_put", [{"id": 1, "seq": head.seq, "hash": head.hash}])
        settings = Settings(access="open", data=folder, database_url=ledger_url)
        start, cpu_start = time.perf_counter(), time.process_time()
        verified = verify(settings, database, GivenWitnesses())
        seconds, cpu_s = time.perf_counter() - start, time.process_time() - cpu_start
    if not verified.is_whole or verified.report.events != scale.events:
        raise BenchFailed("the trail that was made for the measurement is not whole")
    return VerifyingResults(engine, scale.events, seconds, cpu_s)


def goals(measured: VerifyingResults) -> list[Goal]:
    what = f"verify: s for 1,000,000 events, told by {measured.events:,}"
    return [at_most(measured.engine, what, MILLION_S_MAX, measured.million_s)]
