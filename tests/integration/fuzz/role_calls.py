"""Calls in each role: generated from the OpenAPI document, and requests whose bytes were changed at random."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle, islice
from random import Random
from typing import Any

import hypothesis
import requests
import schemathesis
from schemathesis import GenerationMode

from carrete.api.planilla import XLSX
from tests.integration.fuzz.roles import CALLERS, Caller, RoleShop, Seen
from tests.integration.fuzz.wire import connected

ANSWER_S_MAX = 30.0
PATIENCE_S = 0.05  # the wait for an answer to a request that may lack its end; then the client closes its side
PROBLEM = "application/problem+json"
_STATUS = re.compile(rb"HTTP/1\.1 ([1-5]\d\d) ")


@schemathesis.serializer(XLSX)
def _file(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


# ─── by the document ──────────────────────────────────────────────────────────────────────────────────────────


def call_by_document(
    shop: RoleShop,
    seen: Seen,
    callers: Sequence[str],
    examples: int,
    seed: int,
    modes: Sequence[GenerationMode] = tuple(GenerationMode),
) -> None:
    """So many calls of each operation by each caller that the document allows, and as many that it forbids."""
    operations = [found.ok() for found in shop.document().get_all_operations()]
    with requests.Session() as session:
        for name in callers:
            caller = Caller(name, shop)
            for operation in operations:
                for mode in modes:
                    _call(operation, mode, shop, seen, caller, session, examples, seed)


def _call(
    operation: Any,
    mode: GenerationMode,
    shop: RoleShop,
    seen: Seen,
    caller: Caller,
    session: requests.Session,
    examples: int,
    seed: int,
) -> None:
    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        if mode is GenerationMode.POSITIVE:
            shop.use_existing_names(case, caller)
        answer = case.call(session=session, headers=caller.headers(), timeout=ANSWER_S_MAX)
        seen.note(caller.name, answer.status_code, case.as_curl_command()[:2_000])
        if answer.status_code >= 400 and case.method != "HEAD":
            kind = answer.headers["content-type"][0]
            if kind != PROBLEM or json.loads(answer.content)["status"] != answer.status_code:
                seen.failures.append(f"{caller.name}: no problem document: {case.as_curl_command()[:500]}")

    with suppress(hypothesis.errors.Unsatisfiable, schemathesis.errors.InvalidSchema):
        call()


# ─── in bytes ─────────────────────────────────────────────────────────────────────────────────────────────────

PIECES = [
    *(
        b"\0",
        b"\r\n",
        b"\n",
        b"\r",
        b"\xff",
        b"%00",
        b"%2f",
        b"..",
        b"//",
        b"'",
        b'"',
        b"{",
        b"}",
        b"[" * 50,
        b"\\ud800",
    ),
    *(
        b"\xf0\x9f\x92\xa3",
        b"\xe2\x80\xae",
        b"-1",
        b"1e999",
        b"9" * 400,
        b"null",
        b"true",
        b"; ",
        b"=",
        b",",
        b" ",
        b"\t",
    ),
    *(
        b"Content-Length: 0\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Host: x\r\n",
        b"Cookie: a=b\r\n",
        b"Expect: x\r\n",
    ),
]


def call_in_bytes(shop: RoleShop, seen: Seen, callers: Sequence[str], requests_each: int, seed: int) -> None:
    """Right requests of each caller with bytes changed, added, doubled and taken away."""
    for name in callers:
        caller, chance = Caller(name, shop), Random(f"{seed}-{name}")
        for target, body, kind in islice(cycle(_bases(shop, caller)), requests_each):
            sent, is_whole = _changed(target, body, kind, caller.headers(), chance)
            for status in _statuses(shop, sent, is_whole):
                seen.note(name, status, repr(sent[:1_500]))


def _bases(shop: RoleShop, caller: Caller) -> list[tuple[bytes, bytes, bytes]]:
    """Request lines, bodies and their types: reads and writes of every part of the API."""
    author = caller.person.id if caller.person else 70_001
    act = {"worker_id": author, "operacion": "ARM"}
    steps = [{"accion": "TOMAR", "operacion": "ARM"}]
    posts: dict[str, Any] = {
        "occupation/tomar": {"tag_spool": shop.tags[0], **act},
        "occupation/batch-tomar": {"tag_spools": shop.tags[:3], **act},
        "v4/occupation/finalizar": {"tag_spool": shop.tags[-1], **act, "selected_unions": [1]},
        "occupation/cadena": {"tag_spool": shop.tags[1], "worker_id": author, "pasos": steps},
        "metrologia/completar": {"tag_spool": shop.tags[45], "worker_id": author, "resultado": "APROBADO"},
        "occupation/liberar": {"tag_spool": shop.tags[-30], "supervisor_id": author, "motivo": "prueba"},
        f"spools/{shop.tags[2]}/notas": {"worker_id": author, "texto": "nota"},
        "reclamos": {"tag_spool": shop.tags[3], "worker_id": author, "pasos": [], "clave": "k"},
        "sesion/uso": {},
        "codigos": {"textos": shop.tags[:2]},
        "etiquetas/hojas": {"tags": shop.tags[:2]},
        "ajustes": {"nombre_taller": "Taller"},
        "personas": {"id": 90_000, "nombre": "Ana", "apellido": "Paz", "roles": ["Armador"]},
        "personas/80001/roles": {"roles": ["Armador"]},
        "dispositivos/inscripciones": {"nombre": "Tablet", "tipo": "tablet"},
        "tokens": {"nombre": "x", "alcances": ["leer"]},
        "webhooks": {"nombre": "x", "url": "http://127.0.0.1:9/x", "tipos": ["rechazado"], "red_privada": True},
        "planilla/google/probar": {"direccion": "x"},
    }  # fmt: skip
    reads = ["spools?limit=5&q=F", f"spools/{shop.tags[0]}", f"history/{shop.tags[0]}", "dashboard/occupied", "mi-dia"]
    reads += ["metrics/pulgadas?desde=2026-11-01&hasta=2026-11-17&por=dia", "accesos?limit=5", "personas", "sistema"]
    reads += ["offline/spools", "reclamos", "fotos/" + "a" * 64, "planilla/cargas", "respaldos/x", "acceso"]
    json_type = b"application/json"
    return [
        *((b"POST /api/" + path.encode(), json.dumps(body).encode(), json_type) for path, body in posts.items()),
        *((b"GET /api/" + path.encode(), b"", b"") for path in reads),
        (b"POST /api/fotos", b"\xff\xd8\xff\xe0" + bytes(200), b"image/jpeg"),
        (b"GET /index.html", b"", b""),
    ]


def _changed(target: bytes, body: bytes, kind: bytes, proof: dict[str, str], chance: Random) -> tuple[bytes, bool]:
    """The request, and whether its framing is intact: if so, the server must answer it."""
    fields = [b"Host: localhost", b"Connection: close", *(f"{name}: {value}".encode() for name, value in proof.items())]
    if kind:
        fields += [b"Content-Type: " + kind, b"Idempotency-Key: k%d" % chance.randrange(1_000)]
    how = chance.randrange(4)
    if how == 0:
        body = _mutated(body, chance)
    elif how == 1:
        target = _mutated(target, chance)
    elif how == 2:
        at = chance.randrange(len(fields))
        fields[at] = _mutated(fields[at], chance)
    if body:
        fields.append(b"Content-Length: %d" % len(body))
    sent = b"\r\n".join([target + b" HTTP/1.1", *fields, b"", b""]) + body
    return (_mutated(sent, chance), False) if how == 3 else (sent, how == 0)


def _mutated(text: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + 12)
        text = chance.choice(
            [
                text[:at] + chance.choice(PIECES) + text[at:],
                text[:at] + text[end:],
                text[:end] + text[at:],
                text[:at] + chance.randbytes(1) + text[at + 1 :],
                text[:at] + text[at:end].swapcase() + text[end:],
            ]
        )
    return text


def _statuses(shop: RoleShop, sent: bytes, is_whole: bool) -> Iterator[int]:
    """The status of every answer until the server closes; 0 when it closed without one, as it may when the framing is
    broken."""
    with connected(shop.server.url) as client, suppress(ConnectionError):
        client.sendall(sent)
        received = b"" if is_whole else _soon(client)
        if not is_whole:  # the connection may be one that is kept
            client.shutdown(socket.SHUT_WR)
        client.settimeout(ANSWER_S_MAX)
        while piece := client.recv(65_536):
            received += piece
            if len(received) > 4_000_000:
                break
        found = [int(status) for status in _STATUS.findall(received) if status != b"100"]
        yield from found[:1] if is_whole else found
        if not found:
            assert not is_whole, f"no answer to {sent!r}"
            yield 0


def _soon(client: socket.socket) -> bytes:
    client.settimeout(PATIENCE_S)
    try:
        return client.recv(65_536)
    except TimeoutError:
        return b""


def assert_nothing_broke(seen: Seen) -> None:
    assert not seen.failures, "\n".join(seen.failures[:20])
    assert set(seen.statuses) <= set(CALLERS)
