"""Everything that is documented exists, and everything that exists is documented: refusals, settings, routes,
statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from typer.main import get_group

from carrete.actions import KeyReused
from carrete.api import labels, planilla, problems
from carrete.api.app import create_app
from carrete.api.schemas.history import SpoolUpdate
from carrete.cli import app
from carrete.domain.refusals import Refusal
from carrete.identity.refusals import IdentityRefusal
from carrete.ledger.statements import statements
from carrete.live.sse import frame
from carrete.services import Services
from carrete.settings import Settings

HOUSE = Path(__file__).parents[3]
SOURCE = HOUSE / "src" / "carrete"
WORKSHOP = HOUSE / "workshop"

SETTINGS = {
    "DATABASE_URL": "",
    "CARRETE_DATA": Path("data"),
    "REDIS_URL": "embedded",
    "REDIS_MAX_CONNECTIONS": 50,
    "GOOGLE_SHEET_ID": "",
    "GOOGLE_APPLICATION_CREDENTIALS": "",
    "CARRETE_SHEETS_URL": "",
    "CARRETE_TIMEZONE": "America/Santiago",
    "CARRETE_ARM_ONLY_TYPES": frozenset({"FW"}),
    "CARRETE_CONFLICT_WEBHOOK": "",
    "CARRETE_LOG_LEVEL": "INFO",
    "CARRETE_HOSTS": frozenset(),
    "CARRETE_MDNS": True,
    "CARRETE_STREAMS_PER_ADDRESS": 200,
    "CARRETE_ACCESS": "pin",
    "CARRETE_IDLE_S": 300,
    "CARRETE_TIMESTAMP_URL": "",
    "CARRETE_BACKUP_DIR": "",
}
STATUS = {
    "DEPENDENCIAS_NO_SATISFECHAS": 400,
    "OPERACION_NO_INICIADA": 400,
    "OPERACION_YA_COMPLETADA": 400,
    "OPERACION_NO_DISPONIBLE": 400,
    "NO_AUTORIZADO": 403,
    "ROL_NO_AUTORIZADO": 403,
    "WORKER_INACTIVO": 403,
    "SPOOL_BLOQUEADO": 403,
    "ORIGEN_NO_PERMITIDO": 403,
    "SPOOL_NO_ENCONTRADO": 404,
    "WORKER_NO_ENCONTRADO": 404,
    "SPOOL_OCCUPIED": 409,
    "VERSION_CONFLICT": 409,
    "WRONG_VERSION": 409,
    "HOST_DESCONOCIDO": 421,
    "IDEMPOTENCY_KEY_REUSED": 422,
    "DEMASIADOS_INTENTOS": 429,
    "SESION_REQUERIDA": 401,
    "DISPOSITIVO_NO_INSCRITO": 401,
    "PIN_INCORRECTO": 401,
    "IDENTIDAD_DISTINTA": 403,
    "PIN_REQUERIDO": 403,
    "PERMISO_INSUFICIENTE": 403,
    "PIN_BLOQUEADO": 423,
}


MEDIA_TYPES = {
    "/api/sse/stream": "text/event-stream",
    "/api/respaldos/{archivo}": "application/octet-stream",
    "/api/respaldos/claves/{archivo}": "application/octet-stream",
    "/api/planilla/cargas/{id}/informe": "text/csv",
    "/api/planilla/exportar": planilla.XLSX,
    "/api/planilla/plantilla": planilla.XLSX,
    "/api/etiquetas/pdf": labels.PDF,
    "/api/etiquetas/credenciales": labels.PDF,
    "/api/dossier": (labels.PDF, planilla.XLSX),
    "/api/fotos/{id}": "image/jpeg",
    "/api/planos/{id}": "image/*",
}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder: Path = tmp_path_factory.mktemp("document")
    services = Services(Settings(database_url=f"sqlite:///{folder / 'carrete.db'}", data=folder, access="open"))
    yield create_app(services).openapi()
    services.performer.stop()
    services.database.close()


def every_refusal(kind: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """Of our own code; tests may have made some too."""
    for sub in kind.__subclasses__():
        if sub.__module__.startswith("carrete."):
            yield sub
        yield from every_refusal(sub)


def test_every_refusal_has_a_status_a_code_and_a_title() -> None:
    """Two refusals may share a code (too many streams, too many attempts), but then also its status and title."""
    refusals = set(every_refusal()) - {IdentityRefusal}  # what the refusals of identity have in common
    assert refusals == set(problems.STATUS)
    assert all(refusal.code and refusal.title for refusal in refusals)
    codes = {refusal.code for refusal in refusals}
    assert len({(refusal.code, refusal.title, problems.STATUS[refusal]) for refusal in refusals}) == len(codes)


def test_the_codes_of_the_contract_have_its_statuses() -> None:
    by_code = {refusal.code: status for refusal, status in problems.STATUS.items()}
    assert {code: by_code.get(code) for code in STATUS} == STATUS
    assert KeyReused in problems.STATUS


def test_every_code_is_documented_on_some_route_under_its_status(document: dict[str, Any]) -> None:
    documented = {
        (int(status), code)
        for operations in document["paths"].values()
        for operation in operations.values()
        for status, response in operation["responses"].items()
        for code in re.findall(r"[A-Z][A-Z_]{4,}", response["description"])
    }
    missing = {(status, refusal.code) for refusal, status in problems.STATUS.items()} - documented
    assert not missing
    assert (503, "LEDGER_UNAVAILABLE") in documented


def test_every_refusal_on_a_route_is_a_problem(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    assert set(response["content"]) == {problems.MEDIA_TYPE}, path


def test_every_route_says_what_it_is_for(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("tags"), (method, path)
            content = operation["responses"]["200"]["content"]
            expected = MEDIA_TYPES.get(path, "application/json")
            assert set(content) == ({expected} if isinstance(expected, str) else set(expected)), (method, path)
            assert all(each["schema"] for each in content.values()), (method, path)


def test_an_event_of_the_live_stream_has_the_documented_fields(document: dict[str, Any]) -> None:
    row = (7, "id", "2026-11-13T11:02:11+00:00", "TOMAR_SPOOL", "A", 93, "MR(93)", "ARM", "TOMAR", None, None, "{}")
    spool_after = ("MR(93)", "MR(93) trabajando ARM", "1f0c6a52", "v4.0")
    data = frame((*row, *spool_after), ZoneInfo("America/Santiago")).partition(b"data: ")[2]
    assert list(json.loads(data)) == list(document["components"]["schemas"]["SpoolUpdate"]["properties"])
    assert SpoolUpdate.model_validate_json(data).version_workflow == "v4.0"


def test_every_setting_of_the_contract_exists_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    found = {}
    for field, info in Settings.model_fields.items():
        alias: Any = info.validation_alias
        found[alias.choices[0]] = getattr(Settings(), field)
    assert found == SETTINGS


def papers() -> str:
    return "\n".join(file.read_text("utf-8") for file in [HOUSE / "README.md", *sorted(HOUSE.glob("docs/**/*.md"))])


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in papers()


def test_every_command_is_in_the_readme() -> None:
    readme = (HOUSE / "README.md").read_text("utf-8")
    commands = set(get_group(app).commands)
    assert {"serve", "worker", "chaos"} <= commands
    assert sorted(name for name in commands if f"`carrete {name}" not in readme) == []


def test_every_group_of_routes_is_in_the_readme(document: dict[str, Any]) -> None:
    """`/api/reclamos/{id}/resolver` belongs to `/api/reclamos`."""
    readme = (HOUSE / "README.md").read_text("utf-8")
    groups = {re.match(r"/api/(v4/)?[a-z]+", path) for path in document["paths"] if path.startswith("/api/")}
    assert sorted(group[0] for group in groups if group and group[0] not in readme) == []


def test_every_metric_is_documented_and_every_documented_one_exists() -> None:
    """As Prometheus names them: a counter ends in `_total`."""
    code = (SOURCE / "api" / "metrics.py").read_text("utf-8")
    counters = set(re.findall(r'(?:_counter|_counter_by_code|CounterMetricFamily)\(\s*"(carrete_\w+)"', code))
    names = set(re.findall(r'"(carrete_\w+)"', code))
    exposed = {f"{name}_total" if name in counters else name for name in names}
    on_paper = set(re.findall(r"`(carrete_\w+)", (HOUSE / "docs" / "operations.md").read_text("utf-8")))
    assert on_paper == exposed


def test_every_test_that_a_document_names_exists() -> None:
    """A document that names a test as its proof must not outlive the test's name."""
    files = list((HOUSE / "tests").rglob("*.py"))
    there = {file.stem for file in files}
    there |= {name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8"))}
    assert set(re.findall(r"\btest_\w+", papers())) - there == set()


def test_every_bench_command_is_in_the_readme() -> None:
    commands = re.findall(r'command\("(\w+)"\)', (WORKSHOP / "carrete_bench" / "command.py").read_text("utf-8"))
    readme = (HOUSE / "README.md").read_text("utf-8")
    assert commands
    assert [name for name in commands if f"bench {name}" not in readme] == []


def test_every_decision_is_in_the_list_under_its_title() -> None:
    folder = HOUSE / "docs" / "decisions"
    titles = {page.name: page.read_text("utf-8").partition("\n")[0][2:] for page in folder.glob("[0-9]*.md")}
    listed = re.findall(r"^- \[(.+)\]\((.+)\)$", (folder / "README.md").read_text("utf-8"), re.M)
    assert {name: title for title, name in listed} == titles
    assert len(listed) == len(titles)


def test_what_does_not_protect_is_documented() -> None:
    paper = " ".join((HOUSE / "docs" / "security.md").read_text("utf-8").lower().split())
    assert all(words in paper for words in ("root on the server", "collude", "unlocked", "`device`"))


def test_every_statement_is_used_and_every_used_one_exists() -> None:
    code = "\n".join(file.read_text("utf-8") for part in (SOURCE, WORKSHOP) for file in part.rglob("*.py"))
    for engine in ("sqlite", "postgres"):
        for name in statements(engine):
            stem, _, scope = name.partition(":")
            assert f'"{stem}"' in code or f'"{stem}:' in code, f"nobody uses {name}"
            assert not scope or f'"{scope}"' in code or f":{scope}" in code, f"nobody uses the scope of {name}"


def every_pattern(part: object) -> Iterator[str]:
    members = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for member in members:
        yield from every_pattern(member)
    if isinstance(part, dict) and isinstance(pattern := part.get("pattern"), str):
        yield pattern


def test_patterns_name_their_characters(document: dict[str, Any]) -> None:
    r"""`\d` and `\w` stand for the digits and letters of every script: a megabyte of memory for two patterns."""
    patterns = set(every_pattern(document))
    assert len(patterns) > 5
    assert [pattern for pattern in patterns if re.search(r"\\[dDwWsSbB]", pattern)] == []
