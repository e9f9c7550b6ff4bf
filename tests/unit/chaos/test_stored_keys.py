"""What a campaign reads of the answers that the ledger stored."""

from __future__ import annotations

from carrete_chaos.at_rest import _stored_keys
from carrete_chaos.history import StoredKey


def test_an_answer_is_read_also_when_the_one_with_its_receipt_is_not_stored() -> None:
    """A planted bug may leave it out. The campaign must name the bug then, and not fail itself."""
    answer = '{"version":"v-2","recibo":@"k1"}'
    read = {"k2": StoredKey(200, {"version": "v-2"})}
    assert _stored_keys([("k2", 200, answer)]) == read
    assert _stored_keys([("k1", 200, '{"version":"v-1","recibo":@"k0"}'), ("k2", 200, answer)])["k2"] == read["k2"]
