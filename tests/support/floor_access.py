"""The floor in one mode of access. In `pin` every tablet is enrolled, the worker at it has signed in with face and PIN,
and what others do goes through two tablets that change hands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from carrete.domain.workers import Worker
from carrete.ledger import open_database, queries
from carrete.settings import Access
from tests.support.browser import Screen, Tablets
from tests.support.pin_shop import put_device_cookie, sign_in
from tests.support.server import RunningServer, start_server, stop
from tests.support.shared_tablets import RemoteShop, SharedTablets
from tests.support.signed_in import enrol, give_pins, put_server_key
from tests.support.signing_in import PIN
from tests.support.tablet import Tablet


@dataclass
class FloorServers:
    """Starts servers in this mode, and maps each server's address to its ledger."""

    access: Access
    ledgers: dict[str, str] = field(default_factory=dict)

    def start(self, ledger_url: str, folder: Path, *arguments: str) -> RunningServer:
        put_server_key(folder)
        server = start_server(ledger_url, folder, *arguments, settings={"CARRETE_ACCESS": self.access})
        self.ledgers[server.url] = ledger_url
        return server

    @contextmanager
    def running(self, ledger_url: str, folder: Path, *arguments: str) -> Iterator[RunningServer]:
        server = self.start(ledger_url, folder, *arguments)
        try:
            yield server
        finally:
            stop(server)

    @contextmanager
    def others(self, server: RunningServer) -> Iterator[Tablet]:
        """The actions of other people, without a browser."""
        if self.access == "open":
            with server.tablet() as tablet:
                yield tablet
            return
        with closing(open_database(self.ledgers[server.url])) as database, server.client() as client:
            yield SharedTablets(RemoteShop(client.request, database))


@dataclass
class PinTablets(Tablets):
    servers: FloorServers

    def prepare(self, screen: Screen, worker: Worker | None) -> None:
        """Everybody who works here now has a PIN."""
        screen.pin = PIN
        with closing(open_database(self.servers.ledgers[screen.url])) as database:
            put_device_cookie(screen.page.context, screen.url, enrol(database).secret)
            with database.reading() as tx:
                people = queries.workers(tx)
            give_pins(database, *(person.id for person in people))
        if worker is not None:
            screen.open()
            sign_in(screen, worker)
            screen.complaints.clear()  # that nobody was signed in yet
