"""Calls by every kind of caller in mode `pin`, by the document and in bytes: no 5xx, and every refusal a problem.

This is the short profile. `make fuzz` makes 50,000 requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from schemathesis import GenerationMode

from tests.integration.fuzz.role_calls import assert_nothing_broke, call_by_document, call_in_bytes
from tests.integration.fuzz.roles import CALLERS, RoleShop, Seen, role_shop

SEED = 1
BYTES_EACH = 120


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoleShop]:
    folder: Path = tmp_path_factory.mktemp("roles")
    with role_shop(folder) as opened:
        yield opened


def test_no_bytes_of_any_caller_bring_the_server_down(shop: RoleShop) -> None:
    seen = Seen()
    call_in_bytes(shop, seen, CALLERS, BYTES_EACH, SEED)
    assert_nothing_broke(seen)
    assert set(seen.statuses) == set(CALLERS)
    assert {200, 400, 401, 403, 404, 422} <= {status for each in seen.statuses.values() for status in each}


def test_every_operation_is_answered_to_an_administrator_who_may_do_all_of_it(shop: RoleShop) -> None:
    seen = Seen()
    call_by_document(shop, seen, ["administrator"], examples=1, seed=SEED, modes=[GenerationMode.POSITIVE])
    assert_nothing_broke(seen)
    assert {200, 404, 422} <= set(seen.statuses["administrator"])
