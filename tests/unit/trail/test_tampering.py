"""Whatever is done to a trail, the examination says what, where and when; and says nothing of a trail that is whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from carrete.domain.trail import localise
from carrete.domain.trail.canonical import GENESIS, ChainHead, event_hash
from carrete.domain.trail.compare import TrailReport, examine
from carrete.domain.trail.findings import Kind
from carrete.domain.trail.sentences import finding_sentence, report_sentences
from carrete.domain.trail.witness import Witness
from tests.support.trails import (
    Deed,
    Rows,
    a_trail,
    an_event,
    chained,
    cut_off,
    delete,
    delete_and_close_up,
    edit,
    head_of,
    insert,
    move,
    receipts_of,
    rechained,
    renumbered,
    swap,
)

EVENTS, CASES = 60, 80
NOW = "2026-11-18T00:00:00+00:00"


def examined(rows: Rows, head: ChainHead, witnesses: list[Witness] | None = None) -> TrailReport:
    return examine(lambda: rows, head, witnesses or [], now=NOW)


def test_a_whole_trail_is_whole_with_all_its_receipts() -> None:
    rows = a_trail(EVENTS)
    report = examined(rows, head_of(rows), receipts_of(rows))
    assert (report.findings, report.lost, report.events, report.agreeing) == ([], [], EVENTS, EVENTS)


def test_an_examination_of_a_trail_in_which_everything_was_changed_tries_a_bounded_number_of_hashes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each changed row is tried at every place: without a bound the time grows without one too."""
    rows, tried = a_trail(2_000), 0

    def counted(previous: str, values: Sequence[Any]) -> str:
        nonlocal tried
        tried += 1
        return event_hash(previous, values)

    monkeypatch.setattr(localise, "event_hash", counted)
    changed = [(*row[:6], "XX(1)", *row[7:]) for row in rows]
    report = examined(changed, head_of(rows))
    assert [(found.kind, found.first, found.last) for found in report.findings] == [(Kind.CHANGED, 1, 2_000)]
    assert tried < 330_000


def test_a_receipt_of_the_empty_trail_denies_nothing() -> None:
    rows = a_trail(EVENTS)
    report = examined(rows, head_of(rows), [Witness(0, GENESIS, "recibo", NOW, NOW, what="RECLAMAR MK-1")])
    assert (report.findings, report.lost) == ([], [])


def test_an_acknowledged_note_that_is_gone_is_lost_though_its_spool_has_the_same_version() -> None:
    rows = a_trail(EVENTS)
    noted = Witness(58, rows[57][16], "recibo", event_seq=58, version=rows[9][14], what="ANOTAR MK-3")
    report = examined(rows[:50], head_of(rows[:50]), [noted])
    assert report.lost == [noted]


def with_a_note(events: int, at: int) -> tuple[Rows, Witness]:
    """A trail with a note, which has the token that event 10 gave its spool, and the note's receipt."""
    note = an_event(at, evento_tipo="NOTA", version="version-10")
    rows = chained([note if seq == at else an_event(seq) for seq in range(1, events + 1)])
    what = "NOTA MK-2"
    return rows, Witness(at, rows[at - 1][16], "recibo", event_seq=at, version="version-10", what=what, is_note=True)


@pytest.mark.parametrize("receipts", [0, 45], ids=["its receipt alone", "beside older ones"])
def test_an_acknowledged_note_is_lost_also_when_the_shop_went_on_and_its_seq_has_another_event(receipts: int) -> None:
    """An older copy was put back."""
    rows, noted = with_a_note(58, 58)
    others = [an_event(seq, id=f"other-{seq}", version=f"other-{seq}") for seq in range(51, 61)]
    went_on = [*rows[:50], *chained(others, rows[49][16])]
    report = examined(went_on, head_of(went_on), [*receipts_of(rows)[:receipts], noted])
    assert report.lost == [noted]


def test_a_note_that_an_insertion_pushed_to_another_number_is_not_lost() -> None:
    rows, noted = with_a_note(60, 40)
    anew = rechained(insert(rows, 20, Random(1)), 20)
    assert examined(anew, head_of(anew), [*receipts_of(rows)[:15], noted]).lost == []


