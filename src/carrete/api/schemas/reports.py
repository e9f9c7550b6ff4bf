"""The board and the reports of a supervisor."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel

from carrete.api.schemas.stage_times import OverdueOut
from carrete.domain.spool import Operacion


class OccupiedOut(BaseModel):
    tag_spool: str
    ocupado_por: str
    ocupado_por_id: int
    operacion: Operacion
    since: str
    minutos: int
    estado_detalle: str
    atraso: OverdueOut | None


class OccupiedList(BaseModel):
    occupied: list[OccupiedOut]
    total: int


class StageOut(BaseModel):
    operacion: Operacion
    waiting: int
    in_work: int
    paused: int


class StageList(BaseModel):
    """`waiting` can be begun now; `without_materials` cannot begin yet. `now` is the shop's clock."""

    now: str
    stages: list[StageOut]
    without_materials: int
    rejected: int
    blocked: int
    done: int


class OutputRow(BaseModel):
    """Has the field that the query parameter `por` names: `dia`, `worker` or `operacion`."""

    dia: str | None = None
    worker: str | None = None
    operacion: str | None = None
    pulgadas: float
    uniones: int
    spools: int


class OutputList(BaseModel):
    rows: list[OutputRow]


class QualityPor(StrEnum):
    DIA = "dia"
    WORKER = "worker"


class QualityFigures(BaseModel):
    inspecciones: int
    rechazos: int
    primeras: int
    aprobadas_a_la_primera: int
    rendimiento_a_la_primera: float | None


class QualityRow(QualityFigures):
    dia: str | None = None
    worker: str | None = None


class QualityList(BaseModel):
    rows: list[QualityRow]
    total: QualityFigures
