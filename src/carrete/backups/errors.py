"""Why there is no copy, or no restore: in English for the terminal, in Spanish for the page."""

from __future__ import annotations

import errno

from carrete.domain.refusals import Refusal
from carrete.findings import Words
from carrete.settings import WrongSetting


class BackupFailed(WrongSetting):
    """Nothing was copied or restored; what was there is as it was."""

    def __init__(self, words: Words) -> None:
        super().__init__(words.en)
        self.words = words


class BackupNotMade(Refusal):
    """An administrator asked for a copy, and it could not be made."""

    code = "RESPALDO_FALLIDO"
    title = "Respaldo no hecho"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


class BackupUnderWay(Refusal):
    code = "RESPALDO_EN_CURSO"
    title = "Respaldo en curso"

    def __init__(self) -> None:
        super().__init__("Ya se está haciendo un respaldo. Espere a que termine.")


def cannot_write(what: str, error: OSError) -> BackupFailed:
    reason = error.strerror or type(error).__name__
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        spanish = f"No queda espacio en el disco para {what}. No se copió nada."
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        spanish = f"El servidor no puede escribir en {what}. No se copió nada."
    else:
        spanish = f"No se pudo escribir {what} ({reason}). No se copió nada."
    return BackupFailed(Words(f"{what} cannot be written: {reason}. Nothing was copied.", spanish))
