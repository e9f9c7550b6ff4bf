"""`carrete setting`: every setting with its value, and the shop's own changed without a browser."""

from __future__ import annotations

import json
from pathlib import Path

from carrete.ledger import open_database
from carrete.shop_settings import history, read
from tests.integration.cli.conftest import Carrete

HOOK = "https://mensajes.example/s/0123456789abcdef"
NIGHT = {"nombre": "Noche", "dias": [1, 5], "desde": "23:00", "hasta": "07:00"}


def test_settings_of_the_shop_are_changed_and_the_history_says_so(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path), "DATABASE_URL": ""}
    for name, value in (
        ("nombre_taller", "Taller Uno"),
        ("tipos_solo_arm", "fw, tap"),
        ("turnos", json.dumps([NIGHT])),
        ("webhook_conflictos", HOOK),
    ):
        assert carrete("setting", "set", name, value, **here).exit_code == 0
    database = open_database(f"sqlite:///{tmp_path / 'carrete.db'}")
    with database.reading() as tx:
        found, changes = read(tx), history(tx).changes
    database.close()
    assert (found.name, found.arm_only_types, found.conflict_webhook) == ("Taller Uno", frozenset({"FW", "TAP"}), HOOK)
    assert [each.by_id for each in changes] == [None] * 4
    assert changes[0].name == "webhook_conflictos"


def test_settings_of_examinations_are_numbers_words_and_rules(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path), "DATABASE_URL": ""}
    for name, value in (
        ("ndt_adicionales", "2"),
        ("ndt_bloquea", "false"),
        ("ndt_metodos", "rt, pt"),
        ("ndt_reglas", json.dumps([{"metodo": "RT", "porcentaje": 10}])),
    ):
        assert carrete("setting", "set", name, value, **here).exit_code == 0
    database = open_database(f"sqlite:///{tmp_path / 'carrete.db'}")
    with database.reading() as tx:
        found = read(tx)
    database.close()
    assert (found.ndt_additional, found.ndt_blocks_approval, found.ndt_methods) == (2, False, ("RT", "PT"))
    assert [(rule.method, rule.percent) for rule in found.ndt_rules] == [("RT", 10)]


def test_the_list_has_every_setting_and_no_secret(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path), "DATABASE_URL": ""}
    carrete("setting", "set", "webhook_conflictos", HOOK, **here)
    listed = carrete("setting", "list", REDIS_URL="redis://:s3cr3t@127.0.0.1:1/0", **here)
    assert listed.exit_code == 0
    for word in ("nombre_taller", "zona_horaria", "CARRETE_IDLE_S", "redis://127.0.0.1:1/0", "mensajes.example"):
        assert word in listed.out
    assert "s3cr3t" not in listed.out
    assert "0123456789abcdef" not in listed.out


def test_a_wrong_value_or_name_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path), "DATABASE_URL": ""}
    wrong = carrete("setting", "set", "zona_horaria", "Marte", **here)
    assert (wrong.exit_code, "America/Santiago" in wrong.sentence) == (1, True)
    unknown = carrete("setting", "set", "color", "rojo", **here)
    assert (unknown.exit_code, "nombre_taller, zona_horaria" in unknown.sentence) == (1, True)
    form = carrete("setting", "set", "turnos", "de noche", **here)
    assert (form.exit_code, "turnos" in form.sentence) == (1, True)


def test_other_commands_use_the_shops_time_zone(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path), "DATABASE_URL": ""}
    assert carrete("token", "make", "Planificación", "--scope", "leer", **here).exit_code == 0
    in_santiago = carrete("token", "list", **here).out
    carrete("setting", "set", "zona_horaria", "Asia/Tokyo", **here)
    assert carrete("token", "list", **here).out != in_santiago
