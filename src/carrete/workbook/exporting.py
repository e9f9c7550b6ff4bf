"""`carrete export`: writes the ledger into a workbook. The bases are stored first, so that edits can be imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from xlsxwriter.exceptions import XlsxWriterException

from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.ledger.database import Database, Tx
from carrete.ledger.rows import StoredEvent, event_from, joint_from, spool_from
from carrete.ledger.store import NO_JOINT
from carrete.ledger.welding import all_procedures, all_qualifications
from carrete.workbook.bases import base_row, forget_old_bases, utc_text
from carrete.workbook.columns import (
    CALIFICACIONES,
    METADATA,
    N_UNION,
    OPERACIONES,
    ROLES,
    TAG,
    TRABAJADORES,
    UNIONES,
    VERSION,
    WELDING,
    WPS,
    SheetPlan,
)
from carrete.workbook.commits import commit_with_retries
from carrete.workbook.errors import WorkbookError
from carrete.workbook.report import Progress, no_progress
from carrete.workbook.rows import Cells, event_cells, joint_cells, spool_cells
from carrete.workbook.weld_rows import procedure_cells, qualification_cells
from carrete.workbook.xlsx_out import ROWS_MAX, BookWriter

BASES_PER_COMMIT = 2_000
EVENTS_PER_PAGE = 5_000


def export_workbook(
    database: Database, path: Path, shop: Shop, now: datetime, on_progress: Progress = no_progress
) -> int:
    """Returns the number of rows written. The file appears complete or not at all."""
    _require_folder(path)
    with database.reading() as tx:
        spools = [spool_from(row) for row in tx.all("spools_all")]
        listed = {spool.tag for spool in spools}
        joints = [joint for row in tx.all("joints_all") if (joint := joint_from(row)).tag in listed]
    _remember(database, spools, joints, shop, now)
    partial = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        with database.reading() as tx, BookWriter(partial) as book:
            rows = _write(book, tx, spools, joints, shop.zone, on_progress)
        os.replace(partial, path)
    except (OSError, XlsxWriterException) as error:
        raise WorkbookError(f"{path} no se puede escribir: {_cause(error)}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return rows


def write_template(path: Path) -> None:
    """An empty workbook with the sheets and columns that an import reads."""
    with BookWriter(path) as book:
        for plan in (OPERACIONES, UNIONES, TRABAJADORES, ROLES, *WELDING):
            book.write(plan, [])


def _cause(error: Exception) -> str:
    """The library wraps errors of the system, for instance that the disk is full."""
    inner = error.args[0] if isinstance(error, XlsxWriterException) and error.args else error
    return inner.strerror or str(inner) if isinstance(inner, OSError) else str(inner)


def _require_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise WorkbookError(f"No existe la carpeta {path.parent}.")
    if path.is_dir():
        raise WorkbookError(f"{path} es una carpeta; falta el nombre del archivo.")


def _remember(database: Database, spools: list[Spool], joints: list[Joint], shop: Shop, now: datetime) -> None:
    """Stores the base of each row under its current token. Without it, later work on the floor would look like edits
    that the file undoes."""
    zone, when = shop.zone, utc_text(now)
    rows = [base_row(OPERACIONES.name, (s.tag, NO_JOINT), s.version, spool_cells(s, zone), when) for s in spools]
    rows += [base_row(UNIONES.name, (j.tag, j.n_union), j.version, joint_cells(j, zone), when) for j in joints]
    for start in range(0, len(rows), BASES_PER_COMMIT):
        _put(database, rows[start : start + BASES_PER_COMMIT])
    commit_with_retries(database, lambda tx: forget_old_bases(tx, now))


def _put(database: Database, rows: list[dict[str, Any]]) -> None:
    commit_with_retries(database, lambda tx: tx.many("base_put", rows))


def _write(
    book: BookWriter, tx: Tx, spools: list[Spool], joints: list[Joint], zone: ZoneInfo, on_progress: Progress
) -> int:
    workers, roles = tx.all("workers"), tx.all("roles")
    welding = {WPS: _procedure_rows(tx), CALIFICACIONES: _qualification_rows(tx)}
    (events,) = tx.one("events_count") or (0,)
    lengths = [len(spools), len(joints), len(workers), len(roles), *map(len, welding.values())]
    counted = _counting(sum(lengths) + min(events, ROWS_MAX), on_progress)
    rows = book.write(OPERACIONES, counted(_spool_row(spool, zone) for spool in spools))
    rows += book.write(_joint_plan(joints), counted(_joint_row(joint, zone) for joint in joints))
    rows += book.write(TRABAJADORES, counted(_worker_row(*row) for row in workers))
    rows += book.write(ROLES, counted({"Id": str(w), "Rol": rol, "Activo": str(on)} for w, rol, on, _ in roles))
    for plan, of_plan in welding.items():
        rows += book.write(plan, counted(of_plan)) if of_plan else 0
    rows += book.write(METADATA, counted(event_cells(stored, zone) for stored in _events(tx, events)))
    return rows


def _counting(total: int, on_progress: Progress) -> Callable[[Iterable[Cells]], Iterator[Cells]]:
    done = 0

    def counted(rows: Iterable[Cells]) -> Iterator[Cells]:
        nonlocal done
        for row in rows:
            yield row
            done += 1
            if done % 500 == 0 or done == total:
                on_progress(done, total)

    return counted


def _spool_row(spool: Spool, zone: ZoneInfo) -> Cells:
    return {TAG: spool.tag, VERSION: spool.version, **spool_cells(spool, zone)}


def _joint_row(joint: Joint, zone: ZoneInfo) -> Cells:
    return {TAG: joint.tag, N_UNION: str(joint.n_union), VERSION: joint.version, **joint_cells(joint, zone)}


def _procedure_rows(tx: Tx) -> list[Cells]:
    return [{"WPS": one.number, **procedure_cells(one)} for one in all_procedures(tx)]


def _qualification_rows(tx: Tx) -> list[Cells]:
    return [
        {"Worker_ID": str(q.worker_id), "Proceso": q.process, "Documento": q.document, **qualification_cells(q)}
        for q in all_qualifications(tx)
    ]


def _joint_plan(joints: list[Joint]) -> SheetPlan:
    """With the columns of the weld record where at least one joint has any of them."""
    values = attrgetter("wps", "espesor_milli", "espesor_text", "material", "posicion", "colada_1", "colada_2")
    return UNIONES if any(any(value is not None for value in values(j)) for j in joints) else UNIONES.without_optional()


def _worker_row(worker_id: int, nombre: str, apellido: str, activo: int) -> Cells:
    return {"Id": str(worker_id), "Nombre": nombre, "Apellido": apellido, "Activo": str(activo)}


def _events(tx: Tx, count: int) -> Iterator[StoredEvent]:
    """The newest events, as many as a sheet can hold."""
    after = -1
    if count > ROWS_MAX:
        row = tx.one("seq_of_nth_newest", n=ROWS_MAX)
        after = row[0] if row else -1
    while page := tx.all("events_page", after=after, limit=EVENTS_PER_PAGE):
        yield from map(event_from, page)
        after = page[-1][0]
