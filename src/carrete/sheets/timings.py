"""Every period, pause, back-off and time-out of the sheet lane, in seconds, as one value that is passed in."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class LaneTimings:
    """The defaults are what a shop runs with; tests and campaigns pass shorter ones."""

    look_s: float = 1.0  # how often the lane asks the ledger whether there is anything to write
    coalesce_s: float = 2.0  # a change waits this long for others to share its batch
    flush_every_s: float = 2.5
    spools_every_s: float = 12.0  # how often the sheet of spools is read
    joints_every_s: float = 45.0  # how often each other sheet is read

    lease_s: float = 30.0  # a lease that is not renewed ends after this
    lease_retry_s: float = 5.0

    too_fast_s: float = 6.0  # the first pause after Google answered 429; it doubles with each failure
    too_fast_s_max: float = 64.0
    backoff_s: float = 4.0  # the first pause after any other failure; it doubles with each failure
    probe_s: float = 60.0  # the longest such pause, and how often missing tabs are looked for
    after_a_mistake_s: float = 30.0  # the pause after an unexpected exception of our own code

    requests_apart_s_min: float = 1.1  # between two requests to Google
    quota_window_s: float = 60.0  # the window in which Google counts requests
    read_timeout_s: float = 60.0
    write_timeout_s: float = 190.0  # Google gives a request up after 180 s

    reversal_s: float = 60.0  # a row that goes back to an earlier value within this time may be a stale answer

    def scaled(self, factor: float) -> LaneTimings:
        """All of them times `factor`, so that their order stays the same."""
        return LaneTimings(**{name: seconds * factor for name, seconds in asdict(self).items()})


DEFAULT_TIMINGS = LaneTimings()
