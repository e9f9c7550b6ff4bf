"""The end of a shift: about which spools a person is asked."""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field

from carrete.api.schemas.fields import EXAMPLE_TAG, ApiModel
from carrete.api.schemas.occupation import Trabajo
from carrete.domain.version import Workflow


class ShiftOccurrenceOut(ApiModel):
    nombre: str
    termina: str


class AskedSpool(ApiModel):
    tag_spool: str
    operacion: Trabajo
    desde: str
    version_workflow: Workflow
    respondido: bool = Field(description="Ya dijo «Sigo yo», o lo ofreció a otra persona.")


class AskedBecause(StrEnum):
    FIN_DE_TURNO = "fin_de_turno"
    OLVIDADOS = "olvidados"


class ShiftEndOut(ApiModel):
    """`spools` son los que la persona tomó antes de esa pregunta y aún tiene. Sin turnos no se pregunta nada."""

    ahora: str
    turno: ShiftOccurrenceOut | None = Field(description="El turno que corre ahora.")
    preguntar: bool = Field(description="Si queda algún spool sin respuesta.")
    motivo: AskedBecause | None
    pregunta: ShiftOccurrenceOut | None = Field(description="El turno por cuyo fin se pregunta.")
    proxima: str | None = Field(description="Cuándo se pregunta otra vez: 15 minutos antes del próximo fin de turno.")
    spools: list[AskedSpool] = Field(description="El más antiguo primero.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "ahora": "2026-11-13T15:18:00-03:00",
                    "turno": {"nombre": "Mañana", "termina": "2026-11-13T15:30:00-03:00"},
                    "preguntar": True,
                    "motivo": "fin_de_turno",
                    "pregunta": {"nombre": "Mañana", "termina": "2026-11-13T15:30:00-03:00"},
                    "proxima": "2026-11-13T23:15:00-03:00",
                    "spools": [
                        {
                            "tag_spool": EXAMPLE_TAG,
                            "operacion": "ARM",
                            "desde": "2026-11-13T08:02:11-03:00",
                            "version_workflow": "v4.0",
                            "respondido": False,
                        }
                    ],
                }
            ]
        }
    )
