"""Kills a real Chromium between tap and sending: `.venv/bin/python scripts/kill_browsers.py --kills 100 --seed 1`.

Ends with 1 if a tap that was called kept is lost, or any is doubled or under another name."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.browser import WAIT_MS_MAX
from tests.support.browser_kills import kill_campaign, tags_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    expect.set_options(timeout=WAIT_MS_MAX)
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        kill_campaign(playwright, Path(folder), options.kills, options.seed) as campaign,
    ):
        campaign.run(tags_of(options.kills))
        wrong = campaign.verdict()
        arrived = sum(len(campaign.shop.authors(work.tag)) > 0 for work in campaign.works)
    tapped, kept = (sum(getattr(work, name) for work in campaign.works) for name in ("tapped", "kept"))
    kills, seconds = sum(campaign.kills.values()), time.monotonic() - begun
    print(f"{kills} kills in {seconds:.0f} s, {campaign.changes} changes of person")
    for moment, times in sorted(campaign.kills.items()):
        print(f"  {times:3} {moment.value}")
    print(f"{tapped} taps on {len(campaign.works)} spools, {kept} called kept; events on {arrived} spools")
    print("\n".join(wrong) or "0 lost, 0 doubled, 0 under another name")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
