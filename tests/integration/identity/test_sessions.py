"""Sessions: one on each device, 12 hours long, and the state that their end leaves."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest

from carrete.domain.authorship import Proof
from carrete.identity import sessions
from carrete.identity.access_events import AccessKind
from carrete.identity.assembly import delete_old
from carrete.identity.records import Device, Session
from carrete.identity.refusals import DeviceNotEnrolled
from carrete.identity.sessions import EndReason
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.support.builders import NOW, a_worker, put
from tests.support.lookups import session_of_id
from tests.support.people import CREW, IN, LP, MR, SV
from tests.support.signing_in import ADDRESS, enrolled, recorded


@pytest.fixture
def shop(database: Database) -> Database:
    put(database, workers=CREW)
    return database


@pytest.fixture
def tablet(shop: Database) -> Device:
    return enrolled(shop, "tablet")


def begin(
    database: Database, device: Device, worker_id: int = MR.id, proof: Proof = Proof.PIN, now: datetime = NOW
) -> Session:
    with database.writing() as tx:
        session, _ = sessions.begin(tx, device_id=device.id, worker_id=worker_id, proof=proof, now=now)
    return session


def found(database: Database, session: Session) -> Session:
    with database.reading() as tx:
        again = session_of_id(tx, session.id)
    assert again is not None
    return again


def sign_out(
    database: Database, session: Session, device: Device, last_tap: int | None = None, now: datetime = NOW
) -> bool:
    with database.writing() as tx:
        return sessions.sign_out(tx, session.id, device.id, now=now, last_tap=last_tap, address=ADDRESS)


def open_on(database: Database, device: Device) -> list[str]:
    with database.reading() as tx:
        return [row[0] for row in tx.all("sessions_open_on_device", device_id=device.id)]


def ends(database: Database) -> list[str | None]:
    return [event.detail for event in recorded(database, AccessKind.SALIO)]


def test_signing_in_ends_the_session_before_on_that_device_only(shop: Database, tablet: Device) -> None:
    other = enrolled(shop, "other")
    elsewhere, first = begin(shop, other), begin(shop, tablet)
    second = begin(shop, tablet, LP.id, now=NOW + timedelta(minutes=5))
    assert open_on(shop, tablet) == [second.id]
    assert open_on(shop, other) == [elsewhere.id]
    assert found(shop, first).ended_at == NOW + timedelta(minutes=5)
    assert ends(shop) == ["entró otra persona"]


def test_the_same_person_gets_a_new_session_and_a_new_secret(shop: Database, tablet: Device) -> None:
    with shop.writing() as tx:
        first, first_secret = sessions.begin(
            tx, device_id=tablet.id, worker_id=MR.id, proof=Proof.PIN, now=NOW, address=ADDRESS
        )
        second, second_secret = sessions.begin(
            tx, device_id=tablet.id, worker_id=MR.id, proof=Proof.PIN, now=NOW, address=ADDRESS
        )
    assert first.id != second.id
    assert first_secret != second_secret
    assert open_on(shop, tablet) == [second.id]
    assert ends(shop) == ["entró de nuevo"]


def test_two_processes_leave_one_session_on_a_device(database_url: str, shop: Database, tablet: Device) -> None:
    together = threading.Barrier(4)

    def enter(worker_id: int) -> None:
        database = open_database(database_url)
        migrate(database)
        together.wait()
        for _ in range(3):
            begin(database, tablet, worker_id)
        database.close()

    threads = [threading.Thread(target=enter, args=(person.id,)) for person in (MR, LP, SV, MR)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(open_on(shop, tablet)) == 1
    assert len(ends(shop)) == 11


def test_a_session_after_its_twelve_hours_ended_then_and_not_later(shop: Database, tablet: Device) -> None:
    """Its late taps are accepted for 24 hours after that, however late the next person comes."""
    first = begin(shop, tablet)
    begin(shop, tablet, LP.id, now=NOW + timedelta(hours=20))
    assert found(shop, first).over_at() == NOW + timedelta(hours=12)
    assert ends(shop) == ["pasaron 12 horas"]


def test_on_a_revoked_device_no_session_begins(shop: Database, tablet: Device) -> None:
    with shop.writing() as tx:
        tx.run("device_revoke", id=tablet.id, at=NOW.isoformat(), by_id=None)
    with pytest.raises(DeviceNotEnrolled):
        begin(shop, tablet)
    assert open_on(shop, tablet) == []


def test_signing_out_reports_the_last_tap(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    assert sign_out(shop, session, tablet, last_tap=17)
    ended = found(shop, session)
    assert (ended.ended_at, ended.last_tap) == (NOW, 17)
    (record,) = recorded(shop, AccessKind.SALIO)
    assert (record.worker_id, record.device_id, record.address, record.detail) == (MR.id, tablet.id, ADDRESS, "salió")


def test_the_last_tap_may_come_later_and_is_only_lowered(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    begin(shop, tablet, LP.id)
    assert found(shop, session).last_tap is None
    for last_tap, expected in ((17, 17), (90, 17), (3, 3), (0, 0)):
        assert not sign_out(shop, session, tablet, last_tap=last_tap, now=NOW + timedelta(hours=1))
        assert found(shop, session).last_tap == expected
    assert found(shop, session).ended_at == NOW, "its end does not move"


def unsent_of(database: Database, session: Session) -> set[str] | None:
    unsent = found(database, session).unsent
    return None if unsent is None else set(unsent)


def report_unsent(database: Database, session: Session, device: Device, *unsent: str) -> set[str] | None:
    """Reports the list of unsent taps; returns the list that the ledger has afterwards."""
    with database.writing() as tx:
        sessions.sign_out(tx, session.id, device.id, now=NOW, last_tap=9, unsent=unsent)
    return unsent_of(database, session)


def test_the_unsent_taps_may_come_later_and_are_only_narrowed(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    assert unsent_of(shop, session) is None
    begin(shop, tablet, LP.id)
    assert unsent_of(shop, session) is None
    assert report_unsent(shop, session, tablet, "a", "b", "c") == {"a", "b", "c"}
    assert report_unsent(shop, session, tablet, "b", "c", "d") == {"b", "c"}
    sign_out(shop, session, tablet, last_tap=9)
    assert unsent_of(shop, session) == {"b", "c"}, "told again without a list"
    assert report_unsent(shop, session, tablet) == set()
    assert report_unsent(shop, session, tablet, "b") == set()


def test_nothing_unsent_is_a_list_too(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    assert report_unsent(shop, session, tablet) == set()


def test_another_device_cannot_report_the_unsent_taps(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    assert report_unsent(shop, session, enrolled(shop, "other"), "a") is None
    assert report_unsent(shop, session, tablet, "a", "b") == {"a", "b"}
    assert report_unsent(shop, session, enrolled(shop, "third")) == {"a", "b"}


def test_when_lists_of_unsent_taps_arrive_at_once_what_all_of_them_name_remains(
    database_url: str, shop: Database, tablet: Device
) -> None:
    session, together = begin(shop, tablet), threading.Barrier(4)

    def report(missing: str) -> None:
        database = open_database(database_url)
        migrate(database)
        together.wait()
        report_unsent(database, session, tablet, *(set("abcdx") - {missing}))
        database.close()

    threads = [threading.Thread(target=report, args=(missing,)) for missing in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert unsent_of(shop, session) == {"x"}


def test_unsent_taps_are_forgotten_after_three_days(shop: Database, tablet: Device) -> None:
    """Late taps are accepted for one."""
    session = begin(shop, tablet)
    report_unsent(shop, session, tablet, "a")
    for days, kept in ((2, {"a"}), (4, None)):
        with shop.writing() as tx:
            delete_old(tx, NOW + timedelta(days=days))
        assert unsent_of(shop, session) == kept


def test_a_device_ends_only_its_own_sessions(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    other = enrolled(shop, "other")
    assert not sign_out(shop, session, other, last_tap=1)
    assert (found(shop, session).ended_at, found(shop, session).last_tap) == (None, None)


def test_all_sessions_of_a_person_or_device_end_at_once(shop: Database, tablet: Device) -> None:
    other = enrolled(shop, "other")
    kept, ended, another = begin(shop, tablet), begin(shop, other), begin(shop, enrolled(shop, "third"), LP.id)
    with shop.writing() as tx:
        assert sessions.end_all_of_worker(tx, MR.id, now=NOW, why=EndReason.NEW_PIN, except_id=kept.id) == 1
    assert (open_on(shop, tablet), open_on(shop, other)) == ([kept.id], [])
    with shop.writing() as tx:
        assert sessions.end_all_on_device(tx, tablet.id, now=NOW, why=EndReason.REVOKED) == 1
        assert sessions.end_all_on_device(tx, tablet.id, now=NOW, why=EndReason.REVOKED) == 0
    assert found(shop, ended).ended_at == NOW
    assert found(shop, another).ended_at is None
    assert ends(shop) == ["PIN nuevo", "dispositivo revocado"]


def test_the_people_of_a_device_are_the_latest_first_and_active(shop: Database, tablet: Device) -> None:
    many = [a_worker(100 + n, "N", "A") for n in range(15)]
    put(shop, workers=many)
    for hour, person in enumerate([MR, LP, IN, MR, *many[:2]]):
        begin(shop, tablet, person.id, now=NOW + timedelta(hours=hour))
    begin(shop, enrolled(shop, "other"), SV.id)
    with shop.reading() as tx:
        seen = sessions.people_on_device(tx, tablet.id, NOW + timedelta(days=1))
        assert seen == [many[1], many[0], MR, LP]
        assert sessions.people_on_device(tx, tablet.id, NOW + timedelta(days=90)) == []
    for person in many:
        begin(shop, tablet, person.id, now=NOW + timedelta(days=1))
    with shop.reading() as tx:
        assert len(sessions.people_on_device(tx, tablet.id, NOW + timedelta(days=2))) == sessions.PEOPLE_MAX


def test_a_pin_stays_fresh_for_five_minutes(shop: Database, tablet: Device) -> None:
    session = begin(shop, tablet)
    left = [sessions.pin_fresh_s(session, NOW + timedelta(seconds=after)) for after in (0, 1, 299, 300, 9_000)]
    assert left == [300, 299, 1, 0, 0]
    assert sessions.pin_fresh_s(begin(shop, tablet, LP.id, Proof.NAME), NOW) == 0
