"""The process that makes a nightly copy: `python -m carrete.backups.child`, with its task as JSON on standard input and
the result as JSON on standard output.

A process of its own, because copying and packing must not slow the taps down, and because it can be ended at once when
the server stops: what it leaves half done has no good name, and is removed by the next one."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from carrete import private_files
from carrete.backups.copying import make_backup
from carrete.backups.errors import BackupFailed
from carrete.backups.folder import backups_in
from carrete.backups.photo_files import delete_unnamed_photos
from carrete.backups.retention import delete_orphan_notes, delete_superseded
from carrete.backups.signature import key_for_copy
from carrete.parent_death import end_with_parent
from carrete.trail.signing_key import SigningKey

NICENESS = 10  # the taps come first


def main() -> None:
    end_with_parent()
    private_files.set_umask()
    with suppress(OSError):
        os.nice(NICENESS)
    task = json.load(sys.stdin)
    if os.getppid() != task["parent"]:
        return  # the server died before this process was tied to it: nothing waits for this copy
    try:
        key, trouble = key_for_copy(Path(task["data"]), task["ledger_url"])
        result = _make(task["ledger_url"], Path(task["folder"]), ZoneInfo(task["zone"]), key)
        result["unsigned"] = trouble
    except BackupFailed as error:
        result = {"failed": {"en": error.words.en, "es": error.words.es}}
    json.dump(result, sys.stdout)


def _make(ledger_url: str, folder: Path, zone: ZoneInfo, key: SigningKey | None) -> dict[str, object]:
    now = datetime.now(UTC).replace(microsecond=0)
    made = make_backup(ledger_url, folder, now, key.sign if key else None)
    deleted = delete_superseded(backups_in(folder), now, zone)
    delete_orphan_notes(folder, now)
    delete_unnamed_photos(folder, backups_in(folder), now)
    return {
        "file": made.file.name,
        "made_at": now.isoformat(),
        "bytes": made.bytes,
        "events": made.events,
        "last_seq": made.last_seq,
        "deleted": deleted,
    }


if __name__ == "__main__":
    main()
