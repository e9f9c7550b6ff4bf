"""Reads `statements.sql`: every statement by its name, in the dialect of one engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from carrete.ledger import columns

_HEADER = re.compile(r"^-- name: (?P<name>\w+)(?: @(?P<engine>\w+))?(?:, rows of (?P<table>\w+))?\s*$")
INSPECTION = "evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO')"
_PLACEHOLDER = re.compile(r"\$[A-Z_]+")
_PARAM = re.compile(r"(?<!:):([a-z_]\w*)")

_VALUES = re.compile(r"VALUES\s*\((.*?)\)(\s+ON CONFLICT.*)?$", re.DOTALL)

# $DAYS are the days of a period, each with the instants between which it lasted: a JSON array of such triples.
# To count what differs, SQLite is quickest with DISTINCT; PostgreSQL sorts for that: it is given one row of each.
DIALECT = {
    "sqlite": {
        "$KEY": "TEXT",
        "$BIG": "INTEGER",
        "$INSTR": "instr",
        "$DAYS": "(SELECT json_extract(value, '$[0]') AS day, json_extract(value, '$[1]') AS since, "
        "json_extract(value, '$[2]') AS until FROM json_each(:days)) days",
        "$STANDS": "seq NOT IN (SELECT value FROM json_each(:taken_back))",
        "$EACH_SPOOL_ONCE": "",
        "$GROUPED_BY_SPOOL": "",
        "$TAGS_COUNTED": "count(DISTINCT tag)",
        "$AND": "UNION ALL",
        "$SEQS_COUNTED": "count(DISTINCT seq)",
    },
    "postgres": {
        "$KEY": 'TEXT COLLATE "C"',
        "$BIG": "BIGINT",
        "$INSTR": "strpos",
        "$DAYS": "(SELECT value->>0 AS day, value->>1 AS since, value->>2 AS until "
        "FROM json_array_elements(:days::json)) days",
        "$STANDS": "seq <> ALL(:taken_back)",
        "$EACH_SPOOL_ONCE": "(SELECT key, sum(milli) AS milli, sum(joints) AS joints FROM",
        "$GROUPED_BY_SPOOL": "GROUP BY key, tag) spools",
        "$TAGS_COUNTED": "count(*)",
        "$AND": "UNION",
        "$SEQS_COUNTED": "count(*)",
    },
}


def _column_lists(name: str, read: Sequence[str], written: Sequence[str], key: Sequence[str]) -> dict[str, str]:
    return {
        f"${name}": ", ".join(read),
        f"${name}_COLUMNS": ", ".join(written),
        f"${name}_VALUES": ", ".join(f":{column}" for column in written),
        f"${name}_SET": ", ".join(f"{column} = :{column}" for column in written if column not in key),
    }


_COLUMNS = {
    **_column_lists("SPOOL", columns.SPOOL_READ, columns.SPOOL_WRITTEN, key=("tag",)),
    **_column_lists("JOINT", columns.JOINT.names, columns.JOINT.names, key=("tag", "n_union")),
    **_column_lists("EVENT", columns.EVENT, columns.EVENT, key=("seq",)),
}


def in_dialect(sql: str, engine: str) -> str:
    for word, meaning in {**DIALECT[engine], "$INSPECTION": INSPECTION}.items():
        sql = sql.replace(word, meaning)
    return sql


@cache
def statements(engine: str) -> dict[str, str]:
    text = files("carrete.ledger").joinpath("statements.sql").read_text("utf-8")
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
    written = {name: _with_columns("\n".join(body).strip().rstrip(";")) for name, body in {**common, **own}.items()}
    written |= {name: _all_at_once(written[name], table) for name, table in tables.items()}
    return _scoped({name: _finished(sql, engine) for name, sql in written.items()})


def _with_columns(sql: str) -> str:
    return _PLACEHOLDER.sub(lambda found: _COLUMNS.get(found[0], found[0]), sql)


def _all_at_once(sql: str, table: str) -> str:
    """For PostgreSQL: what is written for one row, done for all of `:rows` (JSON). A statement for each of them costs
    more than the change itself."""
    sql = _PARAM.sub(r"said.\1", sql)
    if "VALUES" in sql:
        return _VALUES.sub(
            rf"SELECT \1\nFROM json_populate_recordset(NULL::{table}, :rows::json) said\nWHERE true\2", sql
        )
    cells = f"json_array_elements(:rows::json) cells, json_populate_record(NULL::{table}, cells) said"
    # OFFSET 0: as it stands, or PostgreSQL parses a row again for each that it compares it with.
    rows = f"(SELECT said.*, cells->>'read_version' AS read_version FROM {cells} OFFSET 0) said"
    return sql.replace("\nWHERE", f"\nFROM {rows}\nWHERE")


def _scoped(named: dict[str, str]) -> dict[str, str]:
    """`list_spools` with `scope_held` becomes the statement `list_spools:held`."""
    scopes = {name.removeprefix("scope_"): sql for name, sql in named.items() if name.startswith("scope_")}
    for name in [name for name, sql in named.items() if "$SCOPE" in sql]:
        template = named.pop(name)
        named.update({f"{name}:{scope}": template.replace("$SCOPE", sql) for scope, sql in scopes.items()})
    return {name: sql for name, sql in named.items() if not name.startswith("scope_")}


def _finished(sql: str, engine: str) -> str:
    sql = in_dialect(sql, engine)
    return _PARAM.sub(r"%(\1)s", sql.replace("%", "%%")) if engine == "postgres" else sql


def migrations() -> list[tuple[int, str]]:
    """Numbered files, oldest first."""
    folder = files("carrete.ledger").joinpath("migrations")
    found = [(int(f.name[:4]), f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)
