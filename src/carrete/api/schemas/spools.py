"""Lists and cards of spools, and the people of the shop."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ApiModel
from carrete.api.schemas.notes import NotaOut
from carrete.api.schemas.stage_times import OverdueOut
from carrete.domain.spool import Ensayos, Estado, Operacion
from carrete.domain.workers import Rol


class Accion(StrEnum):
    TOMAR = "TOMAR"
    PAUSAR = "PAUSAR"
    COMPLETAR = "COMPLETAR"
    CANCELAR = "CANCELAR"
    INICIAR = "INICIAR"
    FINALIZAR = "FINALIZAR"
    INSPECCIONAR = "INSPECCIONAR"
    DESBLOQUEAR = "DESBLOQUEAR"


class SpoolOut(ApiModel):
    tag_spool: str
    ot: str | None
    nv: str | None
    version_workflow: Literal["v3.0", "v4.0"]
    total_uniones: int | None
    uniones_sold_necesarias: int
    uniones_arm_completadas: int
    uniones_sold_completadas: int
    arm: Estado
    sold: Estado
    metrologia: str
    reparacion: str
    ocupado_por: str | None
    ocupado_por_id: int | None
    operacion_actual: Operacion | None
    fecha_ocupacion: str | None
    armador: str | None
    soldador: str | None
    fecha_materiales: str | None
    fecha_armado: str | None
    fecha_soldadura: str | None
    fecha_qc_metrologia: str | None
    ciclo: int
    ndt: Ensayos = Field(description="Vacío: sin ensayos. PENDIENTE: hay uno abierto o una unión por reparar.")
    estado_detalle: str
    atraso: OverdueOut | None = Field(
        description="null: a tiempo. En la copia para trabajar sin conexión, siempre null."
    )
    version: str


class SpoolList(ApiModel):
    spools: list[SpoolOut]
    total: int
    next_cursor: str | None


class JointOut(ApiModel):
    n_union: int
    dn_union: float | None
    tipo_union: str | None
    datos_incompletos: str | None
    arm_worker: str | None
    arm_fecha_fin: str | None
    sol_worker: str | None
    sol_fecha_fin: str | None
    ndt_union: str | None = Field(description="Métodos de ensayo, como en la planilla", examples=["RT, PT"])
    ndt_status: str | None = Field(description="Como en la planilla", examples=["PENDIENTE"])
    wps: str | None = Field(description="El procedimiento de soldadura", examples=["WPS-001"])
    espesor: float | None = Field(description="En milímetros")
    material: str | None
    posicion: str | None
    colada_1: str | None
    colada_2: str | None


class AccionPosible(ApiModel):
    accion: Accion | Literal["LIBERAR", "CORREGIR"]
    operacion: Operacion


class MotivoDeNo(ApiModel):
    """Por qué este trabajador no puede seguir con esa operación: lo mismo que diría el rechazo."""

    operacion: Operacion
    code: str = Field(examples=["DEPENDENCIAS_NO_SATISFECHAS"])
    detail: str = Field(examples=[f"El spool {EXAMPLE_TAG} no tiene Fecha_Materiales."])
    falta: str | None = Field(description="Lo que falta, si es un paso anterior", examples=["Fecha_Materiales"])


class SpoolCard(SpoolOut):
    uniones: list[JointOut]
    pulgadas_arm: float
    pulgadas_sold: float
    retirado: bool
    inconsistencias: list[str]
    acciones: list[AccionPosible]
    motivos: list[MotivoDeNo] = Field(description="A lo más uno por operación; vacío sin worker_id")
    notas: list[NotaOut] = Field(description="Las últimas, lo más nuevo primero. En la copia sin conexión, ninguna")
    mas_notas: bool = Field(description="Si hay más en /api/spools/{tag}/notas")


class OfflineCopy(ApiModel):
    """Lo que un tablet guarda para cuando no hay conexión."""

    spools: list[SpoolCard] = Field(description="Por tag; `acciones` sólo con las de tomar y terminar, `motivos` vacío")
    faltan: int = Field(description="Cuántos no cupieron")
    solo_arm: list[str] = Field(description="Los tipos de unión que no se sueldan", examples=[["FW"]])
    visto_en: str


class WorkerOut(ApiModel):
    id: int
    nombre: str
    apellido: str
    label: str
    roles: list[Rol]


class WorkerList(ApiModel):
    workers: list[WorkerOut]
    total: int
