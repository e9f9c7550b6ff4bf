"""Two tablets that everybody shares: the person who acts signs in first, with their PIN, on one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from carrete.api.schemas.fields import ID_MAX
from carrete.identity.records import TokenScope
from carrete.ledger import open_database, queries
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.settings import Settings
from tests.support.builders import TAG
from tests.support.people import SV
from tests.support.signed_in import BearerClient, EnrolledTablet, enrol, give_pins, identity_shop, make_token
from tests.support.tablet import Json, Sends, Tablet

AVISOS = "/api/reclamos/avisos"
_PERSON = ("worker_id", "supervisor_id")


class ShopOfTablets(Protocol):
    """The shop behind the tablets, in this process or on a server."""

    @property
    def database(self) -> Database: ...

    def tablet(self) -> EnrolledTablet: ...

    def token(self, *scopes: TokenScope) -> BearerClient: ...


@dataclass(frozen=True, slots=True)
class RemoteShop:
    """A server of its own, and its ledger."""

    sends: Sends
    database: Database

    def tablet(self) -> EnrolledTablet:
        return EnrolledTablet(self.sends, enrol(self.database), self.database)

    def token(self, *scopes: TokenScope) -> BearerClient:
        return BearerClient(self.sends, make_token(self.database, *scopes).token)


class SharedTablets(Tablet):
    """A tablet as tests of a server without identity use it. Somebody who cannot sign in, unknown or no longer here,
    acts through a token, so that the rules themselves answer."""

    def __init__(self, shop: ShopOfTablets) -> None:
        super().__init__(self._sends_as_the_person)
        self._shop = shop
        self._tablets = [shop.tablet(), shop.tablet()]
        self._at: dict[int, EnrolledTablet] = {}
        self._token = shop.token(TokenScope.ACTUAR)

    def see_history(self, tag: str = TAG) -> Json:
        """Without `via`, which every event of a person has."""
        history = super().see_history(tag)
        for event in history["events"]:
            if event["worker_id"] is not None:
                assert event["metadata"].pop("via")["proof"] in ("pin", "token")
        return history

    def _sends_as_the_person(self, method: str, path: str, **options: Any) -> httpx.Response:
        if method != "POST":
            return self._reader(path, options).send(method, path, **options)
        person = self._person(options)
        if person is None and path.startswith(("/api/occupation", "/api/v4", "/api/metrologia")):
            return self._token.send(method, path, **options)
        return self._signed_in(person).send(method, path, **options)

    def _reader(self, path: str, options: dict[str, Any]) -> EnrolledTablet:
        """Reclamos are shown to a supervisor, what was decided about them to their author, and the rest to anybody."""
        if path == "/api/reclamos":
            return self._signed_in(SV.id)
        return self._signed_in((options.get("params") or {}).get("worker_id") if path == AVISOS else None)

    def _person(self, options: dict[str, Any]) -> int | None:
        """The person whom the body names, if that person can sign in."""
        body = options.get("json")
        if body is None:
            try:
                body = json.loads(options.get("content", b""))
            except (ValueError, RecursionError):
                return None
        named = [body.get(name) for name in _PERSON] if isinstance(body, dict) else []
        ids = [id_ for id_ in named if isinstance(id_, int) and 0 <= id_ <= ID_MAX]
        with self._shop.database.reading() as tx:
            person = queries.worker(tx, ids[0]) if ids else None
        return person.id if person and person.activo else None

    def _signed_in(self, person: int | None) -> EnrolledTablet:
        """The tablet where the person is signed in, or else the one that was used longest ago."""
        if person is None:
            return self._tablets[0]
        tablet = self._at.get(person)
        if tablet is None:
            tablet = self._tablets[0]
            give_pins(self._shop.database, person)
            answer = tablet.sign_in(person)
            assert answer.status_code == 200, answer.text
            self._at = {**{who: where for who, where in self._at.items() if where is not tablet}, person: tablet}
        self._tablets.sort(key=lambda each: each is tablet)
        return tablet


@contextmanager
def shared_tablets(settings: Settings) -> Iterator[SharedTablets]:
    database = open_database(settings.ledger_url)
    try:
        migrate(database)
        with identity_shop(settings, database) as shop:
            yield SharedTablets(shop)
    finally:
        database.close()
