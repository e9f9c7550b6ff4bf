"""Reads `statements.sql`: every statement by its name, in the dialect of one engine."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_HEADER = re.compile(r"^-- name: (?P<name>\w+)(?: @(?P<engine>\w+))?\s*$")
SPOOL = (
    "tag, version, ot, nv, total_uniones, total_uniones_text, fecha_materiales, fecha_armado, fecha_soldadura, "
    "fecha_qc, armador, soldador, arm, sold, metrologia, reparacion, ciclo, ocupado_por_id, ocupado_por, "
    "operacion_actual, fecha_ocupacion, lock_value, before_estado, before_nombre, joint_rows, arm_only, armed, "
    "welded, weldable, milli_armed, milli_welded, retired"
)
JOINT = (
    "tag, n_union, id, ot, dn_milli, dn_text, tipo, arm_inicio, arm_fin, arm_worker, sol_inicio, sol_fin, "
    "sol_worker, ndt_union, r_ndt_union, ndt_fecha, ndt_status, version, retired"
)
EVENT = (
    "seq, id, at, evento_tipo, tag, worker_id, worker, operacion, accion, fecha_operacion, n_union, metadata, "
    "ocupado_por, estado_detalle, version, workflow"
)
INSPECTED = (
    "SELECT tag FROM event WHERE evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO') "
    "AND at >= :since AND at < :until"
)
_WORDS = {"$SPOOL": SPOOL, "$JOINT": JOINT, "$EVENT": EVENT, "$INSPECTED": INSPECTED}
_PARAM = re.compile(r"(?<!:):([a-z_]\w*)")

DIALECT = {
    "sqlite": {"$KEY": "TEXT", "$BIG": "INTEGER", "$INSTR": "instr"},
    "postgres": {"$KEY": 'TEXT COLLATE "C"', "$BIG": "BIGINT", "$INSTR": "strpos"},
}


def in_dialect(sql: str, engine: str) -> str:
    for word, meaning in {**DIALECT[engine], **_WORDS}.items():
        sql = sql.replace(word, meaning)
    return sql


@cache
def statements(engine: str) -> dict[str, str]:
    text = files("carrete.ledger").joinpath("statements.sql").read_text("utf-8")
    common: dict[str, list[str]] = {}
    own: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if header := _HEADER.match(line):
            lines = []
            if header["engine"] in (None, engine):
                (own if header["engine"] else common)[header["name"]] = lines
        elif not line.startswith("--"):
            lines.append(line)
    return _scoped({name: _finished(body, engine) for name, body in {**common, **own}.items()})


def _scoped(named: dict[str, str]) -> dict[str, str]:
    """`list_spools` with `scope_held` becomes the statement `list_spools:held`."""
    scopes = {name.removeprefix("scope_"): sql for name, sql in named.items() if name.startswith("scope_")}
    for name in [name for name, sql in named.items() if "$SCOPE" in sql]:
        template = named.pop(name)
        named.update({f"{name}:{scope}": template.replace("$SCOPE", sql) for scope, sql in scopes.items()})
    return {name: sql for name, sql in named.items() if not name.startswith("scope_")}


def _finished(lines: list[str], engine: str) -> str:
    sql = in_dialect("\n".join(lines).strip().rstrip(";"), engine)
    return _PARAM.sub(r"%(\1)s", sql.replace("%", "%%")) if engine == "postgres" else sql


def migrations() -> list[tuple[int, str]]:
    """Numbered files, oldest first."""
    folder = files("carrete.ledger").joinpath("migrations")
    found = [(int(f.name[:4]), f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)
