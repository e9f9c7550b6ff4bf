"""Signing in: the bodies with a PIN, the session, and what a page asks first. No field with a secret is ever shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from carrete.api.schemas.fields import ApiModel, Body, WorkerId
from carrete.api.schemas.spools import WorkerOut
from carrete.domain.authorship import Proof
from carrete.domain.workers import Rol
from carrete.identity.people import BADGE_LENGTH_MAX
from carrete.identity.records import DeviceKind
from carrete.identity.server_keys import SEALED_CHARS_MAX
from carrete.identity.sessions import UNSENT_MAX
from carrete.settings import Access


def _typed_badge(text: str) -> str:
    """A reader may type blanks around the code."""
    code = text.strip()
    if not code or not code.isprintable():
        raise ValueError("no es el código de una credencial.")
    return code


PinText = Annotated[str, Field(pattern="^[0-9]{6}$", examples=["482915"], description="6 dígitos.")]
BadgeText = Annotated[str, Field(max_length=BADGE_LENGTH_MAX), AfterValidator(_typed_badge)]


class SignInBody(Body):
    """Quien entra: por su número o por su credencial. Con CARRETE_ACCESS=device el piso entra sin PIN."""

    worker_id: WorkerId | None = None
    badge: BadgeText | None = None
    pin: PinText | None = Field(None, repr=False)

    @model_validator(mode="after")
    def _one_person(self) -> SignInBody:
        if (self.worker_id is None) == (self.badge is None):
            raise ValueError("debe tener worker_id o badge, y no los dos.")
        return self


class PinBody(Body):
    """El PIN, o el PIN que se ingresó sin conexión, sellado para este servidor."""

    pin: PinText | None = Field(None, repr=False)
    sellado: Annotated[str, Field(max_length=SEALED_CHARS_MAX)] | None = Field(None, repr=False)

    @model_validator(mode="after")
    def _one_pin(self) -> PinBody:
        if (self.pin is None) == (self.sellado is None):
            raise ValueError("debe tener pin o sellado, y no los dos.")
        return self


class PinChangeBody(Body):
    pin: PinText = Field(repr=False)
    nuevo: PinText = Field(repr=False)


class SessionUseBody(Body):
    """Vacío: alguien está tocando la pantalla."""


class SignOutBody(Body):
    """Qué toques de la sesión siguen sin respuesta en este tablet."""

    sin_enviar: Annotated[
        list[Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f86d081" * 8])]],
        Field(
            max_length=UNSENT_MAX,
            description="La firma de cada uno, como en su Carrete-Tap. Desde ahora no se acepta otro de esa sesión; "
            "una lista posterior sólo quita.",
        ),
    ]


class OwnSessionOut(ApiModel):
    worker: WorkerOut
    roles: list[Rol]
    ends: str
    session: str
    proof: Proof
    locked: bool
    pin_fresh_s: int = Field(description="Por cuántos segundos vale todavía el PIN para lo que lo pide de nuevo.")


class SignedInOut(OwnSessionOut):
    tap_key: str | None = Field(description="La clave de los toques, en base64url; null sin HTTPS.")


class SessionDoneOut(ApiModel):
    success: bool


class RecentPeopleOut(ApiModel):
    recientes: list[WorkerOut]


class AccessDeviceOut(ApiModel):
    id: str
    nombre: str
    tipo: DeviceKind


class AccessClaimOut(ApiModel):
    """Este navegador usó un código y espera al administrador."""

    numero: str
    estado: Literal["esperando", "vencida"]


class AccessOut(ApiModel):
    """Lo primero que pregunta una página."""

    modo: Access
    taller: str = Field(description="El nombre del taller; sólo para un dispositivo inscrito.")
    dispositivo: AccessDeviceOut | None
    inscripcion: AccessClaimOut | None
    sesion: OwnSessionOut | None
    administrador: bool = Field(description="Si hay uno.")
    bloqueo_s: int = Field(description="Tras tantos segundos sin uso la sesión se bloquea.")
    firma: bool = Field(description="Si los toques se firman: no sin HTTPS.")
    muchos_fallos: bool = Field(description="Más de 100 PIN incorrectos en una hora. Lo sabe sólo quien supervisa.")
    foto_en_rechazo: bool = Field(description="Si al rechazar un spool se pide una foto.")
    clave_publica: str | None = Field(description="Para sellar un PIN sin conexión: P-256, en base64url.")
