"""Bugs of examinations of welds that are planted in a running `carrete` from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from carrete.actions.ndt import ChangedExams
from carrete.domain import decide, inspection
from carrete.domain.ndt import actions as ndt_actions
from carrete.domain.ndt import repairs, results, sampling
from carrete.domain.ndt.examination import ExamStatus

BETWEEN_S = 0.15  # between the two commits of a result


def a_result_is_recorded_in_a_commit_of_its_own() -> None:
    """A kill in between leaves a result that was never answered and has no event."""
    right = ChangedExams.save

    def halved(self: Any, counted: Any) -> None:
        right(self, counted)
        if any(exam.result_at for exam in self._changed.values()):
            self._tx.execute("COMMIT")
            time.sleep(BETWEEN_S)
            self._tx.execute("BEGIN IMMEDIATE")

    ChangedExams.save = halved  # type: ignore[method-assign,assignment]


def a_second_result_is_taken() -> None:
    """The last one counts, as in a sheet that two people fill in."""
    right = results.record_result

    def forgiving(command: Any, spool: Any, joints: Any, examiner: Any, ndt: Any, *others: Any) -> Any:
        again = [exam.but(status=ExamStatus.PENDIENTE) if exam.current else exam for exam in ndt.exams]
        return right(command, spool, joints, examiner, replace(ndt, exams=again), *others)

    vars(ndt_actions).update(record_result=forgiving)


def a_repair_skips_a_number() -> None:
    """The first repair of a joint is R2."""
    right = repairs.repair

    def skipping(*given: Any) -> Any:
        change = right(*given)
        first, *others = change.events
        number = int(first.metadata["reparacion"][1:]) + 1
        return change._replace(events=(first.with_metadata({**first.metadata, "reparacion": f"R{number}"}), *others))

    vars(ndt_actions).update(repair=skipping)


def a_sample_is_left_to_chance() -> None:
    """The percentage is right in the long run, and for no welder."""
    vars(sampling).update(required=lambda _percent, _welded: 0)
    right = sampling.Sampling._draw

    def by_hash(self: Any, rule: Any, weld: Any, asked: bool) -> Any:
        chosen = sampling.falls_below(rule.percent, sampling.joint_hash(rule.seed, rule.id, weld.tag, weld.n_union))
        return right(self, rule, weld, asked or chosen)

    sampling.Sampling._draw = by_hash  # type: ignore[method-assign]


def open_examinations_do_not_block() -> None:
    right = inspection.inspect

    def blind(spool: Any, worker: Any, resultado: Any, now: Any, shop: Any) -> Any:
        return right(spool, worker, resultado, now, replace(shop, ndt=replace(shop.ndt, blocks_approval=False)))

    vars(decide).update(inspect=blind)


def a_result_changes_the_spool() -> None:
    """Recording a result voids the holder's offer to a colleague."""
    right = results.record_result
    vars(ndt_actions).update(record_result=lambda *given: right(*given)._replace(keeps_version=False))


def a_rejection_forgets_the_other_joints() -> None:
    """The rejection says that it asked for other joints, but it did not."""
    right = results.record_result
    vars(ndt_actions).update(record_result=lambda *given: right(*given)._replace(others=()))


NDT_BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        a_result_is_recorded_in_a_commit_of_its_own,
        a_second_result_is_taken,
        a_repair_skips_a_number,
        a_sample_is_left_to_chance,
        open_examinations_do_not_block,
        a_result_changes_the_spool,
        a_rejection_forgets_the_other_joints,
    )
}
