"""A client that leaves in the middle of its body: nothing is done, and nothing is called a failure in the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.fuzz.wire import connected
from tests.support.server import running_server


@pytest.mark.parametrize("path", ["/api/codigos", "/api/etiquetas/hojas", "/api/occupation/tomar", "/api/fotos"])
def test_a_body_that_breaks_off_leaves_no_trace_in_the_log(tmp_path: Path, path: str) -> None:
    kind = "image/jpeg" if path == "/api/fotos" else "application/json"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 50\r\n\r\n{{"
    with running_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path) as server:
        with connected(server.url) as client:
            client.sendall(head.encode())
        with server.client() as http:
            assert http.get("/api/health").status_code == 200
        assert server.terminate() < 10
        assert "Traceback" not in server.complaints
        assert "unforeseen" not in server.complaints
