"""Installing, installing again, and removing. The data always stays."""

from __future__ import annotations

import os
import pwd
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from carrete.service import installing
from carrete.service.access import SystemUser
from carrete.service.installing import data_folder, install, uninstall
from carrete.service.state import service_state, wait_until_it_answers
from carrete.settings import WrongSetting
from tests.unit.service.conftest import ShopMachine

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder to another user")
STARTED = ["systemctl daemon-reload", "systemctl enable carrete.service", "systemctl restart carrete.service"]


def test_installing_writes_the_unit_and_starts_it(machine: ShopMachine) -> None:
    install(machine.plan(), machine.systemd, machine.files)
    assert machine.commands == STARTED
    assert machine.files.unit.stat().st_mode & 0o777 == 0o644
    assert machine.files.command.stat().st_mode & 0o777 == 0o755
    data = (machine.root / "data").stat()
    assert (data.st_mode & 0o777, data.st_uid) == (0o700, pwd.getpwnam("nobody").pw_uid)
    assert data_folder(machine.files.unit) == machine.root / "data"


def test_a_user_who_does_not_exist_is_made_first(machine: ShopMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = pwd.getpwnam("nobody")
    monkeypatch.setattr(pwd, "getpwnam", lambda name: nobody)  # as if it was made
    monkeypatch.setattr(installing, "system_user", SystemUser)
    install(machine.plan(user="carrete-test"), machine.systemd, machine.files)
    made, *rest = machine.commands
    assert made == "useradd --system --user-group --no-create-home --shell /usr/sbin/nologin carrete-test"
    assert rest == STARTED


def test_installing_again_changes_the_options_and_keeps_the_data(machine: ShopMachine) -> None:
    install(machine.plan(), machine.systemd, machine.files)
    (machine.root / "data" / "carrete.db").write_text("precious")
    install(machine.plan(port=9443), machine.systemd, machine.files)
    assert "--lan --port 9443" in machine.files.unit.read_text()
    assert (machine.root / "data" / "carrete.db").read_text() == "precious"


def test_removing_leaves_the_data(machine: ShopMachine) -> None:
    install(machine.plan(), machine.systemd, machine.files)
    (machine.root / "data" / "carrete.db").write_text("precious")
    machine.commands.clear()
    assert uninstall(machine.systemd, machine.files) == machine.root / "data"
    assert machine.commands == ["systemctl disable --now carrete.service", "systemctl daemon-reload"]
    assert not machine.files.unit.exists()
    assert not machine.files.command.exists()
    assert (machine.root / "data" / "carrete.db").read_text() == "precious"
    with pytest.raises(WrongSetting, match="There is no service"):
        uninstall(machine.systemd, machine.files)


@pytest.mark.parametrize("which", ["unit", "command"])
def test_a_file_of_somebody_else_is_neither_overwritten_nor_removed(machine: ShopMachine, which: str) -> None:
    theirs: Path = getattr(machine.files, which)
    theirs.write_text("[Service]\nExecStart=/bin/true\n")
    with pytest.raises(WrongSetting, match="remove it first"):
        install(machine.plan(), machine.systemd, machine.files)
    assert machine.commands == []
    assert theirs.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert not (machine.root / "data").exists()


def test_what_systemd_complains_about_is_shown(machine: ShopMachine) -> None:
    machine.answers["systemctl restart"] = "FAILS systemctl restart carrete.service: Unit is masked."
    with pytest.raises(WrongSetting, match="masked"):
        install(machine.plan(), machine.systemd, machine.files)
    assert sorted(path.name for path in machine.files.unit.parent.iterdir()) == ["carrete.service"]  # no half file


def test_the_state_is_what_systemd_says(machine: ShopMachine) -> None:
    since = "Mon 2026-11-16 10:00:00 UTC"
    machine.answers["systemctl show"] = (
        "LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nNRestarts=2\n"
        f"ActiveEnterTimestamp={since}\n"
    )
    state = service_state(machine.systemd)
    assert (state.installed, state.running, state.at_start, state.restarts) == (True, True, True, 2)
    assert (state.since, state.detail) == (since, "active (running)")
    machine.answers["systemctl show"] = "LoadState=not-found\nActiveState=inactive\nSubState=dead\nUnitFileState=\n"
    gone = service_state(machine.systemd)
    assert (gone.installed, gone.running, gone.at_start, gone.restarts) == (False, False, False, 0)


@pytest.fixture
def quiet_port() -> Iterator[int]:
    with socket.socket() as bound:  # bound and not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_service_that_does_not_answer_is_not_waited_for_for_ever(quiet_port: int) -> None:
    assert wait_until_it_answers(quiet_port, https=True, s_max=0.1) is False
