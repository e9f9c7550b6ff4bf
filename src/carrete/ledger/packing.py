"""Compresses a long answer for storage under its idempotency key, without the tags: a repeated request brings them.

The answer to a batch of 50 spools can have 51 kB, nearly all of it tags and repeated sentences, and a key is stored for
35 days. The packed answer stays below 2 kB. Unpacking it with the same tags gives the same answer, byte by byte.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence

PLAIN_BYTES_MAX = 2_000  # an answer up to this size is stored unpacked
_PACKED = "zlib85:"  # the prefix of a packed answer; an unpacked one is JSON and begins with a brace
_ITEM_START = '"tag_spool":"'  # each item of an answer begins so; in a JSON string its quotes would be escaped
_TAG = "\x01"  # replaces the tag of an item; JSON text has no control characters


def pack_answer(body: str, tags: Sequence[str]) -> str:
    """`tags` are those of the request, in its order."""
    plain = body.encode()
    if len(plain) <= PLAIN_BYTES_MAX:
        return body
    short = _ITEM_START.join(item.replace(tag, _TAG) if tag else item for item, tag in _items(body, tags))
    stored = _PACKED + base64.b85encode(zlib.compress(short.encode())).decode()
    return stored if len(stored) < len(plain) and unpack_answer(stored, tags) == body else body


def unpack_answer(stored: str, tags: Sequence[str]) -> str:
    if not stored.startswith(_PACKED):
        return stored
    short = zlib.decompress(base64.b85decode(stored[len(_PACKED) :])).decode()
    return _ITEM_START.join(item.replace(_TAG, tag) if tag else item for item, tag in _items(short, tags))


def _items(text: str, tags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each item of an answer with its tag as JSON writes it; "" for the text before the first item."""
    json_tags = ["", *(json.dumps(tag, ensure_ascii=False)[1:-1] for tag in tags)]
    for number, item in enumerate(text.split(_ITEM_START)):
        yield item, json_tags[number] if number < len(json_tags) else ""
