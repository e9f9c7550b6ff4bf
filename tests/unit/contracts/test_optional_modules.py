"""Libraries of which only a part is loaded."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from carrete.optional_modules import init_on_first_use

PACKAGE = "a_package_for_this_test"
INIT = """
import time
time.sleep(0.05)
from a_package_for_this_test.part import PART
WHOLE = "whole"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT)
    (folder / "part.py").write_text("PART = 'part'")
    monkeypatch.syspath_prepend(tmp_path)
    yield PACKAGE
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


def test_a_part_of_a_package_is_imported_without_the_rest(package: str) -> None:
    init_on_first_use(package)
    part = __import__(f"{package}.part", fromlist=["PART"])
    assert part.PART == "part"
    assert "WHOLE" not in vars(sys.modules[package])


def test_the_rest_is_there_as_soon_as_somebody_asks_for_it(package: str) -> None:
    init_on_first_use(package)
    assert __import__(package, fromlist=["WHOLE"]).WHOLE == "whole"
    with pytest.raises(AttributeError, match="has no attribute 'NOTHING'"):
        _ = sys.modules[package].NOTHING


def test_two_threads_that_ask_at_the_same_moment_both_get_it(package: str) -> None:
    init_on_first_use(package)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(sys.modules[package].WHOLE)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["whole", "whole"]


def test_a_package_that_is_loaded_already_stays_as_it_is(package: str) -> None:
    before = __import__(package)
    init_on_first_use(package)
    assert sys.modules[package] is before


@pytest.mark.parametrize("first", ["redis", "redis.asyncio", "redis.client", "redis.asyncio.sentinel", "redis.cluster"])
def test_redis_py_is_complete_for_those_who_want_its_client(first: str) -> None:
    """Its modules import each other in circles, so that it matters which of them comes first."""
    wanted = "from redis.asyncio import Redis, Sentinel; import redis; print(redis.Redis.__name__, redis.__version__)"
    code = f"import carrete.redis, {first}; {wanted}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split()[:1] == ["Redis"], ran.stderr
