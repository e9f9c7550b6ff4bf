"""What a shop installs: the product's wheel alone, in a new environment, without node and without the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.support.server import clean_environment

REPOSITORY = Path(__file__).parents[3]
UV = Path(sys.prefix) / "bin" / "uv"
UV_SETTINGS = {"UV_SYSTEM_CERTS": "1", "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never"}


def uv(*arguments: object) -> None:
    subprocess.run([UV, *map(str, arguments)], env=os.environ | UV_SETTINGS, cwd=REPOSITORY, check=True, timeout=300)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder, ".")
    (found,) = folder.glob("carrete-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("shop") / "venv"
    venv.create(folder)
    python = folder / "bin" / "python"
    uv("pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", "requirements/run.lock")
    uv("pip", "install", "--quiet", "--python", python, "--no-deps", wheel)
    return folder / "bin"


def test_the_wheel_has_the_web_app_and_nothing_of_the_workshop(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "carrete/web_dist/index.html" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"carrete"}


def test_the_wheel_says_what_it_is_made_of(wheel: Path) -> None:
    """Where PEP 770 wants it, so that scanners find it in an installed environment."""
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if "/sboms/" in name]
    assert name.endswith(".dist-info/sboms/carrete.cdx.json")
    bom = json.loads(archive.read(name))
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    purls = {component["purl"].partition("@")[0] for component in bom["components"]}
    assert {"pkg:pypi/fastapi", "pkg:pypi/cryptography", "pkg:npm/react"} <= purls
    assert all(component["licenses"] for component in bom["components"])


def test_it_serves_the_demo_shop_and_the_web_app(installed: Path, tmp_path: Path) -> None:
    environment = clean_environment() | {"CARRETE_DATA": str(tmp_path / "data"), "PATH": str(installed)}
    command = [str(installed / "carrete"), "serve", "--demo", "--port", "0"]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            filled, listens = server.stdout.readline(), server.stdout.readline()
            assert (filled, listens[:19]) == ("The ledger was empty: filled with a demo shop.\n", "Carrete listens on ")
            with httpx.Client(base_url=listens.split()[-1], timeout=20) as tablet:
                assert "<title>Carrete</title>" in tablet.get("/").text
                assert tablet.get("/api/spools").json()["total"] > 0
        finally:
            server.terminate()
            server.wait(20)


def test_the_unit_of_the_service_runs_the_installed_program(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "carrete"), "service", "install", "--print"]
    result = subprocess.run(command, env=clean_environment(), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"ExecStart={installed}/carrete serve --lan\n" in result.stdout
    assert "User=carrete\n" in result.stdout


@pytest.mark.parametrize("command", ["bench", "chaos", "sheets-emulator"])
def test_a_command_of_the_workshop_says_how_to_get_it(installed: Path, tmp_path: Path, command: str) -> None:
    ended = subprocess.run(
        [installed / "carrete", command, "--seed", "1"],
        env=clean_environment() | {"CARRETE_DATA": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"carrete: `carrete {command}` belongs to the workshop")
    assert "make setup" in ended.stderr
