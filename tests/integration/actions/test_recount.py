"""The shop changes which joint types are only armed: the next start counts the joints again and writes events."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from carrete.actions import recount as module
from carrete.actions.recount import recount, recount_after_import
from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.spool import Estado, Metrologia
from carrete.ledger.database import Database
from carrete.ledger.queries import joints_of
from carrete.services import Services
from carrete.settings import Settings
from carrete.shop_settings import change
from tests.support.builders import NOW, SHOP, a_joint, a_spool, a_worker, an_armed_spool, events_in, held, put, spool_in
from tests.support.processes import at_once

ARMED: dict[str, Any] = {"arm_fin": NOW, "arm_worker": "LP(7)"}
WELDED: dict[str, Any] = {**ARMED, "sol_fin": NOW, "sol_worker": "JS(8)"}


def shop_where(*types: str) -> Shop:
    return Shop(arm_only_types=frozenset(types))


@pytest.fixture
def ledger(database: Database) -> Database:
    """With only FW armed: a spool that waits for its BR joint, one without BR, one that is held, and one of v3.0."""
    spools = [
        an_armed_spool("BR", total_uniones=2, sold=Estado.PAUSADO),
        an_armed_spool("BW", total_uniones=1, sold=Estado.PENDIENTE),
        held(a_spool("HELD", total_uniones=2), a_worker()),
        an_armed_spool("WHOLE"),
    ]
    joints = [
        *(a_joint(1, "BR", tipo="BR", **ARMED), a_joint(2, "BR", **WELDED), a_joint(1, "BW", **ARMED)),
        *(a_joint(1, "HELD", tipo="BR", **ARMED), a_joint(2, "HELD"), a_joint(1, "WHOLE", tipo="BR", **ARMED)),
    ]
    put(database, spools, [a_worker()], joints)
    assert recount(database, SHOP, NOW) == 0, "they were counted as the shop is set"
    return database


def joints_in(ledger: Database, tag: str) -> Iterable[Joint]:
    with ledger.reading() as tx:
        return joints_of(tx, tag)


def test_only_what_the_types_change_is_counted_anew_with_one_event_each(ledger: Database) -> None:
    before = {tag: spool_in(ledger, tag) for tag in ("BW", "HELD", "WHOLE")}
    shop = shop_where("FW", "BR")
    assert recount(ledger, shop, NOW) == 3
    for tag in ("BR", "BW", "HELD", "WHOLE"):
        assert spool_in(ledger, tag).counts == count(joints_in(ledger, tag), shop), tag
    assert spool_in(ledger, "BW") == before["BW"]
    spool = spool_in(ledger, "BR")
    assert (spool.sold, spool.metrologia) == (Estado.COMPLETADO, Metrologia.EN_COLA)
    assert spool_in(ledger, "HELD").occupation == before["HELD"].occupation
    assert spool_in(ledger, "WHOLE").sold is before["WHOLE"].sold
    tipos = {tag: [stored.event.tipo for stored in events_in(ledger, tag)] for tag in ("BR", "BW", "HELD", "WHOLE")}
    assert tipos == {
        "BR": ["EDICION_EXTERNA", "METROLOGIA_AUTO_TRIGGERED"],
        **{"BW": [], "HELD": ["EDICION_EXTERNA"], "WHOLE": ["EDICION_EXTERNA"]},
    }
    metadata = {"ajuste": "CARRETE_ARM_ONLY_TYPES", "anterior": "FW", "nuevo": "BR,FW"}
    assert events_in(ledger, "BR")[0].event.metadata == metadata


def test_the_same_setting_again_changes_nothing(ledger: Database) -> None:
    recount(ledger, shop_where("FW", "BR"), NOW)
    before = events_in(ledger)
    assert recount(ledger, shop_where("BR", "FW"), NOW) == 0
    assert events_in(ledger) == before


def test_changing_the_types_back_takes_the_spool_out_of_the_queue(ledger: Database) -> None:
    recount(ledger, shop_where("FW", "BR"), NOW)
    assert recount(ledger, SHOP, NOW) == 3
    spool = spool_in(ledger, "BR")
    assert (spool.sold, spool.metrologia) == (Estado.PAUSADO, Metrologia.PENDIENTE)


def test_cut_off_in_the_middle_it_is_finished_at_the_next_start(
    ledger: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module._recount
    done: list[str] = []

    def dies_at_the_second(tx: Any, tags: list[str], *rest: Any) -> int:
        done.extend(tags)
        if len(done) == 2:
            raise KeyboardInterrupt
        return real(tx, tags, *rest)

    monkeypatch.setattr(module, "_recount", dies_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        recount(ledger, shop_where("FW", "BR"), NOW, spools_per_commit=1)
    monkeypatch.setattr(module, "_recount", real)
    assert recount(ledger, shop_where("FW", "BR"), NOW, spools_per_commit=1) == 2
    assert len(events_in(ledger, "BR")) == 2, "its event is written once"


def test_an_import_that_began_before_the_types_changed_is_counted_anew_at_its_end(ledger: Database) -> None:
    machine = Settings(access="open")
    assert recount_after_import(ledger, machine, SHOP, NOW) == 0
    with ledger.writing() as tx:
        change(tx, {"tipos_solo_arm": ["FW", "BR"]}, None, NOW)
    new = shop_where("FW", "BR")
    assert recount(ledger, new, NOW) == 3, "as a serving process does it"
    recount(ledger, SHOP, NOW, again=True)  # the import still saves by the old types
    with ledger.writing() as tx:
        tx.run("setting_put", name=module.ARM_ONLY_TYPES, value="BR,FW")
    assert recount_after_import(ledger, machine, SHOP, NOW) == 3
    assert spool_in(ledger, "BR").counts == count(joints_in(ledger, "BR"), new)
    assert recount_after_import(ledger, machine, new, NOW) == 0


def test_several_processes_starting_at_once_write_each_change_once(ledger: Database, database_url: str) -> None:
    changed = at_once(
        4,
        "from datetime import UTC, datetime\nfrom carrete.actions.recount import recount\n"
        "from carrete.domain.shop import Shop\nfrom carrete.ledger import open_database\n"
        "shop = Shop(arm_only_types=frozenset({'FW', 'BR'}))",
        "recount(open_database(sys.argv[2]), shop, datetime.now(UTC))",
        database_url,
    )
    assert sum(changed) == 3
    assert len(events_in(ledger)) == 4


def test_a_start_with_other_types_shows_it_in_the_lists(ledger: Database, database_url: str, tmp_path: Path) -> None:
    settings = Settings(access="open", database_url=database_url, data=tmp_path, redis_url="off")
    services = Services(settings.model_copy(update={"arm_only_types": frozenset({"FW", "BR"})}))
    services.performer.stop()
    services.database.close()
    with ledger.reading() as tx:
        inspectable = [row[0] for row in tx.all("list_spools:inspectable", after="", limit=10)]
    assert inspectable == ["BR"]
