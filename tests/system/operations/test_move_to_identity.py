"""A shop of 120 people goes from no identity to PINs and back, with the very steps and commands of
docs/move-to-identity.md. Step 1, HTTPS, is left out: on the server itself it is not needed."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.domain.workers import Rol, Worker
from carrete.identity.server_keys import KEY_FILE
from carrete.ledger.database import Database
from tests.integration.workbook.files import write_file
from tests.support.answers import done, refused
from tests.support.builders import a_spool, a_worker, put
from tests.support.postgres import PostgresServer
from tests.support.server import RunningServer, clean_environment, running_server
from tests.support.signed_in import DEVICE_COOKIE, BearerClient, EnrolledTablet
from tests.support.tablet import Json

DOCUMENT = (Path(__file__).parents[3] / "docs" / "move-to-identity.md").read_text()
MANAGER = a_worker(12, "Gloria", "Manríquez", roles=(Rol.SUPERVISOR,))
_TRADES: dict[int, Sequence[Rol]] = {
    **dict.fromkeys((20, 21, 22), (Rol.SUPERVISOR,)),
    **dict.fromkeys((30, 31, 32, 33), (Rol.METROLOGIA,)),
    **dict.fromkeys((40, 41), (Rol.NDT,)),
}
PEOPLE = [
    a_worker(id_, "Ana", f"Soto {id_}", roles=_TRADES.get(id_, (Rol.ARMADOR, Rol.SOLDADOR)))
    for id_ in range(1, 122)
    if id_ != MANAGER.id
]
FLOOR = [person for person in PEOPLE if person.id not in _TRADES]
PRIVILEGED = [person for person in PEOPLE if person.id in _TRADES]
GONE = a_worker(130, "Raúl", "Lagos", roles=(Rol.SUPERVISOR,))  # left last year; nobody took the role away
CLIMBER = FLOOR[0]  # becomes a supervisor in the workbook after the upgrade
REFUSED = next(person for person in FLOOR if person.id == 77)  # is written down as one too, and is not
TAGS = [f"MK-1335-CW-25238-{n:03}" for n in range(1, 13)]
ADMIN = {"worker_id": 900, "nombre": "Ada", "apellido": "Díaz", "pin": "482915", "dispositivo": "PC oficina"}
CARD = re.compile(r'<h1>(.*?)</h1><p>\w+\((\d+)\)</p><p>PIN</p><p class="pin">(\d{6})</p>')


@dataclass
class Move:
    """The shop, and the person who moves it: at the office computer, with a shell on the server."""

    url: str
    folder: Path
    path: str
    database: Database
    office: dict[str, str] = field(default_factory=dict)
    pins: dict[int, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def types(self, step: int, number: int = 0, **replaced: str) -> str:
        """The commands of the step's block of that number, as the document has them."""
        commands = documented(step)[number]
        for old, new in replaced.items():
            assert old in commands
            commands = commands.replace(old, new)
        return self.shell(commands)

    def shell(self, commands: str) -> str:
        settings = clean_environment(DATABASE_URL=self.url, CARRETE_DATA=str(self.data), CARRETE_ACCESS="device")
        ran = subprocess.run(
            ["sh", "-eu", "-c", commands],
            cwd=self.folder,
            env={**settings, "PATH": self.path, "COLUMNS": "200"},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    @contextmanager
    def process(self, access: str, *arguments: str) -> Iterator[Address]:
        settings = {"CARRETE_ACCESS": access}
        with running_server(self.url, self.data, *arguments, settings=settings) as server, server.client() as client:
            yield Address(server, client, self)


@dataclass
class Address:
    """One process, as the devices reach it."""

    server: RunningServer
    client: httpx.Client
    move: Move

    def device(self, cookies: dict[str, str] | None = None) -> EnrolledTablet:
        """A browser with these cookies. The same ones are sent to whichever process has the address today."""
        tablet = EnrolledTablet(self.client.request, None, self.move.database)
        tablet.cookies = {} if cookies is None else cookies
        return tablet

    @property
    def office(self) -> EnrolledTablet:
        return self.device(self.move.office)


def documented(step: int) -> list[str]:
    """The shell blocks of a step."""
    found = re.search(rf"^## {step}\. .*?(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, f"docs/move-to-identity.md has no step {step}"
    return re.findall(r"^```sh\n(.*?)^```", found[0], re.MULTILINE | re.DOTALL)


@pytest.fixture
def move(engine: str, request: pytest.FixtureRequest, database_url: str, database: Database, tmp_path: Path) -> Move:
    """A shop that was worked without identity."""
    (tmp_path / "data").mkdir(mode=0o700)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        path = f"{server.tools}:{path}"
    put(database, map(a_spool, TAGS), [*PEOPLE, MANAGER, GONE])  # type: ignore[arg-type]
    return Move(database_url, tmp_path, path, database)


def test_a_shop_of_120_people_moves_to_pins_and_back(engine: str, move: Move) -> None:
    assert len(PEOPLE) == 120
    with move.process("open", "--behind-proxy", "127.0.0.1", "--insecure-open") as old:
        done(old.device().tap("TOMAR", TAGS[0], CLIMBER.id))
        step_2_backup(move, engine)
        step_3_everything_stays_as_it_was(old)
        with move.process("device") as new:
            step_4_both_work_on_the_same_spools(old, new)
            step_5_administrators(move, new)
            step_6_who_may_do_what(move, old, new)
            cookies = step_7_devices(old, new)
            step_8_cards(move)
    with move.process("device") as shop:
        step_9_device_for_everybody(move, shop, cookies)
        step_10_everybody_uses_the_card(move, shop, cookies)
        by_name, person = sign_in_by_name(shop, cookies[0])
    with move.process("pin") as shop:
        step_11_pin(move, shop, by_name, person)
    step_12_back(move, cookies)


def step_2_backup(move: Move, engine: str) -> None:
    move.types(2, ("sqlite", "postgres").index(engine))
    assert list(move.folder.glob("before-identity.*"))


def step_3_everything_stays_as_it_was(old: Address) -> None:
    done(old.device().tap("PAUSAR", TAGS[0], CLIMBER.id))
    done(liberar(old.device(), TAGS[1], FLOOR[1], PRIVILEGED[0]))


def liberar(tablet: EnrolledTablet, tag: str, holder: Worker, supervisor: Worker) -> httpx.Response:
    done(tablet.tap("TOMAR", tag, holder.id))
    return forced(tablet, tag, supervisor)


def forced(tablet: EnrolledTablet, tag: str, supervisor: Worker) -> httpx.Response:
    body = {"tag_spool": tag, "supervisor_id": supervisor.id, "motivo": "fin de turno"}
    return tablet.post("/api/occupation/liberar", body)


def step_4_both_work_on_the_same_spools(old: Address, new: Address) -> None:
    key = old.move.data / KEY_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    done(old.device().tap("TOMAR", TAGS[2], FLOOR[2].id))
    refused(new.device().get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")


def step_5_administrators(move: Move, new: Address) -> None:
    output = move.types(5, 0, **{"https://carrete.taller.cl": new.server.url})
    found = re.search(rf"{re.escape(new.server.url)}/configurar#(\w+)", output)
    assert found, output
    answer = new.device().post("/api/configuracion/administrador", {"codigo": found[1], **ADMIN})
    done(answer)
    move.office.update(cookies_of(answer))
    assert new.office.see_spool(TAGS[2])["ocupado_por"] == FLOOR[2].label  # taken at the old address
    given = move.types(5, 1)
    pin = re.search(r"\b\d{6}\b", given)
    assert pin, given
    move.pins[MANAGER.id] = pin[0]
    assert set(person(new, MANAGER.id)["roles"]) == {"Supervisor", "Administrador"}


def cookies_of(answer: httpx.Response) -> dict[str, str]:
    pairs = (value.partition(";")[0].partition("=") for value in answer.headers.get_list("set-cookie"))
    return {name: secret for name, _, secret in pairs}


def person(shop: Address, id_: int) -> Json:
    people: list[Json] = shop.office.see("/api/personas")["personas"]
    return next(each for each in people if each["id"] == id_)


def step_6_who_may_do_what(move: Move, old: Address, new: Address) -> None:
    listed = move.shell("carrete worker list")
    rows = [line for line in listed.splitlines() if any(rol in line for rol in ("Supervisor", "Metrologia", "NDT"))]
    assert len(rows) == len(PRIVILEGED) + 2, listed  # the manager, and one who should not be there
    move.shell(f"carrete worker deactivate {GONE.id}")
    roles = [{"Id": each.id, "Rol": "Supervisor", "Activo": "SI"} for each in (CLIMBER, REFUSED)]
    write_file(move.folder / "roles.xlsx", Operaciones=[{"TAG_SPOOL": TAGS[0]}], Roles=roles)
    move.shell("carrete import roles.xlsx")
    waiting = [person(new, id_) for id_ in (CLIMBER.id, REFUSED.id)]
    assert [each["roles_pendientes"] for each in waiting] == [["Supervisor"]] * 2
    assert not any("Supervisor" in each["roles"] for each in waiting)
    done(liberar(old.device(), TAGS[1], FLOOR[1], CLIMBER))  # at the old address it counts meanwhile
    for each, confirmed in zip(waiting, (True, False), strict=True):
        decision = {name: each[name] for name in ("roles_pendientes", "cambio_pendiente")}
        done(new.office.post(f"/api/personas/{each['id']}/privilegios", {"confirmar": confirmed, **decision}))
    assert "Supervisor" in person(new, CLIMBER.id)["roles"]
    assert person(new, REFUSED.id)["roles_pendientes"] == []


def step_7_devices(old: Address, new: Address) -> list[dict[str, str]]:
    """Two tablets and a wall board, last."""
    cookies = [enrolled(new, name, kind) for name, kind in (("Tablet 7, nave 2", "tablet"), ("Tablet 8", "tablet"))]
    cookies.append(enrolled(new, "Muro", "tablero"))
    board = new.device(cookies[2])
    assert board.see("/api/dashboard/occupied")["occupied"]
    refused(board.sign_in(FLOOR[3].id, None), 403, "PERMISO_INSUFICIENTE")
    first = new.device(cookies[0])  # by name from now on; the others go on at the old address
    done(first.sign_in(FLOOR[3].id, None))
    done(first.tap("TOMAR", TAGS[3], FLOOR[3].id))
    refused(old.device().tap("TOMAR", TAGS[3], FLOOR[4].id), 409, "SPOOL_OCCUPIED")
    return cookies


def enrolled(shop: Address, name: str, kind: str) -> dict[str, str]:
    """By code, number and confirmation."""
    made = done(shop.office.post("/api/dispositivos/inscripciones", {"nombre": name, "tipo": kind}))
    used = shop.device().post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]})
    cookies = cookies_of(used)
    refused(shop.device(cookies).get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")
    (waiting,) = shop.office.see("/api/dispositivos")["inscripciones"]
    assert waiting["numero"] == done(used)["numero"]
    confirm = f"/api/dispositivos/inscripciones/{made['id']}/confirmar"
    done(shop.office.post(confirm, {"numero": waiting["numero"]}))
    assert shop.device(cookies).see("/api/acceso")["dispositivo"]["nombre"] == name
    assert set(cookies) == {DEVICE_COOKIE}
    return cookies


def step_8_cards(move: Move) -> None:
    move.types(8)
    page = move.folder / "cards.html"
    assert page.stat().st_mode & 0o777 == 0o600
    cards = CARD.findall(page.read_text())
    assert len(cards) == 120
    assert {(html.unescape(name), int(id_)) for name, id_, _ in cards} == {
        (f"{each.nombre} {each.apellido}", each.id) for each in PEOPLE
    }
    move.pins |= {int(id_): pin for _, id_, pin in cards}
    page.unlink()


def step_9_device_for_everybody(move: Move, shop: Address, cookies: list[dict[str, str]]) -> None:
    refused(shop.device().get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")
    tablet = shop.device(cookies[1])
    done(tablet.sign_in(FLOOR[5].id, None))
    done(tablet.tap("TOMAR", TAGS[5], FLOOR[5].id))
    (event,) = tablet.see_history(TAGS[5])["events"]
    assert event["metadata"]["via"]["proof"] == "name"
    for one in (PRIVILEGED[0], PRIVILEGED[3], PRIVILEGED[8], CLIMBER, MANAGER):
        refused(tablet.sign_in(one.id, None), 403, "PIN_REQUERIDO")
    done(tablet.sign_in(CLIMBER.id, move.pins[CLIMBER.id]))
    done(forced(tablet, TAGS[5], CLIMBER))
    done(tablet.sign_in(REFUSED.id, None))  # the floor's own way in
    done(tablet.post("/api/sesion/pin", {"pin": move.pins[REFUSED.id]}))
    refused(forced(tablet, TAGS[2], REFUSED), 403, "ROL_NO_AUTORIZADO")
    refused(tablet.sign_in(GONE.id, None), 403, "PIN_REQUERIDO")
    token = re.search(r"carrete_[\w-]+", move.types(9, 1))
    assert token
    assert BearerClient(shop.client.request, token[0]).get("/metrics").status_code == 200


def step_10_everybody_uses_the_card(move: Move, shop: Address, cookies: list[dict[str, str]]) -> None:
    tablet = shop.device(cookies[0])
    for each in PEOPLE:
        assert done(tablet.sign_in(each.id, move.pins[each.id]))["proof"] == "pin"
    again = re.search(r"\b\d{6}\b", move.shell("carrete worker pin 93"))
    assert again
    refused(tablet.sign_in(93, move.pins[93]), 401, "PIN_INCORRECTO")
    move.pins[93] = again[0]
    done(tablet.sign_in(93, move.pins[93]))
    done(tablet.sign_in(MANAGER.id, move.pins[MANAGER.id]))  # the office's own session was left alone meanwhile
    people = tablet.see("/api/personas")["personas"]
    assert [each["id"] for each in people if each["activo"] and not each["tiene_pin"]] == []
    entered = tablet.see("/api/accesos", tipo="ENTRO", limit=500)["accesos"]
    used = {each["persona"] for each in entered if each["detalle"] == "pin"}
    assert used >= {each.label for each in PEOPLE}


def sign_in_by_name(shop: Address, cookies: dict[str, str]) -> tuple[dict[str, str], Worker]:
    worker = FLOOR[6]
    tablet = shop.device(cookies)
    done(tablet.sign_in(worker.id, None))
    done(tablet.tap("TOMAR", TAGS[6], worker.id))
    return cookies, worker


def step_11_pin(move: Move, shop: Address, by_name: dict[str, str], worker: Worker) -> None:
    tablet = shop.device(by_name)
    assert tablet.see("/api/sesion")["locked"]
    refused(tablet.tap("PAUSAR", TAGS[6], worker.id), 401, "SESION_REQUERIDA", bloqueada=True)
    assert not done(tablet.post("/api/sesion/pin", {"pin": move.pins[worker.id]}))["locked"]
    done(tablet.tap("PAUSAR", TAGS[6], worker.id))
    refused(tablet.sign_in(FLOOR[7].id, None), 403, "PIN_REQUERIDO")
    done(tablet.sign_in(FLOOR[7].id, move.pins[FLOOR[7].id]))
    done(tablet.tap("TOMAR", TAGS[7], FLOOR[7].id))


def step_12_back(move: Move, cookies: list[dict[str, str]]) -> None:
    with move.process("device") as shop:  # too many people without a PIN
        done(shop.device(cookies[1]).sign_in(FLOOR[8].id, None))
    with move.process("open", "--behind-proxy", "127.0.0.1", "--insecure-open") as old:  # everything
        done(old.device().tap("PAUSAR", TAGS[7], FLOOR[7].id))
        done(old.device().tap("TOMAR", TAGS[8], FLOOR[8].id))
    with move.process("pin") as shop:  # the next try: devices, people and PINs are there
        tablet = shop.device(cookies[1])
        done(tablet.sign_in(FLOOR[8].id, move.pins[FLOOR[8].id]))
        done(tablet.tap("COMPLETAR", TAGS[8], FLOOR[8].id))
        proofs = [proof_of(event) for event in tablet.see_history(TAGS[8])["events"]]
        assert proofs == [None, "pin"]


def proof_of(event: Json) -> Any:
    return (event["metadata"].get("via") or {}).get("proof")
