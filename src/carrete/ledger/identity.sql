-- The statements of identity, by name, in the format of `statements.sql`.

-- ─── who a cookie or token belongs to ─────────────────────────────────────────────────────────────────────

-- name: devices_by_secrets @sqlite
SELECT secret_hash, id, name, kind, used_at FROM device
WHERE secret_hash IN (SELECT value FROM json_each(:hashes)) AND revoked_at IS NULL AND used_at > :unused_since

-- name: devices_by_secrets @postgres
SELECT secret_hash, id, name, kind, used_at FROM device
WHERE secret_hash = ANY(:hashes) AND revoked_at IS NULL AND used_at > :unused_since

-- name: sessions_by_secrets @sqlite
-- Only of their own device, while that is enrolled, the person is active and they were not ended.
SELECT s.secret_hash, $SESSION
FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.secret_hash IN (SELECT value FROM json_each(:hashes)) AND s.ended_at IS NULL AND d.revoked_at IS NULL AND w.activo = 1

-- name: sessions_by_secrets @postgres
SELECT s.secret_hash, $SESSION
FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.secret_hash = ANY(:hashes) AND s.ended_at IS NULL AND d.revoked_at IS NULL AND w.activo = 1

-- name: sessions_by_ids @sqlite
-- Also of sessions that have ended: a late tap is still its author's.
SELECT $SESSION FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.id IN (SELECT value FROM json_each(:ids))

-- name: sessions_by_ids @postgres
SELECT $SESSION FROM session s JOIN device d ON d.id = s.device_id JOIN worker w ON w.id = s.worker_id
WHERE s.id = ANY(:ids)

-- name: tokens_by_secrets @sqlite
SELECT secret_hash, id, name, scopes, ends_at, used_at FROM api_token
WHERE secret_hash IN (SELECT value FROM json_each(:hashes)) AND revoked_at IS NULL

-- name: tokens_by_secrets @postgres
SELECT secret_hash, id, name, scopes, ends_at, used_at FROM api_token
WHERE secret_hash = ANY(:hashes) AND revoked_at IS NULL

-- name: device_used
UPDATE device SET used_at = :at WHERE id = :id AND used_at < :at

-- name: session_used
UPDATE session SET used_at = :at WHERE id = :id AND used_at < :at

-- name: token_used
UPDATE api_token SET used_at = :at WHERE id = :id AND (used_at IS NULL OR used_at < :at)

-- ─── access events ────────────────────────────────────────────────────────────────────────────────────────

-- name: access_event_insert
INSERT INTO access_event (at, kind, device_id, worker_id, by_id, token_id, address, detail)
VALUES (:at, :kind, :device_id, :worker_id, :by_id, :token_id, :address, :detail)

-- name: access_events_page
-- An empty :kind or :device_id and a :worker_id of -1 leave nothing out.
SELECT e.seq, e.at, e.kind, e.device_id, d.name, e.worker_id, e.by_id, e.token_id, t.name, e.address, e.detail
FROM access_event e LEFT JOIN device d ON d.id = e.device_id LEFT JOIN api_token t ON t.id = e.token_id
WHERE e.seq < :before AND (:kind = '' OR e.kind = :kind) AND (:device_id = '' OR e.device_id = :device_id)
    AND (:worker_id = -1 OR e.worker_id = :worker_id OR e.by_id = :worker_id)
    AND e.at >= :since AND e.at < :until
ORDER BY e.seq DESC LIMIT :limit

-- name: access_addresses_forget
UPDATE access_event SET address = NULL WHERE at < :before AND address IS NOT NULL

-- name: access_events_forget
DELETE FROM access_event WHERE at < :before

-- ─── sign-in ──────────────────────────────────────────────────────────────────────────────────────────────

-- name: sign_in_lock @sqlite
-- BEGIN IMMEDIATE is the lock already.
SELECT 1

-- name: sign_in_lock @postgres
-- Attempts of all processes are counted one after the other, until this transaction ends.
SELECT pg_advisory_xact_lock(7261174)

-- name: badge_owner
SELECT worker_id FROM badge WHERE code = :code

-- name: person_signing_in
-- The roles that act, the roles that act or wait for an administrator, and the hash of the PIN.
SELECT w.id, w.nombre, w.apellido, w.activo,
    (SELECT $ROLE_NAMES FROM worker_role r WHERE r.worker_id = w.id AND r.activo = 1 AND r.confirmed = 1),
    (SELECT $ROLE_NAMES FROM worker_role r WHERE r.worker_id = w.id AND r.activo = 1 AND r.confirmed < 2),
    p.hash
