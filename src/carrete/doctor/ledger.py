"""Whether the ledger answers, and fits this program."""

from __future__ import annotations

from collections.abc import Iterator

from carrete.findings import Finding, Words, bad, good
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.settings import Settings, WrongSetting


def reachable(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.reading() as tx:
        (spools,) = tx.one("count_spools:listed") or (0,)
        waiting, _ = tx.one("outbox_length") or (0, None)
    what = Words(
        f"ledger ({database.engine}): reachable, {spools} spools",
        f"registro ({database.engine}): responde, {spools} spools",
    )
    if settings.google_sheet_id:  # without a sheet these rows are never written
        what = Words(f"{what.en}, {waiting} rows to sync", f"{what.es}, {waiting} filas por escribir en la planilla")
    yield good(what)


def too_new(error: SchemaTooNew) -> Finding:
    return bad(
        Words(f"ledger: {error}", f"registro: es de una versión más nueva de Carrete ({error})"),
        Words(
            "install the newer Carrete, or restore a backup of the older ledger",
            "instale la versión más nueva, o restaure un respaldo de la anterior",
        ),
    )


def unusable_setting(error: WrongSetting) -> Finding:
    return bad(
        Words(f"settings: {error}", f"ajustes: el registro tiene un ajuste que esta máquina no puede usar ({error})"),
        Words("choose another value, or update tzdata", "elija otro valor en Ajustes, o actualice tzdata"),
    )


def unreachable(settings: Settings, error: LedgerUnavailable) -> Finding:
    if settings.database_url:
        to_do = Words("start PostgreSQL or check DATABASE_URL", "inicie PostgreSQL o revise DATABASE_URL")
    else:
        to_do = Words("check the data folder", "revise la carpeta de datos")
    return bad(Words(f"ledger: {error}", f"registro: no responde ({error})"), to_do)
