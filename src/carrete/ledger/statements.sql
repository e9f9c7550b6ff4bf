-- Every statement the product runs, by name. `@engine` marks the variant of one engine.
-- $SPOOL, $JOINT and $EVENT are the lists of columns to read, in the order in which `rows.py` expects them. $…_COLUMNS,
-- $…_VALUES and $…_SET are the same columns in an INSERT or UPDATE. All are made from `columns.py`.

-- ─── spools ───────────────────────────────────────────────────────────────────────────────────────────────

-- name: spools_to_change @sqlite
SELECT $SPOOL FROM spool WHERE tag IN (SELECT value FROM json_each(:tags))

-- name: spools_to_change @postgres
-- Rows are locked in tag order, so that two batches can never wait for each other.
SELECT $SPOOL FROM spool WHERE tag = ANY(:tags) ORDER BY tag FOR UPDATE

-- name: spool
SELECT $SPOOL FROM spool WHERE tag = :tag

-- name: spools_all
SELECT $SPOOL FROM spool WHERE retired = 0 ORDER BY tag

-- name: tags_of_length
SELECT tag FROM spool WHERE retired = 0 AND length(tag) BETWEEN :shortest AND :longest ORDER BY tag

-- name: spool_insert, rows of spool
-- last_seq is unused; it is still there because SQLite before 3.35 cannot drop a column.
INSERT INTO spool ($SPOOL_COLUMNS, last_seq)
VALUES ($SPOOL_VALUES, 0)

-- name: spool_update, rows of spool
-- The compare-and-set that makes two holders impossible: the row changes only if it still has the token that was read.
UPDATE spool SET $SPOOL_SET
WHERE spool.tag = :tag AND spool.version = :read_version

-- name: spool_work_update, rows of spool
-- The same for an action, which leaves what the workbook delivers as it is.
UPDATE spool SET $SPOOL_WORK_SET
WHERE spool.tag = :tag AND spool.version = :read_version

-- name: spool_holder_update, rows of spool
-- The same for an action that only takes the spool or lets it go. SQLite renews an index for each column that is
-- written, also with the value that it has.
UPDATE spool SET $SPOOL_HOLDER_SET
WHERE spool.tag = :tag AND spool.version = :read_version

-- name: last_seqs @sqlite
SELECT value, (SELECT coalesce(max(seq), 0) FROM event WHERE tag = value) FROM json_each(:tags)

-- name: last_seqs @postgres
SELECT wanted.tag, (SELECT coalesce(max(seq), 0) FROM event WHERE event.tag = wanted.tag)
FROM unnest(CAST(:tags AS text[])) AS wanted (tag)

-- name: occupied
SELECT $SPOOL FROM spool WHERE ocupado_por_id IS NOT NULL ORDER BY fecha_ocupacion, tag

-- name: locks_of @sqlite
SELECT tag, lock_value, fecha_ocupacion FROM spool
WHERE ocupado_por_id IS NOT NULL AND tag IN (SELECT value FROM json_each(:tags))

-- name: locks_of @postgres
SELECT tag, lock_value, fecha_ocupacion FROM spool WHERE ocupado_por_id IS NOT NULL AND tag = ANY(:tags)

-- name: locks_all
SELECT tag, lock_value, fecha_ocupacion FROM spool WHERE ocupado_por_id IS NOT NULL

-- name: any_spool
SELECT 1 FROM spool LIMIT 1

-- name: list_spools
-- Expanded into one statement for each scope below.
SELECT $SPOOL FROM spool WHERE $SCOPE AND tag > :after ORDER BY tag LIMIT :limit

-- name: list_tags
SELECT tag FROM spool WHERE $SCOPE

-- name: count_spools
SELECT count(*) FROM spool WHERE $SCOPE

-- name: search_spools
-- The inner query searches only the index, a tenth of the size of the table; the outer one reads the rows found.
SELECT $SPOOL FROM spool WHERE tag IN (
    SELECT tag FROM spool WHERE $SCOPE AND tag > :after AND $INSTR(search, :q) > 0 ORDER BY tag LIMIT :limit)
ORDER BY tag

-- name: count_found
SELECT count(*) FROM spool WHERE $SCOPE AND $INSTR(search, :q) > 0

-- name: scope_listed
retired = 0

-- name: scope_open_arm
retired = 0 AND arm <> 'COMPLETADO'

-- name: scope_open_sold
retired = 0 AND sold <> 'COMPLETADO'

-- name: scope_open_metrologia
inspectable = 1

