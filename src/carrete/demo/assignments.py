"""Assigns a story and dates to each spool, so that every OT has spools in many stages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time
from random import Random

from carrete.demo.histories import DemoShop, SpoolHistory, add_step
from carrete.demo.shifts import DemoSession, ended, sessions_before, still_going, working_day_before
from carrete.demo.spools import SHOWN_TAG, blank_spools, joints_for
from carrete.demo.stories import HELD_MINUTES, SHOWN_STORY, STORIES, Steps, Story, with_interruptions
from carrete.demo.tokens import token
from carrete.domain.progress import recompute_progress
from carrete.domain.shop_time import from_wall, today
from carrete.domain.spool import Spool
from carrete.domain.stage import in_its_stage
from carrete.domain.version import Workflow

# Two of every five spools are worked as a whole.
_WORKFLOWS = (Workflow.V4, Workflow.V3, Workflow.V4, Workflow.V3, Workflow.V4)
_MATERIALS_DAYS_MAX = 6
_MATERIALS_COME_AT = time(8)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The story and the workflow of one spool."""

    story: Story
    workflow: Workflow


def spool_histories(demo: DemoShop, now: datetime) -> list[SpoolHistory]:
    spools = list(blank_spools())
    assignments = _assignments([spool.tag for spool in spools].index(SHOWN_TAG), demo.rng)
    minutes = iter(demo.rng.sample(HELD_MINUTES, len(HELD_MINUTES)))
    return [_history(spool, each, minutes, demo, now) for spool, each in zip(spools, assignments, strict=True)]


def _assignments(shown: int, rng: Random) -> list[Assignment]:
    """In random order, except that the spool of the documentation gets the story that the documentation shows."""
    found = [Assignment(story, _WORKFLOWS[n % len(_WORKFLOWS)]) for story in STORIES for n in range(story.spools)]
    rng.shuffle(found)
    wanted = found.index(Assignment(SHOWN_STORY, Workflow.V3))
    found[shown], found[wanted] = found[wanted], found[shown]
    return found


def _history(
    spool: Spool, assignment: Assignment, minutes: Iterator[int], demo: DemoShop, now: datetime
) -> SpoolHistory:
    steps = with_interruptions(assignment.story.steps, demo.rng)
    sessions = _sessions(assignment.story, steps, minutes, demo, now)
    history = _prepared(spool, assignment, sessions[0].start if sessions else now, demo)
    for step, session in zip(steps, sessions, strict=True):
        add_step(history, step, session, demo)
    return history


def _sessions(story: Story, steps: Steps, minutes: Iterator[int], demo: DemoShop, now: datetime) -> list[DemoSession]:
    if not steps:
        return []
    zone, rng = demo.shop.zone, demo.rng
    last = still_going(now, next(minutes), rng) if story.still_held else ended(now, zone, rng)
    return sessions_before(last, len(steps), zone, rng)


def _prepared(spool: Spool, assignment: Assignment, first_work: datetime, demo: DemoShop) -> SpoolHistory:
    """The spool before any work: engineering has entered its joints, and its materials came some days earlier."""
    joints = joints_for(spool, demo.shop, demo.rng) if assignment.workflow is Workflow.V4 else []
    day = working_day_before(today(first_work, demo.shop.zone), demo.rng.randint(1, _MATERIALS_DAYS_MAX))
    spool = replace(
        spool,
        version=token(demo.rng),
        total_uniones=len(joints) or None,
        fecha_materiales=day if assignment.story.materials else None,
    )
    came_at = from_wall(datetime.combine(day, _MATERIALS_COME_AT), demo.shop.zone)
    return SpoolHistory(in_its_stage(recompute_progress(spool, joints, demo.shop), came_at), joints)
