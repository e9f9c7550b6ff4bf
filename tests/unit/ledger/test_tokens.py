"""Tokens distinguish two writes: none is ever handed out twice, in any thread or process."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import RFC_4122, UUID

from carrete.ledger.tokens import fresh_token

FORKED = """
import os
from carrete.ledger.tokens import fresh_token
fresh_token()
if child := os.fork():
    os.waitpid(child, 0)
print("\\n".join(fresh_token() for _ in range(600)), flush=True)
"""


def test_a_token_is_a_random_uuid() -> None:
    tokens = [UUID(fresh_token()) for _ in range(1_000)]
    assert {(token.version, token.variant) for token in tokens} == {(4, RFC_4122)}


def test_threads_that_ask_at_once_never_get_the_same() -> None:
    with ThreadPoolExecutor(4) as threads:
        made = [
            token for part in threads.map(lambda _: [fresh_token() for _ in range(5_000)], range(4)) for token in part
        ]
    assert len(set(made)) == len(made) == 20_000


def test_a_process_that_was_forked_does_not_hand_out_its_parents() -> None:
    tokens = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True).stdout.split()
    assert len(set(tokens)) == len(tokens) == 1_200
