"""A program for a network of its own: who answers for carrete.local there, and what a second server is called."""

from __future__ import annotations

import sys
from ipaddress import ip_address

from carrete.tls.multicast_dns import Announcer, resolve
from tests.support.own_network import ip

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


if __name__ == "__main__":
    main()
    sys.exit(0)
