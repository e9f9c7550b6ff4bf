"""Everything that changes spools, joints and workers by the rules of the floor.

requests  what is asked, and the outcome of each command    perform  the one path: gate, commit, gate, answer
group     decides and writes the requests of one commit     record   gives events their seqs and stores them
group_changes  the rows of that commit, and what of each is written
recount   counts joints anew after a setting changed        workers  adds and changes people
reclamos  refused work: claimed, and decided by a supervisor   relevos  offers to hand a spool over
ndt       examinations of welds, and what a weld leads to
notes     photos that belong to a note of this commit        stored_answers  the answer under an idempotency key
"""

from carrete.actions.perform import Performer
from carrete.actions.requests import ChainSuccess, KeyReused, Outcome, ReclamoSuccess, Request, Success

__all__ = ["ChainSuccess", "KeyReused", "Outcome", "Performer", "ReclamoSuccess", "Request", "Success"]
