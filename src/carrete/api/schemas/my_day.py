"""A person's own page: what they hold, what they did, what was rejected of it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ApiModel
from carrete.api.schemas.notes import NotaOut
from carrete.api.schemas.occupation import Trabajo
from carrete.api.schemas.reclamos import ReclamoOut
from carrete.domain.spool import Operacion
from carrete.domain.version import Workflow


class HeldOut(ApiModel):
    tag_spool: str
    operacion: Trabajo
    desde: str
    minutos: int
    version_workflow: Workflow
    estado_detalle: str


class OwnOutput(ApiModel):
    """`uniones` y `pulgadas` son 0 en lo que se trabaja por spool completo, y en inspecciones."""

    operacion: Operacion
    pulgadas: float
    uniones: int
    spools: int


class OwnSpoolOut(ApiModel):
    tag_spool: str
    operacion: Trabajo
    pulgadas: float
    uniones: int


class RejectionOut(ApiModel):
    tag_spool: str
    en: str
    ciclo: int | None = Field(description="Rechazos seguidos del spool, contando éste.")
    uniones: int | None = Field(description="Cuántas de sus soldaduras son de esta persona; null: spool completo.")


class OwnNoteOut(NotaOut):
    """Una nota de otra persona en un spool que ésta tiene."""

    tag_spool: str


class MyDayOut(ApiModel):
    """La semana empieza el lunes. Rechazos, reclamos y notas son los de los últimos 7 días."""

    ahora: str
    worker: str
    worker_id: int
    dia: str
    semana_desde: str
    tengo: list[HeldOut] = Field(description="El más antiguo primero.")
    tengo_total: int
    hoy: list[OwnOutput]
    semana: list[OwnOutput]
    hechos_hoy: list[OwnSpoolOut]
    rechazos: list[RejectionOut] = Field(description="De sus soldaduras, el más nuevo primero.")
    reclamos: list[ReclamoOut] = Field(description="Los que un supervisor ya decidió, el más nuevo primero.")
    notas: list[OwnNoteOut] = Field(description="De otros, en los spools que tiene, la más nueva primero.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "ahora": "2026-11-13T15:20:00-03:00",
                    "worker": "JS(8)",
                    "worker_id": 8,
                    "dia": "2026-11-13",
                    "semana_desde": "2026-11-09",
                    "tengo": [],
                    "tengo_total": 0,
                    "hoy": [{"operacion": "SOLD", "pulgadas": 18.5, "uniones": 6, "spools": 2}],
                    "semana": [{"operacion": "SOLD", "pulgadas": 92, "uniones": 31, "spools": 9}],
                    "hechos_hoy": [{"tag_spool": EXAMPLE_TAG, "operacion": "SOLD", "pulgadas": 12.5, "uniones": 4}],
                    "rechazos": [
                        {"tag_spool": EXAMPLE_TAG, "en": "2026-11-13T10:04:00-03:00", "ciclo": 1, "uniones": 4}
                    ],
                    "reclamos": [],
                    "notas": [],
                }
            ]
        }
    )
