-- Which process makes a copy of the ledger now, and how the last ones went: one row, made by the first copy. `until` is
-- the end of the lease; `last` and `failure` are JSON, empty when there is none.
CREATE TABLE backup_run (
    id INTEGER PRIMARY KEY,
    holder TEXT NOT NULL,
    until TEXT NOT NULL,
    last TEXT NOT NULL,
    failure TEXT NOT NULL
);
