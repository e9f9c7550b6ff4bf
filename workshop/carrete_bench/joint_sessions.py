"""Measures FINALIZAR on spools of ten joints, in turns with TOMAR on a whole spool, then on spools of 200 joints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from carrete_bench import shop
from carrete_bench.load import SESSION, LoadStep, StepResult, Tap
from carrete_bench.processes import BenchServer, send_load
from carrete_bench.results import FinalizarLatency, percentiles

FEW, MANY = 10, 200
_WORKER = 1
_SESSION_S_MAX = 120.0


def measure(
    server: BenchServer, ledger_url: str, spools_of_few: int, spools_of_many: int, spools: int
) -> FinalizarLatency:
    """One tap at a time, as a tablet does. A joint can be finished only once, so each session has its own spool."""
    shop.deliver_by_joint(ledger_url, [(_tag(FEW, n), FEW) for n in range(spools_of_few)])
    shop.deliver_by_joint(ledger_url, [(_tag(MANY, n), MANY) for n in range(spools_of_many)])
    (client, *_) = shop.load_clients(1, spools)
    mixed_taps = [tap for n in range(spools_of_few) for tap in _mixed_taps(client["tags"][0], _tag(FEW, n))]
    many_taps = [
        tap
        for n in range(spools_of_many)
        for operacion in ("ARM", "SOLD")
        for tap in _session_taps(_tag(MANY, n), MANY, operacion)
    ]
    mixed, many = send_load(server, [client], [_step(mixed_taps), _step(many_taps)])
    return FinalizarLatency(
        few=FEW,
        many=MANY,
        sessions_of_few=2 * spools_of_few,
        sessions_of_many=2 * spools_of_many,
        tomar=percentiles(_latencies_us(mixed, mixed_taps, "tomar")),
        finalizar_few=percentiles(_latencies_us(mixed, mixed_taps, "finalizar")),
        finalizar_many=percentiles(_latencies_us(many, many_taps, "finalizar")),
    )


def _mixed_taps(whole_tag: str, by_joint_tag: str) -> Iterator[Tap]:
    for operacion in ("ARM", "SOLD"):
        yield _tap("/api/occupation/tomar", whole_tag, "ARM")
        yield _tap("/api/occupation/pausar", whole_tag, "ARM")
        yield from _session_taps(by_joint_tag, FEW, operacion)


def _session_taps(tag: str, joints: int, operacion: str) -> Iterator[Tap]:
    yield _tap("/api/v4/occupation/iniciar", tag, operacion)
    yield _tap("/api/v4/occupation/finalizar", tag, operacion, selected_unions=list(range(1, joints + 1)))


def _tap(path: str, tag: str, operacion: str, **more: Any) -> Tap:
    return {"path": path, "body": json.dumps({"tag_spool": tag, "worker_id": _WORKER, "operacion": operacion, **more})}


def _step(taps: list[Tap]) -> LoadStep:
    return {"kind": SESSION, "path": "", "seconds": _SESSION_S_MAX, "taps": taps}


def _latencies_us(result: StepResult, taps: Sequence[Tap], action: str) -> list[int]:
    """The latencies of one action. The first tenth is left out: it only warms up the server."""
    latencies = [us for tap, us in zip(taps, result["latencies_us"], strict=True) if tap["path"].endswith(action)]
    return latencies[len(latencies) // 10 :]


def _tag(joints: int, number: int) -> str:
    return f"MK-{2_000 + joints}-CW-{25_000 + number}-001"
