"""A long answer as it is kept under its idempotency key: without the tags, which a repeated request brings again.

The answer to a batch of 50 spools can have 51 kB, nearly all of it tags and the same sentences, and a key is kept for
35 days. What is kept stays below 2 kB, and unpacking it with the same tags gives the same answer, byte by byte.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence

PLAIN_BYTES_MAX = 2_000  # an answer up to this size is kept as it is
_PACKED = "zlib85:"  # an answer is JSON and begins with a brace
_PART = '"tag_spool":"'  # each part of an answer begins with it; inside a JSON string its quotes would be escaped
_TAG = "\x01"  # stands for the tag of its part: JSON text has no control characters of its own


def packed(body: str, tags: Sequence[str]) -> str:
    """`tags`: those of the request, in its order."""
    plain = body.encode()
    if len(plain) <= PLAIN_BYTES_MAX:
        return body
    short = _PART.join(part.replace(tag, _TAG) if tag else part for part, tag in _parts(body, tags))
    kept = _PACKED + base64.b85encode(zlib.compress(short.encode())).decode()
    return kept if len(kept) < len(plain) and unpacked(kept, tags) == body else body


def unpacked(kept: str, tags: Sequence[str]) -> str:
    """An answer that was kept as it is comes back as it is."""
    if not kept.startswith(_PACKED):
        return kept
    short = zlib.decompress(base64.b85decode(kept[len(_PACKED) :])).decode()
    return _PART.join(part.replace(_TAG, tag) if tag else part for part, tag in _parts(short, tags))


def _parts(text: str, tags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each part of an answer with the tag that it is about, as JSON writes it; "" for what comes before the first."""
    written = ["", *(json.dumps(tag, ensure_ascii=False)[1:-1] for tag in tags)]
    for number, part in enumerate(text.split(_PART)):
        yield part, written[number] if number < len(written) else ""
