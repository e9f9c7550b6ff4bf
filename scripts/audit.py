"""Says in words what pip-audit found: holes, none, or that the database could not be asked. Ends with 1 for holes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def sentences(report: str) -> tuple[list[str], bool]:
    """What to say of pip-audit's JSON, and whether a hole is known."""
    try:
        packages: list[dict[str, Any]] = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        return ["Python: the database of known holes could not be asked, so nothing was checked."], False
    asked = [each for each in packages if "vulns" in each]
    holes = [(each["name"], each["version"], hole) for each in asked for hole in each["vulns"]]
    said = [
        f"Python: {name} {version} has {hole['id']}; fixed in {', '.join(hole['fix_versions']) or 'no version yet'}."
        for name, version, hole in holes
    ]
    if asked and not holes:
        said.append(f"Python: {len(asked)} packages, no known hole.")
    if skipped := len(packages) - len(asked):
        said.append(
            f"Python: {skipped} packages are not in the database that could be asked, so they were not checked."
        )
    return said, bool(holes)


if __name__ == "__main__":
    said, found = sentences(Path(sys.argv[1]).read_text("utf-8"))
    print("\n".join(said))
    sys.exit(1 if found else 0)
