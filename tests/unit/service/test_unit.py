"""The text of the unit and of the command `sudo carrete …`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from carrete.service.unit import command_text, unit_text
from tests.unit.service.conftest import ShopMachine


def lines(machine: ShopMachine, **options: object) -> dict[str, str]:
    """The last value of each name."""
    return dict(line.split("=", 1) for line in unit_text(machine.plan(**options)).splitlines() if "=" in line)


def test_the_unit_serves_the_lan_and_can_write_its_data_alone(machine: ShopMachine) -> None:
    unit = lines(machine)
    assert unit["ExecStart"] == f"{machine.root}/opt/carrete/carrete serve --lan"
    assert unit["User"] == "nobody"
    assert unit["Environment"] == f"CARRETE_DATA={machine.root}/data"
    assert unit["ReadWritePaths"] == f"{machine.root}/data"
    assert (unit["CapabilityBoundingSet"], unit["AmbientCapabilities"]) == ("", "")
    assert (unit["NoNewPrivileges"], unit["ProtectSystem"], unit["ProtectHome"]) == ("yes", "strict", "yes")


def test_copies_on_another_disk_can_be_written_too(machine: ShopMachine) -> None:
    text = unit_text(machine.plan(backups=Path("/mnt/copies")))
    assert f"ReadWritePaths={machine.root}/data /mnt/copies\n" in text
    assert "Environment=CARRETE_BACKUP_DIR=/mnt/copies\n" in text


def test_a_port_that_needs_a_right_gets_that_one_and_no_other(machine: ShopMachine) -> None:
    unit = lines(machine, port=443, http_port=80)
    assert unit["ExecStart"].endswith("serve --lan --port 443 --http-port 80")
    assert unit["CapabilityBoundingSet"] == unit["AmbientCapabilities"] == "CAP_NET_BIND_SERVICE"
    assert lines(machine, port=9443)["CapabilityBoundingSet"] == ""
    assert lines(machine, http_port=80)["CapabilityBoundingSet"] == "CAP_NET_BIND_SERVICE"


def test_behind_a_proxy_or_with_a_certificate_of_ones_own(machine: ShopMachine) -> None:
    proxied = lines(machine, behind_proxy=("127.0.0.1", "10.0.0.0/24"), workers=2)["ExecStart"]
    assert proxied.endswith("serve --behind-proxy 127.0.0.1 --behind-proxy 10.0.0.0/24 --port 8000 --workers 2")
    own = lines(machine, tls_cert=Path("/etc/carrete/x.crt"), tls_key=Path("/etc/carrete/x.key"))["ExecStart"]
    assert own.endswith("serve --lan --tls-cert /etc/carrete/x.crt --tls-key /etc/carrete/x.key")


def test_the_command_runs_as_the_service_s_user_on_its_data(machine: ShopMachine) -> None:
    """With stand-ins for `runuser` and for the program, which say what they were asked to do."""
    (machine.root / "data").mkdir()
    tools = machine.root / "tools"
    tools.mkdir()
    script(tools / "runuser", 'echo "in $PWD: runuser $*"')
    script(machine.root / "opt" / "carrete" / "carrete", 'echo "program $*"')
    script(command := machine.root / "bin" / "carrete", command_text(machine.plan()).partition("\n")[2])
    environment = {"PATH": f"{tools}:/usr/bin:/bin"}

    def printed(*words: str) -> str:
        return subprocess.run([command, *words], env=environment, capture_output=True, text=True, check=True).stdout

    data, program = machine.root / "data", machine.root / "opt" / "carrete" / "carrete"
    assert printed("doctor") == f"in {data}: runuser -u nobody -- env CARRETE_DATA={data} {program} doctor\n"
    assert printed("service", "status") == "program service status\n"  # needs root itself
    script(tools / "id", "echo 1000")
    refused = subprocess.run([command, "doctor"], env=environment, capture_output=True, text=True, check=False)
    assert (refused.returncode, "use sudo" in refused.stderr) == (1, True)


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
