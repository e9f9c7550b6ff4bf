"""The process that verifies for the page *Sistema*: `python -m carrete.verification.child`, with its task as JSON on
standard input and the result as JSON on standard output.

A process of its own, with low priority: a long trail takes many seconds, and the taps come first."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from carrete import private_files
from carrete.findings import Language
from carrete.ledger import open_database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import known_schema
from carrete.parent_death import end_with_parent
from carrete.settings import Settings, WrongSetting
from carrete.verification.ledger import GivenWitnesses, verify

NICENESS = 10  # the taps come first


def main() -> None:
    end_with_parent()
    private_files.set_umask()
    with suppress(OSError):
        os.nice(NICENESS)
    task = json.load(sys.stdin)
    try:
        result = verified(task)
    except (LedgerUnavailable, RaceLost, WrongSetting) as error:
        result = {"failed": str(error)}
    json.dump(result, sys.stdout)


def task_for(settings: Settings, receipts: str, language: Language) -> dict[str, Any]:
    """`receipts` is the text of a file that a tablet gave, "" for none."""
    folder = str(settings.backup_folder)
    return {
        "data": str(settings.data),
        "database_url": settings.database_url,
        "backup_dir": folder,
        "receipts": receipts,
        "language": language,
    }


def verified(task: dict[str, Any]) -> dict[str, Any]:
    settings = Settings(
        access="open", data=Path(task["data"]), database_url=task["database_url"], backup_dir=task["backup_dir"]
    )
    texts = [(task["receipts"], "recibos")] if task["receipts"] else []
    with closing(open_database(settings.ledger_url)) as database:
        database.schema = known_schema()
        found = verify(settings, database, GivenWitnesses(receipt_texts=texts))
    words = [(each.severity, each.what.in_language(task["language"])) for each in found.findings()]
    return {
        "integro": found.is_whole,
        "eventos": found.report.events,
        "testigos": found.report.witnesses,
        "hallazgos": [{"nivel": severity, "que": text} for severity, text in words],
    }


if __name__ == "__main__":
    main()
