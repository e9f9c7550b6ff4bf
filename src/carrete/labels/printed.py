"""Which spools have a label: recorded in the ledger once a person has confirmed that the labels were printed.

Making a PDF is not printing: paper jams. Each function runs inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.refusals import SpoolUnknown
from carrete.domain.workers import folded
from carrete.labels.drawing import LABELS_MAX, SpoolLabel
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

WORK_ORDERS_MAX = 2_000


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """Which spools a list of labels has. Each condition that is empty holds for every spool."""

    ot: str = ""
    q: str = ""
    not_printed: bool = False


@dataclass(frozen=True, slots=True)
class WorkOrder:
    ot: str
    spools: int
    not_printed: int


def chosen_labels(tx: Tx, choice: LabelChoice, limit: int = LABELS_MAX) -> tuple[list[SpoolLabel], int]:
    """At most `limit` labels, sorted by tag, and how many there are in all."""
    q = folded(choice.q.strip().replace("\0", "\uffff"))  # PostgreSQL accepts no NUL; no tag has either of them
    ot = choice.ot.strip().replace("\0", "\uffff")
    conditions = {"ot": ot, "q": q, "not_printed": int(choice.not_printed)}
    found = [SpoolLabel(*row) for row in tx.all("labels_chosen", **conditions, limit=limit)]
    if len(found) < limit:
        return found, len(found)
    return found, tx.count("labels_count", **conditions)


def work_orders(tx: Tx) -> list[WorkOrder]:
    return [WorkOrder(ot, spools, left) for ot, spools, left in tx.all("label_work_orders", limit=WORK_ORDERS_MAX)]


def known_labels(tx: Tx, tags: Sequence[str]) -> tuple[list[SpoolLabel], list[str]]:
    """The labels of these spools in this order, each once, and the tags that no spool in the lists has."""
    wanted = list(dict.fromkeys(tags))
    found = {row[0]: SpoolLabel(*row) for row in tx.all("labels_of", tags=wanted)}
    return [found[tag] for tag in wanted if tag in found], [tag for tag in wanted if tag not in found]


def labels_of(tx: Tx, tags: Sequence[str]) -> list[SpoolLabel]:
    """As `known_labels`; an unknown tag is refused, so that no person looks for a label that was never printed."""
    found, unknown = known_labels(tx, tags)
    if unknown:
        raise SpoolUnknown(unknown[0])
    return found


def mark_printed(tx: Tx, tags: Sequence[str], at: datetime, by_id: int | None) -> int:
    """Remembers that these labels were printed now. Printing them again counts again."""
    labels = labels_of(tx, tags)
    rows = [{"tag": label.tag, "printed_at": instant_text(at), "by_id": by_id, "times": 1} for label in labels]
    tx.many("label_printed", sorted(rows, key=lambda row: str(row["tag"])))
    return len(labels)