@pytest.mark.parametrize(
    ("at", "since"), [("2026-11-17\x1b[2J", ", after 2026-11-17�[2J, "), (b"blob", "), at the latest")]
)
def test_the_time_of_a_forged_event_is_printed_as_plain_text_or_not_at_all(at: object, since: str) -> None:
    """SQLite keeps any value in a column of text."""
    rows = rechained([*a_trail(4), (*an_event(5, at=at), ""), (*an_event(6), "")], 4)
    changed = [*rows[:5], (*an_event(6, worker="XX(1)"), rows[5][16])]
    report = examined(changed, head_of(rows), receipts_of(rows[:4]))
    (found,) = report.findings
    assert (found.kind, found.first) == (Kind.CHANGED, 6)
    assert since in finding_sentence(found).en


def test_an_empty_trail_is_whole() -> None:
    assert examine(list, ChainHead(0, "0" * 64)).findings == []


@pytest.mark.parametrize(
    ("deed", "kinds"),
    [
        (edit, {Kind.CHANGED}),
        (delete, {Kind.MISSING}),
        (delete_and_close_up, {Kind.MISSING}),
        (insert, {Kind.ADDED}),
        (swap, {Kind.MOVED}),
        (move, {Kind.MOVED}),
        (cut_off, {Kind.MISSING}),
    ],
)
def test_a_deed_that_leaves_the_hashes_is_named_with_its_place(deed: Deed, kinds: set[Kind]) -> None:
    for case in range(CASES):
        chance = Random(case)
        rows, at = a_trail(EVENTS), chance.randrange(EVENTS)
        tampered = deed(rows, at, chance)
        if tampered == rows:
            continue
        report = examined(tampered, head_of(rows), receipts_of(rows))
        assert report.findings, (case, at)
        named = {each.kind for each in report.findings if each.witness != "head"} or {
            each.kind for each in report.findings
        }
        assert named == kinds, (case, at, report.findings)
        if deed not in (swap, move):
            places = {(each.first, each.last) for each in report.findings}
            end = EVENTS if deed is cut_off else at + 1
            assert (max(at, 1) + 1 if deed is cut_off else at + 1, end) in places, (case, at, report.findings)


@pytest.mark.parametrize("deed", [edit, delete, delete_and_close_up, insert, swap, move])
@pytest.mark.parametrize("every", [1, 4])
def test_a_chain_that_was_computed_anew_is_found_by_the_receipts_from_before(deed: Deed, every: int) -> None:
    """The owner changes the head too. The receipts of the first events after it say between which two it was."""
    for case in range(CASES):
        chance = Random(case)
        rows, at = a_trail(EVENTS), chance.randrange(EVENTS - every)
        tampered = deed(rows, at, chance)
        first = next(n for n, (a, b) in enumerate(zip(rows, tampered, strict=False)) if a != b)
        anew = rechained(tampered, first)
        receipts = receipts_of(rows, every)
        report = examined(anew, head_of(anew), receipts)
        (found,) = [each for each in report.findings if each.kind is Kind.REWRITTEN]
        assert found.first <= first + 1 <= found.last, (case, first, found)
        assert found.last - found.first < every
        assert found.since == max(w.made_at for w in receipts if w.seq > first)
        assert found.until == NOW


def test_without_a_witness_a_chain_that_was_computed_anew_looks_whole() -> None:
    """Which is why there are witnesses."""
    rows = a_trail(EVENTS)
    anew = rechained(edit(rows, 10, Random(1)), 10)
    assert examined(anew, head_of(anew)).findings == []


def test_the_time_of_a_rewriting_lies_between_the_last_receipt_that_denies_it_and_the_first_that_does_not() -> None:
    rows = a_trail(30)
    anew = rechained(edit(rows, 10, Random(1)), 10)
    later = a_trail(40)[30:]
    grown = [*anew, *rechained([*anew, *later], 30)[30:]]
    receipts = [*receipts_of(rows), *receipts_of(grown)[34:]]
    (found,) = examined(grown, head_of(grown), receipts).findings
    assert (found.first, found.last, found.since, found.until) == (11, 11, rows[29][2], grown[34][2])


def test_after_an_older_copy_was_restored_the_acknowledged_actions_that_it_lacks_are_named_one_by_one() -> None:
    rows = a_trail(50)
    receipts = receipts_of(rows)
    restored = rows[:40]
    others = [(*row[:14], f"after-{row[0]}", *row[15:]) for row in a_trail(45)[40:]]
    went_on = [*restored, *rechained([*restored, *others], 40)[40:]]
    for trail in (restored, went_on):
        report = examined(trail, head_of(trail), receipts)
        assert [w.event_seq for w in report.lost] == list(range(41, 51))
        assert report.findings[-1].last == 50
        assert not any(each.first <= 40 for each in report.findings)


