"""Facts of dossiers for tests: a spool with every kind of event, and a work order of any size."""

from __future__ import annotations

from carrete.domain.events import EventoTipo
from carrete.dossier.facts import (
    CorrectionFacts,
    DossierFacts,
    DrawingFacts,
    ExaminationFacts,
    InspectionFacts,
    LastEvent,
    MarkFacts,
    PersonFacts,
    PhotoFacts,
    ProcedureFacts,
    QualificationFacts,
    RepairFacts,
    SpoolFacts,
    WeldFacts,
)

TAG = "MK-1335-CW-25238-011"
AT = "2026-11-12T16:40:00-03:00"
_WELDERS = ("CP(41)", "LP(22)", "RA(57)")
_TYPES = ("BW", "BW", "BW", "SO", "BR", "LET")


def a_weld(n_union: int, **facts: object) -> WeldFacts:
    day = 2 + n_union % 9
    usual: dict[str, object] = {
        "type": _TYPES[n_union % len(_TYPES)],
        "dn": ("2", "4", "6", "1.5")[n_union % 4],
        "thickness": ("3.91", "6.02", "7.11", "3.68")[n_union % 4],
        "material": "A106 Gr. B",
        "position": "6G",
        "wps": "WPS-GTAW-01" if n_union % 3 else "WPS-COMB-04",
        "heats": (f"H{48200 + n_union}", f"K{7710 + n_union % 5}"),
        "fitter": "MR(93)",
        "fitted_on": f"2026-11-{day:02}",
        "welder": _WELDERS[n_union % len(_WELDERS)],
        "welded_on": f"2026-11-{day + 1:02}",
    }
    return WeldFacts(n_union, **{**usual, **facts})  # type: ignore[arg-type]


def an_examination(result: str = "APROBADO", round_: int = 0, **facts: object) -> ExaminationFacts:
    usual: dict[str, object] = {"report": "RT-2026-0031", "examiner": "NV(70)", "on": "2026-11-10", "origin": "regla"}
    return ExaminationFacts("RT", round_, result, **{**usual, **facts})  # type: ignore[arg-type]


def a_repaired_weld(n_union: int = 4) -> WeldFacts:
    examined = (
        an_examination("RECHAZADO", defects=("porosidad", "falta de fusión")),
        an_examination("APROBADO", 1, report="RT-2026-0038", on="2026-11-11", origin="reexamen"),
    )
    return a_weld(n_union, examinations=examined, repairs=(RepairFacts(1, "CP(41)", "2026-11-11"),))


def a_whole_story(tag: str = TAG, drawing: DrawingFacts | None = None) -> SpoolFacts:
    """From materials to approval, with a rejected joint, its repair, a correction and a rejection by Metrología."""
    additional = an_examination(report="RT-2026-0036", origin="adicional")
    welds = [a_weld(n) for n in range(1, 11)]
    welds[3] = a_repaired_weld(4)
    welds[0] = a_weld(1, examinations=(an_examination(),))
    welds[6] = a_weld(7, examinations=(additional,))
    welds[9] = a_weld(10, examinations=(additional, ExaminationFacts("PT", 0, "PENDIENTE", origin="manual")))
    welds.append(a_weld(11, type="FW", wps="", heats=(), welder="", welded_on="", needs_welding=False))
    return SpoolFacts(
        tag=tag,
        ot="4711",
        nv="NV-2026-118",
        workflow="v4.0",
        arm="COMPLETADO",
        sold="COMPLETADO",
        metrologia="APROBADO",
        materials_on="2026-11-01",
        fitted_on="2026-11-10",
        welded_on="2026-11-11",
        approved_on="2026-11-12",
        fitter="MR(93)",
        welder="LP(22)",
        last_seq=48_213,
        welds=tuple(welds),
        inspections=(
            InspectionFacts("2026-11-11T15:20:00-03:00", EventoTipo.METROLOGIA_RECHAZADO, "MI(12)", 1),
            InspectionFacts("2026-11-12T09:05:00-03:00", EventoTipo.COMPLETAR_REPARACION, "CP(41)", 1),
            InspectionFacts(AT, EventoTipo.METROLOGIA_APROBADO, "MI(12)", 0),
        ),
        corrections=(
            CorrectionFacts(
                "2026-11-09T11:02:00-03:00",
                *(EventoTipo.CORRECCION, "SV(3)", 5, "SOLD", "Marcada por error: era la unión 6"),
            ),
            CorrectionFacts(
                "2026-11-10T08:30:00-03:00",
                *(EventoTipo.EDICION_EXTERNA, "", 8, "", "", "DN_UNION", "4", "6"),
            ),
        ),
        drawing=drawing,
    )


