-- Addresses that are told what happens. `kinds` are the kinds of message that an address wants, each between blanks.
-- `event_seq` is the cursor: every event up to it was delivered, is not wanted, or waits in webhook_delivery. `stopped` is
-- why Carrete itself disabled the address; `failure` is why the last attempt failed, empty after one that succeeded.
-- The secret of the signatures is not here: it is derived from the server's key and the id.
CREATE TABLE webhook (
    id $KEY PRIMARY KEY,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    format TEXT NOT NULL,
    kinds TEXT NOT NULL,
    allow_private INTEGER NOT NULL,
    enabled INTEGER NOT NULL,
    stopped TEXT NOT NULL,
    made_at TEXT NOT NULL,
    made_by INTEGER,
    event_seq $BIG NOT NULL,
    succeeded_at TEXT,
    failed_at TEXT,
    failure TEXT NOT NULL
);

-- Messages that an address has not got yet: those that are no event of a spool, and events whose delivery failed or that
-- must wait for an earlier event of their spool. `seq` is NULL for what is no event. A message is tried again from
-- `next_at` on; after `give_up_at` it is parked (`parked_at`) and waits for a person.
CREATE TABLE webhook_delivery (
    n $SERIAL,
    webhook_id $KEY NOT NULL REFERENCES webhook (id),
    message_id $KEY NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    tag $KEY,
    seq $BIG,
    text TEXT NOT NULL,
    data TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_at TEXT NOT NULL,
    give_up_at TEXT NOT NULL,
    parked_at TEXT,
    failure TEXT NOT NULL
);
CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (webhook_id, message_id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, next_at) WHERE parked_at IS NULL;
CREATE INDEX webhook_delivery_of_spool ON webhook_delivery (webhook_id, tag, seq) WHERE parked_at IS NULL;
CREATE INDEX webhook_delivery_parked ON webhook_delivery (webhook_id, n) WHERE parked_at IS NOT NULL;

-- Which process delivers now, and until when: one row. What became overdue up to `overdue_seen` was told.
CREATE TABLE webhook_lease (
    id INTEGER PRIMARY KEY,
    holder TEXT NOT NULL,
    until TEXT NOT NULL,
    overdue_seen TEXT NOT NULL DEFAULT ''
);
