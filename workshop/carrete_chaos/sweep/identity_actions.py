"""What people do about identity, over `carrete serve` with PINs: signing in, another PIN, a device that is enrolled.

These requests have no idempotency key. After a kill the ledger is as before or as after, what was answered is there,
and whoever tries again gets what they want."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from carrete.api.server.cookies import IdentityCookies
from carrete.domain.shop_time import whole_second
from carrete.identity import enrolment
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from carrete_chaos import shop
from carrete_chaos.office import Office
from carrete_chaos.sweep.acting import WHOLE, WORKER, Action, fill
from carrete_chaos.sweep.http import HttpAnswer, post_with
from carrete_chaos.sweep.scenario import Judged, ReferenceRun, ScenarioOutcome
from carrete_chaos.sweep.snapshot import Snapshot
from carrete_chaos.sweep.traced_process import DidNotStart

SECRETS = "secretos.json"
NEW_PIN = "907164"
# Without hashes and secrets, which are others in each run.
_IDENTITY = {
    "device": "SELECT name, kind, revoked_at IS NOT NULL, revoked_by FROM device ORDER BY name",
    "code": "SELECT name, used_at IS NOT NULL, claim_hash IS NOT NULL, number IS NOT NULL FROM enrolment_code "
    "WHERE purpose = 'device'",
    "session": "SELECT worker_id, proof, ended_at IS NOT NULL, ended_why, last_tap FROM session ORDER BY began_at, id",
    "access": "SELECT kind, worker_id, by_id FROM access_event ORDER BY seq",
}


class IdentityAction(Action):
    access = "pin"
    pin: ClassVar[str] = shop.pin_of(WORKER)

    def prepare(self) -> None:
        fill(self.ledger.url, len(WHOLE), ())
        office = Office(self.ledger.url, self.folder)
        office.give_pins([WORKER])
        (device,) = office.devices(["Tableta"])
        self._keep({"device": device.secret, "id": device.id})

    def _keep(self, secrets: Mapping[str, str]) -> None:
        (self.folder / SECRETS).write_text(json.dumps({**self._kept(), **secrets}))

    def _kept(self) -> dict[str, str]:
        path = self.folder / SECRETS
        found: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def picture(self) -> Snapshot:
        return Snapshot({name: self.ledger.ask(sql) for name, sql in _IDENTITY.items()})

    def _post(self, port: int, path: str, body: Mapping[str, Any], *cookies: str) -> HttpAnswer | None:
        device = f"{IdentityCookies().device}={self._kept()['device']}"
        return post_with(port, path, body, {"Cookie": "; ".join((device, *cookies))})

    def _sign_in(self, port: int, pin: str) -> HttpAnswer | None:
        return self._post(port, "/api/sesion", {"worker_id": WORKER, "pin": pin})

    def judge(self, reference: ReferenceRun) -> Judged:
        try:
            _, port = self._serve()
        except DidNotStart as error:
            return Judged(ScenarioOutcome.NEITHER, (str(error),))
        found = self.outcome(self.picture(), reference)
        wrong = [*found.wrong, *self.ledger.damage()]
        happened = found.outcome is ScenarioOutcome.HAPPENED
        if self.told is not None and not happened:
            wrong.append(f"it was answered {self.told.status}, and {found.outcome}")
        wrong += [*self._afterwards(port, happened), *self.ledger.damage()]
        return Judged(found.outcome, tuple(dict.fromkeys(wrong)))

    @abstractmethod
    def _afterwards(self, port: int, happened: bool) -> Iterator[str]: ...


class GivePin(IdentityAction):
    name = "sign-in"
    what = "a worker signs in with the PIN"
    path = "/api/sesion"

    def _ask(self, port: int) -> HttpAnswer | None:
        return self._sign_in(port, self.pin)

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """The next sign-in ends the session that nobody was told about. An attempt counts as a wrong PIN until it is
        known to be right: one that was killed in between leaves that, and the next right PIN takes it away."""
        again = self._ask(port)
        if again is None or again.status != 200:
            yield f"signing in again was answered {again}"
        sessions = self.picture().raw["session"]
        still_open = [row for row in sessions if not row[2]]
        if len(still_open) != 1 or len(sessions) != 1 + happened:
            yield f"after signing in again: {sessions}"
        if left := self.ledger.ask("SELECT who FROM pin_failure"):
            yield f"after signing in again, wrong PINs are counted: {left}"


class ChangePin(IdentityAction):
    name = "pin-change"
    what = "a worker changes the PIN"
    path = "/api/sesion/pin/cambiar"
    _session = ""

    def _serve(self) -> tuple[Any, int]:
        server, port = super()._serve()
        if not self._session:  # before the sweep counts calls
            told = self._sign_in(port, self.pin)
            if told is None or told.status != 200:
                raise DidNotStart(f"signing in was answered {told}")
            self._session = next(each for each in told.cookies if each.startswith(IdentityCookies().session))
        return server, port

    def _ask(self, port: int) -> HttpAnswer | None:
        return self._post(port, self.path, {"pin": self.pin, "nuevo": NEW_PIN}, self._session)

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> Judged:
        """`before` is from before the worker signed in."""
        kinds = [[row[0] for row in each.raw["access"]] for each in (found, reference.after)]
        happened = kinds[0] == kinds[1]
        return Judged(ScenarioOutcome.HAPPENED if happened else ScenarioOutcome.NOTHING)

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """One of the two PINs opens, and it is the one that the record of accesses speaks of."""
        right, wrong = (NEW_PIN, self.pin) if happened else (self.pin, NEW_PIN)
        answers = [self._sign_in(port, pin) for pin in (right, wrong)]
        if [answer and answer.status for answer in answers] != [200, 401]:
            yield f"the PIN that should be right and the other one were answered {answers}"


class UseCode(IdentityAction):
    name = "enrolment"
    what = "a new tablet gives its code"
    path = "/api/dispositivos/inscripciones/usar"

    def prepare(self) -> None:
        super().prepare()
        database = open_database(self.ledger.url)
        with database.writing() as tx:
            now = whole_second(datetime.now(UTC))
            made = enrolment.make_code(tx, "Tableta 2", DeviceKind.TABLET, by_id=shop.SUPERVISOR, at=now)
        database.close()
        self._keep({"code": made.code})

    def _ask(self, port: int) -> HttpAnswer | None:
        return post_with(port, self.path, {"codigo": self._kept()["code"]}, {})

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """A code is good for one device."""
        again = self._ask(port)
        if again is None or (again.status == 200) is happened:
            yield f"the code was {'used' if happened else 'free'}, and again it was answered {again}"
        if (codes := self.picture().raw["code"]) != [("Tableta 2", 1, 1, 1)]:
            yield f"after the code again: {codes}"
