"""Every action takes one path: gate, one ledger transaction that decides and commits, gate, answer."""

from carrete.actions.perform import Done, KeyReused, Outcome, Performer, Request

__all__ = ["Done", "KeyReused", "Outcome", "Performer", "Request"]
