"""Why a file is not taken as a photo, or not now."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class NotAJpeg(Refusal):
    code = "NO_ES_JPEG"
    title = "No es una foto JPEG"


class PhotoUnreadable(Refusal):
    """It begins as a JPEG, and is cut off, damaged or of a kind that browsers do not show."""

    code = "FOTO_ILEGIBLE"
    title = "Foto ilegible"


class PhotoTooLarge(Refusal):
    code = "FOTO_DEMASIADO_GRANDE"
    title = "Foto demasiado grande"


class TooManyPhotos(Refusal):
    code = "DEMASIADAS_FOTOS"
    title = "Demasiadas fotos"
