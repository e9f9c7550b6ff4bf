"""The endpoint of an action whose path names the spool, such as `/api/spools/{tag}/notas`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.types import Scope

from carrete.api.actions import ActionEndpoint, Render, document_route
from carrete.api.schemas.fields import Body
from carrete.api.server.application import Application
from carrete.api.spool_parts import SpoolPartApiRoute, SpoolPartRoute, sent_path
from carrete.api.spools import TagPath, tag_from_path
from carrete.domain.commands import Command
from carrete.services import Services

B = TypeVar("B", bound=Body)


class SpoolActionEndpoint(ActionEndpoint[B]):
    """What is signed and known under an idempotency key is the path as the client sent it, with its tag."""

    def __init__(
        self, services: Services, path: str, body_type: type[B], command: Callable[[str, B], Command], render: Render
    ) -> None:
        super().__init__(services, path, body_type, lambda _: (), render)
        self._command = command

    def _path_of(self, scope: Scope) -> str:
        return sent_path(scope).decode("latin-1")

    def _commands_of(self, body: B, scope: Scope) -> tuple[Command]:
        return (self._command(tag_from_path(scope["path_params"]["tag"]), body),)


def add_spool_action(
    app: Application, endpoint: SpoolActionEndpoint[Any], answer: type[Any], refusals: dict[int, str], what: str
) -> None:
    """The routing is Starlette's, because the path is a pattern; FastAPI only documents the endpoint."""
    path = endpoint.path.replace("{tag}", "{tag:path}")

    async def documented(tag: Any, body: Any) -> Any:
        raise AssertionError(f"{tag}, {body}: served by the endpoint itself")

    documented.__annotations__ = {"tag": TagPath, "body": endpoint.body_type}
    app.router.routes.append(SpoolPartRoute(path, endpoint, methods=["POST"], include_in_schema=False))
    document_route(app, path, documented, answer, refusals, what, SpoolPartApiRoute)
