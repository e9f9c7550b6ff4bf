"""Signing in: who is let in, what everybody else is told, and that no answer shows whether a person exists."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator

import pytest

from carrete.domain.authorship import Proof
from carrete.domain.refusals import NotValid
from carrete.identity import throttle
from carrete.identity.access_events import AccessKind
from carrete.identity.pins import WAITING_MAX
from carrete.identity.records import Device, DeviceKind
from carrete.identity.refusals import PinRequired, TooManyAttempts, WrongPin
from carrete.identity.secrets import secret_hash
from carrete.identity.server_keys import seal
from carrete.identity.throttle import FREE_FAILURES, WAITS_S
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.values import instant_text
from tests.support.builders import NOW, put
from tests.support.people import AY, CREW, IN, LP, MI, MR, SV, UNKNOWN_ID
from tests.support.signing_in import (
    ADDRESS,
    KEYS,
    OTHER_PIN,
    PIN,
    WRONG_PIN,
    Process,
    TestClock,
    access_kinds,
    enrolled,
    give_badge,
    give_pin,
    recorded,
    refused,
    running_process,
)

BADGE, UNKNOWN_BADGE = "0004711", "no such badge"


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def shop(database: Database) -> Database:
    put(database, workers=CREW)
    for person in (MR, SV, MI, IN):
        give_pin(database, person.id)
    give_badge(database, MR.id, BADGE)
    return database


@pytest.fixture
def tablet(shop: Database) -> Device:
    return enrolled(shop, "tablet")


@pytest.fixture
def process(shop: Database, database_url: str, clock: TestClock) -> Iterator[Process]:
    with running_process(database_url, clock) as running:
        yield running


@pytest.fixture
def by_device(shop: Database, database_url: str, clock: TestClock) -> Iterator[Process]:
    """A process in the mode `device`."""
    with running_process(database_url, clock, "device") as running:
        yield running


def failures(database: Database) -> int:
    with database.reading() as tx:
        return int((tx.one("pin_failures_in_shop", since="") or (0,))[0])


def change(database: Database, name: str, **params: object) -> None:
    with database.writing() as tx:
        assert tx.run(name, **params)


def test_a_person_signs_in_with_id_and_pin(process: Process, tablet: Device) -> None:
    signed_in = process.enter(tablet, MR.id)
    session = signed_in.session
    assert (session.worker, session.proof, session.device_id) == (MR, Proof.PIN, tablet.id)
    assert (session.began_at, (session.ends_at - session.began_at).total_seconds()) == (NOW, 12 * 3600)
    assert session.pin_at == NOW, "a supervisor who just signed in is not asked again"
    assert signed_in.tap_key == KEYS.tap_key(session.id)
    assert process.changes == 1


def test_the_ledger_has_only_the_hash_of_the_secret(process: Process, shop: Database, tablet: Device) -> None:
    signed_in = process.enter(tablet, MR.id)
    with shop.reading() as tx:
        assert tx.all("sessions_by_secrets", hashes=[secret_hash(signed_in.secret)])
        assert not tx.all("sessions_by_secrets", hashes=[signed_in.secret])


def test_a_badge_replaces_the_name_and_never_the_pin(process: Process, tablet: Device) -> None:
    assert process.enter(tablet, badge=BADGE).session.worker == MR
    assert process.refusal(tablet, badge=BADGE) == "PIN_INCORRECTO"
    assert process.refusal(tablet, badge=BADGE, pin=None) == "PIN_REQUERIDO"


def test_a_badge_fails_on_its_owners_count(process: Process, tablet: Device) -> None:
    for _ in range(FREE_FAILURES):
        process.refusal(tablet, badge=BADGE)
    assert process.refusal(tablet, MR.id) == f"DEMASIADOS_INTENTOS {WAITS_S[0]}"


@pytest.mark.parametrize(
    "who",
    [
        {"worker_id": MR.id},
        {"worker_id": UNKNOWN_ID},
        {"worker_id": LP.id},
        {"worker_id": IN.id, "pin": PIN},
        {"badge": UNKNOWN_BADGE},
    ],
    ids=["wrong", "unknown", "without a PIN", "inactive", "unknown badge"],
)
def test_nothing_tells_an_unknown_person_from_a_wrong_pin(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch, who: dict[str, object]
) -> None:
    """The same sentence, one hash checked, and the same waits."""
    checked = []
    verify = process.hasher.verify_blocking

    def spied(stored: str | None, pin: str) -> bool:
        checked.append(stored)
        return verify(stored, pin)

    monkeypatch.setattr(process.hasher, "verify_blocking", spied)
    attempt = {"pin": WRONG_PIN, **who}
    for n in range(FREE_FAILURES):
        with pytest.raises(WrongPin) as wrong:
            asyncio.run(process.sign_in.sign_in(tablet, **attempt))  # type: ignore[arg-type]
        assert wrong.value.detail == "La persona o el PIN no son correctos."
        assert wrong.value.context == {}
        assert len(checked) == failures(shop) == n + 1
    assert refused(process.sign_in.sign_in(tablet, **attempt)) == (  # type: ignore[arg-type]
        f"DEMASIADOS_INTENTOS {WAITS_S[0]}"
    )
    assert len(checked) == FREE_FAILURES, "whoever must wait costs no hash"
    assert access_kinds(shop) == ["PIN_INCORRECTO"] * FREE_FAILURES


def test_the_right_pin_clears_the_count(process: Process, shop: Database, tablet: Device) -> None:
    process.refusal(tablet, MR.id)
    process.enter(tablet, MR.id)
    assert failures(shop) == 0


def test_an_attempt_is_counted_before_the_pin_is_checked(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies while it hashes gives nobody an attempt for free."""

    async def dies(stored: str | None, pin: str) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(process.hasher, "verify", dies)
    with pytest.raises(KeyboardInterrupt):
        process.enter(tablet, MR.id)
    assert failures(shop) == 1