def test_with_the_ids_of_a_workbook_the_deed_behind_a_rewriting_is_named() -> None:
    rows = a_trail(EVENTS)
    sheet = [Witness(row[0], row[16], "Metadata", row[2], event_id=row[1]) for row in rows]
    for deed, kind in ((edit, Kind.CHANGED), (delete_and_close_up, Kind.MISSING), (insert, Kind.ADDED)):
        anew = rechained(deed(rows, 20, Random(3)), 20)
        found = examined(anew, head_of(anew), sheet).findings[0]
        assert (found.kind, found.first) == (kind, 21), deed


@pytest.mark.parametrize("given", [slice(-1, None), slice(None)], ids=["last receipt", "every receipt"])
def test_an_event_that_was_deleted_while_those_after_it_closed_up_is_one_missing_event(given: slice) -> None:
    """The last event stands one place before the one that its receipt names."""
    rows = a_trail(EVENTS)
    report = examined(delete_and_close_up(rows, 20, Random(1)), head_of(rows), receipts_of(rows)[given])
    assert [(found.kind, found.first, found.last) for found in report.findings] == [(Kind.MISSING, 21, 21)]


def test_a_workbook_tells_one_deletion_as_one_also_where_the_chain_was_computed_anew() -> None:
    """It reaches to the end: its last event stands one place before, by its id."""
    rows = a_trail(EVENTS)
    anew = rechained(delete_and_close_up(rows, 20, Random(1)), 20)
    report = examined(anew, head_of(anew), sheet_of(rows))
    assert [(found.kind, found.first, found.last) for found in report.findings] == [(Kind.MISSING, 21, 21)]


def test_with_a_workbook_two_events_that_changed_places_in_a_chain_computed_anew_are_told_with_both_places() -> None:
    rows = a_trail(EVENTS)
    swapped = list(rows)
    swapped[20], swapped[30] = (21, *rows[30][1:]), (31, *rows[20][1:])
    anew = rechained(swapped, 20)
    report = examined(anew, head_of(anew), sheet_of(rows))
    assert finding_sentence(report.findings[0]).en.startswith("Event 21 stands in another place: at 31")


@pytest.mark.parametrize("deed", [edit, delete, delete_and_close_up, insert, swap, move])
@pytest.mark.parametrize("anew", [False, True])
def test_no_event_is_said_to_stand_at_0(deed: Deed, anew: bool) -> None:
    for case in range(CASES):
        rows, chance = a_trail(EVENTS), Random(case)
        tampered = deed(rows, chance.randrange(1, EVENTS), chance)
        if anew:
            tampered = rechained(tampered, 0)
        report = examined(tampered, head_of(tampered if anew else rows), [*sheet_of(rows), *receipts_of(rows, 7)])
        said = [finding_sentence(found) for found in report.findings]
        assert not [each for each in said if "at 0" in each.en or "en el 0" in each.es], (case, said)


LATER = "2026-11-17T20:00:00+00:00"  # than the deed


def test_an_event_that_was_changed_in_place_was_changed_after_the_one_before_whatever_was_signed_later() -> None:
    """A seal, a backup's head and the receipt of a second tap have the stored hash, which the deed left."""
    rows = a_trail(EVENTS)
    last = rows[-1]
    signed = [
        Witness(last[0], last[16], "sello guardado en el registro", LATER, LATER),
        Witness(last[0], last[16], "recibo", LATER, LATER, event_seq=last[0], version=last[14], what="TOMAR MK-4"),
    ]
    report = examined(edit(rows, EVENTS - 1, Random(1)), head_of(rows), [*receipts_of(rows), *signed])
    (found,) = report.findings
    assert (found.kind, found.first, found.since) == (Kind.CHANGED, EVENTS, rows[-2][2])


def test_the_time_that_somebody_gave_to_a_changed_event_does_not_say_when_the_next_one_was_deleted() -> None:
    rows = a_trail(EVENTS)
    later = (*rows[4][:2], LATER, *rows[4][3:])
    report = examined([*rows[:4], later, *rows[6:]], head_of(rows))
    told = [(found.kind, found.first, found.since) for found in report.findings]
    assert told == [(Kind.CHANGED, 5, rows[3][2]), (Kind.MISSING, 6, rows[3][2])]


def test_nothing_was_done_after_the_end_of_the_examination_whatever_the_clock_of_a_tablet_said() -> None:
    rows = a_trail(EVENTS)
    anew = rechained(edit(rows, 20, Random(1)), 20)
    ahead = [w._replace(made_at="2031-01-01T00:00:00+00:00") for w in receipts_of(rows)[40:42]]
    (found,) = examined(anew, head_of(anew), ahead).findings
    assert (found.kind, found.since, found.until) == (Kind.REWRITTEN, "", NOW)


