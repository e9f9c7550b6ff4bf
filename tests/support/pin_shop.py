"""A shop in mode `pin` for the browser: a real server, enrolled tablets, people with PINs, fingers that type them."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, Request, expect

from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.domain.workers import Rol, Worker
from carrete.identity.records import Device, DeviceKind
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_worker, put
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server
from tests.support.signed_in import DEVICE_COOKIE, EnrolledTablet, enrol, give_pins, put_server_key
from tests.support.signing_in import PIN, give_badge
from tests.support.tablet import Json

AD = a_worker(1, "Ana", "Díaz", roles=(Rol.ADMINISTRADOR,))
PEOPLE = (*CREW, AD)
BADGE = "0004821973"
LOST = ["ERR_", "/api/"]  # what the browser says when the Wi-Fi is away or the server refuses


@dataclass(frozen=True, slots=True)
class PinShop:
    server: RunningServer
    database: Database
    tablets: Tablets
    folder: Path

    @contextmanager
    def tablet(self, *, kind: DeviceKind | None = DeviceKind.TABLET, **options: Any) -> Iterator[Screen]:
        """An enrolled tablet on which nobody is signed in; `kind=None`: a browser that the shop does not know."""
        allow: Sequence[str] = options.pop("allow", LOST)
        with self.tablets.one(self.server.url, allow=allow, **options) as screen:
            if kind is not None:
                self.enrol(screen.page.context, kind)
            yield screen

    def enrol(self, context: BrowserContext, kind: DeviceKind) -> Device:
        enrolled = enrol(self.database, kind)
        put_device_cookie(context, self.server.url, enrolled.secret)
        return enrolled.device

    def history(self, tag: str) -> list[Json]:
        """The spool's events, as any enrolled device reads them."""
        with self.server.client() as client:
            api = EnrolledTablet(client.request, enrol(self.database), self.database)
            events: list[Json] = api.see_history(tag)["events"]
            return events

    def last_taps(self, person: Worker) -> list[int | None]:
        """The last tap numbers of the person's ended sessions, oldest first, as the tablet reported them."""
        question = "SELECT last_tap FROM session WHERE worker_id = ? AND ended_at IS NOT NULL ORDER BY began_at"
        with closing(sqlite3.connect(self.folder / "carrete.db")) as connection:
            return [row[0] for row in connection.execute(question, (person.id,))]

    def authors(self, tag: str) -> list[tuple[str, str]]:
        return [(event["evento_tipo"], event["worker"]) for event in self.history(tag)]


def put_device_cookie(context: BrowserContext, url: str, secret: str) -> None:
    """Stores the device cookie as the server would have set it; the address is https so that the browser accepts a
    Secure cookie."""
    context.add_cookies(
        [
            {
                "name": DEVICE_COOKIE,
                "value": secret,
                "url": url.replace("http:", "https:"),
                "secure": True,
                "httpOnly": True,
                "sameSite": "Strict",
                "expires": time.time() + 86_400,  # the cookie outlives the browser
            }
        ]
    )


@contextmanager
def pin_shop(
    tablets: Tablets,
    folder: Path,
    spools: Sequence[Spool],
    joints: Sequence[Joint] = (),
    *,
    arguments: Sequence[str] = (),
    more_people: Sequence[Worker] = (),
    **settings: str,
) -> Iterator[PinShop]:
    """`arguments` are those of `carrete serve`; `more_people` work here beside the usual ones."""
    people = (*PEOPLE, *more_people)
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    put_server_key(folder)
    database = open_database(url)
    put(database, spools, people, joints)
    give_pins(database, *(person.id for person in people))
    give_badge(database, 8, BADGE)
    with running_server(url, folder, *arguments, settings={"CARRETE_ACCESS": "pin", **settings}) as server:
        try:
            yield PinShop(server, database, tablets, folder)
        finally:
            database.close()


def name_of(person: Worker) -> str:
    return f"{person.nombre} {person.apellido}"


def face(screen: Screen, person: Worker) -> Locator:
    """The person's button on the screen that is open."""
    dialog = screen.page.locator("dialog[open]")
    place = dialog.last if dialog.count() else screen.page
    return place.get_by_role("button", name=name_of(person)).first


def type_pin(page: Page, pin: str = PIN) -> None:
    """On the pad that is uppermost."""
    pad = page.locator("[data-pin-pad]").last
    for digit in pin:
        pad.get_by_role("button", name=digit, exact=True).click()


def sign_in(screen: Screen, person: Worker, pin: str = PIN) -> None:
    """One tap and the PIN."""
    face(screen, person).click()
    type_pin(screen.page, pin)
    expect(screen.page.get_by_role("banner").get_by_text(person.label)).to_be_visible()


def locked(page: Page, person: Worker) -> Locator:
    return page.get_by_role("dialog", name=name_of(person))


def posted(page: Page) -> list[Request]:
    """A list that grows with every POST that the page sends from now on."""
    posts: list[Request] = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    return posts


def read_badge(page: Page, code: str) -> None:
    """A reader types without a pause into the focused element, and ends with Enter."""
    page.evaluate(
        """keys => keys.forEach(key => {
            const on = document.activeElement ?? document.body;
            const heard = on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
            if (heard && key.length === 1) document.execCommand('insertText', false, key);
        })""",
        [*code, "Enter"],
    )
