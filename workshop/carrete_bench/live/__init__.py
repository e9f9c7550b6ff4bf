"""`carrete bench live`: many who watch one process; how soon an event reaches all of them, and what each costs.

viewers   the process that watches and acts     measure   one run, its figures, its goals and its table
"""
