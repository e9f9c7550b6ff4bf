"""Sizes and figures of a server in plain words, for the page *Sistema*. `/metrics` has all of them for programs."""

from __future__ import annotations

import os
import shutil
from bisect import bisect_left
from collections.abc import Iterator
from datetime import datetime
from itertools import accumulate, islice
from pathlib import Path

from carrete.action_metrics import SECONDS, ActionMetrics
from carrete.domain.shop import Shop
from carrete.domain.shop_time import wall
from carrete.findings import Words
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.settings import Settings

FILES_COUNTED_MAX = 20_000
MOST = 0.95
HERE = Words(" (this process)", " (este proceso)")


def sizes(settings: Settings, ledger_bytes: int) -> Iterator[tuple[Words, int]]:
    """In bytes. Folders that do not exist are left out."""
    yield Words("Ledger", "Registro"), ledger_bytes
    for name, folder in (
        (Words("Backups", "Respaldos"), settings.backup_folder),
        (Words("Uploaded workbooks", "Planillas subidas"), settings.data / "uploads"),
        (Words("Redis's files", "Archivos de Redis"), settings.data / "redis"),
    ):
        if folder.is_dir():
            yield name, folder_bytes(folder)
    if memory := _memory_bytes():
        yield Words("Memory" + HERE.en, "Memoria" + HERE.es), memory
    usage = shutil.disk_usage(settings.data)
    yield Words("Free on the disk", "Libre en el disco"), usage.free
    yield Words("The whole disk", "Disco completo"), usage.total


def folder_bytes(folder: Path) -> int:
    """Files that disappear meanwhile count for nothing."""
    found = 0
    paths = (Path(parent, name) for parent, _, files in os.walk(folder) for name in files)
    for path in islice(paths, FILES_COUNTED_MAX):
        try:
            found += path.lstat().st_size
        except OSError:
            continue
    return found


def _memory_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def shop_figures(tx: Tx, shop: Shop, with_sheet: bool) -> Iterator[tuple[Words, Words]]:
    """Figures of the whole shop, from the ledger."""
    (occupied,) = tx.one("occupied_count") or (0,)
    yield Words("Spools in somebody's hands now", "Spools ocupados ahora"), _number(occupied)
    (listed,) = tx.one("count_spools:listed") or (0,)
    yield Words("Spools in the lists", "Spools en las listas"), _number(listed)
    last, at = tx.one("event_last"), tx.one("event_newest_at")
    if last and at:
        moment = wall(datetime.fromisoformat(at[0]), shop.zone).strftime("%d-%m-%Y %H:%M")
        yield Words("Last event", "Último movimiento"), Words(f"no. {last[0]}, {moment}", f"n.º {last[0]}, {moment}")
    if with_sheet:
        waiting, _ = tx.one("outbox_length") or (0, None)
        yield Words("Rows of the workbook to be written", "Filas por escribir en la planilla"), _number(waiting)


def process_figures(services: Services) -> Iterator[tuple[Words, Words]]:
    """Figures of this process since its start; another process of the same shop has its own."""
    metrics = services.action_metrics
    yield Words("Pages that watch live" + HERE.en, "Pantallas en vivo" + HERE.es), _number(services.tail.viewers)
    actions = Words("Actions since the start" + HERE.en, "Acciones desde el arranque" + HERE.es)
    yield actions, _number(sum(metrics.actions.values()))
    if takes := sum(metrics.takes.values()):
        share = 100 * metrics.takes["SPOOL_OCCUPIED"] / takes
        met = Words("Takes that met another holder" + HERE.en, "Tomas que encontraron a otro" + HERE.es)
        yield met, Words(f"{share:.1f} %", f"{share:.1f} %".replace(".", ","))
    if within := most_within_s(metrics):
        took = Words(
            "19 of 20 actions were answered within" + HERE.en, "19 de cada 20 acciones respondidas en" + HERE.es
        )
        yield took, Words(*(within,) * 2)
    yield Words("Redis" + HERE.en, "Redis" + HERE.es), _redis(services)


def most_within_s(metrics: ActionMetrics) -> str:
    """The bound that MOST answers did not exceed, as `25 ms` or `1 s`; empty before the first answer."""
    counts = [sum(each) for each in zip(*(latency.counts for latency in metrics.latencies.values()), strict=True)]
    if not counts or not sum(counts):
        return ""
    at = bisect_left(list(accumulate(counts)), MOST * sum(counts))
    if at == len(SECONDS):
        return f"> {SECONDS[-1]:g} s"
    return f"{SECONDS[at]:g} s" if SECONDS[at] >= 1 else f"{SECONDS[at] * 1000:g} ms"


def _redis(services: Services) -> Words:
    gate = services.gate_services
    if gate is None:
        return Words("off: the ledger alone decides", "apagado: decide el registro solo")
    if gate.health()["status"] == "healthy":
        return Words("in use", "en uso")
    return Words("not used now: the ledger alone decides", "no se usa ahora: decide el registro solo")


def _number(value: int) -> Words:
    """`12,345` and `12.345`."""
    return Words(f"{value:,}", f"{value:,}".replace(",", "."))
