"""People: their label, their roles, and which operation each role allows."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from carrete.domain.spool import REPARACION, Operacion


class Rol(StrEnum):
    ARMADOR = "Armador"
    SOLDADOR = "Soldador"
    AYUDANTE = "Ayudante"
    METROLOGIA = "Metrologia"
    SUPERVISOR = "Supervisor"
    NDT = "NDT"
    ADMINISTRADOR = "Administrador"  # people, devices, tokens, settings


# What a workbook alone does not give: an administrator confirms it.
PRIVILEGED = frozenset({Rol.METROLOGIA, Rol.SUPERVISOR, Rol.NDT, Rol.ADMINISTRADOR})

ROLES_FOR: dict[Operacion, frozenset[Rol]] = {
    Operacion.ARM: frozenset({Rol.ARMADOR, Rol.AYUDANTE}),
    Operacion.SOLD: frozenset({Rol.SOLDADOR, Rol.AYUDANTE}),
    Operacion.METROLOGIA: frozenset({Rol.METROLOGIA}),
    Operacion.REPARACION: frozenset(Rol),  # any active worker, even one without a role
}

_LABEL = re.compile(r"^\s*(?P<initials>\S{1,2})\s*\(\s*(?P<id>\d{1,9})\s*\)\s*$")


@dataclass(frozen=True, slots=True)
class Worker:
    id: int
    nombre: str
    apellido: str
    activo: bool = True
    roles: frozenset[Rol] = frozenset()

    @property
    def label(self) -> str:
        return _label(self.nombre, self.apellido, self.id)

    def may(self, operacion: Operacion) -> bool:
        return operacion is REPARACION or bool(self.roles & ROLES_FOR[operacion])


@lru_cache(maxsize=4096)
def _label(nombre: str, apellido: str, id_: int) -> str:
    return f"{_initial(nombre)}{_initial(apellido)}({id_})"


def _initial(name: str) -> str:
    name = unicodedata.normalize("NFC", name).strip()
    return name[:1].upper()


def folded(text: str) -> str:
    """Lower case without accents, for comparing what people type."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=1024)
def labelled_id(label: str) -> int | None:
    """The id in a label such as `MR(93)`, or None when the text is not a label."""
    match = _LABEL.match(label)
    return int(match["id"]) if match else None


def is_label_of(label: str, worker: Worker) -> bool:
    """Whether a person typed this worker's label. Blanks, case and accents are ignored; the initials must match."""
    return folded("".join(label.split())) == folded(worker.label)
