"""What the product is made of, from the locks: an SBOM (CycloneDX 1.6, JSON) and docs/licences.md.

`sbom.py sbom FILE` and `sbom.py licences FILE` write; the build of the wheel calls `sbom`. Licences of Python
packages are read from what is installed, those of the web app from web/package-lock.json. Only what a shop runs is
listed, not what developers use."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

ROOT = Path(__file__).parent.parent
RUN_LOCK = ROOT / "requirements" / "run.lock"
WEB_LOCK = ROOT / "web" / "package-lock.json"
SBOM = "carrete.cdx.json"
UNKNOWN = "unknown"
BUILD_ONLY = {
    "hatchling",
    "editables",
    "pathspec",
    "pluggy",
    "trove-classifiers",
    "packaging",
    "tomlkit",
}  # group `build`
# Types without a program in the built app: npm does not mark them as of developers, because others name them.
TYPES_ONLY = re.compile(r"(^|/)(@types/|typescript$|csstype$|type-fest$|tagged-tag$)")
PAPER = ROOT / "docs" / "licences.md"
# Packages that say their licence in words. "BSD" may be two licences: its file decides.
IN_WORDS = {
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Apache Software License": "Apache-2.0",
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Packages for other machines than the one that builds: their metadata is not installed here.
ELSEWHERE = {"async-timeout": "Apache-2.0", "colorama": "BSD-3-Clause", "pyreadline3": "BSD-3-Clause"}


@dataclass(frozen=True)
class Part:
    ecosystem: str  # pypi or npm
    name: str
    version: str
    licence: str
    hashes: tuple[tuple[str, str], ...]  # algorithm and hexadecimal digest
    marker: str = ""

    @property
    def purl(self) -> str:
        return f"pkg:{self.ecosystem}/{self.name.replace('@', '%40')}@{self.version}"


def python_parts(lock: str) -> Iterator[Part]:
    """Every package of the lock with its hashes: one for each file of it that may be installed."""
    for block in re.split(r"\n(?=\S)", lock.strip()):
        head = re.match(r"([A-Za-z0-9._-]+)==(\S+)(?: ; ([^\\\n]+))?", block)
        if head is None or head[1] in BUILD_ONLY:
            continue
        hashes = tuple(("SHA-256", digest) for digest in re.findall(r"--hash=sha256:([0-9a-f]{64})", block))
        yield Part("pypi", head[1], head[2], _python_licence(head[1]), hashes, (head[3] or "").strip())


def _python_licence(name: str) -> str:
    """From what is installed; where the build has an environment of its own, from docs/licences.md."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return ELSEWHERE.get(name) or _on_paper().get(name, UNKNOWN)
    licence = _licence_in(found.metadata)
    return _bsd_in_file(found) if licence.lower().startswith("bsd") and "-" not in licence else licence


def _bsd_in_file(found: Distribution) -> str:
    files = [file for file in found.files or () if "license" in str(file).lower()]
    text = " ".join(Path(str(file.locate())).read_text("utf-8", "replace") for file in files)
    return "BSD-3-Clause" if "either the name" in text else "BSD-2-Clause" if "Redistribution" in text else UNKNOWN


@cache
def _on_paper() -> dict[str, str]:
    rows = re.findall(r"^\| (\S+) \| \S+ \| (.+) \|$", PAPER.read_text("utf-8"), re.MULTILINE) if PAPER.exists() else []
    return dict(rows)


def _licence_in(found: Any) -> str:
    if expression := found.get("License-Expression"):
        return str(expression)
    said = (found.get("License") or "").strip().split("\n")[0]
    every = found.get_all("Classifier", [])
    classifiers = [text.rpartition(" :: ")[2] for text in every if text.startswith("License ::")]
    if said and len(said) < 30 and said not in IN_WORDS and "icense" not in said:
        return said
    named = [IN_WORDS.get(text, text) for text in classifiers] or [IN_WORDS.get(said, said or UNKNOWN)]
    return " OR ".join(sorted(set(named)))


def web_parts(lock: dict[str, Any]) -> Iterator[Part]:
    for path, package in lock["packages"].items():
        name = path.rpartition("node_modules/")[2]
        if not path or package.get("dev") or TYPES_ONLY.search(name):
            continue
        kind, _, digest = package.get("integrity", "").partition("-")
        hashes = ((kind.upper().replace("SHA", "SHA-"), base64.b64decode(digest).hex()),) if digest else ()
        yield Part("npm", name, package["version"], package.get("license", UNKNOWN).strip("()"), hashes)


def parts() -> list[Part]:
    found = [*python_parts(RUN_LOCK.read_text("utf-8")), *web_parts(json.loads(WEB_LOCK.read_text("utf-8")))]
    return sorted(set(found), key=lambda part: (part.ecosystem, part.name, part.version))


def sbom(version: str, found: Sequence[Part]) -> dict[str, Any]:
    """The same parts give the same document, its number included."""
    serial = uuid5(NAMESPACE_URL, hashlib.sha256(repr((version, found)).encode()).hexdigest())
    product = {"type": "application", "bom-ref": "carrete", "name": "carrete", "version": version}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": {**product, "licenses": [{"license": {"id": "MIT"}}]}},
        "components": [_component(part) for part in found],
        "dependencies": [{"ref": "carrete", "dependsOn": [part.purl for part in found]}],
    }


def _component(part: Part) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
    }
    if part.licence != UNKNOWN:
        plain = re.fullmatch(r"[A-Za-z0-9.+-]+", part.licence)
        made["licenses"] = [{"license": {"id": part.licence}} if plain else {"expression": part.licence}]
    if len(part.hashes) == 1:
        made["hashes"] = [{"alg": alg, "content": digest} for alg, digest in part.hashes]
    elif part.hashes:  # one for each file of the package that may be installed, so they are files, not the package
        made["externalReferences"] = [
            {
                "type": "distribution",
                "url": part.purl,
                "hashes": [{"alg": alg, "content": digest} for alg, digest in part.hashes],
            }
        ]
    if part.marker:
        made["properties"] = [{"name": "carrete:only", "value": part.marker}]
    return made


def licences(found: Sequence[Part]) -> str:
    counted: dict[str, int] = {}
    for part in found:
        counted[part.licence] = counted.get(part.licence, 0) + 1
    lines = [
        "# Licences",
        "",
        "Carrete is MIT. What a shop installs with it, from the locks (`make licences` writes this page, and a test",
        "compares). The same list with hashes is in the wheel, as CycloneDX: `.dist-info/sboms/carrete.cdx.json`.",
        "None of these packages was changed, and none is part of Carrete's own files but those of the web app, which",
        "are built into it.",
        "",
        "| licence | packages |",
        "|---|---|",
        *(f"| {name} | {number} |" for name, number in sorted(counted.items())),
    ]
    for ecosystem, title in (("pypi", "Python"), ("npm", "Web app")):
        lines += ["", f"## {title}", "", "| package | version | licence |", "|---|---|---|"]
        lines += [f"| {p.name} | {p.version} | {p.licence} |" for p in found if p.ecosystem == ecosystem]
    return "\n".join(lines) + "\n"


def product_version() -> str:
    found = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def main(what: str, file: str) -> None:
    text = licences(parts()) if what == "licences" else json.dumps(sbom(product_version(), parts()), indent=1) + "\n"
    Path(file).write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
