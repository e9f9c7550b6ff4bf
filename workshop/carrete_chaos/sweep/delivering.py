"""Webhooks: `carrete serve` delivers an event and a notice to an address, and stores that they were delivered."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from carrete.domain.commands import Aceptar, Ofrecer
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Operacion
from carrete.identity.server_keys import ServerKeys
from carrete.webhooks import registry
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.notices import notify
from carrete.webhooks.registry import AddressFields
from carrete_chaos.office import Office
from carrete_chaos.sweep.acting import CALM_S, LATE_S, RECEIVER, TAKEN, WHOLE, WORKER, fill, tap_all, write
from carrete_chaos.sweep.apart import alone
from carrete_chaos.sweep.ledgers import Ask, Ledgers
from carrete_chaos.sweep.receiver import ReceivedMessage, Receiver
from carrete_chaos.sweep.scenario import ReferenceRun, Scenario, ScenarioOutcome, TrialResult
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.traced_process import START_S_MAX, DidNotStart, TracedProcess
from carrete_chaos.sweep.tracer import Tracer

RECEIVED = "recibidos.jsonl"
NOTICE_ID = "avi_barrido"
DELIVERED_S_MAX = 20.0
TWO_LOOKS_S = 2.5  # of the process that delivers: time for a message that should not come again
# The lease of a process that was killed runs out after a quarter of a minute: here, at once.
A_LITTLE_LATER = "UPDATE webhook_lease SET until = ''"
_LEADER = "SELECT holder FROM webhook_lease WHERE until <> ''"
_EVENT_IDS = "SELECT id FROM event WHERE evento_tipo = 'RELEVO'"
_CURSORS = "SELECT event_seq - (SELECT max(seq) FROM event) FROM webhook"
_WAITING = "SELECT message_id FROM webhook_delivery"
_DELIVERIES = {
    "address": "SELECT name, enabled, stopped, event_seq, succeeded_at IS NOT NULL, failed_at, failure FROM webhook",
    "waiting": "SELECT message_id, kind, tries, parked_at, failure FROM webhook_delivery ORDER BY n",
}


class DeliverMessages(Scenario):
    """A spool is handed over, which is an event, and a PIN is locked, which is a notice. Each is stored as delivered
    by itself: the event as the address's cursor, the notice as a row that is gone."""

    name = "webhook"
    what = "an event and a notice are delivered to an address"
    access = "pin"

    def __init__(self, folder: Path, ledgers: Ledgers) -> None:
        super().__init__(folder, ledgers)
        self._receiver: Receiver | None = None

    def prepare(self) -> None:
        arm = Operacion.ARM
        fill(self.ledger.url, len(WHOLE), (*TAKEN, Ofrecer(WHOLE[0], WORKER, arm, receiver_id=RECEIVER)))
        Office(self.ledger.url, self.folder).give_pins([WORKER])
        write(self.ledger.url, lambda tx: registry.add(tx, _address("http://127.0.0.1:9/"), _now(), None))

    def close(self) -> None:
        super().close()
        if self._receiver:
            self._receiver.end()

    def snapshot(self) -> Snapshot:
        return Snapshot({name: self.ledger.ask(sql) for name, sql in _DELIVERIES.items()})

    def run(self, tracer: Tracer) -> bool:
        self._receiver = receiver = Receiver(self.folder / RECEIVED)
        write(self.ledger.url, lambda tx: registry.edit(tx, self._address_id(), _address(receiver.url)))
        server = self._serve()
        tracer.attach(server.pid)
        time.sleep(CALM_S)
        alone(partial(_happen, self.ledger.url))  # in a process of its own: it has threads
        delivered = self._until_delivered(server)
        killed = server.gone(LATE_S if delivered else 0) and server.was_killed
        if not delivered and not killed:
            raise DidNotStart(f"not delivered: {self.snapshot()} {server.output[-500:]}")
        return killed

    def _address_id(self) -> str:
        return str(self.ledger.ask("SELECT id FROM webhook")[0][0])

    def _serve(self) -> TracedProcess:
        """Returns when the server has the lease."""
        server = self.carrete("serve", "--port", "0")
        server.listening()
        until = time.monotonic() + START_S_MAX
        while time.monotonic() < until and not server.gone(0.02):
            if self.ledger.ask(_LEADER):
                return server
        raise DidNotStart(f"carrete serve does not deliver within {START_S_MAX:.0f} s: {server.output[-500:]}")

    def _until_delivered(self, server: TracedProcess) -> bool:
        until = time.monotonic() + DELIVERED_S_MAX
        while time.monotonic() < until and not server.gone(0.02):
            if len(self._stored(self.ledger.ask)) == 2:
                return True
        return False

    def _stored(self, ask: Ask) -> set[str]:
        """The ids of the messages that are stored as delivered."""
        ((event_id,),), waiting = ask(_EVENT_IDS), {message_id for (message_id,) in ask(_WAITING)}
        passed = {f"evt_{event_id}"} if ask(_CURSORS) == [(0,)] else set()
        return (passed | {NOTICE_ID}) - waiting

    def judge(self, reference: ReferenceRun) -> TrialResult:
        assert self._receiver is not None
        stored, got = self._stored(self.ledger.ask_at_rest), Counter(each.id for each in self._receiver.messages)
        outcome = (ScenarioOutcome.NOTHING, ScenarioOutcome.PART, ScenarioOutcome.HAPPENED)[len(stored)]
        wrong = [f"{lost} is stored as delivered, and did not come" for lost in sorted(stored - set(got))]
        write(self.ledger.url, lambda tx: tx.execute(A_LITTLE_LATER))
        try:
            server = self._serve()
        except DidNotStart as error:
            return TrialResult(outcome, (*wrong, str(error)))
        if not self._until_delivered(server):
            wrong.append(f"after the next start, it is not stored as delivered: {self.snapshot()}")
        server.gone(TWO_LOOKS_S)
        wrong += [*self._misdelivered(self._receiver.messages, stored, got), *self.ledger.damage()]
        if not (now := self.snapshot()).same_as(reference.after):
            wrong.append(f"after the next start: {difference(now, reference.after)}")
        return TrialResult(outcome, tuple(wrong))

    def _misdelivered(self, messages: list[ReceivedMessage], stored: set[str], before: Counter[str]) -> Iterator[str]:
        """At least once, and once more at most: what was stored as delivered does not come again."""
        ((event_id,),) = self.ledger.ask(_EVENT_IDS)
        times = Counter(each.id for each in messages)
        if set(times) != {f"evt_{event_id}", NOTICE_ID}:
            yield f"these came: {dict(times)}"
        once_more = set(before) - stored
        if again := [id_ for id_, n in times.items() if n > 1 + (id_ in once_more)]:
            yield f"these came once too often: {again}"
        if len({(each.id, each.body) for each in messages}) != len(times):
            yield f"messages of one id differ: {messages}"
        key = write(self.ledger.url, partial(ServerKeys.load, self.folder)).webhook_key(self._address_id())
        if forged := [each for each in messages if not each.is_signed_with(key)]:
            yield f"the signature is wrong: {forged}"


def _happen(url: str) -> None:
    tap_all(url, [Aceptar(WHOLE[0], RECEIVER, Operacion.ARM)])
    notice = WebhookMessage(NOTICE_ID, WebhookKind.PIN_BLOQUEADO.value, _now(), "El PIN de AS(1) quedó bloqueado.")
    write(url, lambda tx: notify(tx, notice))


def _address(url: str) -> AddressFields:
    kinds = frozenset({WebhookKind.RELEVO, WebhookKind.PIN_BLOQUEADO})
    return AddressFields("Receptor", url, WebhookFormat.JSON, kinds, allow_private=True)


def _now() -> datetime:
    return whole_second(datetime.now(UTC))
