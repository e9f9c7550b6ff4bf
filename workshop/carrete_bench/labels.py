"""Measures how long 2,000 labels take as a PDF, on each paper. The figure is shown, no goal depends on it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from carrete.labels.drawing import LABELS_MAX, SpoolLabel, label_pages
from carrete.labels.pdf import pdf_of
from carrete.labels.qr import qr_code
from carrete.labels.stock import STOCKS, LabelFormat
from carrete_bench.progress import ShowProgress
from carrete_bench.shop import tag


@dataclass(frozen=True, slots=True)
class LabelTime:
    paper: LabelFormat
    labels: int
    seconds: float
    cpu_seconds: float
    kilobytes: int


@dataclass(frozen=True, slots=True)
class LabelTimes:
    papers: list[LabelTime]


def run(labels: int, progress: ShowProgress) -> LabelTimes:
    return LabelTimes([_measure(paper, min(labels, LABELS_MAX), progress) for paper in STOCKS])


def _measure(paper: LabelFormat, labels: int, progress: ShowProgress) -> LabelTime:
    """Codes that were made for the paper before are made anew."""
    progress(f"{labels} labels on {paper}")
    wanted = [SpoolLabel(tag(n), f"OT-{25_000 + n // 20}", n % 12) for n in range(labels)]
    qr_code.cache_clear()
    start, cpu_start = time.perf_counter(), time.process_time()
    document = pdf_of(label_pages(wanted, STOCKS[paper]), STOCKS[paper], "Etiquetas")
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return LabelTime(paper, labels, seconds, cpu_seconds, len(document) // 1024)


def show(report: LabelTimes, console: Console) -> None:
    table = Table("paper", "labels", "seconds", "of the processor", "kB")
    for each in report.papers:
        row = (str(each.labels), f"{each.seconds:.2f}", f"{each.cpu_seconds:.2f}", str(each.kilobytes))
        table.add_row(each.paper.value, *row)
    console.print(table)
