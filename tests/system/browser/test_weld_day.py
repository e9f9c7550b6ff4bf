"""docs/weld-record.md in a browser: one spool from its heats to the dossier, with a rejected radiograph on the way."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

from tests.support.browser import Tablets
from tests.support.ndt import exams
from tests.support.pdf_text import pages_of
from tests.support.people import JS
from tests.support.pin_shop import PinShop
from tests.support.weld_day import (
    ADDITIONAL,
    DOCUMENT,
    EXAMINER,
    HEATS,
    NAME,
    OF_ADDITIONAL,
    PLANNED_HEAT,
    RE_EXAMINING,
    REJECTED,
    REJECTING,
    TAG,
    WPS,
    shop_of_the_walk,
    walk,
)
from tests.support.weld_paper import save_pages

DOCS = Path(__file__).parents[3] / "docs"
HEX_64 = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with shop_of_the_walk(tablets, tmp_path) as running:
        yield running


def test_a_spool_is_led_from_its_heats_to_the_dossier(shop: PinShop, tmp_path: Path) -> None:
    taken: list[str] = []
    papers = walk(shop, lambda _, name: taken.append(name))
    assert_the_ledger_tells_the_story(shop)
    assert papers.again == papers.spanish, "made again, it is the same byte for byte"
    assert_the_paper_tells_the_story(pages_of(papers.spanish), rejected="Rechazado", approved="Aprobado", of="de")
    assert_the_paper_tells_the_story(pages_of(papers.english), rejected="Rejected", approved="Accepted", of="of")
    assert_the_workbook_tells_the_story(papers.workbook)
    save_pages(papers.spanish, tmp_path)
    assert_docs_show("weld-record.md", "weld-record", taken)
    assert_docs_show("dossier.md", "dossier", [each.stem for each in tmp_path.glob("*.png")])


def additional_joints(shop: PinShop) -> list[int]:
    return sorted(exam.n_union for exam in exams(shop.database, TAG) if exam.origin == "adicional")


def assert_the_ledger_tells_the_story(shop: PinShop) -> None:
    assert len(additional_joints(shop)) == ADDITIONAL
    assert REJECTED not in additional_joints(shop)
    events = [event for event, _ in shop.authors(TAG) if event.startswith(("NDT_", "REPARACION_UNION", "METROLOGIA_A"))]
    assert events == [
        "METROLOGIA_AUTO_TRIGGERED",
        *("NDT_SOLICITADO", "NDT_RECHAZADO", "NDT_SOLICITADO", "NDT_SOLICITADO"),
        *("REPARACION_UNION", "NDT_SOLICITADO"),
        *("NDT_APROBADO", "NDT_APROBADO", "NDT_APROBADO"),
        "METROLOGIA_APROBADO",
    ]


def assert_the_paper_tells_the_story(pages: list[str], rejected: str, approved: str, of: str) -> None:
    cover, log, _, examinations, *_ = pages
    assert NAME in cover
    (number,) = set(re.findall(r"\bD-\d+-[0-9A-F]{6}\b", "".join(pages)))
    *_, facts_hash = HEX_64.findall(cover)
    assert number.endswith(facts_hash[:6].upper())
    for at, page in enumerate(pages, 1):
        assert f"{at} {of} {len(pages)}" in page
        assert facts_hash in page
    for heat in HEATS.values():
        assert f"{PLANNED_HEAT} / {heat}" in log
    assert log.count(WPS) == len(HEATS)
    assert f"RT {rejected} · {REJECTING}" in log
    assert f"RT R1 {approved} · {RE_EXAMINING}" in log
    assert f"R1 {JS.label}" in log
    assert all(f"RT {approved} · {report}" in log for report in OF_ADDITIONAL)
    assert all(text in examinations for text in ("POROSIDAD", "60.0 %", DOCUMENT, EXAMINER.label))


def assert_the_workbook_tells_the_story(content: bytes) -> None:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    cells = {str(cell) for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python() for cell in row}
    sheet_text = "\n".join(cells)
    assert all(text in sheet_text for text in (WPS, DOCUMENT, REJECTING, RE_EXAMINING, *OF_ADDITIONAL, *HEATS.values()))


def assert_docs_show(page: str, folder: str, names: list[str]) -> None:
    """`make screenshots` takes the pictures; this test only looks that they are all there, and shown."""
    stored = {picture.stem for picture in (DOCS / "images" / folder).glob("*.png")}
    assert stored == set(names)
    text = (DOCS / page).read_text("utf-8")
    assert all(f"images/{folder}/{name}.png" in text for name in names)
