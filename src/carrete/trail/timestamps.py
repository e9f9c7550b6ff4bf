"""Time stamps of RFC 3161: a service outside confirms that a seal existed at a moment. We keep its token.

We build the question and read the answer as DER by hand, and check that the token is about our seal. The service's own
signature is for an auditor to check, with the service's certificate: `openssl ts -verify` (docs/trail.md).
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.files import utc_text
from carrete.domain.trail.witness import Witness, seal_message
from carrete.ledger.database import Tx
from carrete.ledger.trail import Seal

if TYPE_CHECKING:
    import httpx  # few shops have such a service

ANSWER_BYTES_MAX = 64 * 1024
ANSWER_S_MAX = 20.0  # for the whole exchange: while it lasts nothing is sealed
NONCE_BYTES = 8
_SHA256 = bytes.fromhex("0609608648016503040201")  # the object identifier
_INTEGER, _OCTETS, _SEQUENCE, _TIME = 0x02, 0x04, 0x30, 0x18
_GRANTED = (0, 1)


class NoTimeStamp(Exception):
    """The service's answer is not a time stamp of our seal; the message says why."""


class StampedTime(NamedTuple):
    imprint: bytes
    at: str  # ISO 8601
    nonce: int | None
    token: bytes


def imprint_of(seal: Seal) -> bytes:
    """What is stamped: SHA-256 of the bytes that the seal's signature is over."""
    return hashlib.sha256(seal_message(seal.key, ChainHead(seal.seq, seal.hash), seal.at)).digest()


def request_for(imprint: bytes, nonce: int) -> bytes:
    algorithm = der(_SEQUENCE, _SHA256 + b"\x05\x00")
    message = der(_SEQUENCE, algorithm + der(_OCTETS, imprint))
    number = nonce.to_bytes(NONCE_BYTES + 1)  # the leading zero keeps it positive
    return der(_SEQUENCE, b"\x02\x01\x01" + message + der(_INTEGER, number.lstrip(b"\0") or b"\0") + b"\x01\x01\xff")


def new_nonce() -> int:
    """Below 2^62, so that its DER has no leading zero to care for."""
    return secrets.randbits(NONCE_BYTES * 8 - 2) | 1


def der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + content


def parse_answer(answer: bytes) -> StampedTime:
    """Of a TimeStampResp."""
    try:
        (response,) = _parts(answer)
        status, *token = _parts(response[1])
        if int.from_bytes(_parts(status[1])[0][1]) not in _GRANTED or not token:
            raise NoTimeStamp("the service did not grant it")
        return parse_token(der(*token[0]))
    except (IndexError, ValueError) as error:
        raise NoTimeStamp(f"the answer cannot be read: {error}") from None


def parse_token(token: bytes) -> StampedTime:
    """Of a TimeStampToken: ContentInfo, SignedData, TSTInfo."""
    try:
        _, content = _parts(_parts(token)[0][1])
        signed_data = _parts(_parts(content[1])[0][1])
        _, inner = _parts(signed_data[2][1])
        info = _parts(_parts(_parts(inner[1])[0][1])[0][1])
        imprint = _parts(info[2][1])[1][1]
        time = next(value for tag, value in info if tag == _TIME)[:14].decode()
        at = datetime.strptime(f"{time}+0000", "%Y%m%d%H%M%S%z")
        numbers = [value for tag, value in info[5:] if tag == _INTEGER]
    except (IndexError, ValueError, StopIteration) as error:
        raise NoTimeStamp(f"the token cannot be read: {error}") from None
    text = at.astimezone(UTC).isoformat(timespec="seconds")
    return StampedTime(imprint, text, int.from_bytes(numbers[0]) if numbers else None, token)


def _parts(content: bytes) -> list[tuple[int, bytes]]:
    """The elements of DER, one after another."""
    found, at = [], 0
    while at < len(content):
        tag, size, at = content[at], content[at + 1], at + 2
        if size & 0x80:
            width = size & 0x7F
            size, at = int.from_bytes(content[at : at + width]), at + width
        if at + size > len(content):
            raise ValueError("it ends too early")
        found.append((tag, content[at : at + size]))
        at += size
    return found


async def ask(url: str, seal: Seal) -> StampedTime:
    """Raises NoTimeStamp for anything but a time stamp of this seal."""
    import httpx

    nonce, imprint = new_nonce(), imprint_of(seal)
    headers = {"Content-Type": "application/timestamp-query", "Accept-Encoding": "identity"}
    content = request_for(imprint, nonce)
    try:
        async with (
            asyncio.timeout(ANSWER_S_MAX),
            httpx.AsyncClient(timeout=ANSWER_S_MAX, follow_redirects=False) as client,
            client.stream("POST", url, content=content, headers=headers) as answer,
        ):
            stamped = parse_answer(await _body_of(answer))
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise NoTimeStamp(f"the service does not answer: {type(error).__name__}") from None
    if stamped.imprint != imprint or stamped.nonce != nonce:
        raise NoTimeStamp("the token is about something else")
    return stamped


async def _body_of(answer: httpx.Response) -> bytes:
    """As it came: what is compressed is no time stamp, and may be as large as the memory."""
    body = bytearray()
    if answer.status_code == 200:
        async for piece in answer.aiter_raw():
            body += piece
            if len(body) > ANSWER_BYTES_MAX:
                break
    if answer.status_code != 200 or len(body) > ANSWER_BYTES_MAX:
        raise NoTimeStamp(f"the service answered {answer.status_code}, {len(body)} bytes or more")
    return bytes(body)


def store(tx: Tx, seal: Seal, url: str, stamped: StampedTime) -> None:
    tx.run("trail_timestamp_put", seq=seal.seq, service=url, at=stamped.at, token=stamped.token)


def stamped_witnesses(tx: Tx, is_signed: Callable[[Seal], bool]) -> Iterator[tuple[Witness, str]]:
    """Each with "", or with why it proves nothing."""
    for seq, hash_, at, key, signature, service, token in tx.all("trail_timestamps"):
        seal = Seal(seq, hash_, at, key, signature)
        try:
            stamped = parse_token(bytes(token))
        except (NoTimeStamp, TypeError) as error:
            yield Witness(seq, hash_, service), str(error)
            continue
        witness = Witness(seq, hash_, f"sello de tiempo de {service}")
        if is_signed(seal):
            # The service looks at no trail: how the trail was is from the seal's time. Without the key's signature
            # anybody could have made the seal and the token, with any time.
            witness = witness._replace(made_at=utc_text(at), known_at=stamped.at)
        yield witness, "" if stamped.imprint == imprint_of(seal) else "the time stamp is of another seal"
