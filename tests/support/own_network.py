"""Runs a program in a network of its own (a network namespace), whose addresses disturb nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TIME_S_MAX = 300


def run_in_own_network(module: str, folder: Path) -> None:
    """`module` is run as a program with the folder as its argument; it fails the test when it fails."""
    unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system gives ordinary users no network of their own")
    command = [*unshare, sys.executable, "-m", module, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=TIME_S_MAX, check=False)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"


def ip(*words: str) -> None:
    """The command `ip`, inside that network."""
    subprocess.run(["ip", *words], check=True, capture_output=True)
