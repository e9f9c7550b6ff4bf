"""The sentences a worker reads after a tap that succeeded. Those of refusals are in `refusals`."""

from __future__ import annotations

from carrete.domain.spool import REJECTIONS_MAX, Metrologia, Operacion, Spool


def taken(tag: str, label: str, operacion: Operacion) -> str:
    return f"{label} tiene el spool {tag} para {operacion}."


def paused(tag: str, operacion: Operacion) -> str:
    return f"{operacion} en pausa; el spool {tag} queda disponible."


def completed(tag: str, operacion: Operacion) -> str:
    return f"{operacion} completada en el spool {tag}."


def kept_on(tag: str, label: str, operacion: Operacion) -> str:
    return f"{label} sigue con el spool {tag} para {operacion}."


def cancelled(tag: str, operacion: Operacion) -> str:
    return f"{operacion} cancelada; el spool {tag} queda como estaba."


def finished(tag: str, operacion: Operacion, unions: int, pulgadas: float, completed: bool) -> str:
    what = f"{unions} {'unión' if unions == 1 else 'uniones'}, {pulgadas:.3f}".rstrip("0").rstrip(".") + " pulgadas"
    how = f"{operacion} completada" if completed else f"{operacion} en pausa"
    return f"{what}. {how} en el spool {tag}."


def inspected(spool: Spool) -> str:
    match spool.metrologia:
        case Metrologia.BLOQUEADO:
            return f"Spool {spool.tag} rechazado por {REJECTIONS_MAX}.ª vez: queda bloqueado. Contactar al supervisor."
        case Metrologia.RECHAZADO:
            return f"Spool {spool.tag} rechazado (ciclo {spool.ciclo}/{REJECTIONS_MAX}): pasa a reparación."
    return f"Spool {spool.tag} aprobado por metrología."


def released(tag: str, label: str) -> str:
    return f"Spool {tag} liberado; lo tenía {label}."


def unblocked(tag: str) -> str:
    return f"Spool {tag} desbloqueado: pasa a reparación."


def corrected(tag: str, operacion: Operacion, unions: int) -> str:
    which = f" ({unions} {'unión' if unions == 1 else 'uniones'})" if unions else ""
    return f"{operacion} reabierta en el spool {tag}{which}."


def offered(tag: str, receiver: str | None) -> str:
    return f"Spool {tag} ofrecido a {receiver or 'quien corresponda'}; sigue siendo suyo hasta que lo acepten."


def handed_over(tag: str, giver: str, receiver: str, operacion: Operacion) -> str:
    return f"{giver} entregó el spool {tag} a {receiver} para {operacion}."


def withdrawn(tag: str) -> str:
    return f"El spool {tag} ya no se ofrece; sigue siendo suyo."


def declined(tag: str) -> str:
    return f"Oferta del spool {tag} rechazada."


def noted(tag: str, n_union: int | None, photos: int) -> str:
    where = f"el spool {tag}" if n_union is None else f"la unión {n_union} del spool {tag}"
    with_photos = f", con {photos} {'foto' if photos == 1 else 'fotos'}" if photos else ""
    return f"Nota guardada en {where}{with_photos}."


def ndt_requested(tag: str, method: str, unions: list[int]) -> str:
    if not unions:
        return f"Ensayo {method} solicitado para el spool {tag}."
    one = len(unions) == 1
    which = ", ".join(map(str, unions))
    return f"Ensayo {method} solicitado para {'la unión' if one else 'las uniones'} {which} del spool {tag}."


def ndt_result(tag: str, n_union: int, method: str, rejected: bool, more: int, welder: str) -> str:
    where = f"la unión {n_union} del spool {tag}" if n_union else f"el spool {tag}"
    if not rejected:
        return f"{method} aprobado en {where}."
    added = f" Se {'pide 1 ensayo' if more == 1 else f'piden {more} ensayos'} más de {welder}." if more else ""
    return f"{method} rechazado en {where}: hay que reparar.{added}"


def joint_repaired(tag: str, n_union: int, number: int, methods: list[str]) -> str:
    where = f"la unión {n_union} del spool {tag}" if n_union else f"el spool {tag}"
    return f"Reparación R{number} registrada en {where}: falta el reexamen {', '.join(methods)}."


def claimed(tag: str) -> str:
    return f"El trabajo en el spool {tag} quedó como reclamo: un supervisor lo verá."


def resolved(tag: str, label: str, accepted: int, declined: int) -> str:
    if not accepted:
        return f"Reclamo de {label} en el spool {tag} rechazado."
    rest = f", {declined} no" if declined else ""
    return f"Reclamo de {label} en el spool {tag}: {accepted} aceptado{'' if accepted == 1 else 's'}{rest}."
