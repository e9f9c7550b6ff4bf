"""`carrete bench offline`: many tablets that were without a connection come back at once, while others are tapped.

queues    what each tablet has queued        returning   the process with the tablets that come back
measure   the measurement, its figures, goals and table
"""
