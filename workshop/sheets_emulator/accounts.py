"""Service accounts and their tokens: a signed assertion in, a bearer token out, as Google's token endpoint does."""

from __future__ import annotations

import base64
import binascii
import json
import threading
import time
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from sheets_emulator.errors import Json, unauthenticated

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
AUDIENCE = "https://oauth2.googleapis.com/token"
TOKEN_S = 3599
ASSERTION_S_MAX = 3600
SKEW_S_MAX = 300
TOKENS_MAX = 10_000
EMAIL = "carrete@carrete-demo.iam.gserviceaccount.com"
SCOPE_ROOT = "https://www.googleapis.com/auth/"
SCOPES = frozenset(
    SCOPE_ROOT + name
    for name in (
        "spreadsheets", "spreadsheets.readonly", "drive", "drive.file", "drive.readonly", "drive.metadata.readonly"
    )
)  # fmt: skip
_TIMEFRAME = (
    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp "
    "values in the JWT claim."
)


@dataclass(frozen=True, slots=True)
class TokenSession:
    user: str
    scopes: frozenset[str]
    until_s: float  # on the emulator's clock

    def may(self, *names: str) -> bool:
        return any(SCOPE_ROOT + name in self.scopes for name in names)


class TokenRefused(Exception):
    """OAuth's own shape of an error."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.status = status
        self.body: Json = {"error": error, "error_description": description}


class Accounts:
    def __init__(self) -> None:
        self._key = _signing_key()
        self._sessions: dict[str, TokenSession] = {}
        self._lock = threading.Lock()
        self._issued = 0

    def service_account(self, token_uri: str, email: str = EMAIL) -> Json:
        """The key file that an administrator would download from Google, with the token address of this emulator."""
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account",
            "project_id": "carrete-demo",
            "private_key_id": "emulator",
            "private_key": pem.decode(),
            "client_email": email,
            "client_id": "100000000000000000000",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "universe_domain": "googleapis.com",
        }

    def token(self, form: str, now_s: float, skew_s: float = 0.0) -> Json:
        """The client dates its assertion by its own clock, so it is checked against real time; a token expires by the
        emulator's clock."""
        fields = {name: values[0] for name, values in parse_qs(form).items()}
        if fields.get("grant_type") != GRANT:
            raise TokenRefused("unsupported_grant_type", f"Invalid grant_type: {fields.get('grant_type', '')}")
        claims = self._claims(fields.get("assertion", ""))
        self._require_timeframe(claims, time.time() + skew_s)
        scopes = frozenset(str(claims.get("scope", "")).split())
        if not scopes & SCOPES:
            raise TokenRefused("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        return self._issue(TokenSession(str(claims["iss"]), scopes, now_s + TOKEN_S))

    def _issue(self, session: TokenSession) -> Json:
        with self._lock:
            self._issued += 1
            bearer = f"ya29.emulator-{self._issued}"
            self._sessions[bearer] = session
            while len(self._sessions) > TOKENS_MAX:
                del self._sessions[next(iter(self._sessions))]
        return {"access_token": bearer, "expires_in": TOKEN_S, "token_type": "Bearer"}

    def _claims(self, assertion: str) -> Json:
        head, _, signature = assertion.rpartition(".")
        try:
            header, claims = (json.loads(_decoded(part)) for part in head.split("."))
            if header.get("alg") != "RS256":
                raise TokenRefused("invalid_grant", "Invalid JWT: algorithm must be RS256.")
            self._key.public_key().verify(_decoded(signature), head.encode(), padding.PKCS1v15(), hashes.SHA256())
        except (ValueError, binascii.Error, AttributeError):
            raise TokenRefused("invalid_grant", "Invalid JWT: it cannot be read.") from None
        except InvalidSignature:
            raise TokenRefused("invalid_grant", "Invalid JWT Signature.") from None
        found: dict[str, Any] = claims
        if found.get("aud") != AUDIENCE and not str(found.get("aud", "")).endswith("/token"):
            raise TokenRefused("invalid_grant", "Invalid JWT: Failed audience check.")
        if not found.get("iss"):
            raise TokenRefused("invalid_grant", "Invalid JWT: issuer missing.")
        return found

    def _require_timeframe(self, claims: Json, now_s: float) -> None:
        try:
            begins, ends = float(claims["iat"]), float(claims["exp"])
        except (KeyError, TypeError, ValueError):
            raise TokenRefused("invalid_grant", _TIMEFRAME) from None
        if ends - begins > ASSERTION_S_MAX or begins > now_s + SKEW_S_MAX or ends < now_s - SKEW_S_MAX:
            raise TokenRefused("invalid_grant", _TIMEFRAME)

    def session(self, authorization: str | None, now_s: float) -> TokenSession:
        scheme, _, bearer = (authorization or "").partition(" ")
        with self._lock:
            session = self._sessions.get(bearer.strip()) if scheme.lower() == "bearer" else None
        if session is None or now_s >= session.until_s:
            raise unauthenticated()
        return session

    def expire_all(self) -> None:
        with self._lock:
            self._sessions.clear()


@cache
def _signing_key() -> rsa.RSAPrivateKey:
    """One for each process: making it takes longer than starting everything else."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
