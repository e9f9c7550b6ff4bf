"""What is overdue, and how long the stages take."""

from __future__ import annotations

from pydantic import Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ApiModel
from carrete.domain.overdue import TipoAtraso
from carrete.domain.spool import Operacion


class OverdueOut(ApiModel):
    """Más tiempo que el límite del taller (ajuste `limites_atraso`). No libera nada."""

    tipo: TipoAtraso = Field(description="Ocupado, pausado o en cola de inspección.")
    operacion: Operacion
    desde: str = Field(examples=["2026-11-16T08:00:00-03:00"])
    horas: float = Field(description="Cuánto lleva así, en horas.", examples=[26.5])
    limite: int = Field(description="El límite, en horas.", examples=[12])


class OverdueSpoolOut(ApiModel):
    tag_spool: str = Field(examples=[EXAMPLE_TAG])
    ot: str | None
    ocupado_por: str | None
    ocupado_por_id: int | None
    estado_detalle: str
    atraso: OverdueOut


class OverdueTotals(ApiModel):
    OCUPADO: int
    PAUSADO: int
    EN_COLA: int


class OverdueList(ApiModel):
    """`now` es el reloj del taller."""

    now: str
    atrasos: list[OverdueSpoolOut] = Field(description="El más antiguo primero; a lo más 100 de cada tipo.")
    totales: OverdueTotals


class LengthsOut(ApiModel):
    veces: int
    mediana_horas: float | None = Field(description="null: ninguna en el período.")
    total_horas: float


class StageNowOut(ApiModel):
    esperan: int
    mediana_horas: float | None = Field(description="Cuánto llevan esperando.")
    en_trabajo: int


class StageTimesOut(ApiModel):
    """`espera` y `trabajo`: lo que terminó en el período. METROLOGIA es instantánea: sólo se espera."""

    operacion: Operacion
    espera: LengthsOut
    trabajo: LengthsOut
    ahora: StageNowOut


class AgeOut(ApiModel):
    hasta_dias: int | None = Field(description="Menos de estos días desde que se empezó; null: más que el anterior.")
    spools: int


class WeekOut(ApiModel):
    semana: str = Field(description="El lunes.", examples=["2026-11-16"])
    spools: int


class BottleneckOut(ApiModel):
    operacion: Operacion
    esperan: int
    mediana_horas: float


class StageTimesList(ApiModel):
    now: str
    etapas: list[StageTimesOut]
    en_curso: list[AgeOut] = Field(description="Spools empezados y no aprobados, por su antigüedad.")
    por_semana: list[WeekOut] = Field(description="Spools aprobados.")
    cuello: BottleneckOut | None = Field(description="Donde más se acumula lo empezado; null: nada espera.")
