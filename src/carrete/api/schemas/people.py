"""People as administrators and supervisors see them."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from carrete.api.schemas.fields import ID_MAX, ApiModel, Body
from carrete.api.schemas.spools import WorkerOut
from carrete.domain.workers import Rol
from carrete.identity.people import BADGE_LENGTH_MAX, NAME_LENGTH_MAX

PersonName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX)]
Roles = Annotated[list[Rol], Field(max_length=len(Rol))]


class PersonBody(Body):
    id: Annotated[int, Field(ge=1, le=ID_MAX)]
    nombre: PersonName
    apellido: PersonName
    roles: Roles = Field(default_factory=list)


class NameBody(Body):
    nombre: PersonName
    apellido: PersonName


class RolesBody(Body):
    """Exactamente estos roles desde ahora."""

    roles: Roles


class BadgeBody(Body):
    badge: Annotated[str, Field(min_length=1, max_length=BADGE_LENGTH_MAX)] | None = Field(
        description="Lo que escribe el lector; null la retira."
    )


class AskedChangeOut(ApiModel):
    """Un nombre nuevo o una reactivación que la planilla pide."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    nombre: str
    apellido: str
    activo: bool


class PrivilegesBody(Body):
    """La decisión, y lo que esperaba cuando se decidió: si la planilla pide ya otra cosa, no vale."""

    confirmar: bool = Field(description="false: se rechaza lo que espera.")
    roles_pendientes: list[Rol] = Field(max_length=20, description="Como en /api/personas.")
    cambio_pendiente: AskedChangeOut | None = Field(description="Como en /api/personas.")


class CardsBody(Body):
    todos: bool = Field(False, description="true: un PIN nuevo para todos, también para quien ya tiene.")


class PinLockOut(ApiModel):
    dispositivo: str | None = Field(description="null: en todos.")
    desde: str


class PersonOut(WorkerOut):
    activo: bool
    roles_pendientes: list[Rol] = Field(description="Pedidos en la planilla; esperan que un administrador confirme.")
    cambio_pendiente: AskedChangeOut | None
    tiene_pin: bool
    badge: str | None = Field(description="Sólo para administradores.")
    bloqueado: list[PinLockOut]


class PersonList(ApiModel):
    personas: list[PersonOut]


class PersonChangedOut(ApiModel):
    success: bool
    message: str
    worker: WorkerOut


class BadgesGivenOut(ApiModel):
    dadas: int = Field(description="Cuántas personas no tenían credencial.")


class NewPinOut(ApiModel):
    pin: str = Field(description="Se muestra una sola vez.")
    worker: WorkerOut


class PinCardOut(ApiModel):
    id: int
    label: str
    nombre: str
    apellido: str
    pin: str
    badge: str | None


class PinCardList(ApiModel):
    tarjetas: list[PinCardOut]
