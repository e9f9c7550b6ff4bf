"""The gate in front of the ledger: it puts takers of a spool in order and keeps the locks in Redis equal to the ledger.
It never refuses anybody.

protocol    what an action asks of a gate        redis_gate  the gate with Redis behind it
locks, lua  take, hold, release, look, swap      heal        repairs one lock
cleanup     removes one old lock per take        reconcile   rebuilds all locks from the ledger
watcher     notices outages and an emptied Redis trial_lock  checks that a take would work now
assembly    puts the parts together
"""

from carrete.gate.protocol import SOMEBODY_ELSES, UNSEEN, Gate, OpenGate, Passage, Sight, Trace

__all__ = ["SOMEBODY_ELSES", "UNSEEN", "Gate", "OpenGate", "Passage", "Sight", "Trace"]
