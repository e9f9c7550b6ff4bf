"""Refusals of a request itself, before or beside every rule of the floor."""

from __future__ import annotations

from carrete.domain.refusals import Refusal

SHOWN_CHARS_MAX = 100


def printable(header: bytes) -> str:
    """A header of an untrusted client, safe for an answer or a log line: short, without control characters."""
    return header[:SHOWN_CHARS_MAX].decode("ascii", "backslashreplace")


class ClientGone(Exception):
    """The client disconnected before its whole request had come. Nothing is done and nothing is answered."""


class BodyTooLarge(Refusal):
    code = "CUERPO_DEMASIADO_GRANDE"
    title = "Cuerpo demasiado grande"


class NotJson(Refusal):
    code = "NO_ES_JSON"
    title = "No es JSON"


class TooManyHistories(Refusal):
    """The maximum number of long histories is being read, and none ended in time."""

    code = "DEMASIADAS_HISTORIAS"
    title = "Demasiadas historias a la vez"

    def __init__(self) -> None:
        super().__init__("Ya se están leyendo dos historias largas. Intente de nuevo en un momento.")


class HostUnknown(Refusal):
    """The `Host` of the request is not ours. A foreign page may have made its own name resolve to our address."""

    code = "HOST_DESCONOCIDO"
    title = "Nombre de servidor desconocido"

    def __init__(self, host: bytes) -> None:
        name = printable(host)
        sentence = f"Este servidor no se llama {name}." if name else "La solicitud no dice a qué servidor va."
        super().__init__(f"{sentence} Si ese nombre es suyo, agréguelo a CARRETE_HOSTS y reinicie.", host=name)


class ForeignOrigin(Refusal):
    """A page of another site made the browser send the request."""

    code = "ORIGEN_NO_PERMITIDO"
    title = "Origen no permitido"

    def __init__(self, origin: bytes) -> None:
        super().__init__(
            "La solicitud viene de una página de otro sitio y nada se hizo. Abra Carrete en su propia dirección.",
            origin=printable(origin),
        )


class TooManyStreams(Refusal):
    code = "DEMASIADOS_INTENTOS"
    title = "Demasiados intentos"

    def __init__(self, streams_max: int) -> None:
        super().__init__(
            f"Desde esta dirección ya hay {streams_max} pantallas conectadas en vivo. Cierre alguna y espere."
        )
