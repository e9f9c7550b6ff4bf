"""A believable shop for whoever looks at Carrete for the first time. It only ever fills an empty ledger.

people   who works there            pieces   the spools and joints engineering prepared
stories  the stages, as steps       shifts   when each step took place
plans    which spool leads which life   tokens   UUIDs that are the same every time
by_joint, inspection   joint by joint work and inspection, as the trail tells them
lives    one spool led through its steps by the rules     fill   all of it into the ledger
"""

from carrete.demo.fill import fill

__all__ = ["fill"]