PEOPLE = (
    PersonFacts("CP(41)", "Carlos Pérez Soto", ("SOLD",)),
    PersonFacts("LP(22)", "Luis Pizarro", ("SOLD",)),
    PersonFacts("MI(12)", "Marta Ibáñez", ("METROLOGIA",)),
    PersonFacts("MR(93)", "Mauricio Rodríguez", ("ARM",)),
    PersonFacts("NV(70)", "Natalia Vega", ("NDT",)),
    PersonFacts("RA(57)", "Rosa Araya", ("SOLD",)),
)
PROCEDURES = (
    ProcedureFacts("WPS-COMB-04", "2", "GTAW, SMAW", "1", "6, 4", "1.5 – 22", "1 –", "6G", "2024-03-01", ""),
    ProcedureFacts("WPS-GTAW-01", "3", "GTAW", "1", "6", "1.5 – 11", "0.5 – 12", "6G", "2023-01-15", "2028-01-15"),
)
QUALIFICATIONS = (
    QualificationFacts("CP(41)", "GTAW", "WPQ-2024-014", "1", "6", "1.5 – 11", "1 –", "6G", "2024-05-02", "2027-05-02"),
    QualificationFacts("LP(22)", "GTAW", "WPQ-2025-003", "1", "6", "1.5 – 11", "1 –", "6G", "2025-02-11", "2028-02-11"),
    QualificationFacts("RA(57)", "SMAW", "WPQ-2025-021", "1", "4", "3 – 22", "2 –", "6G", "2025-08-19", ""),
)


def a_dossier(*spools: SpoolFacts, **facts: object) -> DossierFacts:
    found = spools or (a_whole_story(),)
    usual: dict[str, object] = {
        "shop": "Maestranza Kuymi SpA",
        "scope": "SPOOL" if len(found) == 1 else "OT",
        "scope_name": found[0].tag if len(found) == 1 else "4711",
        "last_event": LastEvent(48_213, AT),
        "people": PEOPLE,
        "procedures": PROCEDURES,
        "qualifications": QUALIFICATIONS,
    }
    return DossierFacts(spools=found, **{**usual, **facts})  # type: ignore[arg-type]


def a_work_order(joints: int, per_spool: int = 10, drawing: DrawingFacts | None = None) -> DossierFacts:
    spools = []
    for number in range(joints // per_spool):
        welds = [a_weld(n, examinations=(an_examination(),) if n % 3 == 0 else ()) for n in range(1, per_spool + 1)]
        story = a_whole_story(f"MK-1335-CW-25238-{number:03}", drawing)
        spools.append(_with_welds(story, tuple(welds)))
    return a_dossier(*spools)


def _with_welds(spool: SpoolFacts, welds: tuple[WeldFacts, ...]) -> SpoolFacts:
    from dataclasses import replace

    return replace(spool, welds=welds)


def a_drawing(id_: str, width: int, height: int, media_type: str = "image/png") -> DrawingFacts:
    places = ((180, 720), (260, 640), (340, 560), (430, 480), (430, 330), (430, 190), (540, 560), (650, 640))
    marks = tuple(MarkFacts(n, x, y) for n, (x, y) in enumerate((*places, (760, 720), (860, 800)), 1))
    return DrawingFacts(id_, media_type, width, height, 2, "2026-11-03", marks)


def a_photo_of(id_: str, n_union: int = 4) -> PhotoFacts:
    return PhotoFacts(id_, "2026-11-10T10:12:00-03:00", "CP(41)", n_union, "Raíz antes de la reparación, lado norte")
