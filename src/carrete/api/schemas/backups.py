"""Copies of the ledger and of the server's keys."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from carrete.api.schemas.fields import ApiModel, Body
from carrete.backups.keys import PASSPHRASE_CHARS_MAX, PASSPHRASE_CHARS_MIN


def _long_enough(phrase: str) -> str:
    """Blanks around it are not counted, because they are not used."""
    if len(phrase.strip()) < PASSPHRASE_CHARS_MIN:
        raise ValueError(f"al menos {PASSPHRASE_CHARS_MIN} caracteres.")
    return phrase


class KeysBackupBody(Body):
    """La frase no se guarda en ninguna parte: sin ella nadie abre el archivo."""

    frase: Annotated[
        str,
        Field(min_length=PASSPHRASE_CHARS_MIN, max_length=PASSPHRASE_CHARS_MAX),
        AfterValidator(_long_enough),
    ]


class BackupOut(ApiModel):
    archivo: str
    bytes: int
    hecho_en: str
    motor: Literal["sqlite", "postgres"]
    eventos: int | None = Field(description="null: un archivo sin las notas que se escribieron al hacerlo.")
    ultimo_seq: int | None


class BackupFailureOut(ApiModel):
    texto: str
    en: str


class KeysBackupOut(ApiModel):
    archivo: str
    hecho_en: str
    al_dia: bool = Field(description="Si tiene las claves que el servidor usa ahora.")


class BackupList(ApiModel):
    carpeta: str
    respaldos: list[BackupOut]
    ultimo_en: str | None = Field(description="El último, también si lo hizo otra máquina del mismo registro.")
    edad_s: int | None
    vencido: bool = Field(description="Hace más de 48 horas que no se hace ninguno.")
    en_curso: bool
    error: BackupFailureOut | None = Field(description="Por qué no se pudo hacer el último.")
    claves: KeysBackupOut | None
    proximo_en: str