-- name: scope_open_rep
retired = 0 AND reparacion IN ('PENDIENTE', 'EN_PROGRESO', 'PAUSADO')

-- name: scope_take_arm
-- The few that are held are left out by their own index, so that the lists are counted without reading rows.
take_arm = 1 AND workflow = :workflow AND $FREE

-- name: scope_take_sold
take_sold = 1 AND workflow = :workflow AND $FREE

-- name: scope_take_rep
take_rep = 1 AND ocupado_por_id IS NULL

-- name: scope_take_any
ocupado_por_id IS NULL AND (
    (take_arm = 1 AND :arm = 1 AND workflow = :workflow)
    OR (take_sold = 1 AND :sold = 1 AND workflow = :workflow)
    OR (take_rep = 1 AND :rep = 1))

-- name: scope_held @sqlite
-- :arm, :sold and :rep are the workers who may end that operation.
ocupado_por_id IS NOT NULL AND metrologia <> 'BLOQUEADO' AND (
    (operacion_actual = 'ARM' AND workflow = :workflow AND ocupado_por_id IN (SELECT value FROM json_each(:arm)))
    OR (operacion_actual = 'SOLD' AND workflow = :workflow AND ocupado_por_id IN (SELECT value FROM json_each(:sold)))
    OR (operacion_actual = 'REPARACION' AND ocupado_por_id IN (SELECT value FROM json_each(:rep))))

-- name: scope_held @postgres
ocupado_por_id IS NOT NULL AND metrologia <> 'BLOQUEADO' AND (
    (operacion_actual = 'ARM' AND workflow = :workflow AND ocupado_por_id = ANY(:arm))
    OR (operacion_actual = 'SOLD' AND workflow = :workflow AND ocupado_por_id = ANY(:sold))
    OR (operacion_actual = 'REPARACION' AND ocupado_por_id = ANY(:rep)))

-- name: scope_held_by
ocupado_por_id = :holder AND (:operacion = '' OR operacion_actual = :operacion)

-- name: scope_inspectable
inspectable = 1 AND ocupado_por_id IS NULL

-- name: scope_blocked
retired = 0 AND metrologia = 'BLOQUEADO' AND ocupado_por_id IS NULL

-- name: scope_none
1 = 0

-- ─── joints ───────────────────────────────────────────────────────────────────────────────────────────────

-- name: joints_of
SELECT $JOINT FROM joint WHERE tag = :tag ORDER BY n_union

-- name: joints_of_many @sqlite
SELECT $JOINT FROM joint WHERE tag IN (SELECT value FROM json_each(:tags)) ORDER BY tag, n_union

-- name: joints_of_many @postgres
SELECT $JOINT FROM joint WHERE tag = ANY(:tags) ORDER BY tag, n_union

-- name: joints_all
SELECT $JOINT FROM joint WHERE retired = 0 ORDER BY tag, n_union

-- name: tags_with_joints
SELECT DISTINCT tag FROM joint ORDER BY tag

-- name: joint_insert, rows of joint
INSERT INTO joint ($JOINT_COLUMNS)
VALUES ($JOINT_VALUES)

-- name: joint_update, rows of joint
UPDATE joint SET $JOINT_SET
WHERE joint.tag = :tag AND joint.n_union = :n_union AND joint.version = :read_version

-- name: joint_progress_update, rows of joint
UPDATE joint SET $JOINT_PROGRESS_SET
WHERE joint.tag = :tag AND joint.n_union = :n_union AND joint.version = :read_version

-- name: joint_work_forget
DELETE FROM joint_work WHERE tag = :tag

-- name: joint_work_sum
INSERT INTO joint_work (tag, operacion, fin, worker, milli, joints)
SELECT tag, 'ARM', arm_fin, arm_worker, sum(coalesce(dn_milli, 0)), count(*) FROM joint
WHERE tag = :tag AND (arm_fin IS NOT NULL OR arm_worker IS NOT NULL) GROUP BY tag, arm_fin, arm_worker
UNION ALL
SELECT tag, 'SOLD', sol_fin, sol_worker, sum(coalesce(dn_milli, 0)), count(*) FROM joint
WHERE tag = :tag AND (sol_fin IS NOT NULL OR sol_worker IS NOT NULL) GROUP BY tag, sol_fin, sol_worker

-- ─── people ───────────────────────────────────────────────────────────────────────────────────────────────

-- name: workers
SELECT id, nombre, apellido, activo FROM worker ORDER BY id

-- name: roles
SELECT worker_id, rol, activo, confirmed FROM worker_role ORDER BY worker_id, rol

