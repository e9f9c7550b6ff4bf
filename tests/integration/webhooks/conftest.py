"""A shop with a clock that the test moves, a process that delivers, and a receiver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from carrete.ledger.database import Database
from tests.support.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.webhook_shop import DeliveringProcess, WebhookShop


@pytest.fixture
def shop(database: Database) -> WebhookShop:
    return WebhookShop(database)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as opened:
        yield opened


@pytest.fixture
def process(shop: WebhookShop) -> Iterator[DeliveringProcess]:
    opened = DeliveringProcess(shop.database, shop.clock)
    yield opened
    opened.close()
