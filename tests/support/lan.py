"""`carrete serve --lan` on a loopback address, and what a tablet on the shop's network sees of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from carrete.tls import served
from carrete.tls.files import tls_folder
from carrete.tls.served import Served
from tests.support.server import RunningServer, running_server
from tests.support.tls import trusting

HOST = "127.0.0.2"


class LanServer:
    """A running server; clients of it trust its authority and nobody else."""

    def __init__(self, server: RunningServer, data: Path) -> None:
        self.server = server
        self.url = server.url
        self.data = data
        self.folder = tls_folder(data)

    @property
    def served(self) -> Served:
        found = served.read(self.data)
        assert found is not None
        return found

    @property
    def page_url(self) -> str:
        return f"http://{HOST}:{self.served.http_port}"

    def client(self, **options: object):  # type: ignore[no-untyped-def]
        return self.server.client(**{"verify": trusting(self.folder), **options})


@contextmanager
def lan_server(
    database_url: str, data: Path, *arguments: str, settings: dict[str, str] | None = None
) -> Iterator[LanServer]:
    """Multicast DNS is off: it has tests of its own, in a network of their own."""
    options = ("--lan", "--host", HOST, "--http-port", "0", *arguments)
    with running_server(database_url, data, *options, settings={"CARRETE_MDNS": "off", **(settings or {})}) as server:
        yield LanServer(server, data)
