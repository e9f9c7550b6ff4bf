"""Bodies and answers of the HTTP API, one file for each resource.

fields      types and limits that several share   problem   the shape of every refusal
occupation  the v3.0 workflow                     joints    the v4.0 workflow
quality     inspection, the supervisor's hand     spools    lists, cards, people
history     sessions and events of a spool        reports   board and reports
health      alive, ready, Redis                   sync      the Google workbook
reclamos    chains, refused work
relevos     handing a spool over
"""
