"""The recipe's nginx with a certificate of the shop's own, in front of Carrete; only addresses and paths changed."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import migrated
from tests.support.local import LOCAL
from tests.support.nginx import running_nginx
from tests.support.recipe import free_ports, shipped
from tests.support.server import running_server
from tests.support.tls import own_certificate, trusting

NAME = "carrete.example.com"
HERE = "127.0.0.1"


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    return url


def test_nginx_has_the_certificate_and_carrete_believes_what_it_forwards(database_url: str, tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path, NAME)
    (port,) = free_ports(1)
    options = ("--behind-proxy", HERE, "--insecure-open")
    with running_server(database_url, tmp_path, *options, settings={"CARRETE_HOSTS": NAME}) as server:
        carrete = urlsplit(server.url).netloc
        places = dict.fromkeys(("10.0.0.11:8001", "10.0.0.11:8002", "10.0.0.12:8001"), carrete)
        files = {"/etc/carrete/tls/cert.pem": str(certificate), "/etc/carrete/tls/key.pem": str(key)}
        site = shipped("nginx/carrete.conf", {**places, **files, "listen 443 ssl": f"listen {HERE}:{port} ssl"})
        context = trusting(None)
        context.load_verify_locations(certificate)
        with running_nginx(tmp_path / "nginx", site, port), httpx.Client(verify=context, trust_env=False) as client:
            extra = {"headers": {"Host": f"{NAME}:{port}"}, "extensions": {"sni_hostname": NAME}}
            for path in ("/", "/api/health"):
                answer = client.get(f"https://{HERE}:{port}{path}", **extra)  # type: ignore[arg-type]
                assert answer.status_code == 200
                assert answer.headers.get_list("strict-transport-security") == ["max-age=31536000"]
            large = client.post(f"https://{HERE}:{port}/api/planos", content=b"%PDF-" + bytes(5_000_000), **extra)  # type: ignore[arg-type]
            assert large.json()["code"] != "", "a drawing of 5 MB is refused by Carrete, not by nginx"
            foreign = {**extra, "headers": {"Host": "evil.example"}}
            assert client.get(f"https://{HERE}:{port}/api/health", **foreign).status_code == 421  # type: ignore[arg-type]
        nobody = {"Host": NAME, "X-Forwarded-Host": "evil.example"}
        assert httpx.get(f"{server.url}/api/health", headers=nobody, **LOCAL).status_code == 421, (
            "nginx is at 127.0.0.1"
        )
    with running_server(database_url, tmp_path, settings={"CARRETE_HOSTS": NAME}) as server:
        assert httpx.get(f"{server.url}/api/health", headers=nobody, **LOCAL).status_code == 200, "nobody is believed"
