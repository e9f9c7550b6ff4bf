"""Whatever the OpenAPI document allows, and much that it forbids: no 5xx and no answer that it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from schemathesis import GenerationMode

from tests.integration.fuzz.openapi import DemoShop, demo_shop, fuzzed


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoShop]:
    folder: Path = tmp_path_factory.mktemp("demo")
    with demo_shop(f"sqlite:///{folder / 'carrete.db'}", folder) as opened:
        yield opened


def test_whatever_is_allowed_gets_an_answer_that_the_document_describes(
    shop: DemoShop, subtests: pytest.Subtests
) -> None:
    seen = fuzzed(shop, GenerationMode.POSITIVE, subtests)
    assert {200, 400, 403, 404, 409} <= set(seen), f"the calls did not reach the rules: {seen}"


def test_whatever_is_forbidden_gets_an_answer_that_the_document_describes(
    shop: DemoShop, subtests: pytest.Subtests
) -> None:
    seen = fuzzed(shop, GenerationMode.NEGATIVE, subtests)
    assert {415, 422} <= set(seen), f"nothing was refused: {seen}"
