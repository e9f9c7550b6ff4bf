"""Whether the shop's settings changed, for a process without an event loop, such as `carrete sync`."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from carrete.settings import Settings, WrongSetting
from carrete.shop_settings.in_force import with_shop_settings
from carrete.shop_settings.live import FOLLOW_EVERY_S

log = structlog.get_logger()


class ShopSettingsWatch:
    """`settings` are the machine's with the shop's in force when the watch began. The ledger is asked at most every two
    seconds, however often `changed` is called."""

    def __init__(self, machine: Settings, database: Database, monotonic: Callable[[], float]) -> None:
        self._machine = machine
        self._database = database
        self._monotonic = monotonic
        self._next_look = monotonic() + FOLLOW_EVERY_S
        self.settings = with_shop_settings(machine, database)

    def changed(self) -> bool:
        """While the ledger does not answer, or has a value that this machine cannot use, the settings stay."""
        if self._monotonic() < self._next_look:
            return False
        self._next_look = self._monotonic() + FOLLOW_EVERY_S
        try:
            return with_shop_settings(self._machine, self._database) != self.settings
        except (LedgerUnavailable, WrongSetting) as error:
            log.warning("the shop's settings were not read", reason=str(error))
            return False
