"""`carrete doctor`: checks everything that a shop depends on, and says what to do about each problem."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel

from carrete.addresses import redact, without_secrets
from carrete.domain.workers import Rol
from carrete.env_file import secrets_open_to_others
from carrete.gate.watcher import PROBE_KEY, PROBE_KEY_MS
from carrete.identity import devices, people
from carrete.identity.people import Person
from carrete.identity.server_keys import FINGERPRINT, ServerKeys, WrongIdentityKey
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.ledger.migrate import migrate
from carrete.private_files import open_to_others
from carrete.redis.embedded_server import NoServer, binary, socket_path
from carrete.redis.locator import address
from carrete.redis.sentinels import Sentinels, parse, watched_by_sentinels
from carrete.settings import Settings
from carrete.sheets.clock import RealClock
from carrete.sheets.google.client import Workbook
from carrete.sheets.google.errors import Denied, SheetsError
from carrete.sheets.running import client_for
from carrete.sheets.structure import LANE_PLANS, REQUIRED, tabs_by_name

FILES_NAMED_MAX = 5
PEOPLE_NAMED_MAX = 10
FREE_BYTES_MIN = 200 * 1024 * 1024
_TIMEOUTS: dict[str, Any] = {"socket_timeout": 2, "socket_connect_timeout": 2}
_NO_RETRIES: dict[str, Any] = {"retry": Retry(NoBackoff(), 0)}


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok` is None for a note that is neither good nor bad."""

    ok: bool | None
    what: str
    advice: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    yield Finding(True, f"settings: times are {settings.timezone}")
    for check in (_data_folder, _ledger, _files, _redis, _workbook, _identity):
        yield from check(settings)


def _data_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.data.resolve()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        yield Finding(False, f"data folder {folder}: cannot be written", f"give this user write access to {existing}")
        return
    free = shutil.disk_usage(existing).free
    megabytes = free // 1024**2
    if free < FREE_BYTES_MIN:
        yield Finding(False, f"data folder {folder}: {megabytes} MB free", "free some disk space")
    else:
        yield Finding(True, f"data folder {folder}: {megabytes} MB free")


def _ledger(settings: Settings) -> Iterator[Finding]:
    try:
        database = open_database(settings.ledger_url)
        try:
            migrate(database)
            with database.reading() as tx:
                spools = tx.one("count_spools:listed") or (0,)
                queue = tx.one("outbox_length") or (0, None)
        finally:
            database.close()
    except SchemaTooNew as error:
        yield Finding(False, f"ledger: {error}", "install the newer Carrete, or restore a backup of the older ledger")
    except LedgerUnavailable as error:
        advice = "start PostgreSQL or check DATABASE_URL" if settings.database_url else "check the data folder"
        yield Finding(False, f"ledger: {error}", advice)
    else:
        yield Finding(True, f"ledger ({database.engine}): reachable, {spools[0]} spools, {queue[0]} rows to sync")


def _identity(settings: Settings) -> Iterator[Finding]:
    """A ledger that cannot be reached was reported before."""
    if settings.access == "open":
        yield Finding(
            None,
            "identity: none in this mode (CARRETE_ACCESS=open), whoever reaches the address can act as any worker",
            "keep it on 127.0.0.1, or use CARRETE_ACCESS=pin",
        )
    try:
        with closing(open_database(settings.ledger_url)) as database:
            migrate(database)
            if settings.access != "open":
                yield from _identity_key(settings, database)
            with database.reading() as tx:
                found = people.people(tx)
                enrolled = [device for device in devices.devices(tx) if device.revoked_at is None]
    except (SchemaTooNew, LedgerUnavailable):
        return
    if settings.access != "open":
        yield from _people_and_devices(settings, found, len(enrolled))
    yield from _pending_privileges(found)


def _identity_key(settings: Settings, database: Database) -> Iterator[Finding]:
    """The key is checked only if the ledger knows one: looking for it must not make it."""
    with database.reading() as tx:
        if tx.one("setting", name=FINGERPRINT) is None:
            return
    try:
        with database.writing() as tx:
            ServerKeys.load(settings.data, tx)
    except WrongIdentityKey as error:
        yield Finding(False, f"identity: {error}", "without it nobody can sign in")


def _people_and_devices(settings: Settings, found: Sequence[Person], enrolled: int) -> Iterator[Finding]:
    active = [person for person in found if person.worker.activo]
    administrators = sum(Rol.ADMINISTRADOR in person.worker.roles for person in active)
    what = f"identity ({settings.access}): {administrators} administrators, {enrolled} enrolled devices"
    if administrators:
        yield Finding(True, what)
    else:
        yield Finding(None, what, "`carrete admin code` makes the first administrator")
    if administrators and (without_pin := sum(not person.has_pin for person in active)):
        yield Finding(None, f"identity: {without_pin} active people have no PIN", "see `carrete worker pin --all`")


def _pending_privileges(found: Sequence[Person]) -> Iterator[Finding]:
    waiting = [
        f"{person.worker.label} {what}"
        for person in found
        for what in (*person.pending_roles, *(["name or return"] if person.pending_change else []))
    ]
    if waiting:
        more = f" and {len(waiting) - PEOPLE_NAMED_MAX} more" if len(waiting) > PEOPLE_NAMED_MAX else ""
        named = ", ".join(waiting[:PEOPLE_NAMED_MAX])
        plural = "privilege waits" if len(waiting) == 1 else "privileges wait"
        yield Finding(
            None,
            f"identity: {len(waiting)} {plural} for confirmation: {named}{more}",
            "an administrator confirms or refuses them in the app",
        )


