"""`carrete dossier`: the same file as often as it is made, readable by its owner only."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from carrete.dossier.typst_limits import LIMITS
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.integration.cli.conftest import Carrete
from tests.support.builders import TAG, a_joint, a_spool, put
from tests.support.pdf_text import pages_of
from tests.support.people import CREW


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    database = open_database(url)
    put(database, [a_spool(TAG, ot="4711", total_uniones=1), a_spool("OTRO", ot="4711")], CREW, [a_joint(1)])
    database.close()
    return url


def test_a_spool_a_work_order_and_a_workbook(carrete: Carrete, url: str, tmp_path: Path) -> None:
    one, again, order, book = (tmp_path / name for name in ("uno.pdf", "otra.pdf", "ot.pdf", "uno.xlsx"))
    done = carrete("dossier", TAG, "--output", str(one), DATABASE_URL=url)
    assert "SHA-256 of its facts" in done.out
    carrete("dossier", TAG, "-o", str(again), DATABASE_URL=url)
    assert one.read_bytes() == again.read_bytes()
    assert stat.S_IMODE(one.stat().st_mode) == 0o600, "it names people"
    carrete("dossier", "--ot", "4711", "--lang", "en", "-o", str(order), DATABASE_URL=url)
    assert "OTRO" in "".join(pages_of(order.read_bytes()))
    carrete("dossier", TAG, "--xlsx", "--photos", "-o", str(book), DATABASE_URL=url)
    assert book.read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "one or the other"),
        ((TAG, "--ot", "4711"), "one or the other"),
        (("NADA",), "NADA"),
        (("--ot", "NADA"), "Ningún spool tiene la OT NADA."),
        ((TAG, "--lang", "fr"), "es or en"),
        ((TAG, "-o", "/no/hay/tal.pdf"), "cannot be written"),
    ],
)
def test_what_cannot_be_made_is_reported_in_a_sentence(
    carrete: Carrete, url: str, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in carrete("dossier", *arguments, DATABASE_URL=url).sentence


def test_a_pdf_that_takes_too_long_is_reported_in_a_sentence(
    carrete: Carrete, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carrete.dossier.typesetting.LIMITS", replace(LIMITS, wall_s_max=0.001))
    result = carrete("dossier", TAG, "-o", str(tmp_path / "uno.pdf"), DATABASE_URL=url)
    assert (result.exit_code, "menos spools" in result.sentence) == (1, True), result
    assert not (tmp_path / "uno.pdf").exists()
