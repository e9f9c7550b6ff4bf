"""Somebody who is made inactive while holding spools is told what they may do and what becomes of the spools."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.browser import Tablets
from tests.support.builders import a_spool, held, put
from tests.support.people import CREW, LP
from tests.support.server import RunningServer

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
NOTHING_MORE = "LP(7) ya no está activo: no puede tomar, pausar ni completar nada."


def deactivate(ledger: Database, worker: Worker) -> None:
    with ledger.writing() as tx:
        tx.run("worker_upsert", id=worker.id, nombre=worker.nombre, apellido=worker.apellido, activo=0)


@pytest.mark.parametrize(
    ("tags", "sentence"),
    [
        ([ONE], f"{NOTHING_MORE} El spool {ONE} sigue a su nombre hasta que un supervisor lo libere."),
        ([ONE, TWO], f"{NOTHING_MORE} Los 2 spools que tiene siguen a su nombre hasta que un supervisor los libere."),
        ([], "LP(7) ya no está activo. Hable con su supervisor."),
    ],
)
def test_the_sentence_after_a_tap_names_what_stays_theirs(
    tablets: Tablets, server: RunningServer, ledger: Database, tags: list[str], sentence: str
) -> None:
    put(ledger, [held(a_spool(tag), LP) if tag in tags else a_spool(tag) for tag in (ONE, TWO)], CREW)
    # 401: with the person the session ends, and what the page reads meanwhile is refused.
    with tablets.one(server.url, worker=LP, allow=["403", "401"]) as screen:
        screen.open(f"/trabajo/ARM/{ONE}")
        button = "COMPLETAR" if tags else "TOMAR"
        screen.page.get_by_role("button", name=button, exact=True).wait_for()
        deactivate(ledger, LP)
        screen.tap(button)
        expect(screen.page.get_by_text(sentence)).to_be_visible()
        screen.page.get_by_role("heading", name="¿Quién es usted?").wait_for()


def test_the_sentence_is_also_there_after_a_reload(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [held(a_spool(ONE), LP)], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        deactivate(ledger, LP)
        screen.open("/trabajo/ARM")
        expect(screen.page.get_by_text(NOTHING_MORE)).to_be_visible()
        expect(screen.page.get_by_text(f"El spool {ONE} sigue a su nombre")).to_be_visible()


def test_a_worker_who_does_not_find_their_name_is_told_whom_to_ask(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    deactivate(ledger, LP)
    with tablets.one(server.url) as screen:
        screen.open().get_by_role("searchbox").fill("luis")
        expect(screen.page.get_by_text("Si su nombre falta, hable con su supervisor.")).to_be_visible()
