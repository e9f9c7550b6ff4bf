-- Work whose registration was refused: a person did it, and somebody else held the spool, or it was freed meanwhile. A
-- supervisor decides what of it counts. `work` is what the person says was done and `steps` how it was tapped, both JSON.
-- `code` and `detail` are the refusal, `step` is the number of the refused step. `origin_key` is the idempotency key of the
-- refused request, so that one refusal makes one reclamo of a spool. `resolved_at` is NULL until a supervisor has decided.
CREATE TABLE reclamo (
    n $SERIAL,
    id $KEY NOT NULL UNIQUE,
    origin_key $KEY,
    tag $KEY NOT NULL,
    worker_id INTEGER NOT NULL,
    worker TEXT NOT NULL,
    work TEXT NOT NULL,
    steps TEXT NOT NULL,
    step INTEGER NOT NULL,
    code TEXT NOT NULL,
    detail TEXT NOT NULL,
    via TEXT NOT NULL,
    received_at TEXT NOT NULL,
    resolved_at TEXT,
    supervisor_id INTEGER,
    supervisor TEXT,
    day TEXT,
    reason TEXT,
    accepted TEXT,
    seen_at TEXT
);
CREATE UNIQUE INDEX reclamo_of_refusal ON reclamo (origin_key, tag);
CREATE INDEX reclamo_waiting ON reclamo (n) WHERE resolved_at IS NULL;
CREATE INDEX reclamo_of_worker ON reclamo (worker_id, n);
