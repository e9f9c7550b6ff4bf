"""Which spools a dossier is about, and in what form it is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from carrete.dossier.refusals import DossierEmpty, DossierTooLarge
from carrete.ledger.database import Tx

SPOOLS_MAX = 200
WORK_ORDERS_MAX = 2_000


class DossierFormat(StrEnum):
    PDF = "pdf"
    XLSX = "xlsx"


@dataclass(frozen=True, slots=True)
class DossierChoice:
    """The spools of a work order, or these spools in this order."""

    tags: tuple[str, ...] = ()
    ot: str = ""
    with_photos: bool = False

    @property
    def scope(self) -> str:
        return "OT" if self.ot else "SPOOL" if len(self.tags) == 1 else "LISTA"

    @property
    def scope_name(self) -> str:
        return self.ot or (self.tags[0] if len(self.tags) == 1 else "")


@dataclass(frozen=True, slots=True)
class DossierWorkOrder:
    ot: str
    spools: int
    approved: int
    joints: int


def chosen_tags(tx: Tx, choice: DossierChoice) -> list[str]:
    if not choice.ot:
        return _bounded(list(dict.fromkeys(choice.tags)))
    found = [tag for (tag,) in tx.all("dossier_tags_of_ot", ot=choice.ot, limit=SPOOLS_MAX + 1)]
    if not found:
        raise DossierEmpty(choice.ot)
    return _bounded(found)


def _bounded(tags: list[str]) -> list[str]:
    if len(tags) > SPOOLS_MAX:
        raise DossierTooLarge(f"Son más de {SPOOLS_MAX} spools. Elija menos para cada dossier.")
    return tags


def work_orders(tx: Tx) -> list[DossierWorkOrder]:
    return [DossierWorkOrder(*row) for row in tx.all("dossier_work_orders", limit=WORK_ORDERS_MAX)]
