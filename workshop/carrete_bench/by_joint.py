"""FINALIZAR beside TOMAR: spools of ten joints in turns with a spool worked as a whole, then spools of very many."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from carrete_bench import shop
from carrete_bench.figures import ByJoint, latency
from carrete_bench.load import SESSION, Seen, Step, Tap
from carrete_bench.running import Server, under_load

FEW, MANY = 10, 200
_WORKER = 1
_S_MAX = 120.0


def measure(server: Server, ledger_url: str, spools_of_few: int, spools_of_many: int, spools: int) -> ByJoint:
    """One tap at a time, as a tablet does it. Each joint can be finished once, so each session has its own spool."""
    shop.deliver_by_joint(ledger_url, [(_tag(FEW, n), FEW) for n in range(spools_of_few)])
    shop.deliver_by_joint(ledger_url, [(_tag(MANY, n), MANY) for n in range(spools_of_many)])
    (hand, *_) = shop.hands(1, spools)
    in_turns = [tap for n in range(spools_of_few) for tap in _in_turns(hand["tags"][0], _tag(FEW, n))]
    alone = [tap for n in range(spools_of_many) for o in ("ARM", "SOLD") for tap in _by_joint(_tag(MANY, n), MANY, o)]
    few, many = under_load(server, [hand], [_step(in_turns), _step(alone)])
    return ByJoint(
        few=FEW,
        many=MANY,
        sessions_of_few=2 * spools_of_few,
        sessions_of_many=2 * spools_of_many,
        tomar=latency(_took(few, in_turns, "tomar")),
        finalizar_few=latency(_took(few, in_turns, "finalizar")),
        finalizar_many=latency(_took(many, alone, "finalizar")),
    )


def _in_turns(whole: str, by_joint: str) -> Iterator[Tap]:
    for operacion in ("ARM", "SOLD"):
        yield _tap("/api/occupation/tomar", whole, "ARM")
        yield _tap("/api/occupation/pausar", whole, "ARM")
        yield from _by_joint(by_joint, FEW, operacion)


def _by_joint(tag: str, joints: int, operacion: str) -> Iterator[Tap]:
    yield _tap("/api/v4/occupation/iniciar", tag, operacion)
    yield _tap("/api/v4/occupation/finalizar", tag, operacion, selected_unions=list(range(1, joints + 1)))


def _tap(path: str, tag: str, operacion: str, **more: Any) -> Tap:
    return {"path": path, "body": json.dumps({"tag_spool": tag, "worker_id": _WORKER, "operacion": operacion, **more})}


def _step(taps: list[Tap]) -> Step:
    return {"kind": SESSION, "path": "", "seconds": _S_MAX, "taps": taps}


def _took(seen: Seen, taps: Sequence[Tap], name: str) -> list[int]:
    """Of the calls of that name; the first tenth of them only warms up."""
    told = [us for tap, us in zip(taps, seen["took_us"], strict=True) if tap["path"].endswith(name)]
    return told[len(told) // 10 :]


def _tag(joints: int, number: int) -> str:
    return f"MK-{2_000 + joints}-CW-{25_000 + number}-001"
