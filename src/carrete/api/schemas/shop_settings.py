"""The shop's settings, their history, and the steps of the first start."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.shop_settings.first_start import FirstStep
from carrete.shop_settings.ndt_values import (
    ADDITIONAL_MAX,
    DEFECT_LENGTH_MAX,
    DEFECTS_MAX,
    METHOD_LENGTH_MAX,
    METHODS_MAX,
    OT_LENGTH_MAX,
    RULE_TYPES_MAX,
    RULES_MAX,
)
from carrete.shop_settings.values import (
    ADDRESS_LENGTH_MAX,
    LIMIT_HOURS_MAX,
    NAME_LENGTH_MAX,
    SHIFT_NAME_LENGTH_MAX,
    SHIFTS_MAX,
    TYPE_LENGTH_MAX,
    TYPES_MAX,
    ZONE_LENGTH_MAX,
)

Hour = Annotated[str, Field(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["07:00"])]
Weekday = Annotated[int, Field(ge=1, le=7)]
JointType = Annotated[str, Field(min_length=1, max_length=TYPE_LENGTH_MAX, examples=["FW"])]


class ShiftOut(ApiModel):
    """Un turno, en la hora del taller. Si no termina después de empezar, termina al día siguiente."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    nombre: Annotated[str, Field(min_length=1, max_length=SHIFT_NAME_LENGTH_MAX, examples=["Mañana"])]
    dias: Annotated[list[Weekday], Field(min_length=1, max_length=7, description="En que empieza; 1 es lunes.")]
    desde: Hour
    hasta: Hour


Calificacion = Annotated[
    Literal["", "apagado", "avisar", "exigir"],
    Field(
        description="Si un soldador no calificado sigue, sigue con aviso o no sigue; vacío: aviso si hay calificaciones"
    ),
]
LimitHours = Annotated[int, Field(ge=0, le=LIMIT_HOURS_MAX, description="Horas; 0: nunca.", examples=[12])]


class OperationHoursOut(ApiModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ARM: LimitHours
    SOLD: LimitHours
    REPARACION: LimitHours


class OverdueLimitsOut(ApiModel):
    """Desde cuántas horas un spool está atrasado. No libera nada: sólo se muestra."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ocupado: OperationHoursOut
    pausado: OperationHoursOut
    inspeccion: LimitHours


NdtMethod = Annotated[str, Field(min_length=1, max_length=METHOD_LENGTH_MAX, examples=["RT"])]
DefectCode = Annotated[str, Field(min_length=1, max_length=DEFECT_LENGTH_MAX, examples=["POROSIDAD"])]
Additional = Annotated[int, Field(ge=0, le=ADDITIONAL_MAX, description="0: ninguno.", examples=[2])]


class NdtRuleOut(ApiModel):
    """Ensayar ese porcentaje de las soldaduras de cada soldador en cada OT. La semilla la da el servidor."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    id: Annotated[str, Field(max_length=32, description="Sin él, la regla es nueva.")] | None = None
    semilla: Annotated[str, Field(max_length=64, description="Se crea con la regla y no cambia.")] | None = None
    metodo: NdtMethod
    porcentaje: Annotated[int, Field(ge=1, le=100, examples=[10])]
    ot: Annotated[str, Field(max_length=OT_LENGTH_MAX, description="Vacía: todas.")] = ""
    tipos: Annotated[list[JointType], Field(max_length=RULE_TYPES_MAX, description="Ninguno: todos.")] = []  # noqa: RUF012 - pydantic copies it


class ShopSettingsBody(Body):
    """Los ajustes que cambian; los demás quedan como están."""

    author_field: ClassVar[str] = ""

    nombre_taller: Annotated[str, Field(max_length=NAME_LENGTH_MAX)] | None = None
    zona_horaria: Annotated[str, Field(max_length=ZONE_LENGTH_MAX, examples=["America/Santiago"])] | None = None
    tipos_solo_arm: Annotated[list[JointType], Field(max_length=TYPES_MAX)] | None = None
    turnos: Annotated[list[ShiftOut], Field(max_length=SHIFTS_MAX)] | None = None
    webhook_conflictos: Annotated[str, Field(max_length=ADDRESS_LENGTH_MAX)] | None = Field(None, repr=False)
    limites_atraso: OverdueLimitsOut | None = None
    foto_en_rechazo: bool | None = None
    calificacion: Calificacion | None = None
    ndt_metodos: Annotated[list[NdtMethod], Field(min_length=1, max_length=METHODS_MAX)] | None = None
    ndt_defectos: Annotated[list[DefectCode], Field(max_length=DEFECTS_MAX)] | None = None
    ndt_reglas: Annotated[list[NdtRuleOut], Field(max_length=RULES_MAX)] | None = None
    ndt_adicionales: Additional | None = None
    ndt_en_ciclo: bool | None = None
    ndt_bloquea: bool | None = None

    def changes(self) -> dict[str, Any]:
        """The settings that the body has, as JSON values. A null is the same as leaving the setting out."""
        return self.model_dump(exclude_none=True)


class ShopSettingsOut(ApiModel):
    nombre_taller: str
    zona_horaria: str
    tipos_solo_arm: list[str] = Field(description="Tipos de unión que se arman y no se sueldan.")
    turnos: list[ShiftOut]
    webhook_conflictos: str = Field(description="Completa sólo para un administrador, y si no está fijada.")
    foto_en_rechazo: bool = Field(description="Si al rechazar se pide una foto; se puede seguir sin ella.")
    google_sheet: str = Field(description="El identificador de la planilla; se cambia en /api/planilla/google.")
    limites_atraso: OverdueLimitsOut
    calificacion: Calificacion
    ndt_metodos: list[str] = Field(description="Métodos de ensayo que el taller usa.")
    ndt_defectos: list[str] = Field(description="Códigos de defecto de un rechazo.")
    ndt_reglas: list[NdtRuleOut] = Field(description="Qué porcentaje de las soldaduras se ensaya.")
    ndt_adicionales: int = Field(description="Cuántas uniones más del mismo soldador pide un rechazo.")
    ndt_en_ciclo: bool = Field(description="Si un ensayo rechazado cuenta como rechazo del spool.")
    ndt_bloquea: bool = Field(description="Si un spool con ensayos abiertos no se puede aprobar.")


class SettingsInForceOut(ApiModel):
    ajustes: ShopSettingsOut = Field(description="Los que valen ahora.")
    fijados: list[str] = Field(description="Los que fija el servidor: no se cambian aquí.")
    cambiado_en: str | None
    cambiado_por: str | None


class SettingChangeOut(ApiModel):
    at: str
    por: int | None = Field(description="null: un comando del servidor.")
    por_label: str | None
    ajuste: str
    antes: Any
    despues: Any


class SettingHistoryOut(ApiModel):
    cambios: list[SettingChangeOut] = Field(description="Lo más nuevo primero.")
    next_cursor: str | None


class WebhookTestOut(ApiModel):
    estado: int | None = Field(description="El código HTTP que respondió; null: no respondió.")
    ok: bool
    mensaje: str


class FirstStepBody(Body):
    author_field: ClassVar[str] = ""

    paso: FirstStep
    listo: bool


class FirstStepOut(ApiModel):
    paso: FirstStep
    listo: bool


class FirstStepsOut(ApiModel):
    pasos: list[FirstStepOut]
    terminado: bool
