"""Measures one engine: an idle server, actions beside the empty POST, lists, FINALIZAR, the import, reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from carrete_bench import by_joint, figures, reports, shop, workbook
from carrete_bench.figures import Actions, Engine, Listing
from carrete_bench.load import ACTIONS, EMPTY, GET, Step
from carrete_bench.running import Server, running_server, under_load

CLIENTS = (1, 50)
ROUND_S_MAX = 0.5  # short rounds: what else the machine does hits both kinds alike
ROUNDS_MIN = 3
GATED = "sqlite"  # one engine is enough: what the gate costs does not depend on the ledger

_LISTS = {
    "100 of all": "/api/spools",
    "100 that one worker may take": "/api/spools?accion=TOMAR&operacion=ARM&worker_id=7",
    "100 found by text": "/api/spools?q=25",
    "few found by text": "/api/spools?q=cw-25123-0",
}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured. The defaults are what the goals are about; a test takes less."""

    seconds: float = 10.0  # for each of the two kinds, at each number of clients
    spools: int = 20_000
    idle_s: float = 2.0
    list_s: float = 3.0
    spools_of_few: int = 300  # joints; each spool is two sessions, ARM and SOLD
    spools_of_many: int = 30
    workbook_spools: int = 2_000
    joints_each: int = 10
    reports: reports.Extent = field(default_factory=reports.Extent)


@dataclass(frozen=True, slots=True)
class Ledgers:
    """Two empty ones: the shop's, and one for the import."""

    shop: str
    workbook: str


def measure(name: str, ledgers: Ledgers, folder: Path, extent: Extent, say: Say) -> Engine:
    say(f"{name}: filling a ledger with {extent.spools:,} spools")
    shop.fill(ledgers.shop, extent.spools)
    with running_server(folder, ledgers.shop) as server:
        say(f"{name}: an idle server")
        time.sleep(extent.idle_s)
        idle_mb = server.resident_mb()
        taps = [_actions(name, server, clients, extent, say) for clients in CLIENTS]
        say(f"{name}: lists")
        lists = _lists(server, extent)
        say(f"{name}: joint by joint")
        finished = by_joint.measure(server, ledgers.shop, extent.spools_of_few, extent.spools_of_many, extent.spools)
    gated = _gated(name, ledgers, folder, extent, say) if name == GATED else []
    say(f"{name}: import of {extent.workbook_spools:,} spools")
    imported = workbook.measure(ledgers.workbook, folder, extent.workbook_spools, extent.joints_each)
    say(f"{name}: reports over a month of {extent.reports.events:,} events")
    reported = reports.measure(ledgers.shop, folder, extent.reports)
    return Engine(name, extent.spools, idle_mb, taps, lists, finished, imported, gated, reported)


def _gated(name: str, ledgers: Ledgers, folder: Path, extent: Extent, say: Say) -> list[Actions]:
    """The same shop with the embedded Redis, as `carrete serve` runs by default."""
    with running_server(folder, ledgers.shop, "embedded") as server:
        return [_actions(f"{name} with Redis", server, clients, extent, say) for clients in CLIENTS]


def _actions(name: str, server: Server, clients: int, extent: Extent, say: Say) -> Actions:
    say(f"{name}: actions and empty POSTs, {clients} at a time")
    rounds = max(ROUNDS_MIN, round(extent.seconds / ROUND_S_MAX))
    steps: list[Step] = [{"kind": kind, "path": "", "seconds": extent.seconds / rounds} for kind in (EMPTY, ACTIONS)]
    # The first of each only warms up.
    seen = under_load(server, shop.hands(clients, extent.spools), steps * (rounds + 1))
    return figures.actions(clients, seen[2:])


def _lists(server: Server, extent: Extent) -> list[Listing]:
    """One at a time, as a tablet asks; the first step of each only warms up."""
    each = extent.list_s / len(_LISTS)
    steps: list[Step] = [
        {"kind": GET, "path": path, "seconds": seconds} for path in _LISTS.values() for seconds in (each / 4, each)
    ]
    seen = under_load(server, shop.hands(1, extent.spools), steps)[1::2]
    return [
        Listing(what, len(one["took_us"]), figures.latency(one["took_us"]))
        for what, one in zip(_LISTS, seen, strict=True)
    ]
