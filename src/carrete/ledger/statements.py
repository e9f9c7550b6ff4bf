"""Reads the files of SQL: every statement by its name, in the dialect of one engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from carrete.ledger import columns

_FILES = (
    "statements.sql",
    "identity.sql",
    "shop_settings.sql",
    "backups.sql",
    "labels.sql",
    "reclamos.sql",
    "my_day.sql",
    "relevos.sql",
    "stages.sql",
    "notes.sql",
    "webhooks.sql",
    "welding.sql",
    "drawings.sql",
    "dossier.sql",
    "ndt.sql",
    "trail.sql",
)
_HEADER = re.compile(r"^-- name: (?P<name>\w+)(?: @(?P<engine>\w+))?(?:, rows of (?P<table>\w+))?\s*$")
INSPECTION = "evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO')"
# The condition of the index `event_of_person`, in the same words.
OWN = "evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO', 'COMPLETAR_REPARACION', 'SIGUE_TURNO')"
# A spool that nobody holds, by the short list of those that are held: then the indexes of what can be begun do not
# change when a spool is taken.
FREE = "tag NOT IN (SELECT held.tag FROM spool held WHERE held.ocupado_por_id IS NOT NULL)"
_PLACEHOLDER = re.compile(r"\$[A-Z_]+")
PARAM = re.compile(r"(?<!:):([a-z_]\w*)")

_VALUES = re.compile(r"VALUES\s*\((.*?)\)(\s+ON CONFLICT.*)?$", re.DOTALL)

# $DAYS are the days of a period: a JSON array of (day, first instant, first instant of the next day).
# Counting distinct values: SQLite is fastest with DISTINCT. PostgreSQL would sort for that, so a subquery groups first.
DIALECT = {
    "sqlite": {
        "$KEY": "TEXT",
        "$BIG": "INTEGER",
        "$BYTES": "BLOB",
        "$SERIAL": "INTEGER PRIMARY KEY",
        "$INSTR": "instr",
        "$DAYS": "(SELECT json_extract(value, '$[0]') AS day, json_extract(value, '$[1]') AS since, "
        "json_extract(value, '$[2]') AS until FROM json_each(:days)) days",
        "$NOT_TAKEN_BACK": "seq NOT IN (SELECT value FROM json_each(:taken_back))",
        "$EACH_SPOOL_ONCE": "",
        "$GROUPED_BY_SPOOL": "",
        "$TAGS_COUNTED": "count(DISTINCT tag)",
        "$UNION_FOR_COUNT": "UNION ALL",
        "$SEQS_COUNTED": "count(DISTINCT seq)",
        "$ROLE_NAMES": "group_concat(r.rol)",
        "$NOW": "strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')",
        "$SECONDS_FROM_SINCE_TO_AT": "CAST(strftime('%s', at) AS INTEGER) - CAST(strftime('%s', since) AS INTEGER)",
    },
    "postgres": {
        "$KEY": 'TEXT COLLATE "C"',
        "$BIG": "BIGINT",
        "$BYTES": "BYTEA",
        "$SERIAL": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "$INSTR": "strpos",
        "$DAYS": "(SELECT value->>0 AS day, value->>1 AS since, value->>2 AS until "
        "FROM json_array_elements(:days::json)) days",
        "$NOT_TAKEN_BACK": "seq <> ALL(:taken_back)",
        "$EACH_SPOOL_ONCE": "(SELECT key, sum(milli) AS milli, sum(joints) AS joints FROM",
        "$GROUPED_BY_SPOOL": "GROUP BY key, tag) spools",
        "$TAGS_COUNTED": "count(*)",
        "$UNION_FOR_COUNT": "UNION",
        "$SEQS_COUNTED": "count(*)",
        "$ROLE_NAMES": "string_agg(r.rol, ',')",
        "$NOW": """to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')""",
        "$SECONDS_FROM_SINCE_TO_AT": "CAST(extract(epoch FROM CAST(at AS timestamptz) - CAST(since AS timestamptz)) "
        "AS INTEGER)",
    },
}


def _column_lists(name: str, read: Sequence[str], written: Sequence[str], key: Sequence[str]) -> dict[str, str]:
    return {
        f"${name}": ", ".join(read),
        f"${name}_COLUMNS": ", ".join(written),
        f"${name}_VALUES": ", ".join(f":{column}" for column in written),
        f"${name}_SET": ", ".join(f"{column} = :{column}" for column in written if column not in key),
    }


