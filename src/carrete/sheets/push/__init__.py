"""Writes what waits in the ledger into the workbook, one guarded batch at a time.

planner      what differs from this cycle's read      plan         what one batch is going to write
repairs      plans to restore people's cells          ledger_rows  rows as the ledger has them
batch        a plan as Google's requests              batch_size   less in a batch after a refusal
flush        journals, sends and settles a batch      guards       removes old guards and marks
refusals     sets aside what Google refuses           formats      number formats that Google refuses
clearing     clearings that Google refuses            appends      appended rows until a read shows them
events       the sheet of events, counted daily        outbox       entries are seen, and closed when written
"""
