"""The gate in front of the ledger: it orders takers and never refuses anybody."""

from carrete.gate.port import Gate, OpenGate, Passage, lock_value

__all__ = ["Gate", "OpenGate", "Passage", "lock_value"]
