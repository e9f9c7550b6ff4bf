"""Every screen, in both themes and at four sizes: axe finds nothing, nothing overflows, everything can be hit."""

from __future__ import annotations

from itertools import product

import pytest

from tests.support.browser import SIZES, Tablets, Theme, overflow_px, small_targets, violations
from tests.support.server import RunningServer

THEMES: tuple[Theme, ...] = ("light", "dark")
EVERY_LOOK = list(product(THEMES, SIZES))


@pytest.mark.parametrize(("theme", "size"), EVERY_LOOK)
def test_the_first_screen_is_for_everybody(
    tablets: Tablets, demo: RunningServer, theme: Theme, size: tuple[int, int]
) -> None:
    with tablets.one(demo.url, theme=theme, size=size, for_axe=True) as screen:
        page = screen.open()
        page.get_by_role("button", name="Mauricio Rodríguez").wait_for()
        assert violations(page) == []
        assert overflow_px(page) <= 0
        assert small_targets(page) == []
