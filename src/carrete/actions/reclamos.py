"""Reclamos in a group commit: made of a refused chain or of a refused tap, and decided by a supervisor, once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from carrete.actions.stored_answers import without_reference
from carrete.domain.change import Change
from carrete.domain.commands import Chain, Command, JointWeld, Reclamar, Resolver, Step
from carrete.domain.joints import Joint
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.reclamo import Reclamo, ReclamoCase, resolve, resolved, steps_as_tapped, work_in
from carrete.domain.refusals import NothingToClaim, NotValid, ReclamoUnknown, Refusal, WorkerUnknown
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.packing import unpack_answer
from carrete.ledger.reclamos import ClaimedRefusal, reclamos_of_keys, reclamos_to_change, save_reclamos
from carrete.ledger.store import KnownKey, keys_known
from carrete.ledger.tokens import fresh_token

_Context = Mapping[str, Any] | None
_NEVER_CLAIMED = (WorkerUnknown, NotValid)  # no such worker to inform, or a spool that cannot exist


class GroupReclamos:
    """The reclamos that the requests of one transaction make and decide."""

    def __init__(self, tx: Tx, commands: Sequence[Command]) -> None:
        self._tx = tx
        claims = [command for command in commands if isinstance(command, Reclamar)]
        refused = [command.refused_key for command in claims]
        self._refused = keys_known(tx, refused) if refused else {}
        self._of_keys = reclamos_of_keys(tx, refused)
        ids = [command.reclamo_id for command in commands if isinstance(command, Resolver)]
        self._to_decide = reclamos_to_change(tx, ids)
        self._new: list[Reclamo] = []
        self._decided: list[Reclamo] = []

    def of_refused_chain(
        self, chain: Chain, refusal: Refusal, worker: Worker | None, now: datetime, key: str | None, context: _Context
    ) -> str | None:
        """The id of the reclamo that the refusal leads to; None when no work is lost."""
        work = work_in(chain.steps)
        if not work or worker is None or isinstance(refusal, _NEVER_CLAIMED):
            return None
        step = int(refusal.context["paso"])
        return self._add(chain.tag, worker, chain.steps, step, refusal.code, refusal.detail, now, key, context)

    def claim(self, command: Reclamar, worker: Worker | None, now: datetime, context: _Context) -> str:
        """The id of the reclamo, new or made before of this person's same refusal."""
        if worker is None:
            raise WorkerUnknown(command.worker_id)
        steps, key = command.steps, command.refused_key
        earlier = self._of_keys.get((key, command.tag))
        if earlier and earlier.worker_id == worker.id:
            return earlier.id
        if not work_in(steps):
            raise NothingToClaim("Ahí no hay trabajo que registrar.")
        code, detail = _refusal_under(self._refused.get(key), command)
        made = self._add(command.tag, worker, steps, len(steps), code, detail, now, key, context)
        self._of_keys[key, command.tag] = ClaimedRefusal(made, worker.id)
        return made

    def _add(
        self,
        tag: str,
        worker: Worker,
        steps: Sequence[Step],
        step: int,
        code: str,
        detail: str,
        now: datetime,
        key: str | None,
        context: _Context,
    ) -> str:
        made = Reclamo(
            fresh_token(),
            tag,
            worker.id,
            worker.label,
            work_in(steps),
            steps_as_tapped(steps),
            step,
            code,
            detail,
            dict(context or {}),
            now,
            key,
        )
        self._new.append(made)
        return made.id

    def decide(
        self,
        command: Resolver,
        spool: Spool | None,
        joints: Sequence[Joint],
        people: Mapping[int, Worker],
        now: datetime,
        shop: Shop,
        context: _Context,
        welds: WeldRecord = NO_WELD_RECORD,
    ) -> Change:
        found = self._to_decide.get(command.reclamo_id)
        if found is None:
            raise ReclamoUnknown(command.reclamo_id)
        claimant = people.get(found.worker_id)
        if claimant is None:
            raise WorkerUnknown(found.worker_id)
        supervisor = people.get(command.worker_id)
        case = ReclamoCase(found, spool, joints, supervisor, claimant, now, shop, context or {}, welds)
        resolution, change = resolve(command, case)
        decided = resolved(found, resolution)
        self._to_decide[found.id] = decided
        self._decided.append(decided)
        return change

    def welds_of(self, reclamo_id: str) -> list[JointWeld]:
        """What the welder said about the welds that are to be decided."""
        found = self._to_decide.get(reclamo_id)
        return found.welds() if found else []

    def save(self) -> None:
        if self._new or self._decided:
            save_reclamos(self._tx, self._new, self._decided)


def _refusal_under(known: KnownKey | None, command: Reclamar) -> tuple[str, str]:
    """Code and sentence of the refusal that is stored under the key of the refused tap. It must have been a tap of the
    same person for the same work: otherwise any refusal would prove any work. The answer to a tap for several spools
    has the outcome of each of them."""
    if known is None or known.fingerprint != command.refused_fingerprint:
        raise NothingToClaim("Con esa clave no se rechazó este trabajo.")
    answer = json.loads(without_reference(unpack_answer(known.body, command.batch or (command.tag,))))
    failed = [
        each["error"] for each in answer.get("details", ()) if each["tag_spool"] == command.tag and "error" in each
    ]
    problem = failed[0] if failed else answer
    if "code" not in problem:
        raise NothingToClaim("Ese toque no fue rechazado.")
    return str(problem["code"]), str(problem["detail"])
