"""Whatever the OpenAPI document allows, on PostgreSQL: no 5xx and no answer that it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from schemathesis import GenerationMode

from tests.conftest import TEMPLATE
from tests.integration.fuzz.openapi import DemoShop, demo_shop, fuzzed
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="module")
def shop(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoShop]:
    folder: Path = tmp_path_factory.mktemp("demo")
    name = postgres.create(TEMPLATE)
    with demo_shop(postgres.url(name), folder) as opened:
        yield opened
    postgres.drop(name)


def test_whatever_is_allowed_gets_an_answer_that_the_document_describes(
    shop: DemoShop, subtests: pytest.Subtests
) -> None:
    seen = fuzzed(shop, GenerationMode.POSITIVE, subtests)
    assert {200, 400, 403, 404, 409} <= set(seen), f"the calls did not reach the rules: {seen}"
