"""Examinations, sampling groups and draws in the ledger: rows to dataclasses and back, and what a commit writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from carrete.domain.ndt.examination import Examination
from carrete.domain.ndt.sampling import Draw, GroupKey, SampleGroup
from carrete.domain.reports.repair_rates import Examined, RatePor
from carrete.ledger.columns import NDT
from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import RaceLost

_COLUMNS = len(NDT.names)
_NEWEST = 2**62
_PENDING = "PENDIENTE"
_REJECTED = "RECHAZADO"
_RATES = {
    RatePor.SOLDADOR: "ndt_rates_by_soldador",
    RatePor.PROCESO: "ndt_rates_by_proceso",
    RatePor.METODO: "ndt_rates_by_metodo",
    RatePor.DIAMETRO: "ndt_rates_by_diametro",
    RatePor.SEMANA: "ndt_rates_by_semana",
}
_REPEATED_KEYS = {  # where `ndt_repeated` has what a table is by
    RatePor.SOLDADOR: 0,
    RatePor.PROCESO: 1,
    RatePor.METODO: 2,
    RatePor.DIAMETRO: 3,
    RatePor.SEMANA: 4,
}
_WAITING, _DONE = "p", "r"  # how a cursor begins


def lock_counters(tx: Tx) -> None:
    """No other transaction counts welds until this one ends. The spools must be locked before."""
    tx.one("ndt_lock")


def exam_from(row: Row) -> Examination:
    return Examination(**dict(zip(NDT.fields, NDT.read(row[:_COLUMNS]), strict=True)))


def exams_of(tx: Tx, tags: Iterable[str]) -> dict[str, list[Examination]]:
    """All examinations of these spools, oldest first."""
    found: dict[str, list[Examination]] = {}
    for row in tx.all("ndt_of_spools", tags=sorted(set(tags))):
        exam = exam_from(row)
        found.setdefault(exam.tag, []).append(exam)
    return found


def exams_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, Examination]:
    return {exam.id: exam for exam in map(exam_from, tx.all("ndt_by_ids", ids=sorted(set(ids))))}


def candidates(tx: Tx, exam: Examination) -> list[tuple[str, int]]:
    """The welds of the same welder, in the same OT, that are not examined by the same method."""
    rows = tx.all("ndt_candidates", welder=exam.welder, ot=exam.ot, method=exam.method)
    return [(tag, n_union) for tag, n_union in rows]


def weld_process(tx: Tx, tag: str, n_union: int) -> str:
    """The welding process as the record names it; empty where it names none."""
    row = tx.one("ndt_weld_metadata", tag=tag, n_union=n_union)
    facts = json.loads(row[0]) if row and row[0] else {}
    return process_text(facts.get("proceso"))


def process_text(processes: object) -> str:
    """A procedure may have several processes, for root and fill: `GTAW+SMAW`."""
    return "+".join(map(str, processes)) if isinstance(processes, list) else str(processes or "")


def groups_of(tx: Tx, ot: str, welder: str) -> list[SampleGroup]:
    return [group_from(row) for row in tx.all("ndt_groups_of", ot=ot, welder=welder)]


def group_from(row: Row) -> SampleGroup:
    return SampleGroup(GroupKey(*row[:4]), *row[4:])


def draws_of(tx: Tx, tag: str) -> list[Draw]:
    return [
        Draw(rule, tag, n_union, GroupKey(rule, ot, welder, method), bool(selected))
        for rule, _, n_union, ot, welder, method, selected in tx.all("ndt_draws_of", tag=tag)
    ]


def save_exams(tx: Tx, new: Sequence[Examination], changed: Sequence[Examination]) -> None:
    rows = [[dict(zip(NDT.names, NDT.write(exam), strict=True)) for exam in each] for each in (new, changed)]
    _, updated = tx.many_of(("ndt_insert", rows[0]), ("ndt_update", rows[1]))
    if updated != len(changed):
        raise RaceLost("an examination is gone")


def save_sampling(tx: Tx, groups: Iterable[SampleGroup], draws: Iterable[Draw]) -> None:
    tx.many_of(
        ("ndt_group_put", [_group_row(group) for group in groups]),
        (
            "ndt_draw_put",
            [
                {"tag": draw.tag, "n_union": draw.n_union, "selected": int(draw.selected), **_key_row(draw.group)}
                for draw in draws
            ],
        ),
    )


def _group_row(group: SampleGroup) -> dict[str, object]:
    counted = {"welded": group.welded, "selected": group.selected, "owed": group.owed}
    return {**_key_row(group.key), **counted}


def _key_row(key: GroupKey) -> dict[str, object]:
    return {"rule": key.rule, "ot": key.ot, "welder": key.welder, "method": key.method}


class ListFilter(NamedTuple):
    """Of the work list; an empty text means all."""

    status: str = ""
    method: str = ""
    ot: str = ""
    tag: str = ""


class ExamPage(NamedTuple):
    exams: list[Examination]
    next_cursor: str | None


def list_exams(tx: Tx, wanted: ListFilter, cursor: str, limit: int) -> ExamPage:
    """Those that wait for their result first, oldest first; then the others, newest first. A cursor is the kind and the
    number of the last row of the page before."""
    kind, last = (cursor[:1], int(cursor[1:])) if cursor else (_WAITING, 0)
    found: list[tuple[str, Row]] = []
    filters = {"method": wanted.method, "ot": wanted.ot, "tag": wanted.tag}
    if kind == _WAITING and wanted.status in ("", _PENDING):
        rows = tx.all("ndt_list_pending", **filters, after=last, limit=limit + 1)
        found += [(_WAITING, row) for row in rows]
        last = _NEWEST
    if wanted.status != _PENDING and len(found) <= limit:
        before = last if kind == _DONE else _NEWEST
        rows = tx.all("ndt_list_newest", status=wanted.status, **filters, before=before, limit=limit + 1 - len(found))
        found += [(_DONE, row) for row in rows]
    return _page(found, limit)


def _page(found: Sequence[tuple[str, Row]], limit: int) -> ExamPage:
    """`found` has one more than `limit` if there are more: each with the kind of its cursor."""
    shown = found[:limit]
    more = f"{shown[-1][0]}{shown[-1][1][_COLUMNS]}" if len(found) > limit else None
    return ExamPage([exam_from(row) for _, row in shown], more)


def to_repair(tx: Tx, wanted: ListFilter, cursor: str, limit: int) -> ExamPage:
    """Rejected and not repaired, oldest first, for any status in `wanted`."""
    after = int(cursor[1:]) if cursor else 0
    filters = {"method": wanted.method, "ot": wanted.ot, "tag": wanted.tag}
    rows = tx.all("ndt_to_repair", **filters, after=after, limit=limit + 1)
    return _page([(_WAITING, row) for row in rows], limit)


def rates(tx: Tx, por: RatePor, desde: str, hasta: str, method: str) -> list[tuple[str | int | None, Examined]]:
    period = {"desde": desde, "hasta": hasta, "method": method}
    repeated = tx.all("ndt_repeated", **period)
    found = {key: Examined(*map(int, counts)) for key, *counts in tx.all(_RATES[por], **period)}
    for row in repeated:
        key, status, count = row[_REPEATED_KEYS[por]], *row[-2:]
        if key in found:  # else a person typed another welder meanwhile
            found[key] = found[key].plus(Examined(-count, -count if status == _REJECTED else 0))
    return list(found.items())


def all_groups(tx: Tx) -> list[SampleGroup]:
    return [group_from(row) for row in tx.all("ndt_groups_all")]
