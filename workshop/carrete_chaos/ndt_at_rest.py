"""Reads the examinations of a campaign when the shop is quiet."""

from __future__ import annotations

from carrete.ledger.database import Tx
from carrete.ledger.ndt import all_groups, exams_of
from carrete.ledger.queries import joints_of
from carrete.ledger.rows import spool_from
from carrete.shop_settings import store
from carrete_chaos.ndt_evidence import NdtEvidence


def examinations(tx: Tx) -> NdtEvidence:
    settings = store.read(tx)
    spools = [spool_from(row) for row in tx.all("spools_all")]
    exams = [exam for each in exams_of(tx, [spool.tag for spool in spools]).values() for exam in each]
    joints = [joint for spool in spools if spool.ndt for joint in joints_of(tx, spool.tag)]
    says = {spool.tag: spool.ndt.value for spool in spools}
    return NdtEvidence(exams, all_groups(tx), settings.ndt_rules, settings.ndt_additional, joints, says)
