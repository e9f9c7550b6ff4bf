"""Faults between a client and Google: each failure, and what had happened to the workbook by then."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest

from tests.integration.sheets_emulator.conftest import METADATA, OPERACIONES
from tests.integration.sheets_emulator.requests import appended, cells, guard
from tests.support.emulator import Api, Control, RunningEmulator, running_emulator

FLUSH = (guard(7), cells(OPERACIONES, 2, 2, "JP(12)"), appended(METADATA, ["e-1", "TOMAR_SPOOL"]))


def holder(control: Control) -> object:
    return control.cell("Operaciones", "C3")["value"]


@pytest.mark.parametrize(("fault", "status"), [("500", 500), ("503", 503), ("429", 429), ("502-html", 502)])
def test_a_refused_request_changes_nothing(api: Api, control: Control, fault: str, status: int) -> None:
    control.fault(fault, kind="write")
    assert api.batch(*FLUSH).status_code == status
    assert holder(control) is None
    assert api.batch(*FLUSH).status_code == 200


def test_the_bodies_are_googles(api: Api, control: Control) -> None:
    control.fault("503", kind="read")
    control.fault("429", kind="write")
    control.fault("502-html", kind="read")
    unavailable = {"code": 503, "message": "The service is currently unavailable.", "status": "UNAVAILABLE"}
    assert api.get().json() == {"error": unavailable}
    error = api.batch(*FLUSH).json()["error"]
    assert error["status"] == "RESOURCE_EXHAUSTED"
    assert error["message"].startswith("Quota exceeded for quota metric 'Write requests' and limit 'Write requests per")
    assert error["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED"
    page = api.get()
    assert page.headers["content-type"].startswith("text/html")
    assert "try again in 30 seconds" in page.text


def test_a_reset_before_applying_left_nothing_behind(api: Api, control: Control) -> None:
    control.fault("reset-before-apply", kind="write")
    with pytest.raises(httpx.TransportError):
        api.batch(*FLUSH)
    assert holder(control) is None


def test_a_reset_after_applying_hides_a_write_that_was_done(api: Api, control: Control) -> None:
    control.fault("apply-then-reset", kind="write")
    with pytest.raises(httpx.TransportError):
        api.batch(*FLUSH)
    assert holder(control) == "JP(12)"
    again = api.batch(*FLUSH)
    assert again.status_code == 400
    assert "7 already exists" in again.json()["error"]["message"]
    assert control.audit()["in_order"] == ["e-1"]


def test_a_503_after_applying_hides_a_write_that_was_done(api: Api, control: Control) -> None:
    control.fault("apply-then-503", path="batchUpdate")
    assert api.batch(*FLUSH).status_code == 503
    assert holder(control) == "JP(12)"


@pytest.mark.parametrize(("fault", "status"), [("apply-then-500", 500), ("apply-then-502-html", 502)])
def test_any_failure_may_hide_a_write_that_was_done(api: Api, control: Control, fault: str, status: int) -> None:
    control.fault(fault, kind="write")
    assert api.batch(*FLUSH).status_code == status
    assert holder(control) == "JP(12)"


def test_a_request_that_hangs_may_have_done_nothing(emulator: RunningEmulator, control: Control) -> None:
    control.fault("hang", kind="write", hang_s=5)
    with emulator.api(read_s_max=0.2) as impatient, pytest.raises(httpx.ReadTimeout):
        impatient.batch(*FLUSH)
    assert holder(control) is None


def test_a_refusal_shuts_the_port_for_a_while(api: Api, control: Control) -> None:
    control.fault("refuse", kind="write", for_s=30)
    with pytest.raises(httpx.TransportError):
        api.batch(*FLUSH)
    with pytest.raises(httpx.ConnectError):
        api.get()
    control.advance(31)
    assert api.batch(*FLUSH).status_code == 200


@pytest.mark.parametrize(
    "spread", [{"seconds": 0.02}, {"from_s": 0.02, "to_s": 0.03}, {"median_s": 0.05, "sigma": 0.01}]
)
def test_latency_has_a_shape(api: Api, control: Control, spread: dict[str, float]) -> None:
    control.fault("latency", kind="read", **spread)
    assert api.get().status_code == 200
    assert control.log()[-1]["ms"] >= 20


def test_latency_may_be_for_every_request(api: Api, control: Control) -> None:
    control.options(latency_s=[0.02, 0.03])
    api.get()
    api.batch(*FLUSH)
    assert [entry["ms"] >= 20 for entry in control.log()[-2:]] == [True, True]


def test_a_client_that_gives_up_waiting_does_not_undo_what_was_applied(
    emulator: RunningEmulator, control: Control
) -> None:
    control.fault("apply-then-hang", kind="write", hang_s=5)
    with emulator.api(read_s_max=0.2) as impatient, pytest.raises(httpx.ReadTimeout):
        impatient.batch(*FLUSH)
    assert holder(control) == "JP(12)"


def test_a_batch_applied_later_meets_the_rows_as_they_are_then(api: Api, control: Control) -> None:
    control.fault("apply-later", kind="write", delay_s=30, answer="503")
    assert api.batch(*FLUSH).status_code == 503
    control.insert_rows("Operaciones", 3)
    control.advance(29)
    assert holder(control) is None
    control.advance(2)
    assert [row[:3] for row in control.rows("Operaciones")[2:4]] == [["", "", "JP(12)"], ["MK-02", "OT-1", ""]]
    assert control.log()[-1]["fault"] == "applied-late"


def test_a_batch_applied_later_whose_guard_is_taken_by_then_does_nothing(api: Api, control: Control) -> None:
    control.fault("apply-later", kind="write", delay_s=30, answer="reset")
    with pytest.raises(httpx.TransportError):
        api.batch(*FLUSH)
    assert api.batch(*FLUSH).status_code == 200
    assert control.apply_later_ones_now() == 1
    assert control.audit()["in_order"] == ["e-1"]


def test_a_truncated_body_is_not_an_answer(api: Api, control: Control) -> None:
    control.fault("truncate-body", kind="read")
    with pytest.raises(httpx.TransportError):
        api.get("/values/Operaciones")


def test_latency_delays_and_changes_nothing(api: Api, control: Control) -> None:
    control.fault("latency", kind="read", seconds=0.1)
    assert api.values("Operaciones!A2") == [["MK-01"]]
    assert control.log()[-1]["fault"] == "latency"
    assert control.log()[-1]["ms"] >= 100


def test_nth_times_and_path_choose_the_request(api: Api, control: Control) -> None:
    control.fault("503", kind="read", nth=2, times=2)
    control.fault("500", path="developerMetadata")
    assert [api.get().status_code for _ in range(4)] == [200, 503, 503, 200]
    assert api.get("/developerMetadata/1").status_code == 500


def test_the_same_seed_fails_the_same_requests(control: Control, api: Api) -> None:
    control.quota(enforced=False)
    control.fault("503", kind="read", probability=0.5, times=None)
    statuses = [api.get(fields="spreadsheetId").status_code for _ in range(40)]
    assert set(statuses) == {200, 503}
    with running_emulator(clock_runs=False) as twin:
        twin.control.make([{"title": "A", "rows": [["x"]]}])
        twin.control.quota(enforced=False)
        twin.control.fault("503", kind="read", probability=0.5, times=None)
        with twin.api() as other:
            assert [other.get(fields="spreadsheetId").status_code for _ in range(40)] == statuses


def test_an_outage_refuses_connections_and_ends_by_the_clock(emulator: RunningEmulator, control: Control) -> None:
    with emulator.api() as api:
        assert api.get().status_code == 200
        control.outage("refuse", for_s=3600)
        with pytest.raises(httpx.TransportError):
            api.get()
        with pytest.raises(httpx.ConnectError):
            api.get()
        control.advance(3601)
    with emulator.api() as api:
        assert api.get().status_code == 200


def test_an_outage_may_reset_instead(api: Api, control: Control) -> None:
    control.outage("reset")
    with pytest.raises(httpx.TransportError):
        api.get()
    control.end_outage()
    assert api.get().status_code == 200


def test_access_can_be_revoked_trashed_or_never_enabled(api: Api, control: Control) -> None:
    control.fault("403-revoked", kind="read")
    control.fault("404-trashed", kind="read")
    control.fault("403-disabled", kind="read")
    control.fault("401-once", kind="read")
    errors = [(answer.status_code, answer.json()["error"]["message"]) for answer in [api.get() for _ in range(4)]]
    assert errors[0] == (403, "The caller does not have permission")
    assert errors[1] == (404, "Requested entity was not found.")
    assert errors[2][1].startswith("Google Sheets API has not been used in project")
    assert errors[3][0] == 401
    assert api.get().status_code == 200


def test_a_barrier_holds_a_write_while_a_person_acts(api: Api, control: Control) -> None:
    barrier = control.barrier("before-apply", kind="write")
    answers: list[int] = []
    writer = threading.Thread(target=lambda: answers.append(api.batch(*FLUSH).status_code))
    writer.start()
    barrier.wait()
    control.delete_rows("Operaciones", 2)
    assert answers == []
    barrier.release()
    writer.join()
    assert answers == [200]
    assert [row[:3] for row in control.rows("Operaciones")[1:3]] == [["MK-02", "OT-1", ""], ["MK-03", "OT-2", "JP(12)"]]


def test_a_barrier_after_applying_holds_only_the_answer(api: Api, control: Control) -> None:
    barrier = control.barrier("after-apply", kind="write")
    writer = threading.Thread(target=lambda: api.batch(*FLUSH))
    writer.start()
    barrier.wait()
    assert holder(control) == "JP(12)"
    barrier.release()
    writer.join()


def test_a_barrier_around_a_read_shows_which_side_of_an_edit_it_is_on(api: Api, control: Control) -> None:
    for point, seen in (("before-apply", "new"), ("after-apply", "old")):
        control.edit("Operaciones", "C3", "old")
        barrier = control.barrier(point, kind="read")
        read: list[object] = []
        reader = threading.Thread(target=lambda: read.append(api.values("Operaciones!C3")[0][0]))  # noqa: B023
        reader.start()
        barrier.wait()
        control.edit("Operaciones", "C3", "new")
        barrier.release()
        reader.join()
        assert read == [seen]


def test_google_gives_up_after_three_minutes_and_may_have_done_it(api: Api, control: Control) -> None:
    for applies in (True, False):
        control.options(deadline_applies=applies)
        barrier = control.barrier("before-apply", kind="write")
        answers: list[int] = []
        request = cells(OPERACIONES, 2, 2, f"applies={applies}")
        writer = threading.Thread(target=lambda: answers.append(api.batch(request).status_code))  # noqa: B023
        writer.start()
        barrier.wait()
        control.advance(181)
        barrier.release()
        writer.join()
        assert answers == [503]
    assert holder(control) == "applies=True"


def test_the_api_listens_on_loopback_only(emulator: RunningEmulator) -> None:
    mine = socket.gethostbyname(socket.gethostname())
    if not mine.startswith("127."):
        with pytest.raises(OSError), socket.create_connection((mine, emulator.server.port), timeout=2):
            pass
    assert emulator.url.startswith("http://127.0.0.1:")
