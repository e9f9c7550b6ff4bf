"""The shop of the measurement: tablets, each with chains of taps that wait for the connection, and other tablets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from carrete.identity.server_keys import ServerKeys
from carrete.ledger import open_database
from carrete_bench import shop
from carrete_bench.identity import signed_in
from carrete_bench.load import LoadClient
from carrete_bench.offline.returning import ChainToSend, TabletQueue

JOINTS_EACH = 5
_TAPPED_AGO = timedelta(hours=2)
_WHOLE: list[dict[str, Any]] = [{"accion": "TOMAR"}, {"accion": "COMPLETAR"}]
_BY_JOINT: list[dict[str, Any]] = [{"accion": "INICIAR"}, {"accion": "FINALIZAR", "uniones": [1, 2, 3]}]
_TWICE: list[dict[str, Any]] = [*_BY_JOINT, {"accion": "INICIAR"}, {"accion": "FINALIZAR", "uniones": [4, 5]}]
_ROUND = (_BY_JOINT, _WHOLE, _BY_JOINT, _WHOLE, _BY_JOINT, _WHOLE, _BY_JOINT, _WHOLE, _TWICE)
TAPS_PER_ROUND = sum(len(steps) for steps in _ROUND)
_WHOLE_PER_ROUND = sum(steps is _WHOLE for steps in _ROUND)
_HELD_EVERY = 2  # of the rounds: another person has taken the first spool meanwhile


@dataclass(frozen=True, slots=True)
class OfflineScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    tablets: int = 50
    rounds: int = 10  # of TAPS_PER_ROUND taps on nine spools, on each tablet
    others: int = 20  # tablets that had a connection all the time
    pace_s: float = 0.5  # between two taps of each of the others
    normal_s: float = 10.0  # before the tablets come back, and again afterwards

    @property
    def taps_each(self) -> int:
        return self.rounds * TAPS_PER_ROUND

    @property
    def chains(self) -> int:
        return self.tablets * self.rounds * len(_ROUND)

    @property
    def claimed(self) -> int:
        """How many chains are refused, because another person holds the spool, and become reclamos."""
        return self.tablets * len(range(0, self.rounds, _HELD_EVERY))


@dataclass(frozen=True, slots=True)
class QueuedShop:
    """`held` are the spools that the first of the others takes before the tablets come back."""

    returning: list[TabletQueue]
    others: list[LoadClient]
    held: list[str]


def fill(ledger_url: str, folder: Path, scale: OfflineScale) -> QueuedShop:
    whole = scale.tablets * scale.rounds * _WHOLE_PER_ROUND
    shop.fill(ledger_url, whole + scale.others * shop.SPOOLS_EACH, workers=scale.tablets + scale.others)
    queued = [list(_queued(tablet, scale)) for tablet in range(scale.tablets)]
    by_joint = [chain["tag"] for each in queued for chain in each if chain["by_joint"]]
    shop.deliver_by_joint(ledger_url, [(tag, JOINTS_EACH) for tag in by_joint])
    clients: list[LoadClient] = [{"worker_id": tablet + 1, "tags": []} for tablet in range(scale.tablets)]
    for other in range(scale.others):
        first = whole + other * shop.SPOOLS_EACH
        tags = [shop.tag(number) for number in range(first, first + shop.SPOOLS_EACH)]
        clients.append({"worker_id": scale.tablets + other + 1, "tags": tags})
    tablets = _signed_in(ledger_url, folder, clients)
    returning: list[TabletQueue] = [
        {"client": client, "chains": chains} for client, chains in zip(tablets, queued, strict=False)
    ]
    held = [chain["tag"] for each in queued for chain in each if chain["claimed"]]
    return QueuedShop(returning, tablets[scale.tablets :], held)


def _queued(tablet: int, scale: OfflineScale) -> Iterator[ChainToSend]:
    """The chains of one tablet, on spools that are in no chain of another tablet."""
    whole = iter(range(tablet * scale.rounds * _WHOLE_PER_ROUND, (tablet + 1) * scale.rounds * _WHOLE_PER_ROUND))
    tapped_at = (datetime.now(UTC) - _TAPPED_AGO).isoformat(timespec="seconds")
    for round_ in range(scale.rounds):
        for number, steps in enumerate(_ROUND):
            by_joint = steps is not _WHOLE
            tag = f"MK-{tablet}-UN-{round_}-{number}" if by_joint else shop.tag(next(whole))
            pasos = [{**step, "operacion": "ARM", "hecho_en": tapped_at} for step in steps]
            body = json.dumps({"tag_spool": tag, "worker_id": tablet + 1, "pasos": pasos})
            claimed = number == 0 and round_ % _HELD_EVERY == 0
            yield {"tag": tag, "by_joint": by_joint, "body": body, "claimed": claimed}


def _signed_in(ledger_url: str, folder: Path, clients: list[LoadClient]) -> list[LoadClient]:
    database = open_database(ledger_url)
    try:
        with database.writing() as tx:
            keys = ServerKeys.load(folder, tx)
            return [signed_in(tx, keys, client) for client in clients]
    finally:
        database.close()
