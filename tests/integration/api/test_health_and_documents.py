"""Alive, ready, Redis, the page at / and the OpenAPI document."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from carrete.ledger.database import Database
from tests.support.tablet import Tablet

ROUTES = {
    *(("post", f"/api/occupation/{name}") for name in ("tomar", "pausar", "completar", "cancelar")),
    *(("post", f"/api/occupation/batch-{name}") for name in ("tomar", "pausar", "completar")),
    *(("get", path) for path in ("/api/spools", "/api/spools/{tag}", "/api/history/{tag}", "/api/workers")),
    *(("get", path) for path in ("/api/dashboard/occupied", "/api/health", "/api/health/ready", "/api/health/redis")),
}


def test_alive_and_ready(tablet: Tablet, ledger: Database) -> None:
    alive = tablet.see("/api/health")
    assert alive["status"] == "ok"
    assert alive["version"]
    now = datetime.fromisoformat(alive["now"])  # by which tablets set their clocks
    assert now.utcoffset() == now.astimezone(ZoneInfo("America/Santiago")).utcoffset()
    assert abs(datetime.now(UTC) - now) < timedelta(minutes=1)
    assert tablet.see("/api/health/ready") == {"status": "ready", "ledger": ledger.engine}


def test_without_redis_it_says_degraded_and_why(tablet: Tablet) -> None:
    body = tablet.see("/api/health/redis")
    assert body["status"] == "degraded"
    assert body["reason"]


def test_the_document_says_that_every_answer_of_an_action_has_a_receipt(tablet: Tablet) -> None:
    schemas = tablet.see("/api/openapi.json")["components"]["schemas"]
    of_actions = {
        name: each["properties"] for name, each in schemas.items() if "event_seq" in each.get("properties", {})
    }
    answers = {name: fields for name, fields in of_actions.items() if "success" in fields}
    assert {"ActionAnswer", "NdtAnswer", "NotaAnswer"} <= answers.keys()
    assert [name for name, fields in answers.items() if "recibo" not in fields] == []


def test_every_route_of_the_contract_that_exists_is_in_the_openapi(tablet: Tablet) -> None:
    paths = tablet.see("/api/openapi.json")["paths"]
    documented = {(method, path) for path, methods in paths.items() for method in methods}
    assert documented >= ROUTES


def test_actions_are_documented_with_examples_and_the_key(tablet: Tablet) -> None:
    document = tablet.see("/api/openapi.json")
    for method, path in sorted(ROUTES):
        if method == "post":
            operation = document["paths"][path]["post"]
            assert [p["name"] for p in operation["parameters"]] == ["Idempotency-Key"]
            assert operation["parameters"][0]["example"]
            assert {"200", "413", "415", "422", "503"} <= set(operation["responses"])
    schemas = document["components"]["schemas"]
    assert schemas["ActionAnswer"]["examples"]
    for body in ("ActionBody", "CompletarBody"):
        assert all(schemas[body]["properties"][field]["examples"] for field in ("tag_spool", "worker_id", "operacion"))
        assert schemas[body]["additionalProperties"] is False
