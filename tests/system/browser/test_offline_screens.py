"""The screens of the time without a connection and of reclamos: in both languages and themes, at four sizes, axe finds
nothing, nothing overflows, everything can be hit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets, complaints
from tests.support.builders import a_joint, a_spool, held
from tests.support.kept_on_tablet import wait_until_kept
from tests.support.people import LP, MR, SV
from tests.support.pin_shop import PinShop, pin_shop, sign_in
from tests.support.reclamos import cadena, paso
from tests.support.signed_in import EnrolledTablet, enrol

FREE, CLAIMED, WHOLE = "MK-1335-CW-25238-010", "MK-1335-CW-25238-020", "MK-1335-CW-25238-030"
JOINTS = 12
ENGLISH = "localStorage.setItem('carrete.language', 'en')"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    """Two reclamos of LP's wait: twelve joints, and a whole spool."""
    spools = [
        a_spool(FREE, total_uniones=4),
        held(a_spool(CLAIMED, total_uniones=JOINTS), MR),
        held(a_spool(WHOLE), MR),
    ]
    joints = [a_joint(n, FREE) for n in range(1, 5)] + [a_joint(n, CLAIMED) for n in range(1, JOINTS + 1)]
    with pin_shop(tablets, tmp_path, spools, joints) as running, running.server.client() as client:
        tablet = EnrolledTablet(client.request, enrol(running.database), running.database)
        tablet.sign_in(LP.id)
        by_joint = paso("FINALIZAR", "ARM", *range(1, JOINTS + 1))
        for tag, steps in ((CLAIMED, (paso("INICIAR"), by_joint)), (WHOLE, (paso("TOMAR"), paso("COMPLETAR")))):
            assert cadena(tablet, *steps, tag=tag, worker=LP).json()["reclamo"] is not None
        yield running


@pytest.fixture(params=["es", "en"])
def script(request: pytest.FixtureRequest) -> str:
    return ENGLISH if request.param == "en" else ""


def test_the_supervisor_decides_about_a_reclamo(shop: PinShop, script: str) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=script) as screen:
        page = screen.open("/supervision")
        sign_in(screen, SV)
        expect(page.locator("[data-reclamo]")).to_have_count(2)
        assert complaints(screen) == []
        page.locator("[data-reclamo] button").filter(has_text=CLAIMED).click()
        page.locator("[data-work]").first.click()
        assert complaints(screen) == []


def test_the_worker_looks_at_reclamos_of_their_own(shop: PinShop, script: str) -> None:
    with shop.tablet(for_axe=True, script=script) as screen:
        page = screen.open()
        sign_in(screen, LP)
        page.get_by_role("button", name=re.compile("2 reclamos|2 of your|2 claims", re.I)).click()
        expect(page.get_by_role("dialog").locator("[data-reclamo]")).to_have_count(2)
        assert complaints(screen) == []


def test_the_list_the_card_and_what_is_kept_without_a_connection(shop: PinShop, script: str) -> None:
    with shop.tablet(for_axe=True, script=script) as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(FREE).wait_for()
        wait_until_kept(page, "cards", 1)
        page.context.set_offline(True)
        expect(page.locator("[data-connection=offline]")).to_be_visible()
        assert complaints(screen) == []
        screen.pick(FREE)
        tap(screen, "INICIAR|START|BEGIN")
        expect(page.locator("[data-outcome=warn]")).to_be_visible()
        screen.joint(1).click()
        assert complaints(screen) == []
        tap(screen, "acci|action")  # the strip: what is not sent yet
        expect(page.get_by_role("dialog")).to_be_visible()
        assert complaints(screen) == []


def tap(screen: Screen, name: str) -> None:
    """By part of its name, in either language."""
    screen.page.get_by_role("button", name=re.compile(name, re.I)).first.click()
