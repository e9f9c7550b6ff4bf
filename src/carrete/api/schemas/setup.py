"""The setup code and the administrator that it makes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from carrete.api.schemas.devices import DeviceName
from carrete.api.schemas.fields import ID_MAX, Body
from carrete.api.schemas.sign_in import PinText
from carrete.identity.people import NAME_LENGTH_MAX
from carrete.identity.setup import CODE_LENGTH_MAX


class SetupBody(Body):
    """Con el código, esta persona es administradora con este PIN. De un trabajador que ya existe se omite el nombre."""

    author_field: ClassVar[str] = ""

    codigo: Annotated[str, Field(min_length=1, max_length=CODE_LENGTH_MAX, repr=False, examples=["7KQ2-M9XA"])]
    worker_id: Annotated[int, Field(ge=1, le=ID_MAX)]
    nombre: Annotated[str, Field(max_length=NAME_LENGTH_MAX)] = ""
    apellido: Annotated[str, Field(max_length=NAME_LENGTH_MAX)] = ""
    pin: PinText
    dispositivo: DeviceName