def _files(settings: Settings) -> Iterator[Finding]:
    """`load_settings` has closed the files that this user may change; the rest is reported."""
    if exposed := open_to_others(settings.data, settings.ledger_file):
        named = ", ".join(map(str, exposed[:FILES_NAMED_MAX]))
        yield Finding(
            False,
            f"files: other users of this machine can read {named}",
            "keep them in a folder of this user's own, and make this user their owner",
        )
    else:
        yield Finding(True, "files: only this user can read what is kept")
    if secrets_open_to_others():
        yield Finding(False, "files: .env has a password and other users can read it", "chmod 600 .env")


def _redis(settings: Settings) -> Iterator[Finding]:
    name = f"Redis ({without_secrets(settings.redis_url)})"
    if settings.redis_url == "off":
        yield Finding(None, f"{name}: the ledger alone decides; right, but other processes' moves are seen later")
        return
    if settings.redis_url == "embedded" and not socket_path(settings.data).exists():
        yield from _binary(name)
        return
    try:
        if watched_by_sentinels(settings.redis_url):
            yield from _sentinels(parse(settings.redis_url))
        with _connected(settings) as redis:
            info = redis.info("server")
            redis.set(PROBE_KEY, "1", px=PROBE_KEY_MS)
    except (RedisError, OSError) as error:
        reason = redact(str(error), settings.redis_url)
        yield Finding(False, f"{name}: {reason}", "start it or correct REDIS_URL; until then the ledger alone decides")
    else:
        version = info.get("valkey_version") or info.get("redis_version")
        yield Finding(True, f"{name}: version {version}, can be written")


def _connected(settings: Settings) -> Redis:
    if not watched_by_sentinels(settings.redis_url):
        return Redis.from_url(address(settings.redis_url, settings.data), **_TIMEOUTS)
    sentinels = parse(settings.redis_url)
    try:
        host, port = _sentinel_client(sentinels).discover_master(sentinels.master)  # type: ignore[no-untyped-call]
    except MasterNotFoundError:
        raise RedisError(f"no Sentinel knows a master called {sentinels.master} that is up") from None
    return Redis(host, port, sentinels.db, username=sentinels.username, password=sentinels.password, **_TIMEOUTS)


def _sentinel_client(sentinels: Sentinels) -> Sentinel:
    options = {**_TIMEOUTS, "password": sentinels.sentinel_password, "decode_responses": True, **_NO_RETRIES}
    return Sentinel(sentinels.hosts, sentinel_kwargs=options)  # type: ignore[no-untyped-call]


def _sentinels(sentinels: Sentinels) -> Iterator[Finding]:
    """Each Sentinel is checked: one that is down does no harm until the master dies too."""
    for (host, port), sentinel in zip(sentinels.hosts, _sentinel_client(sentinels).sentinels, strict=True):
        try:
            master: Any = sentinel.sentinel_get_master_addr_by_name(sentinels.master)
        except (RedisError, OSError) as error:
            yield Finding(False, f"Sentinel {host}:{port}: {error}", "start it; without a majority nobody is promoted")
        else:
            answer = (
                f"{sentinels.master} is {master[0]}:{master[1]}"
                if master
                else f"knows no master called {sentinels.master}"
            )
            advice = "" if master else "correct the name in REDIS_URL, or `sentinel monitor` in its configuration"
            yield Finding(bool(master), f"Sentinel {host}:{port}: {answer}", advice)


def _binary(name: str) -> Iterator[Finding]:
    try:
        yield Finding(True, f"{name}: {binary()}, starts with `carrete serve`")
    except NoServer as error:
        yield Finding(False, f"{name}: {error}", "install redis-server, or set REDIS_URL")


def _workbook(settings: Settings) -> Iterator[Finding]:
    if not settings.google_sheet_id:
        yield Finding(
            None, "workbook: no Google Sheet set; .xlsx in and out with `carrete import` and `carrete export`"
        )
        return
    try:
        client = client_for(settings, RealClock())
    except Denied as error:
        yield Finding(
            False,
            f"workbook: {error}",
            "point it to the service account's JSON key; docs/google-sheets.md tells how to get it",
        )
        return
    try:
        workbook = client.workbook()
    except Denied as error:
        yield Finding(False, f"workbook: {error}", f"share it with {client.email}; see docs/google-sheets.md")
    except SheetsError as error:
        yield Finding(False, f"workbook: {error}", "nothing is lost: what waits is written when Google answers again")
    else:
        yield from _tabs(workbook, client.email)
    finally:
        client.close()


def _tabs(workbook: Workbook, email: str) -> Iterator[Finding]:
    there = tabs_by_name(workbook.tabs)
    missing = [plan.name for plan in LANE_PLANS if plan.name not in there]
    yield Finding(True, f"workbook: «{workbook.title}», reached as {email}")
    if missing:
        needed = any(plan.name in missing for plan in REQUIRED)
        yield Finding(False if needed else None, f"workbook: no tab {', '.join(missing)}", "see `carrete sync --init`")
