"""What a server loads when it starts, beyond what the import contracts say. Each megabyte is there in every process."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

# Packages and modules that few requests need, or only other commands: imported where they are used.
NOT_AT_THE_START = [
    "carrete.api.metrics",
    "carrete.doctor",
    "carrete.dossier.gather",
    "carrete.dossier.typesetting",
    "carrete.sheets.pull",
    "carrete.sheets.push",
    "carrete.tls.authority",
    "carrete.tls.certificate",
    "carrete.uploads.work",
    "carrete.verification",
    "carrete.workbook.importing",
    "carrete.workbook.xlsx_in",
    "click",
    "cryptography.x509",
    "google",
    "greenlet",
    "httpx",
    "PIL",
    "prometheus_client",
    "psycopg",
    "pydantic.v1",
    "pygments",
    "pypdfium2",
    "python_calamine",
    "redis.client",
    "redis.cluster",
    "redis.commands",
    "reportlab",
    "rich",
    "segno",
    "typst",
    "uvicorn.main",
    "uvicorn.supervisors",
    "valkey",
    "xlsxwriter",
    "zeroconf",
]
# Those of taking, ending, lists, cards, the stream and the sign-in: nobody waits for an import at the first tap.
AT_THE_START = [
    "argon2",
    "carrete.actions.group",
    "carrete.api.sign_in",
    "carrete.gate.redis_gate",
    "carrete.ledger.listing",
    "carrete.live.sse",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "redis.asyncio.connection",
    "uvicorn.protocols.http.httptools_impl",
]
# A server as `carrete serve` makes it, on an empty ledger in a folder of its own.
START = """
import sys, tempfile
import carrete.cli
from carrete.api.app import create_app
from carrete.api.server import serving
from carrete.redis.embedded_server import packaged_binary
from carrete.services import Services
from carrete.settings import Settings
import uvicorn.lifespan.on, uvicorn.loops.uvloop  # uvicorn imports them when it begins to serve

with tempfile.TemporaryDirectory() as folder:
    settings = Settings(_env_file=None, CARRETE_DATA=folder, DATABASE_URL=f"sqlite:///{folder}/ledger.db")
    app = create_app(Services(settings))
    packaged_binary()
    print(*sys.modules)
    sys.stdout.flush()
    import os
    os._exit(0)
"""


@cache
def loaded() -> frozenset[str]:
    ran = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return frozenset(ran.stdout.split())


def test_a_server_does_not_load_at_its_start_what_few_requests_need() -> None:
    too_early = [name for name in NOT_AT_THE_START if any(f"{one}.".startswith(f"{name}.") for one in loaded())]
    assert too_early == []


def test_a_server_has_loaded_what_a_tap_needs() -> None:
    assert [name for name in AT_THE_START if name not in loaded()] == []


def test_a_server_that_does_not_run_the_lane_shows_its_status_all_the_same() -> None:
    assert "carrete.sheets.status" in loaded()


def test_the_bodies_of_actions_are_built_before_the_first_tap() -> None:
    code = START.replace("print(*sys.modules)", BUILT)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["built:"]


BUILT = """
    from carrete.api.schemas.sign_in import SignInBody
    endpoints = [getattr(each, 'body_type', None) for each in app._direct.values()]
    bodies = [each for each in (*endpoints, SignInBody) if each]
    assert len(bodies) > 10
    print('built:', *(each.__name__ for each in bodies if not each.__pydantic_complete__))
""".strip()
