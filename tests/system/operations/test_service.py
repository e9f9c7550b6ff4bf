"""The unit of `carrete service install`: what the real systemd says about it, and whether the server can live in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.service.plan import ServicePlan, installed_program
from carrete.service.unit import unit_text
from tests.support.machines import wait_for
from tests.support.server import clean_environment, descendants_of

EXPOSURE_MAX = 1.6  # of systemd 252; up to 2 it says "OK", and a unit without any of our lines has 9.6
PLANS: dict[str, dict[str, object]] = {
    "usual": {},
    "low ports": {"port": 443, "http_port": 80},
    "behind a proxy": {"behind_proxy": ("127.0.0.1",), "workers": 2},
    "another disk": {"backups": Path("/mnt/copies"), "data": Path("/srv/carrete")},
}
PROTECTIONS = ("NoNew", "Capability", "Protect", "Private", "Restrict", "Lock", "Remove", "SystemCall", "UMask")
FAMILIES = {"AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"}  # as the unit says
ONLY_ROOT = {"fchown"}  # as root, SQLite gives its files to the ledger's owner; the unit's user is the owner
ELSEWHERE = ("/dev/", "/tmp/", "/proc/self/")
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


def written(folder: Path, **options: object) -> Path:
    unit = folder / "carrete.service"
    program = installed_program()
    unit.write_text(unit_text(ServicePlan(program, **options)), "utf-8")  # type: ignore[arg-type]
    return unit


def analyze(*words: object) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@needs_systemd
@pytest.mark.parametrize("options", PLANS.values(), ids=PLANS)
def test_systemd_accepts_the_unit(tmp_path: Path, options: dict[str, object]) -> None:
    result = analyze("verify", "--man=no", written(tmp_path, **options))
    assert (result.returncode, result.stderr) == (0, "")


@needs_systemd
def test_systemd_complains_about_a_unit_with_a_mistake(tmp_path: Path) -> None:
    unit = written(tmp_path)
    unit.write_text(unit.read_text().replace("ProtectSystem=strict", "ProtectSystem=strictly"))
    assert "ignoring: strictly" in analyze("verify", "--man=no", unit).stderr


@needs_systemd
@pytest.mark.parametrize("options", PLANS.values(), ids=PLANS)
def test_systemd_finds_little_exposed(tmp_path: Path, options: dict[str, object]) -> None:
    assert exposure(written(tmp_path, **options)) <= EXPOSURE_MAX


@needs_systemd
def test_the_unit_of_several_machines_has_the_same_protections(tmp_path: Path) -> None:
    """But for one line that can stand in it only once, because our tests read it too."""
    shipped = Path(__file__).parents[3] / "deploy" / "systemd" / "carrete@.service"
    (unit := tmp_path / "carrete@8001.service").write_text(shipped.read_text("utf-8"))
    assert exposure(unit) <= EXPOSURE_MAX
    ours = {line for line in unit_text(ServicePlan(installed_program())).splitlines() if line.startswith(PROTECTIONS)}
    assert ours - set(shipped.read_text("utf-8").splitlines()) == {"SystemCallFilter=~@privileged"}


@needs_systemd
@pytest.mark.parametrize("line", ["NoNewPrivileges=yes", "ProtectSystem=strict", "User=carrete", "SystemCallFilter="])
def test_each_protection_counts(tmp_path: Path, line: str) -> None:
    unit = written(tmp_path)
    whole = exposure(unit)
    text = "\n".join(each for each in unit.read_text().splitlines() if not each.startswith(line))
    unit.write_text(text + "\n")
    assert exposure(unit) > whole


def exposure(unit: Path) -> float:
    result = analyze("security", "--offline=yes", "--no-pager", unit)
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", result.stdout)
    assert found, result.stderr
    return float(found[1])


@needs_systemd
@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_the_server_does_nothing_that_the_unit_forbids(tmp_path: Path) -> None:
    """systemd cannot run in a test. So a life of the server is traced from its first start to its stop, with Redis,
    HTTPS and a copy: its system calls are among those that the unit allows, it opens sockets of the allowed families,
    and it writes in its data alone."""
    data = tmp_path / "data"
    trace = traced_life(data, tmp_path / "trace")
    allowed = system_calls("@system-service") - system_calls("@privileged")
    assert len(allowed) > 200
    calls = set(re.findall(r"^\d+ +(\w+)\(", trace, re.MULTILINE))  # short process ids are padded
    assert {"openat", "epoll_ctl", "fsync", "execve"} <= calls
    assert calls - allowed <= ONLY_ROOT
    assert set(re.findall(r" socket\((AF_\w+)", trace)) <= FAMILIES
    assert "CLONE_NEW" not in trace
    assert {path for path in written_paths(trace) if not path.startswith((str(data), *ELSEWHERE))} == set()


def written_paths(trace: str) -> set[str]:
    """Absolute paths that were opened for writing, made, renamed or removed, and it worked."""
    opened = re.findall(r'openat\([^,]*, "(/[^"]*)", [^)]*O_(?:WRONLY|RDWR|CREAT)[^)]*\) = \d', trace)
    changed = re.findall(r'(?:mkdir|rename|unlink|chmod|bind)\w*\([^"\n]*"(/[^"]*)"[^\n]*\) = 0', trace)
    return {*opened, *changed}


def traced_life(data: Path, trace: Path) -> str:
    environment = clean_environment() | {
        "CARRETE_DATA": str(data),
        "CARRETE_MDNS": "off",
        "CARRETE_ACCESS": "pin",
        "REDIS_URL": "embedded",
        "PYTHONDONTWRITEBYTECODE": "1",  # the unit's user cannot write beside the program
    }
    serve = ["serve", "--lan", "--host", "127.0.0.2", "--port", "0", "--http-port", "0"]
    strace = ["strace", "-f", "-qq", "-s", "300", "-A", "-o", str(trace), sys.executable, "-m", "carrete"]
    options: Any = {"env": environment, "cwd": data.parent}
    with subprocess.Popen([*strace, *serve], stdout=subprocess.PIPE, text=True, **options) as server:
        try:
            assert server.stdout is not None
            line = next(line for line in server.stdout if line.startswith("Carrete listens on "))
            context = ssl.create_default_context(cafile=data / "tls" / "authority.crt")
            with httpx.Client(base_url=line.split()[-1], verify=context, timeout=60) as browser:
                assert browser.get("/api/health/ready").status_code == 200
                assert "<title>Carrete</title>" in browser.get("/").text
                wait_for(lambda: browser.get("/api/health/redis").json()["status"] == "healthy")
            copy = [*strace, "backup", str(data / "copy.db.gz")]
            subprocess.run(copy, stdout=subprocess.DEVNULL, check=True, timeout=120, **options)
        finally:
            for child in sorted(descendants_of(server.pid))[:1]:
                os.kill(child, signal.SIGTERM)  # the server; strace ends with it
            server.wait(60)
    return trace.read_text("utf-8", errors="replace")


def system_calls(group: str) -> set[str]:
    """All that a group of systemd's filter allows, with the groups in it."""
    found: set[str] = set()
    for word in analyze("syscall-filter", "--no-pager", group).stdout.split("\n")[1:]:
        name = word.strip()
        if name.startswith("@"):
            found |= system_calls(name)
        elif name and not name.startswith("#"):
            found.add(name)
    return found
