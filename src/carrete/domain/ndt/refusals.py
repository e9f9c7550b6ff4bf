"""Refusals about examinations of welds, with the sentence that the worker reads. Their status is in `api.problems`."""

from __future__ import annotations

from collections.abc import Sequence

from carrete.domain.refusals import Refusal


class JointsNotWelded(Refusal):
    """An examination is asked for a joint that is not welded yet."""

    code = "UNION_NO_DISPONIBLE"
    title = "Unión no disponible"

    def __init__(self, tag: str, unions: Sequence[int]) -> None:
        which = ", ".join(str(n) for n in unions if n)
        where = f"En el spool {tag} aún no están soldadas: {which}." if which else f"El spool {tag} aún no tiene SOLD."
        super().__init__(where, unions=[n for n in unions if n])


class ExamUnknown(Refusal):
    code = "ENSAYO_NO_ENCONTRADO"
    title = "Ensayo no encontrado"

    def __init__(self, exam_id: str) -> None:
        super().__init__("Ese ensayo no existe en este spool.", examen=exam_id)


class ExamClosed(Refusal):
    """It has a result already, or was voided with its weld."""

    code = "ENSAYO_CERRADO"
    title = "Ensayo cerrado"

    def __init__(self, tag: str, status: str, examiner: str | None) -> None:
        by = f" por {examiner}" if examiner else ""
        super().__init__(f"Este ensayo del spool {tag} ya está {status}{by}.", estado=status, examinador=examiner)


class NdtPending(Refusal):
    code = "NDT_PENDIENTE"
    title = "Ensayos pendientes"

    def __init__(self, tag: str) -> None:
        super().__init__(
            f"El spool {tag} tiene ensayos NDT pendientes o una unión rechazada sin reparar: aún no se puede aprobar."
        )
