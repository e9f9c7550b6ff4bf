-- The statements of identity, by name, in the format of `statements.sql`.

-- ─── who a cookie or token belongs to ─────────────────────────────────────────────────────────────────────

-- name: device_by_secret
SELECT id, name, kind, used_at FROM device WHERE secret_hash = :secret_hash AND revoked_at IS NULL AND used_at > :unused_since

-- name: session_by_secret
-- Only of its own device, while that is enrolled, its person is active and it was not ended.
SELECT $SESSION FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.secret_hash = :secret_hash AND s.ended_at IS NULL AND d.revoked_at IS NULL AND w.activo = 1

-- name: session_by_id
-- Also of a session that has ended: a late tap is still its author's.
SELECT $SESSION FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.id = :id

-- name: token_by_secret
SELECT id, name, scopes, ends_at, used_at FROM api_token WHERE secret_hash = :secret_hash AND revoked_at IS NULL

-- name: device_used
UPDATE device SET used_at = :at WHERE id = :id AND used_at < :at

-- name: session_used
UPDATE session SET used_at = :at WHERE id = :id AND used_at < :at

-- name: token_used
UPDATE api_token SET used_at = :at WHERE id = :id AND (used_at IS NULL OR used_at < :at)

-- ─── access events ────────────────────────────────────────────────────────────────────────────────────────

-- name: access_event_insert
INSERT INTO access_event (at, kind, device_id, worker_id, by_id, address, detail)
VALUES (:at, :kind, :device_id, :worker_id, :by_id, :address, :detail)

-- name: access_events_page
-- An empty :kind or :device_id and a :worker_id of -1 leave nothing out.
SELECT e.seq, e.at, e.kind, e.device_id, d.name, e.worker_id, e.by_id, e.address, e.detail
FROM access_event e LEFT JOIN device d ON d.id = e.device_id
WHERE e.seq < :before AND (:kind = '' OR e.kind = :kind) AND (:device_id = '' OR e.device_id = :device_id)
    AND (:worker_id = -1 OR e.worker_id = :worker_id OR e.by_id = :worker_id)
    AND e.at >= :since AND e.at < :until
ORDER BY e.seq DESC LIMIT :limit

-- name: access_addresses_forget
UPDATE access_event SET address = NULL WHERE at < :before AND address IS NOT NULL

-- name: access_events_forget
DELETE FROM access_event WHERE at < :before
