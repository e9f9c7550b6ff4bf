"""`spreadsheets.batchUpdate`: one module per family; a batch is applied in order and whole, or not at all."""

from __future__ import annotations

from sheets_emulator.batch import cells, dimensions, metadata, ranges, sheets, tables
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import ApiError, Json, invalid, invalid_field

REQUESTS_MAX = 100_000

HANDLERS: dict[str, Handler] = {
    **cells.HANDLERS,
    **dimensions.HANDLERS,
    **metadata.HANDLERS,
    **ranges.HANDLERS,
    **sheets.HANDLERS,
    **tables.HANDLERS,
}


def apply_all(work: BatchWork, requests: list[Json]) -> list[Json]:
    """One reply per request, in order."""
    if not requests:
        raise invalid("Must specify at least one request.")
    if len(requests) > REQUESTS_MAX:
        raise invalid(f"Cannot exceed {REQUESTS_MAX} requests in a single batch.")
    return [_apply(work, index, request) for index, request in enumerate(requests)]


def _apply(work: BatchWork, index: int, request: Json) -> Json:
    kind, body = _only_one(index, request)
    try:
        return HANDLERS[kind](work, body) or {}
    except ApiError as error:
        if error.code != 400 or error.details:
            raise
        raise ApiError(400, f"Invalid requests[{index}].{kind}: {error.message}") from None
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise invalid_field(
            f"requests[{index}].{kind}", f"Invalid value at 'requests[{index}].{kind}': {error}"
        ) from None


def _only_one(index: int, request: Json) -> tuple[str, Json]:
    given = [(kind, body) for kind, body in request.items() if body is not None]
    if len(given) != 1:
        raise invalid(f"Invalid requests[{index}]: No request set.")
    kind, body = given[0]
    if kind not in HANDLERS:
        message = f"Invalid JSON payload received. Unknown name \"{kind}\" at 'requests[{index}]': Cannot find field."
        raise invalid_field(f"requests[{index}]", message)
    return kind, body
