"""A tablet without a connection: what its worker taps is kept, in chains of one spool each, and survives a kill of the
browser. It is sent when the connection is back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from carrete_chaos import shop
from carrete_chaos.offline_log import ALONE, KILLED_OFFLINE, KeptTap
from carrete_chaos.sending import Choice, PreparedTap, TabletFloor, new_key
from carrete_chaos.tablet_device import TabletSession

STEPS_MAX = 6
TAP_EVERY_S_MAX = 0.05
LOOKS_MAX = 200  # as a rule, at a tablet without a connection: in a longer time its worker taps less often
KILLED = 0.1  # of all looks at the tablet
GOES_ON = 0.6  # with a spool on which something was tapped already
HOLDS_IT = 0.5  # of the spools that are begun with: one that this person holds
ALONE_CHANCE = 0.5  # that the ending of a spool in hand was tapped before the tablet knew that the connection is gone
SLOW_CLOCK = datetime(2026, 1, 1, tzinfo=UTC)  # of all tablets


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """A request that waits for the connection: a chain, or one ending alone."""

    tap: PreparedTap
    taps: tuple[KeptTap, ...]

    @property
    def is_alone(self) -> bool:
        return self.tap.choice.accion in ALONE


class TapStorage:
    """What the browser keeps of a page when it is killed."""

    def __init__(self) -> None:
        self._entries: dict[str, KeptEntry] = {}

    def write(self, tag: str, entry: KeptEntry) -> None:
        self._entries[tag] = entry

    def read(self) -> dict[str, KeptEntry]:
        return dict(self._entries)


class OfflineTablet:
    """One spell without a connection, of the person who is signed in."""

    def __init__(self, floor: TabletFloor, session: TabletSession, holding: Mapping[str, str], rng: Random) -> None:
        self._floor = floor
        self._session = session
        self._holding = dict(holding)
        self._rng = rng
        self._storage = TapStorage()
        self._page: dict[str, KeptEntry] = {}

    async def work(self, seconds: float) -> list[KeptEntry]:
        """Returns the entries that are to be sent when the connection is back."""
        until, every_s_max = self._floor.clock() + seconds, max(TAP_EVERY_S_MAX, 2 * seconds / LOOKS_MAX)
        while await self._floor.stays_open(self._rng.uniform(0, every_s_max)) and self._floor.clock() < until:
            if self._rng.random() < KILLED:
                self._floor.log.happened[KILLED_OFFLINE] += bool(self._page)
                self._page = self._storage.read()
            else:
                self._tap()
        return list(self._page.values())

    def _tap(self) -> None:
        tag = self._choose()
        if tag is None:
            return
        entry = self._page.get(tag)
        operacion = self._would_hold(tag)
        if operacion is None:
            self._keep(self._take(tag))
        elif entry is None and tag in self._holding and self._rng.random() < ALONE_CHANCE:
            self._keep(self._end(tag, operacion), alone=True)
        else:
            self._keep(self._end(tag, operacion))

    def _choose(self) -> str | None:
        """None once every spool of the chosen kind waits with an entry that takes no further step."""
        chains = [tag for tag, entry in self._page.items() if not entry.is_alone and len(entry.taps) < STEPS_MAX]
        if chains and self._rng.random() < GOES_ON:
            return self._rng.choice(chains)
        held = sorted(self._holding.keys() - self._page.keys())
        if held and self._rng.random() < HOLDS_IT:
            return self._rng.choice(held)
        closed = self._page.keys() - set(chains)
        every = self._rng.choice((self._floor.whole, self._floor.jointed))
        choices = [tag for tag in every if tag not in closed] or chains
        return self._rng.choice(choices) if choices else None

    def _would_hold(self, tag: str) -> str | None:
        """The operation for which this person would hold the spool."""
        entry = self._page.get(tag)
        if entry is None:
            return self._holding.get(tag)
        last = entry.taps[-1]
        return last.operacion if last.accion in ("TOMAR", "INICIAR") else None

    def _take(self, tag: str) -> KeptTap:
        operacion = self._rng.choices(("ARM", "SOLD", "REPARACION"), (6, 4, 1))[0]
        by_joint = self._floor.is_jointed(tag) and operacion != "REPARACION"
        return self._kept_tap(tag, "INICIAR" if by_joint else "TOMAR", operacion)

    def _end(self, tag: str, operacion: str) -> KeptTap:
        if self._floor.is_jointed(tag) and operacion != "REPARACION":
            ticked = self._rng.sample(range(1, shop.JOINTS + 1), self._rng.choice((0, 1, 2, 3, 4)))
            return self._kept_tap(tag, "FINALIZAR", operacion, tuple(sorted(ticked)))
        return self._kept_tap(tag, self._rng.choices(("PAUSAR", "CANCELAR", "COMPLETAR"), (3, 1, 4))[0], operacion)

    def _kept_tap(self, tag: str, accion: str, operacion: str, ticked: tuple[int, ...] | None = None) -> KeptTap:
        at = (SLOW_CLOCK + timedelta(seconds=len(self._floor.kept))).isoformat(timespec="seconds")
        return KeptTap(self._session.worker_id, self._session.id, tag, accion, operacion, at, ticked)

    def _keep(self, tap: KeptTap, alone: bool = False) -> None:
        """A longer chain replaces the shorter one, under a new key. The worker sees "guardado" once it is stored."""
        before = self._page.get(tap.tag)
        taps = (*(before.taps if before else ()), tap)
        choice = _ending_alone(tap) if alone else Choice("cadena", tap.tag, tap.operacion, _steps(taps))
        signed = self._session.sign(choice, None, new_key(self._rng), time=tap.hecho_en)
        entry = KeptEntry(signed, taps)
        self._storage.write(tap.tag, entry)
        self._page[tap.tag] = entry
        self._floor.kept.append(tap)


def _steps(taps: tuple[KeptTap, ...]) -> dict[str, object]:
    return {"pasos": [tap.step for tap in taps]}


def _ending_alone(tap: KeptTap) -> Choice:
    ticked = {"selected_unions": list(tap.uniones)} if tap.uniones is not None else {}
    return Choice(tap.accion.lower(), tap.tag, tap.operacion, ticked)


def claim(entry: KeptEntry, session: TabletSession, rng: Random) -> PreparedTap:
    """The work of a refused ending, claimed with the key of the refusal."""
    (tap,) = entry.taps
    choice = Choice("reclamar", tap.tag, tap.operacion, {**_steps(entry.taps), "clave": entry.tap.key})
    return session.sign(choice, None, new_key(rng))
