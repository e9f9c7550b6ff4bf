"""A time-stamp service (RFC 3161) confirms the newest seal: the question, the answer, and what is believed of it."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest

from carrete.domain.trail.files import utc_text
from carrete.ledger.database import Database, Tx
from carrete.ledger.trail import Seal, last_seal
from carrete.trail import timestamps
from carrete.trail.seals import seal_if_due, seal_regularly
from carrete.trail.timestamps import NoTimeStamp, ask, der, imprint_of, parse_answer, request_for
from carrete.verification.ledger import Verified
from tests.support.sealed_shop import SealedShop
from tests.support.trails import edit, head_of, rechained

AT = b"20261117120000Z"
_SIGNED_DATA, _TST_INFO = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("060b2a864886f70d0109100104")


def granted(question: bytes, status: int = 0, at: bytes = AT) -> bytes:
    """The answer of a service that stamps whatever it is asked: unsigned, which is the auditor's to check."""
    imprint_at = question.index(bytes.fromhex("0609608648016503040201")) - 4
    imprint = question[imprint_at : imprint_at + 2 + question[imprint_at + 1]]
    nonce = question[imprint_at + len(imprint) : -3]
    info = der(0x30, b"\x02\x01\x01" + b"\x06\x01\x2a" + imprint + b"\x02\x01\x07" + der(0x18, at) + nonce)
    inner = der(0x30, _TST_INFO + der(0xA0, der(0x04, info)))
    signed = der(0x30, b"\x02\x01\x03" + der(0x31, b"") + inner + der(0x31, b""))
    token = der(0x30, _SIGNED_DATA + der(0xA0, signed))
    return der(0x30, der(0x30, bytes([2, 1, status])) + token)


@contextmanager
def time_stamp_service(spoil: bool = False) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Content-Type"] == "application/timestamp-query"
            answer = granted(request_for(b"x" * 32, 5) if spoil else question)
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tsr"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path) -> SealedShop:
    made = SealedShop(database, database_url, tmp_path).staffed()
    made.work(1)
    return made


def run_sealing(shop: SealedShop, url: str) -> None:
    async def read(query: Any) -> Any:
        with shop.database.reading() as tx:
            return query(tx)

    async def write(work: Any) -> Any:
        with shop.database.writing() as tx:
            return work(tx)

    async def for_a_while() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(seal_regularly(read, write, shop.key, url, look_every_s=0.05), 1.0)

    asyncio.run(for_a_while())


def stamps(tx: Tx) -> int:
    return len(tx.all("trail_timestamps"))


def test_a_seal_is_stamped_once_and_the_stamp_is_a_witness(shop: SealedShop) -> None:
    with time_stamp_service() as url:
        run_sealing(shop, url)
    with shop.database.reading() as tx:
        assert stamps(tx) == 1
    verified = shop.verify()
    assert (verified.is_whole, verified.report.agreeing, verified.unusable) == (True, 2, [])
    rows = shop.rows()
    anew = rechained(edit(rows, 3, Random(1)), 3)
    shop.replace(anew, head_of(anew))
    with shop.database.writing() as tx:
        tx.execute("UPDATE trail_seal SET signature = ''")
    found = shop.verify()
    assert not found.is_whole, "the time stamp alone shows it"
    assert found.report.findings[0].witness.startswith("sello de tiempo de http://127.0.0.1")
    assert found.report.findings[0].since == "", "of a seal that the key did not sign nobody knows the time"


def test_a_stamp_says_that_the_trail_was_as_it_is_since_the_seal_not_since_the_stamp(shop: SealedShop) -> None:
    """The service saw no trail."""
    with time_stamp_service() as url:
        run_sealing(shop, url)
    with shop.database.reading() as tx:
        seal = last_seal(tx)
    assert seal is not None
    rows = shop.rows()
    anew = rechained(edit(rows, 3, Random(1)), 3)
    shop.replace(anew, head_of(anew))
    assert {found.since for found in shop.verify().report.findings} == {utc_text(seal.at)}


def test_a_stamp_of_a_seal_that_somebody_made_does_not_put_the_deed_at_another_place(shop: SealedShop) -> None:
    """Whoever has the database can put both there, with any time: the seal without a signature, the stamp with one."""
    rows = shop.rows()
    anew = rechained(edit(rows, 3, Random(1)), 3)
    shop.replace(anew, head_of(anew))
    receipts = shop.receipts_text([each for each in shop.receipts if each["seq"] > 6])
    assert the_range(shop.verify(receipts)) == (1, 8)
    made = Seal(6, anew[5][16], "2020-01-01T00:00:00+00:00", shop.key.fingerprint, "")
    stamp = parse_answer(granted(request_for(imprint_of(made), 5), at=b"20200101000000Z"))
    with shop.database.writing() as tx:
        tx.run("trail_seal_put", seq=6, hash=made.hash, at=made.at, key=made.key, signature="")
        tx.run("trail_timestamp_put", seq=6, service="x", at=stamp.at, token=stamp.token)
    assert the_range(shop.verify(receipts)) == (1, 8)


