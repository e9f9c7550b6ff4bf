"""The rights of the server's PostgreSQL role: everything that serving needs, but events can only be added.

The owner runs this after each migration (`carrete migrate --server-role ROLE`): docs/operations.md has the recipe.
"""

from __future__ import annotations

import re

from carrete.ledger.database import Database, Tx
from carrete.settings import WrongSetting

APPEND_ONLY = ("event", "trail_key", "trail_seal", "trail_timestamp")
UPDATE_ONLY = ("trail_head",)  # one row, made by the migration
READ_ONLY = ("schema_version",)
_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$-]{0,62}")


def grant_server_rights(database: Database, role: str) -> None:
    if not _ROLE.fullmatch(role):
        raise WrongSetting(f"{role!r} is no name of a role.")
    with database.writing() as tx:
        if tx.one("role_exists", name=role) is None:
            raise WrongSetting(f"PostgreSQL has no role {role}; make it first (CREATE ROLE), or correct the name.")
        _grant(tx, f'"{role}"')


def _grant(tx: Tx, role: str) -> None:
    """In the schema that the ledger's tables are in. What an earlier version granted is taken back first."""
    schema = '"' + str((tx.one("current_schema") or ("public",))[0]) + '"'
    everything = f"ALL TABLES IN SCHEMA {schema}"
    statements = [
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
        f"REVOKE ALL ON {everything} FROM {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {everything} TO {role}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
        f"REVOKE UPDATE, DELETE ON {', '.join(APPEND_ONLY)} FROM {role}",
        f"REVOKE INSERT, DELETE ON {', '.join(UPDATE_ONLY)} FROM {role}",
        f"REVOKE INSERT, UPDATE, DELETE ON {', '.join(READ_ONLY)} FROM {role}",
    ]
    for statement in statements:
        tx.execute(statement)
