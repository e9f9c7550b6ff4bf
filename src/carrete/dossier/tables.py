"""The tables of a dossier: facts as rows of texts in one language, for the PDF and for the .xlsx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carrete.domain.events import EventoTipo
from carrete.dossier.facts import (
    CorrectionFacts,
    DossierFacts,
    ExaminationFacts,
    ProcedureFacts,
    QualificationFacts,
    RepairFacts,
    SpoolFacts,
    WeldFacts,
)
from carrete.dossier.summary import APPROVED, CANCELLED, PENDING, REJECTED, by_method, counts
from carrete.dossier.words import DossierWords

GOOD, BAD, OPEN, QUIET = "good", "bad", "open", "quiet"
TONES = {APPROVED: GOOD, REJECTED: BAD, PENDING: OPEN, "REPARADO": GOOD, "BLOQUEADO": BAD, CANCELLED: QUIET}


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class DossierRow:
    cells: tuple[tuple[Line, ...], ...]
    is_group: bool = False  # one cell over all columns: the spool that the rows below belong to


@dataclass(frozen=True, slots=True)
class DossierTable:
    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[DossierRow, ...]


def tables_of(facts: DossierFacts, words: DossierWords) -> dict[str, DossierTable]:
    """By key, in the order of the document."""
    made = [
        _spools(facts, words),
        _welds(facts, words),
        _ndt_summary(facts, words),
        _examinations(facts, words),
        _procedures(facts, words),
        _qualifications(facts, words),
        _people(facts, words),
        _inspections(facts, words),
        _corrections(facts, words),
    ]
    return {table.key: table for table in made}


def _spools(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = ("spool", "ot", "nv", "materials", "fit_up", "welding", "joints", "welded", "inspection", "date")
    rows = [
        _row(
            spool.tag,
            spool.ot,
            spool.nv,
            words.day(spool.materials_on),
            _progress(spool.arm, spool.fitted_on, spool.fitter, words),
            _progress(spool.sold, spool.welded_on, spool.welder, words),
            str(len(spool.welds)) if spool.welds else words["whole_spool"],
            str(sum(bool(weld.welded_on) for weld in spool.welds if weld.needs_welding)) if spool.welds else "",
            _state(spool.metrologia, words),
            words.day(spool.approved_on),
        )
        for spool in facts.spools
    ]
    return _table("spools", names, rows, words)


def _progress(state: str, on: str, by: str, words: DossierWords) -> tuple[Line, ...]:
    """When and by whom an operation was completed, or how far it is."""
    first = Line(words.day(on)) if on else Line(words.value(state), QUIET)
    return (first, Line(by, QUIET)) if by else (first,)


def _welds(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = (
        *("joint", "type", "dn", "thickness", "material", "position", "wps", "heats"),
        *("fitter", "fitted_on", "welder", "welded_on", "ndt", "repairs"),
    )
    rows: list[DossierRow] = []
    for spool in facts.spools:
        rows.append(_group(spool, words))
        rows += [_weld(weld, words) for weld in spool.welds]
        if not spool.welds:
            rows.append(_whole_spool(spool, words))
    return _table("welds", names, rows, words)


def _weld(weld: WeldFacts, words: DossierWords) -> DossierRow:
    return _row(
        str(weld.n_union),
        weld.type,
        weld.dn,
        weld.thickness,
        weld.material,
        weld.position,
        _wps(weld, words),
        " / ".join(weld.heats),
        weld.fitter,
        words.day(weld.fitted_on),
        weld.welder,
        words.day(weld.welded_on),
        tuple(_examination_line(each, words) for each in weld.examinations if counts(each)),
        tuple(_repair_line(each, words) for each in weld.repairs),
    )


def _wps(weld: WeldFacts, words: DossierWords) -> tuple[Line, ...]:
    """With the revision that the joint was welded under."""
    revision = (Line(f"{words['revision']} {weld.wps_revision}", QUIET),) if weld.wps_revision else ()
    return (Line(weld.wps), *revision)


def _whole_spool(spool: SpoolFacts, words: DossierWords) -> DossierRow:
    return _row(
        *(words["whole_spool"], "", "", "", "", "", "", ""),
        *(spool.fitter, words.day(spool.fitted_on), spool.welder, words.day(spool.welded_on)),
        tuple(_examination_line(each, words) for each in spool.examinations if counts(each)),
        tuple(_repair_line(each, words) for each in spool.repairs),
    )


def _examination_line(each: ExaminationFacts, words: DossierWords) -> Line:
    what = f"{each.method} {_round(each.round)}".strip()
    parts = [f"{what} {words.value(each.result)}".strip(), each.report]
    return Line(" · ".join(part for part in parts if part), TONES.get(each.result, ""))


def _repair_line(repair: RepairFacts, words: DossierWords) -> Line:
    return Line(f"{_round(repair.round)} {repair.welder} {words.day(repair.on)}".strip())


def _round(number: int) -> str:
    return f"R{number}" if number else ""


def _ndt_summary(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = (
        *("method", "welds_of_method", "requested", "examined_joints", "percent"),
        *("approved", "rejected", "repaired", "pending"),
    )
    rows = [
        _row(
            each.method,
            *map(str, (each.welds, each.requested, each.examined)),
            each.percent,
            *map(str, (each.approved, each.rejected, each.repaired)),
            (Line(str(each.pending), OPEN if each.pending else ""),),
        )
        for each in by_method(facts)
    ]
    return _table("ndt_summary", names, rows, words)


def _examinations(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = ("joint", "method", "round", "result", "report", "examiner", "date", "defects", "origin")
    rows: list[DossierRow] = []
    for spool in facts.spools:
        of_joints = [(str(weld.n_union), each) for weld in spool.welds for each in weld.examinations]
        found = [(words["whole_spool"], each) for each in spool.examinations] + of_joints
        if found:
            rows.append(_group(spool, words))
        for joint, each in found:
            state = (Line(words["superseded"], QUIET),) if each.superseded else ()
            result = (*_state(each.result, words), *state)
            about = (joint, each.method, _round(each.round), result, each.report, each.examiner)
            defects = ", ".join(each.defects)
            rows.append(_row(*about, words.day(each.on), defects, words.value(each.origin)))
    return _table("examinations", names, rows, words)


def _procedures(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = (
        *("wps", "revision", "process", "p_numbers", "f_numbers"),
        *("thickness_range", "diameter_range", "positions", "valid"),
    )
    return _table("procedures", names, [_procedure(each, words) for each in facts.procedures], words)


def _procedure(each: ProcedureFacts, words: DossierWords) -> DossierRow:
    if not each.known:
        return _row(each.wps, each.revision, (Line(words["not_in_list"], OPEN),), "", "", "", "", "", "")
    valid = _range(words.day(each.valid_from), words.day(each.valid_to), words)
    ranges = (each.thickness, each.diameter, each.positions, valid)
    if not each.listed_revision:
        return _row(each.wps, each.revision, each.processes, each.p_numbers, each.f_numbers, *ranges)
    note = words["revision_other" if each.revision else "revision_unknown"].format(rev=each.listed_revision)
    processes = (Line(each.processes), Line(note, OPEN))
    return _row(each.wps, each.revision or "–", processes, each.p_numbers, each.f_numbers, *ranges)


def _qualifications(facts: DossierFacts, words: DossierWords) -> DossierTable:
    names = (
        *("label", "name", "process", "document", "p_numbers", "f_numbers"),
        *("thickness_range", "diameter_range", "positions", "since", "expires"),
    )
    people = {person.label: person.name for person in facts.people}
    rows = [_qualification(each, people.get(each.label, ""), words) for each in facts.qualifications]
    return _table("qualifications", names, rows, words)


def _qualification(each: QualificationFacts, name: str, words: DossierWords) -> DossierRow:
    covers = (each.p_numbers, each.f_numbers, each.thickness, each.diameter, each.positions)
    retired = (Line(words["retired"], QUIET),) if each.retired else ()
    until = (Line(words.day(each.expires)), *retired) if each.expires else retired or (Line(""),)
    return _row(each.label, name, each.process, each.document, *covers, words.day(each.since), until)


def _people(facts: DossierFacts, words: DossierWords) -> DossierTable:
    rows = [_row(each.label, each.name, ", ".join(words.value(work) for work in each.works)) for each in facts.people]
    return _table("people", ("label", "name", "works"), rows, words)


def _inspections(facts: DossierFacts, words: DossierWords) -> DossierTable:
    rows: list[DossierRow] = []
    for spool in facts.spools:
        if spool.inspections:
            rows.append(_group(spool, words))
        for each in spool.inspections:
            tone = {EventoTipo.METROLOGIA_APROBADO: GOOD, EventoTipo.METROLOGIA_RECHAZADO: BAD}.get(
                EventoTipo(each.event), ""
            )
            what = (Line(words.value(each.event), tone),)
            rows.append(_row(words.moment(each.at), what, each.by, str(each.cycle) if each.cycle else ""))
    return _table("inspections", ("date", "what", "by", "cycle"), rows, words)


def _corrections(facts: DossierFacts, words: DossierWords) -> DossierTable:
    rows: list[DossierRow] = []
    for spool in facts.spools:
        if spool.corrections:
            rows.append(_group(spool, words))
        rows += [_correction(each, words) for each in spool.corrections]
        if spool.corrections_left_out:
            rows.append(_row("", (Line(words["left_out"].format(n=spool.corrections_left_out), QUIET),), "", "", ""))
    return _table("corrections", ("date", "what", "joint", "by", "reason"), rows, words)


def _correction(each: CorrectionFacts, words: DossierWords) -> DossierRow:
    what = " · ".join(part for part in (words.value(each.event), words.value(each.operation)) if part)
    change = f"{each.column}: {each.before or '–'} → {each.after or '–'}" if each.column else ""
    reason = tuple(Line(text) for text in (each.reason, change) if text)
    return _row(words.moment(each.at), what, str(each.n_union) if each.n_union else "", each.by, reason)


def _group(spool: SpoolFacts, words: DossierWords) -> DossierRow:
    about = [_named(words[name], value) for name, value in (("ot", spool.ot), ("nv", spool.nv)) if value]
    return DossierRow(((Line(spool.tag), Line(" · ".join(about), QUIET)),), is_group=True)


def _named(name: str, value: str) -> str:
    """`OT 4711`; a shop whose numbers say it themselves (`OT-4711`) does not read it twice."""
    return value if value.upper().startswith(name.upper()) else f"{name} {value}"


def _state(value: str, words: DossierWords) -> tuple[Line, ...]:
    return (Line(words.value(value), TONES.get(value, "")),) if value else ()


def _range(low: str, high: str, words: DossierWords) -> str:
    if low and high:
        return f"{low} – {high}"
    return words["range_from"].format(low=low) if low else words["range_to"].format(high=high) if high else ""


def _row(*cells: str | Sequence[Line]) -> DossierRow:
    """A text may have several lines; an empty one is a cell without any."""
    made = [tuple(Line(text) for text in cell.splitlines()) if isinstance(cell, str) else tuple(cell) for cell in cells]
    return DossierRow(tuple(made))


def _table(key: str, names: Sequence[str], rows: Iterable[DossierRow], words: DossierWords) -> DossierTable:
    columns = tuple(words[name] for name in names)
    found = tuple(rows)
    assert all(row.is_group or len(row.cells) == len(columns) for row in found), key
    return DossierTable(key, words[f"{key}_title"], columns, found)
