"""Every word of a dossier in Spanish and English. The shop's own values (tags, WPS, reports) are never translated."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from carrete.domain.events import EventoTipo


class Language(StrEnum):
    ES = "es"
    EN = "en"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# name: (Spanish, English)
_WORDS: dict[str, tuple[str, str]] = {
    "title": ("Dossier de soldadura", "Weld dossier"),
    "of_spool": ("Spool", "Spool"),
    "of_ot": ("Orden de trabajo", "Work order"),
    "of_list": ("Lista de spools", "List of spools"),
    "spools_title": ("Spools", "Spools"),
    "welds_title": ("Registro de soldadura", "Weld log"),
    "map_title": ("Mapa de soldadura", "Weld map"),
    "ndt_title": ("Ensayos no destructivos (NDT)", "Non-destructive examination (NDT)"),
    "ndt_summary_title": ("Resumen por método", "Summary by method"),
    "examinations_title": ("Ensayos", "Examinations"),
    "papers_title": ("Procedimientos y calificaciones", "Procedures and qualifications"),
    "procedures_title": ("Procedimientos (WPS)", "Welding procedures (WPS)"),
    "qualifications_title": ("Calificaciones de soldadores", "Welder qualifications"),
    "people_title": ("Personas", "People"),
    "quality_title": ("Inspección y correcciones", "Inspection and corrections"),
    "inspections_title": ("Inspección (Metrología)", "Inspection"),
    "corrections_title": ("Correcciones y cambios, con su motivo", "Corrections and changes, with their reasons"),
    "photos_title": ("Fotos", "Photos"),
    "signatures_title": ("Firmas", "Signatures"),
    "number": ("Número", "Number"),
    "hash": ("Hash de los datos (SHA-256)", "Hash of the facts (SHA-256)"),
    "hash_short": ("SHA-256", "SHA-256"),
    "trail": ("Registro de eventos", "Event trail"),
    "trail_seq": ("hasta el evento", "up to event"),
    "trail_hash": ("Hash del registro", "Hash of the trail"),
    "facts_of": ("Datos al", "Facts as of"),
    "page": ("Página", "Page"),
    "page_of": ("de", "of"),
    "shop": ("Taller", "Shop"),
    "ot": ("OT", "Work order"),
    "nv": ("NV", "Sales order"),
    "spools": ("Spools", "Spools"),
    "spool": ("Spool", "Spool"),
    "joints": ("Uniones", "Joints"),
    "welded": ("Soldadas", "Welded"),
    "inches": ("Pulgadas soldadas", "Inches welded"),
    "examined": ("Ensayos hechos", "Examinations"),
    "repairs": ("Reparaciones", "Repairs"),
    "approved_spools": ("Spools aprobados", "Spools approved"),
    "state": ("Estado", "State"),
    "inspection": ("Inspección", "Inspection"),
    "materials": ("Materiales", "Materials"),
    "fit_up": ("Armado", "Fit-up"),
    "welding": ("Soldadura", "Welding"),
    "drawing": ("Plano", "Drawing"),
    "joint": ("Unión", "Joint"),
    "type": ("Tipo", "Type"),
    "dn": ("DN (pulg.)", "NPS (in)"),
    "thickness": ("Esp. (mm)", "Thk. (mm)"),
    "material": ("Material", "Material"),
    "position": ("Posición", "Position"),
    "wps": ("WPS", "WPS"),
    "heats": ("Coladas", "Heats"),
    "fitter": ("Armador", "Fitter"),
    "fitted_on": ("Armada", "Fitted"),
    "welder": ("Soldador", "Welder"),
    "welded_on": ("Soldada", "Welded"),
    "ndt": ("NDT: resultado e informe", "NDT: result and report"),
    "method": ("Método", "Method"),
    "welds_of_method": ("Soldadas", "Welds"),
    "requested": ("Pedidas", "Requested"),
    "examined_joints": ("Ensayadas", "Examined"),
    "percent": ("Alcanzado", "Reached"),
    "approved": ("Aprobadas", "Accepted"),
    "rejected": ("Rechazadas", "Rejected"),
    "repaired": ("Reparadas", "Repaired"),
    "pending": ("Pendientes", "Pending"),
    "round": ("Ronda", "Round"),
    "result": ("Resultado", "Result"),
    "report": ("Informe", "Report"),
    "examiner": ("Examinador", "Examiner"),
    "date": ("Fecha", "Date"),
    "defects": ("Defectos", "Defects"),
    "origin": ("Origen", "Origin"),
    "revision": ("Rev.", "Rev."),
    "process": ("Proceso", "Process"),
    "p_numbers": ("P-No.", "P-No."),
    "f_numbers": ("F-No.", "F-No."),
    "thickness_range": ("Espesor (mm)", "Thickness (mm)"),
    "diameter_range": ("Diámetro (pulg.)", "Diameter (in)"),
    "positions": ("Posiciones", "Positions"),
    "valid": ("Vigencia", "Validity"),
    "document": ("Documento", "Document"),
    "since": ("Desde", "Since"),
    "expires": ("Vence", "Expires"),
    "label": ("Sigla", "Stamp"),
    "name": ("Nombre", "Name"),
    "works": ("En este dossier", "In this dossier"),
    "what": ("Qué", "What"),
    "by": ("Por", "By"),
    "cycle": ("Rechazos", "Rejections"),
    "reason": ("Motivo o cambio", "Reason or change"),
    "whole_spool": ("entero", "whole"),
    "not_in_list": ("No está en la lista de procedimientos", "Not in the list of procedures"),
    "revision_other": ("La lista tiene ahora la rev. {rev}", "The list has rev. {rev} now"),
    "revision_unknown": (
        "Revisión no registrada; la lista tiene ahora la rev. {rev}",
        "Revision not recorded; the list has rev. {rev} now",
    ),
    "retired": ("ya no está en la lista", "no longer in the list"),
    "no_joints": (
        "Este spool se trabaja entero: no tiene registro por unión.",
        "This spool is worked as a whole: there is no log by joint.",
    ),
    "nothing": ("Sin registros.", "No records."),
    "left_out": ("y {n} más, que están en el historial", "and {n} more, which are in the history"),
    "photos_left_out": ("y {n} fotos más", "and {n} more photos"),
    "placed": ("{n} de {of} uniones ubicadas en el plano", "{n} of {of} joints placed on the drawing"),
    "range_from": ("desde {low}", "from {low}"),
    "range_to": ("hasta {high}", "up to {high}"),
    "signature": ("Firma", "Signature"),
    "sign_shop": ("Fabricante", "Manufacturer"),
    "sign_quality": ("Control de calidad", "Quality control"),
    "sign_third": ("Inspección de terceros", "Third-party inspection"),
    "sign_client": ("Cliente", "Client"),
    "same_again": (
        "Hecho por Carrete con el registro de eventos y con los datos de las uniones, procedimientos, calificaciones, "
        "nombres y planos que el taller tenía al hacerlo. Con los mismos datos resulta este mismo documento, byte por "
        "byte.",
        "Made by Carrete from the event trail, and from the joints' data, procedures, qualifications, names and "
        "drawings as the shop had them when it was made. The same data give this same document again, byte for byte.",
    ),
    "percent_note": (
        "Alcanzado: uniones ensayadas con resultado, de las soldadas. Una reparación y su reexamen cuentan una vez.",
        "Reached: joints examined with a result, of those welded. A repair and its re-examination count once.",
    ),
    "superseded": ("soldadura anterior", "of an earlier weld"),
    "contents": ("Contenido", "Contents"),
    "map_good": ("ensayada y aprobada", "examined and accepted"),
    "map_bad": ("rechazada", "rejected"),
    "map_open": ("ensayo pendiente", "examination pending"),
    "map_welded": ("soldada", "welded"),
    "map_not_welded": ("sin soldar", "not welded"),
}

# Values of the ledger that are words for people.
_VALUES: dict[str, tuple[str, str]] = {
    "PENDIENTE": ("Pendiente", "Pending"),
    "EN_PROGRESO": ("En progreso", "In progress"),
    "PAUSADO": ("Pausado", "Paused"),
    "COMPLETADO": ("Completado", "Completed"),
    "EN_COLA": ("En cola", "In the queue"),
    "APROBADO": ("Aprobado", "Accepted"),
    "RECHAZADO": ("Rechazado", "Rejected"),
    "REPARADO": ("Reparado", "Repaired"),
    "ANULADO": ("Anulado", "Cancelled"),
    "BLOQUEADO": ("Bloqueado", "Blocked"),
    "regla": ("por regla", "by rule"),
    "manual": ("a pedido", "on request"),
    "adicional": ("adicional", "additional"),
    "reexamen": ("reexamen", "re-examination"),
    "regreso": ("de vuelta en la planilla", "back in the workbook"),
    "ARM": ("Armado", "Fit-up"),
    "SOLD": ("Soldadura", "Welding"),
    "NDT": ("Ensayos", "Examination"),
    "METROLOGIA": ("Inspección", "Inspection"),
    "REPARACION": ("Reparación", "Repair"),
    EventoTipo.METROLOGIA_AUTO_TRIGGERED: ("Pasa a inspección", "Sent to inspection"),
    EventoTipo.METROLOGIA_APROBADO: ("Aprobado", "Accepted"),
    EventoTipo.METROLOGIA_RECHAZADO: ("Rechazado", "Rejected"),
    EventoTipo.COMPLETAR_REPARACION: ("Reparación completada", "Repair completed"),
    EventoTipo.CORRECCION: ("Corrección", "Correction"),
    EventoTipo.LIBERAR_SPOOL: ("Liberado por supervisor", "Released by a supervisor"),
    EventoTipo.SUPERVISOR_OVERRIDE: ("Desbloqueado", "Unblocked"),
    EventoTipo.REGISTRO_TARDIO: ("Registro tardío", "Late registration"),
    EventoTipo.EDICION_EXTERNA: ("Editado en la planilla", "Edited in the workbook"),
}


class DossierWords:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._index = list(Language).index(language)

    def __getitem__(self, name: str) -> str:
        return _WORDS[name][self._index]

    def value(self, value: str) -> str:
        """A value of the ledger in words; one that is no word of ours stays as it is."""
        found = _VALUES.get(value)
        return found[self._index] if found else value

    def day(self, iso: str) -> str:
        """An ISO date; a text that is none, from a cell, stays as it is."""
        year, _, rest = iso.partition("-")
        month, _, day = rest.partition("-")
        if not (len(iso) == 10 and year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
            return iso
        if self.language is Language.EN:
            return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"
        return f"{day}-{month}-{year}"

    def moment(self, iso: str) -> str:
        """An ISO instant with its offset, to the minute."""
        return f"{self.day(iso[:10])} {iso[11:16]}" if len(iso) >= 16 else iso

    def all(self) -> Mapping[str, str]:
        return {name: texts[self._index] for name, texts in _WORDS.items()}
