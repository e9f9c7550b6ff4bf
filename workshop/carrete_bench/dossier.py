"""Measures the dossier of a work order of 500 joints with a drawing for each spool: processor time and memory.

As `python -m carrete_bench.dossier LEDGER OT` it makes one and writes DossierUse as JSON: a process of its own, because
the system has only one peak for all children of a process.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from carrete.domain.shop import Shop
from carrete.dossier.choice import DossierChoice, DossierFormat
from carrete.dossier.gather import gather
from carrete.dossier.making import made_dossier
from carrete.dossier.words import Language
from carrete.drawings import png
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.drawings import JointMark, NewDrawing, SpoolDrawing, attach_drawing, save_drawing
from carrete_bench import month, shop
from carrete_bench.goals import Goal, at_most
from carrete_bench.processes import LOAD_S_MAX, run_load_process

SECONDS_MAX = 10.0
MEMORY_MB_MAX = 300.0
WIDTH, HEIGHT = 3_000, 2_121  # A3 at 180 dots an inch


@dataclass(frozen=True, slots=True)
class DossierScale:
    spools: int = 50  # of month.JOINTS joints each


class DossierUse(TypedDict):
    seconds: float
    cpu_s: float  # of both processes: the one that gathers, and the one that makes the PDF
    peak_mb: float  # of the one that makes the PDF
    kilobytes: int


@dataclass(frozen=True, slots=True)
class DossierResults:
    joints: int
    use: DossierUse


def measure(folder: Path, scale: DossierScale) -> DossierResults:
    url = f"sqlite:///{folder / 'dossier.db'}"
    shop.fill(url, 0)
    tags = month.fill_work_order(url, scale.spools)
    database = open_database(url)
    try:
        for number, tag in enumerate(tags):
            _give_drawing(database, tag, number)
    finally:
        database.close()
    task = json.dumps({"ledger": url, "ot": month.WORK_ORDER})
    use: DossierUse = json.loads(run_load_process("carrete_bench.dossier", task, LOAD_S_MAX))
    return DossierResults(scale.spools * month.JOINTS, use)


def _give_drawing(database: Database, tag: str, number: int) -> None:
    """Each is another drawing: white paper with lines of noise, which compress as badly as a scan."""
    pixels = bytearray(b"\xff" * (WIDTH * HEIGHT))
    for row in range(number, HEIGHT, 60):
        pixels[row * WIDTH : (row + 1) * WIDTH] = os.urandom(WIDTH)
    picture = png.made(bytes(pixels), WIDTH, HEIGHT, png.GREY)
    id_, now = hashlib.sha256(picture.content).hexdigest(), datetime.now(UTC)
    marks = tuple(JointMark(n, 90 * n, 500) for n in range(1, month.JOINTS + 1))
    with database.writing() as tx:
        save_drawing(tx, NewDrawing(id_, "image/png", picture.content, WIDTH, HEIGHT), None, now)
        attach_drawing(tx, tag, SpoolDrawing(1, id_, marks, now))


def goals(measured: DossierResults) -> list[Goal]:
    what = f"dossier of {measured.joints:,} joints with drawings"
    return [
        at_most("dossier", f"{what}: s", SECONDS_MAX, measured.use["seconds"]),
        at_most("dossier", f"{what}: MB at its peak", MEMORY_MB_MAX, measured.use["peak_mb"]),
    ]


def main() -> None:
    task = json.load(sys.stdin)
    database = open_database(task["ledger"])
    start = time.perf_counter()
    with database.reading() as tx:
        facts = gather(tx, DossierChoice((), task["ot"], False), "Taller", Shop())
    made = made_dossier(database, facts, DossierFormat.PDF, Language.ES)
    seconds = time.perf_counter() - start
    database.close()
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    use: DossierUse = {
        "seconds": seconds,
        "cpu_s": time.process_time() + of_children.ru_utime + of_children.ru_stime,
        "peak_mb": of_children.ru_maxrss / 1024,
        "kilobytes": len(made.content) // 1024,
    }
    json.dump(use, sys.stdout)


if __name__ == "__main__":
    main()
