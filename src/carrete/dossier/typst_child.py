"""The child process that sets a dossier: `python -m carrete.dossier.typst_child FOLDER TIME`.

FOLDER has the template, document.json and the pictures; nothing outside it can be read, and no package is fetched. TIME
is what the PDF says about when it was made, in seconds: of the last event, never of a clock. The PDF goes to standard
output."""

from __future__ import annotations

import sys
from pathlib import Path

import typst

from carrete.dossier.typst_limits import FONTS, LIMITS, TEMPLATE
from carrete.limited_process import limit_this_process


def main() -> None:
    limit_this_process(LIMITS)
    folder, made_at = Path(sys.argv[1]), int(sys.argv[2])
    fonts = Path(__file__).parent / FONTS
    pdf = typst.compile(
        folder / TEMPLATE,
        root=folder,
        font_paths=[fonts],
        ignore_system_fonts=True,
        package_path=folder / "none",
        package_cache_path=folder / "none",
        timestamp=made_at,
    )
    sys.stdout.buffer.write(pdf)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
