"""Judges whether a process stayed as small as it was: compares the last tenth of the samples with the first tenth.

The first samples are left out: caches fill, memory pools find their size. The median of each tenth is compared, so that
one sample during a clean-up or a rewritten file changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from carrete_bench.soak.samples import ResourceSample

WARM_UP_SHARE = 0.1  # of all samples
TENTH = 0.1
SAMPLES_MIN = 10


@dataclass(frozen=True, slots=True)
class GrowthLimit:
    """How much a figure of the samples may grow from the first tenth to the last."""

    figure: str
    what: str
    most: float


LIMITS = (
    GrowthLimit("memory_mb", "memory: MB", 8.0),
    GrowthLimit("redis_mb", "memory of the embedded Redis: MB", 4.0),
    GrowthLimit("redis_connections", "connections to Redis", 50),  # as many as its pool may have
    GrowthLimit("handles", "open handles beside these", 3),
    GrowthLimit("threads", "threads", 2),
    GrowthLimit("files", "files", 2),
    GrowthLimit("other_kb", "files beside the ledger's and Redis's: kB", 64.0),
    GrowthLimit("redis_file_mb", "file of the embedded Redis: MB", 128.0),  # it begins anew at 64 MB or twice its size
)


@dataclass(frozen=True, slots=True)
class GrowthVerdict:
    what: str
    first: float
    last: float
    most: float
    flat: bool


def judged(samples: Sequence[ResourceSample]) -> list[GrowthVerdict]:
    assert len(samples) >= SAMPLES_MIN, "too few samples to compare"
    return [_verdict(limit, [float(getattr(sample, limit.figure)) for sample in samples]) for limit in LIMITS]


def _verdict(limit: GrowthLimit, figures: Sequence[float]) -> GrowthVerdict:
    tenth = max(1, round(len(figures) * TENTH))
    warm = round(len(figures) * WARM_UP_SHARE)
    first, last = median(figures[warm : warm + tenth]), median(figures[-tenth:])
    return GrowthVerdict(limit.what, first, last, limit.most, last - first <= limit.most)
