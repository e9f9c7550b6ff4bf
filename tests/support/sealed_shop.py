"""A shop whose tablets keep their receipts, and the database's owner who tampers with its trail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from carrete.actions import Performer, Request
from carrete.api.occupation import action_answer, batch_answer
from carrete.domain.commands import Command, Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.domain.trail.canonical import ChainHead
from carrete.gate import OpenGate
from carrete.ledger import open_database
from carrete.ledger.columns import EVENT_WRITTEN
from carrete.ledger.database import Database
from carrete.settings import Settings
from carrete.trail.signing_key import SigningKey
from carrete.verification.ledger import GivenWitnesses, Verified, verify
from tests.support.builders import SHOP, a_spool, a_worker, put
from tests.support.tampering import tampering
from tests.support.trails import Rows

BEGIN = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TAGS = tuple(f"MK-{n}" for n in range(1, 9))
_COLUMNS = ", ".join(EVENT_WRITTEN)


class SealedShop:
    def __init__(self, database: Database, url: str, folder: Path) -> None:
        self.database = database
        self.settings = Settings(data=folder, database_url=url, access="open", redis_url="off")
        self.key = SigningKey.of_ledger(folder, database)
        self.receipts: list[dict[str, Any]] = []
        self.now = BEGIN
        self._performer: Performer | None = None

    def staffed(self) -> SealedShop:
        put(self.database, [a_spool(tag) for tag in TAGS], [a_worker()])
        return self

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._performer = Performer(self.database, OpenGate(), SHOP, clock=lambda: self.now, sign=self.key.sign)
        try:
            yield
        finally:
            self._performer.stop()

    def work(self, rounds: int) -> None:
        """In each round one spool is taken and paused, then three at once: eight events, four receipts."""
        with self.at_work():
            for n in range(rounds):
                first, *others = (TAGS[(n + k) % len(TAGS)] for k in range(4))
                for kind in (Tomar, Pausar):
                    self.act(kind(first, 93, Operacion.ARM))
                    self.act(*(kind(tag, 93, Operacion.ARM) for tag in others))

    def act(self, *commands: Command) -> dict[str, Any]:
        self.now += MINUTE
        assert self._performer is not None

        def render(batch: Any, outcomes: Any) -> Any:
            return action_answer(batch[0], outcomes[0], SHOP) if len(batch) == 1 else batch_answer(batch, outcomes)

        answer = asyncio.run(self._performer.perform(Request(commands, render)))
        body: dict[str, Any] = json.loads(answer.body)
        kept = {"en": self.now.isoformat(), "tag_spool": body.get("tag_spool"), "accion": body.get("action_taken")}
        kept |= {name: body[name] for name in ("event_seq", "version") if name in body}
        self.receipts.append({**body["recibo"], **kept})
        return body

    def receipts_text(self, receipts: list[dict[str, Any]] | None = None) -> str:
        entries = self.receipts if receipts is None else receipts
        return json.dumps({"carrete-recibos": entries, "dispositivo": "Tablet 3"})

    def verify(self, *receipts: str, **given: Any) -> Verified:
        texts = [(text, f"tablet-{n}.json") for n, text in enumerate(receipts, 1)]
        return verify(self.settings, self.database, GivenWitnesses(receipt_texts=texts, **given))

    def rows(self) -> Rows:
        """All events with everything that is stored of them: the 16 fields and the hash come first."""
        with self.database.reading() as tx:
            return list(tx.all("trail_rows", after=-1, limit=100_000))

    def replace(self, rows: Rows, head: ChainHead | None = None) -> None:
        """As the owner of the database does it: these rows instead of those that were there."""
        with tampering(self.database) as tx:
            tx.execute("DELETE FROM event")
            names = [name for name in EVENT_WRITTEN if name not in ("stage_ended", "stage_s", "hash")]
            tx.many(
                "event_insert",
                [
                    {**dict(zip(names, row, strict=False)), "hash": row[16], "stage_ended": None, "stage_s": None}
                    for row in rows
                ],
            )
            if head is not None:
                tx.execute(f"UPDATE trail_head SET seq = {head.seq}, hash = '{head.hash}'")


def a_shop(url: str, folder: Path) -> SealedShop:
    return SealedShop(open_database(url), url, folder)
