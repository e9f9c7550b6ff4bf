"""Schemathesis's other phases: the document's examples, every boundary of every field, and calls that follow calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.integration.fuzz.openapi import STREAM, DemoShop, Paths, actions_and_lists, demo_shop, every_path, run


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoShop]:
    folder: Path = tmp_path_factory.mktemp("demo")
    with demo_shop(f"sqlite:///{folder / 'carrete.db'}", folder) as opened:
        yield opened


def test_every_example_of_the_document_is_answered_by_the_rules(shop: DemoShop) -> None:
    found = run(shop, "examples")
    assert found.failures == []
    assert len(found.operations) >= 12
    assert 422 not in found.statuses, "an example that is not valid"


def test_every_boundary_of_every_field_is_answered_as_the_document_says(shop: DemoShop) -> None:
    found = run(shop, "coverage")
    assert found.failures == []
    assert found.operations == {operation.ok().label for operation in shop.document().get_all_operations()}
    assert {200, 403, 404, 405, 415, 422} <= set(found.statuses), found.statuses


def test_calls_with_what_earlier_calls_answered_are_answered_as_the_document_says(shop: DemoShop) -> None:
    def about_real_spools(document: Any) -> None:
        @document.hook("map_body")  # type: ignore[untyped-decorator]
        def name_a_spool(_context: Any, body: Any) -> Any:
            shop.use_existing_names(body)
            return body

    def chained(examples: int, among: Paths) -> Counter[int]:
        found = run(shop, "stateful", about_real_spools, among, **{"max-examples": examples, "mode": "positive"})
        assert found.failures == []
        assert found.transitions >= 20, "nothing followed from anything"
        return found.statuses

    # Few of all routes are actions, and few calls of those reach a rule that refuses: actions have a turn of their own.
    statuses = chained(12, every_path) + chained(40, actions_and_lists)
    assert {200, 403} <= set(statuses), statuses


def test_the_stream_that_never_ends_is_described_too(shop: DemoShop) -> None:
    document = requests.get(f"{shop.url}/api/openapi.json", timeout=10).json()
    responses = document["paths"][STREAM]["get"]["responses"]
    for since, status in ((None, 200), ("0", 200), (str(2**63 - 1), 200), ("-1", 422), ("x", 422), ("1e3", 422)):
        with requests.get(f"{shop.url}{STREAM}", params={"since": since}, stream=True, timeout=10) as answer:
            assert answer.status_code == status
            assert answer.headers["content-type"].partition(";")[0] in responses[str(status)]["content"]
