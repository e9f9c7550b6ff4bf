"""The taps of the v4.0 workflow, and a spool of ten joints as it stands at the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from carrete.domain.joints import Joint
from tests.support.builders import TAG, a_joint
from tests.support.tablet import Tablet, in_path

Unions = Sequence[int]


def begin(tablet: Tablet, tag: str = TAG, worker_id: int = 93, operacion: str = "ARM", **more: Any) -> httpx.Response:
    key = more.pop("key", None)
    body = {"tag_spool": tag, "worker_id": worker_id, "operacion": operacion, **more}
    return tablet.post("/api/v4/occupation/iniciar", body, key=key)


def finish(
    tablet: Tablet, unions: Unions, tag: str = TAG, worker_id: int = 93, operacion: str = "ARM", **more: Any
) -> httpx.Response:
    key = more.pop("key", None)
    body = {"tag_spool": tag, "worker_id": worker_id, "operacion": operacion, "selected_unions": list(unions), **more}
    return tablet.post("/api/v4/occupation/finalizar", body, key=key)


def to_tick(tablet: Tablet, tag: str = TAG, operacion: str = "ARM") -> list[int]:
    available = tablet.see(f"/api/v4/uniones/{in_path(tag)}/disponibles", operacion=operacion)
    assert available["count"] == len(available["unions"])
    return [union["n_union"] for union in available["unions"]]


def metrics(tablet: Tablet, tag: str = TAG) -> tuple[int, int, float, float]:
    """Armed, welded, inches armed, inches welded: the same in the metrics and on the card."""
    answer = tablet.see(f"/api/v4/uniones/{in_path(tag)}/metricas")
    figures = [answer[name] for name in ("arm_completadas", "sold_completadas", "pulgadas_arm", "pulgadas_sold")]
    card = tablet.see_spool(tag)
    assert figures == [
        *(card[name] for name in ("uniones_arm_completadas", "uniones_sold_completadas")),
        *(card[name] for name in ("pulgadas_arm", "pulgadas_sold")),
    ]
    armed, welded, inches_armed, inches_welded = figures
    return armed, welded, inches_armed, inches_welded


def ten_joints(tag: str = TAG) -> list[Joint]:
    """The seventh is a field weld; diameters that no binary fraction adds up exactly."""
    milli = [375, 700, 100, 1_125, 2_500, 4_000, 300, 6_000, 12_000, 500]
    return [a_joint(n, tag, dn_milli=dn, tipo="FW" if n == 7 else "BW") for n, dn in enumerate(milli, 1)]
