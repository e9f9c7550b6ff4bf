"""docs/offline.md, walked over HTTPS in a browser that is killed again and again, with a Wi-Fi that is really cut."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Playwright

from tests.support.offline_day import ALONE, SHARED, offline_day, walk
from tests.support.people import LP, MR

PICTURES = Path(__file__).parents[3] / "docs" / "images" / "offline"


def armed(worker: str, joints: int) -> list[tuple[str, str]]:
    names = ["INICIAR_SPOOL", *["UNION_ARM_REGISTRADA"] * joints, "SPOOL_ARM_PAUSADO"]
    return [(name, worker) for name in names]


def test_a_day_between_the_racks_is_recorded_once_and_to_the_thousandth_of_an_inch(
    playwright: Playwright, tmp_path: Path
) -> None:
    with offline_day(playwright, tmp_path, tmp_path / "pictures") as day:
        walk(day)
        assert day.shop.authors(ALONE) == armed(LP.label, 3)
        late = [("REGISTRO_TARDIO", LP.label)] * 2
        left_out = ("RECLAMO_RECHAZADO", "SV(21)")  # the third joint, which is MR's
        assert day.shop.authors(SHARED) == [*armed(MR.label, 1), ("INICIAR_SPOOL", MR.label), *late, left_out]
        # LP fitted 2.125 + 3.376 + 1.001 alone, then 2.125 + 3.376 late; MR the third joint of the other spool.
        assert day.inches() == {LP.label: 12.003, MR.label: 1.001}
    taken = {picture.name for picture in (tmp_path / "pictures").iterdir()}
    assert taken == {picture.name for picture in PICTURES.glob("*.png")}  # `make screenshots` takes them anew
    page = (PICTURES.parents[1] / "offline.md").read_text("utf-8")
    assert all(f"images/offline/{name}" in page for name in taken)
