"""Debian's nginx as an ordinary child, with everything it writes in one folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from carrete.parent_death import end_with_parent

ROOT = Path(__file__).parents[2]
START_S_MAX = 10.0
STOP_S_MAX = 10.0
# What Debian's own nginx.conf has around conf.d, with our folder instead of /var and /run.
_AROUND = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 2;
events {{ worker_connections 1024; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/conf.d/*.conf;
}}
"""


def executable() -> str:
    """The nginx that `make` has found, else the one on the PATH. Its absence fails, never skips."""
    noted = ROOT / ".venv" / ".nginx"
    places = [noted.read_text().strip() if noted.is_file() else "", str(ROOT / ".venv/nginx/usr/sbin/nginx")]
    for place in (*places, "nginx", "/usr/sbin/nginx"):
        if place and (found := shutil.which(place)):
            return found
    pytest.fail("The tests need nginx: `make test` brings it, or apt install nginx.", pytrace=False)


@contextmanager
def running_nginx(folder: Path, site: str, port: int) -> Iterator[str]:
    """The address at which it answers."""
    (folder / "conf.d").mkdir(parents=True)
    (folder / "conf.d" / "carrete.conf").write_text(site)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_AROUND.format(folder=folder, user=user))
    process = subprocess.Popen(
        [executable(), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")],
        stdin=subprocess.DEVNULL,
        preexec_fn=end_with_parent,
    )
    try:
        _wait_until_it_listens(process, port, folder)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(STOP_S_MAX)


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    until = time.monotonic() + START_S_MAX
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > until:
                log = (folder / "error.log").read_text() if (folder / "error.log").exists() else "nothing"
                raise AssertionError(f"nginx does not listen ({error}); it said: {log}") from error
        time.sleep(0.02)
