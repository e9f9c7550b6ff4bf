"""What `carrete doctor` and *Sistema* say about copies and keys."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from carrete.backups.checks import problems
from carrete.backups.copying import make_backup
from carrete.backups.keys import write_keys_file
from carrete.backups.status import failure_text
from carrete.findings import Severity, Words
from carrete.ledger import open_database
from carrete.settings import Access, Settings
from tests.integration.backups.conftest import run_sql
from tests.support.signed_in import put_server_key

NOW = datetime.now(UTC).replace(microsecond=0)
PHRASE = "caballo correcto batería grapa"


def found(url: str, data: Path, access: Access = "open") -> list[tuple[Severity, str]]:
    settings = Settings(database_url=url, data=data, access=access)
    with closing(open_database(url)) as database:
        return [(finding.severity, finding.what.en) for finding in problems(settings, database)]


def test_a_new_ledger_has_no_copy_yet_then_a_good_one_then_an_old_one(shop_url: str, tmp_path: Path) -> None:
    ((severity, what),) = found(shop_url, tmp_path)
    assert (severity, "none yet" in what) == (Severity.NOTE, True)
    long_ago = make_backup(shop_url, tmp_path / "backups", NOW - timedelta(hours=49))
    ((severity, what),) = found(shop_url, tmp_path)
    assert (severity, "none for 49 hours" in what) == (Severity.BAD, True)
    make_backup(shop_url, tmp_path / "backups", NOW - timedelta(hours=3))
    ((severity, what),) = found(shop_url, tmp_path)
    assert (severity, "3 hours old, 2 in" in what) == (Severity.GOOD, True)
    assert long_ago.file.exists()


def test_a_ledger_that_nobody_copied_for_two_days_is_bad(shop_url: str, tmp_path: Path) -> None:
    run_sql(shop_url, f"UPDATE schema_version SET applied_at = '{(NOW - timedelta(days=3)).isoformat()}'")
    ((severity, _),) = found(shop_url, tmp_path)
    assert severity is Severity.BAD


def test_the_last_failure_is_shown_with_its_reason(shop_url: str, tmp_path: Path) -> None:
    failure = failure_text(Words("the disk is full.", "no queda espacio."), NOW)
    run_sql(shop_url, f"INSERT INTO backup_run (id, holder, until, last, failure) VALUES (1, '', '', '', '{failure}')")
    assert (Severity.BAD, "backups: the last try failed: the disk is full.") in found(shop_url, tmp_path)


def test_keys_that_are_in_no_backup_are_a_note_until_they_are(shop_url: str, tmp_path: Path) -> None:
    assert len(found(shop_url, tmp_path, "pin")) == 1, "a server without keys has none to lose"
    put_server_key(tmp_path)
    assert found(shop_url, tmp_path, "pin")[1:] == [(Severity.NOTE, "backups: the keys are in no backup")]
    file = write_keys_file(tmp_path, tmp_path / "backups", PHRASE, NOW)
    assert found(shop_url, tmp_path, "pin")[1:] == [(Severity.GOOD, f"backups: the keys are in {file.name}")]
    (tmp_path / "signing.key").write_bytes(b"\1" * 32)
    assert found(shop_url, tmp_path, "pin")[1:] == [(Severity.NOTE, "backups: the keys of now are in no backup")]
