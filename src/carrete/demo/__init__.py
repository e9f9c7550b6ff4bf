"""A realistic shop for the first look at Carrete. It fills only an empty ledger.

people       the workers                     spools      the spools and joints that engineering has prepared
stories      the stages, as steps of work    shifts      when each step took place
assignments  which spool has which story     histories   takes one spool through its steps, by the rules
tokens       UUIDs that never change         fill        saves everything
"""

from carrete.demo.fill import fill

__all__ = ["fill"]
