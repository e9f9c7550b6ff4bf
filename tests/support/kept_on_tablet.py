"""The data that a tablet stores for work without a connection, as a test reads it; and a browser that is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import BrowserContext, Error, Page, Playwright

from tests.support.browser import TABLET, WAIT_MS_MAX, executable

COUNT = """async store => {
    const databases = await indexedDB.databases();
    if (!databases.some(one => one.name === 'carrete-offline')) return 0;  // opening it would make it
    return await new Promise(found => {
        const request = indexedDB.open('carrete-offline');
        request.onsuccess = () => {
            const database = request.result;
            const all = database.transaction(store).objectStore(store).getAll();
            all.onsuccess = () => {
                database.close();
                const parts = all.result.map(one => store === 'cards' ? JSON.parse(one.cards).length : 1);
                found(parts.reduce((sum, one) => sum + one, 0));
            };
        };
    });
}"""
FILES_KEPT = """navigator.serviceWorker.ready.then(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
    return requests.flat().map(request => new URL(request.url).pathname);
})"""


def kept(page: Page, store: str) -> int:
    """How many entries the database of the tablet has in that store: `taps`, `cards`, `copies`."""
    return int(page.evaluate(COUNT, store))


def wait_until(page: Page, script: str, arg: object = None) -> None:
    """Asks again until an asynchronous script says true. Playwright's own `wait_for_function` takes its promise for
    true."""
    for _ in range(WAIT_MS_MAX // 100):
        if page.evaluate(script, arg) is True:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it never became true: {script}")


def wait_until_kept(page: Page, store: str, count: int) -> None:
    for _ in range(WAIT_MS_MAX // 100):
        if kept(page, store) == count:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{kept(page, store)} {store} are kept, not {count}")


def files_kept(page: Page) -> list[str]:
    """The addresses that the service worker can answer without a connection."""
    files: list[str] = page.evaluate(FILES_KEPT)
    return files


@contextmanager
def profile(playwright: Playwright, folder: Path, *, home: Path | None = None) -> Iterator[BrowserContext]:
    """A browser whose profile is in that folder, as the one of a tablet is; `home` has what it trusts."""
    environment: dict[str, str | float | bool] | None = {**os.environ, "HOME": str(home)} if home else None
    context = playwright.chromium.launch_persistent_context(
        folder,
        executable_path=executable(),
        args=["--disable-dev-shm-usage", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])],
        viewport={"width": TABLET[0], "height": TABLET[1]},
        locale="es-CL",
        timezone_id="America/Santiago",
        reduced_motion="reduce",
        has_touch=True,
        env=environment,
    )
    context.set_default_timeout(WAIT_MS_MAX)
    try:
        yield context
    finally:
        with suppress(Error):  # it was killed
            context.close()


def kill_browser_of(folder: Path) -> None:
    """SIGKILL to the browser itself, which takes its other processes along."""
    mark = f"--user-data-dir={folder}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark in arguments and not any(argument.startswith(b"--type=") for argument in arguments):
            os.kill(int(process.name), signal.SIGKILL)
