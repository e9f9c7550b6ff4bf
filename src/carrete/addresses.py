"""Addresses as people see them. Removes secrets from addresses and error texts before they are logged or shown: user
names, passwords, queries."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

HIDDEN = "***"
SECRET_LENGTH_MIN = 4  # characters; a shorter text occurs in ordinary words, which redacting would spoil
TOKEN_LENGTH_MIN = 8  # characters; a part of a webhook's path of this length or more may be a secret

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9a-f:.%]+\]|[^\[\]:]*)(:\d{1,4}|:[1-5]\d{4}|:6[0-5]\d{3})?", re.IGNORECASE)
_END_OF_AUTHORITY = re.compile(r"[/?#]")
_PIECES = re.compile(r"%[0-9a-f]{2}|[@/?#:&=\s]", re.IGNORECASE)
_CONNINFO_PASSWORD = re.compile(r"pass\w*\s*=\s*('(?:[^'\\]|\\.)*'|\S+)", re.IGNORECASE)
_SECRET_OPTION = re.compile(r"pass|key|token|secret", re.IGNORECASE)
# In these addresses the path names a database, a master or a file. In others, such as a webhook's, it may be a secret.
_PATH_IS_NO_SECRET = frozenset(
    ("sqlite", "postgres", "postgresql", "redis", "rediss", "valkey", "valkeys", "unix", "sentinel")
)
_USUAL_PORTS = {"http": 80, "https": 443}
_NO_ADDRESS = frozenset(("", "embedded", "off"))


def browser_url(scheme: str, host: str, port: int) -> str:
    """An address for people to open: without the port that browsers use by themselves."""
    bracketed = f"[{host}]" if ":" in host else host
    return f"{scheme}://{bracketed}" if port == _USUAL_PORTS[scheme] else f"{scheme}://{bracketed}:{port}"


def without_secrets(address: str) -> str:
    """Scheme, hosts and, where it is no secret, the path. If a password has an unescaped `@` or `/`, the end of the
    password is uncertain, and only the scheme is left."""
    scheme, separator, rest = address.partition("://")
    if not separator or not _SCHEME.fullmatch(scheme):
        return address if address in _NO_ADDRESS else HIDDEN
    authority, tail = _split(rest)
    hosts = authority.rpartition("@")[2].split(",")
    if "@" in tail or not all(map(_HOST.fullmatch, hosts)):
        return f"{scheme}://{HIDDEN}"
    path = re.split("[?#]", tail)[0] if scheme.lower() in _PATH_IS_NO_SECRET else ""
    return f"{scheme}://{','.join(hosts)}{path}"


def is_clear(address: str) -> bool:
    """Whether the address is unambiguous. An `@` after the host and none before it means that a password has an
    unescaped `/`, `?` or `#`."""
    authority, tail = _split(address.partition("://")[2])
    return address.isprintable() and ("@" not in tail or "@" in authority)


def redact(text: str, *addresses: str) -> str:
    """The text, for instance of an error, with the secrets of these addresses replaced."""
    found = {secret for address in addresses for secret in _secrets(address)}
    for secret in sorted(found, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def has_secret(address: str) -> bool:
    return bool(_secrets(address))


def _split(rest: str) -> tuple[str, str]:
    end = _END_OF_AUTHORITY.search(rest)
    at = end.start() if end else len(rest)
    return rest[:at], rest[at:]


def _secrets(address: str) -> set[str]:
    """Everything that could be a secret, in each form in which an error may quote it: as written, decoded, or a part
    that a driver took for a host or a port."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        found = _CONNINFO_PASSWORD.findall(address)
        return {secret for secret in (*found, *(one.strip("'") for one in found)) if len(secret) >= SECRET_LENGTH_MIN}
    user_info = rest.rpartition("@")[0]
    password = user_info.partition(":")[2] or user_info
    options = parse_qsl(rest.partition("?")[2], keep_blank_values=True)
    found = [user_info, password, *_PIECES.split(password)]
    found += [value for name, value in options if _SECRET_OPTION.search(name)]
    secrets = {form for secret in found for form in (secret, unquote(secret)) if len(form) >= SECRET_LENGTH_MIN}
    return secrets if scheme.lower() in _PATH_IS_NO_SECRET else secrets | _path_secrets(rest)


def _path_secrets(rest: str) -> set[str]:
    _, tail = _split(rest)
    parts = [tail, *re.split(r"[/?#&=]", tail)]
    return {form for part in parts for form in (part, unquote(part)) if len(form) >= TOKEN_LENGTH_MIN}