-- name: workers_known @sqlite
-- With their active roles; :unconfirmed = 1 counts those too that wait for an administrator.
SELECT w.id, w.nombre, w.apellido, w.activo, group_concat(r.rol)
FROM worker w LEFT JOIN worker_role r
ON r.worker_id = w.id AND r.activo = 1 AND (r.confirmed = 1 OR :unconfirmed = 1)
WHERE w.id IN (SELECT value FROM json_each(:ids))
GROUP BY w.id

-- name: workers_known @postgres
SELECT w.id, w.nombre, w.apellido, w.activo, string_agg(r.rol, ',')
FROM worker w LEFT JOIN worker_role r
ON r.worker_id = w.id AND r.activo = 1 AND (r.confirmed = 1 OR :unconfirmed = 1)
WHERE w.id = ANY(:ids)
GROUP BY w.id

-- name: worker_upsert
INSERT INTO worker (id, nombre, apellido, activo) VALUES (:id, :nombre, :apellido, :activo)
ON CONFLICT (id) DO UPDATE
SET nombre = excluded.nombre, apellido = excluded.apellido, activo = excluded.activo

-- name: role_upsert
INSERT INTO worker_role (worker_id, rol, activo, confirmed) VALUES (:worker_id, :rol, :activo, 1)
ON CONFLICT (worker_id, rol) DO UPDATE SET activo = excluded.activo, confirmed = 1

-- name: any_worker
SELECT 1 FROM worker LIMIT 1

-- ─── events, seqs and the outbox ──────────────────────────────────────────────────────────────────────────

-- name: event_insert, rows of event
INSERT INTO event ($EVENT_COLUMNS)
VALUES ($EVENT_VALUES)

-- name: events_of
SELECT $EVENT FROM event WHERE tag = :tag ORDER BY seq

-- name: trail_page
SELECT seq, id, evento_tipo, worker, worker_id, operacion, accion, n_union, at, metadata, ocupado_por
FROM event WHERE tag = :tag AND seq > :after AND seq <= :upto ORDER BY seq LIMIT :limit

-- name: trail_end
SELECT coalesce(max(seq), 0) FROM event WHERE tag = :tag

-- name: event_last
SELECT seq, id FROM event ORDER BY seq DESC LIMIT 1

-- name: events_from
-- The event at :seq itself comes first, so that a follower can check that it is still the event it saw.
SELECT $EVENT FROM event WHERE seq >= :seq ORDER BY seq LIMIT :limit

-- name: events_between
SELECT $EVENT FROM event WHERE seq > :after AND seq <= :upto ORDER BY seq LIMIT :limit

-- name: outbox_put, rows of outbox
-- An entry that the lane has not seen yet stays as it is: the lane reads the row of the ledger after it has seen the entry.
INSERT INTO outbox (sheet, tag, n_union, change, queued_at, seen)
VALUES (:sheet, :tag, :n_union, :change, :queued_at, 0)
ON CONFLICT (sheet, tag, n_union) DO UPDATE SET change = excluded.change, seen = 0 WHERE outbox.seen = 1

-- name: outbox_length
SELECT count(*), min(queued_at) FROM outbox

-- ─── reports of the supervisor ────────────────────────────────────────────────────────────────────────────

-- name: work_by_day
-- Joints are counted from `joint_work`, which has one row for each call that finished some; v3.0 spools from their dates.
-- A spool counts once under a key, however much was done on it.
SELECT key, CAST(sum(milli) AS BIGINT), CAST(sum(joints) AS BIGINT), $TAGS_COUNTED FROM $EACH_SPOOL_ONCE (
    SELECT day AS key, tag, milli, joints FROM $DAYS CROSS JOIN joint_work
    WHERE operacion = 'ARM' AND :arm = 1 AND fin >= since AND fin < until
    UNION ALL SELECT day, tag, milli, joints FROM $DAYS CROSS JOIN joint_work
    WHERE operacion = 'SOLD' AND :sold = 1 AND fin >= since AND fin < until
    UNION ALL SELECT fecha_armado, tag, 0, 0 FROM spool
    WHERE :arm = 1 AND fecha_armado >= :desde AND fecha_armado <= :hasta AND workflow = 'v3.0'
    UNION ALL SELECT fecha_soldadura, tag, 0, 0 FROM spool
    WHERE :sold = 1 AND fecha_soldadura >= :desde AND fecha_soldadura <= :hasta AND workflow = 'v3.0') work
$GROUPED_BY_SPOOL GROUP BY key

