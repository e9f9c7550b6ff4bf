"""The pictures of the README: the demo shop in a real browser. `make screenshots` puts them into docs/images."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.browser import launch
from tests.support.server import running_server

TABLET, WIDE, WALL = (820, 1180), (1280, 800), (1920, 1080)
Size = tuple[int, int]


def page_at(browser: Browser, size: Size, theme: str = "light") -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if theme == "dark" else "light",
        locale="es-CL",
        timezone_id="America/Santiago",
        reduced_motion="reduce",
    )
    return context.new_page()


def enter(page: Page, url: str, who: str) -> None:
    page.goto(url)
    page.get_by_role("button", name=who).first.click()
    page.locator("[data-tag]").first.wait_for()
    page.locator("[data-connection=live]").wait_for()


def the_list(browser: Browser, url: str, out: Path) -> None:
    page = page_at(browser, TABLET)
    enter(page, url, "Mauricio Rodríguez")
    page.screenshot(path=out / "tablet-list.png")


def the_joints(browser: Browser, url: str, out: Path) -> None:
    """A spool of which some joints are armed and some are ticked."""
    page = page_at(browser, TABLET)
    enter(page, url, "Mauricio Rodríguez")
    page.get_by_role("list", name="En mis manos").locator("[data-tag]").last.click()
    page.locator("[data-joint]").first.wait_for()
    for joint in page.locator('[data-joint][data-state="open"]').all()[:3]:
        joint.click()
    page.screenshot(path=out / "tablet-joints.png")


def by_night(browser: Browser, url: str, out: Path) -> None:
    page = page_at(browser, WIDE, "dark")
    enter(page, url, "Mauricio Rodríguez")
    page.get_by_role("list", name="En mis manos").locator("[data-tag]").last.click()
    page.locator("[data-joint]").first.wait_for()
    page.screenshot(path=out / "tablet-night.png")


def the_board(browser: Browser, url: str, out: Path) -> None:
    page = page_at(browser, WALL, "dark")
    page.goto(f"{url}/tablero")
    page.locator("[data-connection=live]").first.wait_for()
    page.wait_for_load_state("load")
    page.wait_for_timeout(1_000)
    page.screenshot(path=out / "board.png")


def the_supervision(browser: Browser, url: str, out: Path) -> None:
    page = page_at(browser, WIDE)
    page.goto(f"{url}/supervision")
    page.get_by_role("button", name="Supervisor").or_(page.locator("main button")).first.click()
    page.get_by_text("Producción").first.click()
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(1_000)
    page.screenshot(path=out / "supervision.png")


PICTURES = (the_list, the_joints, by_night, the_board, the_supervision)


def main(out: Path) -> None:
    os.environ["TZ"] = "America/Santiago"
    out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(f"sqlite:///{folder}/carrete.db", Path(folder), "--demo") as server,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for picture in PICTURES:
            picture(browser, server.url, out)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
