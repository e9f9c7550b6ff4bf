"""When the lane reads which sheet, when it flushes, and how long it pauses after a failure. On the monotonic clock."""

from __future__ import annotations

import random
from collections.abc import Iterable

from carrete.sheets.clock import Clock
from carrete.sheets.google.errors import Denied, GuardRefused, SheetsError, TabGone, TooFast
from carrete.sheets.structure import SPOOLS
from carrete.sheets.timings import LaneTimings

DOUBLINGS_MAX = 5  # of the pause, one with each failure


class LaneSchedule:
    def __init__(self, clock: Clock, timings: LaneTimings) -> None:
        self._clock = clock
        self._timings = timings
        self._flush_at = 0.0
        self._read_at: dict[str, float] = {}  # by sheet
        self._tabs_at = 0.0
        self._work_since: float | None = None
        self._paused_until = 0.0
        self._failures = 0  # in a row

    # ─── what is due ──────────────────────────────────────────────────────────────────────────────────────────

    def pause_left_s(self) -> float:
        """Not positive when there is no pause."""
        return self._paused_until - self._clock.monotonic()

    def start_tab_search(self, now: float) -> bool:
        """Whether the list of tabs may be asked for now. If so, the next time is `probe_s` later."""
        if now < self._tabs_at:
            return False
        self._tabs_at = now + self._timings.probe_s
        return True

    def sheets_due(self, sheets: Iterable[str], now: float) -> set[str]:
        return {sheet for sheet in sheets if now >= self._read_at.get(sheet, 0.0)}

    def note_work(self, now: float, *, waiting: bool) -> None:
        """Remembers since when something waits to be written."""
        self._work_since = (self._work_since or now) if waiting else None

    def flush_is_due(self, now: float) -> bool:
        return self._work_since is not None and now >= self._flush_at

    def work_age_s(self, now: float) -> float:
        return now - (self._work_since or now)

    def all_read(self, sheets: Iterable[str]) -> bool:
        return all(sheet in self._read_at for sheet in sheets)

    # ─── what happened ────────────────────────────────────────────────────────────────────────────────────────

    def cycle_done(self, read: Iterable[str], again: Iterable[str], *, flushed: bool, more: bool) -> None:
        """`again`: sheets to read again soon. `more`: not everything that waits fitted into the batch."""
        now = self._clock.monotonic()
        soon = now + self._timings.flush_every_s
        for sheet in read:
            every_s = self._timings.spools_every_s if sheet == SPOOLS.name else self._timings.joints_every_s
            self._read_at[sheet] = now + every_s
        for sheet in again:
            self._read_at[sheet] = min(soon, self._read_at.get(sheet, soon))
        if flushed:
            self._flush_at = soon
            self._work_since = now if more else None
        self._failures = 0  # only now: in a cycle that fails, the read may succeed and the write not

    def pause_after(self, error: SheetsError) -> float:
        """Starts a pause, longer with each failure in a row; its seconds. Tabs are looked for again after it."""
        self._failures += 1
        grown: float = 2 ** min(self._failures - 1, DOUBLINGS_MAX) * random.uniform(1.0, 1.3)
        match error:
            case TooFast():
                pause_s = min(self._timings.too_fast_s * grown, self._timings.too_fast_s_max)
            case Denied() | GuardRefused():
                pause_s = self._timings.probe_s
            case TabGone():
                pause_s = self._timings.backoff_s
            case _:
                pause_s = min(self._timings.backoff_s * grown, self._timings.probe_s)
        self._tabs_at = 0.0
        self._paused_until = self._clock.monotonic() + pause_s
        return pause_s
