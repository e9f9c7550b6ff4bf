"""Why labels are not made."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class LabelsBusy(Refusal):
    """Others' labels are being made, and they were not done in time."""

    code = "ETIQUETAS_EN_CURSO"
    title = "Se están haciendo otras etiquetas"

    def __init__(self) -> None:
        super().__init__("Se están haciendo otras etiquetas. Espere un momento e intente de nuevo.")


class NoBadges(Refusal):
    """None of the requested people has a badge."""

    code = "SIN_CREDENCIALES"
    title = "Nadie tiene credencial"

    def __init__(self) -> None:
        super().__init__("Ninguna de estas personas tiene una credencial. Se dan en Administración, Personas.")