@pytest.mark.parametrize("head_left", [True, False])
def test_events_that_were_cut_off_are_missing_since_their_own_last_receipt_not_that_of_a_second_tap(
    head_left: bool,
) -> None:
    """A tap that changes nothing has the head that was left, and the seq of an older event."""
    rows = a_trail(EVENTS)
    second = Witness(60, rows[-1][16], "recibo", LATER, LATER, event_seq=50, version=rows[49][14], what="TOMAR MK-1")
    several = Witness(60, rows[-1][16], "recibo", LATER, LATER, what="acción del evento 60")
    kept = rows[:50]
    report = examined(kept, head_of(rows if head_left else kept), [*receipts_of(rows)[:58], second, several])
    (found,) = report.findings
    assert (found.kind, found.first, found.last, found.since) == (Kind.MISSING, 51, 60, rows[57][2])


@pytest.mark.parametrize("deed", [delete_and_close_up, insert])
def test_what_the_shop_did_after_a_deed_that_shifted_its_numbers_is_not_accused(deed: Deed) -> None:
    rows = a_trail(EVENTS)
    later = chained([an_event(seq) for seq in (61, 62, 63)], rows[-1][16])
    tampered = [row for row in deed(rows, 20, Random(1)) if row[0] < 61]
    report = examined([*tampered, *later], head_of(later), receipts_of([*rows, *later]))
    assert not [found for found in report.findings if found.kind is Kind.CHANGED or found.first > found.last]
    assert (report.findings[0].first, report.findings[0].last) == (21, 21)


def test_a_receipt_from_after_a_restore_does_not_say_that_its_event_is_the_old_one() -> None:
    """Two of four acknowledgements were kept; the shop went on with other events under the same numbers."""
    rows = a_trail(54)
    others = [an_event(seq, id=f"other-{seq}", at=f"2026-11-18T10:00:{seq}+00:00") for seq in range(51, 57)]
    new = chained(others, rows[49][16])
    went_on = [*rows[:50], *new]
    report = examined(
        went_on, head_of(went_on), [*receipts_of(rows[:50], 10), *receipts_of(rows)[52:], *receipts_of(new)]
    )
    (found,) = report.findings
    assert (found.kind, found.first, found.last, found.event) == (Kind.REWRITTEN, 51, 53, "")


def sheet_of(rows: Rows) -> list[Witness]:
    """The column `Hash` of a workbook, and the time of each row."""
    return [Witness(row[0], row[16], "Metadata", made_at=row[2], event_id=row[1]) for row in rows]


def seals_of(rows: Rows, *seqs: int) -> list[Witness]:
    return [Witness(seq, rows[seq - 1][16], "sello guardado en el registro", LATER, LATER) for seq in seqs]


@pytest.mark.parametrize("kind", ["every receipt", "the last receipt", "a seal"])
def test_an_event_deleted_in_a_chain_computed_anew_does_not_make_the_last_one_missing_or_lost(kind: str) -> None:
    """It stands one place before. A seq and a hash tell that one event is fewer, and from where on nothing is sure."""
    rows = a_trail(30)
    witnesses = {"every receipt": receipts_of(rows), "the last receipt": receipts_of(rows)[-1:]}
    anew = rechained(delete_and_close_up(rows, 10, Random(1)), 10)
    report = examined(anew, head_of(anew), witnesses.get(kind, seals_of(rows, 30)))
    begin = 11 if kind == "every receipt" else 1
    (found,) = [each for each in report.findings if each.kind is Kind.MISSING]
    assert (found.first, found.last, found.at_least) == (begin, 30, 1)
    assert finding_sentence(found).en.startswith(f"At least 1 event is missing of {begin} to 30; nothing tells which")
    assert [each.first for each in report.findings if each.kind is Kind.REWRITTEN] == [11] * (begin == 11)
    assert [w.seq for w in report.lost] == [11] * (begin == 11), "the receipt of the deleted event names its token"


def test_a_workbook_names_every_deleted_event_of_a_chain_computed_anew() -> None:
    rows = a_trail(30)
    kept = [row for row in rows if row[0] not in (11, 21, 22)]
    anew = rechained([(seq, *row[1:]) for seq, row in enumerate(kept, 1)], 10)
    report = examined(anew, head_of(anew), sheet_of(rows))
    told = [(each.kind, each.first, each.last) for each in report.findings]
    assert told == [(Kind.MISSING, 11, 11), (Kind.MISSING, 21, 22)]


