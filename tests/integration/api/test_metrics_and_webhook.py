"""The metrics for Prometheus, and the webhook for conflicts."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import httpx
import pytest

from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from tests.support.builders import a_spool, a_worker, put
from tests.support.server import running_server

MR, LP = a_worker(), a_worker(7, "Luis", "Pérez")


class Listener(http.server.ThreadingHTTPServer):
    """Another system that receives conflicts; it fails the first time."""

    def __init__(self) -> None:
        self.received: Queue[dict[str, Any]] = Queue()
        self.failures = 1
        super().__init__(("127.0.0.1", 0), Receiver)


class Receiver(http.server.BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        failing = self.server.failures > 0
        self.server.failures -= failing
        if not failing:  # stored before the answer: a client that has the answer finds the message here
            self.server.received.put(body)
        self.send_response(500 if failing else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def _metrics_once_it_was_sent(client: httpx.Client) -> str:
    """The webhook's receiver gets the message a moment before the server counts it."""
    until = time.monotonic() + 5.0
    while "carrete_webhook_sent_total 1.0" not in (metrics := client.get("/metrics").text):
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    return metrics


def test_a_conflict_reaches_the_webhook_even_if_the_first_try_fails_and_is_counted(
    tmp_path: Path, listener: Listener
) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(database, [a_spool("MK-1")], [MR, LP])
    database.close()
    address = f"http://127.0.0.1:{listener.server_port}/conflict"
    hook = {"CARRETE_CONFLICT_WEBHOOK": address, "REDIS_URL": "embedded"}
    with running_server(url, tmp_path, settings=hook) as server, server.client() as client:
        for worker, status in ((MR, 200), (LP, 409)):
            body = {"tag_spool": "MK-1", "worker_id": worker.id, "operacion": "ARM"}
            assert client.post("/api/occupation/tomar", json=body).status_code == status
        message = listener.received.get(timeout=10)
        metrics = _metrics_once_it_was_sent(client)
    assert (message["code"], message["tag_spool"], message["worker_id"]) == ("SPOOL_OCCUPIED", "MK-1", LP.id)
    assert (message["owner_id"], message["owner"], message["operacion"]) == (MR.id, MR.label, "ARM")
    assert 'carrete_takes_total{outcome="OK"} 1.0' in metrics
    assert 'carrete_takes_total{outcome="SPOOL_OCCUPIED"} 1.0' in metrics
    assert "carrete_webhook_sent_total 1.0" in metrics
    assert "carrete_webhook_dropped_total 0.0" in metrics
    assert "carrete_ledger_up 1.0" in metrics
    assert "carrete_occupied_spools 1.0" in metrics
    assert "carrete_outbox_rows 1.0" in metrics
    assert 'carrete_action_seconds_bucket{le="+Inf",path="/api/occupation/tomar"} 2.0' in metrics
    for series in ("carrete_gate_up", "carrete_gate_pool_connections", "carrete_gate_outages_total"):
        assert series in metrics
