"""The shop's settings in the ledger: who changed what and when, and nothing half done."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from carrete.domain.refusals import NotValid
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting
from carrete.shop_settings import ShopSettings, change, history, read, with_shop_settings
from carrete.shop_settings.live import FOLLOW_EVERY_S
from carrete.shop_settings.store import SettingHistory
from carrete.shop_settings.watch import ShopSettingsWatch
from tests.integration.fuzz.strings import NASTY
from tests.support.builders import NOW
from tests.support.processes import at_once

HOOK = "https://mensajes.example/s/0123456789abcdef"


def changed(database: Database, changes: dict[str, Any], by_id: int | None = 93) -> ShopSettings:
    with database.writing() as tx:
        return change(tx, changes, by_id, NOW)


def now_in(database: Database) -> ShopSettings:
    with database.reading() as tx:
        return read(tx)


def history_of(database: Database, **page: Any) -> SettingHistory:
    with database.reading() as tx:
        return history(tx, **page)


def test_a_new_ledger_has_the_defaults_and_no_history(database: Database) -> None:
    assert now_in(database) == ShopSettings()
    assert history_of(database).changes == []


def test_a_change_is_kept_with_who_and_when_and_only_what_is_different_is_recorded(database: Database) -> None:
    changed(database, {"nombre_taller": "Taller Uno", "zona_horaria": "America/Santiago"})
    after = changed(database, {"nombre_taller": "Taller Uno", "tipos_solo_arm": ["FW", "TAP"]}, by_id=None)
    assert now_in(database) == after == ShopSettings(name="Taller Uno", arm_only_types=frozenset({"FW", "TAP"}))
    newest, oldest = history_of(database).changes
    assert (oldest.by_id, oldest.name, oldest.before, oldest.after) == (93, "nombre_taller", "", "Taller Uno")
    assert (newest.by_id, newest.name, newest.before) == (None, "tipos_solo_arm", ["FW"])
    assert newest.after == ["FW", "TAP"]


def test_when_one_of_several_is_wrong_nothing_changes(database: Database) -> None:
    with pytest.raises(NotValid):
        changed(database, {"nombre_taller": "Taller Dos", "zona_horaria": "Marte"})
    assert now_in(database) == ShopSettings()
    assert history_of(database).changes == []


def test_the_history_never_has_the_secret_of_the_webhook(database: Database) -> None:
    changed(database, {"webhook_conflictos": HOOK})
    changed(database, {"webhook_conflictos": HOOK + "0"})
    assert now_in(database).conflict_webhook == HOOK + "0"
    newest, _ = history_of(database).changes
    assert (newest.before, newest.after) == ("https://mensajes.example", "https://mensajes.example")


def test_the_history_is_paged_from_the_newest(database: Database) -> None:
    for n in range(5):
        changed(database, {"nombre_taller": f"Taller {n}"})
    page = history_of(database, limit=2)
    assert [each.after for each in page.changes] == ["Taller 4", "Taller 3"]
    page = history_of(database, before=page.next_before, limit=3)
    assert [each.after for each in page.changes] == ["Taller 2", "Taller 1", "Taller 0"]
    assert page.next_before is None


def test_changes_of_several_processes_at_once_happen_one_after_the_other(database: Database, database_url: str) -> None:
    """Each row of the history begins with the value at which the one before it ended: nobody overwrote a value
    unseen."""
    at_once(
        4,
        "from datetime import UTC, datetime\nfrom carrete.ledger import open_database\n"
        "from carrete.shop_settings import change\ndatabase = open_database(sys.argv[2])\n"
        "def once(n):\n"
        "    with database.writing() as tx:\n"
        "        change(tx, {'nombre_taller': f'{sys.argv[1]}-{n}'}, None, datetime.now(UTC))\n",
        "[once(n) for n in range(5)]",
        database_url,
    )
    found = history_of(database).changes[::-1]
    assert len(found) == 20
    assert [each.before for each in found] == ["", *(each.after for each in found[:-1])]
    assert now_in(database).name == found[-1].after


def test_a_time_zone_that_this_machine_does_not_know_is_a_sentence_and_can_be_replaced(database: Database) -> None:
    changed(database, {"nombre_taller": "Taller"})
    with database.writing() as tx:
        tx.execute("""UPDATE shop_settings SET value = '{"nombre_taller":"Taller","zona_horaria":"Marte/Uno"}'""")
    with pytest.raises(WrongSetting, match="zona_horaria"):
        now_in(database)
    assert changed(database, {"zona_horaria": "Europe/Madrid"}).name == "Taller"
    assert now_in(database).timezone == "Europe/Madrid"


def test_a_setting_of_a_later_version_is_left_alone(database: Database) -> None:
    with database.writing() as tx:
        tx.execute("""UPDATE shop_settings SET value = '{"color":"rojo","nombre_taller":"Taller"}'""")
    assert now_in(database) == ShopSettings(name="Taller")
    changed(database, {"nombre_taller": "Otro"})
    with database.reading() as tx:
        (_, stored) = tx.one("shop_settings") or (0, "")
    assert json.loads(stored) == {"color": "rojo", "nombre_taller": "Otro"}


def test_a_command_gets_the_machines_settings_with_the_shops_among_them(database: Database) -> None:
    changed(database, {"zona_horaria": "Europe/Madrid", "tipos_solo_arm": ["BR"], "google_sheet": "hoja-1"})
    found = with_shop_settings(Settings(arm_only_types=frozenset({"FW"}), idle_s=60), database)
    assert (found.timezone, found.google_sheet_id, found.idle_s) == ("Europe/Madrid", "hoja-1", 60)
    assert (found.arm_only_types, found.shop.zone.utcoffset(NOW)) == (frozenset({"FW"}), timedelta(hours=1))


def test_whatever_is_typed_is_kept_exactly_or_refused(database: Database) -> None:
    """Five hundred nasty strings in every place for text, kept by both engines as they were typed."""
    kept = 0
    for text in NASTY:
        for changes in (
            {"nombre_taller": text},
            {"zona_horaria": text},
            {"tipos_solo_arm": [text]},
            {"turnos": [{"nombre": text, "dias": [1], "desde": "07:00", "hasta": "15:00"}]},
            {"webhook_conflictos": text},
            {"google_sheet": text},
        ):
            with suppress(NotValid), database.writing() as tx:
                after = change(tx, changes, None, NOW)
                assert read(tx) == after
                kept += 1
    assert kept > len(NASTY) / 2
    assert now_in(database) == changed(database, {})


def test_a_process_without_an_event_loop_notices_a_change_and_asks_the_ledger_seldom(database: Database) -> None:
    clock = [100.0]
    watch = ShopSettingsWatch(Settings(idle_s=60), database, lambda: clock[0])
    assert watch.settings.timezone == "America/Santiago"
    changed(database, {"zona_horaria": "Europe/Madrid"})
    assert not watch.changed(), "two seconds have not passed"
    clock[0] += FOLLOW_EVERY_S
    assert watch.changed()
    again = ShopSettingsWatch(Settings(idle_s=60), database, lambda: clock[0])
    clock[0] += FOLLOW_EVERY_S
    assert not again.changed()
    with database.writing() as tx:
        tx.execute("""UPDATE shop_settings SET value = '{"zona_horaria":"Marte/Uno"}'""")
    clock[0] += FOLLOW_EVERY_S
    assert not again.changed(), "what this machine cannot use is not followed"
