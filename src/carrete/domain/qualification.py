"""Whether a welder is qualified for a joint: which qualification covers it under its procedure (WPS) on that day.

The ranges are data of the shop; no welding code's tables are here. A blank limit limits nothing, and a variable that
the joint does not have is not checked. Thicknesses are thousandths of a millimetre, diameters of an inch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from carrete.domain.continuity import lapse_day
from carrete.domain.joints import Joint
from carrete.domain.refusals import WelderNotQualified
from carrete.domain.shop import QualificationCheck, Shop
from carrete.domain.weld_cells import BaseMetal, base_metal, parts_of
from carrete.domain.workers import Worker


class Variable(StrEnum):
    """What does not fit, in the order in which a person would look at it."""

    WPS = "wps"
    VIGENCIA = "vigencia"
    PROCESO = "proceso"
    FECHA = "fecha"
    VENCIMIENTO = "vencimiento"
    CONTINUIDAD = "continuidad"
    NUMERO_F = "numero_f"
    MATERIAL = "material"
    DIAMETRO = "diametro"
    ESPESOR = "espesor"
    POSICION = "posicion"


@dataclass(frozen=True, slots=True)
class Limits:
    """The least and the greatest value, both included; None: no limit."""

    least: int | None = None
    greatest: int | None = None

    def include(self, value: int | None) -> bool:
        if value is None:
            return True
        return (self.least is None or self.least <= value) and (self.greatest is None or value <= self.greatest)

    @property
    def inverted(self) -> bool:
        return self.least is not None and self.greatest is not None and self.least > self.greatest


@dataclass(frozen=True, slots=True)
class WeldScope:
    """What a procedure or a qualification is for. An empty tuple limits nothing."""

    p_numbers: tuple[str, ...] = ()
    f_numbers: tuple[str, ...] = ()
    thickness: Limits = Limits()
    diameter: Limits = Limits()
    positions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Procedure:
    number: str
    processes: tuple[str, ...]
    scope: WeldScope = WeldScope()
    revision: str = ""
    valid_from: date | None = None
    valid_to: date | None = None  # the last day
    active: bool = True

    def f_numbers_of(self, process: str) -> tuple[str, ...]:
        """With as many F-numbers as processes, they belong together in their order; otherwise any of them will do."""
        numbers = self.scope.f_numbers
        if len(numbers) == len(self.processes):
            return (numbers[self.processes.index(process)],)
        return numbers


@dataclass(frozen=True, slots=True)
class Qualification:
    worker_id: int
    process: str
    document: str
    scope: WeldScope
    day: date
    expires: date | None = None  # the last day
    last_used: date | None = None  # attested by the shop; recorded welds count besides
    active: bool = True

    @property
    def continuity_start(self) -> date:
        return max(self.day, self.last_used or self.day)

    def lapses(self, uses: Iterable[date], known_on: date) -> date:
        """The last day on which it is kept alive by the use of its process up to `known_on`: a person may type a day of
        a weld that has not come."""
        return lapse_day(self.continuity_start, (day for day in uses if day <= known_on))


@dataclass(frozen=True, slots=True)
class WeldRecord:
    """What the ledger has stored about the procedures and welders of one group of requests."""

    procedures: Mapping[str, Procedure] = field(default_factory=dict)
    qualifications: Mapping[int, Sequence[Qualification]] = field(default_factory=dict)
    uses: Mapping[tuple[int, str], Sequence[date]] = field(default_factory=dict)
    any_qualification: bool = False  # of anybody: the shop uses them
    p_numbers: frozenset[str] = frozenset()  # that any procedure or qualification of the shop names

    def metal_of(self, joint: Joint) -> BaseMetal:
        return base_metal(joint.material, self.p_numbers)


NO_WELD_RECORD = WeldRecord()


@dataclass(frozen=True, slots=True)
class NotCovered:
    """One reason why the welder is not qualified for a joint."""

    n_union: int
    wps: str
    variable: Variable
    sentence: str

    def as_json(self) -> dict[str, Any]:
        return {"n_union": self.n_union, "wps": self.wps, "variable": self.variable.value, "motivo": self.sentence}


@dataclass(frozen=True, slots=True)
class CheckedWelds:
    """What each joint's event says about its weld, and the sentences for the welder when the shop only warns."""

    facts: Mapping[int, Mapping[str, Any]]
    warnings: tuple[str, ...] = ()