def test_of_a_workbook_of_another_shop_it_is_said_that_nothing_of_it_is_in_the_trail() -> None:
    """All of its rows differ. Of a workbook of this shop some row is always there, or its id."""
    rows = a_trail(30)
    others = chained([an_event(seq, id=f"other-{seq}") for seq in range(1, 21)])
    words = "Nothing of Metadata is in the trail. If it is the workbook of another shop, verify without it."
    for sheet, foreign in ((sheet_of(others), True), (sheet_of([*rows[:1], *others[1:]]), False)):
        said = [sentence.en for sentence in report_sentences(examined(rows, head_of(rows), sheet))]
        assert (words in said) is foreign, said
    anew = rechained(edit(rows, 0, Random(1)), 0)
    assert examined(anew, head_of(anew), sheet_of(rows)).foreign == []


def test_a_workbook_names_every_deleted_event_also_where_the_head_was_left() -> None:
    """The head tells no more than that two are missing."""
    rows = a_trail(30)
    anew = rechained(renumbered([*rows[:9], *rows[10:29]]), 9)
    told = examined(anew, head_of(rows), sheet_of(rows)).findings
    assert [(each.kind, each.first, each.last) for each in told] == [(Kind.MISSING, 10, 10), (Kind.MISSING, 30, 30)]


def test_an_end_that_was_cut_off_between_two_receipts_is_told_as_far_as_they_tell_it() -> None:
    rows = a_trail(30)
    (found,) = examined(rows[:27], head_of(rows[:27]), receipts_of(rows, 5)).findings
    assert (found.kind, found.first, found.last, found.at_least) == (Kind.MISSING, 26, 30, 3)
    assert "Faltan al menos 3 eventos del 26 al 30; nada dice cuáles" in finding_sentence(found).es


def test_what_the_shop_did_after_a_deed_that_left_the_head_is_not_accused() -> None:
    """Its first event was chained to the hash that was there before, which a receipt tells."""
    rows = a_trail(30)
    later = chained([an_event(31), an_event(32)], rows[-1][16])
    anew = [*rechained(edit(rows, 20, Random(1)), 20), *later]
    (found,) = examined(anew, head_of(later), receipts_of(rows)).findings
    assert (found.kind, found.first, found.last) == (Kind.REWRITTEN, 21, 21)
    (unsure,) = examined(anew, head_of(later)).findings
    assert (unsure.kind, unsure.first, unsure.or_others) == (Kind.CHANGED, 31, True)
    assert "Or what stands before event 31 was" in finding_sentence(unsure).en


def test_a_head_that_was_set_back_does_not_make_events_added_that_a_receipt_confirms() -> None:
    rows = a_trail(30)
    (found,) = examined(rows, head_of(rows[:20]), receipts_of(rows)).findings
    assert (found.kind, found.first, found.last) == (Kind.HEAD_CHANGED, 20, 30)
    (added,) = examined(rows, head_of(rows[:20])).findings
    assert finding_sentence(added).en.startswith("Events 21 to 30 were added, not by Carrete")


def test_a_later_event_that_was_moved_before_those_of_a_workbook_is_not_called_forged_for_sure() -> None:
    rows = a_trail(34)
    moved = rechained([(n, *row[1:]) for n, row in enumerate([*rows[:10], rows[32], *rows[10:32], rows[33]], 1)], 10)
    (found,) = examined(moved, head_of(moved), sheet_of(rows[:30])).findings
    assert (found.kind, found.first, found.unsure) == (Kind.ADDED, 11, True)
    assert finding_sentence(found).en.endswith(
        "Or it is another event of the shop, and was moved there: nothing tells."
    )


@pytest.mark.parametrize("left", ["the hashes", "the numbers", "the head"])
def test_a_workbook_is_compared_in_a_time_that_grows_with_its_rows_not_with_their_square(left: str) -> None:
    """Of 32,000 events every second one is deleted: 14 s when every row was held against every deletion."""
    rows = a_trail(32_000)
    kept = {
        "the hashes": rows[::2],
        "the numbers": rechained(rows[::2], 0),
        "the head": rechained(renumbered(rows[::2]), 0),
    }[left]
    begin = time.process_time()
    report = examine(lambda: kept, head_of(rows), sheet_of(rows))
    assert time.process_time() - begin < 7
    missing = [each for each in report.findings if each.kind is Kind.MISSING]
    assert sum(each.last - each.first + 1 for each in missing) >= 15_999
