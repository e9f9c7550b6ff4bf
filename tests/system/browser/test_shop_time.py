"""Times on the floor are the shop's, by the server's clock, whatever the tablet believes about zone and hour."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from carrete.ledger.database import Database
from tests.support.browser import Tablets
from tests.support.builders import a_spool, put
from tests.support.people import CREW, LP, MR
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE = "MK-1335-CW-25238-001"
HOUR_MS = 3_600_000
ZONES = ("America/Santiago", "Asia/Tokyo", "Pacific/Honolulu", "Pacific/Kiritimati")


def shifted(hours: int) -> str:
    """A tablet whose clock is that many hours ahead."""
    return f"""{{
        const Real = Date, ahead = {hours * HOUR_MS};
        Date = class extends Real {{
            constructor(...given) {{ given.length ? super(...given) : super(Real.now() + ahead); }}
            static now() {{ return Real.now() + ahead; }}
        }};
    }}"""


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hours", [0, -30, 26])
def test_a_spool_taken_a_moment_ago_says_the_shops_time_without_a_date(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet, zone: str, hours: int
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, worker=LP, timezone=zone, script=shifted(hours)) as screen:
        taken = api.tap("tomar", ONE, MR.id).json()["fecha_ocupacion"]
        page = screen.open(f"/trabajo/ARM/{ONE}")
        shown = page.get_by_text(re.compile(r"Lo tiene MR\(93\) desde"))
        expect(shown).to_have_text(f"Lo tiene MR(93) desde {taken[11:16]}")
