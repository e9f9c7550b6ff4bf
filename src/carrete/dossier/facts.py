"""What a dossier states, without any word of ours: the same facts give the same number, hash, PDF and .xlsx.

Dates are ISO text of the shop's own days, instants ISO text with the shop's offset. No field depends on when or by whom
the dossier is made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

FACTS_FORMAT = 2  # part of the hash: facts of another shape are other facts
HASH_IN_NUMBER = 6  # hexadecimal digits


@dataclass(frozen=True, slots=True)
class ExaminationFacts:
    method: str
    round: int  # 0, then 1 for the examination after the first repair
    result: str  # PENDIENTE, APROBADO, RECHAZADO, or what a person typed in the sheet
    report: str = ""
    examiner: str = ""
    on: str = ""
    defects: tuple[str, ...] = ()
    origin: str = ""  # regla, manual, adicional, reexamen, regreso; empty: typed in the sheet
    superseded: bool = False  # the weld that it is about was made anew


@dataclass(frozen=True, slots=True)
class RepairFacts:
    round: int
    welder: str
    on: str
    wps_revision: str = ""


@dataclass(frozen=True, slots=True)
class WeldFacts:
    n_union: int
    type: str = ""
    dn: str = ""  # inches, or the text of a cell that is no diameter
    thickness: str = ""  # millimetres
    material: str = ""
    position: str = ""
    wps: str = ""
    wps_revision: str = ""  # that the joint was welded under, as its event says
    heats: tuple[str, ...] = ()
    fitter: str = ""
    fitted_on: str = ""
    welder: str = ""
    welded_on: str = ""
    needs_welding: bool = True
    repairs: tuple[RepairFacts, ...] = ()
    examinations: tuple[ExaminationFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class InspectionFacts:
    at: str
    event: str
    by: str
    cycle: int = 0


@dataclass(frozen=True, slots=True)
class CorrectionFacts:
    at: str
    event: str
    by: str
    n_union: int = 0  # 0: the whole spool
    operation: str = ""
    reason: str = ""
    column: str = ""  # of the sheet, when a person changed a cell
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class MarkFacts:
    n_union: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class DrawingFacts:
    id: str
    media_type: str
    width: int
    height: int
    revision: int
    on: str
    marks: tuple[MarkFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class PhotoFacts:
    id: str
    at: str
    by: str
    n_union: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class SpoolFacts:
    tag: str
    ot: str = ""
    nv: str = ""
    workflow: str = "v3.0"
    arm: str = ""
    sold: str = ""
    metrologia: str = ""
    materials_on: str = ""
    fitted_on: str = ""
    welded_on: str = ""
    approved_on: str = ""
    fitter: str = ""
    welder: str = ""
    last_seq: int = 0
    welds: tuple[WeldFacts, ...] = ()
    examinations: tuple[ExaminationFacts, ...] = ()  # of the whole spool
    repairs: tuple[RepairFacts, ...] = ()
    inspections: tuple[InspectionFacts, ...] = ()
    corrections: tuple[CorrectionFacts, ...] = ()
    corrections_left_out: int = 0
    drawing: DrawingFacts | None = None
    photos: tuple[PhotoFacts, ...] = ()
    photos_left_out: int = 0


@dataclass(frozen=True, slots=True)
class PersonFacts:
    label: str
    name: str
    works: tuple[str, ...] = ()  # ARM, SOLD, NDT, METROLOGIA


@dataclass(frozen=True, slots=True)
class ProcedureFacts:
    """One revision of a procedure that these welds were made under. `listed_revision` is the one that the shop's list
    has instead, empty if it is the same; the list does not have the limits of another revision."""

    wps: str
    revision: str = ""
    processes: str = ""
    p_numbers: str = ""
    f_numbers: str = ""
    thickness: str = ""
    diameter: str = ""
    positions: str = ""
    valid_from: str = ""
    valid_to: str = ""
    known: bool = True  # False: joints name it, and the shop's list does not have it
    listed_revision: str = ""


@dataclass(frozen=True, slots=True)
class QualificationFacts:
    label: str
    process: str
    document: str
    p_numbers: str = ""
    f_numbers: str = ""
    thickness: str = ""
    diameter: str = ""
    positions: str = ""
    since: str = ""
    expires: str = ""
    retired: bool = False  # it is off the list now; the list does not say since when


@dataclass(frozen=True, slots=True)
class LastEvent:
    """Where the audit trail ended for these spools. `hash` is the hash of that event."""

    seq: int = 0
    at: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class DossierFacts:
    shop: str
    scope: str  # SPOOL, OT or LISTA
    scope_name: str  # the tag, the work order, or empty
    last_event: LastEvent
    spools: tuple[SpoolFacts, ...]
    people: tuple[PersonFacts, ...] = ()
    procedures: tuple[ProcedureFacts, ...] = ()
    qualifications: tuple[QualificationFacts, ...] = ()
    with_photos: bool = False

    def canonical(self) -> bytes:
        """The facts as JSON in one form only: keys sorted, no blanks, UTF-8."""
        content: dict[str, Any] = {"format": FACTS_FORMAT, **asdict(self)}
        return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    def identity(self) -> DossierIdentity:
        digest = hashlib.sha256(self.canonical()).hexdigest()
        return DossierIdentity(f"D-{self.last_event.seq}-{digest[:HASH_IN_NUMBER].upper()}", digest)


@dataclass(frozen=True, slots=True)
class DossierIdentity:
    """On every page: the number for people, and the SHA-256 of the facts."""

    number: str
    hash: str
