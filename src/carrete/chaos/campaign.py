"""One seed: a shop at work, faults, then quiet, then the verdict."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import redis.asyncio

from carrete.chaos import shop
from carrete.chaos.checker import Violation, check
from carrete.chaos.faults import Injury, available, inject
from carrete.chaos.history import Call, Evidence, Fact, Refused, StoredKey
from carrete.chaos.proxy import Climate, Proxy
from carrete.chaos.stage import Stage
from carrete.chaos.tablets import Floor, Inspector, Supervisor, Tablet
from carrete.chaos.viewer import Viewer
from carrete.gate.locks import KEY_PREFIX
from carrete.ledger import open_database
from carrete.ledger.queries import locks


@dataclass(frozen=True, slots=True)
class Profile:
    seconds: float
    tablets: int
    spools: int  # of each workflow
    fault_every_s: tuple[float, float]
    actions_min: int
    pace: float = 1.0  # of the faults
    faults: frozenset[str] | None = None  # None: all that this machine can do
    climate: Climate = field(default_factory=Climate)
    rest_s_max: float = 30.0  # for the locks to heal


PROFILES = {
    "S": Profile(seconds=8, tablets=16, spools=12, fault_every_s=(0.1, 0.4), actions_min=300, pace=0.4),
    "M": Profile(seconds=120, tablets=24, spools=30, fault_every_s=(1.0, 3.0), actions_min=10_000),
    "L": Profile(seconds=900, tablets=40, spools=60, fault_every_s=(1.0, 5.0), actions_min=60_000),
}


@dataclass(slots=True)
class Verdict:
    seed: int
    db: str
    actions: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    bit: Counter[str] = field(default_factory=Counter)
    weather: Counter[str] = field(default_factory=Counter)
    viewer_connections: int = 0
    recovery_s: dict[str, list[float]] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)
    shortcomings: list[str] = field(default_factory=list)  # a run that proved too little
    history: list[str] = field(default_factory=list)  # of the spool with the shortest trail that is wrong

    @property
    def green(self) -> bool:
        return not self.violations and not self.shortcomings


async def run(stage: Stage, profile: Profile, seed: int, db: str, database: Any = None) -> Verdict:
    rng = Random(seed)
    shop.fill(stage.database_url, profile.tablets, profile.spools)
    await stage.start()
    proxies = [Proxy(port, Random(rng.random()), profile.climate) for port in stage.ports]
    for proxy in proxies:
        await proxy.start()
    floor = Floor([p.port for p in proxies], shop.whole_tags(profile.spools), shop.jointed_tags(profile.spools))
    hurt = Injury(stage, Random(rng.random()), database, profile.pace)
    faults = {name: do for name, do in available(db).items() if profile.faults is None or name in profile.faults}
    viewer = Viewer(stage.ports, Random(rng.random()))
    watching = asyncio.create_task(viewer.watch())
    await _work(floor, profile, rng, hurt, faults)
    for proxy in proxies:
        await proxy.stop()
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await stage.redis_healthy()
    evidence = await _at_rest(stage, floor.calls, profile.rest_s_max)
    await viewer.catch_up(evidence.facts[-1].seq, profile.rest_s_max)
    evidence = replace(evidence, streamed=viewer.seen)
    verdict = _verdict(seed, db, evidence, profile)
    verdict.bit, verdict.recovery_s = hurt.bit, hurt.recovery_s
    verdict.weather = sum((Counter({str(kind): n for kind, n in p.met.items()}) for p in proxies), Counter())
    verdict.viewer_connections = viewer.connections
    verdict.shortcomings += [f"«{name}» never bit" for name in sorted(faults) if not hurt.bit[name]]
    return verdict


async def _work(floor: Floor, profile: Profile, rng: Random, hurt: Injury, faults: dict[str, Any]) -> None:
    people: list[Tablet] = [
        *(Tablet(floor, shop.FIRST_WORKER + n, Random(rng.random())) for n in range(profile.tablets)),
        Supervisor(floor, shop.SUPERVISOR, Random(rng.random())),
        Inspector(floor, shop.INSPECTOR, Random(rng.random())),
    ]
    taps = [asyncio.create_task(person.work()) for person in people]
    until = time.monotonic() + profile.seconds

    def enough() -> bool:
        return time.monotonic() > until and all(hurt.bit[name] or hurt.missed[name] for name in faults)

    await inject(hurt, faults, profile.fault_every_s, enough)
    floor.open = False
    await asyncio.gather(*taps)


async def _at_rest(stage: Stage, calls: list[Call], wait_s_max: float) -> Evidence:
    """Locks may take a moment to heal; at rest means that they no longer change."""
    database = open_database(stage.database_url)
    try:
        until = time.monotonic() + wait_s_max
        while True:
            with database.reading() as tx:
                wanted = {tag: value for tag, (value, _) in locks(tx).items()}
                facts = [
                    Fact(row[0], row[4], row[3], row[5], row[7], row[14], row[12])
                    for row in tx.all("events_page", after=0, limit=100_000_000)
                ]
                keys = {row[0]: StoredKey(row[1], json.loads(row[2])) for row in tx.all("keys_all")}
                holders = {row[0]: row[17] for row in tx.all("occupied")}
            found = await _locks(stage)
            if found == wanted or time.monotonic() > until:
                return Evidence(calls, facts, keys, holders, found, wanted)
            await asyncio.sleep(0.25)
    finally:
        database.close()


async def _locks(stage: Stage) -> dict[str, str]:
    client = redis.asyncio.Redis(unix_socket_path=str(stage.redis_socket), decode_responses=True)
    try:
        names = [name async for name in client.scan_iter(f"{KEY_PREFIX}*", count=1000)]
        values = await client.mget(names) if names else []
        found = zip(map(str, names), values, strict=True)
        return {name.removeprefix(KEY_PREFIX): str(value) for name, value in found if value}
    finally:
        with suppress(Exception):
            await client.aclose()


def _verdict(seed: int, db: str, evidence: Evidence, profile: Profile) -> Verdict:
    verdict = Verdict(seed, db, actions=len(evidence.calls), violations=check(evidence))
    verdict.answered = Counter(
        call.outcome.code if isinstance(call.outcome, Refused) else type(call.outcome).__name__
        for call in evidence.calls
    )
    if verdict.actions < profile.actions_min:
        verdict.shortcomings.append(f"{verdict.actions} actions; at least {profile.actions_min} were wanted")
    if verdict.answered["Done"] < verdict.actions / 10:
        verdict.shortcomings.append("fewer than one action in ten succeeded")
    verdict.history = _shortest(evidence, verdict.violations)
    return verdict


def _shortest(evidence: Evidence, violations: list[Violation]) -> list[str]:
    """Of the wrong spools the one with the least to read."""
    tags = {violation.tag for violation in violations if violation.tag}
    if not tags:
        return []
    by_tag = {tag: [call for call in evidence.calls if call.tag == tag] for tag in tags}
    tag = min(by_tag, key=lambda t: len(by_tag[t]))
    calls = [(call.began, f"{call}") for call in by_tag[tag]]
    facts = [(float("inf"), f"{fact}") for fact in evidence.facts if fact.tag == tag]
    return [line for _, line in sorted(calls) + facts]
