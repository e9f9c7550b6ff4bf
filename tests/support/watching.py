"""A viewer of the live stream over a real connection: it comes back with the last seq, and records the events."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.local import LOCAL

STREAM = "/api/sse/stream"
WAIT_S_MAX = 20.0


@dataclass(frozen=True)
class StreamEvent:
    seq: int
    event: str
    data: dict[str, Any]
    at: float  # when it was here, monotonic


class Watcher:
    """A stream read in a thread of its own, as a browser reads it."""

    def __init__(
        self,
        url: str,
        since: int | None = None,
        *,
        header: bool = True,
        credentials: Mapping[str, str] | None = None,
    ) -> None:
        self._url = url
        self._header = header
        self._credentials = dict(credentials or {})
        self.last_id = since
        self.events: queue.Queue[StreamEvent] = queue.Queue()
        self.lines: list[str] = []
        self.headers: dict[str, str] = {}
        self.connected = threading.Event()
        self.ended = threading.Event()
        self._stop = False
        self._response: httpx.Response | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self.connected.wait(WAIT_S_MAX), "the stream did not open"

    def _read(self) -> None:
        options: dict[str, Any] = {}
        if self.last_id is not None:
            options = (
                {"headers": {"Last-Event-ID": str(self.last_id)}}
                if self._header
                else {"params": {"since": self.last_id}}
            )
        with (
            suppress(httpx.HTTPError),
            httpx.Client(base_url=self._url, timeout=WAIT_S_MAX, headers=self._credentials, **LOCAL) as client,
            client.stream("GET", STREAM, **options) as response,
        ):
            assert response.status_code == 200, response.read()
            self._response = response
            self.headers = dict(response.headers)
            self._parse(response.iter_lines())
        self.ended.set()
        self.connected.set()

    def _parse(self, lines: Iterator[str]) -> None:
        block: dict[str, str] = {}
        for line in lines:
            self.lines.append(line)
            self.connected.set()
            if self._stop:
                return
            if line:
                name, _, value = line.partition(":")
                block[name] = value.removeprefix(" ")
                continue
            if "id" in block:
                self.last_id = int(block["id"])
            if "data" in block:
                self.events.put(
                    StreamEvent(int(block["id"]), block["event"], json.loads(block["data"]), time.monotonic())
                )
            block = {}

    def place(self, within_s: float = WAIT_S_MAX) -> int:
        """The seq to resume from, as soon as the server has sent one."""
        until = time.monotonic() + within_s
        while self.last_id is None and time.monotonic() < until:
            time.sleep(0.005)
        assert self.last_id is not None, "it was told no place to come back to"
        return self.last_id

    def next(self, within_s: float = WAIT_S_MAX) -> StreamEvent:
        return self.events.get(timeout=within_s)

    def seqs(self) -> list[int]:
        """The seqs of all events received so far."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.events.get_nowait().seq)
        return found

    def seqs_until(self, seq: int, within_s: float = WAIT_S_MAX) -> list[int]:
        found = [self.next(within_s).seq]
        while found[-1] < seq:
            found.append(self.next(within_s).seq)
        return found

    def close(self) -> None:
        """Cuts the connection without a proper end, as when a tablet is carried out of reach."""
        self._stop = True
        if self._response is not None:
            stream = self._response.extensions["network_stream"].get_extra_info("socket")
            with suppress(OSError):
                stream.shutdown(2)
        self._thread.join(WAIT_S_MAX)


@contextmanager
def watching(
    url: str, since: int | None = None, *, header: bool = True, credentials: Mapping[str, str] | None = None
) -> Iterator[Watcher]:
    """`credentials` are headers: a device's cookie or a token."""
    watcher = Watcher(url, since, header=header, credentials=credentials)
    try:
        yield watcher
    finally:
        watcher.close()
