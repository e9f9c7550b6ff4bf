-- The chain of hashes (docs/trail.md). After this file `ledger/hash_old_events.py` fills the column and the head,
-- and then keeps SQLite from changing, replacing or deleting events.
ALTER TABLE event ADD COLUMN hash TEXT NOT NULL DEFAULT '';
-- One row: the last event and its hash, written in the commit of that event. Seqs above `gapless_after` have no gaps.
CREATE TABLE trail_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq $BIG NOT NULL,
    hash TEXT NOT NULL,
    gapless_after $BIG NOT NULL
);
-- The public keys that heads were signed with.
CREATE TABLE trail_key (
    fingerprint $KEY PRIMARY KEY,
    public_key TEXT NOT NULL,
    made_at TEXT NOT NULL
);
-- Signed heads, one an hour while there are new events. They are copied to the workbook and to addresses.
CREATE TABLE trail_seal (
    seq $BIG PRIMARY KEY,
    hash TEXT NOT NULL,
    at TEXT NOT NULL,
    key $KEY NOT NULL,
    signature TEXT NOT NULL
);
-- The answer of a time-stamp service to a seal (RFC 3161).
CREATE TABLE trail_timestamp (
    seq $BIG PRIMARY KEY,
    service TEXT NOT NULL,
    at TEXT NOT NULL,
    token $BYTES NOT NULL
);
-- Seqs are counted on from the head, which only one transaction at a time may do.
-- only postgres
DROP SEQUENCE event_seq;
