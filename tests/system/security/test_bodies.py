"""Bodies: fields that nobody asked for, the actor in the body, and JSON that is made to hurt."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from carrete.domain.workers import Rol
from carrete.identity.access_events import AccessKind
from carrete.identity.records import TokenScope
from tests.support.answers import done, refused
from tests.support.people import LP, MI, MR, SV
from tests.support.signed_in import EnrolledTablet
from tests.system.security.target import Target, leaks_nothing, paths

# Bodies that are a file, or any JSON object that Google gives.
NO_JSON_OF_OURS = ("/api/fotos", "/api/planos", "/api/planilla/cargas", "/api/planilla/google/clave")
POSTS = [path for path in paths("POST") if path not in NO_JSON_OF_OURS]
MORE = [
    "roles",
    "rol",
    "via",
    "proof",
    "device",
    "session",
    "token",
    "admin",
    "is_admin",
    "activo",
    "hecho_en",
    "author",
]
MORE += [
    "__proto__",
    "constructor",
    "event_seq",
    "version_workflow",
    "ocupado_por",
    "pin_fresh",
    "confirmar_todo",
    "$where",
]


def test_no_body_has_room_for_a_field_more(shop: Target) -> None:
    """Mass assignment: 20 fields that nobody asked for (`roles`, `via`, `proof`, `activo`, `__proto__`…) in the body of
    every POST, by an administrator → 422 that names them; nothing changes."""
    admin = shop.tablet(1)
    with shop.unchanged():
        for path in POSTS:
            answer = admin.post(path, dict.fromkeys(MORE, "Administrador"))
            said = refused(answer, 422, "DATOS_INVALIDOS")
            named = {error["campo"] for error in said["errors"] if error["motivo"] == "campo desconocido."}
            assert named or said["errors"], path
            assert not named or named & set(MORE), path


def test_every_body_of_the_document_is_closed(shop: Target) -> None:
    """Every type of body in the OpenAPI document, the ones inside others too → `additionalProperties: false`."""
    document = shop.http.get("/api/openapi.json").json()
    found = {}
    for path, operations in document["paths"].items():
        content = operations.get("post", {}).get("requestBody", {}).get("content", {})
        if schema := content.get("application/json", {}).get("schema"):
            found[path] = list(_open_objects(schema, document, ()))
    assert len(found) >= 60
    assert {path for path, opened in found.items() if opened} <= {"/api/planilla/google/clave"}


def _open_objects(schema: Any, document: Any, seen: tuple[str, ...]) -> list[str]:
    """Where an object takes any field."""
    if isinstance(schema, list):
        return [each for one in schema for each in _open_objects(one, document, seen)]
    if not isinstance(schema, dict):
        return []
    if name := schema.get("$ref"):
        if name in seen:
            return []
        return _open_objects(document["components"]["schemas"][name.rpartition("/")[2]], document, (*seen, name))
    opened = [str(schema)[:80]] if "properties" in schema and schema.get("additionalProperties") is not False else []
    return opened + [each for one in schema.values() for each in _open_objects(one, document, seen)]


@pytest.mark.parametrize("who", [True, 93.0, "93", [93], {"$ne": None}, -93, 93.4, "MR(93)", 2**63])
def test_the_actor_in_a_body_is_a_whole_number_or_nothing(shop: Target, who: object) -> None:
    """`worker_id` as `true` (which equals 1, the administrator), as text, list, object, fraction or a number of 64 bits
    → 422; nothing is taken."""
    tag = shop.spool()
    for worker_id in (1, MR.id):
        answer = shop.tablet(worker_id).post(
            "/api/occupation/tomar", {"tag_spool": tag, "worker_id": who, "operacion": "ARM"}
        )
        assert answer.status_code == 422, answer.text
    assert shop.events(tag) == []


def test_nobody_is_somebody_else_by_naming_them(shop: Target) -> None:
    """Another person's `worker_id` in every action of the floor → 403 `IDENTIDAD_DISTINTA`; an access event
    `IDENTIDAD_RECHAZADA` for each; nothing is done."""
    tablet, tag = shop.tablet(LP.id), shop.spool()
    before = len(shop.access(AccessKind.IDENTIDAD_RECHAZADA, LP.id))
    bodies = {
        "/api/occupation/tomar": {"tag_spool": tag, "worker_id": MR.id, "operacion": "ARM"},
        "/api/occupation/sigo": {"tag_spool": tag, "worker_id": MR.id, "operacion": "ARM"},
        "/api/occupation/batch-tomar": {"tag_spools": [tag], "worker_id": MR.id, "operacion": "ARM"},
        "/api/v4/occupation/iniciar": {"tag_spool": tag, "worker_id": MR.id, "operacion": "ARM"},
        "/api/metrologia/completar": {"tag_spool": tag, "worker_id": MI.id, "resultado": "APROBADO"},
        "/api/occupation/liberar": {"tag_spool": tag, "supervisor_id": SV.id, "motivo": "porque sí"},
        f"/api/spools/{tag}/notas": {"worker_id": MR.id, "texto": "Soy otro"},
    }
    for path, body in bodies.items():
        refused(tablet.post(path, body), 403, "IDENTIDAD_DISTINTA")
    assert shop.events(tag) == []
    shop.until(lambda: len(shop.access(AccessKind.IDENTIDAD_RECHAZADA, LP.id)) - before == len(bodies))


def test_a_field_inside_a_chain_is_closed_too(shop: Target) -> None:
    """A chain of steps in which one step has a `worker_id`, a `via` or another spool of its own → 422."""
    tablet, tag, other = shop.tablet(LP.id), shop.spool(), shop.spool()
    for more in ({"worker_id": MR.id}, {"via": {"proof": "pin"}}, {"tag_spool": other}):
        step = {"accion": "TOMAR", "operacion": "ARM", **more}
        answer = tablet.post("/api/occupation/cadena", {"tag_spool": tag, "worker_id": LP.id, "pasos": [step]})
        refused(answer, 422, "DATOS_INVALIDOS")
    assert shop.events(tag) == shop.events(other) == []


def test_nobody_gets_a_role_by_asking(shop: Target) -> None:
    """A supervisor, a worker and a token give themselves `Administrador`, by role, new person, name or confirmation →
    403; nothing changes."""
    person = shop.worker(Rol.ARMADOR)
    asks = {
        f"/api/personas/{person}/roles": {"roles": ["Administrador"]},
        "/api/personas": {"id": 9_001, "nombre": "Eva", "apellido": "Mala", "roles": ["Administrador"]},
        f"/api/personas/{person}/privilegios": {
            "confirmar": True, "roles_pendientes": ["Administrador"], "cambio_pendiente": None
        },
        "/api/personas/1/pin": {},
        "/api/tokens": {"nombre": "x", "alcances": ["administrar"]},
    }  # fmt: skip
    callers = (shop.tablet(person), shop.tablet(SV.id), shop.program(*TokenScope))
    with shop.unchanged():
        for caller in callers:
            for path, body in asks.items():
                answer = caller.post(path, body)
                assert answer.status_code == 403, (path, answer.text)


def _post_to_all(admin: EnrolledTablet, content: bytes) -> list[tuple[str, httpx.Response]]:
    headers = {"Content-Type": "application/json"}
    return [(path, admin.send("POST", path, headers=headers, content=content)) for path in paths("POST")]


HURTING = {
    "100,000 lists in one another": b"[" * 100_000,
    "100,000 objects in one another": b'{"a":' * 40_000 + b"1" + b"}" * 40_000,
    "a number of 200,000 digits": b'{"worker_id":' + b"9" * 200_000 + b"}",
    "an exponent without end": b'{"worker_id":1e999999999,"limit":-1e-999999999}',
    "20,000 unknown fields": json.dumps({f"f{n}": n for n in range(20_000)}).encode()[: 256 * 1024],
    "half of a surrogate pair": b'{"tag_spool":"\\ud800","nombre":"\\udfff","texto":"\\ud800"}',
    "NaN": b'{"worker_id":NaN,"saltar":Infinity}',
    "no JSON object": b'"text"',
    "null": b"null",
    "bytes that are no text": b'{"nombre":"\xff\xfe"}',
}


@pytest.mark.parametrize("name", HURTING)
def test_no_json_brings_a_route_down(shop: Target, name: str) -> None:
    """JSON 100,000 deep, numbers of 200,000 digits, 20,000 fields, broken text, to every POST by an administrator → 4xx
    problem, never 5xx, and nothing of the server's inside."""
    for path, answer in _post_to_all(shop.tablet(1), HURTING[name]):
        assert 400 <= answer.status_code < 500, (path, answer.status_code, answer.text[:300])
        assert answer.headers["content-type"] == "application/problem+json"
        assert leaks_nothing(answer.content), path


