"""docs/first-day.md, walked: from `carrete serve --lan` to the first take on an enrolled tablet."""

from __future__ import annotations

from pathlib import Path

from tests.support.own_network import run_in_own_network

PICTURES = Path(__file__).parents[3] / "docs" / "images" / "first-day"


def test_a_new_shop_comes_from_the_first_start_to_the_first_take_over_https(tmp_path: Path) -> None:
    run_in_own_network("tests.system.operations.walk_first_day", tmp_path)
    taken = {picture.name for picture in (tmp_path / "pictures").iterdir()}
    assert taken == {picture.name for picture in PICTURES.glob("*.png")}  # `make screenshots` takes them anew
    page = (PICTURES.parents[1] / "first-day.md").read_text("utf-8")
    assert all(f"images/first-day/{name}" in page for name in taken)
