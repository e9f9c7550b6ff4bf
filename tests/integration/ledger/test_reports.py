"""The figures of a period, compared with a plain recount of the same rows, in zones near and odd, with gaps in the
data."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from itertools import product
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.reports.first_pass import Quality, quality
from carrete.domain.reports.output import Por
from carrete.domain.reports.stages import stages
from carrete.domain.spool import Estado, Operacion, Spool
from carrete.ledger.database import Database
from carrete.ledger.reports import Inspections, Period, state_counts, work_done
from carrete.ledger.rows import StoredEvent
from carrete.ledger.store import Changes, save
from carrete.ledger.values import instant_text
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
Days = tuple[date, date]


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
    spools: list[Spool], joints: list[Joint], days: Days, zone: ZoneInfo, por: Por, chosen: tuple[Operacion, ...]
) -> Figures:
    found: dict[str | None, list[tuple[int, int, str]]] = defaultdict(list)
    for operacion in chosen:
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
        for por, chosen in product(Por, [(ARM, SOLD), (ARM,), (SOLD,)]):
            with database.reading() as tx:
                found = work_done(tx, Period(*days, zone), chosen, por)
            figures = {row.key: (row.milli, row.joints, row.spools) for row in found}
            assert figures == counted_plainly(spools, joints, days, zone, por, chosen), (por, chosen, days)
            assert list(figures) == sorted(figures, key=lambda key: (key is None, key or ""))
            assert all(type(figure) is int for row in figures.values() for figure in row)


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


def standing(events: list[StoredEvent], days: Days, zone: ZoneInfo) -> list[StoredEvent]:
    """The inspections of the period, one by one, without those that were taken back."""
    stand = [stored for stored in events if stored.event.tipo is not EventoTipo.CORRECCION]
    for stored in events:
        if stored.event.tipo is EventoTipo.CORRECCION and stored.event.operacion == "METROLOGIA":
            before = [e for e in stand if e.tag == stored.tag and e.seq < stored.seq]
            if before:
                stand.remove(before[-1])
    return [e for e in stand if days[0] <= e.event.at.astimezone(zone).date() <= days[1]]


def judged_plainly(made: list[tuple[str, StoredEvent]]) -> dict[str, Quality]:
    """Each inspection under its key, added one by one."""
    found: dict[str, Quality] = defaultdict(Quality)
    for key, stored in made:
        row = found[key]
        approved = stored.event.tipo is EventoTipo.METROLOGIA_APROBADO
        first = stored.event.metadata["rechazos_previos"] == 0
        row.inspections += 1
        row.rejections += not approved
        row.first += first
        row.first_approved += first and approved
    return dict(found)


@pytest.mark.parametrize("zone_name", list(ODD))
def test_inspections_and_whose_they_are_are_those_of_a_plain_recount(database: Database, zone_name: str) -> None:
    chance = Random(zone_name)
    for _ in range(4):
        assert_judged_rightly(database, chance, ZoneInfo(zone_name), ODD[zone_name])


def assert_judged_rightly(database: Database, chance: Random, zone: ZoneInfo, middle: datetime) -> None:
    """The trail is read from the first day on: what was taken back from before it never was of the period."""
    today = middle.astimezone(zone).date()
    spools, joints = a_shop(chance, middle)
    empty(database)
    put(database, spools, joints=joints)
    days = (today - timedelta(days=chance.randint(0, 2)), today + timedelta(days=chance.randint(0, 3)))
    period = Period(*days, zone)
    everything = inspected(chance, [spool.tag for spool in spools], middle)
    with database.writing() as tx:
        save(tx, Changes(middle), everything)
    with database.reading() as tx:
        inspections = Inspections(tx, period)
        by_day = quality(inspections.by_day())
        by_worker = {operacion: quality(inspections.by_worker(operacion)) for operacion in (ARM, SOLD)}
    made = standing([e for e in everything if instant_text(e.event.at) >= period.since], days, zone)
    assert by_day == judged_plainly([(e.event.at.astimezone(zone).date().isoformat(), e) for e in made])
    for operacion, found in by_worker.items():
        did = {spool.tag: who_did(operacion, spool, joints) for spool in spools}
        assert found == judged_plainly([(who, e) for e in made for who in did[e.tag]]), operacion
        assert list(found) == sorted(found)


def who_did(operacion: Operacion, spool: Spool, joints: list[Joint]) -> set[str]:
    of_joints = [j.arm_worker if operacion is ARM else j.sol_worker for j in joints if j.tag == spool.tag]
    whole = [] if spool.total_uniones else [spool.operario(operacion)]
    return {who for who in (*of_joints, *whole) if who}


def test_the_stages_are_those_of_a_plain_recount(database: Database) -> None:
    chance = Random(5)
    spools = [
        a_spool(f"MK-{n}", arm=chance.choice(list(Estado)), retired=chance.random() < 0.2, armador="LP(7)")
        for n in range(60)
    ]
    spools = [s for s in spools if s.arm is not Estado.EN_PROGRESO]
    put(database, spools)
    with database.reading() as tx:
        found = stages(state_counts(tx))
    there = [s for s in spools if not s.retired]
    arm = found.by_operacion[ARM]
    assert arm.waiting == sum(s.arm is Estado.PENDIENTE for s in there)
    assert arm.paused == sum(s.arm is Estado.PAUSADO for s in there)
    assert found.by_operacion[SOLD].waiting == len(there)
