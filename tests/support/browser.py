"""A real Chromium: found once, started once, and the pages of the web app as a worker uses them."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Playwright, expect

from carrete.domain.workers import Worker

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WAIT_MS_MAX = 30_000  # for changes that come without a tap; a machine that runs tests side by side is slow
SAME_PLACE_PX = 48
LIFT_MS = 420

Theme = Literal["light", "dark"]
TABLET = (768, 1024)
SIZES = ((360, 740), (768, 1024), (1280, 800), (1920, 1080))


def executable() -> str:
    """What `make` found, else what is on the PATH. Its absence fails, never skips."""
    noted = ROOT / ".venv" / ".browser"
    found = noted.read_text().strip() if noted.is_file() else ""
    found = found or next(filter(None, map(shutil.which, NAMES)), "")
    if not found:
        pytest.fail("The tests need Chromium: `make test` brings it, or apt install chromium.", pytrace=False)
    return found


def launch(playwright: Playwright, *more: str, home: Path | None = None) -> Browser:
    """`home` is a folder of its own for what the browser reads of the user, such as authorities that it trusts."""
    expect.set_options(timeout=WAIT_MS_MAX)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    arguments = [*sandbox, "--disable-background-networking", "--disable-dev-shm-usage", "--font-render-hinting=none"]
    arguments += ["--disable-gpu", *more]  # there is no GPU, and imitating one costs CPU
    environment: dict[str, str | float | bool] | None = {**os.environ, "HOME": str(home)} if home else None
    return playwright.chromium.launch(executable_path=executable(), args=arguments, env=environment)


@dataclass
class Screen:
    """One tablet's page, and the errors that the browser reported on it."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    pin: str = ""  # in a shop with identity: the PIN that everybody types after choosing their name
    _tapped: tuple[float, float] = (-1_000.0, -1_000.0)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.url + path)
        return self.page

    def choose(self, person: Worker) -> None:
        """On the screen for choosing a person: the name, and the PIN where the shop asks for one."""
        self.page.get_by_role("button", name=f"{person.nombre} {person.apellido}").first.click()
        self.type_pin()
        if self.pin:
            expect(self.page.get_by_role("banner").get_by_text(person.label)).to_be_visible()

    def type_pin(self) -> None:
        """Types the PIN on the topmost PIN pad."""
        pad = self.page.locator("[data-pin-pad]").last
        for digit in self.pin:
            pad.get_by_role("button", name=digit, exact=True).click()

    def row(self, tag: str) -> Locator:
        """Opens the spool from the list."""
        return self.page.locator(f'[data-tag="{tag}"]')

    def pick(self, tag: str) -> None:
        self.row(tag).click()
        self.page.get_by_role("heading", name=tag).wait_for()

    def tap(self, name: str) -> None:
        """Taps the button of that name; in the open dialog, if there is one."""
        button = self._button(name)
        at = middle(button)
        if (
            math.dist(at, self._tapped) <= SAME_PLACE_PX
        ):  # a finger lifts first; faster taps at one place count as one tap of a glove
            self.page.wait_for_timeout(LIFT_MS)
        button.click()
        self._tapped = at

    def _button(self, name: str) -> Locator:
        """A dialog that is closing still matches `dialog[open]`, so the button is looked for on the page first, then in
        the dialog."""
        for_page = self.page.get_by_role("button", name=name, exact=True)
        for_page.first.wait_for()
        in_dialog = self.page.locator("dialog[open]").last.get_by_role("button", name=name, exact=True)
        return in_dialog if in_dialog.count() else for_page

    def go_back(self) -> None:
        """In one script: after a success the screen goes back by itself, perhaps between finding the button and
        clicking it."""
        self.page.evaluate("document.querySelector('button[aria-label=Volver]')?.click()")

    def joint(self, number: int) -> Locator:
        return self.page.locator(f'[data-joint="{number}"]')

    def says(self, text: str, tone: str = "good") -> None:
        """The outcome of the tap is shown with this text."""
        expect(self.page.locator(f'[data-outcome="{tone}"]')).to_have_text(text)

    def is_back_at_the_list(self) -> None:
        """The app itself has gone back to the list."""
        expect(self.page.locator("[data-outcome]")).to_have_count(0)
        expect(self.page.get_by_role("searchbox")).to_be_visible()

    def is_live(self) -> None:
        expect(self.page.locator("[data-connection=live]")).to_be_visible()

    def mine(self) -> Locator:
        return self.page.get_by_role("list", name="En mis manos").locator("[data-tag]")


