"""What a shop decided about examinations: its methods, its sampling rules, and what a rejection leads to."""

from __future__ import annotations

from dataclasses import dataclass

from carrete.domain.joint_types import comparable_type

METHODS = ("VT", "PT", "MT", "RT", "UT", "PMI")
DEFECTS = ("POROSIDAD", "ESCORIA", "FALTA_FUSION", "FALTA_PENETRACION", "SOCAVADO", "GRIETA", "OTRO")


@dataclass(frozen=True, slots=True)
class NdtRule:
    """Examine so many per cent of the welds of each welder in each OT. `ot` and `types` narrow it: empty means all.
    `seed` is made with the rule and never changes, so that everybody can check which joints it selects."""

    id: str
    method: str
    percent: int
    seed: str
    ot: str = ""
    types: frozenset[str] = frozenset()

    def covers(self, ot: str, tipo: str | None) -> bool:
        """A whole v3.0 spool has no type: only a rule for all types covers it."""
        return self.ot in ("", ot) and (not self.types or comparable_type(tipo) in self.types)


@dataclass(frozen=True, slots=True)
class NdtPolicy:
    methods: tuple[str, ...] = METHODS
    defects: tuple[str, ...] = DEFECTS
    rules: tuple[NdtRule, ...] = ()
    additional: int = 0  # how many more joints of the same welder a rejection calls for; 0: none
    counts_in_cycle: bool = False  # a rejected examination is a rejection of the spool too
    blocks_approval: bool = True  # a spool with an open examination cannot be approved

    @property
    def follows_welds(self) -> bool:
        """Whether a new weld can lead to an examination that nobody asked for by hand."""
        return bool(self.rules) or self.additional > 0


DEFAULT_NDT = NdtPolicy()