def test_no_transaction_is_open_while_the_pin_is_checked(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = process.hasher.verify

    async def others_write(stored: str | None, pin: str) -> bool:
        change(shop, "worker_upsert", id=500, nombre="N", apellido="A", activo=1)
        return await verify(stored, pin)

    monkeypatch.setattr(process.hasher, "verify", others_write)
    process.enter(tablet, MR.id)


def test_parallel_attempts_gain_nothing(process: Process, shop: Database, database_url: str, tablet: Device) -> None:
    async def guess(processes: list[Process]) -> list[BaseException | object]:
        attempts = [
            each.sign_in.sign_in(tablet, worker_id=MR.id, pin=WRONG_PIN) for each in processes for _ in range(6)
        ]
        return list(await asyncio.gather(*attempts, return_exceptions=True))

    with running_process(database_url, TestClock()) as other:
        refusals = asyncio.run(guess([process, other]))
    assert sum(isinstance(each, WrongPin) for each in refusals) == FREE_FAILURES
    assert sum(isinstance(each, TooManyAttempts) for each in refusals) == 12 - FREE_FAILURES


def test_a_restart_forgets_no_failure(database_url: str, process: Process, tablet: Device, clock: TestClock) -> None:
    for _ in range(FREE_FAILURES):
        process.refusal(tablet, MR.id)
    with running_process(database_url, clock) as restarted:
        assert restarted.refusal(tablet, MR.id, PIN) == f"DEMASIADOS_INTENTOS {WAITS_S[0]}"


def test_a_locked_person_is_told_so_even_with_the_right_pin(process: Process, tablet: Device, clock: TestClock) -> None:
    for _ in range(throttle.ROW_MAX):
        process.refusal(tablet, MR.id)
        clock.forward(minutes=15)
    assert process.refusal(tablet, MR.id, PIN) == "PIN_BLOQUEADO"
    assert process.refusal(tablet, SV.id, PIN) == "let in"


def test_without_the_ledger_nobody_is_let_in(process: Process, tablet: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []

    async def unreachable(work: Callable[[Tx], object]) -> object:
        raise LedgerUnavailable("gone")

    monkeypatch.setattr(process.sign_in, "_write", unreachable)
    monkeypatch.setattr(process.hasher, "verify", lambda *_: checked.append(1))
    with pytest.raises(LedgerUnavailable):
        process.enter(tablet, MR.id)
    assert checked == [], "and no PIN is checked that could not be counted"


def test_when_the_ledger_goes_after_the_pin_was_checked_nobody_is_let_in(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = process.sign_in._write
    calls = []

    async def once(work: Callable[[Tx], object]) -> object:
        calls.append(1)
        if len(calls) > 1:
            raise LedgerUnavailable("gone")
        return await write(work)

    monkeypatch.setattr(process.sign_in, "_write", once)
    with pytest.raises(LedgerUnavailable):
        process.enter(tablet, MR.id)
    assert failures(shop) == 1
    assert process.changes == 0


def test_nobody_signs_in_on_a_board(process: Process, by_device: Process, shop: Database) -> None:
    board = enrolled(shop, "board", DeviceKind.TABLERO)
    assert process.refusal(board, MR.id, PIN) == "PERMISO_INSUFICIENTE"
    assert by_device.refusal(board, LP.id, None) == "PERMISO_INSUFICIENTE"
    assert failures(shop) == 0


def test_a_full_queue_is_told_to_come_back_and_counts_nothing(process: Process, shop: Database, tablet: Device) -> None:
    places = [process.hasher.place() for _ in range(WAITING_MAX)]
    for place in places:
        place.__enter__()
    try:
        assert process.refusal(tablet, MR.id).startswith("DEMASIADOS_INTENTOS")
    finally:
        for place in places:
            place.__exit__(None, None, None)
    assert failures(shop) == 0


def while_checking(process: Process, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Something happens between the count and the end of the check."""
    verify = process.hasher.verify

    async def slow(stored: str | None, pin: str) -> bool:
        is_right = await verify(stored, pin)
        happens()
        return is_right

    monkeypatch.setattr(process.hasher, "verify", slow)


def test_a_pin_that_is_replaced_while_it_is_checked_is_wrong(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    while_checking(process, monkeypatch, lambda: give_pin(shop, MR.id, OTHER_PIN))
    assert process.refusal(tablet, MR.id, PIN) == "PIN_INCORRECTO"


def test_a_person_who_is_deactivated_meanwhile_is_not_let_in(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {"id": MR.id, "nombre": MR.nombre, "apellido": MR.apellido, "activo": 0}
    while_checking(process, monkeypatch, lambda: change(shop, "worker_upsert", **gone))
    assert process.refusal(tablet, MR.id, PIN) == "PIN_INCORRECTO"


def test_a_device_that_is_revoked_meanwhile_lets_nobody_in(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = instant_text(NOW)
    while_checking(process, monkeypatch, lambda: change(shop, "device_revoke", id=tablet.id, at=at, by_id=None))
    assert process.refusal(tablet, MR.id, PIN) == "DISPOSITIVO_NO_INSCRITO"


def test_what_happened_is_recorded_with_device_person_and_address(
    process: Process, shop: Database, tablet: Device
) -> None:
    process.refusal(tablet, MR.id)
    process.refusal(tablet, badge=UNKNOWN_BADGE)
    process.enter(tablet, MR.id)
    records = [(each.kind, each.device_id, each.worker_id, each.address, each.detail) for each in recorded(shop)]
    assert records == [
        (AccessKind.PIN_INCORRECTO, tablet.id, MR.id, ADDRESS, None),
        (AccessKind.PIN_INCORRECTO, tablet.id, None, ADDRESS, None),
        (AccessKind.ENTRO, tablet.id, MR.id, ADDRESS, "pin"),
    ]


# The mode `device`


def test_in_mode_device_the_floor_signs_in_by_name_or_badge(by_device: Process, shop: Database, tablet: Device) -> None:
    by_name = by_device.enter(tablet, LP.id, None).session
    by_badge = by_device.enter(tablet, pin=None, badge=BADGE).session
    assert (by_name.worker, by_name.proof, by_name.pin_at) == (LP, Proof.NAME, None)
    assert (by_badge.worker, by_badge.proof, by_badge.pin_at) == (MR, Proof.BADGE, None)
    assert failures(shop) == 0


@pytest.mark.parametrize("worker_id", [MI.id, SV.id, IN.id, UNKNOWN_ID])
def test_in_mode_device_everybody_else_is_asked_for_a_pin(by_device: Process, tablet: Device, worker_id: int) -> None:
    with pytest.raises(PinRequired):
        by_device.enter(tablet, worker_id, None)
    with pytest.raises(PinRequired):
        by_device.enter(tablet, pin=None, badge=UNKNOWN_BADGE)


def test_in_mode_device_a_privilege_that_waits_asks_for_a_pin_already(
    by_device: Process, shop: Database, tablet: Device
) -> None:
    """Else the session would have the privilege without PIN once it is confirmed."""
    change(shop, "role_ask", worker_id=AY.id, rol="Supervisor", activo=1)
    with pytest.raises(PinRequired):
        by_device.enter(tablet, AY.id, None)
    change(shop, "role_decide", worker_id=AY.id, rol="Supervisor", confirmed=2)
    assert by_device.enter(tablet, AY.id, None).session.worker.roles == AY.roles, "one that was refused does not"


def test_in_mode_device_a_pin_that_is_given_must_be_right(by_device: Process, tablet: Device) -> None:
    assert by_device.refusal(tablet, MR.id) == "PIN_INCORRECTO"
    assert by_device.enter(tablet, MR.id).session.proof is Proof.PIN
    assert by_device.enter(tablet, SV.id).session.worker == SV


def test_in_mode_pin_nobody_signs_in_without(process: Process, tablet: Device) -> None:
    codes = {process.refusal(tablet, who, None) for who in (LP.id, MR.id, SV.id, UNKNOWN_ID)}
    assert codes == {"PIN_REQUERIDO"}


# Unlocking and changing the PIN


def test_the_pin_unlocks_the_session_and_counts_as_given_just_now(
    process: Process, shop: Database, tablet: Device, clock: TestClock
) -> None:
    session = process.enter(tablet, MR.id).session
    clock.forward(minutes=30)
    unlocked = asyncio.run(process.sign_in.unlock(session, PIN))
    assert (unlocked.id, unlocked.used_at, unlocked.pin_at) == (session.id, clock(), clock())
    assert failures(shop) == 0
    assert process.changes == 2


def test_a_wrong_pin_unlocks_nothing_and_is_counted(
    process: Process, shop: Database, tablet: Device, clock: TestClock
) -> None:
    session = process.enter(tablet, MR.id).session
    clock.forward(minutes=30)
    assert refused(process.sign_in.unlock(session, WRONG_PIN)) == "PIN_INCORRECTO"
    with shop.reading() as tx:
        assert tx.all("sessions_by_ids", ids=[session.id])[0][5] == instant_text(NOW)
    assert failures(shop) == 1
    process.refusal(tablet, MR.id)
    process.refusal(tablet, MR.id)
    assert refused(process.sign_in.unlock(session, PIN)) == f"DEMASIADOS_INTENTOS {WAITS_S[0]}", "one count for both"


def test_a_session_that_has_ended_is_not_unlocked(process: Process, tablet: Device, clock: TestClock) -> None:
    before = process.enter(tablet, MR.id).session
    process.enter(tablet, SV.id)
    assert refused(process.sign_in.unlock(before, PIN)) == "SESION_REQUERIDA"
    session = process.enter(tablet, MR.id).session
    clock.forward(hours=12)
    assert refused(process.sign_in.unlock(session, PIN)) == "SESION_REQUERIDA"


def sealed(session_id: str, pin: object = PIN) -> str:
    content = {"pin": pin, "session": session_id, "at": "2026-11-16T13:30:00Z"}
    return seal(KEYS.seal_public_key(), json.dumps(content))


def test_a_pin_typed_offline_unlocks_but_is_not_fresh(process: Process, tablet: Device, clock: TestClock) -> None:
    session = process.enter(tablet, MR.id).session
    clock.forward(minutes=30)
    unlocked = asyncio.run(process.sign_in.unlock_sealed(session, sealed(session.id)))
    assert (unlocked.used_at, unlocked.pin_at) == (clock(), NOW)


def test_a_wrong_pin_typed_offline_is_counted_like_any_other(process: Process, shop: Database, tablet: Device) -> None:
    session = process.enter(tablet, MR.id).session
    assert refused(process.sign_in.unlock_sealed(session, sealed(session.id, WRONG_PIN))) == "PIN_INCORRECTO"
    assert failures(shop) == 1


def test_a_pin_sealed_for_another_session_is_refused(process: Process, shop: Database, tablet: Device) -> None:
    session = process.enter(tablet, MR.id).session
    texts = [sealed("s-other"), sealed(session.id, 482915), sealed(session.id, "1"), "AAAA", ""]
    texts += [seal(KEYS.seal_public_key(), text) for text in ("[]", "not json", "null", '"x"')]
    for text in texts:
        with pytest.raises(NotValid):
            asyncio.run(process.sign_in.unlock_sealed(session, text))
    assert failures(shop) == 0, "no PIN was tried"


def test_a_person_changes_the_own_pin(process: Process, shop: Database, tablet: Device) -> None:
    session = process.enter(tablet, MR.id).session
    asyncio.run(process.sign_in.change_pin(session, PIN, OTHER_PIN, ADDRESS))
    assert process.refusal(tablet, MR.id, PIN) == "PIN_INCORRECTO"
    assert process.enter(tablet, MR.id, OTHER_PIN).session.worker == MR
    (record,) = recorded(shop, AccessKind.PIN_NUEVO)
    assert (record.worker_id, record.by_id, record.device_id, record.address) == (MR.id, MR.id, tablet.id, ADDRESS)


def test_a_new_pin_ends_the_persons_sessions_elsewhere(process: Process, shop: Database, tablet: Device) -> None:
    office = enrolled(shop, "office", DeviceKind.OFICINA)
    elsewhere = process.enter(office, MR.id).session
    session = process.enter(tablet, MR.id).session
    asyncio.run(process.sign_in.change_pin(session, PIN, OTHER_PIN))
    with shop.reading() as tx:
        open_sessions = [row[0] for row in tx.all("sessions_open_of_worker", worker_id=MR.id)]
    assert open_sessions == [session.id]
    assert elsewhere.id not in open_sessions


def test_the_present_pin_must_be_right_to_change_it(process: Process, shop: Database, tablet: Device) -> None:
    session = process.enter(tablet, MR.id).session
    assert refused(process.sign_in.change_pin(session, WRONG_PIN, OTHER_PIN)) == "PIN_INCORRECTO"
    assert failures(shop) == 1
    assert process.enter(tablet, MR.id, PIN).session.worker == MR


@pytest.mark.parametrize("new_pin", ["123456", "777777", "198511", PIN])
def test_an_obvious_pin_and_the_present_one_are_refused(
    process: Process, shop: Database, tablet: Device, new_pin: str
) -> None:
    session = process.enter(tablet, MR.id).session
    with pytest.raises(NotValid) as refused:
        asyncio.run(process.sign_in.change_pin(session, PIN, new_pin))
    assert refused.value.context["errors"][0]["campo"] == "nuevo"
    assert new_pin not in refused.value.detail
    assert failures(shop) == 0


def test_a_pin_that_a_supervisor_replaced_meanwhile_stays(
    process: Process, shop: Database, tablet: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = process.enter(tablet, MR.id).session
    while_checking(process, monkeypatch, lambda: give_pin(shop, MR.id, WRONG_PIN))
    assert refused(process.sign_in.change_pin(session, PIN, OTHER_PIN)) == "PIN_INCORRECTO"
    monkeypatch.undo()
    assert process.enter(tablet, MR.id, WRONG_PIN).session.worker == MR
