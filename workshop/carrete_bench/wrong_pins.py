"""Measures whether a wrong PIN takes as long for a person who exists as for one who does not."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from statistics import median
from typing import Any

from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.processes import BenchServer
from carrete_bench.results import WrongPinResults

WRONG_PIN = "739164"
REFUSED = 401
ANSWER_S_MAX = 30.0


def measure(server: BenchServer, device_cookies: Sequence[str]) -> WrongPinResults:
    """On each device one attempt of each kind, one after the other, in an order by chance."""
    seconds: dict[str, list[float]] = {"known": [], "unknown": [], "unknown badge": []}
    connection = HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_S_MAX)
    for number, cookie in enumerate(device_cookies):
        people: dict[str, dict[str, Any]] = {
            "known": {"worker_id": number % shop.WORKERS + 1},
            "unknown": {"worker_id": 900_000 + number},
            "unknown badge": {"badge": f"BADGE-{number}"},
        }
        for kind in random.sample(list(people), len(people)):
            seconds[kind].append(_attempt(connection, cookie, people[kind]))
    connection.close()
    known, unknown, badge = (median(each) for each in seconds.values())
    return WrongPinResults(len(device_cookies), known * 1000, unknown / known, badge / known)


def _attempt(connection: HTTPConnection, cookie: str, who: dict[str, Any]) -> float:
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    began = time.perf_counter()
    connection.request("POST", "/api/sesion", json.dumps({**who, "pin": WRONG_PIN}), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != REFUSED:
        raise BenchFailed(f"a wrong PIN was answered with {answer.status}: {text.decode()}")
    return time.perf_counter() - began
