"""`carrete doctor` about the clock, the shop's own settings and HTTPS, on real engines."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from carrete import shop_settings
from carrete.ledger.database import Database
from carrete.ledger.values import instant_text
from carrete.settings import Settings
from carrete.tls.keeper import CertificateKeeper
from carrete.tls.served import Served
from tests.integration.cli.conftest import Carrete
from tests.support.redis_server import running_redis
from tests.support.tampering import tampering


def an_event_at(database: Database, at: datetime) -> None:
    columns = "seq, id, at, evento_tipo, tag, worker_id, worker, operacion, accion, metadata, "
    columns += "estado_detalle, version, workflow"
    values = f"1, 'e1', '{instant_text(at)}', 'TOMAR_SPOOL', 'A', 93, 'MR(93)', 'ARM', 'TOMAR', '{{}}', '', 'v', 'v3.0'"
    with database.writing() as tx:
        tx.execute(f"INSERT INTO event ({columns}) VALUES ({values})")
        tx.execute("UPDATE trail_head SET seq = 1, hash = ''")


def test_an_event_from_the_future_is_bad_and_one_from_the_past_is_not(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    here = {"DATABASE_URL": database_url, "CARRETE_DATA": str(tmp_path)}
    an_event_at(database, datetime.now(UTC) - timedelta(days=3))
    assert carrete("doctor", **here).exit_code == 0
    with tampering(database) as tx:
        tx.execute(f"UPDATE event SET at = '{instant_text(datetime.now(UTC) + timedelta(hours=2, minutes=30))}'")
    result = carrete("doctor", **here)
    assert result.exit_code == 1
    assert re.search("BAD   clock: the ledger's newest event is 2 h (29|30) min in the future", result.out)
    assert "timedatectl set-ntp true" in result.out


def test_the_clocks_of_postgresql_and_redis_are_compared(
    carrete: Carrete, database_url: str, engine: str, tmp_path: Path
) -> None:
    with running_redis() as redis:
        out = carrete("doctor", DATABASE_URL=database_url, CARRETE_DATA=str(tmp_path), REDIS_URL=redis.url).out
    assert ("ok    clock: agrees with PostgreSQL's" in out) == (engine == "postgres")
    assert "ok    clock: agrees with Redis's" in out


def test_the_shop_s_own_time_zone_is_the_one_that_counts(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    with database.writing() as tx:
        shop_settings.change(tx, {"zona_horaria": "Europe/Madrid"}, None, datetime.now(UTC))
    here = {"DATABASE_URL": database_url, "CARRETE_DATA": str(tmp_path)}
    assert "times are Europe/Madrid" in carrete("doctor", **here).out
    assert "times are Asia/Tokyo" in carrete("doctor", CARRETE_TIMEZONE="Asia/Tokyo", **here).out


def test_a_served_certificate_whose_port_does_not_answer_is_reported(carrete: Carrete, tmp_path: Path) -> None:
    CertificateKeeper(Settings(data=tmp_path), Served("", "", own=False, host="127.0.0.2", port=9), announcer=None)
    out = carrete("doctor", CARRETE_DATA=str(tmp_path)).out
    assert "ok    HTTPS: local authority until" in out
    assert "note  HTTPS: nobody answers on port 9" in out
