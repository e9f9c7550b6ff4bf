"""`/metrics` for Prometheus: figures of this process, and a few of the whole shop, which are read from the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from carrete.api.server.junk import junk
from carrete.api.server.refusal_log import refusal_log
from carrete.gate.assembly import RedisGateServices
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.services import Services
from carrete.webhooks.delivery import WebhookDelivery

if TYPE_CHECKING:
    from carrete.sheets.lane import Lane

LEDGER_S_MAX = 2.0


async def scraped(services: Services) -> Response:
    """The answer to one scrape."""
    collector = ServicesCollector(services)
    collector.shop = await _shop_figures(services)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True, slots=True)
class ShopFigures:
    """Figures of the whole shop, read from the ledger."""

    occupied: int
    waiting_rows: int
    oldest_s: float
    webhooks_waiting: int
    webhooks_parked: int


async def _shop_figures(services: Services) -> ShopFigures | None:
    """None when the ledger does not answer in time; the other figures are still reported."""
    try:
        async with asyncio.timeout(LEDGER_S_MAX):
            return await services.read(_read_shop_figures)
    except (LedgerUnavailable, TimeoutError):
        return None


def _read_shop_figures(tx: Tx) -> ShopFigures:
    (occupied,) = tx.one("occupied_count") or (0,)
    length, oldest = tx.one("outbox_length") or (0, None)
    age = datetime.now(UTC) - datetime.fromisoformat(oldest) if oldest else timedelta()
    waiting, parked = tx.one("webhook_figures") or (0, 0)
    return ShopFigures(occupied, length, max(0.0, age.total_seconds()), int(waiting), int(parked))


class ServicesCollector(Collector):
    """Turns the counters of the services into Prometheus metrics at each scrape."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.shop: ShopFigures | None = None

    def collect(self) -> Iterator[Metric]:
        yield from self._actions()
        yield from self._latencies()
        yield from _ledger(self.shop)
        if (age_s := self._services.backups.age_s) is not None:
            yield _gauge("carrete_backup_age_seconds", "How long ago the newest copy of the ledger was made.", age_s)
        if self._services.gate_services is not None:
            yield from _gate(self._services.gate_services)
        else:
            yield _gauge("carrete_gate_up", "1 when Redis is used, 0 when the ledger alone decides.", 0)
        tail = self._services.tail
        yield _gauge("carrete_live_viewers", "Open live streams.", tail.viewers)
        yield _counter("carrete_live_viewers_dropped", "Live streams ended because they did not keep up.", tail.dropped)
        yield _gauge("carrete_live_lag_seconds", "What was committed longer ago has been shown to viewers.", tail.lag_s)
        yield _counter(
            "carrete_live_viewers_refused",
            "Live streams beyond what one address may have.",
            self._services.stream_limit.refused,
        )
        yield _counter_by_code("carrete_junk_requests", "What was no request or broke a bound.", junk.total)
        yield _counter_by_code("carrete_refused_requests", "Refusals that the log tells one by one.", refusal_log.total)
        if self._services.webhook is not None:
            hook = self._services.webhook
            yield _gauge("carrete_webhook_waiting", "Conflicts waiting to be told.", hook.waiting)
            yield _counter("carrete_webhook_sent", "Conflicts told.", hook.sent)
            yield _counter("carrete_webhook_failed", "Conflicts given up after all tries.", hook.failed)
            yield _counter("carrete_webhook_dropped", "Conflicts dropped because the queue was full.", hook.dropped)

        yield from _webhooks(self._services.webhooks)
        if self._services.lane is not None and self._services.lane.lane is not None:
            yield from _lane(self._services.lane.lane)

    def _actions(self) -> Iterator[Metric]:
        actions = CounterMetricFamily(
            "carrete_actions", "Actions decided, by kind and outcome.", labels=("accion", "operacion", "outcome")
        )
        for labels, n in self._services.action_metrics.actions.items():
            actions.add_metric(labels, n)
        yield actions
        takes = CounterMetricFamily("carrete_takes", "Takes decided, by outcome.", labels=("outcome",))
        for outcome, n in {"OK": 0, "SPOOL_OCCUPIED": 0, **self._services.action_metrics.takes}.items():
            takes.add_metric((outcome,), n)
        yield takes

    def _latencies(self) -> Iterator[Metric]:
        seconds = HistogramMetricFamily(
            "carrete_action_seconds", "From the whole request to the answer, by path.", labels=("path",)
        )
        for path, latency in self._services.action_metrics.latencies.items():
            seconds.add_metric((path,), latency.cumulative(), latency.total_s)
        yield seconds


def _counter_by_code(name: str, text: str, counts: Mapping[str, int]) -> Metric:
    found = CounterMetricFamily(name, text, labels=("code",))
    for code, n in counts.items():
        found.add_metric((code,), n)
    return found


