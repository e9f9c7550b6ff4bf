"""What must hold before a service is installed: everything is checked before anything is changed."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from carrete.service.plan import installed_program, require_sound
from carrete.settings import WrongSetting
from tests.unit.service.conftest import ShopMachine


def complaint(machine: ShopMachine, **options: object) -> str:
    with pytest.raises(WrongSetting) as caught:
        require_sound(machine.plan(**options))
    return str(caught.value)


def test_a_sound_plan_is_accepted(machine: ShopMachine) -> None:
    require_sound(machine.plan())


def test_the_service_has_a_user_of_its_own(machine: ShopMachine) -> None:
    assert "not root" in complaint(machine, user="root")
    assert "--user" in complaint(machine, user="ana; rm -rf /")


def test_a_program_that_the_service_could_not_see_is_refused_with_the_way_out(machine: ShopMachine) -> None:
    hidden = machine.root / "home" / "ana"
    hidden.mkdir(parents=True)
    (hidden / "carrete").touch(0o755)
    problem = complaint(machine, program=machine.plan().program._replace(command=hidden / "carrete"))
    assert "python3 -m venv /opt/carrete" in problem


def test_a_program_in_a_private_folder_is_refused_and_the_folder_named(machine: ShopMachine) -> None:
    """pip under root's umask 077 leaves an environment that nobody else can read."""
    folder = machine.root / "opt" / "carrete"
    folder.chmod(0o700)
    problem = complaint(machine)
    assert f"because of {folder}" in problem
    assert f"chmod -R go+rX {folder}" in problem
    folder.chmod(0o755)
    (folder / "package.py").chmod(0o600)
    assert f"because of {folder / 'package.py'}" in complaint(machine)


@pytest.mark.parametrize("data", ["/", "/etc/carrete", "/usr/share/carrete", "/data", "relative/data", "/srv/my data"])
def test_data_goes_where_a_service_may_keep_it(machine: ShopMachine, data: str) -> None:
    assert data in complaint(machine, data=Path(data))


def test_the_folder_above_the_data_must_be_there(machine: ShopMachine) -> None:
    """Said before anything is changed. A name that only begins like a system's folder is an ordinary one."""
    assert "there is no folder /srv/nowhere" in complaint(machine, data=Path("/srv/nowhere/carrete"))
    assert "there is no folder /library" in complaint(machine, data=Path("/library/carrete"))


def test_somebody_else_s_folder_is_not_taken(machine: ShopMachine) -> None:
    (machine.root / "data").mkdir()  # root's
    problem = complaint(machine)
    assert "belongs to another user than nobody" in problem
    assert f"chown -R nobody: {machine.root / 'data'}" in problem


def test_a_link_is_no_folder(machine: ShopMachine) -> None:
    (machine.root / "data").symlink_to("/etc")
    assert "is no folder" in complaint(machine)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file to another user")
def test_a_certificate_must_be_readable_and_have_its_key(machine: ShopMachine) -> None:
    cert, key = machine.root / "shop.crt", machine.root / "shop.key"
    cert.touch(0o644)
    key.touch(0o600)
    assert "belong together" in complaint(machine, tls_cert=cert)
    assert f"cannot read it because of {key}" in complaint(machine, tls_cert=cert, tls_key=key)
    os.chown(key, pwd.getpwnam("nobody").pw_uid, 0)  # its owner may read it, and nobody else
    require_sound(machine.plan(tls_cert=cert, tls_key=key))


def test_behind_a_proxy_there_is_no_certificate_of_ours(machine: ShopMachine) -> None:
    assert "--behind-proxy" in complaint(machine, behind_proxy=("127.0.0.1",), http_port=80)


def test_the_installed_program_is_the_one_that_runs() -> None:
    program = installed_program()
    assert program.command.name == "carrete"
    assert program.package.parent.name == "carrete"
    assert program.python.is_file()
