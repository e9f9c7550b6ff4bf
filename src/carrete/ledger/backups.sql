-- Copies of the ledger: who makes one now, and how the last ones went.

-- name: backup_lease_take
-- Succeeds when the lease is free or has expired.
INSERT INTO backup_run (id, holder, until, last, failure) VALUES (1, :holder, :until, '', '')
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE backup_run.until < :now

-- name: backup_lease_hold
UPDATE backup_run SET until = :until WHERE id = 1 AND holder = :holder

-- name: backup_lease_free
UPDATE backup_run SET until = '' WHERE id = 1 AND holder = :holder

-- name: backup_made
UPDATE backup_run SET last = :last, failure = '' WHERE id = 1

-- name: backup_failed
UPDATE backup_run SET failure = :failure WHERE id = 1

-- name: backup_run
SELECT until, last, failure FROM backup_run WHERE id = 1

-- name: ledger_made_at
SELECT min(applied_at) FROM schema_version
