"""A shop's network of the tests' own: the machine's address changes, and tablets find the server by its name."""

from __future__ import annotations

from pathlib import Path

from tests.support.own_network import run_in_own_network


def test_no_tap_of_fifty_people_fails_while_the_certificate_is_renewed_and_the_address_changes(tmp_path: Path) -> None:
    run_in_own_network("tests.system.tls.address_change", tmp_path)


def test_tablets_find_the_server_as_carrete_local_and_a_second_one_under_another_name(tmp_path: Path) -> None:
    run_in_own_network("tests.system.tls.multicast_names", tmp_path)