-- name: work_by_worker
SELECT key, CAST(sum(milli) AS BIGINT), CAST(sum(joints) AS BIGINT), $TAGS_COUNTED FROM $EACH_SPOOL_ONCE (
    SELECT worker AS key, tag, milli, joints FROM joint_work
    WHERE operacion = 'ARM' AND :arm = 1 AND fin >= :since AND fin < :until
    UNION ALL SELECT worker, tag, milli, joints FROM joint_work
    WHERE operacion = 'SOLD' AND :sold = 1 AND fin >= :since AND fin < :until
    UNION ALL SELECT armador, tag, 0, 0 FROM spool
    WHERE :arm = 1 AND fecha_armado >= :desde AND fecha_armado <= :hasta AND workflow = 'v3.0'
    UNION ALL SELECT soldador, tag, 0, 0 FROM spool
    WHERE :sold = 1 AND fecha_soldadura >= :desde AND fecha_soldadura <= :hasta AND workflow = 'v3.0') work
$GROUPED_BY_SPOOL GROUP BY key

-- name: work_by_operacion
SELECT key, CAST(sum(milli) AS BIGINT), CAST(sum(joints) AS BIGINT), $TAGS_COUNTED FROM $EACH_SPOOL_ONCE (
    SELECT 'ARM' AS key, tag, milli, joints FROM joint_work
    WHERE operacion = 'ARM' AND :arm = 1 AND fin >= :since AND fin < :until
    UNION ALL SELECT 'SOLD', tag, milli, joints FROM joint_work
    WHERE operacion = 'SOLD' AND :sold = 1 AND fin >= :since AND fin < :until
    UNION ALL SELECT 'ARM', tag, 0, 0 FROM spool
    WHERE :arm = 1 AND fecha_armado >= :desde AND fecha_armado <= :hasta AND workflow = 'v3.0'
    UNION ALL SELECT 'SOLD', tag, 0, 0 FROM spool
    WHERE :sold = 1 AND fecha_soldadura >= :desde AND fecha_soldadura <= :hasta AND workflow = 'v3.0') work
$GROUPED_BY_SPOOL GROUP BY key

-- name: corrections_since
SELECT seq, tag FROM event WHERE evento_tipo = 'CORRECCION' AND operacion = 'METROLOGIA' AND at >= :since

-- name: inspections_of @sqlite
SELECT seq, tag FROM event
WHERE $INSPECTION AND at >= :since AND tag IN (SELECT value FROM json_each(:tags))

-- name: inspections_of @postgres
SELECT seq, tag FROM event WHERE $INSPECTION AND at >= :since AND tag = ANY(:tags)

-- name: inspected_by_day
SELECT day, evento_tipo, metadata, count(*) FROM $DAYS CROSS JOIN event
WHERE $INSPECTION AND at >= since AND at < until AND $NOT_TAKEN_BACK
GROUP BY day, evento_tipo, metadata

-- name: inspected_by_fitter
-- An inspection counts once for each worker of the spool, however often they worked on it: a rejection concerns all.
SELECT worker, evento_tipo, metadata, $SEQS_COUNTED FROM (
    SELECT joint_work.worker, evento_tipo, metadata, seq FROM event JOIN joint_work ON joint_work.tag = event.tag
    WHERE joint_work.operacion = 'ARM' AND joint_work.worker IS NOT NULL
        AND $INSPECTION AND at >= :since AND at < :until AND $NOT_TAKEN_BACK
    $UNION_FOR_COUNT SELECT armador, evento_tipo, metadata, seq FROM event JOIN spool ON spool.tag = event.tag
    WHERE armador IS NOT NULL AND spool.workflow = 'v3.0'
        AND $INSPECTION AND at >= :since AND at < :until AND $NOT_TAKEN_BACK
) made GROUP BY worker, evento_tipo, metadata

-- name: inspected_by_welder
SELECT worker, evento_tipo, metadata, $SEQS_COUNTED FROM (
    SELECT joint_work.worker, evento_tipo, metadata, seq FROM event JOIN joint_work ON joint_work.tag = event.tag
    WHERE joint_work.operacion = 'SOLD' AND joint_work.worker IS NOT NULL
        AND $INSPECTION AND at >= :since AND at < :until AND $NOT_TAKEN_BACK
    $UNION_FOR_COUNT SELECT soldador, evento_tipo, metadata, seq FROM event JOIN spool ON spool.tag = event.tag
    WHERE soldador IS NOT NULL AND spool.workflow = 'v3.0'
        AND $INSPECTION AND at >= :since AND at < :until AND $NOT_TAKEN_BACK
) made GROUP BY worker, evento_tipo, metadata

