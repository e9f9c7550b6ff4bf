"""Processes behind nginx and a Redis that fails over: workers notice nothing of what the administrator does."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx

from carrete.api.problems import response_to
from carrete.doctor import examine
from carrete.findings import Severity
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from carrete.settings import Settings
from tests.support.answers import refused
from tests.support.builders import events_in
from tests.support.gated import is_at_rest
from tests.support.local import LOCAL
from tests.support.machines import PASSWORD, Machines, rolling_restart, wait_for
from tests.support.shift import Shift, a_shift, following
from tests.system.operations.conftest import TAGS, WORKERS

TAPS_MIN = 100


def test_nginx_says_who_the_client_is_and_no_client_can(machines: Machines, ledger: Database) -> None:
    """127.0.0.5 is the tablet; what it writes into the headers of the proxy never arrives."""
    lies = {"X-Forwarded-For": "203.0.113.1", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
    transport = httpx.HTTPTransport(local_address="127.0.0.5")
    body = {"tag_spool": TAGS[0], "worker_id": WORKERS[0], "operacion": "SOLD"}
    with httpx.Client(base_url=machines.url, transport=transport, trust_env=False, headers=lies) as tablet:
        assert tablet.get("/api/health").status_code == 200
        refused(tablet.post("/api/occupation/tomar", json=body), 403, "ROL_NO_AUTORIZADO")
    output = "".join(process.log_text for process in machines.processes)
    (line,) = [json.loads(line) for line in output.splitlines() if '"ROL_NO_AUTORIZADO"' in line]
    assert (line["client"], line["worker_id"], line["tag_spool"]) == ("127.0.0.5", WORKERS[0], TAGS[0])
    assert "203.0.113.1" not in output


def test_through_nginx_only_our_names_and_our_own_pages_are_served(machines: Machines, ledger: Database) -> None:
    before = last_seq(ledger)
    port = machines.url.rpartition(":")[2]
    body = {"tag_spool": TAGS[0], "worker_id": WORKERS[0], "operacion": "ARM"}
    with httpx.Client(base_url=machines.url, **LOCAL) as client:

        def take(host: str, origin: str) -> httpx.Response:
            return client.post("/api/occupation/tomar", json=body, headers={"Host": host, "Origin": origin})

        name = f"carrete.example.com:{port}"
        refused(take("evil.example", "http://evil.example"), 421, "HOST_DESCONOCIDO")
        refused(take(name, "http://evil.example"), 403, "ORIGEN_NO_PERMITIDO")
        refused(take(name, "http://carrete.example.com"), 403, "ORIGEN_NO_PERMITIDO")
        assert last_seq(ledger) == before
        assert take(name, f"http://{name}").status_code == 200
        assert client.post("/api/occupation/cancelar", json=body).status_code == 200


def test_processes_are_restarted_one_by_one_and_no_tap_fails(
    machines: Machines, ledger: Database, tmp_path: Path
) -> None:
    begun_at = last_seq(ledger)
    pids = {process.pid for process in machines.processes}
    with following(machines.url, begun_at) as viewer:
        with a_shift(machines.url, WORKERS, TAGS) as shift:
            output = rolling_restart(machines.processes, tmp_path)
            time.sleep(0.5)
        viewer.wait_until_it_has(last_seq(ledger))
    assert output.count("serves again") == len(machines.processes)
    assert not pids & {process.pid for process in machines.processes}
    assert [process.killed for process in machines.processes] == [0, 0, 0], "each ended by itself"
    assert shift.failed == []
    assert_once_and_alone(shift, ledger, begun_at)
    assert viewer.times > 1, "its process was among them"
    assert viewer.seqs == seqs_after(begun_at, ledger), "every event, once, in order"


def test_a_process_that_is_killed_fails_no_tap(machines: Machines, ledger: Database) -> None:
    begun_at = last_seq(ledger)
    victim = machines.processes[1]
    with a_shift(machines.url, WORKERS, TAGS) as shift:
        wait_for(lambda: len(shift.done) > TAPS_MIN)
        victim.kill()
        there = len(shift.done)
        wait_for(lambda: len(shift.done) > there + TAPS_MIN)
        victim.start()
        wait_for(victim.is_ready)
    assert shift.failed == []
    assert_once_and_alone(shift, ledger, begun_at)


def test_the_doctor_asks_every_sentinel(machines: Machines, tmp_path: Path) -> None:
    url = machines.settings["REDIS_URL"]
    settings = Settings(access="open", data=tmp_path, redis_url=url)
    findings = {finding.what.en: finding.severity for finding in examine(settings)}
    place = f"127.0.0.1:{machines.master.port}"
    for watchman in machines.watchmen:
        assert findings[f"Sentinel 127.0.0.1:{watchman.port}: carrete is {place}"] is Severity.GOOD
    (sentinel,) = [text for text in findings if text.startswith("Redis (sentinel://127.0.0.1")]
    assert (PASSWORD in sentinel, findings[sentinel], "can be written" in sentinel) == (False, Severity.GOOD, True)
    assert findings["clock: agrees with Redis's"] is Severity.GOOD
    nowhere = url.replace("/carrete", "/nadie").replace(f":{machines.watchmen[0].port}", ":1")
    wrong = [
        finding.what.en
        for finding in examine(Settings(access="open", data=tmp_path, redis_url=nowhere))
        if finding.severity is Severity.BAD
    ]
    assert [what.partition(": ")[2][:12] for what in wrong[1:3]] == ["knows no mas"] * 2
    assert wrong[0].startswith("Sentinel 127.0.0.1:1: ")
    assert wrong[3].endswith("no Sentinel knows a master called nadie that is up")


def test_a_redis_that_dies_in_the_middle_of_work_loses_nothing_and_its_replica_takes_over(
    machines: Machines, ledger: Database
) -> None:
    begun_at = last_seq(ledger)
    master = machines.master
    replica = machines.other(master)
    with a_shift(machines.url, WORKERS, TAGS) as shift:
        wait_for(lambda: len(shift.done) > TAPS_MIN)
        master.kill()
        wait_for(lambda: machines.master is replica)
        wait_for(lambda: all(process.has_redis() for process in machines.processes))
        there = len(shift.done)
        wait_for(lambda: len(shift.done) > there + TAPS_MIN)
    assert shift.failed == []
    assert_once_and_alone(shift, ledger, begun_at)
    wait_for(lambda: is_at_rest(replica, ledger))
    httpx.post(
        f"{machines.url}/api/occupation/tomar", json={"tag_spool": TAGS[0], "worker_id": 1, "operacion": "ARM"}, **LOCAL
    )
    assert replica.value(TAGS[0]), "its locks are in the new master"
    httpx.post(
        f"{machines.url}/api/occupation/pausar",
        json={"tag_spool": TAGS[0], "worker_id": 1, "operacion": "ARM"},
        **LOCAL,
    )
    master.start()
    wait_for(lambda: master.follows)


def test_a_redis_that_is_handed_over_while_it_lives_is_followed(machines: Machines, ledger: Database) -> None:
    """The old master goes on answering, and only reads: a connection that leads to it must not be kept."""
    begun_at = last_seq(ledger)
    master = machines.master
    replica = machines.other(master)
    with a_shift(machines.url, WORKERS, TAGS) as shift:
        wait_for(lambda: len(shift.done) > TAPS_MIN)
        machines.watchmen[0].hand_over()
        wait_for(lambda: machines.master is replica and master.follows)
        wait_for(lambda: all(process.has_redis() for process in machines.processes))
        there = len(shift.done)
        wait_for(lambda: len(shift.done) > there + TAPS_MIN)
    assert shift.failed == []
    assert_once_and_alone(shift, ledger, begun_at)
    wait_for(lambda: is_at_rest(replica, ledger))


def test_when_no_process_is_left_the_answer_is_still_ours(machines: Machines) -> None:
    """The last test of all: no process is left after it."""
    for process in machines.processes:
        process.stop()
    action = {"tag_spool": TAGS[0], "worker_id": 1, "operacion": "ARM"}
    for answer in (
        httpx.get(f"{machines.url}/api/spools", **LOCAL),
        httpx.post(f"{machines.url}/api/occupation/tomar", json=action, **LOCAL),
        httpx.post(f"{machines.url}/api/occupation/tomar", json=action, headers={"Idempotency-Key": "k"}, **LOCAL),
    ):
        refused(answer, 503, "LEDGER_UNAVAILABLE")
        ours = response_to(LedgerUnavailable(), "/")
        assert (answer.content, answer.headers["retry-after"]) == (ours.body, ours.headers["retry-after"])


def last_seq(ledger: Database) -> int:
    return max((event.seq for event in events_in(ledger)), default=0)


def seqs_after(seq: int, ledger: Database) -> list[int]:
    return [event.seq for event in events_in(ledger) if event.seq > seq]


def assert_once_and_alone(shift: Shift, ledger: Database, begun_at: int) -> None:
    """Every success is one event of that worker's on that spool, there is no other event, and nobody took what
    somebody had."""
    events = [event for event in events_in(ledger) if event.seq > begun_at]
    done = sorted((tap.seq, tap.tag, tap.worker_id, tap.accion) for tap in shift.done if tap.seq is not None)
    assert len(done) > TAPS_MIN, "too little was done"
    assert done == [(e.seq, e.tag, e.event.worker_id, e.event.accion.lower()) for e in events]
    holder: dict[str, int | None] = {}
    for event in events:
        taking = event.event.accion == "TOMAR"
        assert holder.get(event.tag) == (None if taking else event.event.worker_id), f"event {event.seq}"
        holder[event.tag] = event.event.worker_id if taking else None
