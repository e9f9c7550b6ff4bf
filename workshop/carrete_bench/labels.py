"""Measures how long 2,000 labels take as a PDF, on each paper: by themselves, and requested over HTTP."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path

from rich.console import Console
from rich.table import Table

from carrete.labels.drawing import LABELS_MAX, SpoolLabel, label_pages
from carrete.labels.pdf import pdf_of
from carrete.labels.qr import qr_code
from carrete.labels.stock import STOCKS, LabelFormat
from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.goals import Goal, at_most
from carrete_bench.processes import BenchServer, running_server
from carrete_bench.progress import ShowProgress
from carrete_bench.report import Machine, goals_table, machine_line, this_machine

LABELS_S_MAX = 5.0
HTTP_S_MAX = 60.0
OK = 200


@dataclass(frozen=True, slots=True)
class LabelTime:
    """`http_seconds`: from the request to the last byte of the PDF, of a server that has drawn nothing yet."""

    paper: LabelFormat
    labels: int
    seconds: float
    cpu_seconds: float
    http_seconds: float
    kilobytes: int


@dataclass(frozen=True, slots=True)
class LabelTimes:
    at: datetime
    machine: Machine
    papers: list[LabelTime]
    goals: list[Goal]


def run(labels: int, progress: ShowProgress) -> LabelTimes:
    machine = this_machine()
    labels = min(labels, LABELS_MAX)
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        url = f"sqlite:///{Path(name) / 'shop.db'}"
        shop.fill(url, labels)
        papers = []
        for paper in STOCKS:
            # A server of its own for each paper: codes that were made for the paper before are made anew.
            with running_server(Path(name), url) as server:
                papers.append(_measure(paper, labels, server, progress))
    goals = [
        at_most(each.paper.value, f"{each.labels:,} labels {how}: s", LABELS_S_MAX, seconds)
        for each in papers
        for how, seconds in (("as a PDF", each.seconds), ("over HTTP", each.http_seconds))
    ]
    return LabelTimes(datetime.now(UTC), machine, papers, goals)


def _measure(paper: LabelFormat, labels: int, server: BenchServer, progress: ShowProgress) -> LabelTime:
    progress(f"{labels} labels on {paper}")
    wanted = [SpoolLabel(shop.tag(n), f"OT-{25_000 + n // 20}", n % 12) for n in range(labels)]
    qr_code.cache_clear()
    start, cpu_start = time.perf_counter(), time.process_time()
    document = pdf_of(label_pages(wanted, STOCKS[paper]), STOCKS[paper], "Etiquetas")
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    http_seconds = _http_seconds(server, paper, [label.tag for label in wanted])
    return LabelTime(paper, labels, seconds, cpu_seconds, http_seconds, len(document) // 1024)


def _http_seconds(server: BenchServer, paper: LabelFormat, tags: list[str]) -> float:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HTTP_S_MAX)
    start = time.perf_counter()
    body = json.dumps({"tags": tags, "formato": paper})
    connection.request("POST", "/api/etiquetas/pdf", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    document = answer.read()
    seconds = time.perf_counter() - start
    connection.close()
    if answer.status != OK or not document.startswith(b"%PDF"):
        raise BenchFailed(f"labels were answered with {answer.status}: {document[:500].decode('utf-8', 'replace')}")
    return seconds


def show(report: LabelTimes, console: Console) -> None:
    console.print(machine_line(report.machine), soft_wrap=True)
    table = Table("paper", "labels", "seconds", "of the processor", "over HTTP", "kB")
    for each in report.papers:
        times = (f"{seconds:.2f}" for seconds in (each.seconds, each.cpu_seconds, each.http_seconds))
        table.add_row(each.paper.value, str(each.labels), *times, str(each.kilobytes))
    console.print(table)
    console.print(goals_table(report.goals, "paper"))