FROM worker w LEFT JOIN pin p ON p.worker_id = w.id WHERE w.id = :id

-- name: device_enrolled
SELECT 1 FROM device WHERE id = :id AND revoked_at IS NULL

-- name: claim_of_secret
SELECT number, ends_at FROM enrolment_code
WHERE claim_hash = :claim_hash AND confirmed_at IS NULL AND number IS NOT NULL

-- name: administrator_exists
SELECT 1 FROM worker w JOIN worker_role r ON r.worker_id = w.id
WHERE w.activo = 1 AND r.rol = 'Administrador' AND r.activo = 1 AND r.confirmed = 1 LIMIT 1

-- name: pin_change
-- Only if the PIN is still the one that was checked.
UPDATE pin SET hash = :hash, made_at = :at WHERE worker_id = :worker_id AND hash = :checked_hash

-- name: pins_forget
DELETE FROM pin

-- name: pin_locks_of
SELECT device_id FROM pin_lock WHERE who = :who AND device_id IN (:device_id, '')

-- name: pin_failures_of
SELECT count(*), max(at) FROM pin_failure WHERE who = :who AND device_id = :device_id

-- name: pin_failures_everywhere
SELECT count(*) FROM pin_failure WHERE who = :who AND at > :since

-- name: pin_failures_on_device
SELECT count(*), max(at) FROM pin_failure WHERE device_id = :device_id AND at > :since

-- name: pin_failures_in_shop
SELECT count(*) FROM pin_failure WHERE at > :since

-- name: pin_failure_insert
INSERT INTO pin_failure (who, device_id, at) VALUES (:who, :device_id, :at)

-- name: pin_failures_clear
DELETE FROM pin_failure WHERE who = :who AND device_id = :device_id

-- name: pin_failures_reset
DELETE FROM pin_failure WHERE who = :who

-- name: pin_failures_forget
DELETE FROM pin_failure WHERE at < :before

-- name: pin_lock_insert
INSERT INTO pin_lock (who, device_id, at) VALUES (:who, :device_id, :at) ON CONFLICT (who, device_id) DO NOTHING

-- name: pin_lock_remove
DELETE FROM pin_lock WHERE who = :who AND device_id = :device_id

-- name: pin_locks_reset
DELETE FROM pin_lock WHERE who = :who

-- name: access_event_since
SELECT 1 FROM access_event WHERE kind = :kind AND at > :since LIMIT 1

-- name: session_insert
INSERT INTO session (id, secret_hash, device_id, worker_id, proof, began_at, ends_at, used_at, pin_at)
VALUES (:id, :secret_hash, :device_id, :worker_id, :proof, :at, :ends_at, :at, :pin_at)

-- name: sessions_open_on_device
SELECT id, device_id, worker_id, ends_at FROM session WHERE device_id = :device_id AND ended_at IS NULL

-- name: sessions_open_of_worker
SELECT id, device_id, worker_id, ends_at FROM session WHERE worker_id = :worker_id AND ended_at IS NULL

-- name: session_open_by_id
SELECT id, device_id, worker_id, ends_at FROM session
WHERE id = :id AND device_id = :device_id AND ended_at IS NULL

-- name: session_end
UPDATE session SET ended_at = :at, ended_why = :why WHERE id = :id AND ended_at IS NULL

-- name: session_last_tap
-- Lowered only: a later message cannot widen what an earlier one closed.
UPDATE session SET last_tap = :last_tap
WHERE id = :id AND device_id = :device_id AND (last_tap IS NULL OR last_tap > :last_tap)

-- name: unsent_taps_told
-- Of a session of this device: the signatures of its earlier list, NULL without one.
SELECT u.signatures FROM session s LEFT JOIN unsent_taps u ON u.session_id = s.id
WHERE s.id = :id AND s.device_id = :device_id

-- name: unsent_taps_put
INSERT INTO unsent_taps (session_id, signatures, told_at) VALUES (:id, :signatures, :at)
ON CONFLICT (session_id) DO UPDATE SET signatures = excluded.signatures

-- name: unsent_taps @sqlite
SELECT session_id, signatures FROM unsent_taps WHERE session_id IN (SELECT value FROM json_each(:ids))

-- name: unsent_taps @postgres
SELECT session_id, signatures FROM unsent_taps WHERE session_id = ANY(:ids)

-- name: unsent_taps_forget
DELETE FROM unsent_taps WHERE told_at < :before

