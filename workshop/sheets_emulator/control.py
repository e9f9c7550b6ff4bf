"""`/_control`: what people do in the workbook, faults, barriers, the clock and the oracle. Uses up no quota."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sheets_emulator import a1, people, workbooks
from sheets_emulator.accounts import EMAIL
from sheets_emulator.emulator import Emulator, Options, Outage
from sheets_emulator.errors import ApiError, Json, invalid
from sheets_emulator.faults import HOLD_S_MAX
from sheets_emulator.journal import plain
from sheets_emulator.values import render_for, rows_of

ROOT = "/_control"
GRID_ROWS_MAX = 500
FAILED_MAX = 1_000


class Control:
    """One method per path; `outage_changed` is called when the API's port may have to close or open."""

    def __init__(self, emulator: Emulator, outage_changed: Callable[[], None] = lambda: None) -> None:
        self._emulator = emulator
        self._outage_changed = outage_changed
        self._failed: deque[str] = deque(maxlen=FAILED_MAX)

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json) -> Json:
        parts = [part for part in path.removeprefix(ROOT).split("/") if part]
        params = {name: values[0] for name, values in query.items()} | body
        name = f"{method.lower()}_{parts[0].replace('-', '_')}" if parts else ""
        found: Callable[..., Json] | None = getattr(self, name, None) if name else None
        if found is None:
            raise ApiError(404, f"Nothing at {method} {path}.")
        self._emulator.run_due()
        try:
            return found(*parts[1:], params)
        except (KeyError, TypeError, ValueError) as error:
            raise invalid(f"{method} {path}: {error!r}") from None

    # ─── people ───────────────────────────────────────────────────────────────────────────────────────────

    def post_person(self, act: str, params: Json) -> Json:
        file_id, _ = people.file_of(self._emulator, params)
        if act == "undo":
            return people.undo(self._emulator, file_id)
        if act == "restore":
            return {"revision": self._emulator.restore(file_id, int(params["revision"]))}
        if act == "replace_by_copy":
            return people.replace_by_copy(self._emulator, file_id, params.get("title"))
        return people.act(self._emulator, file_id, act, params)

    def post_share(self, params: Json) -> Json:
        """with: a list of addresses, or null for everybody."""
        _, file = people.file_of(self._emulator, params)
        file.shared_with = None if params["with"] is None else set(params["with"])
        return {"with": params["with"]}

    def post_trash(self, params: Json) -> Json:
        _, file = people.file_of(self._emulator, params)
        file.trashed = True
        return {}

    # ─── workbooks ────────────────────────────────────────────────────────────────────────────────────────

    def post_workbook(self, params: Json) -> Json:
        tabs = [
            workbooks.Tab(**{**tab, "formats": {int(c): form for c, form in (tab.get("formats") or {}).items()}})
            for tab in params["tabs"]
        ]
        book = workbooks.make_book(
            self._emulator,
            params.get("title", "Libro"),
            tabs,
            id_=params.get("id"),
            locale=params.get("locale", "es_CL"),
        )
        return {"spreadsheetId": book.id, "sheetIds": {sheet.title: sheet.sheet_id for sheet in book.sheets}}

    def get_workbook(self, params: Json) -> Json:
        file_id, file = people.file_of(self._emulator, params)
        book = file.book
        tabs = [
            {
                "title": s.title,
                "sheetId": s.sheet_id,
                "rows": s.row_count,
                "columns": s.column_count,
                "used": s.last_row,
            }
            for s in book.sheets
        ]
        kept = [{"revision": one.book.revision, "then": one.what} for one in file.history]
        return {"spreadsheetId": file_id, "title": book.title, "revision": book.revision, "tabs": tabs, "history": kept}

    def get_grid(self, params: Json) -> Json:
        """A tab as people see it; only the number of the revision if that is the one that the caller already has."""
        _, file = people.file_of(self._emulator, params)
        book = file.book
        if params.get("revision") == str(book.revision):
            return {"revision": book.revision}
        sheet = book.titled(params["sheet"])
        if sheet is None:
            raise invalid(f"There is no tab {params['sheet']}.")
        top = int(params.get("from", 0))
        bottom = min(top + int(params.get("rows", GRID_ROWS_MAX)), sheet.row_count)
        area = a1.Area(sheet.sheet_id, top, bottom, 0, sheet.column_count)
        now = self._emulator.local_time(book)
        option = params.get("render", "FORMATTED_VALUE")
        marks = [
            [row, column, mark.person, mark.revision]
            for row in range(top, bottom)
            for column, mark in sheet.rows[row].writers.items()
        ]
        return {
            "revision": book.revision,
            "rowCount": sheet.row_count,
            "columnCount": sheet.column_count,
            "rows": rows_of(book, area, render_for(book, option, params.get("dates"), now)),
            "written": marks,
        }

    def get_cell(self, params: Json) -> Json:
        _, file = people.file_of(self._emulator, params)
        area = a1.parse(file.book, f"{a1.quoted(params['sheet'])}!{params['cell']}")
        row = file.book.sheet(area.sheet_id).rows[area.top]
        mark = row.writers.get(area.left)
        writer = None if mark is None else {"person": mark.person, "act": mark.act, "revision": mark.revision}
        return {"value": plain(row.get(area.left)), "writer": writer, "format": row.formats.get(area.left)}

    def post_snapshot(self, params: Json) -> Json:
        workbooks.save(self._emulator, Path(params["file"]))
        return {}

    # ─── what goes wrong ──────────────────────────────────────────────────────────────────────────────────

    def post_fault(self, params: Json) -> Json:
        return {"id": self._emulator.faults.add(params)}

    def get_fault(self, _params: Json) -> Json:
        return {"faults": self._emulator.faults.waiting()}

    def delete_fault(self, _params: Json) -> Json:
        self._emulator.faults.clear()
        return {}

    def post_barrier(self, *rest: Any) -> Json:
        if len(rest) == 1:
            return self._emulator.barriers.add(rest[0]).as_json()
        number, verb, _ = rest
        if verb != "release":
            raise ValueError(verb)
        self._emulator.barriers.release(int(number))
        return {}

    def get_barrier(self, number: str, params: Json) -> Json:
        """With wait_s: answers as soon as the barrier holds a request."""
        barrier = self._emulator.barriers.get(int(number))
        barrier.met.wait(min(float(params.get("wait_s", 0)), HOLD_S_MAX))
        return barrier.as_json()

    def delete_barrier(self, _params: Json) -> Json:
        self._emulator.barriers.release_all()
        return {}

    def post_outage(self, params: Json) -> Json:
        """mode refuse or reset, after_s and for_s on the emulator's clock."""
        begins = self._emulator.clock.seconds() + float(params.get("after_s", 0))
        lasts = float(params["for_s"]) if params.get("for_s") is not None else float("inf")
        self._emulator.outage = Outage(begins, begins + lasts, params.get("mode", "refuse") == "refuse")
        self._outage_changed()
        return {}

    def delete_outage(self, _params: Json) -> Json:
        self._emulator.outage = None
        self._outage_changed()
        return {}

    def post_token(self, verb: str, _params: Json) -> Json:
        if verb != "expire":
            raise ValueError(verb)
        self._emulator.accounts.expire_all()
        return {}

    def post_later(self, _params: Json) -> Json:
        """Carries out now everything that was scheduled for later."""
        return {"done": self._emulator.run_all()}

    def get_later(self, _params: Json) -> Json:
        """How many scheduled steps wait, and which steps of a script failed when their time came."""
        return {"waiting": self._emulator.waiting, "failed": list(self._failed)}

    def post_script(self, params: Json) -> Json:
        """A timed list: each step is a path of this control with its body, after_s from now."""
        for step in params["steps"]:
            self._schedule(
                float(step["after_s"]), step.get("method", "POST"), str(step["path"]), step.get("body") or {}
            )
        return {"steps": len(params["steps"])}

    def _schedule(self, after_s: float, method: str, path: str, body: Json) -> None:
        full = path if path.startswith(ROOT) else f"{ROOT}/{path.strip('/')}"

        def do() -> None:
            try:
                self.answer(method, full, {}, body)
            except ApiError as error:
                self._failed.append(f"{method} {full}: {error.message}")

        self._emulator.later(after_s, do)

    # ─── clock, options, quota ────────────────────────────────────────────────────────────────────────────

    def get_clock(self, _params: Json) -> Json:
        clock = self._emulator.clock
        return {"now": clock.now().isoformat(), "seconds": clock.seconds(), "running": clock.running}

    def post_clock(self, params: Json) -> Json:
        clock = self._emulator.clock
        if "running" in params:
            clock.run(bool(params["running"]))
        if "set" in params:
            clock.set(datetime.fromisoformat(params["set"]))
        self._emulator.advance(timedelta(seconds=float(params.get("advance_s", 0))))
        self._outage_changed()
        return self.get_clock({})

    def get_options(self, _params: Json) -> Json:
        return asdict(self._emulator.options)

    def post_options(self, params: Json) -> Json:
        unknown = set(params) - set(Options.__slots__)
        if unknown:
            raise invalid(f"No such option: {', '.join(sorted(unknown))}.")
        for name, value in params.items():
            setattr(self._emulator.options, name, value)
        return self.get_options({})

    def post_quota(self, params: Json) -> Json:
        """per_user, per_project, enforced; spend: {kind, count, user} uses some up, as another client would."""
        limits = self._emulator.quota.limits
        for name in ("per_user", "per_project", "enforced"):
            if name in params:
                setattr(limits, name, params[name])
        if spend := params.get("spend"):
            kind, user = str(spend["kind"]).title(), spend.get("user", "somebody-else")
            self._emulator.quota.spend(kind, user, int(spend["count"]), self._emulator.clock.seconds())
        return asdict(limits)

    # ─── oracle ───────────────────────────────────────────────────────────────────────────────────────────

    def get_log(self, params: Json) -> Json:
        return {"requests": self._emulator.journal.entries(int(params.get("after", 0)))}

    def delete_log(self, _params: Json) -> Json:
        self._emulator.journal.clear()
        return {}

    def get_oracle(self, what: str, params: Json) -> Json:
        _, file = people.file_of(self._emulator, params)
        journal = self._emulator.journal
        with self._emulator.lock:
            if what == "audit":
                return journal.audit(file.book, params.get("sheet", "Metadata"), params.get("column", "ID"))
            if what == "quota":
                return {"minutes": self._emulator.quota.use()}
            if what not in ("lost", "overwritten", "misdirected"):
                raise ValueError(what)
            return {what: getattr(journal, what)(file.book)}

    def post_oracle(self, what: str, params: Json) -> Json:
        """keys: for each tab the headers of the columns that identify a row."""
        if what != "keys":
            raise ValueError(what)
        self._emulator.journal.keys |= {title: tuple(names) for title, names in params["keys"].items()}
        return {}

    def get_service_account(self, params: Json) -> Json:
        return self._emulator.accounts.service_account(params["token_uri"], params.get("email") or EMAIL)
