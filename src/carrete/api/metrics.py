"""`/metrics` for Prometheus: each process answers for itself, and asks nobody at scrape time."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from carrete.gate.assembly import GateHouse
from carrete.wiring import House


def add(app: FastAPI, house: House) -> None:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Shop(house))

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Shop(Collector):
    def __init__(self, house: House) -> None:
        self._house = house

    def collect(self) -> Iterator[Metric]:
        yield from self._actions()
        if self._house.gate_house is not None:
            yield from _gate(self._house.gate_house)
        else:
            yield _gauge("carrete_gate_up", "1 when Redis is used, 0 when the ledger alone decides.", 0)
        if self._house.webhook is not None:
            hook = self._house.webhook
            yield _gauge("carrete_webhook_waiting", "Conflicts waiting to be told.", hook.waiting)
            yield _counter("carrete_webhook_sent", "Conflicts told.", hook.sent)
            yield _counter("carrete_webhook_failed", "Conflicts given up after all tries.", hook.failed)
            yield _counter("carrete_webhook_dropped", "Conflicts dropped because the queue was full.", hook.dropped)

    def _actions(self) -> Iterator[Metric]:
        actions = CounterMetricFamily(
            "carrete_actions", "Actions decided, by kind and outcome.", labels=("accion", "operacion", "outcome")
        )
        for labels, n in self._house.figures.actions.items():
            actions.add_metric(labels, n)
        yield actions
        takes = CounterMetricFamily("carrete_takes", "Takes decided, by outcome.", labels=("outcome",))
        for outcome, n in {"OK": 0, "SPOOL_OCCUPIED": 0, **self._house.figures.takes}.items():
            takes.add_metric((outcome,), n)
        yield takes


def _gate(gate: GateHouse) -> Iterator[Metric]:
    yield _gauge(
        "carrete_gate_up", "1 when Redis is used, 0 when the ledger alone decides.", int(not gate.breaker.is_open)
    )
    yield _counter("carrete_gate_outages", "Times that Redis was given up.", gate.breaker.openings)
    yield _counter("carrete_gate_calls", "Script calls.", gate.courier.calls)
    yield _counter("carrete_gate_round_trips", "Round trips that carried them.", gate.courier.round_trips)
    yield _counter(
        "carrete_gate_pool_waits_lost", "Batches that found no free connection in time.", gate.courier.pool_waits_lost
    )
    yield _counter("carrete_gate_locks_healed", "Locks put right one by one.", gate.healer.healed)
    yield _counter("carrete_gate_old_locks_removed", "Abandoned locks removed.", gate.cleaner.removed)
    yield _counter("carrete_gate_rebuilds", "Passes that rebuilt all locks.", gate.reconciler.passes)
    pool = GaugeMetricFamily("carrete_gate_pool_connections", "Connections of the pool.", labels=("state",))
    for state, n in gate.pool_figures().items():
        pool.add_metric((state,), n)
    yield pool
    yield from _redis(gate)


def _redis(gate: GateHouse) -> Iterator[Metric]:
    """As of the watcher's last look, at most a few seconds old."""
    info = gate.watcher.info
    for name, field, text in (
        ("carrete_redis_memory_bytes", "used_memory", "Memory that Redis uses."),
        ("carrete_redis_clients", "connected_clients", "Clients connected to Redis."),
        ("carrete_redis_operations_per_second", "instantaneous_ops_per_sec", "Operations a second."),
    ):
        if field in info:
            yield _gauge(name, text, info[field])


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, text, value=value)
