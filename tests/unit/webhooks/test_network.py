"""Which addresses are public. A name that resolves to any other address is refused."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest

from carrete.webhooks.network import NotReachable, PrivateAddress, allowed_addresses, is_public


@pytest.mark.parametrize("text", ["8.8.8.8", "151.101.1.69", "2606:4700::6810:84e5", "::ffff:8.8.8.8"])
def test_addresses_of_the_internet_are_public(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "127.8.9.10", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "255.255.255.255", "224.0.0.1", "240.0.0.1", "192.0.2.1"),
        *("::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "fec0::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a00:1::"),
    ],
)
def test_loopback_private_link_local_and_reserved_addresses_are_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "::1", "0"])
def test_every_way_to_write_this_machine_is_refused_unless_it_is_allowed(host: str) -> None:
    with pytest.raises(PrivateAddress, match="es privada"):
        asyncio.run(allowed_addresses(host, 80, private=False))
    assert asyncio.run(allowed_addresses(host, 80, private=True))


def test_a_name_that_does_not_exist_gets_a_sentence() -> None:
    with pytest.raises(NotReachable, match="no se encontró ese nombre"):
        asyncio.run(allowed_addresses("no-such-host.invalid", 443, private=True))
