"""The board and the reports of a supervisor."""

from __future__ import annotations

from enum import StrEnum

from carrete.api.schemas.fields import ApiModel
from carrete.api.schemas.stage_times import OverdueOut
from carrete.domain.spool import Operacion


class OccupiedOut(ApiModel):
    tag_spool: str
    ocupado_por: str
    ocupado_por_id: int
    operacion: Operacion
    since: str
    minutos: int
    estado_detalle: str
    atraso: OverdueOut | None


class OccupiedList(ApiModel):
    occupied: list[OccupiedOut]
    total: int


class StageOut(ApiModel):
    operacion: Operacion
    waiting: int
    in_work: int
    paused: int


class StageList(ApiModel):
    """`waiting` can be begun now; `without_materials` cannot begin yet. `now` is the shop's clock."""

    now: str
    stages: list[StageOut]
    without_materials: int
    rejected: int
    blocked: int
    done: int


class OutputRow(ApiModel):
    """Has the field that the query parameter `por` names: `dia`, `worker` or `operacion`."""

    dia: str | None = None
    worker: str | None = None
    operacion: str | None = None
    pulgadas: float
    uniones: int
    spools: int


class OutputList(ApiModel):
    rows: list[OutputRow]


class QualityPor(StrEnum):
    DIA = "dia"
    WORKER = "worker"


class QualityFigures(ApiModel):
    inspecciones: int
    rechazos: int
    primeras: int
    aprobadas_a_la_primera: int
    rendimiento_a_la_primera: float | None


class QualityRow(QualityFigures):
    dia: str | None = None
    worker: str | None = None


class QualityList(ApiModel):
    rows: list[QualityRow]
    total: QualityFigures
