"""The answers of one commit have the same receipt. It is stored once, and every answer is given again as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from carrete.actions import Request, stored_answers
from carrete.actions.answer import Answer
from carrete.actions.group import decide_group
from carrete.actions.requests import QueuedRequest
from carrete.actions.stored_answers import answer_under_key
from carrete.api.occupation import batch_answer
from carrete.api.reclamos import claim_answer
from carrete.domain.commands import Completar, Pausar, Reclamar, Step, Tomar
from carrete.domain.spool import Operacion
from carrete.gate import LockAttempt
from carrete.ledger.database import Database, Tx
from carrete.ledger.store import KnownKey, keys_known
from carrete.ledger.values import instant_text
from carrete.trail.signing_key import SigningKey
from tests.support.builders import NOW, SHOP, a_spool, a_worker, held, put

ARM = Operacion.ARM
SPOOLS = 60
KEYS = ["k1", 'quotes " and \\', ',"recibo":@', "k4"]


@pytest.fixture
def key(database: Database, tmp_path: Path) -> SigningKey:
    put(database, [a_spool(f"MK-{n}") for n in range(SPOOLS)], [a_worker()])
    return SigningKey.of_ledger(tmp_path, database)


def take(tag: str, key: str | None) -> Request:
    return Request([Tomar(tag, 93, ARM)], batch_answer, key, tag)


def take_many(tags: Sequence[str], key: str) -> Request:
    return Request([Tomar(tag, 93, ARM) for tag in tags], batch_answer, key, "many")


def answers_of_one_commit(database: Database, key: SigningKey, *requests: Request) -> list[str]:
    queue = [
        QueuedRequest(each, [LockAttempt(tag, f"93:{tag}", takes=True) for tag in each.tags], NOW) for each in requests
    ]
    with database.writing() as tx:
        answers = [decided.answer for decided in decide_group(tx, SHOP, queue, key.sign)]
    assert all(isinstance(answer, Answer) for answer in answers)
    return [answer.body for answer in answers if isinstance(answer, Answer)]


def answer_again(database: Database, request: Request) -> str:
    with database.reading() as tx:
        answer = answer_under_key(tx, request)
    assert isinstance(answer, Answer)
    assert answer.replayed
    return answer.body


def kept(database: Database) -> dict[str, str]:
    with database.reading() as tx:
        return {key: body for key, _, body in tx.all("keys_all")}


def test_of_many_answers_one_is_stored_with_its_receipt(database: Database, key: SigningKey) -> None:
    requests = [take(f"MK-{n}", each) for n, each in enumerate(KEYS)]
    given = answers_of_one_commit(database, key, *requests)
    receipts = {json.dumps(json.loads(body)["recibo"]) for body in given}
    assert len(receipts) == 1
    firma = json.loads(given[0])["recibo"]["firma"]
    assert [each for each, body in kept(database).items() if firma in body] == KEYS[:1]
    assert [answer_again(database, request) for request in requests] == given


def test_a_key_that_comes_twice_in_one_commit_gets_the_whole_answer(database: Database, key: SigningKey) -> None:
    first, second = take("MK-1", "k1"), take("MK-2", "k2")
    given = answers_of_one_commit(database, key, first, second, second, first)
    assert given == [given[0], given[1], given[1], given[0]]
    assert [json.loads(body)["recibo"]["seq"] for body in given] == [2] * 4


def test_a_packed_answer_has_no_receipt_for_others(database: Database, key: SigningKey) -> None:
    """Nobody who repeats another request can unpack it: that takes its tags."""
    many = take_many([f"MK-{n}" for n in range(50)], "k0")
    requests = [many, *(take(f"MK-{50 + n}", f"k{n + 1}") for n in range(3))]
    given = answers_of_one_commit(database, key, *requests)
    assert kept(database)["k0"].startswith("zlib85:")
    assert [answer_again(database, request) for request in requests] == given


def test_what_has_the_receipt_is_read_once_for_all_repeated_requests_of_a_commit(
    database: Database, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tablets repeat their last tap when the connection returns. Each reading is a round trip to PostgreSQL."""
    first, *others = [take(f"MK-{n}", f"k{n}") for n in range(10)]
    _, *given = answers_of_one_commit(database, key, first, *others)
    read: list[list[str]] = []

    def reading(tx: Tx, keys: list[str]) -> dict[str, KnownKey]:
        read.append(keys)
        return keys_known(tx, keys)

    monkeypatch.setattr(stored_answers, "keys_known", reading)
    assert answers_of_one_commit(database, key, *others) == given
    assert read == [["k0"]]


def test_answers_without_a_key_and_refusals_come_between(database: Database, key: SigningKey) -> None:
    refused = [Request([Pausar("MK-1", 93, ARM)], batch_answer, each, each) for each in ("no", "nor")]
    requests = [refused[0], take("MK-2", None), take("MK-3", "k3"), take("MK-4", "k4"), refused[1]]
    given = answers_of_one_commit(database, key, *requests)
    assert ["recibo" in json.loads(body) for body in given] == [False, True, True, True, False]
    stored = [0, 2, 3, 4]
    assert [answer_again(database, requests[n]) for n in stored] == [given[n] for n in stored]


@pytest.mark.parametrize("spools", [2, 40])
def test_the_refused_spool_of_a_batch_is_claimed_whose_answer_names_another_key(
    database: Database, key: SigningKey, spools: int
) -> None:
    others = [held(a_spool(f"LP-{n}"), a_worker(7)) for n in range(spools)]
    put(database, others, [a_worker(7)])
    tags = ["MK-1", *(spool.tag for spool in others)]
    answers_of_one_commit(database, key, take("MK-1", None))
    finish = Request([Completar(tag, 93, ARM) for tag in tags], batch_answer, "many", "many")
    answers_of_one_commit(database, key, take("MK-2", "k2"), finish)
    claims = [
        Request([Reclamar(tag, 93, (Step(Completar(tag, 93, ARM)),), "many", "many", tuple(tags))], claim_answer)
        for tag in ("LP-1", "MK-1")
    ]
    claimed, nothing_to_claim = (json.loads(answers_of_one_commit(database, key, each)[0]) for each in claims)
    assert claimed["reclamo"]
    assert nothing_to_claim["code"] == "RECLAMO_SIN_RECHAZO"


def test_what_has_the_receipt_is_kept_as_long_as_what_names_it(database: Database, key: SigningKey) -> None:
    requests = [take(f"MK-{n}", f"k{n}") for n in range(3)]
    answers_of_one_commit(database, key, *requests)
    for before, left in ((NOW, 3), (NOW + timedelta(seconds=1), 0)):
        with database.writing() as tx:
            tx.run("keys_forget", before=instant_text(before))
        assert len(kept(database)) == left


def test_without_the_answer_that_has_the_receipt_the_others_are_given_without_one(
    database: Database, key: SigningKey
) -> None:
    """It takes somebody who deletes a row of the ledger."""
    first, second = take("MK-1", "k1"), take("MK-2", "k2")
    _, given = answers_of_one_commit(database, key, first, second)
    with database.writing() as tx:
        tx.execute("DELETE FROM idempotency WHERE key = 'k1'")
    again = json.loads(answer_again(database, second))
    assert again == {name: value for name, value in json.loads(given).items() if name != "recibo"}
