"""The build of the product's wheel puts its SBOM into it, where PEP 770 wants it: `.dist-info/sboms`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EDITABLE = "editable"


class SbomHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == EDITABLE:
            return
        sys.path.insert(0, str(Path(__file__).parent))
        import sbom

        file = Path(self.directory) / sbom.SBOM
        file.parent.mkdir(parents=True, exist_ok=True)
        sbom.main("sbom", str(file))
        build_data["sbom_files"].append(str(file))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        (Path(self.directory) / "carrete.cdx.json").unlink(missing_ok=True)
