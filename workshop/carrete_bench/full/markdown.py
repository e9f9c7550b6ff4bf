"""The report of `carrete bench all` as a page of Markdown, such as docs/figures.md."""

from __future__ import annotations

from rich.table import Table

from carrete_bench.full.report import FullReport, parts

_HEAD = """# Figures

One run of `carrete bench all`, {day}. Written by it (`--markdown`), not by hand. What each figure means, and why some
goals are not reached: [performance.md](performance.md).
"""


def page(report: FullReport) -> str:
    blocks = [_table(part) if isinstance(part, Table) else part for part in parts(report)]
    return "\n\n".join([_HEAD.format(day=report.at.date().isoformat()).rstrip(), *blocks]) + "\n"


def _table(table: Table) -> str:
    header = [str(column.header) for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    lines = [_line(header), _line(["---"] * len(header)), *(_line([str(cell) for cell in row]) for row in rows)]
    return f"## {table.title}\n\n" + "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
