"""The rows that a group of decisions changed, and how much of each row has to be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.ledger.store import Changes, JointWrite, SpoolWrite, only_holder_changed, workbook_columns_equal

JointsByTag = Mapping[str, Mapping[int, Joint]]  # by the tag of their spool and their number


def changes_of(
    now: datetime, spools: Sequence[tuple[Spool, Spool]], joints_read: JointsByTag, joints: JointsByTag
) -> Changes:
    """`spools` are the changed ones, each as it was read and as it is now, in its stage; of the joints, all that
    were read. Where no decision changed a column that engineering fills in the workbook (OT, DN, WPS …), those
    columns are not written."""
    changed_joints = [
        (joints_read[tag][n_union], joint)
        for tag, each in joints.items()
        for n_union, joint in each.items()
        if joint is not joints_read[tag][n_union]
    ]
    return Changes(
        now,
        [
            SpoolWrite(after, before.version, only_holder_changed(before, after), staged=True)
            for before, after in spools
        ],
        changed_joints=[JointWrite(after, before.version) for before, after in changed_joints],
        only_work=workbook_columns_equal(spools, changed_joints),
    )