NOTHING_CHECKED = CheckedWelds({})


def check_in_force(shop: Shop, record: WeldRecord) -> QualificationCheck:
    if shop.qualification_check is not None:
        return shop.qualification_check
    return QualificationCheck.AVISAR if record.any_qualification else QualificationCheck.APAGADO


def check_welds(
    tag: str,
    joints: Sequence[Joint],
    worker: Worker,
    day: date,
    shop: Shop,
    record: WeldRecord,
    *,
    may_refuse: bool = True,
) -> CheckedWelds:
    """Raises WelderNotQualified in a shop that insists. With `may_refuse` off, a supervisor has decided already: the
    shop is warned instead."""
    check = check_in_force(shop, record)
    found: dict[int, list[NotCovered]] = {}
    if check is not QualificationCheck.APAGADO:
        found = {j.n_union: why for j in joints if (why := obstacles(j, worker, day, record))}
    every = [obstacle for each in found.values() for obstacle in each]
    if every and check is QualificationCheck.EXIGIR and may_refuse:
        raise WelderNotQualified(tag, worker.label, sorted(found), [obstacle.as_json() for obstacle in every])
    unclear = _unclear_materials(joints, record) if check is not QualificationCheck.APAGADO else {}
    facts = {j.n_union: weld_facts(j, found.get(j.n_union, ()), unclear.get(j.n_union, ()), record) for j in joints}
    sentences = [obstacle.sentence for obstacle in every]
    sentences += [_unclear_sentence(material) for each in unclear.values() for material in each]
    return CheckedWelds(facts, tuple(dict.fromkeys(sentences)))


def _unclear_materials(joints: Iterable[Joint], record: WeldRecord) -> dict[int, Sequence[str]]:
    """Of the joints under a procedure: what could be a P-number or a grade, and was not checked as a P-number."""
    with_procedure = ((joint, record.metal_of(joint)) for joint in joints if joint.wps)
    return {joint.n_union: metal.unclear for joint, metal in with_procedure if metal.unclear}


def _unclear_sentence(material: str) -> str:
    return (
        f"El material {material} se lee como un grado de acero: ningún WPS ni calificación nombra ese número P, "
        "y no se comprobó."
    )


def weld_facts(
    joint: Joint, why_not: Sequence[NotCovered], unclear: Sequence[str], record: WeldRecord
) -> dict[str, Any]:
    """For the metadata of the event: nothing for a joint without procedure and heats."""
    facts: dict[str, Any] = {"wps": joint.wps, "colada_1": joint.colada_1, "colada_2": joint.colada_2}
    procedure = record.procedures.get(joint.wps or "")
    if procedure is not None:
        facts |= {"proceso": list(procedure.processes), "wps_revision": procedure.revision}
    if why_not:
        facts["no_calificado"] = [obstacle.as_json() for obstacle in why_not]
    facts["material_sin_comprobar"] = list(unclear)
    return {name: value for name, value in facts.items() if value}


def obstacles(joint: Joint, worker: Worker, day: date, record: WeldRecord) -> list[NotCovered]:
    """Nothing when the welder is qualified, or when the joint names no procedure."""
    if not joint.wps:
        return []
    procedure = record.procedures.get(joint.wps)
    if procedure is None:
        return [NotCovered(joint.n_union, joint.wps, Variable.WPS, f"{joint.wps} no está en la hoja WPS.")]
    metal = record.metal_of(joint)
    wrong = _procedure_obstacles(joint, metal, procedure, day)
    for process in procedure.processes:
        wrong += _process_obstacles(joint, metal, procedure, process, worker, day, record)
    return [NotCovered(joint.n_union, joint.wps, variable, sentence) for variable, sentence in wrong]


_Wrong = list[tuple[Variable, str]]


