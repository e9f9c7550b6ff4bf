"""The checks of `carrete doctor` for the pages of one process: one examination at a time, kept for some seconds."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from carrete.findings import Finding
from carrete.settings import Settings

KEPT_S = 5.0
WAIT_S_MAX = 8.0  # a page waits no longer; Google alone may take longer to say that it does not answer


@dataclass(slots=True)
class _Examination:
    task: asyncio.Task[None]
    begun_at: float
    found: list[Finding] = field(default_factory=list)


class LatestExamination:
    """Pages that ask while an examination runs wait for it: however often they ask, there is one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._run: _Examination | None = None

    async def findings(self) -> tuple[list[Finding], bool]:
        """What was found, and whether that is all."""
        run = self._run
        if run is None or (run.task.done() and time.monotonic() - run.begun_at > KEPT_S):
            run = self._run = self._begin()
        await asyncio.wait([run.task], timeout=WAIT_S_MAX)
        if run.task.done():
            run.task.result()  # raises what was not foreseen
        return list(run.found), run.task.done()

    def _begin(self) -> _Examination:
        found: list[Finding] = []
        return _Examination(asyncio.create_task(asyncio.to_thread(self._examine, found)), time.monotonic(), found)

    def _examine(self, found: list[Finding]) -> None:
        from carrete.doctor import examine  # loads the client for Google, which a server without a sheet does not need

        for finding in examine(self._settings):
            found.append(finding)  # noqa: PERF402 - each is visible at once to a page that waits no longer