# A session `s` with its person `w` and whether its device `d` was revoked, in the order of `identity.lookup_queries`.
_SESSION = (
    "s.id, s.device_id, s.proof, s.began_at, s.ends_at, s.used_at, s.pin_at, s.ended_at, s.last_tap, "
    "d.revoked_at IS NOT NULL, w.id, w.nombre, w.apellido, w.activo, "
    "(SELECT $ROLE_NAMES FROM worker_role r WHERE r.worker_id = w.id AND r.activo = 1 AND r.confirmed = 1)"
)
_COLUMNS = {
    **_column_lists("SPOOL", columns.SPOOL_READ, columns.SPOOL_WRITTEN, key=("tag",)),
    **_column_lists("SPOOL_WORK", (), columns.SPOOL_WORK_WRITTEN, key=("tag",)),
    **_column_lists("SPOOL_HOLDER", (), columns.SPOOL_HOLDER_WRITTEN, key=("tag",)),
    **_column_lists("JOINT", columns.JOINT.names, columns.JOINT.names, key=("tag", "n_union")),
    **_column_lists("JOINT_PROGRESS", (), columns.JOINT_PROGRESS.names, key=("tag", "n_union")),
    **_column_lists("EVENT", columns.EVENT, columns.EVENT_WRITTEN, key=("seq",)),
    **_column_lists("WEBHOOK", columns.WEBHOOK, columns.WEBHOOK, key=("id",)),
    "$WPS": ", ".join(columns.WPS),
    "$QUALIFICATION": ", ".join(columns.QUALIFICATION),
    **_column_lists("NDT", columns.NDT.names, columns.NDT.names, key=("id",)),
    "$SESSION": _SESSION,
    "$RECLAMO": ", ".join(columns.RECLAMO),
    "$RELEVO": ", ".join(columns.RELEVO),
    "$OF_RELEVO": ", ".join(f"r.{column}" for column in columns.RELEVO),
}


def in_dialect(sql: str, engine: str) -> str:
    for word, meaning in {**DIALECT[engine], "$INSPECTION": INSPECTION, "$OWN": OWN, "$FREE": FREE}.items():
        sql = sql.replace(word, meaning)
    return sql


@cache
def statements(engine: str) -> dict[str, str]:
    found, tables = _read(engine)
    found |= {name: _for_many_rows(found[name], table) for name, table in tables.items()}
    return _expand_scopes({name: _in_driver_syntax(sql, engine) for name, sql in found.items()})


@cache
def one_row_statements() -> dict[str, str]:
    """For PostgreSQL: the statements that take all of `:rows` there, each for one row."""
    found, tables = _read("postgres")
    return {name: _in_driver_syntax(found[name], "postgres") for name in tables}


def _read(engine: str) -> tuple[dict[str, str], dict[str, str]]:
    """The statements by name, and the tables of those that get many rows on PostgreSQL."""
    folder = files("carrete.ledger")
    text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
    common: dict[str, list[str]] = {}
    own: dict[str, list[str]] = {}
    tables: dict[str, str] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if header := _HEADER.match(line):
            lines = []
            if header["engine"] in (None, engine):
                (own if header["engine"] else common)[header["name"]] = lines
            if header["table"] and engine == "postgres":
                tables[header["name"]] = header["table"]
        elif not line.startswith("--"):
            lines.append(line)
    found = {name: _with_columns("\n".join(body).strip().rstrip(";")) for name, body in {**common, **own}.items()}
    return found, tables


def _with_columns(sql: str) -> str:
    return _PLACEHOLDER.sub(lambda found: _COLUMNS.get(found[0], found[0]), sql)


def _for_many_rows(sql: str, table: str) -> str:
    """Rewrites a statement for one row into a PostgreSQL statement for all of `:rows` (JSON). One statement for each
    row would cost more than the change itself."""
    sql = PARAM.sub(r"input.\1", sql)
    if "VALUES" in sql:
        return _VALUES.sub(
            rf"SELECT \1\nFROM json_populate_recordset(NULL::{table}, :rows::json) input\nWHERE true\2", sql
        )
    records = f"json_array_elements(:rows::json) item, json_populate_record(NULL::{table}, item) input"
    # OFFSET 0 keeps PostgreSQL from inlining the subquery, which would parse the JSON again for every comparison.
    rows = f"(SELECT input.*, item->>'read_version' AS read_version FROM {records} OFFSET 0) input"
    return sql.replace("\nWHERE", f"\nFROM {rows}\nWHERE")


def _expand_scopes(named: dict[str, str]) -> dict[str, str]:
    """`list_spools` with `scope_held` becomes the statement `list_spools:held`."""
    scopes = {name.removeprefix("scope_"): sql for name, sql in named.items() if name.startswith("scope_")}
    for name in [name for name, sql in named.items() if "$SCOPE" in sql]:
        template = named.pop(name)
        named.update({f"{name}:{scope}": template.replace("$SCOPE", sql) for scope, sql in scopes.items()})
    return {name: sql for name, sql in named.items() if not name.startswith("scope_")}


def _in_driver_syntax(sql: str, engine: str) -> str:
    sql = in_dialect(sql, engine)
    return PARAM.sub(r"%(\1)s", sql.replace("%", "%%")) if engine == "postgres" else sql


def migrations() -> list[tuple[int, str]]:
    """The numbered files, oldest first."""
    folder = files("carrete.ledger").joinpath("migrations")
    found = [(int(f.name[:4]), f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)
