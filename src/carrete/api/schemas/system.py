"""The server itself: what the checks found, versions, sizes, figures, certificate and addresses."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from carrete.api.schemas.fields import ApiModel
from carrete.findings import Severity


class CheckOut(ApiModel):
    nivel: Severity
    que: str
    que_hacer: str = Field(description="Vacío si no hay nada que hacer.")


class SizeOut(ApiModel):
    que: str
    bytes: int


class FigureOut(ApiModel):
    que: str
    valor: str


class CertificateOut(ApiModel):
    huella: str = Field(description="SHA-256 del certificado.")
    vence: str
    nombres: list[str]
    autoridad_huella: str | None = Field(description="SHA-256 de la autoridad local; null con un certificado propio.")
    autoridad_vence: str | None


class SystemOut(ApiModel):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "version": "0.3.0",
                    "esquema": 10,
                    "motor": "SQLite 3.45.1",
                    "python": "3.11.2",
                    "iniciado_en": "2026-11-16T07:55:02-03:00",
                    "revision_completa": True,
                    "tamanos": [{"que": "Registro", "bytes": 4_194_304}],
                    "revision": [
                        {
                            "nivel": "error",
                            "que": "carpeta de datos /var/lib/carrete: 120 MB libres",
                            "que_hacer": "libere espacio en el disco: sin espacio no se puede guardar nada",
                        }
                    ],
                    "metricas": [{"que": "Spools ocupados ahora", "valor": "31"}],
                    "certificado": None,
                    "direcciones": ["https://carrete.local:8443"],
                }
            ]
        }
    )

    version: str
    esquema: int
    motor: str
    python: str
    iniciado_en: str
    tamanos: list[SizeOut]
    revision: list[CheckOut]
    revision_completa: bool = Field(description="false: algo tarda en responder y aún se espera; pregunte de nuevo.")
    metricas: list[FigureOut]
    certificado: CertificateOut | None
    direcciones: list[str]