def _procedure_obstacles(joint: Joint, metal: BaseMetal, procedure: Procedure, day: date) -> _Wrong:
    name, wrong = procedure.number, _Wrong()
    if not procedure.active:
        wrong.append((Variable.VIGENCIA, f"{name} está retirado."))
    if procedure.valid_from is not None and day < procedure.valid_from:
        wrong.append((Variable.VIGENCIA, f"{name} vale desde el {procedure.valid_from:%d-%m-%Y}."))
    if procedure.valid_to is not None and day > procedure.valid_to:
        wrong.append((Variable.VIGENCIA, f"{name} venció el {procedure.valid_to:%d-%m-%Y}."))
    return wrong + outside(joint, metal, procedure.scope, name)


def _process_obstacles(
    joint: Joint, metal: BaseMetal, procedure: Procedure, process: str, worker: Worker, day: date, record: WeldRecord
) -> _Wrong:
    """Any one qualification that covers is enough. If none does, the one with the least that is wrong is named. Where
    the joint does not state a P-number, the welder needs one of those of the procedure."""
    of_process = [q for q in record.qualifications.get(worker.id, ()) if q.process == process and q.active]
    if not of_process:
        return [(Variable.PROCESO, f"{worker.label} no tiene calificación en {process}.")]
    uses = record.uses.get((worker.id, process), ())
    needed_f = procedure.f_numbers_of(process)
    stated = metal.p_numbers and not metal.grades
    needed_p = () if stated else procedure.scope.p_numbers
    tried = [_qualification_obstacles(joint, metal, q, needed_f, needed_p, day, uses) for q in of_process]
    return min(tried, key=len)


def _qualification_obstacles(
    joint: Joint,
    metal: BaseMetal,
    qualification: Qualification,
    needed_f: Sequence[str],
    needed_p: Sequence[str],
    day: date,
    uses: Sequence[date],
) -> _Wrong:
    q, wrong = qualification, _Wrong()
    name = f"La calificación {q.document} ({q.process})"
    if day < q.day:
        wrong.append((Variable.FECHA, f"{name} es del {q.day:%d-%m-%Y}."))
    if q.expires is not None and day > q.expires:
        wrong.append((Variable.VENCIMIENTO, f"{name} venció el {q.expires:%d-%m-%Y}."))
    lapsed = q.lapses(uses, day)
    if day > lapsed:
        wrong.append((Variable.CONTINUIDAD, f"{name} caducó el {lapsed:%d-%m-%Y}: seis meses sin usar {q.process}."))
    if needed_f and q.scope.f_numbers and not set(needed_f) & set(q.scope.f_numbers):
        wrong.append((Variable.NUMERO_F, f"{name} no cubre F {' o '.join(needed_f)}."))
    if needed_p and q.scope.p_numbers and not set(needed_p) & set(q.scope.p_numbers):
        wrong.append((Variable.MATERIAL, f"{name} no cubre P {' o '.join(needed_p)}."))
    return wrong + outside(joint, metal, q.scope, name)


def outside(joint: Joint, metal: BaseMetal, scope: WeldScope, name: str) -> _Wrong:
    """The joint's own values that the scope does not include."""
    wrong = _Wrong()
    uncovered = [p for p in metal.p_numbers if scope.p_numbers and p not in scope.p_numbers]
    if uncovered:
        wrong.append((Variable.MATERIAL, f"{name} no cubre el material P {' y '.join(uncovered)}."))
    if not scope.diameter.include(joint.dn_milli):
        wrong.append((Variable.DIAMETRO, f'{name} no cubre el diámetro {_size(joint.dn_milli)}".'))
    if not scope.thickness.include(joint.espesor_milli):
        wrong.append((Variable.ESPESOR, f"{name} no cubre el espesor {_size(joint.espesor_milli)} mm."))
    elsewhere = [each for each in parts_of(joint.posicion or "") if scope.positions and each not in scope.positions]
    if elsewhere:
        wrong.append((Variable.POSICION, f"{name} no cubre la posición {' y '.join(elsewhere)}."))
    return wrong


def _size(milli: int | None) -> str:
    return f"{(milli or 0) / 1000:g}"
