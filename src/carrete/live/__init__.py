"""Live streams: every committed event reaches every viewer once, in the order of commit.

tail   follows the ledger's events, once per process    sse  encodes events, and streams them to one viewer
limit  how many streams one client address may have
"""