-- name: session_unlock
UPDATE session SET used_at = :at, pin_at = coalesce(:pin_at, pin_at), proof = 'pin'
WHERE id = :id AND ended_at IS NULL AND ends_at > :at

-- name: people_on_device
SELECT w.id, w.nombre, w.apellido, w.activo,
    (SELECT $ROLE_NAMES FROM worker_role r WHERE r.worker_id = w.id AND r.activo = 1 AND r.confirmed = 1)
FROM worker w JOIN (
    SELECT worker_id, max(began_at) AS last_at FROM session
    WHERE device_id = :device_id AND began_at > :since GROUP BY worker_id
) seen ON seen.worker_id = w.id
WHERE w.activo = 1 ORDER BY seen.last_at DESC, w.id LIMIT :limit

-- ─── devices, codes and tokens, for administrators ────────────────────────────────────────────────────────

-- name: devices
SELECT id, name, kind, enrolled_at, enrolled_by, used_at, revoked_at, revoked_by FROM device
ORDER BY revoked_at IS NOT NULL, name, id

-- name: device
SELECT id, name, kind, enrolled_at, enrolled_by, used_at, revoked_at, revoked_by FROM device WHERE id = :id

-- name: device_insert
INSERT INTO device (id, secret_hash, name, kind, enrolled_at, enrolled_by, used_at)
VALUES (:id, :secret_hash, :name, :kind, :at, :by_id, :at)

-- name: device_revoke
UPDATE device SET revoked_at = :at, revoked_by = :by_id WHERE id = :id AND revoked_at IS NULL

-- name: device_rename
UPDATE device SET name = :name WHERE id = :id

-- name: enrolment_insert
INSERT INTO enrolment_code (id, code_hash, purpose, name, kind, made_at, made_by, ends_at)
VALUES (:id, :code_hash, :purpose, :name, :kind, :at, :by_id, :ends_at)

-- name: enrolment_use
-- Of two browsers with the same code, the second changes no row.
UPDATE enrolment_code SET claim_hash = :claim_hash, number = :number, used_at = :at, ends_at = :ends_at
WHERE code_hash = :code_hash AND purpose = :purpose AND used_at IS NULL AND ends_at > :at

-- name: enrolment_claim
SELECT name, kind, number, claim_hash FROM enrolment_code
WHERE id = :id AND purpose = :purpose AND claim_hash IS NOT NULL AND confirmed_at IS NULL AND ends_at > :at

-- name: enrolment_confirm
UPDATE enrolment_code SET confirmed_at = :at WHERE id = :id AND confirmed_at IS NULL AND ends_at > :at

-- name: enrolment_cancel
UPDATE enrolment_code SET ends_at = :at
WHERE id = :id AND purpose = :purpose AND confirmed_at IS NULL AND ends_at > :at

-- name: enrolments_pending
SELECT id, name, kind, number, ends_at FROM enrolment_code
WHERE purpose = :purpose AND confirmed_at IS NULL AND ends_at > :at ORDER BY made_at, id

-- name: enrolments_forget
DELETE FROM enrolment_code WHERE ends_at < :before

-- name: setup_codes_end
-- One setup code works at a time.
UPDATE enrolment_code SET ends_at = :at WHERE purpose = :purpose AND used_at IS NULL AND ends_at > :at

-- name: setup_code_try
-- Counted as wrong first: the row stays locked, so that parallel guesses are counted one after the other.
UPDATE enrolment_code SET wrong_tries = wrong_tries + 1
WHERE purpose = :purpose AND used_at IS NULL AND ends_at > :at AND wrong_tries < :tries_max

-- name: setup_code_was_right
UPDATE enrolment_code SET wrong_tries = wrong_tries - 1 WHERE code_hash = :code_hash AND purpose = :purpose

-- name: setup_code_live
SELECT 1 FROM enrolment_code
WHERE code_hash = :code_hash AND purpose = :purpose AND used_at IS NULL AND ends_at > :at AND wrong_tries <= :tries_max

-- name: setup_code_use
UPDATE enrolment_code SET used_at = :at, confirmed_at = :at
WHERE code_hash = :code_hash AND purpose = :purpose AND used_at IS NULL AND ends_at > :at AND wrong_tries < :tries_max

-- name: tokens
SELECT id, name, scopes, made_at, made_by, ends_at, used_at, revoked_at, revoked_by FROM api_token
ORDER BY made_at DESC, id

