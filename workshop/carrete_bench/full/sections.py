"""Parts of `carrete bench all` that have a command or a page of figures of their own: HTTPS, tablets that come back,
photos, the dossier, and how long the trail takes to verify."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from carrete_bench import dossier, photos, tls, verifying
from carrete_bench.dossier import DossierResults, DossierScale
from carrete_bench.engine_choice import EngineChoice
from carrete_bench.goals import Goal
from carrete_bench.live.measure import LiveScale
from carrete_bench.offline import measure as offline
from carrete_bench.offline.measure import OfflineReport
from carrete_bench.offline.queues import OfflineScale
from carrete_bench.photos import PhotoResults, PhotoScale
from carrete_bench.progress import ShowProgress
from carrete_bench.tls import TlsReport, TlsScale
from carrete_bench.verifying import VerifyingResults, VerifyingScale


@dataclass(frozen=True, slots=True)
class SectionScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    tls: TlsScale = field(default_factory=lambda: TlsScale(rounds=50, live=LiveScale(events=20)))
    offline: OfflineScale = field(default_factory=lambda: OfflineScale(normal_s=5.0))
    photos: PhotoScale = field(default_factory=PhotoScale)
    dossier: DossierScale = field(default_factory=DossierScale)
    verifying: VerifyingScale = field(default_factory=VerifyingScale)


@dataclass(frozen=True, slots=True)
class SectionResults:
    tls: TlsReport
    offline: OfflineReport
    photos: PhotoResults
    dossier: DossierResults

    @property
    def goals(self) -> list[Goal]:
        found = [*self.tls.goals, *self.offline.goals]
        return [*found, *photos.goals(self.photos), *dossier.goals(self.dossier)]


def measure(scale: SectionScale, postgres_url: str | None, progress: ShowProgress) -> SectionResults:
    """`postgres_url` is the address of the server that the other parts were measured on, None without one."""
    of_tls = tls.run(scale.tls, progress)
    choice = EngineChoice.SQLITE if postgres_url is None else EngineChoice.BOTH
    of_offline = offline.run(choice, scale.offline, postgres_url or "", progress)
    progress("photos beside taps")
    with _folder() as name:
        of_photos = photos.measure(Path(name), scale.photos)
    progress("the dossier of a work order")
    with _folder() as name:
        return SectionResults(of_tls, of_offline, of_photos, dossier.measure(Path(name), scale.dossier))


def _folder() -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory(prefix="carrete-bench-")


def tables(results: SectionResults) -> list[Table]:
    return [
        *tls.tables(results.tls),
        offline.table(results.offline),
        _photos(results.photos),
        _dossier(results.dossier),
    ]


def _photos(measured: PhotoResults) -> Table:
    table = Table(
        "what", "p50 ms", "p95 ms", title=f"{measured.uploaders} people send photos, {measured.photos} in all"
    )
    for what, latency in (
        ("a photo and its note", measured.photo),
        ("taps, no photos", measured.taps),
        ("taps beside photos", measured.taps_beside),
    ):
        table.add_row(what, f"{latency.p50_ms:.1f}", f"{latency.p95_ms:.1f}")
    return table


def _dossier(measured: DossierResults) -> Table:
    use = measured.use
    table = Table("joints", "seconds", "of the processor", "MB at its peak", "kB", title="A dossier with drawings")
    times = (f"{use['seconds']:.2f}", f"{use['cpu_s']:.2f}")
    table.add_row(f"{measured.joints:,}", *times, f"{use['peak_mb']:.0f}", f"{use['kilobytes']:,}")
    return table


def verifying_table(results: list[VerifyingResults]) -> Table:
    table = Table("ledger", "events", "seconds", "of the processor", "s for 1,000,000", title="carrete verify")
    for each in results:
        times = (f"{each.seconds:.2f}", f"{each.cpu_s:.2f}", f"{each.million_s:.1f}")
        table.add_row(each.engine, f"{each.events:,}", *times)
    return table


def verifying_goals(results: list[VerifyingResults]) -> list[Goal]:
    return [goal for each in results for goal in verifying.goals(each)]
