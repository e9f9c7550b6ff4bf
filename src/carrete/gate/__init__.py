"""The gate in front of the ledger: it puts takers of a spool in order and keeps the locks in Redis equal to the ledger.
It never refuses an action.

protocol    the interface of a gate                redis_gate  the gate that uses Redis
locks, lua  take, hold, release, look, swap        scripts     loads the Lua files
heal        repairs one lock                       reconcile   rebuilds all locks from the ledger
cleanup     removes one old lock per take          trial_lock  checks that a take would work now
watcher     notices outages and an emptied Redis   assembly    puts the parts together
"""

from carrete.gate.protocol import Gate, LockAttempt, OpenGate

__all__ = ["Gate", "LockAttempt", "OpenGate"]
