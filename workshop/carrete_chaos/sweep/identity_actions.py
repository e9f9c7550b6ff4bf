"""What people do about identity, over `carrete serve` with PINs: signing in, another PIN, a device that is enrolled,
a token for another system."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

from carrete.api.server.cookies import IdentityCookies
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import Rol
from carrete.identity import enrolment
from carrete.identity.access_events import AccessKind
from carrete.identity.records import DeviceKind
from carrete_chaos import shop
from carrete_chaos.office import Office
from carrete_chaos.sweep.acting import WHOLE, WORKER, KeylessAction, fill, write
from carrete_chaos.sweep.http import HttpAnswer, get_with, post_with
from carrete_chaos.sweep.scenario import ReferenceRun, TrialResult
from carrete_chaos.sweep.snapshot import Snapshot
from carrete_chaos.sweep.traced_process import DidNotStart, TracedProcess

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


class IdentityAction(KeylessAction):
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

    def snapshot(self) -> Snapshot:
        return Snapshot({name: self.ledger.ask(sql) for name, sql in _IDENTITY.items()})

    def _post(self, port: int, path: str, body: Mapping[str, Any], *cookies: str) -> HttpAnswer | None:
        device = f"{IdentityCookies().device}={self._kept()['device']}"
        return post_with(port, path, body, {"Cookie": "; ".join((device, *cookies))})

    def _sign_in(self, port: int, pin: str) -> HttpAnswer | None:
        return self._post(port, "/api/sesion", {"worker_id": WORKER, "pin": pin})


class GivePin(IdentityAction):
    name = "sign-in"
    what = "a worker signs in with the PIN"
    path = "/api/sesion"

    def _ask(self, port: int) -> HttpAnswer | None:
        return self._sign_in(port, self.pin)

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """The next sign-in ends the session whose answer was lost. An attempt counts as a wrong PIN until it is
        known to be right: one that was killed in between leaves that, and the next right PIN takes it away."""
        again = self._ask(port)
        if again is None or again.status != 200:
            yield f"signing in again was answered {again}"
        sessions = self.snapshot().raw["session"]
        still_open = [row for row in sessions if not row[2]]
        if len(still_open) != 1 or len(sessions) != 1 + happened:
            yield f"after signing in again: {sessions}"
        if left := self.ledger.ask("SELECT who FROM pin_failure"):
            yield f"after signing in again, wrong PINs are counted: {left}"


class SignedInAction(IdentityAction):
    """The worker signs in before the sweep counts calls."""

    _session = ""
    _before: Snapshot

    def _serve(self) -> tuple[TracedProcess, int]:
        server, port = super()._serve()
        if not self._session:
            signed_in = self._sign_in(port, self.pin)
            if signed_in is None or signed_in.status != 200:
                raise DidNotStart(f"signing in was answered {signed_in}")
            self._session = next(each for each in signed_in.cookies if each.startswith(IdentityCookies().session))
            self._before = self.snapshot()
        return server, port

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> TrialResult:
        """The reference's `before` is from before the worker signed in."""
        return super().outcome(found, replace(reference, before=self._before))


class ChangePin(SignedInAction):
    name = "pin-change"
    what = "a worker changes the PIN"
    path = "/api/sesion/pin/cambiar"

    def _ask(self, port: int) -> HttpAnswer | None:
        return self._post(port, self.path, {"pin": self.pin, "nuevo": NEW_PIN}, self._session)

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
        now, kind = whole_second(datetime.now(UTC)), DeviceKind.TABLET
        made = write(
            self.ledger.url, lambda tx: enrolment.make_code(tx, "Tableta 2", kind, by_id=shop.SUPERVISOR, at=now)
        )
        self._keep({"code": made.code})

    def _ask(self, port: int) -> HttpAnswer | None:
        return post_with(port, self.path, {"codigo": self._kept()["code"]}, {})

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """A code is good for one device."""
        again = self._ask(port)
        if again is None or (again.status == 200) is happened:
            yield f"the code was {'used' if happened else 'free'}, and again it was answered {again}"
        if (codes := self.snapshot().raw["code"]) != [("Tableta 2", 1, 1, 1)]:
            yield f"after the code again: {codes}"


class MakeToken(SignedInAction):
    name = "token"
    what = "an administrator makes an API token"
    path = "/api/tokens"
    body: ClassVar[dict[str, Any]] = {"nombre": "Bodega", "alcances": ["leer"]}

    def prepare(self) -> None:
        super().prepare()
        role = {"worker_id": WORKER, "rol": Rol.ADMINISTRADOR.value, "activo": 1}
        write(self.ledger.url, lambda tx: tx.run("role_upsert", **role))

    def snapshot(self) -> Snapshot:
        tokens = self.ledger.ask("SELECT name, scopes, made_by, revoked_at IS NOT NULL FROM api_token ORDER BY made_at")
        return Snapshot({**super().snapshot().raw, "token": tokens})

    def _ask(self, port: int) -> HttpAnswer | None:
        return self._post(port, self.path, self.body, self._session)

    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """A token that was answered opens the lists; one whose answer was lost is in the list and can be revoked."""
        again = self._ask(port)
        answers = [again] if self.answer is None else [self.answer, again]
        if not all(map(partial(_opens, port), answers)):
            yield f"of these tokens, not every one is good: {answers}"
        rows = self.snapshot().raw
        made = [row for row in rows["access"] if row[0] == AccessKind.TOKEN_CREADO]
        if not len(rows["token"]) == len(made) == 1 + happened:
            yield f"after another token there are {rows['token']}, and the record of accesses has {made}"
        yield from self._not_revoked(port, {_success_body(answer).get("id") for answer in answers})

    def _not_revoked(self, port: int, known: set[Any]) -> Iterator[str]:
        for (token_id,) in self.ledger.ask("SELECT id FROM api_token"):
            if token_id not in known:
                revoked = self._post(port, f"{self.path}/{token_id}/revocar", {}, self._session)
                if revoked is None or revoked.status != 200:
                    yield f"revoking the token whose answer was lost was answered {revoked}"


def _success_body(answer: HttpAnswer | None) -> dict[str, Any]:
    """The body of a success; empty otherwise."""
    found: dict[str, Any] = json.loads(answer.body) if answer and answer.status == 200 else {}
    return found


def _opens(port: int, answer: HttpAnswer | None) -> bool:
    """Whether the token of this answer is accepted."""
    token = _success_body(answer).get("token")
    read = get_with(port, "/api/spools?limit=1", {"Authorization": f"Bearer {token}"}) if token else None
    return read is not None and read.status == 200
