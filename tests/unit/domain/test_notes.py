"""A note says something about a spool or a joint, and changes nothing else of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carrete.domain.commands import Anotar
from carrete.domain.decide import Case, decide
from carrete.domain.notes import metadata_for_sheet
from carrete.domain.refusals import JointUnknown, PhotoUnknown, SpoolUnknown, VersionConflict, WorkerInactive
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from tests.support.builders import NOW, SHOP, TAG, a_blocked_spool, a_joint, a_spool, held
from tests.support.people import AY, LP, MI, MR, SV


def case(spool: Spool, worker: Worker = MR, **more: object) -> Case:
    return Case(spool, worker, NOW, SHOP, "lock", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("worker", [MR, LP, MI, AY, SV], ids=lambda worker: worker.label)
def test_anybody_who_works_here_may_write_a_note(worker: Worker) -> None:
    change = decide(Anotar(TAG, worker.id, "Falta el soporte"), case(a_spool(), worker))
    (event,) = change.events
    assert (event.tipo, event.worker, event.metadata) == ("NOTA", worker.label, {"texto": "Falta el soporte"})


@pytest.mark.parametrize("spool", [a_spool(), held(a_spool(), LP), a_blocked_spool()])
def test_a_note_leaves_the_spool_as_it_is_whoever_holds_it_and_also_when_it_is_blocked(spool: Spool) -> None:
    change = decide(Anotar(TAG, MR.id, "Ojo"), case(spool))
    assert change.spool is spool
    assert change.keeps_version


def test_somebody_who_does_not_work_here_any_more_writes_nothing() -> None:
    with pytest.raises(WorkerInactive):
        decide(Anotar(TAG, MR.id, "Ojo"), case(a_spool(), replace(MR, activo=False)))


def test_a_retired_spool_has_no_new_notes() -> None:
    with pytest.raises(SpoolUnknown):
        decide(Anotar(TAG, MR.id, "Ojo"), case(a_spool(retired=True)))


def test_a_note_about_a_joint_needs_that_joint() -> None:
    joints = [a_joint(1), a_joint(2, retired=True)]
    spool = a_spool(total_uniones=1)
    (event,) = decide(Anotar(TAG, MR.id, "Poro", 1), case(spool, joints=joints)).events
    assert event.n_union == 1
    for n_union in (2, 3):
        with pytest.raises(JointUnknown):
            decide(Anotar(TAG, MR.id, "Poro", n_union), case(spool, joints=joints))


def test_a_note_names_only_photos_that_the_ledger_has() -> None:
    (event,) = decide(Anotar(TAG, MR.id, "", None, ("a", "b")), case(a_spool(), photos={"a", "b"})).events
    assert event.metadata == {"fotos": ["a", "b"]}
    with pytest.raises(PhotoUnknown) as refusal:
        decide(Anotar(TAG, MR.id, "", None, ("a", "b")), case(a_spool(), photos={"a"}))
    assert refusal.value.context == {"fotos": ["b"]}


def test_a_note_with_an_old_token_is_refused_like_any_action() -> None:
    with pytest.raises(VersionConflict):
        decide(Anotar(TAG, MR.id, "Ojo", version="otra"), case(a_spool()))


def test_the_sheet_counts_photos() -> None:
    assert metadata_for_sheet({"texto": "Ojo", "fotos": ["a", "b"]}) == {"texto": "Ojo", "fotos": "2 fotos"}
    assert metadata_for_sheet({"fotos": ["a"]}) == {"fotos": "1 foto"}
    assert metadata_for_sheet({"texto": "Ojo"}) == {"texto": "Ojo"}
