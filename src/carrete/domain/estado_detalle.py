"""`Estado_Detalle`: the text in the sheet that shows people a spool's state.

It is rendered from typed state. It is parsed only once, when a spool is imported for the first time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from carrete.domain.spool import REJECTIONS_MAX, Estado, Metrologia, Operacion, Reparacion, Spool

APROBADO = "METROLOGIA_APROBADO ✓"
EN_COLA = "En Cola Metrología"
PENDIENTE_METROLOGIA = "PENDIENTE_METROLOGIA"
BLOQUEADO = "BLOQUEADO - Contactar supervisor"

_PALABRA = {
    Estado.PENDIENTE: "pendiente",
    Estado.EN_PROGRESO: "en progreso",
    Estado.PAUSADO: "pausado",
    Estado.COMPLETADO: "completado",
}


def render(spool: Spool) -> str:
    if spool.metrologia is not Metrologia.PENDIENTE:
        return _once_inspectable(spool)
    both = f"ARM {_PALABRA[spool.arm]}, SOLD {_PALABRA[spool.sold]}"
    held = spool.occupation
    if held is not None:
        return f"{held.label} trabajando {held.operacion} ({both})"
    return f"Disponible - {both}"


def _once_inspectable(spool: Spool) -> str:
    """Of a spool whose ARM and SOLD were complete."""
    if spool.metrologia is Metrologia.BLOQUEADO:
        return BLOQUEADO
    if spool.metrologia is Metrologia.RECHAZADO:
        return _repair(spool)
    if spool.metrologia is Metrologia.APROBADO:
        return APROBADO
    return PENDIENTE_METROLOGIA if spool.reparacion is Reparacion.COMPLETADO else EN_COLA


def _repair(spool: Spool) -> str:
    ciclo = f"(Ciclo {spool.ciclo}/{REJECTIONS_MAX})"
    if spool.occupation is not None:
        return f"EN_REPARACION {ciclo} - Ocupado: {spool.occupation.label}"
    if spool.reparacion is Reparacion.PAUSADO:
        return f"REPARACION_PAUSADA {ciclo}"
    return f"RECHAZADO {ciclo} - Pendiente reparación"


@dataclass(frozen=True, slots=True)
class ParsedEstado:
    """What the text says about the spool; None where it says nothing."""

    metrologia: Metrologia | None = None
    reparacion: Reparacion | None = None
    ciclo: int | None = None
    holder: str | None = None
    operacion: Operacion | None = None
    arm: Estado | None = None
    sold: Estado | None = None


_CICLO = re.compile(r"Ciclo\s+(\d+)\s*/", re.IGNORECASE)
_OCUPADO = re.compile(r"Ocupado:\s*(\S.*?)\s*$", re.IGNORECASE)
_TRABAJANDO = re.compile(r"^\s*(\S.*?)\s+trabajando\s+(ARM|SOLD)\b", re.IGNORECASE)
_PROGRESO = re.compile(r"\b(ARM|SOLD)\s+(pendiente|en progreso|pausado|completado)", re.IGNORECASE)
_ESTADO = {palabra: estado for estado, palabra in _PALABRA.items()}


def parse(text: str | None) -> ParsedEstado:
    """Only for the first import of a spool; afterwards the ledger's typed state decides."""
    text = (text or "").strip()
    upper = text.upper()
    ciclo = int(found[1]) if (found := _CICLO.search(text)) else None
    if upper.startswith("BLOQUEADO"):
        return ParsedEstado(Metrologia.BLOQUEADO, Reparacion.PENDIENTE, ciclo=REJECTIONS_MAX)
    if upper.startswith("EN_REPARACION"):
        holder = found[1] if (found := _OCUPADO.search(text)) else None
        return ParsedEstado(Metrologia.RECHAZADO, Reparacion.EN_PROGRESO, ciclo or 1, holder, Operacion.REPARACION)
    if upper.startswith("REPARACION_PAUSADA"):
        return ParsedEstado(Metrologia.RECHAZADO, Reparacion.PAUSADO, ciclo or 1)
    if upper.startswith("RECHAZADO"):
        return ParsedEstado(Metrologia.RECHAZADO, Reparacion.PENDIENTE, ciclo or 1)
    if upper.startswith("METROLOGIA_APROBADO"):
        return ParsedEstado(Metrologia.APROBADO, Reparacion.NO_REQUERIDA, ciclo=0)
    if upper.startswith("PENDIENTE_METROLOGIA"):
        return ParsedEstado(Metrologia.EN_COLA, Reparacion.COMPLETADO, ciclo or 1)
    if upper.startswith("EN COLA"):
        return ParsedEstado(Metrologia.EN_COLA, Reparacion.NO_REQUERIDA, ciclo=0)
    progress = {op.upper(): _ESTADO[word.lower()] for op, word in _PROGRESO.findall(text)}
    working = _TRABAJANDO.match(text)
    return ParsedEstado(
        holder=working[1] if working else None,
        operacion=Operacion(working[2].upper()) if working else None,
        arm=progress.get("ARM"),
        sold=progress.get("SOLD"),
    )
