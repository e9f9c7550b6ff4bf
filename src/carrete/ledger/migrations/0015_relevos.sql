-- Offers to hand a spool over. `lock_value` and `version` are the occupation's lock and the spool's token when it was offered: the
-- offer is in force only while the spool has both, so whatever else changes the spool ends it without a statement of its own.
-- `receiver_id` is NULL when everybody who is qualified may accept. `ended_how` says how an offer ended that somebody ended.
CREATE TABLE relevo (
    n $SERIAL,
    id $KEY NOT NULL UNIQUE,
    tag $KEY NOT NULL,
    lock_value TEXT NOT NULL,
    version $KEY NOT NULL,
    giver_id INTEGER NOT NULL,
    giver TEXT NOT NULL,
    receiver_id INTEGER,
    receiver TEXT,
    operacion TEXT NOT NULL,
    offered_at TEXT NOT NULL,
    ended_at TEXT,
    ended_how TEXT
);
CREATE UNIQUE INDEX relevo_open ON relevo (tag) WHERE ended_at IS NULL;
