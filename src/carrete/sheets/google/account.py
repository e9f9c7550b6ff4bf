"""The service account: its key file, and the access tokens that Google gives for the key."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from carrete.sheets.clock import Clock
from carrete.sheets.google.errors import Denied, Unreachable

AUDIENCE = "https://oauth2.googleapis.com/token"
SCOPE = "https://www.googleapis.com/auth/spreadsheets"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_S = 3_600
RENEWED_BEFORE_S = 300
_NEEDED = ("client_email", "private_key", "token_uri")


@dataclass(frozen=True, slots=True)
class Key:
    email: str
    token_uri: str
    signer: Any


def read_key(path: str) -> Key:
    """Raises Denied, with a sentence for people, when the file is not the key of a service account."""
    if not path:
        raise Denied(
            "Falta la clave de la cuenta de servicio: súbala en Administración, Planilla, o dé la ruta de su archivo "
            "JSON en GOOGLE_APPLICATION_CREDENTIALS."
        )
    if path.lstrip().startswith("{"):
        raise Denied("GOOGLE_APPLICATION_CREDENTIALS debe ser la ruta del archivo JSON, no su contenido.")
    try:
        info = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise Denied(f"GOOGLE_APPLICATION_CREDENTIALS: {path} no se puede leer: {error.strerror}.") from None
    except ValueError:
        raise Denied(f"GOOGLE_APPLICATION_CREDENTIALS: {path} no es un archivo JSON.") from None
    return key_from(info, f"GOOGLE_APPLICATION_CREDENTIALS: {path}")


def key_from(info: Any, source: str) -> Key:
    """`source` begins the sentence about a bad key."""
    missing = [name for name in _NEEDED if not isinstance(info, dict) or not isinstance(info.get(name), str)]
    if missing:
        raise Denied(
            f"{source} no es la clave de una cuenta de servicio (falta {missing[0]}); "
            "descárguela en Google Cloud, IAM, Cuentas de servicio, Claves."
        )
    from google.auth import crypt  # slow to import, and only a shop with a sheet needs it

    try:
        signer = crypt.RSASigner.from_service_account_info(info)  # type: ignore[no-untyped-call]
    except ValueError:
        raise Denied(f"{source} tiene una clave privada dañada.") from None
    return Key(info["client_email"], info["token_uri"], signer)


class Account:
    """Keeps one token, and renews it before it expires."""

    def __init__(self, key: Key, http: httpx.Client, clock: Clock) -> None:
        self.email = key.email
        self._key = key
        self._http = http
        self._clock = clock
        self._token = ""
        self._until = 0.0

    def token(self) -> str:
        if not self._token or self._clock.monotonic() > self._until:
            self._renew()
        return self._token

    def forget(self) -> None:
        """Google did not accept the token: the next call asks for another."""
        self._token = ""

    def _renew(self) -> None:
        from google.auth import jwt

        issued = int(time.time())  # the real time also in tests: Google compares it with its own clock
        claims = {"iss": self.email, "scope": SCOPE, "aud": AUDIENCE, "iat": issued, "exp": issued + TOKEN_S}
        assertion = jwt.encode(self._key.signer, claims).decode()  # type: ignore[no-untyped-call]
        try:
            answer = self._http.post(self._key.token_uri, data={"grant_type": GRANT, "assertion": assertion})
        except httpx.HTTPError as error:
            raise Unreachable(f"Google no entregó un permiso de acceso: {type(error).__name__}.") from error
        if answer.status_code in (400, 401, 403):
            raise Denied(_refused(answer, self.email))
        if answer.status_code != 200:
            raise Unreachable(f"Google no entregó un permiso de acceso: estado {answer.status_code}.")
        granted = _token_from(answer)
        self._token = granted["access_token"]
        self._until = self._clock.monotonic() + float(granted.get("expires_in", TOKEN_S)) - RENEWED_BEFORE_S


def _token_from(answer: httpx.Response) -> dict[str, Any]:
    try:
        granted = answer.json()
    except ValueError as error:
        raise Unreachable("Google respondió algo que no es un permiso de acceso.") from error
    if not isinstance(granted, dict) or "access_token" not in granted:
        raise Unreachable("Google respondió sin un permiso de acceso.")
    return granted


def _refused(answer: httpx.Response, email: str) -> str:
    try:
        body = answer.json()
        reason = body.get("error_description") or body.get("error") or ""
    except (ValueError, AttributeError):
        reason = ""
    return (
        f"Google no acepta la clave de {email} ({reason or answer.status_code}): si fue borrada, cree otra; "
        "si no, revise la hora de esta máquina."
    )