def test_no_body_is_larger_than_its_route_allows(shop: Target) -> None:
    """A body of 300 KiB to every POST that takes JSON → 413 `CUERPO_DEMASIADO_GRANDE`."""
    admin = shop.tablet(1)
    for path in POSTS:
        answer = admin.send("POST", path, headers={"Content-Type": "application/json"}, content=b" " * (300 * 1024))
        refused(answer, 413, "CUERPO_DEMASIADO_GRANDE")


def test_a_key_of_somebody_else_opens_nothing(shop: Target) -> None:
    """The idempotency key of another person's action, with the same body but one's own person, and with theirs → 422
    and 403; nothing of the first answer is shown."""
    first, second, tag = shop.tablet(MR.id), shop.tablet(LP.id), shop.spool()
    key = f"key-of-{tag}"
    done(first.tap("TOMAR", tag, MR.id, key=key))
    own = second.tap("TOMAR", tag, LP.id, key=key)
    refused(own, 422, "IDEMPOTENCY_KEY_REUSED")
    theirs = second.tap("TOMAR", tag, MR.id, key=key)
    refused(theirs, 403, "IDENTIDAD_DISTINTA")
    for answer in (own, theirs):
        assert "idempotency-replayed" not in answer.headers
        assert "MR(93)" not in answer.text


