"""Decides a command about examinations. None of them changes who holds the spool."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from carrete.domain.change import Change
from carrete.domain.commands import NdtCommand, RepararUnion, ResultadoNdt, SolicitarNdt
from carrete.domain.joints import Joint
from carrete.domain.ndt.case import NdtCase
from carrete.domain.ndt.repairs import repair
from carrete.domain.ndt.requests import request
from carrete.domain.ndt.results import record_result
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker


def decide_ndt(
    command: NdtCommand,
    spool: Spool,
    joints: Sequence[Joint],
    worker: Worker,
    ndt: NdtCase,
    photos: Collection[str],
    now: datetime,
    shop: Shop,
    welds: WeldRecord = NO_WELD_RECORD,
) -> Change:
    present = {joint.n_union: joint for joint in joints}
    match command:
        case SolicitarNdt():
            return request(command, spool, present, worker, ndt, now, shop)
        case ResultadoNdt():
            return record_result(command, spool, present, worker, ndt, photos, now, shop)
        case RepararUnion():
            return repair(command, spool, present, worker, ndt, now, shop, welds)
    raise TypeError(f"no rule for {type(command).__name__}")
