"""Five hundred nasty strings as tags, reasons, keys and searches: kept as the rule says, or refused with a code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.integration.fuzz.strings import NASTY, as_motivo, as_tag, has_hidden_characters, is_encodable
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import a_spool, held, put
from tests.support.people import CREW, MR, SV
from tests.support.tablet import Tablet, in_path, tablet_in_process

AT_ONCE = 16


@dataclass(frozen=True)
class TextCase:
    """One string in every text field of one release."""

    text: str
    tag: str

    @property
    def key(self) -> bytes | None:
        """What a header can carry; the blanks around it are not part of it."""
        fits = 0 < len(self.text) <= 128 and self.text.isprintable() and self.text == self.text.strip()
        return self.text.encode() if fits else None

    @property
    def body(self) -> bytes:
        """As JSON with escapes, which can hold even half of a surrogate pair."""
        tag = self.text if as_tag(self.text) == self.tag else self.tag
        return json.dumps({"tag_spool": tag, "supervisor_id": SV.id, "motivo": self.text}).encode()


def text_cases() -> list[TextCase]:
    """Each with a spool of its own: named by the string where that is a tag and no other string means the same."""
    taken: dict[str, str] = {}
    for text in NASTY:
        if (tag := as_tag(text)) is not None and tag not in (".", ".."):  # clients take these for steps in a path
            taken.setdefault(tag, text)
    return [
        TextCase(text, tag if taken.get(tag := as_tag(text) or "") == text else f"MK {n}")
        for n, text in enumerate(NASTY)
    ]


TEXT_CASES = text_cases()


@pytest.fixture
def tablet(database_url: str, tmp_path: Path) -> Iterator[Tablet]:
    """In front of five hundred spools that somebody holds."""
    database: Database = open_database(database_url)
    put(database, [held(a_spool(each.tag, ot=None, nv=None), MR) for each in TEXT_CASES], CREW)
    database.close()
    with tablet_in_process(
        Settings(access="open", database_url=database_url, data=tmp_path, redis_url="off")
    ) as opened:
        yield opened


def at_once(what: Callable[[TextCase], httpx.Response]) -> list[tuple[TextCase, httpx.Response]]:
    with ThreadPoolExecutor(AT_ONCE) as hands:
        return list(zip(TEXT_CASES, hands.map(what, TEXT_CASES), strict=True))


def test_every_text_sent_to_the_api_is_stored_as_sent_or_refused(tablet: Tablet) -> None:
    def release(each: TextCase) -> httpx.Response:
        headers = {b"Idempotency-Key": each.key} if each.key else {}
        return tablet.post("/api/occupation/liberar", content=each.body, headers=headers)

    for again in (False, True):
        for each, answer in at_once(release):
            if each.key and as_motivo(each.text):
                assert done(answer)["tag_spool"] == each.tag
                assert replayed(answer) is again, ascii(each.text)
            elif not is_encodable(each.text):
                refused(answer, 415, "NO_ES_JSON")
            elif as_motivo(each.text) is None:
                invalid(answer, "motivo")
            elif not again:
                done(answer)
    for each, answer in at_once(lambda each: tablet.get(f"/api/history/{in_path(each.tag)}")):
        history = done(answer)
        assert history["tag_spool"] == each.tag
        reasons = [event["metadata"]["motivo"] for event in history["events"]]
        assert reasons == [motivo for motivo in (as_motivo(each.text),) if motivo is not None], ascii(each.text)
    assert tablet.see_list(limit=500) == sorted((each.tag for each in TEXT_CASES), key=str.encode)


def test_a_search_for_anything_is_answered_and_finds_what_is_called_so(tablet: Tablet) -> None:
    def search(each: TextCase) -> httpx.Response:
        return tablet.get("/api/spools", q=each.text.encode("utf-8", "replace").decode(), limit=500)

    for each, answer in at_once(search):
        if len(each.text) > 200:
            invalid(answer, "q")
        else:
            found = [spool["tag_spool"] for spool in done(answer)["spools"]]
            assert each.tag.startswith("MK ") or each.tag in found, ascii(each.text)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_what_is_no_tag_is_refused_as_one(tablet: Tablet) -> None:
    def take(each: TextCase) -> httpx.Response:
        body = json.dumps({"tag_spool": each.text, "worker_id": MR.id, "operacion": "ARM"})
        return tablet.post("/api/occupation/tomar", content=body.encode())

    for each, answer in at_once(take):
        if not is_encodable(each.text):
            refused(answer, 415, "NO_ES_JSON")
        elif as_tag(each.text) is None:
            invalid(answer, "tag_spool")
        elif answer.status_code == 422:  # a spool that is there can be taken whatever it is called
            assert has_hidden_characters(each.text)
            assert "carácter invisible U+" in invalid(answer, "tag_spool")["detail"]
        else:
            assert answer.status_code == 200 or not has_hidden_characters(each.text), answer.text
            assert answer.status_code in (200, 404), answer.text
