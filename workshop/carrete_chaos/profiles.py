"""How long a campaign is, how large, and how hard it tries."""

from __future__ import annotations

from dataclasses import dataclass, field

from carrete_chaos.happenings import ALWAYS, WITH_TIME
from carrete_chaos.proxy import NetworkFaultRates


@dataclass(frozen=True, slots=True)
class IdentityPace:
    """How often a tablet changes hands, is revoked, a PIN is guessed, and how often and long it has no connection.
    Each sign-in costs the servers tens of milliseconds of a core."""

    hands_every_s: tuple[float, float] = (6.0, 18.0)
    revoke_every_s: tuple[float, float] = (4.0, 12.0)
    guess_every_s: tuple[float, float] = (0.5, 1.5)
    offline_every_s: tuple[float, float] = (6.0, 20.0)
    offline_s: tuple[float, float] = (1.0, 5.0)
    far_away: float = 0.0  # of the times without a connection that last for minutes
    decides: float = 0.4  # of what a supervisor does, about reclamos
    rivals: float = 0.3  # of these decisions that two supervisors make at the same moment
    misuse: float = 0.01  # of all taps that name a colleague, and of those that use a colleague's key
    wanted: tuple[str, ...] = ALWAYS  # a run without one of them is red


@dataclass(frozen=True, slots=True)
class Profile:
    seconds: float
    tablets: int
    spools: int  # of each workflow
    fault_every_s: tuple[float, float]
    actions_min: int
    pace: float = 1.0  # of the faults
    faults: frozenset[str] | None = None  # None: all that this machine can do
    network: NetworkFaultRates = field(default_factory=NetworkFaultRates)
    slower_max: float = 3.0  # than the machine for which the profiles were made
    rest_s_max: float = 60.0  # for the locks to heal and the sheet to be written
    haste: float | None = 1.0  # of what the lane waits in a shop; None: no workbook
    edit_every_s: tuple[float, float] = (0.2, 1.0)
    identity: IdentityPace = field(default_factory=IdentityPace)


_FAR = IdentityPace(far_away=0.04, wanted=WITH_TIME)
_BRISK = IdentityPace((2.0, 6.0), (0.5, 2.0), (0.2, 0.6), (0.5, 3.0), (0.2, 1.0), decides=0.6, rivals=0.7)
PROFILES = {
    "S": Profile(
        6, 16, 12, (0.05, 0.2), actions_min=300, pace=0.3, haste=0.1, edit_every_s=(0.1, 0.4), identity=_BRISK
    ),
    "M": Profile(120, 24, 30, (0.5, 2.0), actions_min=10_000, haste=0.2, identity=_FAR),
    "L": Profile(900, 40, 60, (1.0, 5.0), actions_min=60_000, haste=0.5, rest_s_max=180.0, identity=_FAR),
}
