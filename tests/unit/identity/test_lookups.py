"""Look-ups: a found answer is kept for two seconds, a missing one never, and nothing for longer than four."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from carrete.domain.authorship import Proof
from carrete.identity import lookups
from carrete.identity.lookup_queries import Name
from carrete.identity.lookups import KEPT_MAX, KeptAnswer, Lookups
from carrete.identity.records import Device, DeviceKind, Session
from carrete.ledger.errors import LedgerUnavailable
from tests.support.builders import NOW
from tests.support.gated import until
from tests.support.people import LP, MR

DEVICE = Device("d-1", "Banco 1", DeviceKind.TABLET, NOW)


class Ledger:
    """Answers that a test sets; it counts how often it was asked, and may take its time."""

    def __init__(self) -> None:
        self.found: Device | None = DEVICE
        self.gone = False
        self.reads = 0
        self.now = 100.0
        self.takes_s = 0.0
        self.hold: asyncio.Event | None = None

    async def read(self, query: Callable[[Any], Any]) -> Any:
        self.reads += 1
        found = self.found
        if self.hold:
            await self.hold.wait()
        self.now += self.takes_s
        if self.gone:
            raise LedgerUnavailable("gone")
        return query(found)


@pytest.fixture(autouse=True)
def every_secret_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "found_of", lambda found, names: dict.fromkeys(names, found) if found else {})


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def found(ledger: Ledger) -> Lookups:
    return Lookups(ledger.read, clock=lambda: ledger.now)


def ask(found: Lookups, secret: str = "a", *, fresh: bool = False) -> Device | None:
    return asyncio.run(found.device(secret, fresh=fresh))


def test_a_device_is_read_once_in_two_seconds(ledger: Ledger, found: Lookups) -> None:
    assert [ask(found) for _ in range(3)] == [DEVICE] * 3
    ledger.now += 1.99
    ask(found)
    assert ledger.reads == 1
    ledger.now += 0.01
    ask(found)
    assert ledger.reads == 2


def test_what_is_revoked_is_not_found_two_seconds_later(ledger: Ledger, found: Lookups) -> None:
    ask(found)
    ledger.found = None
    ledger.now += lookups.KEPT_S_MAX
    assert ask(found) is None
    ledger.gone = True
    with pytest.raises(LedgerUnavailable):
        ask(found)


def test_an_unknown_secret_is_read_each_time(ledger: Ledger, found: Lookups) -> None:
    """Somebody who was enrolled a moment ago is let in at once."""
    ledger.found = None
    assert ask(found) is None
    ledger.found = DEVICE
    assert ask(found) == DEVICE


def test_dropped_answers_are_read_again(ledger: Ledger, found: Lookups) -> None:
    ask(found)
    ledger.found = None
    found.drop()
    assert ask(found) is None


def test_a_fresh_look_up_reads_although_an_answer_is_kept(ledger: Ledger, found: Lookups) -> None:
    ask(found)
    ledger.found = None
    assert ask(found, fresh=True) is None
    assert ask(found) is None


@pytest.mark.parametrize(
    ("age_s", "let_in"), [(0.0, True), (1.9, True), (2.0, True), (3.9, True), (4.0, False), (60, False)]
)
def test_without_a_ledger_a_kept_answer_is_good_for_four_seconds(
    ledger: Ledger, found: Lookups, age_s: float, let_in: bool
) -> None:
    ask(found)
    ledger.gone = True
    ledger.now += age_s
    if let_in:
        assert ask(found) == DEVICE
    else:
        with pytest.raises(LedgerUnavailable):
            ask(found)


def test_a_long_wait_for_the_ledger_counts_too(ledger: Ledger, found: Lookups) -> None:
    ask(found)
    ledger.gone, ledger.takes_s = True, 10.0
    ledger.now += 2.5
    with pytest.raises(LedgerUnavailable):
        ask(found)


def test_an_answer_that_was_dropped_during_the_wait_is_not_used(ledger: Ledger, found: Lookups) -> None:
    async def scenario() -> None:
        await found.device("a")
        ledger.now += 2.5
        ledger.gone, ledger.hold = True, asyncio.Event()
        waiting = asyncio.create_task(found.device("a"))
        await until(lambda: ledger.reads == 2, 5)
        found.drop()
        ledger.hold.set()
        with pytest.raises(LedgerUnavailable):
            await waiting

    asyncio.run(scenario())


def test_the_age_of_an_answer_counts_from_when_it_was_asked_for(ledger: Ledger, found: Lookups) -> None:
    """A revocation may have been committed right after the ledger was read."""
    ledger.takes_s = 1.5
    ask(found)
    ledger.takes_s, ledger.found = 0.0, None
    ledger.now += 0.5
    assert ask(found) is None


def test_without_a_ledger_nobody_new_is_let_in(ledger: Ledger, found: Lookups) -> None:
    ask(found, "a")
    ledger.gone = True
    with pytest.raises(LedgerUnavailable):
        ask(found, "b")


def test_requests_at_the_same_moment_share_one_read(ledger: Ledger, found: Lookups) -> None:
    async def together() -> list[Device | None]:
        return await asyncio.gather(*(found.device("a") for _ in range(50)))

    assert asyncio.run(together()) == [DEVICE] * 50
    assert ledger.reads == 1


def test_all_who_ask_in_one_turn_share_one_read_whatever_they_ask_for(ledger: Ledger, found: Lookups) -> None:
    async def a_shift_starts() -> list[object]:
        lookups = [ask_for(f"secret-{n}") for n in range(50) for ask_for in (found.device, found.session)]
        return await asyncio.gather(*lookups)

    assert asyncio.run(a_shift_starts()) == [DEVICE] * 100
    assert ledger.reads == 1


def test_a_read_that_fails_fails_for_all_who_share_it_and_for_nobody_after_them(ledger: Ledger, found: Lookups) -> None:
    async def scenario() -> None:
        ledger.gone = True
        failed = await asyncio.gather(found.device("a"), found.session("b"), return_exceptions=True)
        assert [type(each) for each in failed] == [LedgerUnavailable] * 2
        ledger.gone = False
        assert await found.device("a") == DEVICE

    asyncio.run(scenario())
    assert ledger.reads == 2


def test_a_row_that_cannot_be_read_fails_only_the_callers_that_asked_for_it(
    found: Lookups, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found_of(_: object, names: Sequence[Name]) -> dict[Name, Device]:
        if any(secret == "of an unknown kind" for _, secret in names):
            raise ValueError("'reloj' is not a valid DeviceKind")
        return dict.fromkeys(names, DEVICE)

    async def together() -> list[object]:
        pending = (found.device(secret) for secret in ("a", "of an unknown kind", "b"))
        return await asyncio.gather(*pending, return_exceptions=True)

    monkeypatch.setattr(lookups, "found_of", found_of)
    first, second, third = asyncio.run(together())
    assert (first, third) == (DEVICE, DEVICE)
    assert isinstance(second, ValueError)


def test_a_read_that_was_cancelled_before_it_began_is_forgotten(found: Lookups) -> None:
    async def ends_at_once() -> None:
        asking.append(asyncio.create_task(found.device("a")))

    asking: list[asyncio.Task[Device | None]] = []  # a task that nobody refers to may vanish

    asyncio.run(ends_at_once())
    assert asyncio.run(asyncio.wait_for(found.device("a"), 5)) == DEVICE
    assert ask(found, "b") == DEVICE


def test_no_read_is_larger_than_its_bound(ledger: Ledger, found: Lookups, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "READ_TOGETHER_MAX", 10)

    async def together() -> list[Device | None]:
        return await asyncio.gather(*(found.device(f"secret-{n}") for n in range(25)))

    assert asyncio.run(together()) == [DEVICE] * 25
    assert ledger.reads == 3


def test_a_caller_who_leaves_does_not_take_the_answer_from_the_others(ledger: Ledger, found: Lookups) -> None:
    async def scenario() -> Device | None:
        ledger.hold = asyncio.Event()
        first, second = (asyncio.create_task(found.device("a")) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        ledger.hold.set()
        return await second

    assert asyncio.run(scenario()) == DEVICE


def test_kept_answers_are_bounded(ledger: Ledger, found: Lookups) -> None:
    async def many() -> None:
        for n in range(KEPT_MAX + 10):
            await found.device(f"secret-{n}")

    asyncio.run(many())
    assert len(found._kept) <= KEPT_MAX


def test_a_device_is_not_a_session_with_the_same_secret(ledger: Ledger, found: Lookups) -> None:
    ask(found)
    ledger.found = None
    assert asyncio.run(found.session("a")) is None
    assert ask(found) == DEVICE


class RenewingLedger(Ledger):
    """Each read finds what `found` says when it ends."""

    async def read(self, query: Callable[[Any], Any]) -> Any:
        await super().read(query)
        return query(self.found)


@pytest.fixture
def renewing(monkeypatch: pytest.MonkeyPatch) -> RenewingLedger:
    ledger = RenewingLedger()
    monkeypatch.setattr(lookups, "RENEWALS_GATHERED_S", 0.0)
    return ledger


def test_look_ups_in_use_are_renewed_together_without_a_wait(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        for second in range(5):
            renewing.now = 100.0 + second * 1.5
            for n in range(20):
                assert await found.device(f"secret-{n}") == DEVICE
            reads_before = renewing.reads
            await until(lambda: found._renewing is None, 5)
            assert renewing.reads - reads_before == (1 if second else 0)
        assert renewing.reads == 20 + 4

    asyncio.run(scenario())


def test_a_renewal_finds_that_a_device_was_revoked(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        await found.device("a")
        renewing.found = None
        renewing.now += 1.1
        assert await found.device("a") == DEVICE
        await until(lambda: found._renewing is None, 5)
        assert await found.device("a") is None

    asyncio.run(scenario())


def test_a_renewal_that_fails_lets_nobody_in_for_longer(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        await found.device("a")
        renewing.gone = True
        renewing.now += 1.9
        assert await found.device("a") == DEVICE
        await until(lambda: found._renewing is None, 5)
        renewing.now += 2.1
        with pytest.raises(LedgerUnavailable):
            await found.device("a")

    asyncio.run(scenario())


def test_a_read_that_began_before_a_drop_is_not_kept(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        renewing.hold = asyncio.Event()
        waiting = asyncio.create_task(found.device("a"))
        await until(lambda: renewing.reads == 1, 5)
        found.drop()
        renewing.hold.set()
        assert await waiting == DEVICE
        assert found._kept == {}

    asyncio.run(scenario())


def test_an_ended_session_is_not_kept(ledger: Ledger, found: Lookups) -> None:
    """Its list may have a thousand signatures; so it is read again for each of those late taps."""
    open_session = Session("s-1", "d-1", MR, Proof.PIN, NOW, NOW, NOW, NOW)
    ledger.found = open_session  # type: ignore[assignment]
    asyncio.run(found.session_by_id("s-1"))
    assert len(found._kept) == 1
    ended = replace(open_session, ended_at=NOW, unsent=frozenset({"0" * 64}))
    ledger.found = ended  # type: ignore[assignment]
    assert asyncio.run(found.session_by_id("s-1", fresh=True)) == ended
    assert not found._kept


def test_only_sessions_of_that_device_or_person_are_dropped(renewing: RenewingLedger) -> None:
    found = Lookups(renewing.read)
    began = Session("s-1", "d-1", MR, Proof.PIN, NOW, NOW, NOW, NOW)
    kept = {
        "device": DEVICE,
        "same device": replace(began, worker=LP),
        "same person": replace(began, device_id="d-2"),
        "another": replace(began, device_id="d-2", worker=LP),
    }
    found._kept = {("kind", name): KeptAnswer(("kind", name), each, 100.0) for name, each in kept.items()}
    found.drop_sessions("d-1", MR.id)
    assert {name for _, name in found._kept} == {"device", "another"}


NAME = ("device", "a")


def test_a_validity_lasts_while_renewals_find_the_same_answer(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        await found.device("a")
        validity = found.validity({NAME: DEVICE})
        for _ in range(3):
            renewing.now += 1.5
            assert found.holds(validity)
            await until(lambda: found._renewing is None, 5)
        assert renewing.reads == 1 + 3
        renewing.now += 1.0
        assert not found.holds(validity), "it is made anew after five seconds at the latest"

    asyncio.run(scenario())


def test_a_validity_ends_once_a_renewal_finds_something_else_or_nothing(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        for other in (replace(DEVICE, name="Banco 2"), None):
            renewing.found = DEVICE
            await found.device("a", fresh=True)
            validity = found.validity({NAME: DEVICE})
            renewing.found = other
            renewing.now += 1.1
            assert found.holds(validity)
            await until(lambda: found._renewing is None, 5)
            assert not found.holds(validity)

    asyncio.run(scenario())


def test_a_validity_lasts_two_seconds_where_nothing_can_be_renewed(renewing: RenewingLedger) -> None:
    async def scenario() -> None:
        found = Lookups(renewing.read, clock=lambda: renewing.now)
        await found.device("a")
        validity = found.validity({NAME: DEVICE})
        renewing.gone = True
        renewing.now += 1.9
        assert found.holds(validity)
        await until(lambda: found._renewing is None, 5)
        renewing.now += 0.1
        assert not found.holds(validity)

    asyncio.run(scenario())


def test_the_validity_of_an_answer_that_is_not_kept_has_ended(found: Lookups) -> None:
    assert not found.holds(found.validity({NAME: DEVICE}))


def test_a_drop_ends_every_validity(found: Lookups) -> None:
    ask(found)
    validity = found.validity({NAME: DEVICE})
    assert found.holds(validity)
    found.drop()
    assert not found.holds(validity)


def test_the_validity_of_an_answer_that_was_replaced_before_its_use_has_ended(ledger: Ledger, found: Lookups) -> None:
    used = ask(found)
    ledger.found = replace(DEVICE, name="Banco 2")
    ask(found, fresh=True)
    assert not found.holds(found.validity({NAME: used}))


def test_a_look_up_after_a_drop_does_not_get_the_result_of_an_earlier_read(ledger: Ledger, found: Lookups) -> None:
    async def scenario() -> tuple[Device | None, Device | None]:
        ledger.hold = asyncio.Event()
        before = asyncio.create_task(found.device("a"))
        await until(lambda: ledger.reads == 1, 5)
        ledger.found = None  # revoked
        found.drop()
        after = asyncio.create_task(found.device("a"))
        await until(lambda: ledger.reads == 2, 5)
        ledger.hold.set()
        return await before, await after

    assert asyncio.run(scenario()) == (DEVICE, None)
    assert not found._under_way
