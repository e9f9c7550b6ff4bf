"""Replays the answers that gspread recorded from Google against the emulator, and counts where they differ.

python -m tests.integration.sheets_emulator.replay FOLDER    FOLDER: tests/cassettes of a copy of gspread
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.support.emulator import running_emulator
from tests.support.local import LOCAL

SCOPES = "https://www.googleapis.com/auth/spreadsheets https://www.googleapis.com/auth/drive"
LOOKS = {"defaultFormat", "spreadsheetTheme", "createdTime", "modifiedTime", "spreadsheetUrl"}
PATHS = ("/v4/spreadsheets", "/drive/v3/files")
ELSEWHERE = ("files?q=", "/export", "/comments", "upload")
MADE = {
    "addSheet": ("properties", "sheetId"),
    "addNamedRange": ("namedRange", "namedRangeId"),
    "addProtectedRange": ("protectedRange", "protectedRangeId"),
}
Ids = dict[Any, Any]


def replay(folder: Path) -> Iterator[tuple[str, str]]:
    """The outcome of each recorded request, and its name."""
    with running_emulator() as emulator:
        emulator.control.quota(enforced=False)
        bearer = {"authorization": f"Bearer {emulator.token(scope=SCOPES)}"}
        with httpx.Client(base_url=emulator.url, headers=bearer, timeout=30, **LOCAL) as client:
            for file in sorted(folder.glob("*.json")):
                ids: Ids = {}
                for one in json.loads(file.read_text("utf-8"))["interactions"]:
                    yield (
                        _compared(client, one, ids),
                        f"{file.stem}: {one['request']['method']} {one['request']['uri']}",
                    )


def _compared(client: httpx.Client, one: Any, ids: Ids) -> str:
    request, recorded = one["request"], one["response"]
    parts = urlsplit(request["uri"])
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    if not parts.path.startswith(PATHS) or any(word in path for word in ELSEWHERE):
        return "not of the API emulated"
    path, body = _ours(path, ids), _ours(request["body"] or "", ids)
    got = client.request(request["method"], path, content=body.encode(), headers={"content-type": "application/json"})
    expected, actual = _json(recorded["body"]["string"]), _json(got.text)
    if got.status_code == recorded["status"]["code"] == 200:
        _learn(expected, actual, ids)
    if got.status_code != recorded["status"]["code"]:
        return f"status {got.status_code} instead of {recorded['status']['code']}"
    return "the same" if _plain(expected, ids) == _plain(actual, ids) else "the body differs"


def _json(text: str) -> Any:
    return json.loads(text) if text else None


def _ours(text: str, ids: Ids) -> str:
    for theirs, mine in ids.items():
        text = text.replace(str(theirs), str(mine))
    return text


def _learn(expected: Any, actual: Any, ids: Ids) -> None:
    """The ids that Google gave, and those that we gave instead."""
    if expected.get("kind") == "drive#file":
        ids[expected["id"]] = actual["id"]
    for theirs, ours in zip(expected.get("replies", []), actual.get("replies", []), strict=False):
        for kind, (inner, name) in MADE.items():
            if kind in theirs and kind in ours:
                ids[theirs[kind][inner][name]] = ours[kind][inner][name]


def _plain(body: Any, ids: Ids) -> Any:
    if isinstance(body, dict):
        return {name: _plain(value, ids) for name, value in body.items() if name not in LOOKS}
    if isinstance(body, list):
        return [_plain(value, ids) for value in body]
    return ids.get(body, body) if isinstance(body, str | int) and not isinstance(body, bool) else body


def main() -> None:
    counts: Counter[str] = Counter()
    for outcome, which in replay(Path(sys.argv[1])):
        counts[outcome] += 1
        if outcome not in ("the same", "not of the API emulated"):
            print(f"{outcome}: {which}")
    for outcome, count in counts.most_common():
        print(f"{count:6d}  {outcome}")


if __name__ == "__main__":
    main()
