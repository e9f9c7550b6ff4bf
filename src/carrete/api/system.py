"""GET /api/sistema: what `carrete doctor` says, versions, sizes, figures, certificate and addresses of the server."""

from __future__ import annotations

import asyncio
import platform
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request

from carrete.api.administration import reading
from carrete.api.latest_examination import LatestExamination
from carrete.api.responses import Json
from carrete.api.schemas.system import SystemOut
from carrete.api.system_figures import process_figures, shop_figures, sizes
from carrete.domain.shop_time import iso, whole_second
from carrete.findings import Finding, Language, Severity, Words
from carrete.ledger.database import Tx
from carrete.services import Services

_COMMAND = re.compile(r"`([^`]*)`")
_QUOTED = {"es": r"«\1»", "en": r"“\1”"}
ENGINES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def add(app: FastAPI, services: Services) -> None:
    started = whole_second(datetime.now(UTC))
    examination = LatestExamination(services.settings)

    @app.get("/api/sistema", **reading(SystemOut, "sistema"))
    async def system(request: Request, idioma: Language = "es") -> Json:
        """El servidor: qué dice la revisión, versiones, tamaños y cifras. Las frases, en `idioma`."""
        ledger = await services.read(lambda tx: _ledger_facts(tx, services))
        measured = await asyncio.to_thread(lambda: list(sizes(services.settings, ledger.bytes)))
        findings, complete = await examination.findings()
        figures = [*ledger.figures, *process_figures(services)]
        certificate, https = await asyncio.to_thread(_https, services)
        return Json(
            {
                "version": version("carrete"),
                "esquema": ledger.schema,
                "motor": f"{ENGINES[services.database.engine]} {ledger.engine_version}",
                "python": platform.python_version(),
                "iniciado_en": iso(started, services.shop.zone),
                "tamanos": [{"que": what.in_language(idioma), "bytes": size} for what, size in measured],
                "revision": [_check(finding, idioma) for finding in findings],
                "revision_completa": complete,
                "metricas": [{"que": a.in_language(idioma), "valor": b.in_language(idioma)} for a, b in figures],
                "certificado": certificate,
                "direcciones": https or [f"{request.base_url.scheme}://{request.base_url.netloc}"],
            }
        )


@dataclass(frozen=True, slots=True)
class _LedgerFacts:
    schema: int
    engine_version: str
    bytes: int
    figures: list[tuple[Words, Words]]


def _ledger_facts(tx: Tx, services: Services) -> _LedgerFacts:
    (schema,) = tx.one("schema_version") or (0,)
    (engine_version,) = tx.one("engine_version") or ("",)
    (size,) = tx.one("ledger_bytes") or (0,)
    figures = shop_figures(tx, services.shop, bool(services.shop_settings.current.google_sheet))
    return _LedgerFacts(schema, engine_version, size, list(figures))


def _https(services: Services) -> tuple[dict[str, Any] | None, list[str]]:
    from carrete.tls.status import (  # loads x509, which a server without HTTPS does not need
        certificate_status,
        https_addresses,
    )

    return certificate_status(services.settings), https_addresses(services.settings)


def _check(finding: Finding, language: Language) -> dict[str, Any]:
    """A note that asks for nothing is no reason to worry anybody."""
    quiet = finding.severity is Severity.NOTE and not finding.to_do.en
    return {
        "nivel": Severity.GOOD if quiet else finding.severity,
        "que": _sentence(finding.what, language),
        "que_hacer": _sentence(finding.to_do, language),
    }


def _sentence(words: Words, language: Language) -> str:
    """The terminal begins a line with a mark and has commands in backticks; a page has capitals and quotation marks."""
    text = _COMMAND.sub(_QUOTED[language], words.in_language(language))
    return text[:1].upper() + text[1:]
