"""One request and its response, with an ASGI extension of our own: a response that is complete is sent as one message.

uvicorn checks each header of a response and writes head and body by themselves. That costs a tenth of an action, whose
headers are always the same.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from carrete.api.server.headers import WHOLE_RESPONSE, header_lines


class _AlwaysSent:
    """The lines of the headers that every response has. uvicorn makes a new list of them each second, for the time."""

    def __init__(self) -> None:
        self._headers: list[tuple[bytes, bytes]] = []
        self._lines = b""

    def lines(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        if headers is not self._headers:
            self._headers, self._lines = headers, header_lines(headers)
        return self._lines


_always = _AlwaysSent()


class ResponseCycle(RequestResponseCycle):
    async def send(self, message: Any) -> None:
        if message["type"] != WHOLE_RESPONSE:
            await super().send(message)
            return
        assert not self.response_started
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if not self.disconnected:
            self._send_whole(message["status"], message["lines"], message["body"])

    def _send_whole(self, status: int, lines: bytes, body: bytes) -> None:
        """Ends the request as uvicorn does after the last message of a response."""
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        always = _always.lines(self.default_headers)
        closing = b"" if self.keep_alive else b"connection: close\r\n"
        self.transport.write(b"%b%b%b%b\r\n%b" % (STATUS_LINE[status], always, lines, closing, body))
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
