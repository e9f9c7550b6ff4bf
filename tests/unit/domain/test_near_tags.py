"""Which tags are shown beside a code that is no spool."""

from __future__ import annotations

import pytest

from carrete.domain.near_tags import differences, near_tags

TAG = "MK-1335-CW-25238-011"


@pytest.mark.parametrize(
    ("read", "signs"),
    [
        (TAG, 0),
        ("MK-1335-CW-25238-O11", 1),  # the letter for the digit
        ("MK-1335-CW-25283-011", 2),  # two signs in the wrong order
        ("MK-1335-CW-25238-01", 1),  # the last one is missing
        ("MK-1335-CW-252238-011", 1),  # one typed twice
        ("MK-1335-CW-2528-011", 1),
        ("MK-1335-CW-25238-01100", 2),
        ("MK-1335-CW-25238-123", 3),
        ("MK-1335-CW-25238-0", 2),
        ("MK-1335-CW-25238-", 3),
        ("MK-1335-CW-25238-Ñ11", 1),
    ],
)
def test_signs_that_differ_are_counted_up_to_three(read: str, signs: int) -> None:
    assert differences(read, TAG) == signs
    assert differences(TAG, read) == signs


def test_the_nearest_tag_is_first_and_far_ones_are_left_out() -> None:
    tags = ["MK-1335-CW-25238-010", "MK-1335-CW-25238-011", "MK-1335-CW-25238-099", "OTHER", "mk-1335-cw-25238-o11"]
    assert near_tags("MK-1335-CW-25238-O11", tags, 5) == ["mk-1335-cw-25238-o11", TAG, "MK-1335-CW-25238-010"]
    assert near_tags("MK-1335-CW-25238-O11", tags, 1) == ["mk-1335-cw-25238-o11"]


def test_to_a_code_of_two_signs_nothing_is_near() -> None:
    assert near_tags("12", ["13", "1", "123"], 5) == []
