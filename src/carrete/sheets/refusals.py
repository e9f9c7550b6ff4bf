"""Why an administrator's request about the Google workbook is refused. The sentence says what to do about it."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class GoogleDenies(Refusal):
    """The key, the sharing, the address or the workbook itself must be repaired first."""

    code = "GOOGLE_NO_PERMITE"
    title = "La planilla de Google no se puede usar así"


class GoogleSilent(Refusal):
    code = "GOOGLE_NO_RESPONDE"
    title = "Google no responde"


class KeyFixed(Refusal):
    code = "AJUSTE_FIJADO"
    title = "Ajuste fijado por el servidor"

    def __init__(self) -> None:
        super().__init__(
            "La clave está fijada en el servidor con GOOGLE_APPLICATION_CREDENTIALS: quítela de allí y reinicie para "
            "cambiarla aquí.",
            variable="GOOGLE_APPLICATION_CREDENTIALS",
        )
