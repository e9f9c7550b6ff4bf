"""The messages from the process that reads a workbook to its parent; each has its length before it."""

from __future__ import annotations

import datetime
import io
import pickle
import struct
from typing import Any, BinaryIO

from carrete.workbook.cells import Broken

# ("sheet", name of the plan), ("rows", list of rows), ("refused", what is wrong with the file), ("end", None)
Message = tuple[str, Any]
LENGTH = struct.Struct(">I")
DAMAGED = "no es un archivo .xlsx que se pueda leer: está dañado."
TOO_MUCH_MEMORY = "necesita demasiada memoria para leerlo: divídalo en varios archivos."
TOO_SLOW = "tarda demasiado en leerse: divídalo en varios archivos."
_KINDS = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, Broken)
_ALLOWED = {(kind.__module__, kind.__qualname__): kind for kind in _KINDS}


def send(message: Message, out: BinaryIO) -> None:
    payload = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    out.write(LENGTH.pack(len(payload)))
    out.write(payload)


def unpacked(payload: bytes) -> Message:
    message: Message = _CellUnpickler(io.BytesIO(payload)).load()
    return message


class _CellUnpickler(pickle.Unpickler):
    """Accepts texts, numbers, dates and formula errors, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is no cell")
        return _ALLOWED[module, name]
