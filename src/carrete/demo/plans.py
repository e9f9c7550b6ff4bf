"""Which spool leads which life, and when: every OT has spools in many stages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from carrete.demo.lives import Floor, Life, lead
from carrete.demo.pieces import SHOWN_TAG, blank_spools, joints_for
from carrete.demo.shifts import Session, leading_to, over, still_going, working_day_before
from carrete.demo.stories import HELD_MINUTES, SHOWN_STORY, STORIES, Steps, Story, with_interruptions
from carrete.demo.tokens import token
from carrete.domain.progress import recompute_progress
from carrete.domain.shop_time import today
from carrete.domain.spool import Spool
from carrete.domain.version import Workflow

# Two of every five spools are worked as a whole.
_WORKFLOWS = (Workflow.V4, Workflow.V3, Workflow.V4, Workflow.V3, Workflow.V4)
_MATERIALS_DAYS_MAX = 6


@dataclass(frozen=True, slots=True)
class Plan:
    story: Story
    workflow: Workflow


def lives(floor: Floor, now: datetime) -> list[Life]:
    spools = list(blank_spools())
    plans = _plans([spool.tag for spool in spools].index(SHOWN_TAG), floor.rng)
    minutes = iter(floor.rng.sample(HELD_MINUTES, len(HELD_MINUTES)))
    return [_life(spool, plan, minutes, floor, now) for spool, plan in zip(spools, plans, strict=True)]


def _plans(shown: int, rng: Random) -> list[Plan]:
    """Shuffled; then the spool that the documentation shows gets the life that it shows."""
    plans = [Plan(story, _WORKFLOWS[n % len(_WORKFLOWS)]) for story in STORIES for n in range(story.spools)]
    rng.shuffle(plans)
    there = plans.index(Plan(SHOWN_STORY, Workflow.V3))
    plans[shown], plans[there] = plans[there], plans[shown]
    return plans


def _life(spool: Spool, plan: Plan, minutes: Iterator[int], floor: Floor, now: datetime) -> Life:
    steps = with_interruptions(plan.story.steps, floor.rng)
    sessions = _sessions(plan.story, steps, minutes, floor, now)
    life = _prepared(spool, plan, sessions[0].start if sessions else now, floor)
    for step, session in zip(steps, sessions, strict=True):
        lead(life, step, session, floor)
    return life


def _sessions(story: Story, steps: Steps, minutes: Iterator[int], floor: Floor, now: datetime) -> list[Session]:
    if not steps:
        return []
    zone, rng = floor.shop.zone, floor.rng
    last = still_going(now, next(minutes), rng) if story.still_held else over(now, zone, rng)
    return leading_to(last, len(steps), zone, rng)


def _prepared(spool: Spool, plan: Plan, first_work: datetime, floor: Floor) -> Life:
    """As engineering leaves it: its joints entered, its materials there on a day before the first work."""
    joints = joints_for(spool, floor.shop, floor.rng) if plan.workflow is Workflow.V4 else []
    day = working_day_before(today(first_work, floor.shop.zone), floor.rng.randint(1, _MATERIALS_DAYS_MAX))
    spool = replace(
        spool,
        version=token(floor.rng),
        total_uniones=len(joints) or None,
        fecha_materiales=day if plan.story.materials else None,
    )
    return Life(recompute_progress(spool, joints, floor.shop), joints)
