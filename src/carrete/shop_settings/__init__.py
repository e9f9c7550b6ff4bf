"""The shop's own settings: in the ledger, with who changed what and when, in force in every process within 5 s.

values     the settings, and how each is read from JSON
store      reads and changes them in the ledger, with their history
in_force   a value that the machine's settings give wins over the ledger's
watch      whether they changed, for a process without an event loop
live       the values in force in a serving process: an attribute in memory, renewed in the background
first_start   the steps of the first start in the browser

The machine's settings (`CARRETE_DATA`, `DATABASE_URL` …) are in `carrete.settings`."""

from carrete.domain.shifts import Shift
from carrete.shop_settings.in_force import fixed_by_machine, in_force, require_not_fixed, shop_of, with_shop_settings
from carrete.shop_settings.store import change, history, read
from carrete.shop_settings.values import ShopSettings

__all__ = [
    "Shift",
    "ShopSettings",
    "change",
    "fixed_by_machine",
    "history",
    "in_force",
    "read",
    "require_not_fixed",
    "shop_of",
    "with_shop_settings",
]
