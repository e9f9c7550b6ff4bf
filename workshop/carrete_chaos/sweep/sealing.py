"""The trail is sealed: `carrete serve` sees an event that no seal covers, and makes one by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from carrete import services
from carrete.domain.shop_time import whole_second
from carrete.trail.seals import seal_regularly
from carrete.webhooks import registry
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.registry import AddressFields
from carrete_chaos.sweep.acting import CALM_S, LATE_S, TAKEN, WHOLE, fill, tap_all, write
from carrete_chaos.sweep.apart import alone
from carrete_chaos.sweep.http import get
from carrete_chaos.sweep.scenario import ReferenceRun, Scenario, TrialResult, ran
from carrete_chaos.sweep.snapshot import Rows, Snapshot, difference
from carrete_chaos.sweep.traced_process import START_S_MAX, DidNotStart, TracedProcess
from carrete_chaos.sweep.tracer import Tracer

LOOK_EVERY_S = 0.3  # a server looks once a minute whether a seal is due
_SEALS = "SELECT seq, hash, at, key, signature FROM trail_seal ORDER BY seq"
_MESSAGES = "SELECT data FROM webhook_delivery ORDER BY n"
# Without hashes and signatures, which depend on tokens and times: `carrete verify` checks them.
_SEALED = {
    "event": "SELECT seq, evento_tipo, tag FROM event ORDER BY seq",
    "seal": "SELECT seq FROM trail_seal ORDER BY seq",
    "message": "SELECT kind, seq, tries, parked_at IS NOT NULL, failure FROM webhook_delivery ORDER BY n",
}


class SealTrail(Scenario):
    """The seal and the message to the address that wants seals are one commit. Without identity nothing is sent, so
    the message stays where it can be seen."""

    name = "seal"
    what = "the trail is sealed, and an address gets a message"

    def prepare(self) -> None:
        fill(self.ledger.url, len(WHOLE), ())
        address = AddressFields(
            "Archivo", "http://127.0.0.1:9/", WebhookFormat.JSON, frozenset({WebhookKind.SELLO}), allow_private=True
        )
        write(self.ledger.url, lambda tx: registry.add(tx, address, whole_second(datetime.now(UTC)), None))

    def snapshot(self) -> Snapshot:
        return Snapshot({name: self.ledger.ask(sql) for name, sql in _SEALED.items()})

    def run(self, tracer: Tracer) -> bool:
        server = self._serve()
        tracer.attach(server.pid)
        time.sleep(CALM_S)
        alone(partial(tap_all, self.ledger.url, TAKEN))  # in a process of its own: it has threads
        sealed = self._until_sealed(server)
        killed = server.gone(LATE_S if sealed else 0) and server.was_killed
        if not sealed and not killed:
            raise DidNotStart(f"nothing was sealed: {server.output[-500:].strip()}")
        return killed

    def _serve(self) -> TracedProcess:
        vars(services).update(seal_regularly=partial(seal_regularly, look_every_s=LOOK_EVERY_S))
        server = self.carrete("serve", "--port", "0")
        if get(server.listening(), "/api/health/ready").get("status") != "ready":
            raise DidNotStart(f"carrete serve is not ready: {server.output[-500:].strip()}")
        return server

    def _until_sealed(self, server: TracedProcess) -> bool:
        until = time.monotonic() + START_S_MAX
        while time.monotonic() < until and not server.gone(0.02):
            if self.ledger.ask(_SEALS):
                return True
        return False

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> TrialResult:
        """The reference's `before` is from before the event that there is to seal."""
        unsealed = Snapshot({**reference.after.raw, "seal": [], "message": []})
        return super().outcome(found, replace(reference, before=unsealed))

    def judge(self, reference: ReferenceRun) -> TrialResult:
        """The next server seals the trail if it was not sealed. A seal that is there stays, and is the only one."""
        left = self.ledger.ask_at_rest(_SEALS)
        found = self.outcome(Snapshot({name: self.ledger.ask_at_rest(sql) for name, sql in _SEALED.items()}), reference)
        wrong = [*found.wrong]
        try:
            server = self._serve()
        except DidNotStart as error:
            return TrialResult(found.outcome, (*wrong, str(error)))
        if not self._until_sealed(server):
            wrong.append(f"the next server does not seal the trail: {server.output[-300:].strip()}")
        server.gone(3 * LOOK_EVERY_S)  # time for a second seal, which should not be made
        if not (now := self.snapshot()).same_as(reference.after):
            wrong.append(f"after the next start: {difference(now, reference.after)}")
        wrong += [*self._differs(left), *ran(self.carrete("verify")), *self.ledger.damage()]
        return TrialResult(found.outcome, tuple(wrong))

    def _differs(self, left: Rows) -> Iterator[str]:
        seals = self.ledger.ask(_SEALS)
        if left and left != seals:
            yield f"the seal was {left}, and then {seals}"
        signatures = [json.loads(data)["firma"] for (data,) in self.ledger.ask(_MESSAGES)]
        if signatures != [signature for *_, signature in seals]:
            yield f"the seals are {seals}, and the address got {signatures}"
