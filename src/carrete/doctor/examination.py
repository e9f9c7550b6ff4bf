"""All checks, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from carrete.backups.checks import problems as backup_problems
from carrete.doctor import clock, identity, ledger, machine, redis_server, workbook
from carrete.findings import Finding, Words, good
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.ledger.migrate import migrate
from carrete.settings import Settings, WrongSetting
from carrete.shop_settings import with_shop_settings
from carrete.tls.checks import problems as tls_problems
from carrete.verification.checks import problems as trail_problems
from carrete.webhooks.checks import problems as webhook_problems


def examine(machine_settings: Settings) -> Iterator[Finding]:
    """The shop's settings are in the ledger; while that is away, those of the machine are looked at."""
    with ExitStack() as stack:
        settings, database = machine_settings, _open(machine_settings)
        if not isinstance(database, Finding):
            stack.callback(database.close)
            try:
                settings = with_shop_settings(machine_settings, database)
            except LedgerUnavailable:
                pass  # the check of the ledger says so
            except WrongSetting as error:
                yield ledger.unusable_setting(error)
        yield from _of_machine(settings)
        if isinstance(database, Finding):
            yield database
        else:
            yield from _of_ledger(settings, database)
    yield from tls_problems(settings)
    yield from redis_server.reachable(settings)
    yield from workbook.reachable(settings)


def _open(settings: Settings) -> Database | Finding:
    """The ledger with its schema up to date, or why it cannot be used."""
    try:
        database = open_database(settings.ledger_url)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise
    except SchemaTooNew as error:
        return ledger.too_new(error)
    except LedgerUnavailable as error:
        return ledger.unreachable(settings, error)
    return database


def _of_machine(settings: Settings) -> Iterator[Finding]:
    zone = settings.timezone
    yield good(Words(f"settings: times are {zone}", f"ajustes: las horas son de {zone}"))
    yield from machine.data_folder(settings)
    yield from machine.other_disks(settings)
    yield from machine.private(settings)
    yield from clock.this_machine(settings)


def _of_ledger(settings: Settings, database: Database) -> Iterator[Finding]:
    try:
        yield from ledger.reachable(settings, database)
        yield from clock.of_ledger(database)
        yield from identity.people_and_keys(settings, database)
        yield from backup_problems(settings, database)
        yield from trail_problems(settings, database)
        yield from webhook_problems(database)
    except LedgerUnavailable as error:
        yield ledger.unreachable(settings, error)
