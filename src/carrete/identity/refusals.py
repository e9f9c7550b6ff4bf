"""The refusals of identity. Those about who asks are never stored under an idempotency key."""

from __future__ import annotations

from typing import Any

from carrete.domain.refusals import Refusal


class IdentityRefusal(Refusal):
    """The request is not from whom it must be, or what it names about identity is not so. Nothing was changed."""


class SessionRequired(IdentityRefusal):
    code = "SESION_REQUERIDA"
    title = "Sesión requerida"

    def __init__(self, *, locked: bool = False) -> None:
        sentence = "La sesión está bloqueada: ingrese su PIN." if locked else "Identifíquese con su PIN para seguir."
        super().__init__(sentence, bloqueada=locked)


class ApiTokenRefused(IdentityRefusal):
    """A bearer token that is unknown, revoked or expired. The answer does not say which."""

    code = SessionRequired.code
    title = SessionRequired.title

    def __init__(self) -> None:
        super().__init__("El token no existe, venció o fue revocado. Pida otro a un administrador.", bloqueada=False)


class DeviceNotEnrolled(IdentityRefusal):
    code = "DISPOSITIVO_NO_INSCRITO"
    title = "Dispositivo no inscrito"

    def __init__(self) -> None:
        super().__init__("Este dispositivo no está inscrito. Pida a un administrador que lo inscriba.")


class WrongPin(IdentityRefusal):
    """One sentence for a wrong PIN and for an unknown person."""

    code = "PIN_INCORRECTO"
    title = "PIN incorrecto"

    def __init__(self) -> None:
        super().__init__("La persona o el PIN no son correctos.")


class IdentityDiffers(IdentityRefusal):
    code = "IDENTIDAD_DISTINTA"
    title = "Otra persona"

    def __init__(self, named: int | None) -> None:
        super().__init__("La solicitud nombra a otra persona que la identificada. Nada se hizo.")
        self.named = named


class PinRequired(IdentityRefusal):
    code = "PIN_REQUERIDO"
    title = "PIN requerido"

    def __init__(self, sentence: str = "Para esto ingrese su PIN de nuevo.") -> None:
        super().__init__(sentence)


class NotPermitted(IdentityRefusal):
    code = "PERMISO_INSUFICIENTE"
    title = "Permiso insuficiente"

    def __init__(self, detail: str = "Quien está identificado no puede hacer esto.", **context: Any) -> None:
        super().__init__(detail, **context)


class PinLocked(IdentityRefusal):
    code = "PIN_BLOQUEADO"
    title = "PIN bloqueado"

    def __init__(self) -> None:
        super().__init__("Demasiados PIN incorrectos. Un supervisor o un administrador puede desbloquearlo.")


class TooManyAttempts(IdentityRefusal):
    code = "DEMASIADOS_INTENTOS"
    title = "Demasiados intentos"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"Demasiados intentos. Espere {retry_after_s} segundos.", retry_after_s=retry_after_s)


class TapRefused(IdentityRefusal):
    """The `Carrete-Tap` of a request does not hold. It is never taken for a tap of the person who is signed in now."""

    code = "TOQUE_NO_VALIDO"
    title = "Toque no válido"

    def __init__(self, reason: str) -> None:
        super().__init__(f"El toque no se puede atribuir a su autor: {reason} Nada se hizo.")
        self.reason = reason


class CodeRefused(IdentityRefusal):
    code = "CODIGO_NO_VALIDO"
    title = "Código no válido"

    def __init__(self) -> None:
        super().__init__("El código no es válido, ya se usó o venció. Pida uno nuevo.")


class RecordUnknown(IdentityRefusal):
    """A device, token, enrolment or request for a privilege that an administrator named is not there."""

    code = "NO_ENCONTRADO"
    title = "No encontrado"


class PendingChanged(IdentityRefusal):
    """The workbook asks for something else by now than what the administrator saw and decided about."""

    code = "PENDIENTE_DISTINTO"
    title = "Lo pendiente cambió"

    def __init__(self) -> None:
        super().__init__("La planilla pide ahora otra cosa para esta persona. Mire de nuevo y decida.")


class LastAdministrator(IdentityRefusal):
    """Without an administrator only a person with a shell on the server could make one."""

    code = "ULTIMO_ADMINISTRADOR"
    title = "Último administrador"

    def __init__(self, label: str) -> None:
        super().__init__(f"{label} es el último administrador activo. Nombre a otro primero.")
        self.label = label
