"""A change of the shop's settings is in force in processes that serve already, without a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from carrete.actions.recount import recount, recount_while_serving
from carrete.domain.commands import Tomar
from carrete.domain.joints import count
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database, Tx
from carrete.ledger.queries import joints_of
from carrete.services import Services
from carrete.settings import Settings
from carrete.shop_settings import change, live
from tests.integration.api.test_metrics_and_webhook import Listener, listener
from tests.support.acting import a_request
from tests.support.builders import NOW, a_joint, a_spool, an_armed_spool, put, spool_in
from tests.support.gated import WAIT_S_MAX, eventually, until
from tests.support.people import CREW, LP, MR
from tests.support.server import running_server
from tests.support.services import running_services

__all__ = ["listener"]
PROMISED_S = 5.0
ARMED: dict[str, Any] = {"arm_fin": NOW, "arm_worker": "LP(7)"}


def change_elsewhere(database: Database, **changes: Any) -> None:
    """Changes the setting as another process does."""
    with database.writing() as tx:
        change(tx, changes, 1, NOW)


def counted(database: Database, tag: str, shop: Shop) -> bool:
    with database.reading() as tx:
        joints = joints_of(tx, tag)
    return spool_in(database, tag).counts == count(joints, shop)


def test_the_ledger_is_asked_often_enough_for_the_promise() -> None:
    """Even if one read takes as long as the pause between two."""
    assert live.FOLLOW_EVERY_S * 2 < PROMISED_S


def test_two_servers_on_one_ledger_follow_a_change_made_elsewhere(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    put(database, [a_spool("MK-1")], CREW)

    def offset(client: httpx.Client) -> timedelta | None:
        return datetime.fromisoformat(client.get("/api/health").json()["now"]).utcoffset()

    (tmp_path / "a").mkdir(mode=0o700)
    (tmp_path / "b").mkdir(mode=0o700)
    with (
        running_server(database_url, tmp_path / "a") as first,
        running_server(database_url, tmp_path / "b") as second,
        first.client() as one,
        second.client() as other,
    ):
        assert offset(one) == offset(other) == timedelta(hours=-3)
        change_elsewhere(database, zona_horaria="Asia/Tokyo")
        for client in (one, other):
            eventually(lambda client=client: offset(client) == timedelta(hours=9), PROMISED_S)  # type: ignore[misc]
            taken = client.post(
                "/api/occupation/tomar", json={"tag_spool": "MK-1", "worker_id": 93, "operacion": "ARM"}
            )
            assert taken.json()["fecha_ocupacion"].endswith("+09:00")


def test_an_action_and_its_lock_use_the_new_time_zone(database: Database, database_url: str, tmp_path: Path) -> None:
    put(database, [a_spool("MK-1")], CREW)

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:
            change_elsewhere(database, zona_horaria="Asia/Tokyo")
            await services.shop_settings.renew()
            assert services.performer.shop is services.shop
            before = datetime.now(services.shop.zone)
            await services.performer.perform(a_request(Tomar("MK-1", MR.id, Operacion.ARM)))
            lock = str(spool_in(database, "MK-1").occupation.lock)  # type: ignore[union-attr]
            day_and_hour = lock.split(":", 2)[2][:13]
            assert day_and_hour in {f"{at:%d-%m-%Y %H}" for at in (before, datetime.now(services.shop.zone))}

    asyncio.run(scenario())


def test_other_arm_only_types_are_counted_while_the_server_runs(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    joints = [a_joint(1, "BR", tipo="BR", **ARMED), a_joint(2, "BR", **ARMED)]
    put(database, [an_armed_spool("BR", total_uniones=2)], CREW, joints)

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:
            change_elsewhere(database, tipos_solo_arm=["FW", "BR"])
            await services.shop_settings.renew()
            await until(lambda: counted(database, "BR", services.shop), WAIT_S_MAX)
            assert spool_in(database, "BR").counts.arm_only == 1

    asyncio.run(scenario())


def test_counts_that_a_process_with_the_old_types_still_wrote_are_corrected(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """Timeline: this process counts by the new types; another, which has not read them yet, saves a spool by the old
    ones; when all processes have read them, the joints are counted once more."""
    put(database, [an_armed_spool("BR", total_uniones=1)], CREW, [a_joint(1, "BR", tipo="BR", **ARMED)])
    old, new = Shop(), Shop(arm_only_types=frozenset({"FW", "BR"}))

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:

            async def others_still_write() -> None:
                assert counted(database, "BR", new)
                recount(database, old, NOW, again=True)
                assert not counted(database, "BR", new)

            await recount_while_serving(
                services.read, services.performer.housekeeping, new, old.arm_only_types, others_still_write
            )

    asyncio.run(scenario())
    assert counted(database, "BR", new)


def test_types_that_change_and_change_back_are_counted_at_the_start_after_a_kill(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """Timeline: FW → FW, BR, and the first spools are counted; back to FW, and the server is killed."""
    put(database, [an_armed_spool("BR", total_uniones=1)], CREW, [a_joint(1, "BR", tipo="BR", **ARMED)])
    old, new = Shop(), Shop(arm_only_types=frozenset({"FW", "BR"}))

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:

            async def killed_after_the_first_spools(work: Callable[[Tx], Any]) -> Any:
                if await services.performer.housekeeping(work):
                    raise asyncio.CancelledError

            with suppress(asyncio.CancelledError):
                await recount_while_serving(services.read, killed_after_the_first_spools, new, old.arm_only_types)

    asyncio.run(scenario())
    assert not counted(database, "BR", old)
    assert [recount(database, old, NOW), recount(database, old, NOW)] == [1, 0]
    assert counted(database, "BR", old)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_webhook_is_set_changed_and_removed_without_a_restart(
    database: Database, database_url: str, tmp_path: Path, engine: str, listener: Listener
) -> None:
    put(database, [a_spool("MK-1")], CREW)
    listener.failures = 0
    address = f"http://127.0.0.1:{listener.server_port}"

    async def conflict(services: Services) -> None:
        await services.performer.perform(a_request(Tomar("MK-1", LP.id, Operacion.ARM)))

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:
            await services.performer.perform(a_request(Tomar("MK-1", MR.id, Operacion.ARM)))
            assert services.webhook is None
            for path in ("/uno", "/dos"):
                change_elsewhere(database, webhook_conflictos=address + path)
                await services.shop_settings.renew()
                await conflict(services)
                await until(lambda: not listener.received.empty(), WAIT_S_MAX)
                assert listener.received.get_nowait()["tag_spool"] == "MK-1"
            assert services.webhook is not None
            assert services.webhook.url == address + "/dos"
            change_elsewhere(database, webhook_conflictos="")
            await services.shop_settings.renew()
            assert services.webhook is None
            await conflict(services)

    asyncio.run(scenario())
    assert listener.received.empty()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_while_the_settings_cannot_be_read_the_values_stay_and_then_follow(
    database: Database, database_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.LiveShopSettings.follow, "__defaults__", (0.01,))

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:
            with structlog.testing.capture_logs() as logs:
                with database.writing() as tx:
                    tx.execute("""UPDATE shop_settings SET value = '{"zona_horaria":"Marte/Uno"}'""")
                await until(lambda: any("settings were not read" in line["event"] for line in logs), WAIT_S_MAX)
                assert services.shop.zone.key == "America/Santiago"
                change_elsewhere(database, zona_horaria="Europe/Madrid")
                await until(lambda: services.shop.zone.key == "Europe/Madrid", WAIT_S_MAX)

    asyncio.run(scenario())


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_process_goes_on_following_after_any_failure(
    database: Database, database_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when somebody wrote into the ledger by hand what is no JSON."""
    monkeypatch.setattr(live.LiveShopSettings.follow, "__defaults__", (0.01,))

    async def scenario() -> None:
        async with running_services(database_url, tmp_path) as services:
            with structlog.testing.capture_logs() as logs:
                with database.writing() as tx:
                    tx.execute("UPDATE shop_settings SET value = 'no JSON'")
                await until(lambda: any("were not followed" in line["event"] for line in logs), WAIT_S_MAX)
                with database.writing() as tx:
                    tx.execute("""UPDATE shop_settings SET value = '{"zona_horaria":"Europe/Madrid"}'""")
                await until(lambda: services.shop.zone.key == "Europe/Madrid", WAIT_S_MAX)

    asyncio.run(scenario())


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_the_machine_fixes_stays_whatever_the_ledger_says(
    database: Database, database_url: str, tmp_path: Path, engine: str
) -> None:
    change_elsewhere(database, zona_horaria="Asia/Tokyo", nombre_taller="Taller")

    async def scenario() -> None:
        settings = Settings(
            access="open", data=tmp_path, database_url=database_url, redis_url="off", timezone="Europe/Lisbon"
        )
        services = Services(settings)
        services.start()
        change_elsewhere(database, zona_horaria="Asia/Seoul")
        await services.shop_settings.renew()
        assert (services.shop.zone.key, services.shop_settings.current.name) == ("Europe/Lisbon", "Taller")
        await services.stop()

    asyncio.run(scenario())
