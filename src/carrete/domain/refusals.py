"""Every expected refusal, named after its situation, with its facts and the sentence that the worker reads.

The HTTP status of each lives in one table, `carrete.api.problems`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carrete.domain.spool import Occupation, Operacion
from carrete.domain.tags import hidden_character

_REASONS_SAID_MAX = 3  # in the sentence; the context has all of them


class Refusal(Exception):
    """The rules do not allow it. Nothing was changed."""

    code: str = ""
    title: str = ""

    def __init__(self, detail: str, **context: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.context = context


class SpoolUnknown(Refusal):
    code = "SPOOL_NO_ENCONTRADO"
    title = "Spool no encontrado"

    def __init__(self, tag: str) -> None:
        super().__init__(f"No existe el spool {tag}.", tag_spool=tag)


class NotValid(Refusal):
    """`errors` names each wrong field and the reason; `unnamed` is the number of further errors that are not listed."""

    code = "DATOS_INVALIDOS"
    title = "Datos no válidos"

    def __init__(self, errors: list[dict[str, str]], unnamed: int = 0) -> None:
        first = errors[0] if errors else {"campo": "cuerpo", "motivo": "no es válido."}
        detail = f"{first['campo']}: {first['motivo']}"
        if unnamed <= 0:
            super().__init__(detail, errors=errors)
            return
        detail = f"{detail} Hay {unnamed} errores más que no se nombran."
        super().__init__(detail, errors=errors, errores_sin_nombrar=unnamed)


def no_such_spool(tag: str) -> Refusal:
    """Names an invisible character of the tag: without that, the tag in the answer looks like one that exists."""
    reason = hidden_character(tag)
    return NotValid([{"campo": "tag_spool", "motivo": reason}]) if reason else SpoolUnknown(tag)


class WorkerUnknown(Refusal):
    code = "WORKER_NO_ENCONTRADO"
    title = "Trabajador no encontrado"

    def __init__(self, worker_id: int) -> None:
        super().__init__(f"No existe el trabajador {worker_id}.", worker_id=worker_id)


class WorkerInactive(Refusal):
    code = "WORKER_INACTIVO"
    title = "Trabajador inactivo"

    def __init__(self, label: str, worker_id: int) -> None:
        super().__init__(f"{label} está inactivo y no puede trabajar spools.", worker_id=worker_id)


class RoleMissing(Refusal):
    code = "ROL_NO_AUTORIZADO"
    title = "Rol no autorizado"

    def __init__(self, label: str, what: str, needed: Sequence[str]) -> None:
        roles = " o ".join(needed)
        super().__init__(f"{label} no tiene el rol para {what}: se necesita {roles}.", roles=list(needed))


class WrongVersion(Refusal):
    code = "WRONG_VERSION"
    title = "Flujo equivocado"

    def __init__(self, tag: str, workflow: str, union_count: int, use: str) -> None:
        como = f"por uniones ({union_count})" if union_count else "como spool completo"
        super().__init__(
            f"El spool {tag} es {workflow}: se trabaja {como}.",
            version_workflow=workflow,
            union_count=union_count,
            use=use,
        )


class SpoolBlocked(Refusal):
    code = "SPOOL_BLOQUEADO"
    title = "Spool bloqueado"

    def __init__(self, tag: str) -> None:
        super().__init__(f"El spool {tag} está bloqueado tras 3 rechazos. Contactar al supervisor.")


class SpoolOccupied(Refusal):
    code = "SPOOL_OCCUPIED"
    title = "Spool ocupado"

    def __init__(self, tag: str, held: Occupation, since: str) -> None:
        super().__init__(
            f"El spool {tag} lo tiene {held.label} para {held.operacion}.",
            owner_id=held.worker_id,
            owner=held.label,
            since=since,
            operacion=str(held.operacion),
        )


class NotTheHolder(Refusal):
    code = "NO_AUTORIZADO"
    title = "No es quien lo tiene"

    def __init__(self, tag: str, owner: str) -> None:
        super().__init__(f"El spool {tag} lo tiene {owner}; sólo {owner} puede terminarlo.", owner=owner)


class VersionConflict(Refusal):
    code = "VERSION_CONFLICT"
    title = "El spool cambió"

    def __init__(self, tag: str, expected: str | None, current: str | None) -> None:
        """`expected` is the token that the client sent, if any; `current` the ledger's, None after a lost race."""
        detail = f"El spool {tag} cambió mientras tanto. Actualice e intente de nuevo."
        super().__init__(detail, expected=expected, current=current)


class AlreadyDone(Refusal):
    code = "OPERACION_YA_COMPLETADA"
    title = "Operación ya completada"

    def __init__(self, tag: str, operacion: Operacion) -> None:
        super().__init__(f"{operacion} ya está completada en el spool {tag}.")


class NotBegun(Refusal):
    code = "OPERACION_NO_INICIADA"
    title = "Operación no iniciada"

    def __init__(self, tag: str, operacion: Operacion | None = None) -> None:
        for_operation = f"{operacion} no está iniciada en el spool {tag}: nadie lo tiene para eso."
        super().__init__(for_operation if operacion else f"El spool {tag} no lo tiene nadie.")


