"""Live streams: what was committed, to everybody who watches, in the order of commit, without gap or repeat.

tail   follows the ledger's events, once per process     sse    an event on the wire; one viewer's way through them
pokes  hears from other processes that there is more     limit  how many streams one client address may have
"""
