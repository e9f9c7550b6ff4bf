"""Every statement of `statements.sql` is understood by its engine, and every one of them is used."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import psycopg

import carrete
from carrete.ledger.statements import one_row_statements, statements

SOURCE = Path(carrete.__file__).parent
WORKSHOP = Path(__file__).parents[3] / "workshop"
NAMED = re.compile(r"^-- name: (\w+)", re.MULTILINE)
ONE_ENGINE_ONLY = {
    "clock",
    "current_schema",
    "may_create_tables",
    "numbering_lock",
    "numbering_try_lock",
    "role_exists",
    "may_read_table",
}


def test_both_engines_know_the_same_statements() -> None:
    assert set(statements("sqlite")) ^ set(statements("postgres")) == ONE_ENGINE_ONLY


def test_every_statement_is_understood_by_its_engine(database_url: str) -> None:
    """With nothing for every parameter: names of tables and columns, types and syntax are what is checked."""
    if database_url.startswith("sqlite:///"):
        lite = sqlite3.connect(database_url.removeprefix("sqlite:///"))
        for sql in statements("sqlite").values():
            lite.execute(f"EXPLAIN {sql}", dict.fromkeys(re.findall(r":([a-z_]\w*)", sql)))
        lite.close()
        return
    with psycopg.connect(database_url) as connection:
        for sql in (*statements("postgres").values(), *one_row_statements().values()):
            parameters = dict.fromkeys(re.findall(r"%\((\w+)\)s", sql))
            explained = "" if sql.startswith("ANALYZE") else "EXPLAIN "
            connection.execute(f"{explained}{sql}".encode(), parameters)


def test_no_two_statements_have_one_name() -> None:
    text = (SOURCE / "ledger" / "statements.sql").read_text("utf-8")
    headers = [line for line in text.splitlines() if line.startswith("-- name: ")]
    assert len(headers) == len(set(headers))


def test_every_statement_is_used_somewhere() -> None:
    code = "\n".join(path.read_text("utf-8") for part in (SOURCE, WORKSHOP) for path in part.rglob("*.py"))
    names = set(NAMED.findall((SOURCE / "ledger" / "statements.sql").read_text("utf-8")))
    unused = {name for name in names if not _mentioned(name.removeprefix("scope_"), code)}
    assert unused == set()


def test_every_statement_that_is_used_exists() -> None:
    code = "\n".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    used = set(re.findall(r"\btx\.(?:all|one|count|run|many)\(\s*\"([\w:]+)\"", code))
    known = set(statements("sqlite")) | set(statements("postgres"))
    assert used - known == set()
    assert len(used) > 10, "the pattern above still finds them"


def _mentioned(name: str, code: str) -> bool:
    """As a text of its own, as the template of a scope, or as the scope that `{}` leaves open."""
    stem = name.rpartition("_")[0]
    return f'"{name}"' in code or f'"{name}:' in code or (bool(stem) and f'f"{stem}_{{' in code)
