"""What each client of the soak taps, in order: spools worked as a whole and by joint, notes, and repeated keys.

The driver process imports this, so it imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from carrete_bench.load import LoadClient

JOINTS = 10  # of each spool that is worked by joint
CANCELLED_FOR_EACH_FINISHED = 4  # sessions by joint in which nothing was done
_SESSIONS_OF_SPOOL = 2 * JOINTS
_REPEATED = 1
_NOTES = 1
_BY_JOINT = 2


class SoakTap(NamedTuple):
    """`repeated` means that the tap before is sent again, with its key."""

    path: str
    body: bytes
    repeated: bool = False


class SoakClient(LoadClient):
    joint_tags: list[str]


def taps_in_round(client: LoadClient) -> int:
    return 2 * len(client["tags"]) + _REPEATED + _BY_JOINT + _NOTES


def spools_by_joint(actions: int, taps_each_round: int) -> int:
    """How many spools of JOINTS joints a client needs for so many actions."""
    sessions = actions // taps_each_round + 1
    return sessions // (1 + CANCELLED_FOR_EACH_FINISHED) // _SESSIONS_OF_SPOOL + 1


def taps(client: SoakClient) -> Iterator[SoakTap]:
    """Without end, as long as spools with unfinished joints remain."""
    by_joint = _sessions_by_joint(client)
    rounds = 0
    while True:
        for tag in client["tags"]:
            yield _tap("/api/occupation/tomar", client, tag)
            yield _tap("/api/occupation/pausar", client, tag)
        yield SoakTap("", b"", repeated=True)
        yield from next(by_joint)
        tag = client["tags"][rounds % len(client["tags"])]
        yield _note(client, tag, rounds)
        rounds += 1


def _sessions_by_joint(client: SoakClient) -> Iterator[Sequence[SoakTap]]:
    """INICIAR and FINALIZAR: some sessions are cancelled, then one finishes the next joint."""
    for tag in client["joint_tags"]:
        for operacion in ("ARM", "SOLD"):
            for joint in range(1, JOINTS + 1):
                for _ in range(CANCELLED_FOR_EACH_FINISHED):
                    yield _session(client, tag, operacion, [])
                yield _session(client, tag, operacion, [joint])


def _session(client: LoadClient, tag: str, operacion: str, joints: list[int]) -> Sequence[SoakTap]:
    return (
        _tap("/api/v4/occupation/iniciar", client, tag, operacion),
        _tap("/api/v4/occupation/finalizar", client, tag, operacion, selected_unions=joints),
    )


def _note(client: LoadClient, tag: str, number: int) -> SoakTap:
    body = {"worker_id": client["worker_id"], "texto": f"Revisado {number}, sin novedad"}
    return SoakTap(f"/api/spools/{tag}/notas", json.dumps(body).encode())


def _tap(path: str, client: LoadClient, tag: str, operacion: str = "ARM", **more: Any) -> SoakTap:
    body = {"tag_spool": tag, "worker_id": client["worker_id"], "operacion": operacion, **more}
    return SoakTap(path, json.dumps(body).encode())
