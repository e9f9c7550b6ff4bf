"""Google may give the ranges of one answer in any order: each is known by its range."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.google.errors import Unreachable
from carrete.sheets.google.ranges import TabRange
from carrete_chaos.sheets.link import EmulatedGoogle
from tests.support.sheets import SheetShop

ARM = Operacion.ARM


def tabs(shop: SheetShop) -> dict[str, int]:
    return {tab.title: tab.id for tab in shop.lane.client.workbook().tabs}


@pytest.mark.parametrize("filters_told", [True, False])
def test_the_lane_works_whatever_the_order_of_the_answers(shop: SheetShop, filters_told: bool) -> None:
    shop.emulator.options.answers_reversed = True
    shop.emulator.options.filters_told = filters_told
    shop.restart()
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert shop.lane.stats.reason == ""
    shop.assert_every_event_once_in_order()


@pytest.mark.parametrize("filters_told", [True, False])
def test_titles_that_need_quotes_and_tabs_that_were_renamed_since(shop: SheetShop, filters_told: bool) -> None:
    ids = tabs(shop)
    shop.person("rename_tab", "Uniones", to="Uniones d'O!A1")
    shop.emulator.options.answers_reversed = True
    shop.emulator.options.filters_told = filters_told
    spools, joints = shop.lane.client.values([TabRange(ids["Operaciones"], 1), TabRange(ids["Uniones"], 1)])
    assert (spools[0][0], joints[0][0]) == ("TAG_SPOOL", "ID")


def test_two_ranges_of_one_tab_are_distinguished_by_their_first_cell(shop: SheetShop) -> None:
    tab = tabs(shop)["Operaciones"]
    shop.emulator.options.answers_reversed = True
    shop.emulator.options.filters_told = False
    wanted = [TabRange(tab, 1, (0, 1)), TabRange(tab, 1, (1, 2)), TabRange(tab, 3, (0, 1), 2)]
    assert shop.lane.client.values(wanted) == [[["TAG_SPOOL"]], [["OT"]], [["A-2"]]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ranges: ranges[:1],
        lambda ranges: [ranges[0], ranges[0]],
        lambda ranges: [{**one, "valueRange": {"range": "Otra!A1:B2"}, "dataFilters": []} for one in ranges],
        lambda ranges: [{"valueRange": {}} for _ in ranges],
    ],
    ids=["one is missing", "one is there twice", "of a tab that nobody knows", "without any name"],
)
def test_an_answer_whose_ranges_cannot_be_identified_is_not_used(
    shop: SheetShop, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[list[object]], list[object]]
) -> None:
    ids = tabs(shop)
    answer = EmulatedGoogle.handle_request

    def spoilt(google: EmulatedGoogle, request: httpx.Request) -> httpx.Response:
        whole = answer(google, request)
        if not request.url.path.endswith("batchGetByDataFilter"):
            return whole
        body = whole.json()
        return httpx.Response(200, json={**body, "valueRanges": spoil(body["valueRanges"])}, request=request)

    monkeypatch.setattr(EmulatedGoogle, "handle_request", spoilt)
    with pytest.raises(Unreachable):
        shop.lane.client.values([TabRange(ids["Operaciones"], 1), TabRange(ids["Uniones"], 1)])
