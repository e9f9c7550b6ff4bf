"""The gate in front of the ledger: it orders takers and keeps locks true; it never refuses anybody.

port        what the one path asks of a gate     redis_gate  the gate with Redis behind it
locks, lua  take, hold, release, look, swap      courier     many calls, one round trip
heal        the one repair                       cleanup     one old lock per take
reconcile   all locks from the ledger            watch       notices outages and emptied Redis
breaker     a dead Redis costs one time-out      proof       that a take would work now
embedded    our own Redis as a child             whereabouts where Redis is, when Sentinels may move it
assembly    puts them together
"""

from carrete.gate.port import SOMEBODY_ELSES, UNSEEN, Gate, OpenGate, Passage, Sight, Trace, lock_value

__all__ = ["SOMEBODY_ELSES", "UNSEEN", "Gate", "OpenGate", "Passage", "Sight", "Trace", "lock_value"]
