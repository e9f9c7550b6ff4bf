"""A chain does what its steps would do one by one, or nothing; whatever is refused in it is claimed whole."""

from __future__ import annotations

from random import Random

import pytest

from carrete.domain.chain import decide_chain
from carrete.domain.change import Change
from carrete.domain.commands import (
    Cancelar,
    Chain,
    Completar,
    Finalizar,
    Iniciar,
    Pausar,
    Step,
    Tomar,
    Work,
    WorkItem,
)
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.reclamo import steps_as_tapped, work_in
from carrete.domain.refusals import Refusal
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Rol
from tests.support.builders import NOW, SHOP, TAG, a_joint, a_rejected_spool, a_spool, a_worker, held
from tests.support.floor import LOCK

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
HELPER = a_worker(3, "Ana", "Muñoz", roles=[Rol.AYUDANTE])
OTHER = a_worker(4, "Eva", "Paz", roles=[Rol.AYUDANTE])
KINDS = (Tomar, Iniciar, Pausar, Completar, Cancelar, Finalizar)


def one_by_one(steps: list[Work], case: Case) -> list[Change] | int:
    """The changes, or the number of the step that the rules refuse."""
    changes: list[Change] = []
    spool, joints = case.spool, {joint.n_union: joint for joint in case.joints}
    for number, command in enumerate(steps, 1):
        try:
            change = decide(command, Case(spool, case.worker, case.now, SHOP, LOCK, list(joints.values())))
        except Refusal:
            return number
        spool, joints = change.spool, {**joints, **{joint.n_union: joint for joint in change.joints}}
        changes.append(change)
    return changes


def some_step(chance: Random) -> Work:
    kind, operacion = chance.choice(KINDS), chance.choice([ARM, SOLD, REPARACION])
    unions = tuple(chance.sample(range(1, 4), chance.randint(0, 3)))
    return Finalizar(TAG, 3, operacion, unions) if kind is Finalizar else kind(TAG, 3, operacion)


def some_steps(chance: Random, case: Case) -> list[Work]:
    """Mostly steps that the rules allow after those before, so that long chains succeed; sometimes any step."""
    steps: list[Work] = []
    for _ in range(chance.randint(1, 6)):
        tries = [some_step(chance) for _ in range(20)]
        allowed = [step for step in tries if not isinstance(one_by_one([*steps, step], case), int)]
        steps.append(allowed[0] if allowed and chance.random() < 0.9 else tries[0])
    return steps


def some_spool(chance: Random) -> tuple[Spool, list[Joint]]:
    spool = chance.choice([a_spool(), a_spool(total_uniones=3), a_rejected_spool()])
    joints = [a_joint(n) for n in (1, 2, 3)] if spool.total_uniones else []
    if chance.random() < 0.3:
        spool = held(spool, chance.choice([HELPER, OTHER]), REPARACION if spool.ciclo else ARM)
    return spool, joints


def test_a_chain_is_its_steps_one_by_one_or_nothing() -> None:
    done = refused = 0
    for seed in range(400):
        chance = Random(seed)
        spool, joints = some_spool(chance)
        case = Case(spool, HELPER, NOW, SHOP, LOCK, joints)
        steps = some_steps(chance, case)
        wanted = one_by_one(steps, case)
        chain = Chain(TAG, 3, tuple(map(Step, steps)))
        try:
            found: list[Change] | int = decide_chain(chain, case)
            done += 1
        except Refusal as refusal:
            found = refusal.context["paso"]
            refused += 1
        assert found == wanted, seed
    assert min(done, refused) > 80, "both happen often"


def test_the_work_of_a_chain_is_what_its_endings_would_register() -> None:
    steps = [
        *(
            Iniciar(TAG, 3, ARM),
            Finalizar(TAG, 3, ARM, (2, 1, 2)),
            Iniciar(TAG, 3, SOLD),
            Finalizar(TAG, 3, SOLD, (1,)),
        ),
        *(
            Tomar(TAG, 3, ARM),
            Pausar(TAG, 3, ARM),
            Cancelar(TAG, 3, ARM),
            Finalizar(TAG, 3, ARM),
            Completar(TAG, 3, ARM),
        ),
    ]
    assert work_in(map(Step, steps)) == (WorkItem(ARM, 2), WorkItem(ARM, 1), WorkItem(SOLD, 1), WorkItem(ARM))


@pytest.mark.parametrize("kind", [Tomar, Iniciar, Pausar, Cancelar])
def test_a_take_a_pause_and_a_cancellation_are_no_work(kind: type[Work]) -> None:
    assert work_in([Step(kind(TAG, 3, ARM))]) == ()


def test_steps_are_kept_as_they_were_tapped() -> None:
    steps = [Step(Iniciar(TAG, 3, ARM), "2026-11-16T11:00:00+00:00"), Step(Finalizar(TAG, 3, ARM, (2, 1)))]
    assert steps_as_tapped(steps) == [
        {"accion": "INICIAR", "operacion": "ARM", "hecho_en": "2026-11-16T11:00:00+00:00"},
        {"accion": "FINALIZAR", "operacion": "ARM", "uniones": [2, 1]},
    ]
