"""Prints the OpenAPI document of the API, as `/api/openapi.json` answers it. `make types` needs it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from carrete.api.app import create_app
from carrete.services import Services
from carrete.settings import Settings


def openapi_document() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "carrete.db"
        services = Services(Settings(database_url=f"sqlite:///{ledger}", data=ledger.parent, redis_url="off"))
        try:
            return create_app(services).openapi()
        finally:
            services.performer.stop()
            services.database.close()


if __name__ == "__main__":
    print(json.dumps(openapi_document(), ensure_ascii=False, indent=2))
