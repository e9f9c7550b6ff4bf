"""How a spool is worked: v4.0 joint by joint when `Total_Uniones` is above zero, else v3.0 as a whole."""

from __future__ import annotations

from enum import StrEnum

from carrete.domain.spool import Spool


class Workflow(StrEnum):
    V3 = "v3.0"
    V4 = "v4.0"


V3, V4 = Workflow


def workflow(spool: Spool) -> Workflow:
    """Only `Total_Uniones` decides. A different number of joint rows is reported on the card and changes nothing."""
    return V4 if (spool.total_uniones or 0) > 0 else V3


def workflow_reason(spool: Spool) -> str:
    """The reason for the workflow, as a Spanish sentence for the diagnostic."""
    if spool.total_uniones_text is not None:
        return f"Total_Uniones no es un número («{spool.total_uniones_text}»): v3.0"
    if workflow(spool) is Workflow.V4:
        return f"Total_Uniones = {spool.total_uniones} > 0: v4.0"
    shown = "vacío" if spool.total_uniones is None else spool.total_uniones
    return f"Total_Uniones {shown}: v3.0"
