"""Figures of a period against the plainest recount of the same rows, in zones near and odd, with gaps in the data."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carrete.domain.events import Event, EventoTipo
from carrete.domain.first_pass import quality
from carrete.domain.joints import Joint
from carrete.domain.output import Por, output
from carrete.domain.spool import Estado, Operacion, Spool
from carrete.domain.stages import stages
from carrete.ledger.database import Database
from carrete.ledger.reports import Period, groups_alike, inspections, work_done, workers_inspected
from carrete.ledger.rows import StoredEvent, instant_text
from carrete.ledger.store import Writes, keep
from tests.support.builders import a_joint, a_spool, empty, put

VERDICTS = (EventoTipo.METROLOGIA_APROBADO, EventoTipo.METROLOGIA_RECHAZADO, EventoTipo.CORRECCION)
ARM, SOLD = Operacion.ARM, Operacion.SOLD
WORKERS = [None, "LP(7)", "JS(8)", "MR(93)"]
# The middle of the period: days that were skipped, hours that came twice or never.
ODD = {
    "America/Santiago": datetime(2026, 4, 5, 3, tzinfo=UTC),
    "Asia/Kolkata": datetime(2026, 4, 5, 18, 30, tzinfo=UTC),
    "Pacific/Apia": datetime(2011, 12, 30, 10, tzinfo=UTC),
    "Africa/Cairo": datetime(2026, 4, 23, 22, tzinfo=UTC),
}
Figures = dict[str | None, tuple[int, int, int]]


def a_shop(chance: Random, middle: datetime) -> tuple[list[Spool], list[Joint]]:
    def moment() -> datetime | None:
        near = timedelta(seconds=chance.choice([-1, 0, 1, chance.randint(-400_000, 400_000)]))
        return middle + near if chance.random() < 0.8 else None

    spools, joints = [], []
    for place in range(12):
        tag, by_joint = f"MK-{place}", chance.random() < 0.7
        days = {name: (at.date() if (at := moment()) else None) for name in ("fecha_armado", "fecha_soldadura")}
        who = {"armador": chance.choice(WORKERS), "soldador": chance.choice(WORKERS)}
        total = chance.choice([None, 0]) if not by_joint else 4
        spools.append(a_spool(tag, total_uniones=total, retired=chance.random() < 0.2, **days, **who))
        for n in range(1, chance.randint(1, 5)):
            done: dict[str, Any] = {"arm_fin": moment(), "arm_worker": chance.choice(WORKERS), "sol_fin": moment()}
            dn = chance.choice([None, 375, 4_000])
            joints.append(a_joint(n, tag, dn_milli=dn, sol_worker=chance.choice(WORKERS), **done))
    return spools, joints


def counted_plainly(
    spools: list[Spool], joints: list[Joint], days: tuple[date, date], zone: ZoneInfo, por: Por
) -> Figures:
    found: dict[str | None, list[tuple[int, int, str]]] = defaultdict(list)
    for operacion in (ARM, SOLD):
        work: list[tuple[date | None, str | None, int, int, str]] = []
        for joint in joints:
            at, who = (joint.arm_fin, joint.arm_worker) if operacion is ARM else (joint.sol_fin, joint.sol_worker)
            work.append((at.astimezone(zone).date() if at else None, who, joint.dn_milli or 0, 1, joint.tag))
        wholes = [spool for spool in spools if not spool.total_uniones]
        work += [(spool.fecha(operacion), spool.operario(operacion), 0, 0, spool.tag) for spool in wholes]
        for day, who, milli, n, tag in work:
            if day and days[0] <= day <= days[1]:
                key = {Por.DIA: day.isoformat(), Por.WORKER: who, Por.OPERACION: operacion.value}[por]
                found[key].append((milli, n, tag))
    return {
        key: (sum(m for m, _, _ in rows), sum(n for _, n, _ in rows), len({tag for _, _, tag in rows}))
        for key, rows in found.items()
    }


@pytest.mark.parametrize("zone_name", list(ODD))
def test_inches_joints_and_spools_are_those_of_a_plain_recount(database: Database, zone_name: str) -> None:
    zone, middle = ZoneInfo(zone_name), ODD[zone_name]
    chance = Random(zone_name)
    today = middle.astimezone(zone).date()
    for _ in range(4):
        spools, joints = a_shop(chance, middle)
        empty(database)
        put(database, spools, joints=joints)
        days = (today - timedelta(days=chance.randint(0, 3)), today + timedelta(days=chance.randint(0, 3)))
        for por in Por:
            with database.reading() as tx:
                found = output(work_done(tx, Period(*days, zone), (ARM, SOLD), por))
            figures = {key: (row.milli, row.joints, len(row.tags)) for key, row in found.items()}
            assert figures == counted_plainly(spools, joints, days, zone, por), (por, days)
            assert list(figures) == sorted(figures, key=lambda key: (key is None, key or ""))


def inspected(chance: Random, tags: list[str], middle: datetime) -> list[StoredEvent]:
    """Verdicts near the change of day, some of them taken back by a supervisor, then or days later."""
    found: list[StoredEvent] = []
    at = middle - timedelta(days=3)
    for seq in range(1, 61):
        at += timedelta(seconds=chance.choice([0, 1, chance.randint(0, 15_000)]))
        tipo = chance.choices(VERDICTS, [5, 3, 2])[0]
        what = chance.choice(["METROLOGIA", "ARM"]) if tipo is EventoTipo.CORRECCION else "METROLOGIA"
        before = {} if tipo is EventoTipo.CORRECCION else {"rechazos_previos": chance.randint(0, 2)}
        event = Event(tipo, at, "COMPLETAR", what, metadata=before)
        found.append(StoredEvent(seq, f"e{seq}", chance.choice(tags), event, None, "", "v", "v4.0"))
    return found


def judged_plainly(events: list[StoredEvent], days: tuple[date, date], zone: ZoneInfo) -> list[tuple[str, str, int]]:
    """Day, tag and how many rejections came before: the rejections of the period that still stand."""
    stand = list(events)
    for stored in events:
        if stored.event.tipo is EventoTipo.CORRECCION and stored.event.operacion == "METROLOGIA":
            before = [e for e in stand if e.tag == stored.tag and e.seq < stored.seq and e.event.tipo in VERDICTS[:2]]
            if before:
                stand.remove(before[-1])
    made = [(e.event.at.astimezone(zone).date(), e) for e in stand if e.event.tipo is EventoTipo.METROLOGIA_RECHAZADO]
    return sorted(
        (day.isoformat(), e.tag, int(e.event.metadata["rechazos_previos"]))
        for day, e in made
        if days[0] <= day <= days[1]
    )


@pytest.mark.parametrize("zone_name", list(ODD))
def test_rejections_and_whose_they_are_are_those_of_a_plain_recount(database: Database, zone_name: str) -> None:
    chance = Random(zone_name)
    for _ in range(4):
        assert_judged_rightly(database, chance, ZoneInfo(zone_name), ODD[zone_name])


def assert_judged_rightly(database: Database, chance: Random, zone: ZoneInfo, middle: datetime) -> None:
    """The trail is read from the first day on: what was taken back from before it never was of the period."""
    today = middle.astimezone(zone).date()
    spools, joints = a_shop(chance, middle)
    empty(database)
    put(database, spools, joints=joints)
    tags = [spool.tag for spool in spools]
    days = (today - timedelta(days=chance.randint(0, 2)), today + timedelta(days=chance.randint(0, 3)))
    period = Period(*days, zone)
    events = [e for e in inspected(chance, tags, middle) if instant_text(e.event.at) >= period.since]
    with database.writing() as tx:
        keep(tx, Writes([], [], [], events, {}, middle))
    with database.reading() as tx:
        made = inspections(tx, period)
        welders = workers_inspected(tx, SOLD, period)
    rejected = sorted((each.dia, each.tag, each.rejections_before) for each in made if not each.approved)
    assert rejected == judged_plainly(events, days, zone)
    for each in made:
        wholes = [s.soldador for s in spools if s.tag == each.tag and not s.total_uniones]
        did = {who for who in (*wholes, *(j.sol_worker for j in joints if j.tag == each.tag)) if who}
        assert welders.get(each.tag, set()) == did
    by_welder = quality(made, lambda each: welders.get(each.tag, ()))
    for who, row in by_welder.items():
        assert row.rejections == sum(who in welders.get(tag, ()) for _, tag, _ in rejected)
        assert row.inspections == sum(who in welders.get(each.tag, ()) for each in made)


def test_the_stages_are_those_of_a_plain_recount(database: Database) -> None:
    chance = Random(5)
    spools = [
        a_spool(f"MK-{n}", arm=chance.choice(list(Estado)), retired=chance.random() < 0.2, armador="LP(7)")
        for n in range(60)
    ]
    spools = [s for s in spools if s.arm is not Estado.EN_PROGRESO]
    put(database, spools)
    with database.reading() as tx:
        found = stages(groups_alike(tx))
    there = [s for s in spools if not s.retired]
    arm = found.by_operacion[ARM]
    assert arm.waiting == sum(s.arm is Estado.PENDIENTE for s in there)
    assert arm.paused == sum(s.arm is Estado.PAUSADO for s in there)
    assert found.by_operacion[SOLD].waiting == len(there)