@pytest.mark.parametrize("other", ["SЕC-{}", "ＳＥＣ-{}", "sec-{}", "SEC‑{}", "SEC-{}\u00a0x", "SEC-0{}", "SEC–{}"])
def test_a_tag_that_looks_the_same_is_another_spool(shop: Target, other: str) -> None:
    """A tag in Cyrillic, full-width, lower-case or with another hyphen → 404 `SPOOL_NO_ENCONTRADO`; the spool that it
    looks like stays free."""
    tag = shop.spool()
    lookalike = other.format(tag.rpartition("-")[2])
    refused(shop.tablet(MR.id).tap("TOMAR", lookalike), 404, "SPOOL_NO_ENCONTRADO")
    assert shop.events(tag) == []


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u200b", "\ufeff", "\x1b[2J", "\x00", "\u2066", "\x7f", "\x9b31m", "\x80"]
)
def test_no_name_has_a_character_that_nobody_sees(shop: Target, hidden: str) -> None:
    """Bidirectional overrides, zero-width characters, escape sequences (also those of one character, U+009B) in a tag,
    a person's, a device's, a token's, a webhook's and a shop's name → 422."""
    admin, tablet = shop.tablet(1), shop.tablet(MR.id)
    name = f"Ana{hidden}Paz"
    with shop.unchanged():
        refused(tablet.tap("TOMAR", name), 422, "DATOS_INVALIDOS")
        bodies = {
            "/api/personas": {"id": 9_002, "nombre": name, "apellido": "Paz", "roles": []},
            "/api/dispositivos/inscripciones": {"nombre": name, "tipo": "tablet"},
            "/api/tokens": {"nombre": name, "alcances": ["leer"]},
            "/api/webhooks": {"nombre": name, "url": "https://93.184.216.34/x", "tipos": ["rechazado"]},
            "/api/ajustes": {"nombre_taller": name},
            f"/api/dispositivos/{tablet.device.id}/renombrar": {"nombre": name},
        }
        for path, body in bodies.items():
            answer = admin.post(path, body)
            assert answer.status_code == 422, (path, answer.status_code, answer.text)


def test_a_parameter_given_twice_is_no_way_to_somebody_else(shop: Target) -> None:
    """`worker_id` twice in an address, one's own and another's, in both orders → 403 or one's own page, never the
    other's."""
    tablet = shop.tablet(LP.id)
    for query in (f"worker_id={LP.id}&worker_id={MR.id}", f"worker_id={MR.id}&worker_id={LP.id}"):
        answer = tablet.send("GET", f"/api/mi-dia?{query}")
        assert answer.status_code in (200, 403, 422)
        assert "MR(93)" not in answer.text
