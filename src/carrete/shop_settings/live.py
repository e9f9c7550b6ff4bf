"""The shop's settings in force in a serving process. Reading them is an attribute access; a task follows the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from carrete.domain.shop import Shop
from carrete.ledger.errors import LedgerUnavailable
from carrete.settings import Settings, WrongSetting
from carrete.shop_settings.in_force import in_force, shop_of
from carrete.shop_settings.store import read
from carrete.shop_settings.values import ShopSettings

log = structlog.get_logger()

FOLLOW_EVERY_S = 2.0  # a change is promised to be in force everywhere within 5 s


class LiveShopSettings:
    """`current` are the settings in force and `shop` what the rules need of them. `on_change` is called on the event
    loop with the settings before and after a change, when both attributes are the new ones already."""

    def __init__(
        self,
        machine: Settings,
        stored: ShopSettings,
        read_ledger: Callable[[Callable[..., Any]], Awaitable[Any]],
        on_change: Callable[[ShopSettings, ShopSettings], None],
    ) -> None:
        self._machine = machine
        self._read_ledger = read_ledger
        self._on_change = on_change
        self._renewing = asyncio.Lock()
        self.current: ShopSettings = in_force(machine, stored)
        self.shop: Shop = shop_of(machine, self.current)

    async def follow(self, every_s: float = FOLLOW_EVERY_S) -> None:
        """While the ledger does not answer, or has a value that this machine cannot use, the values stay. The log says
        why, once."""
        logged = ""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.renew()
                logged = ""
            except (LedgerUnavailable, WrongSetting) as error:
                if str(error) != logged:
                    logged = str(error)
                    log.warning("the shop's settings were not read", reason=logged)
            except Exception as error:  # without this task the process would never follow again
                log.error("the shop's settings were not followed", exc_info=error)

    async def renew(self) -> None:
        """Reads the ledger now. One read at a time: an older answer can never replace a newer one."""
        async with self._renewing:
            self._adopt(in_force(self._machine, await self._read_ledger(read)))

    def _adopt(self, settings: ShopSettings) -> None:
        before = self.current
        if settings == before:
            return
        self.current, self.shop = settings, shop_of(self._machine, settings)
        log.info("the shop's settings changed", changed=_different(before, settings))
        self._on_change(before, settings)


def _different(before: ShopSettings, after: ShopSettings) -> list[str]:
    old, new = before.to_json(), after.to_json()
    return [name for name in new if old[name] != new[name]]