def the_range(verified: Verified) -> tuple[int, int]:
    (found,) = verified.report.findings
    return found.first, found.last


def test_a_stamp_of_something_else_is_refused_and_one_that_was_put_there_proves_nothing(shop: SealedShop) -> None:
    with shop.database.writing() as tx:
        seal = seal_if_due(tx, shop.key, shop.now)
    assert seal
    with time_stamp_service(spoil=True) as url, pytest.raises(NoTimeStamp, match="something else"):
        asyncio.run(ask(url, seal))
    foreign = parse_answer(granted(request_for(b"y" * 32, 5)))
    with shop.database.writing() as tx:
        tx.run("trail_timestamp_put", seq=seal.seq, service="x", at=foreign.at, token=foreign.token)
    assert [each.en for each in shop.verify().unusable] == [
        f"sello de tiempo de x ({seal.seq}) cannot be used: the time stamp is of another seal"
    ]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_answers_that_are_no_time_stamp_are_refused(shop: SealedShop) -> None:
    right = granted(request_for(b"z" * 32, 77))
    assert (parse_answer(right).imprint, parse_answer(right).nonce) == (b"z" * 32, 77)
    assert parse_answer(right).at == "2026-11-17T12:00:00+00:00"
    chance = Random(3161)
    for _ in range(500):
        broken = bytearray(right)
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        with suppress(NoTimeStamp):
            parse_answer(bytes(broken))
        with suppress(NoTimeStamp):
            parse_answer(right[: chance.randrange(len(right))])
    with pytest.raises(NoTimeStamp, match="not grant"):
        parse_answer(granted(request_for(b"z" * 32, 77), status=2))
    with shop.database.writing() as tx:
        seal = seal_if_due(tx, shop.key, shop.now)
    assert seal
    assert len(imprint_of(seal)) == 32
    with pytest.raises(NoTimeStamp, match="does not answer"):
        asyncio.run(ask("http://127.0.0.1:9/", seal))


@contextmanager
def service_that_sends(head: bytes, pieces: Iterator[bytes], every_s: float = 0.0) -> Iterator[str]:
    """Whatever it is asked. It sends until nobody reads any more."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")
                for piece in pieces:
                    connection.sendall(piece)
                    time.sleep(every_s)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/tsr"
    finally:
        listening.close()
        thread.join(5)


@pytest.fixture
def unstamped(shop: SealedShop) -> Seal:
    with shop.database.writing() as tx:
        seal = seal_if_due(tx, shop.key, shop.now)
    assert seal
    return seal


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_answer_without_end_takes_neither_the_memory_nor_the_time_of_the_server(
    unstamped: Seal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many such services have no HTTPS: anybody on the way may answer."""
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 256 << 20:
            sent += 1 << 20
            yield bytes(1 << 20)

    with service_that_sends(b"", endless()) as url, pytest.raises(NoTimeStamp, match="bytes or more"):
        asyncio.run(ask(url, unstamped))
    assert sent < 64 << 20
    monkeypatch.setattr(timestamps, "ANSWER_S_MAX", 1.0)
    began = time.monotonic()
    with service_that_sends(b"", repeat(b"\x30", 80), every_s=0.1) as url, pytest.raises(NoTimeStamp, match="Timeout"):
        asyncio.run(ask(url, unstamped))
    assert time.monotonic() - began < 6.0


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_answer_is_never_decompressed(unstamped: Seal) -> None:
    """Of 60 kB there would be 60 MB."""
    bomb = gzip.compress(bytes(60 << 20))
    assert len(bomb) < timestamps.ANSWER_BYTES_MAX
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(bomb)
    with service_that_sends(head, iter([bomb])) as url:
        tracemalloc.start()
        with pytest.raises(NoTimeStamp, match="cannot be read"):
            asyncio.run(ask(url, unstamped))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_address_that_is_none_is_no_time_stamp_and_seals_go_on(shop: SealedShop) -> None:
    run_sealing(shop, "http://exa mple.com:abc/")
    with shop.database.reading() as tx:
        seal = last_seal(tx)
    assert seal is not None
    with pytest.raises(NoTimeStamp, match="InvalidURL"):
        asyncio.run(ask("http://exa mple.com:abc/", seal))


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_seal_with_a_time_that_is_none_does_not_stop_the_next_ones(shop: SealedShop) -> None:
    run_sealing(shop, "")
    with shop.database.writing() as tx:
        tx.execute("UPDATE trail_seal SET at = 'x'")
    shop.work(1)
    run_sealing(shop, "")
    with shop.database.reading() as tx:
        seal = last_seal(tx)
    assert (seal is not None and seal.seq) == 16


def test_a_surprise_does_not_end_the_seals(shop: SealedShop) -> None:
    surprises = 0

    async def surprise(_: Any) -> Any:
        nonlocal surprises
        surprises += 1
        raise ZeroDivisionError

    async def for_a_while() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(seal_regularly(surprise, surprise, shop.key, look_every_s=0.01), 0.5)

    asyncio.run(for_a_while())
    assert surprises > 1
