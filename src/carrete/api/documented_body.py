"""The body of a route that reads it itself, in the document of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.routing import BaseRoute

from carrete.api.schemas.fields import ApiModel

_JSON = "application/json"


def documented_body(body: type[ApiModel], *, required: bool = True) -> dict[str, Any]:
    """For `openapi_extra`: the type of the body, in the place of its schema. Few ask for the document, and to make
    sixty schemas at every start would be slow."""
    return {"requestBody": {"required": required, "content": {_JSON: {"schema": body}}}}


def write_schemas(routes: Iterable[BaseRoute]) -> None:
    """Puts the schemas where `documented_body` left the types."""
    for route in routes:
        extra = getattr(route, "openapi_extra", None) or {}
        content = extra.get("requestBody", {}).get("content", {}).get(_JSON, {})
        body = content.get("schema")
        if isinstance(body, type) and issubclass(body, ApiModel):
            content["schema"] = body.model_json_schema(ref_template="#/components/schemas/{model}")
