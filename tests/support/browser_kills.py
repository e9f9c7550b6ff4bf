"""Kills a real Chromium between a tap and its sending, again and again, on one tablet that two people share. The Wi-Fi
is off most of the time; when it is back, it sometimes loses every tap, so that one person's taps are still on the
tablet when the other signs in. A tap that the page called stored must arrive, once, for its author; a tap that was only
tapped may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random

from playwright.sync_api import Error, Playwright, expect

from carrete.domain.workers import Worker
from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool
from tests.support.kept_on_tablet import kill_browser_of, profile, wait_until, wait_until_kept
from tests.support.people import AY, LP
from tests.support.pin_shop import PinShop, pin_shop, put_device_cookie, sign_in
from tests.support.signed_in import enrol
from tests.support.wifi import Place, Wifi, wifi_to

PEOPLE = (LP, AY)
KILL_MS_MAX = 60  # after a tap that was not waited for
JOINTS = 2
CHANGES_IN_100 = 25
RELOADS_IN_100 = 75
KEPT = "Guardado en este tablet."


class Moment(StrEnum):
    """When the browser is killed."""

    TAPPED = "a moment after the tap"
    KEPT = "when the tap was called kept"
    SENDING = "when the chain has left, before the server has it"
    ANSWERED = "when the server has done it, before the answer is there"


@dataclass(frozen=True, slots=True)
class Way:
    """How a spool is worked: the buttons, and the events of each."""

    buttons: tuple[str, ...]
    events: tuple[tuple[str, ...], ...]

    def after(self, steps: int, worker: str) -> list[tuple[str, str]]:
        return [(event, worker) for events in self.events[:steps] for event in events]


WHOLE = Way(("TOMAR", "PAUSAR"), (("TOMAR_SPOOL",), ("PAUSAR_SPOOL",)))
BY_JOINT = Way(("INICIAR", "FINALIZAR"), (("INICIAR_SPOOL",), ("UNION_ARM_REGISTRADA", "SPOOL_ARM_PAUSADO")))


@dataclass(slots=True)
class Work:
    """What one person tapped on one spool."""

    tag: str
    way: Way
    worker: Worker
    tapped: int = 0
    kept: int = 0


@dataclass
class Campaign:
    shop: PinShop
    wifi: Wifi
    playwright: Playwright
    folder: Path  # the profile of the tablet's browser
    rng: Random
    works: list[Work] = field(default_factory=list)
    kills: Counter[Moment] = field(default_factory=Counter)
    changes: int = 0
    here: Worker = LP
    moments: tuple[Moment, ...] = tuple(Moment)
    steps_max: int = len(WHOLE.buttons)
    script: str = ""  # a planted bug, which runs in every page before the app

    def run(self, tags: Sequence[str]) -> None:
        with self._opened() as screen:
            secret = enrol(self.shop.database, DeviceKind.TABLET).secret
            put_device_cookie(screen.page.context, self.wifi.url, secret)
            page = screen.open()
            sign_in(screen, self.here)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            wait_until_kept(page, "cards", len(tags))
        for tag in tags:
            if self.rng.randrange(100) < CHANGES_IN_100:
                self._change_person()
            self._work_and_kill(tag)
        self._deliver()

    @contextmanager
    def _opened(self) -> Iterator[Screen]:
        with profile(self.playwright, self.folder) as context:
            if self.script:
                context.add_init_script(self.script)
            yield Screen(context.pages[0], self.wifi.url)

    def _change_person(self) -> None:
        """Over a connection that loses only taps: the previous person leaves theirs on the tablet."""
        self.wifi.lose_taps(True)
        self.wifi.mend()
        after = PEOPLE[1 - PEOPLE.index(self.here)]
        with self._opened() as screen:
            screen.open("/trabajo/ARM")
            screen.tap("Salir")
            sign_in(screen, after)
            wait_for_copy_of(screen, after)
            self.here = after
            self.changes += 1
        self.wifi.cut()
        self.wifi.lose_taps(False)

    def _work_and_kill(self, tag: str) -> None:
        self.wifi.cut()
        moment = self.rng.choice(self.moments)
        work = Work(tag, BY_JOINT if is_by_joint(tag) else WHOLE, self.here)
        self.works.append(work)
        with self._opened() as screen:
            page = screen.open("/trabajo/ARM")
            page.get_by_role("searchbox").fill(tag)  # a long list is drawn in part
            screen.pick(tag)
            steps = self.rng.randint(1, self.steps_max)
            for n in range(steps):
                last = n == steps - 1
                self._tap(screen, work, wait=not last or moment is not Moment.TAPPED)
            if moment in (Moment.SENDING, Moment.ANSWERED):
                self._kill_while_sending(screen, moment)
            elif moment is Moment.TAPPED:
                screen.page.wait_for_timeout(self.rng.randint(0, KILL_MS_MAX))
            kill_browser_of(self.folder)
            self.kills[moment] += 1
        self.wifi.cut()

    def _tap(self, screen: Screen, work: Work, wait: bool) -> None:
        button = work.way.buttons[work.tapped]
        if button == "FINALIZAR":
            screen.joint(1).click()
        screen.tap(button)
        if button == "PAUSAR":
            screen.tap(button)  # the question
        work.tapped += 1
        if wait:
            named = " + ".join(work.way.buttons[: work.tapped])
            expect(screen.page.get_by_text(f"Sin enviar: {named} {work.tag}")).to_be_visible()
            expect(screen.page.get_by_text(KEPT)).to_be_visible()
            work.kept = work.tapped

    def _kill_while_sending(self, screen: Screen, moment: Moment) -> None:
        """The first tap that leaves, of whichever spool, meets the trap."""
        place: Place = "before" if moment is Moment.SENDING else "after"
        self.wifi.at_next_tap(place, lambda: kill_browser_of(self.folder))
        self.wifi.mend()
        with suppress(Error):  # it is killed while we look
            if self.rng.randrange(100) < RELOADS_IN_100:
                screen.page.reload()  # else the page notices by itself, some seconds later
            screen.page.wait_for_event("close")

    def _deliver(self) -> None:
        self.wifi.mend()
        with self._opened() as screen:
            page = screen.open("/trabajo/ARM")
            expect(page.get_by_text("sin enviar")).to_have_count(0)
            wait_until_kept(page, "taps", 0)

    def verdict(self) -> list[str]:
        """What is wrong, one line each."""
        return [line for work in self.works for line in judge(work, self.shop.authors(work.tag))]


def judge(work: Work, found: list[tuple[str, str]]) -> list[str]:
    """Judged by the ledger alone: the steps that arrived are at least those called stored and at most those tapped,
    once and in order."""
    label = work.worker.label
    strangers = {worker for _, worker in found} - {label}
    if strangers:
        return [f"{work.tag}: under another name: {sorted(strangers)} instead of {label}"]
    possible = {steps: work.way.after(steps, label) for steps in range(len(work.way.buttons) + 1)}
    done = next((steps for steps, events in possible.items() if events == found), None)
    if done is None:
        return [f"{work.tag}: doubled or out of order: {found}"]
    if done < work.kept:
        return [f"{work.tag}: lost: {work.kept} were called kept, {done} arrived"]
    return [] if done <= work.tapped else [f"{work.tag}: {done} arrived, {work.tapped} were tapped"]


def wait_for_copy_of(screen: Screen, person: Worker) -> None:
    """The spools that this person could work on are on the tablet."""
    wait_until(
        screen.page,
        """worker => new Promise(found => {
            const request = indexedDB.open('carrete-offline');
            request.onsuccess = () => {
                const get = request.result.transaction('copies').objectStore('copies').get(worker);
                get.onsuccess = () => { request.result.close(); found(get.result !== undefined); };
            };
        })""",
        person.id,
    )


def is_by_joint(tag: str) -> bool:
    return int(tag[-3:]) % 2 == 0


@contextmanager
def kill_campaign(playwright: Playwright, folder: Path, kills: int, seed: int) -> Iterator[Campaign]:
    tags = tags_of(kills)
    spools = [a_spool(tag, **({"total_uniones": JOINTS} if is_by_joint(tag) else {})) for tag in tags]
    joints = [a_joint(n, tag) for tag in tags if is_by_joint(tag) for n in range(1, JOINTS + 1)]
    data = folder / "data"
    data.mkdir()
    nobody = Tablets(None, playwright)  # type: ignore[arg-type]
    with pin_shop(nobody, data, spools, joints) as shop, wifi_to(shop.server.url) as wifi:
        yield Campaign(shop, wifi, playwright, folder / "tablet", Random(seed))


def tags_of(kills: int) -> list[str]:
    return [f"MK-1335-CW-25238-{n:03}" for n in range(1, kills + 1)]
