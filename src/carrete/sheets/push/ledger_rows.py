"""The rows of the sheets as the ledger has them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.ledger.database import Tx
from carrete.ledger.rows import joint_from, spool_from
from carrete.sheets.structure import SPOOLS
from carrete.workbook.columns import VERSION
from carrete.workbook.rows import Cells, joint_cells, spool_cells


class LedgerRows:
    def __init__(self, tx: Tx, tags: set[str], joints: bool, zone: ZoneInfo) -> None:
        """Reads the spools with these tags and, if asked, their joints."""
        wanted = sorted(tags)
        self._zone = zone
        self._spools: dict[str, Spool] = {}
        self._joints: dict[tuple[str, int], Joint] = {}
        for start in range(0, len(wanted), 1_000):
            part = wanted[start : start + 1_000]
            self._spools |= {row[0]: spool_from(row) for row in tx.all("spools_of", tags=part)}
            if joints:
                found = [joint_from(row) for row in tx.all("joints_of_many", tags=part)]
                self._joints |= {(joint.tag, joint.n_union): joint for joint in found}

    def cells(self, sheet: str, row: tuple[str, int]) -> Cells | None:
        if sheet == SPOOLS.name:
            spool = self._spools.get(row[0])
            return {**spool_cells(spool, self._zone), VERSION: spool.version} if spool else None
        joint = self._joints.get(row)
        return {**joint_cells(joint, self._zone), VERSION: joint.version} if joint else None

    def retired(self, sheet: str, row: tuple[str, int]) -> bool:
        """A joint is retired with its spool."""
        spool = self._spools.get(row[0])
        joint = self._joints.get(row) if sheet != SPOOLS.name else None
        return (spool is not None and spool.retired) or (joint is not None and joint.retired)
