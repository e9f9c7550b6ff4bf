"""A worker's tablet: the calls of the API as taps, to an application in this process or to a server elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from anyio.from_thread import start_blocking_portal

from carrete.api.app import create_app
from carrete.services import Services
from carrete.settings import Settings
from tests.support.builders import TAG

Json = dict[str, Any]
Sends = Callable[..., httpx.Response]  # method, path, and what httpx takes besides
PAGES_MAX = 1_000


class Tablet:
    """Taps return the whole response; `see…` insist on a 200 and return its body."""

    def __init__(self, sends: Sends) -> None:
        self._sends = sends

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._sends("GET", path, params=query or None)

    def post(self, path: str, body: Any = None, *, key: str | None = None, **options: Any) -> httpx.Response:
        """`options` such as content= replace the JSON body; it is still called JSON, unless their headers do not."""
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        if key is not None:
            headers["Idempotency-Key"] = key
        what = options if options else {"json": body}
        return self._sends("POST", path, headers=headers, **what)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._sends(method, path, **options)

    def tap(
        self,
        accion: str,
        tag: str = TAG,
        worker_id: int = 93,
        operacion: str = "ARM",
        *,
        key: str | None = None,
        **more: Any,
    ) -> httpx.Response:
        body = {"tag_spool": tag, "worker_id": worker_id, "operacion": operacion, **more}
        return self.post(f"/api/occupation/{accion.lower()}", body, key=key)

    def batch(
        self,
        accion: str,
        tags: Sequence[str],
        worker_id: int = 93,
        operacion: str = "ARM",
        *,
        key: str | None = None,
        **more: Any,
    ) -> httpx.Response:
        body = {"tag_spools": list(tags), "worker_id": worker_id, "operacion": operacion, **more}
        room = "v4/occupation" if accion == "INICIAR" else "occupation"
        return self.post(f"/api/{room}/batch-{accion.lower()}", body, key=key)

    def see(self, path: str, **query: Any) -> Json:
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.text
        body: Json = answer.json()
        return body

    def see_spool(self, tag: str = TAG, **query: Any) -> Json:
        return self.see(f"/api/spools/{in_path(tag)}", **query)

    def see_history(self, tag: str = TAG) -> Json:
        return self.see(f"/api/history/{in_path(tag)}")

    def see_events(self, tag: str = TAG) -> list[str]:
        return [event["evento_tipo"] for event in self.see_history(tag)["events"]]

    def see_list(self, **query: Any) -> list[str]:
        """The tags of every page, in the order shown."""
        return [tag for page in self.pages(**query) for tag in page]

    def pages(self, **query: Any) -> Iterator[list[str]]:
        cursor: str | None = ""
        for _ in range(PAGES_MAX):
            page = self.see("/api/spools", **query, cursor=cursor)
            yield [spool["tag_spool"] for spool in page["spools"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return
        raise AssertionError(f"the list has no end after {PAGES_MAX} pages")


def in_path(tag: str) -> str:
    """A tag in a path: percent-encoded, `/` included, as the contract asks."""
    return quote(tag, safe="")


@contextmanager
def tablet_in_process(settings: Settings, web_folder: Path | None = None, **options: Any) -> Iterator[Tablet]:
    """The whole application, started and stopped as a server would, without a network between."""
    app = create_app(Services(settings), web_folder=web_folder, **options)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(app.router.lifespan_context(app)):
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
        yield Tablet(lambda *what, **options: portal.call(partial(client.request, *what, **options)))
