"""The names of all rules of the checker. A test requires a planted bug for each of them."""

from __future__ import annotations

from carrete_chaos import (
    hand_over_rules,
    identity_rules,
    inch_rules,
    ndt_rules,
    ndt_sample,
    ndt_trail,
    note_rules,
    offline_rules,
)

_OF_THE_LEDGER = ("answers are final", "acknowledged is kept", "as answered", "once", "each change has a cause")
_OF_HOLDERS = ("one holder", "holds overlap", "linearizable", hand_over_rules.HANDED_OVER)
_AT_REST = ("locks", "stream", "sheet", "sheet events", "edits are recorded")
_OF_IDENTITY = (
    *(identity_rules.ATTRIBUTION, identity_rules.REVOKED, identity_rules.SIGNED_OUT, identity_rules.OWN_KEY),
    *(identity_rules.THROTTLE, identity_rules.SIGN_IN, identity_rules.HONEST),
)
_OF_LATE_WORK = (
    *(offline_rules.KEPT, offline_rules.ENDED, offline_rules.WHOLE, offline_rules.CLAIMED, offline_rules.DECIDED),
    *(offline_rules.ITS_AUTHOR, inch_rules.TWICE, inch_rules.INCHES),
)
_OF_NOTES = (note_rules.NOTED, note_rules.UNCHANGED)
_OF_EXAMINATIONS = (
    *(ndt_trail.EXAMINED, ndt_trail.REQUESTED, ndt_trail.REPAIRED, ndt_trail.APPROVED, ndt_sample.SAMPLED),
    *(ndt_rules.RECORDED, ndt_rules.ADDITIONAL, ndt_rules.KEEPS, ndt_rules.SHOWN),
)
_OF_TAPS = (*_OF_THE_LEDGER, *_OF_HOLDERS, *_OF_IDENTITY, *_OF_LATE_WORK, *_OF_NOTES, *_OF_EXAMINATIONS)
RULES = frozenset({*_OF_TAPS, *_AT_REST})
