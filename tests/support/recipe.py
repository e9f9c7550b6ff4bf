"""The files of `deploy/` as a test uses them: as they are, but for the addresses and folders of this machine."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from configparser import RawConfigParser
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
CARRETE = "/opt/carrete/.venv/bin/carrete"


def shipped(name: str, instead: Mapping[str, str]) -> str:
    """Every replaced text must be in the file: a recipe that has changed must not be tested as it was before."""
    text = (DEPLOY / name).read_text()
    for word, other in instead.items():
        assert word in text, f"{word!r} is not in deploy/{name}"
        text = text.replace(word, other)
    return text


def environment(instead: Mapping[str, str]) -> dict[str, str]:
    lines = shipped("carrete.env", instead).splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def unit() -> RawConfigParser:
    parsed = RawConfigParser(strict=False)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read(DEPLOY / "systemd" / "carrete@.service")
    return parsed


def free_ports(n: int) -> list[int]:
    """Free a moment ago: for servers that must be told where to listen."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return ports