@dataclass
class Tablets:
    """Opens tablets: each is a browser profile of its own, like a second tablet on another table."""

    browser: Browser
    playwright: Playwright

    @contextmanager
    def one(
        self,
        url: str,
        *,
        size: tuple[int, int] = TABLET,
        theme: Theme = "light",
        worker: Worker | None = None,
        for_axe: bool = False,
        allow: Sequence[str] = (),
        timezone: str = "America/Santiago",
        script: str = "",
        installed: bool = False,
    ) -> Iterator[Screen]:
        """`worker` is already here; `allow` names complaints that the test provokes on purpose; `script` runs in every
        page before the app, for a browser that is not an ordinary one; `installed`: with its service worker, whose
        requests a test cannot intercept.

        The policy against foreign scripts is lifted only where axe has to be brought in."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            bypass_csp=for_axe,
            locale="es-CL",
            timezone_id=timezone,
            reduced_motion="reduce",
            has_touch=True,
            service_workers="allow" if installed else "block",
        )
        context.set_default_timeout(WAIT_MS_MAX)
        screen = Screen(context.new_page(), url)
        screen.page.on("console", lambda message: _note(message, screen.complaints))
        screen.page.on("pageerror", lambda error: screen.complaints.append(str(error)))
        if script:
            context.add_init_script(script)
        try:
            self.prepare(screen, worker)
            yield screen
            unexpected = [c for c in screen.complaints if not any(known in c for known in allow)]
            assert not unexpected, unexpected
        finally:
            context.close()

    def prepare(self, screen: Screen, worker: Worker | None) -> None:
        """Before the test begins."""
        if worker is not None:
            become(screen.page.context, worker)


def middle(of: Locator) -> tuple[float, float]:
    of.scroll_into_view_if_needed()
    box = of.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def covered(button: Locator) -> bool:
    x, y = middle(button)
    return not button.evaluate("(e, [x, y]) => e.contains(document.elementFromPoint(x, y))", [x, y])


def _note(message: ConsoleMessage, complaints: list[str]) -> None:
    if message.type == "error":
        complaints.append(f"{message.text} {message.location.get('url', '')}")


def become(context: BrowserContext, worker: Worker) -> None:
    """As if this worker had chosen their name a moment ago; a later choice on the tablet is not undone."""
    who = {
        "id": worker.id,
        "nombre": worker.nombre,
        "apellido": worker.apellido,
        "label": worker.label,
        "roles": sorted(rol.value for rol in worker.roles),
    }
    context.add_init_script(
        f"""if (!localStorage.getItem("carrete.begun")) {{
            localStorage.setItem("carrete.begun", "1");
            localStorage.setItem("carrete.worker", {json.dumps(json.dumps(who))});
            localStorage.setItem("carrete.touched", String(Date.now()));
        }}"""
    )


def look(page: Page, theme: Theme, size: tuple[int, int]) -> None:
    """The same screen on another tablet, by day or by night; drawn when this returns."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=theme)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("document.documentElement.dataset.theme") == theme


def violations(page: Page) -> list[str]:
    """What axe finds wrong, one line each. The context must have been opened `for_axe`."""
    if page.evaluate("typeof axe") == "undefined":
        page.add_script_tag(path=AXE)
    result: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']}: {found['help']} at {[node['target'] for node in found['nodes']][:3]}"
        for found in result["violations"]
    ]


def overflow_px(page: Page) -> int:
    """By how much the page is wider than the screen."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def small_targets(page: Page, px: int = 56) -> list[str]:
    """Buttons, links and fields that a gloved finger would miss."""
    found: list[str] = page.evaluate(
        """px => [...document.querySelectorAll('button, a[href], input, [role=button], label[data-target]')]
            .filter(e => e.checkVisibility({visibilityProperty: true}))
            .filter(e => !e.closest('.visually-hidden, [data-in-target]'))
            .map(e => [e, e.getBoundingClientRect()])
            .filter(([, box]) => box.width > 0 && (box.height < px - 0.5 || box.width < px - 0.5))
            .map(([e, box]) => `${e.tagName} ${e.textContent.slice(0, 40)} ${box.width}×${box.height}`)""",
        px,
    )
    return found


def complaints(screen: Screen) -> list[str]:
    """What is wrong with the screen that is open, in both themes and four sizes."""
    found: list[str] = []
    for theme in ("light", "dark"):
        for size in SIZES:
            look(screen.page, theme, size)
            found += [f"{theme} {size}: {what}" for what in (*violations(screen.page), *small_targets(screen.page))]
            found += [f"{theme} {size}: {px} px too wide" for px in [overflow_px(screen.page)] if px > 0]
    return found
