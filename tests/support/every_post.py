"""A shop in which every POST of the API would change something, and the body for each of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg

from carrete.api.access_table import need_of
from carrete.api.reclamos import fingerprint_of_refused
from carrete.api.schemas.reclamos import ReclamoBody
from carrete.domain.commands import WorkItem
from carrete.domain.ndt.examination import WHOLE_SPOOL, Examination, ExamStatus, Origin
from carrete.domain.reclamo import Resolution, resolved
from carrete.domain.relevo import RelevoOffer
from carrete.domain.spool import Ensayos, Operacion, Spool
from carrete.ledger.database import Database
from carrete.ledger.ndt import save_exams
from carrete.ledger.reclamos import save_reclamos
from carrete.ledger.relevos import save_offers
from carrete.sheets.freeze.limits import VANISHED
from tests.support.builders import (
    NOW,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_spool,
    an_armed_spool,
    empty,
    held,
    put,
)
from tests.support.people import CREW, LP, MI, MR, SV
from tests.support.reclamos import a_reclamo

Json = dict[str, Any]
TABLES: tuple[str, ...] = (
    *("spool", "joint", "event", "outbox", "idempotency", "worker", "worker_role", "sheet_freeze", "sheet_parked"),
    *("reclamo", "relevo", "label_print", "photo", "photo_bytes", "ndt", "ndt_group", "ndt_draw"),
    *("wps", "qualification"),
    *("drawing", "drawing_bytes", "spool_drawing"),
)
_BY_WORKER = {"worker_id": MR.id, "operacion": "ARM"}
_BY_RECEIVER = {"worker_id": LP.id, "operacion": "ARM"}
_BY_SUPERVISOR = {"supervisor_id": SV.id, "motivo": "Se fue a casa"}
_AT = "2026-11-16T13:30:00+00:00"
REFUSED_KEY = "rechazado"
_REFUSED = '{"code":"NO_AUTORIZADO","detail":"Lo tiene otra persona."}'

# Each acts on a spool of its own: whatever another of them did, it would succeed.
BODIES: dict[str, Json] = {
    "/api/occupation/tomar": {"tag_spool": "TOMAR", **_BY_WORKER},
    "/api/occupation/pausar": {"tag_spool": "PAUSAR", **_BY_WORKER},
    "/api/occupation/completar": {"tag_spool": "COMPLETAR", **_BY_WORKER},
    "/api/occupation/cancelar": {"tag_spool": "CANCELAR", **_BY_WORKER},
    "/api/occupation/sigo": {"tag_spool": "SIGO", **_BY_WORKER},
    "/api/occupation/batch-tomar": {"tag_spools": ["VARIOS-TOMAR"], **_BY_WORKER},
    "/api/occupation/batch-pausar": {"tag_spools": ["VARIOS-PAUSAR"], **_BY_WORKER},
    "/api/occupation/batch-completar": {"tag_spools": ["VARIOS-COMPLETAR"], **_BY_WORKER},
    "/api/v4/occupation/iniciar": {"tag_spool": "INICIAR", **_BY_WORKER},
    "/api/v4/occupation/batch-iniciar": {"tag_spools": ["VARIOS-INICIAR"], **_BY_WORKER},
    "/api/v4/occupation/finalizar": {"tag_spool": "FINALIZAR", **_BY_WORKER, "selected_unions": [1]},
    "/api/occupation/liberar": {"tag_spool": "LIBERAR", **_BY_SUPERVISOR},
    "/api/occupation/corregir": {"tag_spool": "CORREGIR", **_BY_SUPERVISOR, "operacion": "ARM"},
    "/api/metrologia/completar": {"tag_spool": "INSPECCIONAR", "worker_id": MI.id, "resultado": "APROBADO"},
    "/api/metrologia/desbloquear": {"tag_spool": "DESBLOQUEAR", **_BY_SUPERVISOR},
    "/api/occupation/relevo/ofrecer": {"tag_spool": "OFRECER", **_BY_WORKER, "receptor_id": LP.id},
    "/api/occupation/relevo/aceptar": {"tag_spool": "ACEPTAR", **_BY_RECEIVER},
    "/api/occupation/relevo/retirar": {"tag_spool": "RETIRAR", **_BY_WORKER},
    "/api/occupation/relevo/rechazar": {"tag_spool": "RECHAZAR", **_BY_RECEIVER},
    "/api/occupation/cadena": {
        "tag_spool": "CADENA",
        "worker_id": MR.id,
        "pasos": [{"accion": accion, "operacion": "ARM"} for accion in ("TOMAR", "COMPLETAR")],
    },
    "/api/reclamos": {
        "tag_spool": "LIBERAR",
        "worker_id": MR.id,
        "pasos": [{"accion": "COMPLETAR", "operacion": "ARM"}],
        "clave": REFUSED_KEY,
    },
    "/api/reclamos/{id}/resolver": {
        "supervisor_id": SV.id,
        "aceptar": [{"operacion": "ARM"}],
        "dia": "2026-11-16",
        "motivo": "Visto en el taller",
    },
    "/api/reclamos/avisos/visto": {"worker_id": MR.id, "ids": ["{visto}"]},
    "/api/spools/{tag}/notas": {"worker_id": MR.id, "texto": "Falta el soporte"},
    "/api/ndt/solicitar": {"tag_spool": "SOLICITAR", "supervisor_id": SV.id, "metodo": "RT"},
    "/api/ndt/resultado": {
        "tag_spool": "RESULTADO",
        "worker_id": MI.id,
        "examen": "ensayo-1",
        "resultado": "APROBADO",
        "informe": "RT-1",
    },
    "/api/ndt/reparar": {"tag_spool": "REPARAR", "worker_id": MR.id},
    "/api/spools/{tag}/plano": {"plano": None, "version": 0},
    "/api/soldadura/wps": {"wps": "WPS-1", "procesos": "GTAW"},
    "/api/soldadura/calificaciones": {
        "worker_id": MR.id,
        "proceso": "GTAW",
        "documento": "WPQ-7",
        "fecha": "2026-03-15",
    },
    "/api/sync/freeze": {"supervisor_id": SV.id, "hoja": "Uniones", "detencion": "d-1", "decision": "REANUDAR"},
    "/api/sync/retry": {"supervisor_id": SV.id},
    "/api/codigos": {"textos": ["TOMAR"]},
    "/api/etiquetas/hojas": {"tags": ["TOMAR"]},
    "/api/etiquetas/pdf": {"tags": ["TOMAR"]},
    "/api/etiquetas/impresas": {"tags": ["TOMAR"]},
}

# Their bodies are no JSON: tests/integration/api/test_photos.py and test_drawings.py send them.
NOT_JSON = {"/api/fotos", "/api/planos"}

# They change nothing; a list of tags is too long for an address, and a code may be somebody's badge.
ONLY_READ = ("/api/codigos", "/api/etiquetas/hojas", "/api/etiquetas/pdf")


def posts_of(document: Json) -> list[str]:
    """The POST routes that exist without identity. A new one needs a body above."""
    found = [path for path, operations in document["paths"].items() if "post" in operations and _is_open(path)]
    assert set(found) == set(BODIES) | NOT_JSON, "every POST route needs a body here"
    return [path for path in found if path not in NOT_JSON]


def _is_open(path: str) -> bool:
    need = need_of("POST", path)
    return need is not None and need.without_identity


def prepare(database: Database) -> None:
    empty(database)
    holding = [held(a_spool(tag), MR) for tag in ("PAUSAR", "COMPLETAR", "CANCELAR", "LIBERAR", "SIGO")]
    holding += [held(a_spool(f"VARIOS-{accion}"), MR) for accion in ("PAUSAR", "COMPLETAR")]
    by_joint = [a_spool(tag, total_uniones=1) for tag in ("INICIAR", "VARIOS-INICIAR")]
    by_joint.append(held(a_spool("FINALIZAR", total_uniones=1), MR))
    done = [an_armed_spool("CORREGIR"), a_finished_spool("INSPECCIONAR"), a_blocked_spool("DESBLOQUEAR")]
    free = [a_spool(tag) for tag in ("TOMAR", "VARIOS-TOMAR", "CADENA", "RECLAMADO", "{tag}")]
    joints = [a_joint(1, tag) for tag in ("INICIAR", "VARIOS-INICIAR", "FINALIZAR")]
    handed_over = [held(a_spool(tag), MR) for tag in ("OFRECER", "ACEPTAR", "RETIRAR", "RECHAZAR")]
    examined = [a_finished_spool("SOLICITAR")]
    examined += [a_finished_spool(tag, ndt=Ensayos.PENDIENTE) for tag in ("RESULTADO", "REPARAR")]
    put(database, [*holding, *by_joint, *done, *free, *handed_over, *examined], CREW, joints)
    _examine(database)
    _offer(database, handed_over[1:])
    _refuse_work(database)
    _stop_the_sheet(database)


def _examine(database: Database) -> None:
    """One examination waits for its result, and one was rejected."""
    waits = Examination("ensayo-1", "RESULTADO", WHOLE_SPOOL, "RT", Origin.MANUAL, NOW, welder="JS(8)")
    rejected = replace(waits, id="ensayo-2", tag="REPARAR", status=ExamStatus.RECHAZADO, result_day=NOW.date())
    with database.writing() as tx:
        save_exams(tx, [waits, rejected], [])


def _offer(database: Database, spools: Sequence[Spool]) -> None:
    offers = []
    for spool in spools:
        now_held = spool.occupation
        assert now_held is not None
        offered = (MR.id, MR.label, LP.id, LP.label, Operacion.ARM, datetime.now(UTC))
        offers.append(RelevoOffer(f"oferta-{spool.tag}", spool.tag, now_held.lock, spool.version, *offered))
    with database.writing() as tx:
        save_offers(tx, offers, [])


def _refuse_work(database: Database) -> None:
    """A tap that was refused, a reclamo that waits, under the id that the documented path has, and a decided one."""
    waits, decided = (a_reclamo(id_, "RECLAMADO", MR, [WorkItem(Operacion.ARM)]) for id_ in ("{id}", "{visto}"))
    declined = resolved(decided, Resolution(NOW, SV.id, SV.label, NOW.date(), "No", ()))
    claim = ReclamoBody.model_validate_json(json.dumps(BODIES["/api/reclamos"]))
    known = fingerprint_of_refused(claim)
    key = {"key": REFUSED_KEY, "fingerprint": known, "status": 403, "answer": _REFUSED, "created_at": _AT}
    with database.writing() as tx:
        save_reclamos(tx, [waits, decided], [])
        save_reclamos(tx, [], [declined])
        tx.many("key_insert", [key])


def _stop_the_sheet(database: Database) -> None:
    with database.writing() as tx:
        for table in ("sheet_freeze", "sheet_parked"):
            tx.execute(f"DELETE FROM {table}")
        tx.run("freeze_put", sheet="Uniones", kind=VANISHED, reason="faltan filas", since=_AT, id="d-1")
        parked = {"sheet": "Operaciones", "tag": "TOMAR", "n_union": 0, "change": "c", "reason": "no se puede"}
        tx.run("parked_put", **parked, parked_at=_AT)


def everything_in(ledger_url: str) -> dict[str, list[str]]:
    """All that a request could change, row by row."""
    rows = _rows_of_postgres if ledger_url.startswith("postgresql://") else _rows_of_sqlite
    return {table: sorted(map(repr, rows(ledger_url, table))) for table in TABLES}


def _rows_of_sqlite(url: str, table: str) -> list[Any]:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def _rows_of_postgres(url: str, table: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        return connection.execute(f"SELECT * FROM {table}".encode()).fetchall()
