-- Statements of a person's own pages: what they did, what was rejected of it, what they answered at the end of a shift. $OWN repeats the condition of the index
-- `event_of_person`: SQLite reads a partial index only for a statement that has the same words.

-- name: own_work
-- As `work_by_operacion`, of one person, with their repairs and inspections. A spool counts once in each operation.
SELECT key, CAST(sum(milli) AS BIGINT), CAST(sum(joints) AS BIGINT), $TAGS_COUNTED FROM $EACH_SPOOL_ONCE (
    SELECT 'ARM' AS key, tag, milli, joints FROM joint_work
    WHERE operacion = 'ARM' AND fin >= :since AND fin < :until AND worker = :label
    UNION ALL SELECT 'SOLD', tag, milli, joints FROM joint_work
    WHERE operacion = 'SOLD' AND fin >= :since AND fin < :until AND worker = :label
    UNION ALL SELECT 'ARM', tag, 0, 0 FROM spool
    WHERE fecha_armado >= :desde AND fecha_armado <= :hasta AND workflow = 'v3.0' AND armador = :label
    UNION ALL SELECT 'SOLD', tag, 0, 0 FROM spool
    WHERE fecha_soldadura >= :desde AND fecha_soldadura <= :hasta AND workflow = 'v3.0' AND soldador = :label
    UNION ALL SELECT 'REPARACION', tag, 0, 0 FROM event
    WHERE $OWN AND worker_id = :worker_id AND evento_tipo = 'COMPLETAR_REPARACION' AND at >= :since AND at < :until
    UNION ALL SELECT 'METROLOGIA', tag, 0, 0 FROM event
    WHERE $OWN AND worker_id = :worker_id AND $INSPECTION AND at >= :since AND at < :until AND $NOT_TAKEN_BACK) work
$GROUPED_BY_SPOOL GROUP BY key

-- name: own_spools
-- The spools behind those figures, without inspections: a metrologist makes dozens a day.
SELECT key, tag, CAST(sum(milli) AS BIGINT), CAST(sum(joints) AS BIGINT) FROM (
    SELECT 'ARM' AS key, tag, milli, joints FROM joint_work
    WHERE operacion = 'ARM' AND fin >= :since AND fin < :until AND worker = :label
    UNION ALL SELECT 'SOLD', tag, milli, joints FROM joint_work
    WHERE operacion = 'SOLD' AND fin >= :since AND fin < :until AND worker = :label
    UNION ALL SELECT 'ARM', tag, 0, 0 FROM spool
    WHERE fecha_armado >= :desde AND fecha_armado <= :hasta AND workflow = 'v3.0' AND armador = :label
    UNION ALL SELECT 'SOLD', tag, 0, 0 FROM spool
    WHERE fecha_soldadura >= :desde AND fecha_soldadura <= :hasta AND workflow = 'v3.0' AND soldador = :label
    UNION ALL SELECT 'REPARACION', tag, 0, 0 FROM event
    WHERE $OWN AND worker_id = :worker_id AND evento_tipo = 'COMPLETAR_REPARACION' AND at >= :since AND at < :until
) work GROUP BY key, tag ORDER BY key, tag LIMIT :limit

-- name: own_rejections
-- Newest first: rejected spools on which the person welded joints, or which name them as `Soldador` (v3.0).
SELECT tag, at, metadata, joints FROM (
    SELECT event.tag, at, seq, metadata,
        (SELECT CAST(sum(joints) AS BIGINT) FROM joint_work
        WHERE joint_work.tag = event.tag AND joint_work.operacion = 'SOLD' AND joint_work.worker = :label) AS joints,
        (SELECT 1 FROM spool
        WHERE spool.tag = event.tag AND spool.workflow = 'v3.0' AND spool.soldador = :label) AS whole
    FROM event
    WHERE $INSPECTION AND evento_tipo = 'METROLOGIA_RECHAZADO' AND at >= :since AND $NOT_TAKEN_BACK) rejected
WHERE joints IS NOT NULL OR whole IS NOT NULL
ORDER BY at DESC, seq DESC LIMIT :limit

-- name: own_notes
-- Newest first: what others wrote about the spools that the person holds.
SELECT event.seq, event.at, event.worker_id, event.worker, event.n_union, event.metadata, event.tag
FROM spool JOIN event ON event.tag = spool.tag AND event.evento_tipo = 'NOTA'
WHERE spool.ocupado_por_id = :worker_id AND event.at >= :since AND event.worker_id <> :worker_id
ORDER BY event.seq DESC LIMIT :limit

-- name: own_shift_answers
SELECT DISTINCT tag FROM event
WHERE $OWN AND worker_id = :worker_id AND evento_tipo = 'SIGUE_TURNO' AND at >= :since
