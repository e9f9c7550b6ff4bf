-- ─── the chain of hashes ──────────────────────────────────────────────────────────────────────────────────

-- name: numbering_lock @postgres
-- Held until the transaction ends, so one transaction at a time numbers and chains events: a reader who sees a seq also
-- sees every lower one. PostgreSQL makes a commit visible before it releases the commit's locks.
SELECT pg_advisory_xact_lock(7261174)

-- name: numbering_try_lock @postgres
-- The same lock, if it is free now.
SELECT pg_try_advisory_xact_lock(7261174)

-- name: trail_head
-- Never in one statement with the lock: a statement sees the commits before it began, and it begins before it has waited.
-- The third column is for rows that are not in the chain: the next seq must be free all the same.
SELECT seq, hash, (SELECT coalesce(max(seq), 0) FROM event) FROM trail_head WHERE id = 1

-- name: trail_head_put, rows of trail_head
UPDATE trail_head SET seq = :seq, hash = :hash
WHERE trail_head.id = :id

-- name: trail_head_first
INSERT INTO trail_head (id, seq, hash, gapless_after) VALUES (1, :seq, :hash, :seq)

-- name: trail_gapless_after
SELECT gapless_after FROM trail_head

-- name: trail_rows_first
SELECT $EVENT, hash FROM event ORDER BY seq LIMIT :limit

-- name: trail_rows
SELECT $EVENT, hash FROM event WHERE seq > :after ORDER BY seq LIMIT :limit

-- name: event_hash_fill, rows of event
UPDATE event SET hash = :hash
WHERE event.seq = :seq

-- name: trail_keys
SELECT fingerprint, public_key, made_at FROM trail_key ORDER BY made_at, fingerprint

-- name: trail_key_put
INSERT INTO trail_key (fingerprint, public_key, made_at) VALUES (:fingerprint, :public_key, :made_at)
ON CONFLICT (fingerprint) DO NOTHING

-- name: trail_seal_put
INSERT INTO trail_seal (seq, hash, at, key, signature) VALUES (:seq, :hash, :at, :key, :signature)
ON CONFLICT (seq) DO NOTHING

-- name: trail_seals
SELECT seq, hash, at, key, signature FROM trail_seal WHERE seq > :after ORDER BY seq LIMIT :limit

-- name: trail_seal_keys
SELECT key, max(seq) FROM trail_seal GROUP BY key ORDER BY key

-- name: trail_seal_last
SELECT seq, hash, at, key, signature FROM trail_seal ORDER BY seq DESC LIMIT 1

-- name: trail_seal_to_stamp
-- The newest seal, unless it or a later one is stamped.
SELECT seq, hash, at, key, signature FROM trail_seal
WHERE seq > (SELECT coalesce(max(seq), 0) FROM trail_timestamp) ORDER BY seq DESC LIMIT 1

-- name: trail_timestamp_put
INSERT INTO trail_timestamp (seq, service, at, token) VALUES (:seq, :service, :at, :token)
ON CONFLICT (seq) DO NOTHING

-- name: trail_timestamps
SELECT t.seq, s.hash, s.at, s.key, s.signature, t.service, t.token
FROM trail_timestamp t JOIN trail_seal s ON s.seq = t.seq ORDER BY t.seq

-- name: current_schema @postgres
SELECT current_schema()

-- name: role_exists @postgres
SELECT 1 FROM pg_roles WHERE rolname = :name

-- name: may_read_table @postgres
-- NULL when there is no such table.
SELECT has_table_privilege(to_regclass(:name), 'SELECT')

-- name: may_create_tables @postgres
SELECT has_schema_privilege(current_schema(), 'CREATE')
