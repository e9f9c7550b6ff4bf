"""What a worker reads after a tap that worked. Refusals carry theirs in `refusals`."""

from __future__ import annotations

from carrete.domain.spool import Operacion


def taken(tag: str, label: str, operacion: Operacion) -> str:
    return f"{label} tiene el spool {tag} para {operacion}."


def paused(tag: str, operacion: Operacion) -> str:
    return f"{operacion} en pausa; el spool {tag} queda disponible."


def completed(tag: str, operacion: Operacion) -> str:
    return f"{operacion} completada en el spool {tag}."


def cancelled(tag: str, operacion: Operacion) -> str:
    return f"{operacion} cancelada; el spool {tag} queda como estaba."


def finished(tag: str, operacion: Operacion, unions: int, pulgadas: float, completed: bool) -> str:
    what = f"{unions} {'unión' if unions == 1 else 'uniones'}, {pulgadas:.3f}".rstrip("0").rstrip(".") + " pulgadas"
    how = f"{operacion} completada" if completed else f"{operacion} en pausa"
    return f"{what}. {how} en el spool {tag}."