-- name: stages
SELECT arm, sold, metrologia, reparacion, operacion_actual, take_arm, take_sold, fecha_materiales IS NULL, count(*)
FROM spool WHERE retired = 0
GROUP BY arm, sold, metrologia, reparacion, operacion_actual, take_arm, take_sold, fecha_materiales IS NULL

-- name: occupied_count
SELECT count(*) FROM spool WHERE ocupado_por_id IS NOT NULL

-- ─── idempotency keys ─────────────────────────────────────────────────────────────────────────────────────

-- name: keys_known @sqlite
SELECT key, fingerprint, status, answer FROM idempotency WHERE key IN (SELECT value FROM json_each(:keys))

-- name: keys_known @postgres
SELECT key, fingerprint, status, answer FROM idempotency WHERE key = ANY(:keys)

-- name: key_insert, rows of idempotency
-- A key that another process has decided meanwhile must not get a second answer: the insert fails, and the commit with it.
INSERT INTO idempotency (key, fingerprint, status, answer, created_at)
VALUES (:key, :fingerprint, :status, :answer, :created_at)

-- name: keys_all
SELECT key, status, answer FROM idempotency

-- name: keys_forget
DELETE FROM idempotency WHERE created_at < :before

-- ─── last known values of workbooks ───────────────────────────────────────────────────────────────────────

-- name: bases_of @sqlite
SELECT n_union, tag, version, cells, said_at FROM workbook_base
WHERE sheet = :sheet AND tag IN (SELECT value FROM json_each(:tags)) ORDER BY said_at

-- name: bases_of @postgres
SELECT n_union, tag, version, cells, said_at FROM workbook_base
WHERE sheet = :sheet AND tag = ANY(:tags) ORDER BY said_at

-- name: base_put
INSERT INTO workbook_base (sheet, tag, n_union, version, cells, said_at)
VALUES (:sheet, :tag, :n_union, :version, :cells, :said_at)
ON CONFLICT (sheet, tag, n_union, version) DO UPDATE SET cells = excluded.cells, said_at = excluded.said_at

-- name: bases_forget
-- A workbook older than that is imported like a foreign one: only the columns that people fill in count.
DELETE FROM workbook_base WHERE said_at < :before

-- ─── the ledger itself ────────────────────────────────────────────────────────────────────────────────────

-- name: moment @sqlite
-- Changes with every commit of another connection. Values of two connections cannot be compared.
PRAGMA data_version

-- name: moment @postgres
-- The transactions that a reader sees: the same snapshot, the same rows.
SELECT pg_current_snapshot()::text

-- name: alive
SELECT 1

-- name: analyze @sqlite
PRAGMA optimize

-- name: analyze @postgres
-- After many new rows the planner needs fresh statistics at once, before autovacuum runs.
ANALYZE spool, joint, joint_work, event

-- name: schema_version
SELECT max(version) FROM schema_version

-- name: event_newest_at
SELECT at FROM event ORDER BY seq DESC LIMIT 1

-- name: clock @postgres
SELECT clock_timestamp()

-- name: engine_version @sqlite
SELECT sqlite_version()

-- name: engine_version @postgres
SELECT current_setting('server_version')

-- name: ledger_bytes @sqlite
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()

-- name: ledger_bytes @postgres
SELECT pg_database_size(current_database())

-- name: schema_record
INSERT INTO schema_version (version, applied_at) VALUES (:version, :applied_at)

-- name: setting
SELECT value FROM setting WHERE name = :name

