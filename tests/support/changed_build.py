"""A build of the web app that differs from ours: a later version, or one with a planted service worker."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import carrete
from tests.support.server import RunningServer, start_server, stop

IS_NEXT = "() => document.querySelector('link[href*=next]') !== null"


def changed_build(folder: Path, change: Callable[[Path], None]) -> dict[str, str]:
    """Settings of a server that runs a copy of the product; `change` is given the folder of its web app."""
    package = folder / "carrete"
    ignored = shutil.ignore_patterns("__pycache__", "index.html.*", "sw.js.*")
    shutil.copytree(Path(carrete.__file__).parent, package, ignore=ignored)
    change(package / "web_dist")
    return {"PYTHONPATH": str(folder)}


def next_version(web: Path) -> None:
    """The changes of a later build: a page that names a file which the older one did not have, and a worker that keeps
    both."""
    index, worker = web / "index.html", web / "sw.js"
    index.write_text(index.read_text().replace("</head>", '<link rel="stylesheet" href="/assets/next.css"></head>'))
    (web / "assets" / "next.css").write_text(":root { --next: 1 }")
    script, found = re.subn(
        r"version:`[0-9a-f]+`,files:`", "version:`next`,files:`/assets/next.css,", worker.read_text()
    )
    assert found == 1
    worker.write_text(script)


@contextmanager
def served_build(
    ledger_url: str, folder: Path, change: Callable[[Path], None], *, port: str = "0"
) -> Iterator[RunningServer]:
    folder.mkdir()
    server = start_server(ledger_url, folder, "--port", port, settings=changed_build(folder, change))
    try:
        yield server
    finally:
        stop(server)
