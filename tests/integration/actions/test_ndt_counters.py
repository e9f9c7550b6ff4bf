"""The counters of the sampling: correct with two servers at once, untouched by imports, and without any cost for a shop
that uses no rule."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from carrete.domain.commands import Finalizar, Iniciar, Inspeccionar, Pausar, Resultado, Tomar
from carrete.domain.ndt.sampling import required
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.statements import statements
from tests.support.acting import Floor, a_floor, code
from tests.support.builders import a_finished_spool, a_spool, put
from tests.support.ndt import METROLOGIST, SOLD, WELDER, a_policy, a_rule, fill, groups, pending, use, weld
from tests.support.processes import at_once

PERCENT = 30
EACH, JOINTS = 12, 3
IN_A_PROCESS = (
    """
from carrete.domain.ndt.policy import NdtPolicy, NdtRule
from carrete.ledger import open_database
from tests.support.acting import Floor
from tests.support.ndt import use, weld
number, url = int(sys.argv[1]), sys.argv[2]
floor = Floor(open_database(url))
use(floor, NdtPolicy(rules=(NdtRule("r1", "RT", PERCENT, "5eed"),)))

def weld_all():
    for spool in range(EACH):
        for joint in range(1, JOINTS + 1):
            weld(floor, f"MK-{number}-{spool}", joint)
    return EACH * JOINTS
""".replace("PERCENT", str(PERCENT))
    .replace("EACH", str(EACH))
    .replace("JOINTS", str(JOINTS))
)


def test_two_servers_that_finish_joints_of_one_welder_at_once_count_all_of_them(
    database: Database, database_url: str
) -> None:
    fill(database, [f"MK-{number}-{spool}" for number in range(2) for spool in range(EACH)], JOINTS)
    at_once(2, IN_A_PROCESS, "weld_all()", database_url)
    (group,) = groups(database)
    assert group.welded == 2 * EACH * JOINTS
    assert group.selected == len(pending(database))
    assert 0 <= group.selected - required(PERCENT, group.welded) <= 1


class CountingTx:
    """A transaction that notes the name of each statement it runs."""

    def __init__(self, tx: Tx, ran: list[str]) -> None:
        self._tx, self._ran = tx, ran

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._tx, name)

        def counted(*args: Any, **params: Any) -> Any:
            for each in args:
                names = (each,) if isinstance(each, str) else each[:1] if isinstance(each, tuple) else ()
                self._ran.extend(name for name in names if name in statements("sqlite"))
            return method(*args, **params)

        return counted


class CountingDatabase:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.ran: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with self._database.writing() as tx:
            yield CountingTx(tx, self.ran)


def a_shift(floor: Floor) -> None:
    floor.do(Tomar("ENTERO", WELDER.id, SOLD))
    floor.do(Pausar("ENTERO", WELDER.id, SOLD))
    assert code(floor.do(Iniciar("MK-1", WELDER.id, SOLD))) == "OK"
    assert code(floor.do(Finalizar("MK-1", WELDER.id, SOLD, (1, 2, 3)))) == "OK"
    assert code(floor.do(Inspeccionar("COLA", METROLOGIST.id, Resultado.APROBADO))) == "OK"


def statements_of_a_shift(database: Database, *, with_rule: bool) -> list[str]:
    fill(database)
    put(database, [a_spool("ENTERO", armador="LP(7)"), a_finished_spool("COLA")])
    counting = CountingDatabase(database)
    with a_floor(counting) as floor:
        if with_rule:
            use(floor, a_policy(a_rule(100)))
        a_shift(floor)
    return counting.ran


def test_a_shop_without_examinations_runs_no_statement_more(database: Database) -> None:
    ran = statements_of_a_shift(database, with_rule=False)
    assert "spools_to_change" in ran, "the statements are seen"
    assert [name for name in ran if "ndt" in name] == []


def test_a_shop_with_a_rule_pays_only_for_its_welds(database: Database) -> None:
    ran = statements_of_a_shift(database, with_rule=True)
    of_ndt = [name for name in ran if "ndt" in name]
    assert sorted(set(of_ndt)) == [
        *("ndt_draw_put", "ndt_draws_of", "ndt_group_put", "ndt_groups_of", "ndt_insert", "ndt_lock", "ndt_update"),
    ]
    assert len(of_ndt) == len(set(of_ndt)), "once for all joints of the commit"


def test_welds_of_two_threads_of_one_server_are_counted_once_each(database: Database, database_url: str) -> None:
    fill(database, [f"MK-{n}" for n in range(6)], JOINTS)

    def work(first: int) -> None:
        with a_floor(open_database(database_url)) as floor:
            use(floor, a_policy(a_rule(PERCENT)))
            for n in range(first, 6, 2):
                weld(floor, f"MK-{n}", 1, 2, 3)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (group,) = groups(database)
    assert (group.welded, group.selected) == (6 * JOINTS, len(pending(database)))
