"""The ledger's own head is a row that the database's owner can change too: what it says is told with that doubt."""

from __future__ import annotations

import pytest

from carrete.domain.trail.canonical import EMPTY, ChainHead
from carrete.domain.trail.compare import examine
from carrete.domain.trail.findings import Kind
from carrete.domain.trail.sentences import Sentence, finding_sentence
from carrete.domain.trail.witness import Witness
from tests.support.trails import Rows, a_trail, head_of, receipts_of, renumbered

ROWS = a_trail(30)
OR_THE_HEAD = "Or only that head was changed: nothing tells."


def the_sentence(rows: Rows, head: ChainHead, witnesses: list[Witness] | None = None) -> Sentence:
    (found,) = examine(lambda: rows, head, witnesses or [], now="2026-11-18T00:00:00+00:00").findings
    return finding_sentence(found)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (ChainHead(40, "e" * 64), "At least 10 events are missing: the last one is 30, and that was 40"),
        (ChainHead(30, "e" * 64), "The trail was rewritten from one of the events 21 to 30 on"),
        (head_of(ROWS[:20]), "Events 21 to 30 were added, not by Carrete"),
        (EMPTY, "Events 1 to 30 were added, not by Carrete"),
    ],
)
def test_of_a_head_that_no_witness_confirms_it_is_said_that_it_may_have_been_changed(
    head: ChainHead, words: str
) -> None:
    receipts = receipts_of(ROWS[:20], 5) if head.seq else []
    said = the_sentence(ROWS, head, receipts)
    assert (said.en.startswith(words), said.en.endswith(OR_THE_HEAD)) == (True, True), said.en
    assert said.es.endswith("O solo se cambió esa cabeza: nada lo dice.")


def test_what_a_witness_tells_of_an_end_that_was_cut_off_has_no_such_doubt() -> None:
    assert "only that head" not in the_sentence(ROWS[:20], head_of(ROWS), receipts_of(ROWS)).en
    findings = examine(lambda: ROWS[:20], head_of(ROWS), receipts_of(ROWS[:27])).findings
    told = [finding_sentence(found).en for found in findings]
    assert (told[0].startswith("At least 10 events"), told[0].endswith(OR_THE_HEAD)) == (True, True), told
    assert (told[1].startswith("Events 21 to 27 are missing"), told[1].endswith("Shown by recibo.")) == (True, True), (
        told
    )


@pytest.mark.parametrize("seq", [29, 31, 10**18])
def test_a_head_with_the_number_of_another_event_was_changed_for_sure(seq: int) -> None:
    """The hash stands for the number too. The next event would have the one after it."""
    said = the_sentence(ROWS, ChainHead(seq, ROWS[-1][16])).en
    assert said.startswith(f"The ledger's own head was changed: it names event {seq}, with the hash of event 30")


def test_an_event_whose_number_was_closed_up_does_not_make_the_head_a_changed_one() -> None:
    """It still has its hash, and the head too."""
    rows = renumbered([*ROWS[:9], *ROWS[10:]])
    (found,) = examine(lambda: rows, head_of(ROWS)).findings
    assert (found.kind, found.first, found.last) == (Kind.MISSING, 10, 10)


def test_of_a_head_that_was_set_back_it_is_said_up_to_where_witnesses_agree() -> None:
    said = the_sentence(ROWS, head_of(ROWS[:10]), receipts_of(ROWS[:20])).en
    assert said.startswith("The ledger's own head was changed: it names event 10, and witnesses agree with what the")
    assert "trail has up to 20" in said


def test_a_head_with_another_hash_than_a_witness_of_the_last_event_was_changed() -> None:
    said = the_sentence(ROWS, ChainHead(30, "e" * 64), receipts_of(ROWS)).en
    assert said.startswith(
        "The ledger's own head was changed: it names event 30 with another hash, and witnesses agree"
    )


@pytest.mark.parametrize("forged", [1, 2])
def test_forged_events_at_the_end_that_do_not_fit_are_told_once(forged: int) -> None:
    rows = [*ROWS, *((31 + n, f"forged-{n}", *ROWS[4 + n][2:]) for n in range(forged))]
    for witnesses in ([], receipts_of(ROWS)):
        said = the_sentence(rows, head_of(ROWS), witnesses).en
        events = "Event 31 was added" if forged == 1 else "Events 31 to 32 were added"
        assert said.startswith(f"{events}, not by Carrete (TOMAR_SPOOL MK-5 MR(93)), after {ROWS[-1][2]}"), said
        assert said.endswith(OR_THE_HEAD)
