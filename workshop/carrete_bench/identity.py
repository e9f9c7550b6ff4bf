"""Measures what identity costs: the same actions in the modes `pin` and `open`, and taps while people sign in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from carrete.domain.authorship import Proof
from carrete.identity import devices, sessions
from carrete.identity.pins import PinHasher
from carrete.identity.records import DeviceKind
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.server_keys import ServerKeys
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text
from carrete.redis.embedded_server import socket_path
from carrete_bench import shop, wrong_pins
from carrete_bench.load import ACTIONS, LoadClient, LoadStep, SignInRequest, StepResult
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import (
    IdentityResults,
    IdentityRound,
    WrongPinResults,
    all_latencies_us,
    percentiles,
    rate_per_s,
)
from carrete_bench.slices import rounds_of_sets, sliced_rounds, sliced_steps, warm_up_steps

PIN = "482915"
OPEN, COOKIE, SIGNED = GROUPS = ("open", "cookie", "signed")  # in the order of IdentityRound
DEVICE_COOKIE, SESSION_COOKIE = "__Host-carrete-device", "__Host-carrete-session"


@dataclass(frozen=True, slots=True)
class IdentityScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    clients: int = 50
    rounds: int = 10
    round_s: float = 4.0
    sign_ins: int = 50
    sign_in_rounds: int = 5
    sign_in_round_s: float = 1.5


@dataclass(frozen=True, slots=True)
class TabletCredentials:
    """A tablet with a session for each client, and the tablets on which people sign in."""

    signed_in: list[LoadClient]
    device_cookies: list[str]


def measure(ledger_url: str, folder: Path, spools: int, scale: IdentityScale) -> IdentityResults:
    own_folder = folder / "identity"
    own_folder.mkdir(mode=0o700)
    clients = shop.load_clients(scale.clients, spools)
    credentials = prepare(ledger_url, own_folder, clients, scale.sign_ins)
    rounds: list[IdentityRound] = []
    for count in rounds_of_sets(scale.rounds):
        with _both_servers(ledger_url, folder, own_folder) as servers:
            rounds += _rates(servers, clients, credentials, sliced_steps(GROUPS, count, scale.round_s))
    with running_server(own_folder, ledger_url, "embedded", access="pin") as server:
        signed: list[LoadClient] = [{**client, "group": SIGNED} for client in credentials.signed_in]
        steps = _sign_in_steps(scale, server, credentials.device_cookies)
        # One more round of both comes first and is not counted, because the server is new.
        taps = send_load(server, signed, [*steps[:2], *steps])[2:]
        after_wrong_pins = wrong_pins.measure(server, credentials.device_cookies)
    return _summary(scale, rounds, taps, after_wrong_pins)


class _Servers(NamedTuple):
    with_identity: BenchServer
    without_identity: BenchServer


@contextmanager
def _both_servers(ledger_url: str, folder: Path, own_folder: Path) -> Iterator[_Servers]:
    """On one ledger and one Redis, that of the server with identity, as `carrete serve` has it."""
    with (
        running_server(own_folder, ledger_url, "embedded", access="pin") as with_identity,
        running_server(folder, ledger_url, f"unix://{socket_path(own_folder)}") as without_identity,
    ):
        yield _Servers(with_identity, without_identity)


def _rates(
    servers: _Servers, clients: Sequence[LoadClient], credentials: TabletCredentials, steps: Sequence[LoadStep]
) -> list[IdentityRound]:
    """One load process uses both servers in turns."""
    port = servers.with_identity.port
    groups: list[LoadClient] = [{**client, "group": OPEN} for client in clients]
    for client in credentials.signed_in:
        groups.append({**_without_key(client), "group": COOKIE, "port": port})
        groups.append({**client, "group": SIGNED, "port": port})
    warm_up = warm_up_steps(OPEN, COOKIE, OPEN, SIGNED)
    results = send_load(servers.without_identity, groups, [*warm_up, *steps])
    rounds = sliced_rounds(GROUPS, results[len(warm_up) :])
    return [IdentityRound(*(rate_per_s(*slices[group]) for group in GROUPS)) for slices in rounds]


def _sign_in_steps(scale: IdentityScale, server: BenchServer, cookies: Sequence[str]) -> list[LoadStep]:
    """The taps of some seconds while nobody signs in, and of as many while all sign in, in turns."""
    sign_ins: list[SignInRequest] = [
        {
            "port": server.port,
            "cookie": cookie,
            "body": json.dumps({"worker_id": number % shop.WORKERS + 1, "pin": PIN}),
        }
        for number, cookie in enumerate(cookies)
    ]
    alone: LoadStep = {"kind": ACTIONS, "path": "", "seconds": scale.sign_in_round_s, "group": SIGNED}
    beside: LoadStep = {**alone, "sign_ins": sign_ins}
    return [alone, beside] * scale.sign_in_rounds


def _without_key(client: LoadClient) -> LoadClient:
    return {"worker_id": client["worker_id"], "tags": client["tags"], "cookie": client["cookie"]}


def prepare(ledger_url: str, folder: Path, clients: Sequence[LoadClient], more_tablets: int) -> TabletCredentials:
    """Everybody has a PIN, and every client a session on a tablet of its own; the other tablets have none yet."""
    database = open_database(ledger_url)
    try:
        with database.writing() as tx:
            keys = ServerKeys.load(folder, tx)
            _give_pins(tx, keys)
            tablets = [signed_in(tx, keys, client) for client in clients]
            return TabletCredentials(tablets, [_device_cookie(_enrolled(tx)[1]) for _ in range(more_tablets)])
    finally:
        database.close()


def _give_pins(tx: Tx, keys: ServerKeys) -> None:
    """One PIN for everybody: its hash costs the same as fifty others would when it is checked."""
    hasher = PinHasher(keys.pepper)
    hashed = hasher.hash_blocking(PIN)
    hasher.close()
    at = instant_text(datetime.now(UTC))
    tx.many("pin_put", [{"worker_id": id_, "hash": hashed, "at": at} for id_ in range(1, shop.WORKERS + 1)])


def signed_in(tx: Tx, keys: ServerKeys, client: LoadClient) -> LoadClient:
    device_id, device_secret = _enrolled(tx)
    session, secret = sessions.begin(
        tx, device_id=device_id, worker_id=client["worker_id"], proof=Proof.PIN, now=datetime.now(UTC)
    )
    cookie = f"{_device_cookie(device_secret)}; {SESSION_COOKIE}={secret}"
    return {**client, "cookie": cookie, "session": session.id, "tap_key": keys.tap_key(session.id).hex()}


def _device_cookie(secret: str) -> str:
    return f"{DEVICE_COOKIE}={secret}"


def _enrolled(tx: Tx) -> tuple[str, str]:
    """A device's id and the secret of its cookie."""
    secret = new_secret()
    device = devices.enrol(
        tx, secret_hash=secret_hash(secret), name="Tablet", kind=DeviceKind.TABLET, by_id=None, at=datetime.now(UTC)
    )
    return device.id, secret


def _summary(
    scale: IdentityScale,
    rounds: list[IdentityRound],
    sign_in_steps: Sequence[StepResult],
    after_wrong_pins: WrongPinResults,
) -> IdentityResults:
    alone, beside = sign_in_steps[::2], sign_in_steps[1::2]
    return IdentityResults(
        scale.clients,
        rounds,
        cookie_ratio=median(each.cookie_per_s / each.open_per_s for each in rounds),
        signed_ratio=median(each.signed_per_s / each.open_per_s for each in rounds),
        sign_ins=scale.sign_ins,
        sign_in=percentiles([us for step in beside for us in step["sign_ins_us"]]),
        taps=percentiles(all_latencies_us(alone)),
        taps_during_sign_ins=percentiles(all_latencies_us(beside)),
        taps_p95_ratio=median(_p95_ms(during) / _p95_ms(before) for before, during in zip(alone, beside, strict=True)),
        wrong_pins=after_wrong_pins,
    )


def _p95_ms(step: StepResult) -> float:
    return percentiles(step["latencies_us"]).p95_ms
