"""A thousand sign-ins at once, right and wrong ones: each is answered, the floor works on, and nothing piles up."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

from carrete.domain.workers import Rol
from carrete.ledger import open_database
from tests.support.answers import PROBLEM, done
from tests.support.builders import a_spool, a_worker, put
from tests.support.server import RunningServer, running_server
from tests.support.signed_in import DEVICE_COOKIE, Enrolled, EnrolledTablet, enrol, put_server_key
from tests.support.signing_in import PIN, WRONG_PIN, give_pin

SIGN_INS, CONNECTIONS, DEVICES = 1_000, 250, 25
STORMS = 3
ANSWERED_S_MAX = 240.0  # a hang, on however slow a machine
GROWTH_KIB_MAX = 64 * 1024  # after the first storm, by the ones that follow
PEOPLE = [a_worker(id_, "Ana", f"Soto {id_}", roles=(Rol.ARMADOR,)) for id_ in range(1, 61)]
FOREMAN, NEWCOMER, GUESSED, CAREFUL = PEOPLE[0], PEOPLE[1], PEOPLE[2:30], PEOPLE[30:]
TAG = "MK-1335-CW-25238-001"
Kind = Literal["right", "wrong", "unknown", "malformed", "forged"]
ALLOWED: dict[Kind, set[int]] = {
    "right": {200, 429},
    "wrong": {401, 423, 429},
    "unknown": {401, 423, 429},
    "malformed": {415, 422},
    "forged": {401},
}
MALFORMED = (
    b"{",
    b'{"worker_id": "siete", "pin": "482915"}',
    b'{"worker_id": 7, "pin": "48291"}',
    b'{"worker_id": 7, "pin": 482915}',
    b'{"worker_id": 1e400, "pin": "482915"}',
    b'{"worker_id": 7, "badge": "0004", "pin": "482915"}',
    b'{"worker_id": 7, "pin": "' + b"9" * 4_000 + b'"}',
    b"[" * 500,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    kind: Kind
    secret: str
    body: bytes

    def request(self, host: str) -> bytes:
        head = (
            f"POST /api/sesion HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Cookie: {DEVICE_COOKIE}={self.secret}\r\nContent-Length: {len(self.body)}\r\n\r\n"
        )
        return head.encode() + self.body


@dataclass(frozen=True, slots=True)
class Answered:
    attempt: Attempt
    status: int
    content_type: str
    body: bytes


def attempts(devices: Sequence[Enrolled]) -> list[Attempt]:
    """Every device sends every kind."""
    malformed, guessed, careful = cycle(MALFORMED), cycle(GUESSED), cycle(CAREFUL)
    made = []
    for number in range(SIGN_INS):
        secret = devices[number // len(ALLOWED) % len(devices)].secret
        match list(ALLOWED)[number % len(ALLOWED)]:
            case "right":
                made.append(Attempt("right", secret, person(next(careful).id, PIN)))
            case "wrong":
                made.append(Attempt("wrong", secret, person(next(guessed).id, WRONG_PIN)))
            case "unknown":
                made.append(Attempt("unknown", secret, person(900_000 + number, PIN)))
            case "malformed":
                made.append(Attempt("malformed", secret, next(malformed)))
            case "forged":
                made.append(Attempt("forged", secret[::-1], person(FOREMAN.id, PIN)))
    return made


def person(id_: int, pin: str) -> bytes:
    return json.dumps({"worker_id": id_, "pin": pin}).encode()


async def send_all(server: RunningServer, wanted: Sequence[Attempt]) -> list[Answered]:
    """All connections are open, then everything is sent without waiting for any answer."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    streams = [await asyncio.open_connection(host, int(port)) for _ in range(CONNECTIONS)]
    shares = [wanted[number::CONNECTIONS] for number in range(CONNECTIONS)]
    for (_, writer), share in zip(streams, shares, strict=True):
        writer.write(b"".join(attempt.request(f"{host}:{port}") for attempt in share))
    try:
        reading = (read_all(reader, share) for (reader, _), share in zip(streams, shares, strict=True))
        answers = await asyncio.wait_for(asyncio.gather(*reading), ANSWERED_S_MAX)
    finally:
        for _, writer in streams:
            writer.close()
    return [each for share in answers for each in share]


async def read_all(reader: asyncio.StreamReader, share: Sequence[Attempt]) -> list[Answered]:
    return [await read_one(reader, attempt) for attempt in share]


async def read_one(reader: asyncio.StreamReader, attempt: Attempt) -> Answered:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
    body = await reader.readexactly(int(headers["content-length"]))
    return Answered(attempt, int(head.split()[1]), headers["content-type"], body)


async def storm(server: RunningServer, wanted: Sequence[Attempt], tablet: EnrolledTablet) -> tuple[list[Answered], int]:
    """What was answered, and how often the signed-in worker tapped meanwhile."""
    over = asyncio.Event()
    tapping = asyncio.create_task(tap_until(over, tablet))
    try:
        answers = await send_all(server, wanted)
    finally:
        over.set()
        taps = await tapping
    return answers, taps


async def tap_until(over: asyncio.Event, tablet: EnrolledTablet) -> int:
    taps = 0
    while not over.is_set():
        for accion in ("TOMAR", "PAUSAR"):
            done(await asyncio.to_thread(tablet.tap, accion, TAG, FOREMAN.id))
            taps += 1
    return taps


def test_a_thousand_sign_ins_at_once_are_all_answered_and_the_floor_works_on(database_url: str, tmp_path: Path) -> None:
    put_server_key(tmp_path)
    settings = {"CARRETE_ACCESS": "pin"}
    with closing(open_database(database_url)) as database:
        put(database, [a_spool(TAG)], PEOPLE)
        for each in PEOPLE:
            give_pin(database, each.id)
        with running_server(database_url, tmp_path, settings=settings) as server, server.client() as client:
            tablet, quiet = (EnrolledTablet(client.request, enrol(database), database) for _ in range(2))
            done(tablet.sign_in(FOREMAN.id))
            peaks_kib = []
            for _ in range(STORMS):
                devices = [enrol(database) for _ in range(DEVICES)]
                answers, taps = asyncio.run(storm(server, attempts(devices), tablet))
                assert taps > 0
                assert len(answers) == SIGN_INS
                check(answers)
                peaks_kib.append(peak_kib(server))
            assert peaks_kib[-1] - peaks_kib[0] <= GROWTH_KIB_MAX, peaks_kib
            done(quiet.sign_in(NEWCOMER.id))
            done(quiet.tap("TOMAR", TAG, NEWCOMER.id))
            assert "Traceback" not in server.complaints


def check(answers: Sequence[Answered]) -> None:
    seen = Counter((each.attempt.kind, each.status) for each in answers)
    unexpected = [each for each in answers if each.status not in ALLOWED[each.attempt.kind]]
    assert unexpected == [], seen
    for each in answers:
        body: dict[str, Any] = json.loads(each.body)
        if each.status == 200:
            assert body["tap_key"]
        else:
            assert each.content_type == PROBLEM
            assert re.fullmatch("[A-Z_]+", body["code"]), body
            assert body["detail"].endswith("."), body
    assert seen["wrong", 429] + seen["unknown", 429] + seen["right", 429] > 0, "the queue has an end"
    assert seen["right", 200] > 0, "and whoever has a place in it signs in"


def peak_kib(server: RunningServer) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.pid}/status").read_text())
    assert found
    return int(found[1])
