"""The tables of docs/security.md and docs/asvs.md say what the tests and the standard say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tests.system.security.table import PAPER, probes, written

PROBES_MIN = 40
CHECKLIST = PAPER.with_name("asvs.md")
VERDICTS = ("met", "in part", "not applicable", "not met")
# How many items of levels 1 and 2 each chapter of ASVS 5.0.0 has.
ITEMS = {1: 27, 2: 11, 3: 19, 4: 10, 5: 9, 6: 35, 7: 18, 8: 7, 9: 7, 10: 29, 11: 14, 12: 9, 13: 13, 14: 9, 15: 13}
ITEMS |= {16: 16, 17: 7}
_ROW = re.compile(r"^\| (\d+)\.(\d+)\.(\d+)(?: to \d+\.\d+\.(\d+))? \| [12] \| .+? \| \*\*([a-z ]+)\*\*(.*) \|$", re.M)


def test_the_table_of_probes_is_that_of_the_probes() -> None:
    paper = PAPER.read_text("utf-8")
    assert written(paper) == paper, "run: python -m tests.system.security.table"


def test_every_probe_says_what_is_tried_and_what_it_gets() -> None:
    found = list(probes())
    assert len(found) >= PROBES_MIN
    assert len({name for _, name, _ in found}) == len(found)
    assert [name for theme, name, what in found if not theme or "→" not in what or "|" in what] == []


def items() -> Iterator[tuple[int, str, str, str]]:
    """Chapter, number, verdict and what is said of it, for each item of the checklist."""
    for chapter, section, first, last, verdict, words in _ROW.findall(CHECKLIST.read_text("utf-8")):
        for number in range(int(first), int(last or first) + 1):
            yield int(chapter), f"{chapter}.{section}.{number}", verdict, words


def test_the_checklist_has_every_item_of_the_standard_once() -> None:
    found = list(items())
    assert len({number for _, number, _, _ in found}) == len(found)
    assert Counter(chapter for chapter, *_ in found) == ITEMS
    assert {verdict for _, _, verdict, _ in found} == set(VERDICTS)


def test_the_sums_of_the_security_checklist_are_those_of_its_items() -> None:
    paper = CHECKLIST.read_text("utf-8")
    found = Counter((chapter, verdict) for chapter, _, verdict, _ in items())
    summed = re.findall(r"^\| (\d+) [A-Z].*?\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", paper, re.M)
    assert {int(chapter): tuple(map(int, counts)) for chapter, *counts in summed} == {
        chapter: tuple(found[chapter, verdict] for verdict in VERDICTS) for chapter in ITEMS
    }


def test_every_verdict_of_the_checklist_gives_its_reason() -> None:
    assert [number for _, number, _, words in items() if len(words) < len(": none")] == []
