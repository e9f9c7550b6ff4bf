"""Measures notes with photos beside taps: how long a photo and its note take, and what the taps notice."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from threading import Event
from typing import Any

from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.goals import Goal, at_most
from carrete_bench.identity import prepare
from carrete_bench.load import ACTIONS, LoadClient, LoadStep, new_key
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import LatencyPercentiles, percentiles

TAPS_RATIO_MAX = 3.0  # as for tablets that come back with queued taps
PHOTO_BYTES = 300_000  # a tablet makes them smaller than 400 kB
PHOTO_PX = 1_600
TAPS = "taps"
OK = 200
ANSWER_S_MAX = 30.0


@dataclass(frozen=True, slots=True)
class PhotoScale:
    clients: int = 20
    uploaders: int = 4
    rounds: int = 3
    round_s: float = 2.0


@dataclass(frozen=True, slots=True)
class PhotoResults:
    """`photo` is from the first byte of a photo to the answer to its note."""

    photos: int
    uploaders: int
    photo: LatencyPercentiles
    taps: LatencyPercentiles
    taps_beside: LatencyPercentiles
    taps_p95_ratio: float  # the median of the rounds


def measure(folder: Path, scale: PhotoScale) -> PhotoResults:
    """On SQLite with identity and the embedded Redis: some seconds of taps alone, and as many while photos arrive."""
    url = f"sqlite:///{folder / 'photos.db'}"
    shop.fill(url, shop.SPOOLS_MIN)
    clients = prepare(url, folder, shop.load_clients(scale.clients, shop.SPOOLS_MIN), 0).signed_in
    tapping: list[LoadClient] = [{**client, "group": TAPS} for client in clients]
    step: LoadStep = {"kind": ACTIONS, "path": "", "seconds": scale.round_s, "group": TAPS}
    alone: list[list[int]] = []
    beside: list[list[int]] = []
    photos_us: list[int] = []
    with running_server(folder, url, "embedded", access="pin") as server:
        send_load(server, tapping, [step])  # only warms up
        for _ in range(scale.rounds):
            alone.append(send_load(server, tapping, [step])[0]["latencies_us"])
            latencies, sent_us = _while_photos_arrive(server, tapping, step, clients[: scale.uploaders])
            beside.append(latencies)
            photos_us += sent_us
    ratios = [
        percentiles(after).p95_ms / percentiles(before).p95_ms for before, after in zip(alone, beside, strict=True)
    ]
    return PhotoResults(
        len(photos_us),
        scale.uploaders,
        percentiles(photos_us),
        percentiles([us for each in alone for us in each]),
        percentiles([us for each in beside for us in each]),
        median(ratios),
    )


def _while_photos_arrive(
    server: BenchServer, tapping: Sequence[LoadClient], step: LoadStep, uploaders: Sequence[LoadClient]
) -> tuple[list[int], list[int]]:
    """The latencies of the taps and those of the photos. Each uploader sends at least one."""
    enough = Event()
    with ThreadPoolExecutor(len(uploaders)) as pool:
        sending = [pool.submit(_send_photos, server, client, enough) for client in uploaders]
        try:
            latencies = send_load(server, tapping, [step])[0]["latencies_us"]
        finally:
            enough.set()
        return latencies, [us for each in sending for us in each.result()]


def _send_photos(server: BenchServer, client: LoadClient, enough: Event) -> list[int]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_S_MAX)
    latencies_us: list[int] = []
    try:
        while not latencies_us or not enough.is_set():
            content = a_jpeg()
            start = time.perf_counter()
            photo = _post(connection, client, "/api/fotos", content, {"Content-Type": "image/jpeg"})
            note = {"worker_id": client["worker_id"], "texto": "Poro en la raíz", "fotos": [photo["id"]]}
            headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
            path = f"/api/spools/{client['tags'][0]}/notas"
            _post(connection, client, path, json.dumps(note).encode(), headers)
            latencies_us.append(int((time.perf_counter() - start) * 1e6))
    finally:
        connection.close()
    return latencies_us


def _post(
    connection: HTTPConnection, client: LoadClient, path: str, body: bytes, headers: dict[str, str]
) -> dict[str, Any]:
    connection.request("POST", path, body, {**headers, "Cookie": client["cookie"]})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != OK:
        raise BenchFailed(f"{path} was answered with {answer.status}: {text.decode('utf-8', 'replace')}")
    found: dict[str, Any] = json.loads(text)
    return found


def a_jpeg() -> bytes:
    """A grey photo of the usual size, each with other bytes."""
    return jpeg_of(os.urandom(PHOTO_BYTES))


def jpeg_of(noise: bytes) -> bytes:
    """A grey photo whose segments are right and whose picture is noise."""
    frame = b"\x08" + PHOTO_PX.to_bytes(2) * 2 + b"\x01\x01\x11\x00"
    codes = b"\x00" + b"\x00\x01" + bytes(14) + b"\x00"
    segments = (
        (0xDB, b"\x00" + b"\x10" * 64),
        (0xC0, frame),
        (0xC4, codes),
        (0xC4, b"\x10" + codes[1:]),
        (0xDA, b"\x01\x01\x00\x00\x3f\x00"),
    )
    head = b"".join(b"\xff" + bytes((marker,)) + (len(part) + 2).to_bytes(2) + part for marker, part in segments)
    return b"\xff\xd8" + head + noise.replace(b"\xff", b"\xfe") + b"\xff\xd9"


def goals(measured: PhotoResults) -> list[Goal]:
    what = f"taps while {measured.uploaders} people send photos: p95, of that without"
    return [at_most("photos", what, TAPS_RATIO_MAX, measured.taps_p95_ratio)]
