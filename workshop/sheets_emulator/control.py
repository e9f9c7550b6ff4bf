"""`/_control`: people's hands, faults, barriers, the clock and the oracle. Nothing here counts for any quota."""

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
    """One method per path; `outage_changed` is told when the API's door must close or open."""

    def __init__(self, emulator: Emulator, outage_changed: Callable[[], None] = lambda: None) -> None:
        self._emulator = emulator
        self._outage_changed = outage_changed
        self._failed: deque[str] = deque(maxlen=FAILED_MAX)

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json) -> Json:
        parts = [part for part in path.removeprefix(ROOT).split("/") if part]
        said = {name: values[0] for name, values in query.items()} | body
        name = f"{method.lower()}_{parts[0].replace('-', '_')}" if parts else ""
        found: Callable[..., Json] | None = getattr(self, name, None) if name else None
        if found is None:
            raise ApiError(404, f"Nothing at {method} {path}.")
        self._emulator.run_due()
        try:
            return found(*parts[1:], said)
        except (KeyError, TypeError, ValueError) as error:
            raise invalid(f"{method} {path}: {error!r}") from None

    # ─── people ───────────────────────────────────────────────────────────────────────────────────────────

    def post_person(self, act: str, said: Json) -> Json:
        file_id, _ = people.file_of(self._emulator, said)
        if act == "undo":
            return people.undo(self._emulator, file_id)
        if act == "restore":
            return {"revision": self._emulator.restore(file_id, int(said["revision"]))}
        if act == "replace_by_copy":
            return people.replace_by_copy(self._emulator, file_id, said.get("title"))
        return people.act(self._emulator, file_id, act, said)

    def post_share(self, said: Json) -> Json:
        """with: a list of addresses, or null for everybody."""
        _, file = people.file_of(self._emulator, said)
        file.shared_with = None if said["with"] is None else set(said["with"])
        return {"with": said["with"]}

    def post_trash(self, said: Json) -> Json:
        _, file = people.file_of(self._emulator, said)
        file.trashed = True
        return {}

    # ─── workbooks ────────────────────────────────────────────────────────────────────────────────────────

    def post_workbook(self, said: Json) -> Json:
        tabs = [
            workbooks.Tab(**{**tab, "formats": {int(c): form for c, form in (tab.get("formats") or {}).items()}})
            for tab in said["tabs"]
        ]
        book = workbooks.make_book(
            self._emulator, said.get("title", "Libro"), tabs, id_=said.get("id"), locale=said.get("locale", "es_CL")
        )
        return {"spreadsheetId": book.id, "sheetIds": {sheet.title: sheet.sheet_id for sheet in book.sheets}}

    def get_workbook(self, said: Json) -> Json:
        file_id, file = people.file_of(self._emulator, said)
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

    def get_grid(self, said: Json) -> Json:
        """A tab as people see it; only what changed when the revision they have is said."""
        _, file = people.file_of(self._emulator, said)
        book = file.book
        if said.get("revision") == str(book.revision):
            return {"revision": book.revision}
        sheet = book.titled(said["sheet"])
        if sheet is None:
            raise invalid(f"There is no tab {said['sheet']}.")
        top = int(said.get("from", 0))
        bottom = min(top + int(said.get("rows", GRID_ROWS_MAX)), sheet.row_count)
        area = a1.Area(sheet.sheet_id, top, bottom, 0, sheet.column_count)
        now = self._emulator.local_time(book)
        option = said.get("render", "FORMATTED_VALUE")
        marks = [
            [row, column, mark.person, mark.revision]
            for row in range(top, bottom)
            for column, mark in sheet.rows[row].writers.items()
        ]
        return {
            "revision": book.revision,
            "rowCount": sheet.row_count,
            "columnCount": sheet.column_count,
            "rows": rows_of(book, area, render_for(book, option, said.get("dates"), now)),
            "written": marks,
        }

    def get_cell(self, said: Json) -> Json:
        _, file = people.file_of(self._emulator, said)
        area = a1.parse(file.book, f"{a1.quoted(said['sheet'])}!{said['cell']}")
        row = file.book.sheet(area.sheet_id).rows[area.top]
        mark = row.writers.get(area.left)
        writer = None if mark is None else {"person": mark.person, "act": mark.act, "revision": mark.revision}
        return {"value": plain(row.get(area.left)), "writer": writer, "format": row.formats.get(area.left)}

    def post_snapshot(self, said: Json) -> Json:
        workbooks.save(self._emulator, Path(said["file"]))
        return {}

    # ─── what goes wrong ──────────────────────────────────────────────────────────────────────────────────

    def post_fault(self, said: Json) -> Json:
        return {"id": self._emulator.faults.add(said)}

    def get_fault(self, _said: Json) -> Json:
        return {"faults": self._emulator.faults.waiting()}

    def delete_fault(self, _said: Json) -> Json:
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

    def get_barrier(self, number: str, said: Json) -> Json:
        """With wait_s: answers as soon as a request is held."""
        barrier = self._emulator.barriers.get(int(number))
        barrier.met.wait(min(float(said.get("wait_s", 0)), HOLD_S_MAX))
        return barrier.as_json()

    def delete_barrier(self, _said: Json) -> Json:
        self._emulator.barriers.release_all()
        return {}

    def post_outage(self, said: Json) -> Json:
        """mode refuse or reset, after_s and for_s on the emulator's clock."""
        begins = self._emulator.clock.seconds() + float(said.get("after_s", 0))
        lasts = float(said["for_s"]) if said.get("for_s") is not None else float("inf")
        self._emulator.outage = Outage(begins, begins + lasts, said.get("mode", "refuse") == "refuse")
        self._outage_changed()
        return {}

    def delete_outage(self, _said: Json) -> Json:
        self._emulator.outage = None
        self._outage_changed()
        return {}

    def post_token(self, verb: str, _said: Json) -> Json:
        if verb != "expire":
            raise ValueError(verb)
        self._emulator.accounts.expire_all()
        return {}

    def post_later(self, _said: Json) -> Json:
        """Whatever was to be applied later is applied now."""
        return {"done": self._emulator.run_all()}

    def get_later(self, _said: Json) -> Json:
        """Also which steps of a script could not be done when their time came."""
        return {"waiting": self._emulator.waiting, "failed": list(self._failed)}

    def post_script(self, said: Json) -> Json:
        """A timed list: each step is a path of this control with its body, after_s from now."""
        for step in said["steps"]:
            self._schedule(
                float(step["after_s"]), step.get("method", "POST"), str(step["path"]), step.get("body") or {}
            )
        return {"steps": len(said["steps"])}

    def _schedule(self, after_s: float, method: str, path: str, body: Json) -> None:
        full = path if path.startswith(ROOT) else f"{ROOT}/{path.strip('/')}"

        def do() -> None:
            try:
                self.answer(method, full, {}, body)
            except ApiError as error:
                self._failed.append(f"{method} {full}: {error.message}")

        self._emulator.later(after_s, do)

    # ─── clock, options, quota ────────────────────────────────────────────────────────────────────────────

    def get_clock(self, _said: Json) -> Json:
        clock = self._emulator.clock
        return {"now": clock.now().isoformat(), "seconds": clock.seconds(), "running": clock.running}

    def post_clock(self, said: Json) -> Json:
        clock = self._emulator.clock
        if "running" in said:
            clock.run(bool(said["running"]))
        if "set" in said:
            clock.set(datetime.fromisoformat(said["set"]))
        self._emulator.advance(timedelta(seconds=float(said.get("advance_s", 0))))
        self._outage_changed()
        return self.get_clock({})

    def get_options(self, _said: Json) -> Json:
        return asdict(self._emulator.options)

    def post_options(self, said: Json) -> Json:
        unknown = set(said) - set(Options.__slots__)
        if unknown:
            raise invalid(f"No such option: {', '.join(sorted(unknown))}.")
        for name, value in said.items():
            setattr(self._emulator.options, name, value)
        return self.get_options({})

    def post_quota(self, said: Json) -> Json:
        """per_user, per_project, enforced; spend: {kind, count, user} uses some up, as another client would."""
        limits = self._emulator.quota.limits
        for name in ("per_user", "per_project", "enforced"):
            if name in said:
                setattr(limits, name, said[name])
        if spend := said.get("spend"):
            kind, user = str(spend["kind"]).title(), spend.get("user", "somebody-else")
            self._emulator.quota.spend(kind, user, int(spend["count"]), self._emulator.clock.seconds())
        return asdict(limits)

    # ─── oracle ───────────────────────────────────────────────────────────────────────────────────────────

    def get_log(self, said: Json) -> Json:
        return {"requests": self._emulator.journal.entries(int(said.get("after", 0)))}

    def delete_log(self, _said: Json) -> Json:
        self._emulator.journal.clear()
        return {}

    def get_oracle(self, what: str, said: Json) -> Json:
        _, file = people.file_of(self._emulator, said)
        journal = self._emulator.journal
        with self._emulator.lock:
            if what == "audit":
                return journal.audit(file.book, said.get("sheet", "Metadata"), said.get("column", "ID"))
            if what == "quota":
                return {"minutes": self._emulator.quota.use()}
            if what not in ("lost", "overwritten", "misdirected"):
                raise ValueError(what)
            return {what: getattr(journal, what)(file.book)}

    def post_oracle(self, what: str, said: Json) -> Json:
        """keys: which columns, by header, say which row it is; by tab."""
        if what != "keys":
            raise ValueError(what)
        self._emulator.journal.keys |= {title: tuple(names) for title, names in said["keys"].items()}
        return {}

    def get_service_account(self, said: Json) -> Json:
        return self._emulator.accounts.service_account(said["token_uri"], said.get("email") or EMAIL)
