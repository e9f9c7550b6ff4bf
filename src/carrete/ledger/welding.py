"""Procedures, qualifications and used processes as the ledger has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from carrete.domain.qualification import Limits, Procedure, Qualification, WeldRecord, WeldScope
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import date_from, date_text

_SEPARATOR = ", "


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """One recorded weld, for the continuity of a welder's process."""

    worker_id: int
    process: str
    day: date
    tag: str
    n_union: int


class WeldUse(NamedTuple):
    """The use that the weld of a joint proves: whose, and of which day. Its repairs prove uses of their own."""

    tag: str
    n_union: int
    worker_id: int
    was: date


def weld_record(tx: Tx, numbers: Iterable[str], worker_ids: Iterable[int]) -> WeldRecord:
    """What the check of these workers' welds under these procedures depends on, in one round trip."""
    ids = sorted(set(worker_ids))
    procedures, qualifications, anybody, uses, p_numbers = tx.all_of(
        ("procedures_of", {"numbers": sorted(set(numbers))}),
        ("qualifications_of", {"ids": ids}),
        ("any_qualification", {}),
        ("process_uses_of", {"ids": ids}),
        ("p_numbers_named", {}),
    )
    of_worker: dict[int, list[Qualification]] = {}
    for row in qualifications:
        of_worker.setdefault(row[0], []).append(qualification_from(row))
    found = {row[0]: procedure_from(row) for row in procedures}
    named = frozenset(number for (cell,) in p_numbers for number in _parts(cell))
    return WeldRecord(found, of_worker, _uses(uses), any_qualification=bool(anybody), p_numbers=named)


def all_procedures(tx: Tx) -> list[Procedure]:
    return [procedure_from(row) for row in tx.all("procedures")]


def all_qualifications(tx: Tx) -> list[Qualification]:
    return [qualification_from(row) for row in tx.all("qualifications")]


def all_uses(tx: Tx) -> dict[tuple[int, str], list[date]]:
    return _uses(tx.all("process_uses"))


def save_procedures(tx: Tx, procedures: Sequence[Procedure]) -> None:
    tx.many("procedure_put", [procedure_row(one) for one in procedures])


def save_qualifications(tx: Tx, qualifications: Sequence[Qualification]) -> None:
    tx.many("qualification_put", [qualification_row(one) for one in qualifications])


def save_uses(tx: Tx, uses: Sequence[ProcessUse]) -> None:
    tx.many(
        "process_use_put",
        [
            {
                "worker_id": u.worker_id,
                "proceso": u.process,
                "day": u.day.isoformat(),
                "tag": u.tag,
                "n_union": u.n_union,
            }
            for u in uses
        ],
    )


def forget_uses(tx: Tx, joints: Sequence[tuple[str, int]]) -> None:
    """These joints are open again: their welds prove no use any more."""
    tx.many("process_use_forget", [{"tag": tag, "n_union": n_union} for tag, n_union in joints])


def forget_weld_uses(tx: Tx, welds: Iterable[WeldUse]) -> None:
    """These welds stand, and are not the use of whom they were recorded for."""
    tx.many("process_use_forget_day", [_weld_use_row(weld) for weld in welds])


def move_uses(tx: Tx, moved: Sequence[tuple[WeldUse, date]]) -> None:
    """The uses that these welds proved are of another day, named second."""
    tx.many("process_use_copy", [{**_weld_use_row(weld), "day": day.isoformat()} for weld, day in moved])
    forget_weld_uses(tx, (weld for weld, _ in moved))


def _weld_use_row(weld: WeldUse) -> dict[str, Any]:
    return {"tag": weld.tag, "n_union": weld.n_union, "worker_id": weld.worker_id, "was": weld.was.isoformat()}


def procedure_from(row: Row) -> Procedure:
    number, processes, p, f, *limits, positions, revision, valid_from, valid_to, active = row
    scope = _scope(p, f, limits, positions)
    return Procedure(
        number, _parts(processes), scope, revision, date_from(valid_from), date_from(valid_to), bool(active)
    )


def procedure_row(one: Procedure) -> dict[str, Any]:
    return {
        "wps": one.number,
        "procesos": _SEPARATOR.join(one.processes),
        **_scope_row(one.scope),
        "revision": one.revision,
        "vigente_desde": date_text(one.valid_from),
        "vigente_hasta": date_text(one.valid_to),
        "activo": int(one.active),
    }


def qualification_from(row: Row) -> Qualification:
    worker_id, process, document, p, f, *limits, positions, day, expires, last_used, active = row
    scope = _scope(p, f, limits, positions)
    made = date.fromisoformat(day)
    return Qualification(
        worker_id, process, document, scope, made, date_from(expires), date_from(last_used), bool(active)
    )


def qualification_row(one: Qualification) -> dict[str, Any]:
    return {
        "worker_id": one.worker_id,
        "proceso": one.process,
        "documento": one.document,
        **_scope_row(one.scope),
        "fecha": one.day.isoformat(),
        "vence": date_text(one.expires),
        "ultimo_uso": date_text(one.last_used),
        "activo": int(one.active),
    }


def _scope(p: str, f: str, limits: Sequence[int | None], positions: str) -> WeldScope:
    thinnest, thickest, narrowest, widest = limits
    return WeldScope(_parts(p), _parts(f), Limits(thinnest, thickest), Limits(narrowest, widest), _parts(positions))


def _scope_row(scope: WeldScope) -> dict[str, Any]:
    return {
        "p_numeros": _SEPARATOR.join(scope.p_numbers),
        "f_numeros": _SEPARATOR.join(scope.f_numbers),
        "espesor_min": scope.thickness.least,
        "espesor_max": scope.thickness.greatest,
        "dn_min": scope.diameter.least,
        "dn_max": scope.diameter.greatest,
        "posiciones": _SEPARATOR.join(scope.positions),
    }


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(_SEPARATOR)) if text else ()


def _uses(rows: Iterable[Row]) -> dict[tuple[int, str], list[date]]:
    found: dict[tuple[int, str], list[date]] = {}
    for worker_id, process, day in rows:
        found.setdefault((worker_id, process), []).append(date.fromisoformat(day))
    return found
