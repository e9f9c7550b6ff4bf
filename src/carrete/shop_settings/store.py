"""The shop's settings in the ledger, and the history of their changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carrete.domain.refusals import NotValid
from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_text
from carrete.settings import WrongSetting
from carrete.shop_settings.ndt_values import with_seeds
from carrete.shop_settings.values import SETTINGS, ShopSettings, changed

PAGE_MAX = 200
_NEWEST = 2**62  # above every seq


@dataclass(frozen=True, slots=True)
class SettingChange:
    """`before` and `after` are JSON values without secrets; `by_id` is None for a command of the server."""

    seq: int
    at: str
    by_id: int | None
    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class SettingHistory:
    changes: list[SettingChange]
    next_before: int | None


def read(tx: Tx) -> ShopSettings:
    """What the ledger says. A value that the machine gives wins over it: `in_force`."""
    return _from_row(tx.one("shop_settings"))


def change(tx: Tx, changes: Mapping[str, Any], by_id: int | None, at: datetime) -> ShopSettings:
    """Changes the settings that are named (`SETTINGS` in values.py), with JSON values, and records each one that is
    another now. Raises NotValid, and then changes nothing."""
    row = tx.one("shop_settings_to_change")
    before = _before_change(row, changes)
    after = changed(before, with_seeds(before.ndt_rules, changes))
    different = [
        (name, kind) for name, kind in SETTINGS.items() if getattr(before, kind.field) != getattr(after, kind.field)
    ]
    if not different:
        return after
    tx.run("shop_settings_update", value=_json({**_of_others(row), **_stored(after)}))
    for name, kind in different:
        tx.run(
            "shop_setting_change_insert",
            at=instant_text(at),
            by_id=by_id,
            name=name,
            before=_json(kind.shown(getattr(before, kind.field))),
            after=_json(kind.shown(getattr(after, kind.field))),
        )
    return after


def history(tx: Tx, before: int | None = None, limit: int = 100) -> SettingHistory:
    """The newest first. `before` is the seq of the last change of the page before."""
    rows = tx.all("shop_setting_changes_page", before=_NEWEST if before is None else before, limit=limit + 1)
    changes = [
        SettingChange(seq, at, by_id, name, json.loads(old), json.loads(new))
        for seq, at, by_id, name, old, new in rows[:limit]
    ]
    return SettingHistory(changes, changes[-1].seq if len(rows) > limit else None)


def _before_change(row: Row | None, changes: Mapping[str, Any]) -> ShopSettings:
    """A stored value that this machine cannot use can still be replaced: it counts as the default."""
    try:
        return _from_row(row)
    except WrongSetting:
        return _from_row(row, frozenset(changes))


def _from_row(row: Row | None, left_out: Collection[str] = ()) -> ShopSettings:
    """A stored value may be wrong on this machine only: it may lack a time zone that another machine knows."""
    stored: dict[str, Any] = json.loads(row[1]) if row else {}
    known = {name: value for name, value in stored.items() if name in SETTINGS and name not in left_out}
    try:
        return changed(ShopSettings(), known)
    except NotValid as error:
        raise WrongSetting(f"The shop's setting {error.detail} Correct it with `carrete setting set`.") from None


def _of_others(row: Row | None) -> dict[str, Any]:
    """Settings that a later version of the program stored: this one does not know them, and keeps them."""
    stored: dict[str, Any] = json.loads(row[1]) if row else {}
    return {name: value for name, value in stored.items() if name not in SETTINGS}


def _stored(settings: ShopSettings) -> dict[str, Any]:
    """Without the defaults: a better default of a later version reaches a shop that never changed the setting."""
    defaults = ShopSettings().to_json()
    return {name: value for name, value in settings.to_json().items() if value != defaults[name]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
