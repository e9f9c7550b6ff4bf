"""Whatever the OpenAPI document allows, and much that it forbids: no 5xx and no answer that it does not describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conftest import TEMPLATE
from tests.support.postgres import PostgresServer
from tests.support.server import RunningServer, running_server

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 20
STREAM = "/api/sse/stream"  # has no end to wait for: it is asked by itself


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def demo_shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder: Path = tmp_path_factory.mktemp("demo")
    url, name = f"sqlite:///{folder / 'carrete.db'}", ""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(name := server.create(TEMPLATE))
    with running_server(url, folder, "--demo") as running:
        yield running
    if name:
        server.drop(name)


@pytest.fixture
def documented(demo_shop: RunningServer) -> Any:
    return schemathesis.openapi.from_url(f"{demo_shop.url}/api/openapi.json").exclude(path=STREAM)


@pytest.fixture(scope="module")
def known(demo_shop: RunningServer) -> dict[str, list[Any]]:
    """What exists, so that calls get past "not found" and reach the rules."""
    spools = requests.get(f"{demo_shop.url}/api/spools?limit=500", timeout=10).json()["spools"]
    workers = requests.get(f"{demo_shop.url}/api/workers", timeout=10).json()["workers"]
    return {
        "tags": [spool["tag_spool"] for spool in spools],
        "workers": [worker["id"] for worker in workers],
    }


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as opened:
        yield opened


def spoken_of_what_exists(case: Any, known: dict[str, list[Any]], turn: int) -> None:
    """Three calls of four name a real spool and a real worker, each time others."""
    if turn % 4 == 0:
        return
    tags, workers = known["tags"], known["workers"]
    for place in (case.body, case.query, case.path_parameters):
        if not isinstance(place, dict):
            continue
        for name, value in {
            "tag": tags[turn * 7 % len(tags)],
            "tag_spool": tags[turn * 7 % len(tags)],
            "tag_spools": [tags[(turn * 7 + n) % len(tags)] for n in range(turn % 5 + 1)],
            "worker_id": workers[turn % len(workers)],
        }.items():
            if name in place:
                place[name] = value


def test_whatever_is_allowed_gets_an_answer_that_the_document_describes(
    documented: Any, known: dict[str, list[Any]], session: requests.Session, subtests: pytest.Subtests
) -> None:
    seen: Counter[int] = Counter()
    for operation in [found.ok() for found in documented.get_all_operations()]:
        with subtests.test(operation.label):
            seen += answers_to(operation, GenerationMode.POSITIVE, session, known)
    assert {200, 400, 403, 404, 409} <= set(seen), f"the calls did not reach the rules: {seen}"


@pytest.mark.parametrize("demo_shop", ["sqlite"], indirect=True)
def test_whatever_is_forbidden_gets_an_answer_that_the_document_describes(
    documented: Any, session: requests.Session, subtests: pytest.Subtests
) -> None:
    seen: Counter[int] = Counter()
    for operation in [found.ok() for found in documented.get_all_operations()]:
        with subtests.test(operation.label):
            seen += answers_to(operation, GenerationMode.NEGATIVE, session)
    assert {404, 422} <= set(seen), f"nothing was refused: {seen}"


@pytest.mark.parametrize("demo_shop", ["sqlite"], indirect=True)
def test_the_stream_that_never_ends_is_described_too(demo_shop: RunningServer) -> None:
    document = requests.get(f"{demo_shop.url}/api/openapi.json", timeout=10).json()
    responses = document["paths"][STREAM]["get"]["responses"]
    for since, status in ((None, 200), ("0", 200), (str(2**63 - 1), 200), ("-1", 422), ("x", 422), ("1e3", 422)):
        with requests.get(f"{demo_shop.url}{STREAM}", params={"since": since}, stream=True, timeout=10) as answer:
            assert answer.status_code == status
            assert answer.headers["content-type"].partition(";")[0] in responses[str(status)]["content"]


def answers_to(
    operation: Any, mode: GenerationMode, session: requests.Session, known: dict[str, list[Any]] | None = None
) -> Counter[int]:
    """The statuses of a fixed series of calls, each of them checked against the document."""
    turns = count()
    seen: Counter[int] = Counter()

    @hypothesis.settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        if known is not None:
            spoken_of_what_exists(case, known, next(turns))
        seen[case.call_and_validate(checks=CHECKS, session=session).status_code] += 1

    # An operation without anything to send has nothing that could be forbidden.
    with suppress(hypothesis.errors.Unsatisfiable, schemathesis.errors.InvalidSchema):
        call()
    return seen
