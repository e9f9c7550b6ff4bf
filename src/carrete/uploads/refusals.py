"""Why an upload, or a decision about it, is refused."""

from __future__ import annotations

from carrete.domain.refusals import Refusal


class UploadUnknown(Refusal):
    code = "CARGA_NO_ENCONTRADA"
    title = "Carga no encontrada"

    def __init__(self) -> None:
        super().__init__("Esa carga ya no está: fue descartada, o pasó un día. Suba el archivo de nuevo.")


class NotXlsx(Refusal):
    code = "NO_ES_XLSX"
    title = "No es un archivo .xlsx"


class UploadTooLarge(Refusal):
    code = "ARCHIVO_DEMASIADO_GRANDE"
    title = "Archivo demasiado grande"


class TooManyUploads(Refusal):
    code = "DEMASIADAS_CARGAS"
    title = "Demasiadas cargas"


class NoRoomOnDisk(Refusal):
    code = "DISCO_LLENO"
    title = "Disco lleno"

    def __init__(self) -> None:
        super().__init__("En el disco del servidor no queda espacio para el archivo. Nada se guardó.")


class UploadBusy(Refusal):
    """The upload is in another state than the one in which this can be asked."""

    code = "CARGA_EN_OTRO_ESTADO"
    title = "La carga está en otro estado"


class PreviewChanged(Refusal):
    code = "PLANILLA_CAMBIADA"
    title = "La vista previa cambió"

    def __init__(self) -> None:
        super().__init__(
            "El taller cambió desde la vista previa y aplicarla ya no haría lo mismo. Se lee de nuevo: mire y decida."
        )
