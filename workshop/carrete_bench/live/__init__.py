"""`carrete bench live`: how soon an event reaches all viewers of one server process, and what memory each costs.

viewers   the process with the viewers     measure   the measurement, its figures, goals and table
"""
