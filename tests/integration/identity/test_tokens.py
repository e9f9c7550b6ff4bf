"""API tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from carrete.domain.refusals import NotValid
from carrete.identity import access_events, tokens
from carrete.identity.access_events import AccessKind
from carrete.identity.records import TokenScope
from carrete.identity.refusals import RecordUnknown
from carrete.ledger.database import Database
from tests.support.lookups import token_of_secret

NOW = datetime.now(UTC).replace(microsecond=0)


def test_a_token_is_found_by_its_secret_with_its_scopes(database: Database) -> None:
    with database.writing() as tx:
        made = tokens.make(tx, "ERP", {TokenScope.LEER, TokenScope.ACTUAR}, at=NOW, by_id=1)
        found = token_of_secret(tx, made.token)
        (event,) = access_events.page(tx).events
    assert found is not None
    assert (found.id, found.name, found.scopes) == (made.id, "ERP", frozenset({TokenScope.LEER, TokenScope.ACTUAR}))
    assert made.token.startswith("carrete_")
    assert len(made.token) == len("carrete_") + 43
    assert event.kind is AccessKind.TOKEN_CREADO
    assert made.token not in str(event)


def test_a_token_ends_after_its_days(database: Database) -> None:
    with database.writing() as tx:
        old = tokens.make(tx, "old", {TokenScope.LEER}, at=NOW - timedelta(days=31), days=30)
        new = tokens.make(tx, "new", {TokenScope.LEER}, at=NOW - timedelta(days=29), days=30)
        assert token_of_secret(tx, old.token) is None
        assert token_of_secret(tx, new.token) is not None


def test_a_revoked_token_is_worth_nothing(database: Database) -> None:
    with database.writing() as tx:
        made = tokens.make(tx, "ERP", {TokenScope.LEER}, at=NOW)
        tokens.revoke(tx, made.id, at=NOW, by_id=21)
        tokens.revoke(tx, made.id, at=NOW, by_id=22)
        assert token_of_secret(tx, made.token) is None
        (listed,) = tokens.tokens(tx)
        assert listed.revoked_by == 21
        assert [event.kind for event in access_events.page(tx).events] == ["TOKEN_REVOCADO", "TOKEN_CREADO"]


def test_a_token_needs_a_name_and_a_scope(database: Database) -> None:
    with database.writing() as tx:
        with pytest.raises(NotValid):
            tokens.make(tx, "ERP", set(), at=NOW)
        with pytest.raises(NotValid):
            tokens.make(tx, " ", {TokenScope.LEER}, at=NOW)
        with pytest.raises(RecordUnknown):
            tokens.revoke(tx, "t-nobody", at=NOW)
        assert tokens.tokens(tx) == []
