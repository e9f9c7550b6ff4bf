"""`carrete bench tls`: what HTTPS costs. The same actions over kept connections with it and without, in turns; and many
viewers with it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from carrete.tls.authority import CERTIFICATE_FILE, load_or_make
from carrete.tls.certificate import renew_if_needed
from carrete.tls.files import local_files
from carrete.tls.names import certificate_names
from carrete_bench import shop
from carrete_bench.cpu import cpu_seconds
from carrete_bench.goals import Goal, at_least
from carrete_bench.live import measure as live
from carrete_bench.live.measure import LiveScale, ViewerResults
from carrete_bench.load import ACTIONS, LoadClient, LoadStep
from carrete_bench.processes import BenchCertificate, BenchServer, running_server, send_load
from carrete_bench.progress import ShowProgress
from carrete_bench.report import Machine, goals_table, this_machine
from carrete_bench.results import rate_per_s

RATIO_MIN = 0.8
PLAIN, TLS = GROUPS = ("plain", "tls")


@dataclass(frozen=True, slots=True)
class TlsScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    clients: int = 50
    rounds: int = 100  # many and short: what else the machine does then hits both alike
    round_s: float = 0.15
    live: LiveScale = field(default_factory=LiveScale)


@dataclass(frozen=True, slots=True)
class TlsRound:
    plain_per_s: float
    tls_per_s: float

    @property
    def ratio(self) -> float:
        return self.tls_per_s / self.plain_per_s


@dataclass(frozen=True, slots=True)
class TlsReport:
    at: datetime
    machine: Machine
    clients: int
    rounds: list[TlsRound]
    ratio: float  # the median of the rounds
    plain_us: float | None  # processor time of the server for one action
    tls_us: float | None
    crowd: ViewerResults
    goals: list[Goal]


def run(scale: TlsScale, progress: ShowProgress) -> TlsReport:
    machine = this_machine()
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        certificate = _certificate(folder / "certificate")
        progress(f"actions of {scale.clients} clients, with HTTPS and without")
        rounds, plain_us, tls_us = _measure_actions(folder, certificate, scale)
        progress(f"{scale.live.viewers:,} viewers over HTTPS")
        crowd = _measure_viewers(folder, certificate, scale.live)
    ratio = median(each.ratio for each in rounds)
    goals = [at_least("HTTPS", "actions, divided by those without", RATIO_MIN, ratio), *live.goals(crowd)]
    return TlsReport(datetime.now(UTC), machine, scale.clients, rounds, ratio, plain_us, tls_us, crowd, goals)


def _certificate(folder: Path) -> BenchCertificate:
    names, now = certificate_names("127.0.0.1"), datetime.now(UTC)
    renew_if_needed(folder, load_or_make(folder, names, now), names, now)
    return BenchCertificate(local_files(folder).certificate, folder / CERTIFICATE_FILE)


def _measure_actions(
    folder: Path, certificate: BenchCertificate, scale: TlsScale
) -> tuple[list[TlsRound], float | None, float | None]:
    """Both servers run all the time on one ledger. One load process uses one of them at a time, in turns. Also returns
    the processor time of an action at each of them, which a busy machine changes less than their rates."""
    url = f"sqlite:///{folder / 'actions.db'}"
    shop.fill(url, shop.SPOOLS_MIN)
    for server in GROUPS:
        (folder / server).mkdir(mode=0o700)
    with (
        running_server(folder / PLAIN, url) as plain,
        running_server(folder / TLS, url, certificate=certificate) as secure,
    ):
        clients = [*_clients(PLAIN, plain, scale), *_clients(TLS, secure, scale)]
        # The first round only warms up.
        steps: list[LoadStep] = [
            {"kind": ACTIONS, "path": "", "seconds": scale.round_s, "group": group}
            for _ in range(scale.rounds + 1)
            for group in GROUPS
        ]
        before = [cpu_seconds(server.pid) for server in (plain, secure)]
        results = send_load(plain, clients, steps)
        used = [cpu_seconds(server.pid) for server in (plain, secure)]
    sent = [sum(len(each["latencies_us"]) for each in results[at :: len(GROUPS)]) for at in range(len(GROUPS))]
    costs = [
        (after - begun) / actions * 1e6 if after is not None and begun is not None else None
        for begun, after, actions in zip(before, used, sent, strict=True)
    ]
    rates = [rate_per_s(step) for step in results][len(GROUPS) :]
    rounds = [TlsRound(*rates[start : start + len(GROUPS)]) for start in range(0, len(rates), len(GROUPS))]
    return rounds, costs[0], costs[1]


def _clients(group: str, server: BenchServer, scale: TlsScale) -> list[LoadClient]:
    found: list[LoadClient] = []
    for client in shop.load_clients(scale.clients, shop.SPOOLS_MIN):
        client.update({"group": group, "port": server.port})
        if server.authority:
            client["authority"] = server.authority
        found.append(client)
    return found


def _measure_viewers(folder: Path, certificate: BenchCertificate, scale: LiveScale) -> ViewerResults:
    url = f"sqlite:///{folder / 'live.db'}"
    shop.fill(url, shop.SPOOLS_MIN)
    with running_server(folder, url, "embedded", certificate=certificate) as server:
        live.measure_viewers(server, 1, scale)
        return live.measure_viewers(server, scale.viewers, scale)


def show(report: TlsReport, out: Console) -> None:
    machine = report.machine
    out.print(
        f"{machine.cores} cores, Python {machine.python}, {machine.system}, load {machine.load:.1f} at the start.",
        soft_wrap=True,
    )
    actions, viewers = tables(report)
    out.print(actions)
    if report.plain_us is not None and report.tls_us is not None:
        out.print(f"Processor time of an action: {report.plain_us:.0f} µs, with HTTPS {report.tls_us:.0f} µs.")
    out.print(viewers)
    out.print(goals_table(report.goals, "of"))


def tables(report: TlsReport) -> tuple[Table, Table]:
    """Of the actions with HTTPS and without, and of the viewers with it."""
    table = Table(
        "rounds", "plain /s", "HTTPS /s", "ratio", title=f"HTTPS: actions of {report.clients} clients, medians"
    )
    plain, secure = (
        median(rates) for rates in zip(*((r.plain_per_s, r.tls_per_s) for r in report.rounds), strict=True)
    )
    table.add_row(str(len(report.rounds)), f"{plain:,.0f}", f"{secure:,.0f}", f"{report.ratio:.2f}")
    return table, live.table([report.crowd])
