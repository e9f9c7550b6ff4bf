"""Calls generated from the OpenAPI document, to a demo shop: every answer must be one that the document describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from carrete.api.access_table import Level, need_of
from tests.support.server import RunningServer, running_server

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = {GenerationMode.POSITIVE: 8, GenerationMode.NEGATIVE: 4}  # `make fuzz` makes many more
STREAM = "/api/sse/stream"  # it never ends: it has a test of its own
KEY = "Idempotency-Key"
_CHECKED: dict[str, Any] = {"enabled": False, **{check.__name__: {"enabled": True} for check in CHECKS}}
_PHASES = ("examples", "coverage", "fuzzing", "stateful")
_LISTS = ("/api/spools", "/api/workers")
Paths = Callable[[str], bool]  # whether a path is included


def every_path(_path: str) -> bool:
    return True


def actions_and_lists(path: str) -> bool:
    """The actions of the floor, and the lists that name the spools and workers for them."""
    need = need_of("POST", path)
    return path in _LISTS or (need is not None and need.level is Level.ACTION)


@dataclass(frozen=True)
class DemoShop:
    """A server with a shop in it, and the spools and workers of that shop."""

    url: str
    tags: list[str]
    workers: list[int]
    turns: Iterator[int] = field(default_factory=count)

    def document(self, config: dict[str, Any] | None = None, among: Paths = every_path) -> Any:
        """Without the example of a key, because the second action under it would only be refused as a reused key; and
        without the routes of identity, which a demo shop always refuses."""
        raw = requests.get(f"{self.url}/api/openapi.json", timeout=10).json()
        raw["paths"] = {
            path: methods for path, methods in raw["paths"].items() if _is_open(path, methods) and among(path)
        }
        for methods in raw["paths"].values():
            for operation in methods.values():
                for parameter in operation.get("parameters", ()):
                    if parameter["name"] == KEY:
                        parameter.pop("example")
        settings = SchemathesisConfig.from_dict({**(config or {}), "base-url": self.url})
        return schemathesis.openapi.from_dict(raw, config=settings).exclude(path=STREAM)

    def use_existing_names(self, *places: Any) -> None:
        """Three calls of four name a real spool and a real worker, each time others, and so reach the rules."""
        turn = next(self.turns)
        for values in places if turn % 4 else ():
            if isinstance(values, dict):
                self._name(values, turn)

    def _name(self, values: dict[str, Any], turn: int) -> None:
        tags, workers = self.tags, self.workers
        for name, value in {
            "tag": tags[turn * 7 % len(tags)],
            "tag_spool": tags[turn * 7 % len(tags)],
            "tag_spools": [tags[(turn * 7 + n) % len(tags)] for n in range(turn % 5 + 1)],
            "tags": [tags[(turn * 7 + n) % len(tags)] for n in range(turn % 5 + 1)],
            "worker_id": workers[turn % len(workers)],
            "supervisor_id": workers[turn % len(workers)],
        }.items():
            if name in values:
                values[name] = value


def _is_open(path: str, methods: Iterable[str]) -> bool:
    needs = [need_of(method.upper(), path) for method in methods]
    return all(need is not None and need.without_identity for need in needs)


@contextmanager
def demo_shop(database_url: str, folder: Path) -> Iterator[DemoShop]:
    with running_server(database_url, folder, "--demo") as server:
        yield looked_at(server)
        assert "Traceback" not in server.complaints


def looked_at(server: RunningServer) -> DemoShop:
    spools = requests.get(f"{server.url}/api/spools?limit=500", timeout=10).json()["spools"]
    workers = requests.get(f"{server.url}/api/workers", timeout=10).json()["workers"]
    return DemoShop(server.url, [spool["tag_spool"] for spool in spools], [worker["id"] for worker in workers])


# ─── made up at random ────────────────────────────────────────────────────────────────────────────────────────


def fuzzed(shop: DemoShop, mode: GenerationMode, subtests: pytest.Subtests) -> Counter[int]:
    """The statuses of a fixed series of calls of every operation."""
    seen: Counter[int] = Counter()
    with requests.Session() as session:
        for operation in [found.ok() for found in shop.document().get_all_operations()]:
            with subtests.test(operation.label):
                seen += _answers_to(operation, mode, session, shop)
    return seen


def _answers_to(operation: Any, mode: GenerationMode, session: requests.Session, shop: DemoShop) -> Counter[int]:
    seen: Counter[int] = Counter()

    @hypothesis.settings(
        max_examples=EXAMPLES[mode],
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        if mode is GenerationMode.POSITIVE:
            shop.use_existing_names(case.body, case.query, case.path_parameters)
        seen[case.call_and_validate(checks=CHECKS, session=session).status_code] += 1

    # An operation without anything to send has nothing that could be forbidden.
    with suppress(hypothesis.errors.Unsatisfiable, schemathesis.errors.InvalidSchema):
        call()
    return seen


# ─── schemathesis's own phases ────────────────────────────────────────────────────────────────────────────────


@dataclass
class Phase:
    """The requests and answers of one phase."""

    operations: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    transitions: int = 0  # calls that were made with what an earlier one had answered
    failures: list[str] = field(default_factory=list)

    def note(self, recorder: Any) -> None:
        for identity, one in recorder.interactions.items():
            case = recorder.cases[identity].value
            self.operations.add(case.operation.label)
            self.statuses[one.response.status_code if one.response else 0] += 1
            self.transitions += recorder.cases[identity].transition is not None
            for check in recorder.checks.get(identity, ()):
                if check.failure_info is not None:
                    self.failures.append(
                        f"{check.name}: {check.failure_info.failure.message}\n{case.as_curl_command()}"
                    )


def run(
    shop: DemoShop,
    phase: str,
    prepare: Callable[[Any], None] = lambda document: None,
    among: Paths = every_path,
    **generation: Any,
) -> Phase:
    """One phase of schemathesis, always with the same calls."""
    phases: dict[str, Any] = {name: {"enabled": name == phase} for name in _PHASES}
    document = shop.document({"seed": 1, "checks": _CHECKED, "generation": generation, "phases": phases}, among)
    prepare(document)
    found = Phase()
    for event in from_schema(document).execute():
        if isinstance(event, events.ScenarioFinished):
            found.note(event.recorder)
        elif isinstance(event, events.FatalError | events.NonFatalError):
            found.failures.append(str(event))
    return found
