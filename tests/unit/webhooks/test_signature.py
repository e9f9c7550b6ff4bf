"""The signature of Standard Webhooks, as its libraries and the document check it."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from carrete.webhooks.signature import secret_text, signed_headers

DOCUMENT = Path(__file__).parents[3] / "docs" / "webhooks.md"
KEY = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
ID, AT, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}'


def test_the_signature_is_that_of_the_specification_s_own_example() -> None:
    headers = signed_headers(KEY, ID, AT, BODY)
    assert headers == {
        "webhook-id": ID,
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_secret_is_shown_as_libraries_take_it() -> None:
    assert secret_text(KEY) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(scope="module")
def is_from_carrete() -> Callable[..., bool]:
    """The function that the document shows."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)
    checks: Callable[..., bool] = found["is_from_carrete"]
    return checks


def test_the_check_in_the_document_accepts_our_messages_and_nothing_else(is_from_carrete: Callable[..., bool]) -> None:
    secret, headers = secret_text(KEY), signed_headers(KEY, ID, AT, BODY)
    assert is_from_carrete(secret, headers, BODY, now=AT + 299)
    assert not is_from_carrete(secret, headers, BODY + b" ", now=AT)
    assert not is_from_carrete(secret, {**headers, "webhook-id": "other"}, BODY, now=AT)
    assert not is_from_carrete(secret, headers, BODY, now=AT + 301)
    assert not is_from_carrete("whsec_" + b64encode(b"x" * 32).decode(), headers, BODY, now=AT)
