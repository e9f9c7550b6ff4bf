"""The oracle reports afterwards what no client could see: who overwrote whose value, and which writes went astray."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.integration.sheets_emulator.conftest import METADATA, OPERACIONES
from tests.integration.sheets_emulator.requests import appended, cells
from tests.support.emulator import Api, Control

HOLDER = 2


def read_all(api: Api) -> None:
    body = {"dataFilters": [{"gridRange": {"sheetId": OPERACIONES}}]}
    assert api.post("/values:batchGetByDataFilter", body).status_code == 200


def in_the_window(api: Api, control: Control, act: Callable[[], object], *requests: dict[str, object]) -> None:
    """The act happens after our read and before our write is applied."""
    barrier = control.barrier("before-apply", kind="write")
    writer = threading.Thread(target=lambda: api.batch(*requests))
    writer.start()
    barrier.wait()
    act()
    barrier.release()
    writer.join()


def test_each_cell_knows_who_wrote_it_last(api: Api, control: Control) -> None:
    assert control.cell("Operaciones", "C2")["writer"] is None
    revision = control.edit("Operaciones", "C2", "JP(12)")
    assert control.cell("Operaciones", "C2")["writer"]["person"]
    assert control.cell("Operaciones", "C2")["writer"]["revision"] == revision
    api.batch(cells(OPERACIONES, 1, HOLDER, "MR(93)"))
    assert not control.cell("Operaciones", "C2")["writer"]["person"]
    control.sort("Operaciones", "TAG_SPOOL", descending=True)
    control.insert_columns("Operaciones", "B")
    assert not control.cell("Operaciones", "D5")["writer"]["person"]


def test_an_edit_overwritten_in_the_window_is_lost(api: Api, control: Control) -> None:
    read_all(api)
    in_the_window(api, control, lambda: control.edit("Operaciones", "C3", "AB(1)"), cells(0, 2, HOLDER, "JP(12)"))
    (lost,) = control.lost()
    assert (lost["key"], lost["column"], lost["person"], lost["api"]) == (["MK-02"], "Ocupado_Por", "AB(1)", "JP(12)")
    assert not lost["read_since"]


def test_an_edit_that_was_given_back_is_not_lost(api: Api, control: Control) -> None:
    read_all(api)
    in_the_window(api, control, lambda: control.edit("Operaciones", "C3", "AB(1)"), cells(0, 2, HOLDER, "JP(12)"))
    read_all(api)
    api.batch(cells(0, 2, HOLDER, "AB(1)"))
    assert control.lost() == []
    assert [one["restored"] for one in control.overwritten()] == [True]


def test_an_edit_that_was_read_and_then_replaced_is_reported_but_not_lost(api: Api, control: Control) -> None:
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    (record,) = control.overwritten()
    assert record["read_since"]
    assert record["known"]
    assert control.lost() == []


def test_a_row_is_reported_under_the_key_it_had_before_the_request_even_if_the_request_changed_it(
    api: Api, control: Control
) -> None:
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    api.batch(cells(0, 2, 0, "MK-99"), cells(0, 2, HOLDER, "JP(12)"))
    (record,) = control.overwritten()
    assert (record["key"], record["person"]) == (["MK-02"], "AB(1)")
    assert control.misdirected() == []


def test_an_edit_replaced_by_a_write_sent_before_it_is_lost_even_if_read_meanwhile(api: Api, control: Control) -> None:
    read_all(api)
    control.fault("apply-later", kind="write", delay_s=60, answer="503")
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    control.advance(61)
    (lost,) = control.lost()
    assert lost["read_since"]
    assert lost["arrived_at_revision"] < lost["edited_at_revision"]


def test_an_edit_that_only_a_read_after_the_write_showed_is_lost(api: Api, control: Control) -> None:
    """It was typed after the last read of the write's author and before the write came in, which was applied later."""
    read_all(api)
    control.edit("Operaciones", "C3", "AB(1)")
    control.fault("apply-later", kind="write", delay_s=60, answer="503")
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    read_all(api)
    control.advance(61)
    (lost,) = control.lost()
    assert lost["read_since"]
    assert not lost["known"]
    assert lost["arrived_at_revision"] >= lost["edited_at_revision"]


def test_a_read_whose_answer_was_cut_was_no_read(api: Api, control: Control) -> None:
    control.edit("Operaciones", "C3", "AB(1)")
    control.fault("apply-then-503", kind="read")
    api.get("/values/Operaciones")
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    assert len(control.lost()) == 1


def test_typing_what_the_last_read_showed_is_reported_as_standing_there_already(api: Api, control: Control) -> None:
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    control.edit("Operaciones", "C3", "")
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    (record,) = control.overwritten()
    assert record["stood_anyway"]


def test_typing_what_a_request_wrote_since_the_last_read_is_reported_as_standing_there_already(
    api: Api, control: Control
) -> None:
    read_all(api)
    control.sort("Operaciones", "TAG_SPOOL", descending=True)
    api.batch(cells(0, 2, HOLDER, "AB(1)"))
    control.edit("Operaciones", "C3", "")
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    (record,) = control.overwritten()
    assert record["stood_anyway"]


