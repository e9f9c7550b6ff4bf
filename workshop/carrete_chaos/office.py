"""What an administrator does in a campaign, straight in the ledger and with the product's own functions: PINs, devices,
revocations. Signing in itself goes through the servers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from carrete.domain.shop_time import whole_second
from carrete.identity import devices, enrolment, people
from carrete.identity.people import ChangeAuthor
from carrete.identity.pins import PinHasher
from carrete.identity.records import DeviceKind
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.server_keys import ServerKeys
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.values import instant_text
from carrete_chaos.cluster import ClusterFailed
from carrete_chaos.shop import PINS, SUPERVISOR, pin_of
from carrete_chaos.tablet_device import DeviceSecret

T = TypeVar("T")
LEDGER_S_MAX = 60.0
LOOK_S = 0.2


class Office:
    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder

    def give_pins(self, worker_ids: Iterable[int]) -> None:
        """Before the servers start: makes the key file that they use."""

        def give(tx: Tx) -> None:
            keys = ServerKeys.load(self._folder, tx)
            hasher = PinHasher(keys.pepper)
            hashes = {pin: hasher.hash_blocking(pin) for pin in PINS}
            hasher.close()
            for worker_id in worker_ids:
                people.give_pin(tx, worker_id, hashes[pin_of(worker_id)], ChangeAuthor(_now()))

        self._write(give)

    def devices(self, names: Iterable[str], kind: DeviceKind = DeviceKind.TABLET) -> list[DeviceSecret]:
        """New devices, all in one commit."""

        def enrol(tx: Tx) -> list[DeviceSecret]:
            made = [(name, new_secret()) for name in names]
            now = _now()
            enrolled = [
                devices.enrol(tx, secret_hash=secret_hash(secret), name=name, kind=kind, by_id=None, at=now)
                for name, secret in made
            ]
            return [DeviceSecret(device.id, secret) for device, (_, secret) in zip(enrolled, made, strict=True)]

        return self._write(enrol)

    async def revoke(self, device_id: str) -> None:
        await self._until_written(lambda tx: devices.revoke(tx, device_id, at=_now(), by_id=SUPERVISOR))

    async def enrol_anew(self, name: str) -> DeviceSecret:
        """With a code, as a tablet that an administrator holds."""

        def enrol(tx: Tx) -> DeviceSecret:
            now = _now()
            code = enrolment.make_code(tx, name, DeviceKind.TABLET, by_id=SUPERVISOR, at=now)
            claim = enrolment.use_code(tx, code.code, at=now)
            return DeviceSecret(enrolment.confirm(tx, code.id, claim.number, by_id=SUPERVISOR, at=now).id, claim.secret)

        return await self._until_written(enrol)

    async def expire(self, session_id: str) -> None:
        """As if the session had begun twelve hours ago."""
        ended = instant_text(_now() - timedelta(seconds=1))
        sql = f"UPDATE session SET ends_at = '{ended}' WHERE id = '{session_id}' AND ended_at IS NULL"
        await self._until_written(lambda tx: tx.execute(sql))

    async def _until_written(self, work: Callable[[Tx], T]) -> T:
        until = time.monotonic() + LEDGER_S_MAX
        while True:
            try:
                return await asyncio.to_thread(self._write, work)
            except (LedgerUnavailable, RaceLost) as error:
                if time.monotonic() > until:
                    raise ClusterFailed(f"the ledger could not be written: {error}") from error
                await asyncio.sleep(LOOK_S)

    def _write(self, work: Callable[[Tx], T]) -> T:
        database = open_database(self._url)
        try:
            with database.writing() as tx:
                return work(tx)
        finally:
            database.close()


def _now() -> datetime:
    return whole_second(datetime.now(UTC))