-- name: token
SELECT id, name, scopes, made_at, made_by, ends_at, used_at, revoked_at, revoked_by FROM api_token WHERE id = :id

-- name: token_insert
INSERT INTO api_token (id, secret_hash, name, scopes, made_at, made_by, ends_at)
VALUES (:id, :secret_hash, :name, :scopes, :at, :by_id, :ends_at)

-- name: token_revoke
UPDATE api_token SET revoked_at = :at, revoked_by = :by_id WHERE id = :id AND revoked_at IS NULL

-- ─── people and privileges, for administrators ────────────────────────────────────────────────────────────

-- name: administrators @sqlite
SELECT w.id FROM worker w JOIN worker_role r ON r.worker_id = w.id
WHERE w.activo = 1 AND r.rol = 'Administrador' AND r.activo = 1 AND r.confirmed = 1 ORDER BY w.id

-- name: administrators @postgres
-- Locked: of two who remove each other, the second waits and then finds one administrator left.
SELECT w.id FROM worker w JOIN worker_role r ON r.worker_id = w.id
WHERE w.activo = 1 AND r.rol = 'Administrador' AND r.activo = 1 AND r.confirmed = 1 ORDER BY w.id
FOR UPDATE

-- name: role_ask
-- From a workbook: a privileged role that waits for an administrator, or that was taken away.
INSERT INTO worker_role (worker_id, rol, activo, confirmed) VALUES (:worker_id, :rol, :activo, 0)
ON CONFLICT (worker_id, rol) DO UPDATE SET activo = excluded.activo, confirmed = 0

-- name: role_decide
-- :confirmed is 1 for a role that was confirmed, 2 for one that was refused.
UPDATE worker_role SET confirmed = :confirmed WHERE worker_id = :worker_id AND rol = :rol AND activo = 1 AND confirmed = 0

-- name: worker_changes
SELECT worker_id, nombre, apellido, activo FROM worker_change ORDER BY worker_id

-- name: worker_change
SELECT nombre, apellido, activo FROM worker_change WHERE worker_id = :worker_id

-- name: worker_change_ask
INSERT INTO worker_change (worker_id, nombre, apellido, activo, asked_at)
VALUES (:worker_id, :nombre, :apellido, :activo, :at)
ON CONFLICT (worker_id) DO UPDATE
SET nombre = excluded.nombre, apellido = excluded.apellido, activo = excluded.activo, asked_at = excluded.asked_at

-- name: worker_change_drop
DELETE FROM worker_change WHERE worker_id = :worker_id

-- name: roles_of
SELECT rol, activo, confirmed FROM worker_role WHERE worker_id = :worker_id ORDER BY rol

-- name: pin_owners
SELECT worker_id FROM pin

-- name: pin_put
INSERT INTO pin (worker_id, hash, made_at) VALUES (:worker_id, :hash, :at)
ON CONFLICT (worker_id) DO UPDATE SET hash = excluded.hash, made_at = excluded.made_at

-- name: pin_remove
DELETE FROM pin WHERE worker_id = :worker_id

-- name: badges
SELECT worker_id, code FROM badge

-- name: badge_remove
DELETE FROM badge WHERE worker_id = :worker_id

-- name: badge_insert
INSERT INTO badge (code, worker_id, made_at) VALUES (:code, :worker_id, :at)

-- name: pin_locks
SELECT l.who, l.device_id, d.name, l.at FROM pin_lock l LEFT JOIN device d ON d.id = l.device_id ORDER BY l.at

-- name: workers_signed_in
SELECT DISTINCT worker_id FROM session WHERE ended_at IS NULL

-- name: sessions_forget
DELETE FROM session WHERE ends_at < :before

-- name: sealed_pin_insert
INSERT INTO sealed_pin (hash, session_id) VALUES (:hash, :session_id) ON CONFLICT (hash) DO NOTHING

-- name: sealed_pin_known
SELECT 1 FROM sealed_pin WHERE hash = :hash

-- name: sealed_pins_forget
DELETE FROM sealed_pin WHERE session_id NOT IN (SELECT id FROM session)

-- name: pins_held
SELECT worker_id FROM pin

-- name: admitted_ids
-- People who are active have the name that `open_streams.person_name` gives them.
SELECT id FROM device WHERE revoked_at IS NULL
UNION ALL SELECT 'w:' || id FROM worker WHERE activo = 1
UNION ALL SELECT id FROM api_token WHERE revoked_at IS NULL AND (ends_at IS NULL OR ends_at > :now)
