"""The statement that reads events and the table of kinds name the same types."""

from __future__ import annotations

import re

import pytest

from carrete.domain.refusals import NotValid
from carrete.ledger.statements import statements
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import EVENT_TYPES, WebhookKind, kinds_of_event
from carrete.webhooks.registry import AddressFields, checked


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_the_statement_reads_the_types_that_some_kind_is_about(engine: str) -> None:
    (types,) = re.findall(r"evento_tipo IN \((.*?)\)", statements(engine)["webhook_events"])
    assert tuple(re.findall(r"'(\w+)'", types)) == EVENT_TYPES
    assert all(kinds_of_event(evento_tipo, None) for evento_tipo in EVENT_TYPES)


def test_a_third_rejection_is_blocked_first_of_all() -> None:
    assert kinds_of_event("METROLOGIA_RECHAZADO", '{"ciclo": 2}') == (WebhookKind.RECHAZADO,)
    both = (WebhookKind.BLOQUEADO, WebhookKind.RECHAZADO)
    assert kinds_of_event("METROLOGIA_RECHAZADO", '{"ciclo": 3}') == both
    assert kinds_of_event("TOMAR_SPOOL", None) == ()


@pytest.mark.parametrize(
    ("name", "url", "form", "kinds", "wrong"),
    [
        ("", "https://h/x", "json", {"relevo"}, ["nombre"]),
        ("x" * 61, "ftp://h/x", "json", set(), ["nombre", "url", "tipos"]),
        ("Chat", "https://api.telegram.org/bot1/sendMessage", "telegram", {"relevo"}, ["url"]),
        ("Largo", "https://h/" + "x" * 1_000, "json", {"relevo"}, ["url"]),
    ],
)
def test_every_wrong_field_of_an_address_is_named(
    name: str, url: str, form: str, kinds: set[str], wrong: list[str]
) -> None:
    with pytest.raises(NotValid) as refusal:
        checked(AddressFields(name, url, WebhookFormat(form), frozenset(map(WebhookKind, kinds))))
    assert [each["campo"] for each in refusal.value.context["errors"]] == wrong
