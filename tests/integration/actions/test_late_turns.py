"""Tablets that come back together: their chains take turns, and a tap of somebody with a connection waits for none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from carrete.actions import Performer, Request, perform
from carrete.domain.commands import Chain, Pausar, Step, Tomar
from carrete.domain.spool import Operacion
from carrete.gate import LockAttempt, OpenGate
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from tests.integration.actions.conftest import SPOOLS
from tests.support.acting import a_request, code
from tests.support.builders import SHOP, spool_in

ARM = Operacion.ARM
FREE, LATE = SPOOLS[0], SPOOLS[1:]
REFUSED_S_MAX = 10.0


class SlowGate(OpenGate):
    """Lets everybody but chains pass at once; those wait until the gate is opened."""

    def __init__(self) -> None:
        self.opened, self.entered, self.inside = asyncio.Event(), asyncio.Event(), 0
        self.most = 0

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        if attempts[0].tag == FREE:
            return
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.inside == perform.LATE_AT_ONCE_MAX:
            self.entered.set()
        await self.opened.wait()

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        self.inside -= attempts[0].tag != FREE


def a_chain(tag: str) -> Request:
    steps = (Step(Tomar(tag, 7, ARM), None), Step(Pausar(tag, 7, ARM), None))
    return a_request(Chain(tag, 7, steps), key=f"chain {tag}")


def test_a_tap_is_answered_while_chains_wait_for_their_turn(shop: Database) -> None:
    gate = SlowGate()
    performer = Performer(shop, gate, SHOP)

    async def come_back() -> list[str]:
        chains = [asyncio.create_task(performer.perform(a_chain(tag))) for tag in LATE]
        await gate.entered.wait()
        assert code(await performer.perform(a_request(Tomar(FREE, 8, ARM)))) == "OK"
        assert not any(chain.done() for chain in chains)
        gate.opened.set()
        return [code(await chain) for chain in chains]

    assert asyncio.run(come_back()) == ["OK"] * len(LATE)
    performer.stop()
    assert gate.most == perform.LATE_AT_ONCE_MAX
    assert spool_in(shop, FREE).occupation is not None


def test_a_chain_beyond_the_limit_is_told_to_try_again_and_succeeds_later(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perform, "LATE_WAITING_MAX", perform.LATE_AT_ONCE_MAX)
    gate = SlowGate()
    performer = Performer(shop, gate, SHOP)

    async def come_back() -> list[str]:
        chains = [asyncio.create_task(performer.perform(a_chain(tag))) for tag in LATE[: perform.LATE_AT_ONCE_MAX]]
        await gate.entered.wait()
        with pytest.raises(LedgerUnavailable):
            await asyncio.wait_for(performer.perform(a_chain(LATE[-1])), REFUSED_S_MAX)
        gate.opened.set()
        return [code(await chain) for chain in chains] + [code(await performer.perform(a_chain(LATE[-1])))]

    assert asyncio.run(come_back()) == ["OK"] * (perform.LATE_AT_ONCE_MAX + 1)
    performer.stop()
