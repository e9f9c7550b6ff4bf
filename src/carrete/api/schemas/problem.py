"""The shape of every refusal and failure: RFC 9457, "problem details"."""

from __future__ import annotations

from pydantic import ConfigDict

from carrete.api.schemas.fields import ApiModel

PROBLEM = "Problem"  # its name in the OpenAPI document


class ProblemDetails(ApiModel):
    """RFC 9457. Further fields are the facts of the refusal (owner, since, use…)."""

    model_config = ConfigDict(extra="allow", title=PROBLEM)

    type: str
    title: str
    status: int
    code: str
    detail: str
