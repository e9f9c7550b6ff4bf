"""The parts of the product: the SBOM and the page of licences agree with the locks."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts import audit, sbom

ELSEWHERE = set(sbom.ELSEWHERE)


def test_the_page_of_licences_is_that_of_the_locks() -> None:
    assert sbom.PAPER.read_text("utf-8") == sbom.licences(sbom.parts()), "run: make licences"


def test_every_part_has_a_licence_a_version_and_a_hash() -> None:
    found = sbom.parts()
    assert {part.ecosystem for part in found} == {"pypi", "npm"}
    assert [part.name for part in found if part.licence == sbom.UNKNOWN or not part.version or not part.hashes] == []


def test_every_package_of_the_lock_is_a_part_except_those_that_only_build() -> None:
    """What the product asks for, and what that asks for, as it is installed here."""
    listed = {part.name for part in sbom.python_parts(sbom.RUN_LOCK.read_text("utf-8"))}
    locked = set(re.findall(r"^([A-Za-z0-9._-]+)==", sbom.RUN_LOCK.read_text("utf-8"), re.MULTILINE))
    assert listed == locked - sbom.BUILD_ONLY
    assert listed - _needed("carrete", frozenset(), set()) <= ELSEWHERE


def _needed(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> set[str]:
    try:
        requirements = [Requirement(text) for text in requires(name) or ()]
    except PackageNotFoundError:
        return set()
    found: set[str] = set()
    for each in requirements:
        key = (canonicalize_name(each.name), frozenset(each.extras))
        applies = each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in (*extras, ""))
        if applies and key not in seen:
            seen.add(key)
            found |= {key[0], *_needed(key[0], key[1], seen)}
    return found


def test_the_bill_of_materials_is_the_same_for_the_same_parts_and_names_each_once() -> None:
    parts = sbom.parts()
    made = sbom.sbom("1.2.3", parts)
    assert made == sbom.sbom("1.2.3", parts)
    assert made["serialNumber"] != sbom.sbom("1.2.4", parts)["serialNumber"]
    refs = [component["bom-ref"] for component in made["components"]]
    assert len(set(refs)) == len(refs) == len(parts)
    assert made["dependencies"][0]["dependsOn"] == refs
    for component in made["components"]:
        hashes = component.get("hashes") or component["externalReferences"][0]["hashes"]
        lengths = {"SHA-256": 64, "SHA-512": 128}
        assert all(len(each["content"]) == lengths[each["alg"]] for each in hashes)


def test_the_audit_names_the_packages_it_could_not_check() -> None:
    hole = {"id": "PYSEC-1", "fix_versions": ["2.0"], "aliases": [], "description": ""}
    checked, skipped = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
    assert audit.sentences("") == (
        ["Python: the database of known holes could not be asked, so nothing was checked."],
        False,
    )
    assert audit.sentences(json.dumps({"dependencies": [checked]})) == (["Python: 1 packages, no known hole."], False)
    sentences, found = audit.sentences(json.dumps({"dependencies": [{**checked, "vulns": [hole]}, skipped]}))
    assert found
    assert sentences[0] == "Python: a 1 has PYSEC-1; fixed in 2.0."
    assert sentences[1].startswith("Python: 1 packages are not in the database")
