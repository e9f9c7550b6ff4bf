-- Statements about reclamos: work whose registration was refused, and what a supervisor decided about it.

-- name: reclamos_to_change @sqlite
SELECT $RECLAMO FROM reclamo WHERE id IN (SELECT value FROM json_each(:ids))

-- name: reclamos_to_change @postgres
SELECT $RECLAMO FROM reclamo WHERE id = ANY(:ids) ORDER BY id FOR UPDATE

-- name: reclamos_of_keys @sqlite
SELECT origin_key, tag, id, worker_id FROM reclamo WHERE origin_key IN (SELECT value FROM json_each(:keys))

-- name: reclamos_of_keys @postgres
SELECT origin_key, tag, id, worker_id FROM reclamo WHERE origin_key = ANY(:keys)

-- name: reclamo
SELECT $RECLAMO FROM reclamo WHERE id = :id

-- name: reclamos_waiting
-- Oldest first; :worker_id = -1 for those of everybody.
SELECT $RECLAMO FROM reclamo
WHERE resolved_at IS NULL AND n > :after AND (:worker_id = -1 OR worker_id = :worker_id) ORDER BY n LIMIT :limit

-- name: reclamos_resolved
-- Newest first.
SELECT $RECLAMO FROM reclamo
WHERE resolved_at IS NOT NULL AND n < :before AND (:worker_id = -1 OR worker_id = :worker_id)
ORDER BY n DESC LIMIT :limit

-- name: reclamos_waiting_count
SELECT count(*) FROM reclamo WHERE resolved_at IS NULL AND (:worker_id = -1 OR worker_id = :worker_id)

-- name: reclamos_resolved_count
SELECT count(*) FROM reclamo WHERE resolved_at IS NOT NULL AND (:worker_id = -1 OR worker_id = :worker_id)

-- name: reclamos_unseen
SELECT $RECLAMO FROM reclamo
WHERE worker_id = :worker_id AND resolved_at IS NOT NULL AND seen_at IS NULL ORDER BY n LIMIT :limit

-- name: reclamo_insert
INSERT INTO reclamo (id, origin_key, tag, worker_id, worker, work, steps, step, code, detail, via, received_at)
VALUES (:id, :origin_key, :tag, :worker_id, :worker, :work, :steps, :step, :code, :detail, :via, :received_at)
ON CONFLICT (origin_key, tag) DO NOTHING

-- name: reclamo_resolve
-- The compare-and-set that makes a second decision impossible.
UPDATE reclamo SET resolved_at = :resolved_at, supervisor_id = :supervisor_id, supervisor = :supervisor, day = :day,
    reason = :reason, accepted = :accepted
WHERE id = :id AND resolved_at IS NULL

-- name: reclamo_seen
UPDATE reclamo SET seen_at = :at
WHERE id = :id AND worker_id = :worker_id AND resolved_at IS NOT NULL AND seen_at IS NULL
