"""Enrolling, renaming and revoking devices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from carrete.domain.authorship import Proof
from carrete.domain.refusals import NotValid
from carrete.identity import access_events, devices, enrolment, sessions
from carrete.identity.access_events import AccessFilter, AccessKind
from carrete.identity.records import DeviceKind
from carrete.identity.refusals import CodeRefused, RecordUnknown
from carrete.identity.secrets import new_secret, secret_hash
from carrete.ledger.database import Database
from tests.support.builders import put
from tests.support.lookups import device_of_secret, session_of_secret
from tests.support.people import CREW, MR, SV

NOW = datetime.now(UTC).replace(microsecond=0)
MINUTE = timedelta(minutes=1)


def code_for(database: Database, name: str = "Tablet 3", kind: DeviceKind = DeviceKind.TABLET) -> tuple[str, str]:
    with database.writing() as tx:
        made = enrolment.make_code(tx, name, kind, by_id=SV.id, at=NOW)
    return made.id, made.code


def test_a_device_is_enrolled_by_a_code_and_the_number_that_it_shows(database: Database) -> None:
    id_, code = code_for(database)
    with database.writing() as tx:
        claim = enrolment.use_code(tx, code, at=NOW + MINUTE)
        assert device_of_secret(tx, claim.secret) is None, "not before an administrator confirms"
        (waiting,) = enrolment.pending(tx, NOW + MINUTE)
        assert (waiting.id, waiting.number) == (id_, claim.number)
        device = enrolment.confirm(tx, id_, claim.number, by_id=SV.id, at=NOW + 2 * MINUTE, address="10.0.0.5")
        found = device_of_secret(tx, claim.secret)
        assert found is not None
        assert (found.id, found.name, found.kind) == (device.id, "Tablet 3", DeviceKind.TABLET)
        assert enrolment.pending(tx, NOW + 2 * MINUTE) == []
        (event,) = access_events.page(tx).events
    assert (event.kind, event.device_id, event.by_id, event.address) == ("INSCRITO", device.id, SV.id, "10.0.0.5")
    assert len(claim.number) == 4


def test_a_code_has_128_bits_and_the_ledger_never_has_it(database: Database) -> None:
    _, code = code_for(database)
    assert len(code) == 22
    with database.writing() as tx:
        claim = enrolment.use_code(tx, code, at=NOW)
        stored = str(tx.all("enrolments_pending", purpose="device", at=""))
    assert code not in stored
    assert claim.secret not in stored


def test_a_code_works_once(database: Database) -> None:
    _, code = code_for(database)
    with database.writing() as tx:
        enrolment.use_code(tx, code, at=NOW)
        with pytest.raises(CodeRefused):
            enrolment.use_code(tx, code, at=NOW)


@pytest.mark.parametrize(("minutes", "accepted"), [(9, True), (10, False), (60, False)])
def test_a_code_lasts_ten_minutes(database: Database, minutes: int, accepted: bool) -> None:
    _, code = code_for(database)
    with database.writing() as tx:
        if accepted:
            enrolment.use_code(tx, code, at=NOW + minutes * MINUTE)
        else:
            with pytest.raises(CodeRefused):
                enrolment.use_code(tx, code, at=NOW + minutes * MINUTE)


def test_a_wrong_code_is_refused(database: Database) -> None:
    code_for(database)
    with database.writing() as tx, pytest.raises(CodeRefused):
        enrolment.use_code(tx, "AAAAAAAAAAAAAAAAAAAAAA", at=NOW)


def test_only_the_number_on_the_device_confirms_it(database: Database) -> None:
    id_, code = code_for(database)
    with database.writing() as tx:
        claim = enrolment.use_code(tx, code, at=NOW)
    for wrong in (f"{(int(claim.number) + 1) % 10_000:04d}", "", claim.number + "0", "ñ"):
        with database.writing() as tx, pytest.raises(NotValid):
            enrolment.confirm(tx, id_, wrong, by_id=SV.id, at=NOW)
    with database.reading() as tx:
        assert devices.devices(tx) == []


def test_nothing_is_confirmed_before_a_device_used_the_code(database: Database) -> None:
    id_, _ = code_for(database)
    with database.writing() as tx, pytest.raises(RecordUnknown):
        enrolment.confirm(tx, id_, "0000", by_id=SV.id, at=NOW)


def test_a_number_that_nobody_confirmed_in_ten_minutes_is_worth_nothing(database: Database) -> None:
    id_, code = code_for(database)
    with database.writing() as tx:
        claim = enrolment.use_code(tx, code, at=NOW + 9 * MINUTE)
        with pytest.raises(RecordUnknown):
            enrolment.confirm(tx, id_, claim.number, by_id=SV.id, at=NOW + 19 * MINUTE)
        enrolment.confirm(tx, id_, claim.number, by_id=SV.id, at=NOW + 18 * MINUTE)


def test_a_number_is_confirmed_once(database: Database) -> None:
    id_, code = code_for(database)
    with database.writing() as tx:
        claim = enrolment.use_code(tx, code, at=NOW)
        enrolment.confirm(tx, id_, claim.number, by_id=SV.id, at=NOW)
        with pytest.raises(RecordUnknown):
            enrolment.confirm(tx, id_, claim.number, by_id=SV.id, at=NOW)
        assert len(devices.devices(tx)) == 1


def test_a_cancelled_enrolment_can_be_neither_used_nor_confirmed(database: Database) -> None:
    id_, code = code_for(database)
    used_id, used_code = code_for(database, "Tablet 4")
    with database.writing() as tx:
        claim = enrolment.use_code(tx, used_code, at=NOW)
        enrolment.cancel(tx, id_, at=NOW)
        enrolment.cancel(tx, used_id, at=NOW)
        with pytest.raises(CodeRefused):
            enrolment.use_code(tx, code, at=NOW)
        with pytest.raises(RecordUnknown):
            enrolment.confirm(tx, used_id, claim.number, by_id=SV.id, at=NOW)
        with pytest.raises(RecordUnknown):
            enrolment.cancel(tx, used_id, at=NOW)


def test_a_revoked_device_is_nobody_and_its_session_ends_in_the_same_commit(database: Database) -> None:
    put(database, workers=CREW)
    secret = new_secret()
    with database.writing() as tx:
        device = devices.enrol(
            tx, secret_hash=secret_hash(secret), name="T1", kind=DeviceKind.TABLET, by_id=SV.id, at=NOW
        )
        _, session_secret = sessions.begin(tx, device_id=device.id, worker_id=MR.id, proof=Proof.PIN, now=NOW)
        assert session_of_secret(tx, session_secret) is not None
    with database.writing() as tx:
        devices.revoke(tx, device.id, at=NOW + MINUTE, by_id=SV.id)
        assert tx.all("sessions_open_on_device", device_id=device.id) == []
    with database.reading() as tx:
        assert device_of_secret(tx, secret) is None
        assert session_of_secret(tx, session_secret) is None
        (listed,) = devices.devices(tx)
        kinds = [event.kind for event in access_events.page(tx, AccessFilter(device_id=device.id)).events]
    assert listed.revoked_by == SV.id
    assert kinds == [AccessKind.REVOCADO, AccessKind.SALIO, AccessKind.ENTRO, AccessKind.INSCRITO]


def test_revoking_twice_changes_nothing(database: Database) -> None:
    with database.writing() as tx:
        device = devices.enrol(tx, secret_hash="x", name="T1", kind=DeviceKind.TABLET, by_id=None, at=NOW)
        devices.revoke(tx, device.id, at=NOW, by_id=SV.id)
        devices.revoke(tx, device.id, at=NOW + MINUTE, by_id=MR.id)
        (listed,) = devices.devices(tx)
        assert listed.revoked_by == SV.id
        assert [event.kind for event in access_events.page(tx).events].count(AccessKind.REVOCADO) == 1


def test_a_device_has_a_name_that_can_be_read_and_changed(database: Database) -> None:
    with database.writing() as tx:
        device = devices.enrol(tx, secret_hash="x", name="  Tablet \n 1 ", kind=DeviceKind.TABLET, by_id=None, at=NOW)
        assert device.name == "Tablet 1"
        assert devices.rename(tx, device.id, "Patio").name == "Patio"
        for wrong in ("", "   ", "x" * 61, "a\x00b"):
            with pytest.raises(NotValid):
                devices.rename(tx, device.id, wrong)
        with pytest.raises(RecordUnknown):
            devices.rename(tx, "d-nobody", "Patio")
        with pytest.raises(RecordUnknown):
            devices.revoke(tx, "d-nobody", at=NOW)


def test_old_codes_are_forgotten(database: Database) -> None:
    _, code = code_for(database)
    with database.writing() as tx:
        assert enrolment.forget_old_codes(tx, NOW + timedelta(hours=23)) == 0
        assert enrolment.forget_old_codes(tx, NOW + timedelta(hours=25)) == 1
        with pytest.raises(CodeRefused):
            enrolment.use_code(tx, code, at=NOW)