-- name: setting_put
INSERT INTO setting (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- ─── the export of a workbook ─────────────────────────────────────────────────────────────────────────────

-- name: events_page
SELECT $EVENT, hash FROM event WHERE seq > :after ORDER BY seq LIMIT :limit

-- name: events_count
SELECT count(*) FROM event

-- name: seq_of_nth_newest
SELECT seq FROM event ORDER BY seq DESC LIMIT 1 OFFSET :n

-- ─── the Google Sheets lane ───────────────────────────────────────────────────────────────────────────────

-- name: lease_take
-- Succeeds when the lease is free, has expired, or is ours already.
INSERT INTO sheet_lease (workbook, holder, until, status) VALUES (:workbook, :holder, :until, '')
ON CONFLICT (workbook) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE sheet_lease.holder = excluded.holder OR sheet_lease.until < :now

-- name: lease_hold
-- Part of every commit of the lane: a lane that lost the lease commits nothing.
UPDATE sheet_lease SET until = :until WHERE workbook = :workbook AND holder = :holder

-- name: lease_free
UPDATE sheet_lease SET until = '' WHERE workbook = :workbook AND holder = :holder

-- name: lease
SELECT holder, until, status FROM sheet_lease WHERE workbook = :workbook

-- name: lease_tell
UPDATE sheet_lease SET status = :status WHERE workbook = :workbook AND holder = :holder

-- name: sheet_tabs
SELECT sheet, tab_id, columns FROM sheet_tab

-- name: sheet_tab_put
INSERT INTO sheet_tab (sheet, tab_id, columns) VALUES (:sheet, :tab_id, :columns)
ON CONFLICT (sheet) DO UPDATE SET tab_id = excluded.tab_id, columns = excluded.columns

-- name: sheet_rows_of @sqlite
SELECT tag, n_union, cells, stamp, said_at FROM sheet_row
WHERE sheet = :sheet AND tag IN (SELECT value FROM json_each(:tags))

-- name: sheet_rows_of @postgres
SELECT tag, n_union, cells, stamp, said_at FROM sheet_row WHERE sheet = :sheet AND tag = ANY(:tags)

-- name: sheet_rows_all
SELECT tag, n_union, cells, stamp, said_at FROM sheet_row WHERE sheet = :sheet

-- name: sheet_row_put
INSERT INTO sheet_row (sheet, tag, n_union, cells, stamp, said_at)
VALUES (:sheet, :tag, :n_union, :cells, :stamp, :said_at)
ON CONFLICT (sheet, tag, n_union) DO UPDATE
SET cells = excluded.cells, stamp = excluded.stamp, said_at = excluded.said_at

-- name: sheet_row_forget
DELETE FROM sheet_row WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union

-- name: flush_last
SELECT coalesce(max(id), 0) FROM sheet_flush

-- name: flush_applied_last
-- The last applied flush of a sheet, no older than the flushes that are searched for strays.
SELECT f.id FROM sheet_flush f WHERE f.state = 'APPLIED' AND f.id > :since
AND EXISTS (SELECT 1 FROM sheet_write w WHERE w.flush_id = f.id AND w.sheet = :sheet)
ORDER BY f.id DESC LIMIT 1

-- name: flush_open
SELECT id, guard, attempts FROM sheet_flush WHERE state = 'OPEN' ORDER BY id LIMIT 1

-- name: flush_put
INSERT INTO sheet_flush (id, guard, state, attempts, planned_at, guard_kept)
VALUES (:id, :guard, 'OPEN', :attempts, :planned_at, 1)
ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts

-- name: flush_settle
UPDATE sheet_flush SET state = :state, guard_kept = :guard_kept WHERE id = :id

-- name: flush_guards_old
SELECT guard, id FROM sheet_flush WHERE guard_kept = 1 AND state <> 'OPEN' AND planned_at < :before ORDER BY id

-- name: flush_guard_gone
UPDATE sheet_flush SET guard_kept = 0 WHERE id = :id

-- name: flush_guards
SELECT guard, id FROM sheet_flush WHERE guard_kept = 1

-- name: flushes_forget
-- Never the last flush: the next id follows its id, and a stamp with a lower id would look old.
DELETE FROM sheet_flush WHERE state <> 'OPEN' AND guard_kept = 0 AND planned_at < :before
AND id < (SELECT max(id) FROM sheet_flush)

-- name: writes_forget
DELETE FROM sheet_write WHERE flush_id < :flush_id

-- name: flush_first_since
SELECT min(id) FROM sheet_flush WHERE planned_at >= :since

-- name: write_put
INSERT INTO sheet_write (stamp, flush_id, sheet, tag, n_union, cells, places, put, told, landed)
VALUES (:stamp, :flush_id, :sheet, :tag, :n_union, :cells, :places, :put, :told, 0)

-- name: writes_by_stamp @sqlite
SELECT stamp, tag, n_union, cells, places, put, told, landed FROM sheet_write
WHERE sheet = :sheet AND stamp IN (SELECT value FROM json_each(:stamps))

-- name: writes_by_stamp @postgres
SELECT stamp, tag, n_union, cells, places, put, told, landed FROM sheet_write WHERE sheet = :sheet AND stamp = ANY(:stamps)

-- name: writes_lost
SELECT stamp, tag, n_union, cells, places, put, told, landed FROM sheet_write
WHERE sheet = :sheet AND landed = 0 AND flush_id > :flush_id

-- name: write_landed
UPDATE sheet_write SET landed = 1 WHERE stamp = :stamp

-- name: write_told
UPDATE sheet_write SET told = '[]' WHERE stamp = :stamp

-- name: writes_of_flush
SELECT DISTINCT sheet, tag, n_union FROM sheet_write WHERE flush_id = :flush_id

-- name: layout
SELECT columns FROM sheet_layout WHERE sheet = :sheet

-- name: layout_put
INSERT INTO sheet_layout (sheet, columns) VALUES (:sheet, :columns)
ON CONFLICT (sheet) DO UPDATE SET columns = excluded.columns

-- name: own_cells
SELECT tag, n_union, cells, strays FROM sheet_own WHERE sheet = :sheet ORDER BY tag, n_union

-- name: own_cells_put
INSERT INTO sheet_own (sheet, tag, n_union, cells, strays) VALUES (:sheet, :tag, :n_union, :cells, :strays)
ON CONFLICT (sheet, tag, n_union) DO UPDATE SET cells = excluded.cells, strays = excluded.strays

-- name: own_cells_forget
DELETE FROM sheet_own WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union

-- name: strays_all
SELECT sheet, tag, n_union, col, value FROM sheet_stray

-- name: stray_put
INSERT INTO sheet_stray (sheet, tag, n_union, col, value) VALUES (:sheet, :tag, :n_union, :col, :value)
ON CONFLICT (sheet, tag, n_union, col) DO UPDATE SET value = excluded.value

-- name: words_all
SELECT sheet, tag, n_union, col, typed, stamp, hit FROM sheet_word

-- name: word_put
INSERT INTO sheet_word (sheet, tag, n_union, col, typed, stamp, hit)
VALUES (:sheet, :tag, :n_union, :col, :typed, :stamp, :hit)

-- name: words_forget
DELETE FROM sheet_word WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union

-- name: strays_forget
DELETE FROM sheet_stray WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union

-- name: events_to_send
SELECT $EVENT, hash FROM event
WHERE seq > :through AND NOT EXISTS (SELECT 1 FROM sheet_event s WHERE s.seq = event.seq)
ORDER BY seq LIMIT :limit

-- name: events_of_flush
SELECT $EVENT, hash FROM event WHERE seq IN (SELECT seq FROM sheet_event WHERE flush_id = :flush_id AND reason = '')
ORDER BY seq

-- name: events_waiting
SELECT count(*), min(at) FROM event
WHERE seq > :through AND NOT EXISTS (SELECT 1 FROM sheet_event s WHERE s.seq = event.seq)

-- name: sheet_event_put
INSERT INTO sheet_event (seq, flush_id, reason) VALUES (:seq, :flush_id, :reason)
ON CONFLICT (seq) DO UPDATE SET flush_id = excluded.flush_id, reason = excluded.reason

-- name: sheet_events_back
-- For a flush that was certainly not applied: its events wait again.
DELETE FROM sheet_event WHERE flush_id = :flush_id AND reason = ''

-- name: sheet_event_back
DELETE FROM sheet_event WHERE seq = :seq

-- name: sheet_event_in
-- The event is in the sheet already; which flush wrote it is unknown.
INSERT INTO sheet_event (seq, flush_id, reason) VALUES (:seq, 0, '') ON CONFLICT (seq) DO NOTHING

-- name: sheet_events_parked
SELECT e.id, e.tag, e.n_union, s.reason, f.planned_at FROM sheet_event s JOIN event e ON e.seq = s.seq
LEFT JOIN sheet_flush f ON f.id = s.flush_id WHERE s.reason <> '' ORDER BY s.seq

-- name: events_settled
-- The events since :since that should be in the sheet by now.
SELECT e.seq, e.id FROM event e LEFT JOIN sheet_event s ON s.seq = e.seq
LEFT JOIN sheet_flush f ON f.id = s.flush_id
WHERE e.at >= :since AND (
    (s.seq IS NULL AND e.seq <= :through)
    OR (s.reason = '' AND (f.state IS NULL OR (f.state = 'APPLIED' AND f.planned_at < :settled))))
ORDER BY e.seq

-- name: events_last
SELECT coalesce(max(seq), 0) FROM event

-- name: event_ids_between
SELECT seq, id FROM event WHERE seq > :after AND seq <= :through ORDER BY seq

-- name: events_done_through
-- The last event before the first one that is not certainly in the sheet.
SELECT coalesce(min(e.seq) - 1, (SELECT coalesce(max(seq), 0) FROM event)) FROM event e
LEFT JOIN sheet_event s ON s.seq = e.seq LEFT JOIN sheet_flush f ON f.id = s.flush_id
WHERE e.seq > :through
  AND (s.seq IS NULL OR s.reason <> '' OR f.state = 'OPEN' OR f.planned_at >= :since)

-- name: sheet_events_forget
DELETE FROM sheet_event WHERE seq <= :through AND reason = ''

-- name: spools_of @sqlite
SELECT $SPOOL FROM spool WHERE tag IN (SELECT value FROM json_each(:tags))

-- name: spools_of @postgres
SELECT $SPOOL FROM spool WHERE tag = ANY(:tags)

-- name: writes_not_landed
SELECT DISTINCT sheet, tag, n_union FROM sheet_write WHERE landed = 0 AND flush_id > :flush_id

-- name: outbox_all
SELECT sheet, tag, n_union, change FROM outbox ORDER BY queued_at, sheet, tag, n_union

-- name: outbox_see @sqlite
-- In a commit before the rows of the ledger are read: a later change of one of them renews its entry.
UPDATE outbox SET seen = 1 WHERE seen = 0

-- name: outbox_see @postgres
-- An entry that an action has locked is seen next time: actions lock several in their order, so this must not wait.
UPDATE outbox SET seen = 1
FROM (SELECT sheet, tag, n_union FROM outbox WHERE seen = 0 FOR UPDATE SKIP LOCKED) AS unseen
WHERE outbox.sheet = unseen.sheet AND outbox.tag = unseen.tag AND outbox.n_union = unseen.n_union

-- name: outbox_seen
SELECT sheet, tag, n_union, change FROM outbox WHERE seen = 1 ORDER BY queued_at, sheet, tag, n_union

-- name: outbox_unseen
SELECT 1 FROM outbox WHERE seen = 0 LIMIT 1

-- name: outbox_close
-- Only if no later change of the row is waiting.
DELETE FROM outbox WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union AND change = :change

-- name: parked_all
SELECT sheet, tag, n_union, change, reason, parked_at FROM sheet_parked ORDER BY parked_at, sheet, tag, n_union

-- name: parked_put
INSERT INTO sheet_parked (sheet, tag, n_union, change, reason, parked_at)
VALUES (:sheet, :tag, :n_union, :change, :reason, :parked_at)
ON CONFLICT (sheet, tag, n_union) DO UPDATE
SET change = excluded.change, reason = excluded.reason, parked_at = excluded.parked_at

-- name: parked_forget
DELETE FROM sheet_parked WHERE sheet = :sheet AND tag = :tag AND n_union = :n_union

-- name: parked_release
DELETE FROM sheet_parked

-- name: parked_events_release
DELETE FROM sheet_event WHERE reason <> ''

-- name: freezes
SELECT sheet, kind, reason, since, decision, id, decided_by FROM sheet_freeze ORDER BY sheet

-- name: freeze_put
-- The same freeze again changes nothing. Another kind or reason is a new freeze without a decision.
INSERT INTO sheet_freeze (sheet, kind, reason, since, decision, id, decided_by)
VALUES (:sheet, :kind, :reason, :since, '', :id, 0)
ON CONFLICT (sheet) DO UPDATE
SET kind = excluded.kind, reason = excluded.reason, decision = '', id = excluded.id, decided_by = 0,
    since = CASE WHEN sheet_freeze.kind = excluded.kind THEN sheet_freeze.since ELSE excluded.since END
WHERE sheet_freeze.kind <> excluded.kind OR sheet_freeze.reason <> excluded.reason

-- name: freeze_decide
UPDATE sheet_freeze SET decision = :decision, decided_by = :by WHERE sheet = :sheet AND id = :id

-- name: freeze_under_way
-- The decision is being carried out: from here on the sheet is no longer compared with what the supervisor saw.
UPDATE sheet_freeze SET id = '' WHERE sheet = :sheet

-- name: freeze_end
DELETE FROM sheet_freeze WHERE sheet = :sheet

-- name: lane_forget_tabs
DELETE FROM sheet_tab

-- name: lane_forget_rows
DELETE FROM sheet_row

-- name: lane_forget_layouts
DELETE FROM sheet_layout

-- name: lane_forget_own_cells
DELETE FROM sheet_own

-- name: lane_forget_flushes
DELETE FROM sheet_flush

-- name: lane_forget_writes
DELETE FROM sheet_write

-- name: lane_forget_events
DELETE FROM sheet_event

-- name: lane_forget_words
DELETE FROM sheet_word

-- name: lane_forget_strays
DELETE FROM sheet_stray

-- name: lane_forget_parked
DELETE FROM sheet_parked

-- name: lane_forget_freezes
DELETE FROM sheet_freeze
