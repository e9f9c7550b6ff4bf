"""Walks the first day in a network of its own: `python -m tests.system.operations.walk_first_day FOLDER [CARRETE]`.

The pictures go into FOLDER/pictures; the steps and their seconds are printed. CARRETE is the command to start; without
it, this environment's."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.first_day import FINGERPRINT, FirstDay
from tests.support.own_network import ip
from tests.support.server import clean_environment

ADDRESS = "192.168.77.2"
LINES_MAX = 200


def make_lan() -> None:
    """A network as a shop's PC sees it. Nobody else is in it."""
    ip("link", "set", "lo", "up")
    ip("link", "add", "lan0", "type", "veth", "peer", "name", "far")
    ip("link", "set", "far", "up")
    ip("addr", "add", f"{ADDRESS}/24", "dev", "lan0")
    ip("link", "set", "lan0", "up", "multicast", "on")
    ip("route", "add", "default", "dev", "lan0")


@contextmanager
def started(command: list[str], data: Path) -> Iterator[str]:
    """`carrete serve --lan`, and what it printed until it listened."""
    environment = clean_environment(CARRETE_DATA=str(data), CARRETE_ACCESS="pin", REDIS_URL="embedded")
    with subprocess.Popen(
        [*command, "serve", "--lan"], env=environment, cwd=data.parent, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            lines = []
            for line in server.stdout:
                lines.append(line)
                if line.startswith("Carrete listens on ") or len(lines) > LINES_MAX:
                    break
            yield "".join(lines)
        finally:
            server.terminate()
            server.wait(20)


def main(folder: Path, command: list[str]) -> None:
    make_lan()
    (pictures := folder / "pictures").mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with started(command, folder / "data") as output, sync_playwright() as playwright:
        print(output)
        setup_page = (folder / "data" / "setup-code").read_text("utf-8").splitlines()[1]
        fingerprint = FINGERPRINT.search(output)
        plain = re.search(rf"http://{re.escape(ADDRESS)}:\d+", output)
        assert fingerprint, "the terminal shows no fingerprint"
        assert plain, "the terminal shows no plain address"
        day = FirstDay(playwright, plain[0], setup_page, fingerprint[0], folder, pictures)
        day.walk()
    for number, (what, seconds) in enumerate(day.steps, 1):
        print(f"{number}. {what}: {seconds:.1f} s")
    print(f"{len(day.steps)} steps, {time.monotonic() - begun:.0f} s in all")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or [sys.executable, "-m", "carrete"])
