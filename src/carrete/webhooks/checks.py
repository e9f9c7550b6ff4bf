"""What `carrete doctor` and the page of the system say about webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from carrete.findings import Finding, Words, bad, good, note
from carrete.ledger.database import Database
from carrete.webhooks import deliveries, registry

LOOK = Words("look at Administration, Integrations", "mire en Administración, Integraciones")


def problems(database: Database) -> Iterator[Finding]:
    """Nothing for a shop without webhooks."""
    with database.reading() as tx:
        found, waiting, parked = registry.addresses(tx), deliveries.figures(tx), deliveries.parked_counts(tx)
    for address in found:
        if address.stopped:
            yield bad(
                Words(
                    f"webhooks: {address.name} is disabled, because its receiver answered 410 (gone)",
                    f"webhooks: {address.name} está desactivado: {address.stopped}",
                ),
                LOOK,
            )
        if count := parked.get(address.id, 0):
            yield bad(
                Words(
                    f"webhooks: {address.name} did not take {count} messages in a day",
                    f"webhooks: {address.name} no recibió {count} mensajes en un día",
                ),
                Words(f"{LOOK.en}: send them again or drop them", f"{LOOK.es}: envíelos de nuevo o descártelos"),
            )
        if address.enabled and address.failure:
            behind = waiting[address.id].count if address.id in waiting else 0
            yield note(
                Words(
                    f"webhooks: the last message to {address.name} failed, {behind} wait",
                    f"webhooks: el último mensaje a {address.name} falló ({address.failure}); esperan {behind}",
                ),
                LOOK,
            )
    if found:
        enabled = sum(address.enabled for address in found)
        yield good(Words(f"webhooks: {enabled} enabled addresses", f"webhooks: integraciones activas: {enabled}"))
