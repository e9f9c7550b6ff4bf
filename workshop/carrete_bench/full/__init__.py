"""`carrete bench all`: runs the other measurements, and those of this package.

measure     runs all parts                       results   the measured figures
yardsticks  actions, bare Redis, bare commits    growth    cost of a call as the ledger grows
scaling     one, two and four server processes   shift     hundreds of workers start within a minute
arrivals    the process that sends their calls   outage    Redis up, off, killed under load
goals       the goals, reached or not            report    the tables
sections    HTTPS, tablets that come back, photos, dossier, verify
chart       the panels of the chart              svg       draws bars, curves and text
markdown    the tables as docs/figures.md
"""
