"""What must happen in a campaign besides faults, and which served action counts for it."""

from __future__ import annotations

from carrete_chaos.hand_over_rules import HAND_OVER_HAPPENINGS
from carrete_chaos.history import KEEP_ON
from carrete_chaos.identity_log import HAPPENINGS
from carrete_chaos.ndt_log import NDT_HAPPENINGS, NDT_WITH_TIME
from carrete_chaos.note_rules import NOTE, WAS_NOTED
from carrete_chaos.offline_log import FOR_MINUTES, OFFLINE_HAPPENINGS

KEPT_ON = "a worker went on after the shift"
SERVED = {**HAND_OVER_HAPPENINGS, NOTE: WAS_NOTED, KEEP_ON: KEPT_ON}
ALWAYS = (*HAPPENINGS, *OFFLINE_HAPPENINGS, *SERVED.values(), *NDT_HAPPENINGS)
WITH_TIME = (*ALWAYS, FOR_MINUTES, *NDT_WITH_TIME)  # in a campaign that lasts for minutes
