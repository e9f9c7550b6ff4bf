"""Webhooks: registered addresses, and the messages that they did not take."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.registry import NAME_LENGTH_MAX, URL_LENGTH_MAX

IntegrationName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH_MAX, examples=["Avisos de calidad"])]
IntegrationUrl = Annotated[
    str, Field(min_length=1, max_length=URL_LENGTH_MAX, examples=["https://hooks.example.com/carrete"])
]
IntegrationKinds = Annotated[list[WebhookKind], Field(min_length=1, max_length=len(WebhookKind))]
PrivateNetwork = Annotated[bool, Field(description="Permite una dirección de la red del taller o de este equipo.")]


class WebhookBody(Body):
    """Una dirección nueva. Para Telegram termina en `?chat_id=` y el chat."""

    nombre: IntegrationName
    url: IntegrationUrl = Field(repr=False)
    formato: WebhookFormat = WebhookFormat.JSON
    tipos: IntegrationKinds
    red_privada: PrivateNetwork = False


class WebhookEditBody(Body):
    """Cambia lo que trae el cuerpo."""

    nombre: IntegrationName | None = None
    url: IntegrationUrl | None = Field(None, repr=False)
    formato: WebhookFormat | None = None
    tipos: IntegrationKinds | None = None
    red_privada: PrivateNetwork | None = None


class ParkedMessageOut(ApiModel):
    id: str = Field(description="El webhook-id del mensaje.")
    tipo: str
    seq: int | None
    tag_spool: str | None
    texto: str
    at: str
    intentos: int
    estacionado_en: str
    motivo: str


class WebhookOut(ApiModel):
    id: str
    nombre: str
    url: str = Field(description="Sólo el servidor: el resto de la dirección puede ser un secreto.")
    formato: WebhookFormat
    tipos: list[WebhookKind]
    red_privada: bool
    activo: bool
    motivo_desactivado: str | None = Field(description="Por qué lo desactivó Carrete mismo.")
    creado_en: str
    creado_por: str | None
    ultimo_exito_en: str | None
    ultima_falla_en: str | None
    falla: str | None = Field(description="Por qué falló el último intento; null si no falló.")
    esperando: int
    estacionados: int
    ultimos_estacionados: list[ParkedMessageOut]


class WebhookList(ApiModel):
    webhooks: list[WebhookOut]


class NewWebhookOut(ApiModel):
    id: str
    nombre: str
    secreto: str = Field(description="Se muestra una sola vez. Con él se comprueba la firma: whsec_…")


class WebhookDeliveryTestOut(ApiModel):
    ok: bool
    estado: int | None = Field(description="El código que respondió, o null si no respondió.")
    mensaje: str


class WebhookParkedOut(ApiModel):
    success: bool
    mensajes: int
    message: str
