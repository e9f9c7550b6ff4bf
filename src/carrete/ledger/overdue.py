"""Reads what is overdue now, from the index of stages: its cost does not depend on how many spools there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from carrete.domain.overdue import (
    STAGES_WITH_LIMITS,
    Overdue,
    TipoAtraso,
    limit_of,
    overdue,
    overdue_before,
)
from carrete.domain.overdue_limits import OverdueLimits
from carrete.domain.spool import Spool
from carrete.ledger.database import Tx
from carrete.ledger.rows import spool_from
from carrete.ledger.values import instant_text


@dataclass(frozen=True, slots=True)
class OverdueSpools:
    """The spools, the longest first, at most so many of each kind; and how many there are of each kind."""

    spools: list[tuple[Spool, Overdue]]
    totals: dict[TipoAtraso, int]


def overdue_spools(tx: Tx, limits: OverdueLimits, now: datetime, each_max: int) -> OverdueSpools:
    found: dict[TipoAtraso, list[tuple[Spool, Overdue]]] = {tipo: [] for tipo in TipoAtraso}
    totals = dict.fromkeys(TipoAtraso, 0)
    for stage in STAGES_WITH_LIMITS:
        limit = limit_of(stage, limits)
        if limit is None:
            continue
        before = instant_text(overdue_before(limit, now))
        spools = [spool_from(row) for row in tx.all("spools_in_stage", stage=stage, before=before, limit=each_max)]
        found[limit.tipo] += [(spool, late) for spool in spools if (late := overdue(spool, limits, now))]
        full = len(spools) == each_max
        totals[limit.tipo] += tx.count("count_in_stage", stage=stage, before=before) if full else len(spools)
    for rows in found.values():
        rows.sort(key=lambda row: (row[1].since, row[0].tag))
        del rows[each_max:]
    together = [row for rows in found.values() for row in rows]
    return OverdueSpools(sorted(together, key=lambda row: (row[1].since, row[0].tag)), totals)


def became_overdue(
    tx: Tx, limits: OverdueLimits, after: datetime, until: datetime, each_max: int
) -> list[tuple[Spool, Overdue]]:
    """The spools whose limit passed between the two instants, at most so many of each stage, the longest first."""
    found: list[tuple[Spool, Overdue]] = []
    for stage in STAGES_WITH_LIMITS:
        limit = limit_of(stage, limits)
        if limit is None:
            continue
        bounds = {"after": overdue_before(limit, after), "before": overdue_before(limit, until)}
        texts = {name: instant_text(bound) for name, bound in bounds.items()}
        spools = map(spool_from, tx.all("spools_in_stage_since", stage=stage, limit=each_max, **texts))
        found += [(spool, late) for spool in spools if (late := overdue(spool, limits, until))]
    return sorted(found, key=lambda row: (row[1].since, row[0].tag))
