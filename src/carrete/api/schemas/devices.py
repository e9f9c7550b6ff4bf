"""Devices and their enrolment."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.identity.devices import NAME_LENGTH_MAX
from carrete.identity.enrolment import CODE_LENGTH_MAX
from carrete.identity.records import DeviceKind

DeviceName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX, examples=["Tablet 3"])]


class EnrolmentBody(Body):
    """El dispositivo nuevo: `tablero` sólo muestra, y en él nadie se identifica."""

    nombre: DeviceName
    tipo: DeviceKind


class EnrolmentUseBody(Body):
    codigo: Annotated[str, Field(min_length=1, max_length=CODE_LENGTH_MAX, repr=False)]


class EnrolmentConfirmBody(Body):
    numero: Annotated[str, Field(pattern="^[0-9]{4}$", description="El que muestra el dispositivo.")]


class DeviceNameBody(Body):
    nombre: DeviceName


class EmptyBody(Body):
    """Vacío: `{}`."""


class DeviceOut(ApiModel):
    id: str
    nombre: str
    tipo: DeviceKind
    inscrito_en: str
    inscrito_por: str | None
    ultimo_uso: str
    revocado_en: str | None
    revocado_por: str | None


class PendingEnrolmentOut(ApiModel):
    id: str
    nombre: str
    tipo: DeviceKind
    numero: str | None = Field(description="El que muestra el dispositivo; null mientras nadie usó el código.")
    vence: str


class DeviceList(ApiModel):
    dispositivos: list[DeviceOut]
    inscripciones: list[PendingEnrolmentOut]


class EnrolmentOut(ApiModel):
    id: str
    codigo: str = Field(description="Se muestra una sola vez y sirve una sola vez, por 10 minutos.")
    direccion: str = Field(description="La página que lo usa; el código va en el fragmento.")
    vence: str


class EnrolmentNumberOut(ApiModel):
    numero: str


class ChangedOut(ApiModel):
    success: bool
    message: str
