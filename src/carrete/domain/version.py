"""How a spool is worked: v4.0 joint by joint when `Total_Uniones` is above zero, else v3.0 as a whole."""

from __future__ import annotations

from enum import StrEnum

from carrete.domain.spool import Spool


class Workflow(StrEnum):
    V3 = "v3.0"
    V4 = "v4.0"


def workflow(spool: Spool) -> Workflow:
    """`Total_Uniones` alone decides; the number of joint rows is reported elsewhere, never obeyed."""
    return Workflow.V4 if (spool.total_uniones or 0) > 0 else Workflow.V3
