"""A program for a network of its own: who answers for carrete.local there, and what a second server is called."""

from __future__ import annotations

import sys
from ipaddress import ip_address
from pathlib import Path

from carrete.settings import Settings
from carrete.tls import served
from carrete.tls.certificate import names_of, read_certificate
from carrete.tls.checks import problems
from carrete.tls.multicast_dns import Announcer, resolve
from tests.conftest import migrated
from tests.support.own_network import ip
from tests.support.server import running_server

FIRST, SECOND, TABLET = (ip_address(f"10.77.0.{number}") for number in (1, 2, 3))


def main() -> None:
    ip("link", "set", "lo", "up", "multicast", "on")
    for address in (FIRST, SECOND, TABLET):
        ip("address", "add", f"{address}/24", "dev", "lo")
    ip("route", "add", "224.0.0.0/4", "dev", "lo")
    assert resolve("carrete.local", [TABLET]) == [], "nobody has announced anything yet"
    first, second = Announcer(8443), Announcer(8443)
    first.announce([])
    assert first.name is None, "without a network there is no name"
    first.announce([FIRST])
    assert first.name == "carrete.local"
    assert resolve("carrete.local", [TABLET]) == [str(FIRST)]
    second.announce([SECOND])
    assert second.name == "carrete-2.local", "another server has the first name"
    assert resolve("carrete-2.local", [TABLET]) == [str(SECOND)]
    first.announce([TABLET])
    assert first.name == "carrete.local"
    assert resolve("carrete.local", [SECOND]) == [str(TABLET)], "the name follows the machine's new address"
    first.close()
    assert resolve("carrete.local", [SECOND]) == []
    second.close()


def serve(data: Path) -> None:
    """A real server: it announces itself, has a certificate for that name, and `doctor` finds it there."""
    url = f"sqlite:///{data / 'carrete.db'}"
    migrated(url)
    options = ("--lan", "--http-port", "0", "--insecure-open")
    with running_server(url, data, *options) as server:
        port = server.url.rpartition(":")[2]
        assert f"or https://carrete.local:{port}\n" in server.output, server.output
        found = served.read(data)
        assert found is not None
        assert found.local_name == "carrete.local"
        assert "carrete.local" in names_of(read_certificate(found.files.certificate)).dns
        texts = [each.what.en for each in problems(Settings(data=data))]
        assert "multicast DNS: carrete.local" in texts, texts


if __name__ == "__main__":
    main()
    serve(Path(sys.argv[1]))