class NothingToHandOver(Refusal):
    """The joints that were ticked for a hand-over are all that was left."""

    code = "OPERACION_YA_COMPLETADA"
    title = "Operación ya completada"

    def __init__(self, tag: str, operacion: Operacion) -> None:
        super().__init__(
            f"Con esas uniones {operacion} queda completa en el spool {tag}: no queda nada que entregar. Use FINALIZAR."
        )


class OfferExpired(Refusal):
    code = "RELEVO_VENCIDO"
    title = "Oferta de relevo vencida"

    def __init__(self, tag: str) -> None:
        super().__init__(f"La oferta de relevo del spool {tag} ya no vale. Pida que lo ofrezcan de nuevo.")


class NotTheReceiver(Refusal):
    code = "NO_AUTORIZADO"
    title = "No es quien lo tiene"

    def __init__(self, tag: str, owner: str) -> None:
        super().__init__(f"{owner} no ofreció el spool {tag} a usted por su nombre: no hay qué rechazar.", owner=owner)


class NotAvailable(Refusal):
    code = "OPERACION_NO_DISPONIBLE"
    title = "Operación no disponible"


class PrerequisiteMissing(Refusal):
    code = "DEPENDENCIAS_NO_SATISFECHAS"
    title = "Falta un paso anterior"


class JointsNotAvailable(Refusal):
    code = "UNION_NO_DISPONIBLE"
    title = "Unión no disponible"

    def __init__(self, tag: str, operacion: Operacion, unions: Sequence[int], verb: str = "registrar") -> None:
        which = ", ".join(map(str, unions))
        super().__init__(f"No se puede {verb} {operacion} en el spool {tag} para: {which}.", unions=list(unions))


class WelderNotQualified(Refusal):
    """`motivos` says for each joint which variable no qualification covers."""

    code = "SOLDADOR_NO_CALIFICADO"
    title = "Soldador no calificado"

    def __init__(self, tag: str, label: str, unions: Sequence[int], motivos: list[dict[str, Any]]) -> None:
        which = ", ".join(map(str, unions))
        reasons = " ".join(dict.fromkeys(str(each["motivo"]) for each in motivos[:_REASONS_SAID_MAX]))
        detail = f"{label} no está calificado para soldar en el spool {tag}: {which}. {reasons}"
        super().__init__(detail, unions=list(unions), motivos=motivos)


class JointUnknown(Refusal):
    code = "UNION_NO_ENCONTRADA"
    title = "Unión no encontrada"

    def __init__(self, tag: str, n_union: int) -> None:
        super().__init__(f"El spool {tag} no tiene la unión {n_union}.", n_union=n_union)


class PhotoUnknown(Refusal):
    """`fotos` are the ids that the ledger does not have: never uploaded, or deleted because no note had them."""

    code = "FOTO_NO_ENCONTRADA"
    title = "Foto no encontrada"

    def __init__(self, photos: Sequence[str]) -> None:
        one = "Esa foto no está en el servidor: súbala de nuevo."
        several = f"{len(photos)} fotos no están en el servidor: súbalas de nuevo."
        super().__init__(one if len(photos) == 1 else several, fotos=list(photos))


class DrawingUnknown(Refusal):
    """Never uploaded, or deleted because no spool had it."""

    code = "PLANO_NO_ENCONTRADO"
    title = "Plano no encontrado"

    def __init__(self, drawing: str) -> None:
        super().__init__("Ese plano no está en el servidor: súbalo de nuevo.", plano=drawing)


class NothingToClaim(Refusal):
    """A reclamo is about work that was done and refused: not about a take, nor about a tap that succeeded."""

    code = "RECLAMO_SIN_RECHAZO"
    title = "No hay trabajo rechazado"


class ReclamoUnknown(Refusal):
    code = "RECLAMO_NO_ENCONTRADO"
    title = "Reclamo no encontrado"

    def __init__(self, reclamo_id: str) -> None:
        super().__init__("No existe ese reclamo.", reclamo=reclamo_id)


class ReclamoResolved(Refusal):
    code = "RECLAMO_YA_RESUELTO"
    title = "Reclamo ya resuelto"

    def __init__(self, reclamo_id: str, supervisor: str) -> None:
        super().__init__(f"Este reclamo ya lo resolvió {supervisor}.", reclamo=reclamo_id, resuelto_por=supervisor)


class OwnReclamo(Refusal):
    """A supervisor who works on the floor too may decline the own reclamo, and never accept it."""

    code = "RECLAMO_PROPIO"
    title = "Reclamo propio"

    def __init__(self, reclamo_id: str) -> None:
        super().__init__("Nadie acepta su propio reclamo: debe aceptarlo otro supervisor.", reclamo=reclamo_id)


class WorkNotAcceptable(Refusal):
    """`trabajo` names each piece of work that cannot be registered, and why."""

    code = "TRABAJO_NO_ACEPTABLE"
    title = "Trabajo que no se puede registrar"

    def __init__(self, trabajo: list[dict[str, Any]]) -> None:
        super().__init__(" ".join(str(each["motivo"]) for each in trabajo[:3]), trabajo=trabajo)