def test_typing_again_what_a_read_no_longer_showed_is_an_edit(api: Api, control: Control) -> None:
    """Also where that very value had been a request's."""
    api.batch(cells(0, 2, HOLDER, "AB(1)"))
    read_all(api)
    control.edit("Operaciones", "C3", "")
    read_all(api)
    control.edit("Operaciones", "C3", "AB(1)")
    read_all(api)
    api.batch(cells(0, 2, HOLDER, "JP(12)"))
    (record,) = control.overwritten()
    assert not record["stood_anyway"]


def test_writing_what_the_person_wrote_loses_nothing(api: Api, control: Control) -> None:
    control.edit("Operaciones", "C3", "AB(1)")
    api.batch(cells(0, 2, HOLDER, "AB(1)"))
    assert control.overwritten() == []


def test_a_write_that_hits_another_row_than_the_one_read_there_is_misdirected(api: Api, control: Control) -> None:
    read_all(api)
    in_the_window(api, control, lambda: control.delete_rows("Operaciones", 2), cells(0, 2, HOLDER, "JP(12)"))
    (astray,) = control.misdirected()
    assert (astray["meant"], astray["hit"], astray["row"]) == (["MK-02"], ["MK-03"], 3)
    assert (astray["columns"], astray["values"], astray["left"]) == (["Ocupado_Por"], ["JP(12)"], ["Ocupado_Por"])


def test_a_misdirected_value_is_found_wherever_it_was_sorted_to_and_gone_when_repaired(
    api: Api, control: Control
) -> None:
    read_all(api)
    sorted_down = lambda: control.sort("Operaciones", "TAG_SPOOL", descending=True)  # noqa: E731
    in_the_window(api, control, sorted_down, cells(0, 1, HOLDER, "JP(12)"))
    control.sort("Operaciones", "TAG_SPOOL")
    (astray,) = control.misdirected()
    assert (astray["meant"], astray["hit"], astray["left"]) == (["MK-01"], ["MK-04"], ["Ocupado_Por"])
    read_all(api)
    api.batch(cells(0, 4, HOLDER, None))
    (repaired,) = control.misdirected()
    assert repaired["left"] == []


def test_a_renamed_tab_and_header_do_not_blind_the_oracle(api: Api, control: Control) -> None:
    read_all(api)

    def rename_and_edit() -> None:
        control.rename_tab("Operaciones", "Spools")
        control.rename_header("Spools", "TAG_SPOOL", "Tag")
        control.move_columns("Spools", "Ocupado_Por", "OT")
        control.edit("Spools", "B3", "AB(1)")
        control.insert_rows("Spools", 2)

    in_the_window(api, control, rename_and_edit, cells(0, 3, 1, "JP(12)"))
    (astray,) = control.misdirected()
    assert (astray["meant"], astray["hit"]) == (["MK-03"], ["MK-02"])
    (lost,) = control.lost()
    assert (lost["key"], lost["person"]) == (["MK-02"], "AB(1)")
    control.edit("Spools", "B4", "AB(1)")
    assert control.lost() == []


def test_rows_added_at_the_end_are_never_misdirected(api: Api, control: Control) -> None:
    api.post("/values:batchGetByDataFilter", {"dataFilters": [{"gridRange": {"sheetId": METADATA}}]})
    api.batch(appended(METADATA, ["e-1"]))
    control.delete_rows("Metadata", 2)
    api.batch(appended(METADATA, ["e-2"]))
    assert control.misdirected() == []


def test_the_audit_counts_each_event(api: Api, control: Control) -> None:
    api.batch(appended(METADATA, ["e-1"], ["e-2"]))
    api.batch(appended(METADATA, ["e-2"]))
    assert control.audit() == {
        "total": 3,
        "distinct": 2,
        "twice": {"e-2": 2},
        "in_order": ["e-1", "e-2", "e-2"],
    }


def test_the_log_tells_every_request_with_its_revisions(api: Api, control: Control) -> None:
    control.forget()
    api.batch(cells(0, 2, HOLDER, "JP(12)"), appended(METADATA, ["e-1"]))
    api.batch(cells(0, 999, 0, "x"))
    api.get()
    done, refused, read = control.log()
    assert (done["status"], done["revision_after"] - done["revision_before"]) == (200, 1)
    assert done["requests"] == {"updateCells": 1, "appendCells": 1}
    assert (refused["status"], refused["revision_after"] - refused["revision_before"]) == (400, 0)
    assert (read["kind"], read["user"]) == ("read", "carrete@carrete-demo.iam.gserviceaccount.com")
    assert [entry["number"] for entry in control.log(after=refused["number"])] == [read["number"]]


def test_the_columns_that_say_which_row_it_is_can_be_named(api: Api, control: Control) -> None:
    control.post("oracle/keys", keys={"Operaciones": ["OT"]})
    read_all(api)
    in_the_window(api, control, lambda: control.move_rows("Operaciones", 2, 4), cells(0, 1, HOLDER, "JP(12)"))
    assert control.misdirected() == []
