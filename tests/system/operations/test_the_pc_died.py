"""docs/the-pc-died.md, followed: a shop over HTTPS whose PC is gone, a new machine, and tablets that work again."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from carrete.backups.folder import backups_in, keys_files_in
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.tls.files import tls_folder
from tests.conftest import migrated
from tests.support.answers import refused
from tests.support.builders import a_spool, events_in, put
from tests.support.lan import LanServer, lan_server
from tests.support.people import CREW, LP, MR
from tests.support.postgres import PostgresServer
from tests.support.server import clean_environment
from tests.support.signed_in import Enrolled, EnrolledTablet, SignedPost, enrol, give_pins, put_server_key
from tests.support.tls import trusting

PAPER = Path(__file__).parents[3] / "docs" / "the-pc-died.md"
PHRASE = "caballo correcto batería grapa"
PIN_MODE = {"CARRETE_ACCESS": "pin"}


@dataclass(frozen=True)
class Machine:
    """A PC: its data folder, and where its ledger is."""

    data: Path
    url: str
    path: str

    def types(self, heading: str, answers: str = "", **variables: str) -> str:
        """The commands below that heading of the paper."""
        return self.types_commands(documented(heading), answers, **variables)

    def types_commands(self, commands: str, answers: str = "", **variables: str) -> str:
        settings = clean_environment(DATABASE_URL=self.url, CARRETE_DATA=str(self.data), **PIN_MODE)
        done = subprocess.run(
            ["sh", "-eu", "-c", commands],
            input=answers,
            env={**settings, "PATH": self.path, **variables},
            cwd=self.data,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return " ".join(done.stdout.split())

    def serves(self) -> AbstractContextManager[LanServer]:
        return lan_server(self.url, self.data, settings=PIN_MODE)


def documented(heading: str) -> str:
    found = re.search(rf"^{re.escape(heading)}:?\n```sh\n(.*?)^```", PAPER.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"the paper has no commands for: {heading}"
    return found[1]


MakeMachine = Callable[[str], Machine]


@pytest.fixture
def machine(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeMachine]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    names: list[str] = []
    server: PostgresServer | None = request.getfixturevalue("postgres") if engine == "postgres" else None

    def make(name: str) -> Machine:
        (data := tmp_path / name).mkdir(0o700)
        if server is None:
            return Machine(data, f"sqlite:///{data / 'carrete.db'}", path)
        names.append(server.create())
        return Machine(data, server.url(names[-1]), f"{server.tools}:{path}")

    yield make
    for name in names:
        assert server is not None
        server.drop(name)


@dataclass(frozen=True)
class Left:
    """What is left of the old PC: a stick with copies, and a tablet with its cookies and a tap that was not sent."""

    stick: Path
    enrolled: Enrolled
    cookies: dict[str, str]
    late_tap: SignedPost
    trust: ssl.SSLContext

    @property
    def copy(self) -> str:
        return str(backups_in(self.stick)[0].file)

    @property
    def keys(self) -> str:
        return str(keys_files_in(self.stick)[0][0])

    def tablet(self, client: httpx.Client, database: Database) -> EnrolledTablet:
        tablet = EnrolledTablet(client.request, self.enrolled, database)
        tablet.cookies.update(self.cookies)
        return tablet


@pytest.fixture
def left(machine: MakeMachine, tmp_path: Path) -> Left:
    """A worker took A; the copies were made; then a colleague took B, which is in no copy, and the PC died."""
    old = machine("old")
    migrated(old.url)
    put_server_key(old.data)
    with closing(open_database(old.url)) as database:
        put(database, [a_spool("A"), a_spool("B")], CREW)
        give_pins(database, MR.id, LP.id)
        enrolled = enrol(database)
        with old.serves() as lan, lan.client() as client:
            tablet = EnrolledTablet(client.request, enrolled, database)
            assert tablet.sign_in(MR.id).status_code == 200
            assert tablet.tap("TOMAR", "A", MR.id).status_code == 200
            late_tap = tablet.sign_tap("PAUSAR", MR.id, "late", tag="A")
            old.types_commands("carrete backup; carrete backup --keys", f"{PHRASE}\n")
            other = EnrolledTablet(client.request, enrol(database), database)
            assert other.sign_in(LP.id).status_code == 200
            assert other.tap("TOMAR", "B", LP.id).status_code == 200
            lan.server.kill()
    trust = trusting(tls_folder(old.data))
    shutil.move(old.data / "backups", stick := tmp_path / "stick")
    shutil.rmtree(old.data)
    return Left(stick, enrolled, dict(tablet.cookies), late_tap, trust)


@pytest.fixture
def new(machine: MakeMachine) -> Machine:
    """A new PC, installed as on the first day: Carrete ran once, with a ledger, keys and an authority of its own."""
    made = machine("new")
    with made.serves():
        pass
    return made


def test_on_a_new_machine_with_copy_and_keys_the_tablets_work_again(left: Left, new: Machine) -> None:
    output = new.types("Restore, ledger", "y\n", COPY=left.copy)
    assert "1 events, 2 spools" in output
    assert "identity.key is not the key of this ledger" in output
    output = new.types("Restore, keys", f"{PHRASE}\ny\n", KEYS=left.keys)
    assert "Restored: signing.key, identity.key, tls/authority.key, tls/authority.crt." in output
    looked = new.types_commands(documented("## 3. Look before tablets connect"))
    assert "identity (pin in these settings)" in looked
    assert left.enrolled.device.name in looked
    assert MR.label in looked
    with new.serves() as lan, closing(open_database(new.url)) as database:
        with lan.client(verify=left.trust) as client:  # the authority that the tablets trust already
            tablet = left.tablet(client, database)
            assert tablet.see_spool("A")["ocupado_por"] == MR.label
            assert tablet.see_spool("B")["ocupado_por"] is None, "it was taken after the copy"
            assert tablet.deliver(left.late_tap).status_code == 200
            assert tablet.see_spool("A")["ocupado_por"] is None
            assert tablet.sign_in(LP.id).status_code == 200, "with the PIN of before"
            assert tablet.tap("TOMAR", "B", LP.id).status_code == 200
        assert [stored.event.accion for stored in events_in(database)] == ["TOMAR", "PAUSAR", "TOMAR"]


def test_without_the_keys_the_ledger_lives_and_what_is_lost_is_what_the_paper_says(left: Left, new: Machine) -> None:
    output = new.types("Restore, ledger", "y\n", COPY=left.copy)
    assert "carrete admin new-key" in output
    with pytest.raises(AssertionError, match="is not the key of this ledger"):
        new.types_commands("carrete serve --port 0")
    assert "Setup code" in new.types("New key")
    with new.serves() as lan, closing(open_database(new.url)) as database:
        with lan.client(verify=left.trust) as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY"):
            client.get("/api/health")
        with lan.client() as client:  # after the new authority was installed
            tablet = left.tablet(client, database)
            assert tablet.see_spool("A")["ocupado_por"] == MR.label
            refused(tablet.deliver(left.late_tap), 401, "TOQUE_NO_VALIDO")
            refused(tablet.sign_in(MR.id), 401, "PIN_INCORRECTO")
            give_new_pin = new.types_commands(f"carrete worker pin {MR.id}")
            (pin,) = re.findall(r"\b\d{6}\b", give_new_pin)
            assert tablet.sign_in(MR.id, pin).status_code == 200
            assert tablet.tap("PAUSAR", "A", MR.id).status_code == 200
