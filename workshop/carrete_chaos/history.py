"""What the tablets and the sheet's editor saw: one entry per action, with its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carrete_chaos.identity_log import IdentityLog, TapOrigin
from carrete_chaos.ndt_evidence import NdtEvidence
from carrete_chaos.offline_log import KeptTap, OfflineEvidence

KEEP_ON = "sigo"  # the path of "Sigo yo"


@dataclass(frozen=True, slots=True)
class ActionDone:
    """Answered 200, with the version token that the spool had afterwards."""

    version: str
    accion: str
    seqs: tuple[int, ...] = ()  # of a chain: the last event of each step
    reclamo: str | None = None  # that was made or decided
    exams: tuple[str, ...] = ()  # that it made or closed


@dataclass(frozen=True, slots=True)
class ActionRefused:
    status: int
    code: str
    owner_id: int | None = None
    step: int = 1  # of a chain: the number of the refused step
    reclamo: str | None = None  # that was made of it


@dataclass(frozen=True, slots=True)
class ActionUnanswered:
    """No final answer: the action may have been done once or not at all. `why` is the code of a refusal of identity,
    which ends no tap: on a real tablet it would go on waiting."""

    why: str = ""


Outcome = ActionDone | ActionRefused | ActionUnanswered


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One action under one key, from its first attempt to its final answer."""

    key: str
    worker_id: int
    accion: str  # the last part of the path: tomar, finalizar, …
    tag: str
    operacion: str
    began: float
    ended: float  # infinity without an answer
    outcome: Outcome
    attempts: int = 1
    origin: TapOrigin | None = None  # None in the mode `open`, where nothing is signed
    taps: tuple[KeptTap, ...] = ()  # that were kept without a connection and went out with this request
    more: Mapping[str, Any] = field(default_factory=dict)  # the other fields of its body

    @property
    def takes(self) -> bool:
        return self.accion in ("tomar", "iniciar", "relevo/aceptar")


@dataclass(frozen=True, slots=True)
class TypedCell:
    """A cell of the workbook and the text that somebody typed there, in normal form."""

    sheet: str
    n_union: int  # 0: the row of the spool itself
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """One edit that a person made in the workbook, when, and the cell's value before it."""

    tag: str
    typed: TypedCell
    at: float
    over: str = ""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of the ledger."""

    seq: int
    tag: str
    tipo: str
    worker_id: int | None
    operacion: str | None
    version: str
    holder: str | None  # who held the spool after it
    typed: TypedCell | None = None  # of an EDICION_EXTERNA
    was: str = ""  # what that person saw there
    accepted: bool = True  # False: the edit was refused, and the ledger's value was written back
    device: str | None = None  # where it was tapped, and in which session
    session: str | None = None
    n_union: int | None = None
    tapped: str | None = None  # its time by the tablet's clock, if that was not just now
    reclamo: str | None = None  # that it settles
    giver: int | None = None  # of a RELEVO: who handed the spool over
    text: str | None = None  # of a NOTA
    ndt: Mapping[str, Any] | None = None  # what an event about an examination says
    undone: tuple[tuple[int, bool], ...] = ()  # of a CORRECCION: the joints, and whether their fit-up was undone too


@dataclass(frozen=True, slots=True)
class StoredKey:
    status: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReplacedEdit:
    """A person's cell that a read had shown us and that a write of ours then replaced."""

    edit: SheetEdit
    at: float


SheetRowKey = tuple[str, str, int]  # sheet, tag, joint (0: the spool itself)
Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SheetAtRest:
    """The workbook when the shop is quiet, beside the ledger; all cells in normal form."""

    rows: Mapping[SheetRowKey, Cells]
    ledger: Mapping[SheetRowKey, Cells]
    listed: frozenset[SheetRowKey]  # `/api/sync/status` says that they wait for a person
    events: Sequence[str]  # ids in `Metadata`, from top to bottom
    ledger_events: Sequence[str]  # ids that should be there, in order
    replaced: Sequence[ReplacedEdit] = ()
    trouble: Sequence[str] = ()  # sheets that stopped, leftovers in rows without a key


@dataclass(frozen=True, slots=True)
class CampaignEvidence:
    """Everything that a verdict is based on: the tablets' calls, the ledger, Redis and the workbook."""

    calls: list[ActionCall]
    facts: list[RecordedEvent]
    keys: dict[str, StoredKey]
    holders: dict[str, int]  # of the occupied spools
    locks: dict[str, str] | None = None  # Redis at rest; None when it is not part of the run
    lock_values: dict[str, str] = field(default_factory=dict)  # what the ledger says they should be
    streamed: list[int] | None = None  # what a viewer of the live stream saw; None when there was none
    edits: Sequence[SheetEdit] = ()  # what people did in the workbook
    sheet: SheetAtRest | None = None  # None when no workbook is part of the run
    identity: IdentityLog | None = None  # None in the mode `open`
    offline: OfflineEvidence | None = None  # None when no tablet was offline
    ndt: NdtEvidence | None = None  # None when nobody looked at examinations
