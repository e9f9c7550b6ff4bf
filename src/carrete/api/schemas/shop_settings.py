"""The shop's settings, their history, and the steps of the first start."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from carrete.api.schemas.fields import Body
from carrete.shop_settings.first_start import FirstStep
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


class ShiftOut(BaseModel):
    """Un turno, en la hora del taller. Si no termina después de empezar, termina al día siguiente."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    nombre: Annotated[str, Field(min_length=1, max_length=SHIFT_NAME_LENGTH_MAX, examples=["Mañana"])]
    dias: Annotated[list[Weekday], Field(min_length=1, max_length=7, description="En que empieza; 1 es lunes.")]
    desde: Hour
    hasta: Hour


LimitHours = Annotated[int, Field(ge=0, le=LIMIT_HOURS_MAX, description="Horas; 0: nunca.", examples=[12])]


class OperationHoursOut(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ARM: LimitHours
    SOLD: LimitHours
    REPARACION: LimitHours


class OverdueLimitsOut(BaseModel):
    """Desde cuántas horas un spool está atrasado. No libera nada: sólo se muestra."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ocupado: OperationHoursOut
    pausado: OperationHoursOut
    inspeccion: LimitHours


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

    def changes(self) -> dict[str, Any]:
        """The settings that the body has, as JSON values. A null is the same as leaving the setting out."""
        return self.model_dump(exclude_none=True)


class ShopSettingsOut(BaseModel):
    nombre_taller: str
    zona_horaria: str
    tipos_solo_arm: list[str] = Field(description="Tipos de unión que se arman y no se sueldan.")
    turnos: list[ShiftOut]
    webhook_conflictos: str = Field(description="Completa sólo para un administrador, y si no está fijada.")
    foto_en_rechazo: bool = Field(description="Si al rechazar se pide una foto; se puede seguir sin ella.")
    google_sheet: str = Field(description="El identificador de la planilla; se cambia en /api/planilla/google.")
    limites_atraso: OverdueLimitsOut


class SettingsInForceOut(BaseModel):
    ajustes: ShopSettingsOut = Field(description="Los que valen ahora.")
    fijados: list[str] = Field(description="Los que fija el servidor: no se cambian aquí.")
    cambiado_en: str | None
    cambiado_por: str | None


class SettingChangeOut(BaseModel):
    at: str
    por: int | None = Field(description="null: un comando del servidor.")
    por_label: str | None
    ajuste: str
    antes: Any
    despues: Any


class SettingHistoryOut(BaseModel):
    cambios: list[SettingChangeOut] = Field(description="Lo más nuevo primero.")
    next_cursor: str | None


class WebhookTestOut(BaseModel):
    estado: int | None = Field(description="El código HTTP que respondió; null: no respondió.")
    ok: bool
    mensaje: str


class FirstStepBody(Body):
    author_field: ClassVar[str] = ""

    paso: FirstStep
    listo: bool


class FirstStepOut(BaseModel):
    paso: FirstStep
    listo: bool


class FirstStepsOut(BaseModel):
    pasos: list[FirstStepOut]
    terminado: bool
