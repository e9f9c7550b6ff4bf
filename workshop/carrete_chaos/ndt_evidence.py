"""Examinations of welds at rest, for the rules of NDT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination
from carrete.domain.ndt.policy import NdtRule
from carrete.domain.ndt.sampling import SampleGroup


@dataclass(frozen=True, slots=True)
class NdtEvidence:
    """Examinations, sampling counters, joints and the shop's rules at rest."""

    exams: Sequence[Examination]
    groups: Sequence[SampleGroup]
    rules: Sequence[NdtRule]
    additional: int
    joints: Sequence[Joint] = ()
    spools: Mapping[str, str] = field(default_factory=dict)  # what each spool's row says about its examinations
