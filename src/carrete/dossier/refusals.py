"""Why no dossier is made, or not now."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class DossierTooLarge(Refusal):
    code = "DOSSIER_DEMASIADO_GRANDE"
    title = "Dossier demasiado grande"


class DossierTooComplex(Refusal):
    code = "DOSSIER_DEMASIADO_GRANDE"
    title = "Dossier demasiado grande"

    def __init__(self) -> None:
        super().__init__("Este dossier tarda demasiado en hacerse. Hágalo con menos spools, o sin fotos.")


class DossierEmpty(Refusal):
    """No spool has this work order."""

    code = "OT_NO_ENCONTRADA"
    title = "OT no encontrada"

    def __init__(self, ot: str) -> None:
        super().__init__(f"Ningún spool tiene la OT {ot}.", ot=ot)


class DossiersBusy(Refusal):
    code = "DOSSIER_EN_CURSO"
    title = "Se está haciendo otro dossier"

    def __init__(self) -> None:
        super().__init__("Se está haciendo otro dossier. Espere un momento e intente de nuevo.")
