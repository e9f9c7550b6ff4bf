"""Makes docs/verify.py, the auditor's checker in a single file, of modules that use the standard library alone.

`python scripts/verify_file.py` writes it; `--check` fails when it is not the one that these modules make.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "carrete" / "domain" / "trail"
TARGET = ROOT / "docs" / "verify.py"
MODULES = (
    "canonical",
    "printable",
    "findings",
    "ed25519",
    "witness",
    "localise",
    "seen",
    "compared",
    "deeds",
    "denied",
    "lost",
    "compare",
    "copies",
    "sentences",
    "files",
)
CHECKER = ROOT / "src" / "carrete" / "verification" / "checker.py"
_OWN_IMPORT = re.compile(r"^from carrete\.[\w.]+ import (?:\([^)]*\)|[^\n]*)\n", re.MULTILINE)
_IMPORT = re.compile(r"^(?:from [\w.]+ import (?:\([^)]*\)|[^\n]*)|import [\w.]+)\n", re.MULTILINE)
_DOCSTRING = re.compile(r'\A"""(.*?)"""\n', re.DOTALL)


def single_file() -> str:
    """Names that two modules have for themselves (a leading underscore) get the module's name."""
    imports: set[str] = set()
    bodies: list[str] = []
    texts = {name: (SOURCE / f"{name}.py").read_text("utf-8") for name in MODULES}
    texts["checker"] = CHECKER.read_text("utf-8")
    opening = _DOCSTRING.match(texts["checker"])
    assert opening
    for name, text in texts.items():
        found = _DOCSTRING.match(text)
        assert found
        text = _OWN_IMPORT.sub("", text[found.end() :].replace("from __future__ import annotations\n", ""))
        imports.update(_IMPORT.findall(text))
        text = _privately(_IMPORT.sub("", text).strip(), name)
        about = "\n".join(f"# {line}".rstrip() for line in found[1].strip().splitlines())
        bodies.append(f"# ─── {name} ───\n{about}\n\n{text}\n")
    head = f'#!/usr/bin/env python3\n"""{opening[1]}"""\n\nfrom __future__ import annotations\n\n'
    return head + "".join(_ordered(imports)) + "\n\n" + "\n\n".join(bodies)


def _privately(text: str, module: str) -> str:
    own = set(re.findall(r"^(?:def|class) (_\w+)|^(_[A-Z_]+|_hashed)(?:: [^=\n]+)? = ", text, re.MULTILINE))
    for name in sorted({one or other for one, other in own}, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.]){name}\b", f"_{module}{name}", text)
    return text


def _ordered(imports: set[str]) -> list[str]:
    """Names out of one module on one line, as people write them."""
    plain = sorted(line for line in imports if line.startswith("import "))
    named: dict[str, set[str]] = {}
    for line in imports - set(plain):
        module, names = re.sub(r"[()\n]", " ", line).removeprefix("from ").split(" import ")
        named.setdefault(module, set()).update(name.strip() for name in names.split(",") if name.strip())
    return [*plain, *(f"from {module} import {', '.join(sorted(names))}\n" for module, names in sorted(named.items()))]


if __name__ == "__main__":
    made = single_file()
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.read_text("utf-8") == made else f"{TARGET} is stale: python scripts/verify_file.py")
    TARGET.write_text(made, "utf-8")
