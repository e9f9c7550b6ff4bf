"""Whether a welder is qualified for a joint, under its procedure and on that day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrete.domain.commands import Finalizar, Iniciar, JointWeld
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.qualification import (
    Limits,
    Procedure,
    Qualification,
    Variable,
    WeldRecord,
    WeldScope,
    check_in_force,
    obstacles,
)
from carrete.domain.refusals import WelderNotQualified
from carrete.domain.shop import QualificationCheck
from carrete.domain.spool import Operacion
from carrete.domain.weld_cells import BaseMetal, base_metal, f_numbers_of, p_numbers_of, parts_of
from carrete.domain.workers import Rol
from tests.support.builders import NOW, SHOP, a_joint, a_spool, a_worker

DAY = date(2026, 11, 16)
WELDER = a_worker(roles=[Rol.SOLDADOR])
WPS = Procedure("W-1", ("GTAW",))
INSISTS = replace(SHOP, qualification_check=QualificationCheck.EXIGIR)
WARNS = replace(SHOP, qualification_check=QualificationCheck.AVISAR)


def qualified(process: str = "GTAW", document: str = "Q-1", **scope: Any) -> Qualification:
    return Qualification(WELDER.id, process, document, WeldScope(**scope), DAY - timedelta(days=30))


def record(procedure: Procedure, *qualifications: Qualification, uses: Sequence[date] = ()) -> WeldRecord:
    used = {(WELDER.id, process): list(uses) for process in procedure.processes}
    scopes = [procedure.scope, *(each.scope for each in qualifications)]
    named = frozenset(p for scope in scopes for p in scope.p_numbers)
    return WeldRecord({procedure.number: procedure}, {WELDER.id: qualifications}, used, bool(qualifications), named)


def joint(**fields: Any) -> Joint:
    return a_joint(1, **{"wps": "W-1", "dn_milli": 4_000, "espesor_milli": 6_350, **fields})


def variables(one: Joint, known: WeldRecord, day: date = DAY) -> list[Variable]:
    return [obstacle.variable for obstacle in obstacles(one, WELDER, day, known)]


def test_blank_limits_limit_nothing() -> None:
    assert variables(joint(posicion="6G", material="P8"), record(WPS, qualified())) == []


def test_a_joint_without_a_procedure_needs_no_qualification() -> None:
    assert variables(joint(wps=None), record(WPS)) == []


@pytest.mark.parametrize(
    ("scope", "variable"),
    [
        ({"diameter": Limits(None, 3_999)}, Variable.DIAMETRO),
        ({"diameter": Limits(4_001, None)}, Variable.DIAMETRO),
        ({"thickness": Limits(3_000, 6_000)}, Variable.ESPESOR),
        ({"positions": ("1G", "2G")}, Variable.POSICION),
        ({"p_numbers": ("8",)}, Variable.MATERIAL),
        ({"f_numbers": ("4",)}, Variable.NUMERO_F),
    ],
)
def test_each_variable_that_no_qualification_covers_is_named(scope: dict[str, Any], variable: Variable) -> None:
    wps = replace(WPS, scope=WeldScope(f_numbers=("6",)))
    found = obstacles(joint(posicion="6G", material="P-No. 1"), WELDER, DAY, record(wps, qualified(**scope)))
    assert [(one.variable, one.n_union, one.wps) for one in found] == [(variable, 1, "W-1")]
    assert "Q-1" in found[0].sentence


def test_limits_include_their_ends() -> None:
    exact = qualified(diameter=Limits(4_000, 4_000), thickness=Limits(6_350, 6_350))
    assert variables(joint(), record(WPS, exact)) == []


def test_any_one_of_overlapping_qualifications_is_enough() -> None:
    thin, wide = qualified(thickness=Limits(1_000, 7_000)), qualified(document="Q-2", diameter=Limits(1, 3_000))
    assert variables(joint(), record(WPS, wide, thin)) == []


def test_two_qualifications_do_not_add_up_to_one() -> None:
    thin = qualified(thickness=Limits(1_000, 7_000), diameter=Limits(1, 3_000))
    wide = qualified(document="Q-2", thickness=Limits(8_000, None))
    assert len(variables(joint(), record(WPS, thin, wide))) == 1


def test_every_process_of_the_procedure_must_be_covered_also_by_different_qualifications() -> None:
    both = replace(WPS, processes=("GTAW", "SMAW"))
    assert variables(joint(), record(both, qualified())) == [Variable.PROCESO]
    assert variables(joint(), record(both, qualified(), qualified("SMAW", "Q-2"))) == []


def test_f_numbers_belong_to_the_processes_in_their_order() -> None:
    both = replace(WPS, processes=("GTAW", "SMAW"), scope=WeldScope(f_numbers=("6", "4")))
    root, fill = qualified(f_numbers=("6",)), qualified("SMAW", "Q-2", f_numbers=("6",))
    assert variables(joint(), record(both, root, fill)) == [Variable.NUMERO_F]
    assert variables(joint(), record(both, root, replace(fill, scope=WeldScope(f_numbers=("4",))))) == []


def test_a_material_that_is_no_p_number_leaves_those_of_the_procedure() -> None:
    wps = replace(WPS, scope=WeldScope(p_numbers=("1",)))
    assert variables(joint(material="A106 Gr. B"), record(wps, qualified(p_numbers=("8",)))) == [Variable.MATERIAL]
    assert variables(joint(material="A106 Gr. B"), record(wps, qualified(p_numbers=("1", "8")))) == []


def test_both_materials_of_a_joint_must_be_covered() -> None:
    wps = replace(WPS, scope=WeldScope(p_numbers=("1", "8")))
    assert variables(joint(material="P1/P8"), record(wps, qualified(p_numbers=("1",)))) == [Variable.MATERIAL]
    assert variables(joint(material="A105/P8"), record(wps, qualified(p_numbers=("1",)))) == [Variable.MATERIAL]
    assert variables(joint(material="A105/P8"), record(wps, qualified(p_numbers=("8",)))) == []


@pytest.mark.parametrize(
    ("procedure", "variable"),
    [
        (replace(WPS, valid_to=DAY - timedelta(days=1)), Variable.VIGENCIA),
        (replace(WPS, valid_from=DAY + timedelta(days=1)), Variable.VIGENCIA),
        (replace(WPS, active=False), Variable.VIGENCIA),
        (replace(WPS, scope=WeldScope(thickness=Limits(10_000, None))), Variable.ESPESOR),
        (replace(WPS, number="W-2"), Variable.WPS),
    ],
)
def test_the_procedure_itself_must_be_known_valid_and_for_this_joint(procedure: Procedure, variable: Variable) -> None:
    assert variables(joint(), record(procedure, qualified())) == [variable]


def test_a_procedure_and_a_qualification_are_valid_on_their_last_day() -> None:
    wps = replace(WPS, valid_from=DAY, valid_to=DAY)
    assert variables(joint(), record(wps, replace(qualified(), expires=DAY, day=DAY))) == []


def test_an_expired_a_future_and_a_withdrawn_qualification_cover_nothing() -> None:
    yesterday, tomorrow = DAY - timedelta(days=1), DAY + timedelta(days=1)
    assert variables(joint(), record(WPS, replace(qualified(), expires=yesterday))) == [Variable.VENCIMIENTO]
    assert variables(joint(), record(WPS, replace(qualified(), day=tomorrow))) == [Variable.FECHA]
    assert variables(joint(), record(WPS, replace(qualified(), active=False))) == [Variable.PROCESO]


def test_a_process_that_was_not_used_for_six_months_covers_nothing_until_the_shop_attests_a_use() -> None:
    old = replace(qualified(), day=date(2025, 1, 1))
    assert variables(joint(), record(WPS, old)) == [Variable.CONTINUIDAD]
    assert variables(joint(), record(WPS, old, uses=[date(2025, 6, 1), date(2025, 11, 30), date(2026, 5, 16)])) == []
    assert variables(joint(), record(WPS, replace(old, last_used=date(2026, 6, 1)))) == []


def test_lists_are_read_as_people_write_them() -> None:
    assert parts_of("gtaw + Smaw, GTAW") == ("GTAW", "SMAW")
    assert p_numbers_of("P1, P-No. 8; 5a/P-3") == ("1", "8", "5A", "3")
    assert p_numbers_of("P N.º 1; P–No. 8 + 05A") == ("1", "8", "5A")
    assert f_numbers_of("F6, 4") == ("6", "4")
    assert f_numbers_of("F-No. 6 + F N.º 4") == ("6", "4")
    assert base_metal("A 106", ()) == BaseMetal(grades=("A 106",))


@pytest.mark.parametrize(
    ("material", "named", "expected"),
    [
        ("P8", {"1", "8"}, BaseMetal(("8",))),
        ("p-8", {"8"}, BaseMetal(("8",))),
        ("8", {"8"}, BaseMetal(("8",))),
        ("P-No. 8", (), BaseMetal(("8",))),
        ("P N° 15e", (), BaseMetal(("15E",))),
        ("P N.º 8", (), BaseMetal(("8",))),
        ("P Nro. 8", (), BaseMetal(("8",))),
        ("P-No. 1 Gr. 2", (), BaseMetal(("1",))),
        ("P–No. 8", (), BaseMetal(("8",))),
        ("P–8", {"8"}, BaseMetal(("8",))),
        ("08", {"8"}, BaseMetal(("8",))),
        ("P91", {"15E"}, BaseMetal(grades=("P91",), unclear=("P91",))),
        ("P91", {"91"}, BaseMetal(("91",))),
        ("91", {"15E"}, BaseMetal(grades=("91",), unclear=("91",))),
        ("A335 P91", {"91"}, BaseMetal(grades=("A335 P91",))),
        ("P1 / P91", {"1", "15E"}, BaseMetal(("1",), ("P91",), ("P91",))),
        ("", {"1"}, BaseMetal()),
        (None, {"1"}, BaseMetal()),
    ],
)
def test_a_p_number_is_what_is_written_as_one_or_what_the_shops_lists_name(
    material: str | None, named: Any, expected: BaseMetal
) -> None:
    assert base_metal(material, named) == expected


def test_a_grade_like_p91_is_no_p_number_and_is_reported_as_not_checked() -> None:
    """ASTM A335 P91 is P-number 15E: its welder is qualified, and nobody is refused for a number 91."""
    wps = replace(WPS, scope=WeldScope(p_numbers=("15E",)))
    known = record(wps, qualified(p_numbers=("15E",)))
    change = finalizar(INSISTS, known, material="P91")
    assert change.warnings == (
        "El material P91 se lee como un grado de acero: ningún WPS ni calificación nombra ese número P, "
        "y no se comprobó.",
    )
    assert change.events[0].metadata["material_sin_comprobar"] == ["P91"]
    assert finalizar(INSISTS, known, material="P15E").warnings == ()
    assert "material_sin_comprobar" not in finalizar(INSISTS, known, material="A335 P91").events[0].metadata


def test_the_p_numbers_of_the_procedure_count_where_the_joint_names_a_grade() -> None:
    wps = replace(WPS, scope=WeldScope(p_numbers=("15E",)))
    assert variables(joint(material="P91"), record(wps, qualified(p_numbers=("1",)))) == [Variable.MATERIAL]


def test_a_shop_that_checks_nothing_gets_no_warning_about_materials() -> None:
    off = replace(SHOP, qualification_check=QualificationCheck.APAGADO)
    assert finalizar(off, record(WPS), material="P91").warnings == ()


@pytest.mark.parametrize("qualifications", [(), (qualified(),)])
def test_a_shop_that_decided_nothing_is_warned_once_it_has_qualifications(qualifications: Any) -> None:
    expected = QualificationCheck.AVISAR if qualifications else QualificationCheck.APAGADO
    assert check_in_force(SHOP, record(WPS, *qualifications)) is expected
    assert check_in_force(INSISTS, record(WPS, *qualifications)) is QualificationCheck.EXIGIR


# ─── FINALIZAR ────────────────────────────────────────────────────────────────────────────────────────────────


def finalizar(shop: Any, known: WeldRecord, *welds: JointWeld, **fields: Any) -> Any:
    joints = [joint(arm_fin=NOW, **fields)]
    spool = a_spool(total_uniones=1)
    taken = decide(Iniciar(spool.tag, WELDER.id, Operacion.SOLD), Case(_armed(spool), WELDER, NOW, shop, "l", joints))
    case = Case(taken.spool, WELDER, NOW, shop, "l", joints, welds=known)
    return decide(Finalizar(spool.tag, WELDER.id, Operacion.SOLD, (1,), welds), case)


def _armed(spool: Any) -> Any:
    return replace(spool, counts=spool.counts._replace(rows=1, armed=1, weldable=1))


def test_a_shop_that_insists_refuses_and_says_which_variable_fails() -> None:
    with pytest.raises(WelderNotQualified) as refused:
        finalizar(INSISTS, record(WPS))
    assert refused.value.context["unions"] == [1]
    assert refused.value.context["motivos"][0]["variable"] == "proceso"
    assert "GTAW" in refused.value.detail


def test_a_shop_that_warns_lets_the_weld_count_and_records_that_nobody_covered_it() -> None:
    change = finalizar(WARNS, record(WPS))
    assert change.joints[0].welded
    assert change.warnings == ("MR(93) no tiene calificación en GTAW.",)
    assert change.events[0].metadata["no_calificado"][0]["variable"] == "proceso"
    assert change.events[0].metadata["proceso"] == ["GTAW"]


def test_a_qualified_weld_has_its_procedure_and_heats_in_its_event_and_no_warning() -> None:
    change = finalizar(INSISTS, record(replace(WPS, revision="2"), qualified()), colada_1="H1")
    facts = change.events[0].metadata
    assert (facts["wps"], facts["colada_1"], facts["wps_revision"]) == ("W-1", "H1", "2")
    assert not {"no_calificado", "colada_2"} & facts.keys()
    assert change.warnings == ()


def test_what_the_welder_types_is_in_the_joint_and_in_its_event() -> None:
    other = Procedure("W-2", ("SMAW",))
    typed = JointWeld(1, wps="W-2", colada_1="H9", colada_2="")
    change = finalizar(INSISTS, record(other, qualified("SMAW")), typed, colada_1="H1", colada_2="H2")
    (done,) = change.joints
    assert (done.wps, done.colada_1, done.colada_2) == ("W-2", "H9", None)
    assert change.events[0].metadata["wps"] == "W-2"


# ─── against a naive calculation ──────────────────────────────────────────────────────────────────────────────

SIZES = st.none() | st.integers(1, 20)
NUMBERS = st.lists(st.sampled_from(["1", "3", "8"]), max_size=2, unique=True).map(tuple)
POSITIONS = st.lists(st.sampled_from(["1G", "5G", "6G"]), max_size=2, unique=True).map(tuple)
SCOPES = st.builds(
    WeldScope, NUMBERS, NUMBERS, st.builds(Limits, SIZES, SIZES), st.builds(Limits, SIZES, SIZES), POSITIONS
)
DAYS = st.integers(-400, 400).map(lambda days: DAY + timedelta(days=days))
PROCESSES = st.sampled_from(["GTAW", "SMAW"])
QUALIFICATIONS = st.builds(
    Qualification,
    st.just(WELDER.id),
    PROCESSES,
    st.sampled_from(["Q-1", "Q-2"]),
    SCOPES,
    DAYS,
    st.none() | DAYS,
    st.none() | DAYS,
    st.booleans(),
)
PROCEDURES = st.builds(
    Procedure,
    st.just("W-1"),
    st.lists(PROCESSES, min_size=1, max_size=2, unique=True).map(tuple),
    SCOPES,
    st.just(""),
    st.none() | DAYS,
    st.none() | DAYS,
    st.booleans(),
)
MATERIALS: dict[str | None, list[str]] = {
    **{None: [], "P1": ["1"], "8": ["8"], "P1/P8": ["1", "8"], "A106": ["?"], "P-No. 3": ["no 3"]},
    **{"P91": ["91"], "P-1/A105": ["1", "?"]},
}
JOINTS = st.builds(
    lambda dn, thickness, material, position: joint(
        dn_milli=dn, espesor_milli=thickness, material=material, posicion=position
    ),
    SIZES,
    SIZES,
    st.sampled_from(list(MATERIALS)),
    st.sampled_from([None, "5G", "6g"]),
)


def _naive(one: Joint, wps: Procedure, held: list[Qualification], uses: list[date]) -> bool:
    """The sentence of the rule, word by word."""
    if not wps.active or (wps.valid_from and wps.valid_from > DAY) or (wps.valid_to and wps.valid_to < DAY):
        return False
    stated, whole = _naive_material(one, wps, held)
    if not _naive_inside(one, wps.scope, stated):
        return False
    for index, process in enumerate(wps.processes):
        f = [wps.scope.f_numbers[index]] if len(wps.scope.f_numbers) == len(wps.processes) else wps.scope.f_numbers
        if not any(_naive_covers(one, wps, q, process, list(f), uses, stated, whole) for q in held):
            return False
    return True


def _naive_material(one: Joint, wps: Procedure, held: list[Qualification]) -> tuple[list[str], bool]:
    """The P-numbers that the joint states, and whether it states that of each of its materials."""
    parts = MATERIALS[one.material]
    in_lists = [p for scope in (wps.scope, *(q.scope for q in held)) for p in scope.p_numbers]
    stated = [p.removeprefix("no ") for p in parts if p.startswith("no ") or p in in_lists]
    return stated, bool(parts) and len(stated) == len(parts)


def _naive_covers(
    one: Joint,
    wps: Procedure,
    q: Qualification,
    process: str,
    f: list[str],
    uses: list[date],
    stated: list[str],
    whole: bool,
) -> bool:
    if q.process != process or not q.active or q.day > DAY or (q.expires is not None and q.expires < DAY):
        return False
    last = max([q.day, *([q.last_used] if q.last_used else [])])
    for day in sorted(uses):
        if last < day <= DAY and _months_between_at_most_six(last, day):
            last = day
    if not _months_between_at_most_six(last, DAY):
        return False
    if f and q.scope.f_numbers and not any(each in q.scope.f_numbers for each in f):
        return False
    unnamed = not whole and wps.scope.p_numbers and q.scope.p_numbers
    if unnamed and not any(p in q.scope.p_numbers for p in wps.scope.p_numbers):
        return False
    return _naive_inside(one, q.scope, stated)


def _months_between_at_most_six(earlier: date, later: date) -> bool:
    months = (later.year - earlier.year) * 12 + later.month - earlier.month
    return later <= earlier or months < 6 or (months == 6 and later.day <= earlier.day)


def _naive_inside(one: Joint, scope: WeldScope, stated: list[str]) -> bool:
    for size, limits in ((one.dn_milli, scope.diameter), (one.espesor_milli, scope.thickness)):
        if size is not None and limits.least is not None and size < limits.least:
            return False
        if size is not None and limits.greatest is not None and size > limits.greatest:
            return False
    if scope.p_numbers and not all(p in scope.p_numbers for p in stated):
        return False
    return not (one.posicion and scope.positions and one.posicion.upper() not in scope.positions)


@settings(max_examples=400)
@given(JOINTS, PROCEDURES, st.lists(QUALIFICATIONS, max_size=4), st.lists(DAYS, max_size=6))
def test_a_welder_is_qualified_exactly_when_a_naive_calculation_says_so(
    one: Joint, wps: Procedure, held: list[Qualification], uses: list[date]
) -> None:
    assert (variables(one, record(wps, *held, uses=uses)) == []) is _naive(one, wps, held, uses)
