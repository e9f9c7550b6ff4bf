"""The workbook of a campaign: the Sheets emulator on a port of this machine, filled as engineering would fill it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from carrete.domain.shop import Shop
from carrete.sheets.structure import SELLO
from carrete.workbook.columns import METADATA, OPERACIONES, ROLES, TRABAJADORES, UNIONES, SheetPlan
from carrete_chaos import shop
from sheets_emulator.emulator import Emulator
from sheets_emulator.model import Book
from sheets_emulator.server import Server
from sheets_emulator.workbooks import Tab, make_book

BOOK = "planilla"


class Google:
    def __init__(self, folder: Path, seed: int, haste: float) -> None:
        self.emulator = Emulator(seed)
        self.emulator.quota.limits.enforced = (
            False  # the lane is faster here than in a shop; the quota has its own tests
        )
        self.haste = haste
        self.shop = Shop()
        self._server = Server(self.emulator)
        self._key = folder / "service-account.json"
        self._is_started = False

    @property
    def environment(self) -> dict[str, str]:
        return {
            "GOOGLE_SHEET_ID": BOOK,
            "GOOGLE_APPLICATION_CREDENTIALS": str(self._key),
            "CARRETE_SHEETS_URL": self._server.url,
        }

    @property
    def book(self) -> Book:
        return self.emulator.file(BOOK).book

    def start(self, workers: int, spools: int) -> None:
        make_book(self.emulator, "Taller", _tabs(workers, spools), id_=BOOK)
        self._key.write_text(json.dumps(self.emulator.accounts.service_account(self._server.token_uri)))
        self._server.start()
        self._is_started = True

    def calm(self) -> None:
        """Removes all faults and barriers, and delivers delayed requests."""
        self.emulator.faults.clear()
        self.emulator.barriers.release_all()
        self.emulator.run_all()

    def stop(self) -> None:
        """Also works if the emulator was never started, so that a campaign that failed early shows that error."""
        if self._is_started:
            self._server.stop()


def _tabs(workers: int, spools: int) -> list[Tab]:
    """The columns that people fill in; the lane adds Carrete's own."""
    people = shop.people(workers)
    materiales = shop.MATERIALES.strftime("%d-%m-%Y")
    whole = [{"TAG_SPOOL": tag, "Fecha_Materiales": materiales} for tag in shop.whole_tags(spools)]
    tags = shop.jointed_tags(spools)
    jointed = [{"TAG_SPOOL": t, "Fecha_Materiales": materiales, "Total_Uniones": shop.JOINTS} for t in tags]
    joints = [
        {"TAG_SPOOL": tag, "N_UNION": n, "DN_UNION": n, "TIPO_UNION": shop.TIPO}
        for tag in tags
        for n in range(1, shop.JOINTS + 1)
    ]
    staff = [{"Id": who.id, "Nombre": who.nombre, "Apellido": who.apellido, "Activo": True} for who in people]
    roles = [{"Id": who.id, "Rol": rol.value, "Activo": True} for who in people for rol in sorted(who.roles)]
    return [
        _tab(OPERACIONES, [*whole, *jointed], SELLO),
        _tab(UNIONES, joints, SELLO),
        _tab(TRABAJADORES, staff),
        _tab(ROLES, roles),
        _tab(METADATA, []),
    ]


def _tab(plan: SheetPlan, rows: Sequence[Mapping[str, Any]], *extra: str) -> Tab:
    header = [*(column.name for column in plan.columns), *extra]
    return Tab(plan.name, [header, *([row.get(name, "") for name in header] for row in rows)])
