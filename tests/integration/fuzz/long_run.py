"""`make fuzz`: 50,000 requests or more by all kinds of callers in mode `pin`, and how they were answered.

Ends with 1 when any answer was a 5xx, no problem document, or the server wrote a trace."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.integration.fuzz.role_calls import call_by_document, call_in_bytes
from tests.integration.fuzz.roles import CALLERS, RoleShop, Seen, role_shop

REQUESTS_DEFAULT = 50_000
EXAMPLES_DEFAULT = 3  # of each operation by each caller that the document allows, and as many that it forbids
FAILURES_SHOWN_MAX = 20


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=REQUESTS_DEFAULT)
    arguments.add_argument("--examples", type=int, default=EXAMPLES_DEFAULT)
    arguments.add_argument("--seed", type=int, default=1)
    wanted = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, role_shop(Path(folder)) as shop:
        return run(shop, wanted.requests, wanted.examples, wanted.seed)


def run(shop: RoleShop, requests: int, examples: int, seed: int) -> int:
    seen, began = Seen(), time.monotonic()
    for caller in CALLERS:
        call_by_document(shop, seen, [caller], examples, seed)
        print(f"{caller}: {seen.statuses[caller].total()} calls by the document", flush=True)
    by_document, round_ = seen.total, 0
    while seen.total < requests:
        each = min(200, -(-(requests - seen.total) // len(CALLERS)))
        call_in_bytes(shop, seen, CALLERS, each, seed + round_)
        round_ += 1
    seconds = time.monotonic() - began
    print(
        f"{seen.total} requests in {seconds:.0f} s: {by_document} by the document, {seen.total - by_document} in bytes"
    )
    print(table(seen))
    print("\n".join(seen.failures[:FAILURES_SHOWN_MAX]) or "no 5xx, and every refusal a problem document")
    return 1 if seen.failures else 0


def table(seen: Seen) -> str:
    """Requests by caller and status; 0: closed without an answer."""
    statuses = sorted({status for counter in seen.statuses.values() for status in counter})
    rows = [["caller", "requests", *map(str, statuses)]]
    for caller, counter in seen.statuses.items():
        rows.append([caller, str(counter.total()), *(str(counter[status]) for status in statuses)])
    rows.append(["all", str(seen.total), *(str(sum(c[status] for c in seen.statuses.values())) for status in statuses)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
