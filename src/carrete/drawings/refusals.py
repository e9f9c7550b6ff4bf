"""Why a file is not taken as a drawing, or not now."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class NotADrawing(Refusal):
    code = "NO_ES_PLANO"
    title = "No es un plano"


class DrawingUnreadable(Refusal):
    """It begins as a PDF, PNG or JPEG, and is cut off, damaged, or has a password."""

    code = "PLANO_ILEGIBLE"
    title = "Plano ilegible"


class DrawingTooLarge(Refusal):
    code = "PLANO_DEMASIADO_GRANDE"
    title = "Plano demasiado grande"


class PageMissing(Refusal):
    """The PDF has no such page. `paginas` is how many it has."""

    code = "PAGINA_NO_EXISTE"
    title = "Esa página no existe"

    def __init__(self, page: int, pages: int) -> None:
        has = "una sola página" if pages == 1 else f"{pages} páginas"
        super().__init__(f"El PDF tiene {has}: no hay página {page}.", pagina=page, paginas=pages)


class DrawingsBusy(Refusal):
    code = "PLANOS_EN_CURSO"
    title = "Planos en curso"

    def __init__(self) -> None:
        super().__init__("Ya se están leyendo otros planos. Intente de nuevo en un momento.")


class TooManyDrawings(Refusal):
    code = "DEMASIADOS_PLANOS"
    title = "Demasiados planos"


class DrawingChanged(Refusal):
    """Somebody saved another drawing or other numbers since this page read them."""

    code = "PLANO_CAMBIADO"
    title = "El plano cambió"

    def __init__(self, revision: int) -> None:
        super().__init__("Otra persona guardó el plano mientras tanto. Se muestra lo que guardó.", version=revision)
