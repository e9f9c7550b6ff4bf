-- Stages of spools: what is overdue now, and how long stages last. A stage is a text of `domain/stage.py`.

-- name: spools_in_stage
SELECT $SPOOL FROM spool WHERE stage <> '' AND stage = :stage AND stage_since < :before
ORDER BY stage_since, tag LIMIT :limit

-- name: spools_in_stage_since
SELECT $SPOOL FROM spool WHERE stage <> '' AND stage = :stage AND stage_since >= :after AND stage_since < :before
ORDER BY stage_since, tag LIMIT :limit

-- name: count_in_stage
SELECT count(*) FROM spool WHERE stage <> '' AND stage = :stage AND stage_since < :before

-- name: stages_now
-- By the instant, in the order of the index, so that nothing is sorted; an import begins thousands at one instant.
SELECT stage, stage_since, count(*) FROM spool WHERE stage <> '' GROUP BY stage, stage_since

-- name: begun_and_open
SELECT begun_at, count(*) FROM spool
WHERE begun_at IS NOT NULL AND metrologia <> 'APROBADO' AND retired = 0 GROUP BY begun_at

-- name: approved_by_day
SELECT fecha_qc, count(*) FROM spool
WHERE metrologia = 'APROBADO' AND retired = 0 AND fecha_qc >= :desde AND fecha_qc <= :hasta GROUP BY fecha_qc

-- name: stages_ended
-- Rounded down to steps of at most two percent, so that few rows come out of many; the sums are exact.
SELECT stage_ended, CASE
    WHEN stage_s < 7200 THEN stage_s / 60 * 60
    WHEN stage_s < 28800 THEN stage_s / 120 * 120
    WHEN stage_s < 172800 THEN stage_s / 600 * 600
    ELSE stage_s / 3600 * 3600 END, count(*), CAST(sum(stage_s) AS BIGINT)
FROM event WHERE stage_ended IS NOT NULL AND at >= :since AND at < :until GROUP BY 1, 2
