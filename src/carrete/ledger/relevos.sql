-- Statements about relevos: offers to hand a spool over.

-- name: relevos_open @sqlite
SELECT $RELEVO FROM relevo WHERE ended_at IS NULL AND tag IN (SELECT value FROM json_each(:tags))

-- name: relevos_open @postgres
SELECT $RELEVO FROM relevo WHERE ended_at IS NULL AND tag = ANY(:tags)

-- name: relevos_in_force
-- Those that this person made, and those that may be for this person, oldest first. `+r.n`: SQLite must not walk
-- through every offer that was ever made in the order of `n`; few are open.
SELECT $OF_RELEVO FROM relevo r
JOIN spool s ON s.tag = r.tag AND s.version = r.version AND s.lock_value = r.lock_value
WHERE r.ended_at IS NULL AND (r.giver_id = :worker_id OR r.receiver_id = :worker_id OR r.receiver_id IS NULL)
ORDER BY +r.n LIMIT :limit

-- name: relevo_insert
INSERT INTO relevo (id, tag, lock_value, version, giver_id, giver, receiver_id, receiver, operacion, offered_at, ended_at,
    ended_how)
VALUES (:id, :tag, :lock_value, :version, :giver_id, :giver, :receiver_id, :receiver, :operacion, :offered_at, :ended_at,
    :ended_how)

-- name: relevo_end
-- The compare-and-set that makes a second end impossible.
UPDATE relevo SET ended_at = :ended_at, ended_how = :ended_how WHERE id = :id AND ended_at IS NULL
