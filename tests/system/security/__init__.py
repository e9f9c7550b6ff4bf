"""Attacks on a running server in mode `pin`: each probe is one attempt, with the refusal that it must get.

`python -m tests.system.security.table` writes their table into docs/security.md."""