def _ledger(shop: ShopFigures | None) -> Iterator[Metric]:
    yield _gauge("carrete_ledger_up", "1 when the ledger answered this scrape.", int(shop is not None))
    if shop is None:
        return
    yield _gauge("carrete_occupied_spools", "Spools that somebody holds now.", shop.occupied)
    yield _gauge("carrete_outbox_rows", "Rows of the workbook waiting to be written.", shop.waiting_rows)
    yield _gauge("carrete_outbox_oldest_seconds", "How long the oldest of them waits.", shop.oldest_s)
    yield _gauge("carrete_webhooks_waiting", "Messages that wait for a registered address.", shop.webhooks_waiting)
    yield _gauge("carrete_webhooks_parked", "Messages given up after a day, for a person.", shop.webhooks_parked)


def _webhooks(delivery: WebhookDelivery) -> Iterator[Metric]:
    """Figures of this process; one process delivers."""
    yield _gauge("carrete_webhooks_leading", "1 when this process delivers webhooks.", int(delivery.is_leading))
    yield _counter("carrete_webhooks_sent", "Messages that a registered address took.", delivery.counts.sent)
    yield _counter("carrete_webhooks_failed", "Attempts that failed.", delivery.counts.failed)
    yield _counter("carrete_webhooks_dropped", "Conflicts not told because too many waited.", delivery.dropped)


def _lane(lane: Lane) -> Iterator[Metric]:
    """Figures of the process that runs the lane; other processes report `carrete_sheet_leading 0`."""
    notes = lane.stats
    yield _gauge("carrete_sheet_leading", "1 when this process runs the sheet lane.", int(lane.leading))
    yield _gauge("carrete_sheet_waiting_reason", "1 when Google cannot be reached or refuses.", int(bool(notes.reason)))
    yield _gauge("carrete_sheet_problems", "Rows and cells that a person should look at.", len(notes.problems))
    yield _gauge("carrete_sheet_events_waiting", "Events that are still to be written.", notes.events_waiting)
    yield _gauge("carrete_sheet_parked", "Rows and events that Google refuses.", notes.parked_count)
    yield _gauge("carrete_sheet_stopped", "Sheets that are stopped.", notes.stopped)
    if notes.verified_at is not None:
        yield _gauge(
            "carrete_sheet_last_sync_seconds", "When ledger and sheet last agreed.", notes.verified_at.timestamp()
        )
    yield _counter("carrete_sheet_reads", "Read requests to Google.", lane.client.reads)
    yield _counter("carrete_sheet_writes", "Write requests to Google.", lane.client.writes)
    yield _counter("carrete_sheet_flushes", "Batches that are known to be applied.", notes.flushes)
    yield _counter("carrete_sheet_failures", "Times that Google did not answer as it should.", notes.failures)
    yield _counter("carrete_sheet_edits", "Rows that people changed.", notes.edits)
    yield _counter("carrete_sheet_conflicts", "Cells that person and floor changed at once.", notes.conflict_count)
    yield _counter("carrete_sheet_strays", "Cells that a write hit because rows had moved.", notes.strays)


def _gate(gate: RedisGateServices) -> Iterator[Metric]:
    yield _gauge(
        "carrete_gate_up", "1 when Redis is used, 0 when the ledger alone decides.", int(not gate.breaker.is_open)
    )
    yield _counter("carrete_gate_outages", "Times that Redis was given up.", gate.breaker.openings)
    yield _counter("carrete_gate_calls", "Script calls.", gate.pipeline.calls)
    yield _counter("carrete_gate_round_trips", "Round trips that carried them.", gate.pipeline.round_trips)
    yield _counter(
        "carrete_gate_pool_waits_lost", "Batches that found no free connection in time.", gate.pipeline.pool_waits_lost
    )
    yield _counter("carrete_gate_locks_healed", "Locks put right one by one.", gate.healer.healed)
    yield _counter("carrete_gate_old_locks_removed", "Abandoned locks removed.", gate.cleaner.removed)
    yield _counter("carrete_gate_rebuilds", "Passes that rebuilt all locks.", gate.reconciler.passes)
    pool = GaugeMetricFamily("carrete_gate_pool_connections", "Connections of the pool.", labels=("state",))
    for state, n in gate.pool_figures().items():
        pool.add_metric((state,), n)
    yield pool
    yield from _redis(gate)


def _redis(gate: RedisGateServices) -> Iterator[Metric]:
    """The figures of the watcher's last probe, at most a few seconds old."""
    info = gate.watcher.info
    for name, field, text in (
        ("carrete_redis_memory_bytes", "used_memory", "Memory that Redis uses."),
        ("carrete_redis_clients", "connected_clients", "Clients connected to Redis."),
        ("carrete_redis_operations_per_second", "instantaneous_ops_per_sec", "Operations a second."),
    ):
        if field in info:
            yield _gauge(name, text, float(info[field]))


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, text, value=value)
