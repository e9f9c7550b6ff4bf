"""A packed answer, unpacked with the same tags, is the same text, whatever the tags are."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from carrete.ledger.packing import pack_answer, unpack_answer

TAGS = st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=20)


@given(TAGS, st.text(max_size=50), st.integers(0, 3))
def test_whatever_the_tags_are_the_answer_comes_back(tags: list[str], sentence: str, missing: int) -> None:
    """Also when the answer has fewer or more parts than the request has tags."""
    named = tags[missing:] or [*tags, *tags]
    details = [{"tag_spool": tag, "detail": f"{sentence} {tag} \x01 {tag}{tag}"} for tag in named]
    body = json.dumps({"details": details}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    text = body.decode()
    assert unpack_answer(pack_answer(text, tags), tags) == text


def test_a_long_answer_without_tags_is_packed_too() -> None:
    body = '{"unions":[' + ",".join(map(str, range(1_000))) + "]}"
    assert len(pack_answer(body, ["A"])) < len(body)
    assert unpack_answer(pack_answer(body, ["A"]), ["A"]) == body
