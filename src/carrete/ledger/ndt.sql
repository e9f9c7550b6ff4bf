-- Statements about examinations of welds (NDT).

-- name: ndt_lock @sqlite
-- SQLite has one writer at a time.
SELECT 1

-- name: ndt_lock @postgres
-- Held until the transaction ends: two servers that register welds of one welder count one after the other. The order
-- of locks is spool, this one, seq, outbox.
SELECT pg_advisory_xact_lock(7261175)

-- name: ndt_of_spools @sqlite
SELECT $NDT FROM ndt WHERE tag IN (SELECT value FROM json_each(:tags)) ORDER BY n

-- name: ndt_of_spools @postgres
SELECT $NDT FROM ndt WHERE tag = ANY(:tags) ORDER BY n

-- name: ndt_by_ids @sqlite
SELECT $NDT FROM ndt WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY n

-- name: ndt_by_ids @postgres
SELECT $NDT FROM ndt WHERE id = ANY(:ids) ORDER BY n

-- name: ndt_insert
INSERT INTO ndt ($NDT_COLUMNS)
VALUES ($NDT_VALUES)

-- name: ndt_update
UPDATE ndt SET $NDT_SET
WHERE id = :id

-- name: ndt_groups_of
SELECT rule, ot, welder, method, welded, selected, owed FROM ndt_group WHERE ot = :ot AND welder = :welder
ORDER BY rule, method

-- name: ndt_group_put
INSERT INTO ndt_group (rule, ot, welder, method, welded, selected, owed)
VALUES (:rule, :ot, :welder, :method, :welded, :selected, :owed)
ON CONFLICT (ot, welder, rule, method) DO UPDATE
SET welded = excluded.welded, selected = excluded.selected, owed = excluded.owed

-- name: ndt_groups_all
SELECT rule, ot, welder, method, welded, selected, owed FROM ndt_group ORDER BY ot, welder, rule, method

-- name: ndt_draws_of
SELECT rule, tag, n_union, ot, welder, method, selected FROM ndt_draw WHERE tag = :tag ORDER BY n_union, rule

-- name: ndt_draw_put
INSERT INTO ndt_draw (rule, tag, n_union, ot, welder, method, selected)
VALUES (:rule, :tag, :n_union, :ot, :welder, :method, :selected)
ON CONFLICT (tag, n_union, rule) DO UPDATE
SET ot = excluded.ot, welder = excluded.welder, method = excluded.method, selected = excluded.selected

-- name: ndt_candidates
-- The welds of a welder in an OT without an examination by this method, open or done: joints, and whole v3.0 spools.
SELECT j.tag, j.n_union FROM joint j JOIN spool s ON s.tag = j.tag
WHERE j.sol_worker = :welder AND j.sol_fin IS NOT NULL AND j.retired = 0
    AND s.retired = 0 AND s.workflow = 'v4.0' AND coalesce(s.ot, '') = :ot
    AND NOT EXISTS (SELECT 1 FROM ndt n WHERE n.tag = j.tag AND n.n_union = j.n_union AND n.method = :method
        AND n.superseded = 0 AND n.status <> 'ANULADO')
UNION ALL
SELECT s.tag, 0 FROM spool s
WHERE s.soldador = :welder AND s.sold = 'COMPLETADO' AND s.retired = 0 AND s.workflow = 'v3.0' AND coalesce(s.ot, '') = :ot
    AND NOT EXISTS (SELECT 1 FROM ndt n WHERE n.tag = s.tag AND n.n_union = 0 AND n.method = :method
        AND n.superseded = 0 AND n.status <> 'ANULADO')

-- name: ndt_weld_metadata
-- What the record says about the weld of a joint when it was last registered.
SELECT metadata FROM event WHERE tag = :tag AND n_union = :n_union AND operacion = 'SOLD'
    AND evento_tipo IN ('UNION_SOLD_REGISTRADA', 'REGISTRO_TARDIO')
ORDER BY seq DESC LIMIT 1

-- name: ndt_list_newest
-- Those that do not wait any more, newest first.
SELECT $NDT, n FROM ndt
WHERE status <> 'PENDIENTE' AND (:status = '' OR status = :status) AND (:method = '' OR method = :method)
    AND (:ot = '' OR ot = :ot) AND (:tag = '' OR tag = :tag) AND n < :before
ORDER BY n DESC LIMIT :limit

-- name: ndt_list_pending
SELECT $NDT, n FROM ndt
WHERE status = 'PENDIENTE' AND (:method = '' OR method = :method) AND (:ot = '' OR ot = :ot) AND (:tag = '' OR tag = :tag)
    AND n > :after
ORDER BY n LIMIT :limit

-- name: ndt_pending_count
SELECT count(*) FROM ndt
WHERE status = 'PENDIENTE' AND (:method = '' OR method = :method) AND (:ot = '' OR ot = :ot) AND (:tag = '' OR tag = :tag)

-- name: ndt_to_repair
-- Rejected and not repaired: a welder's work list.
SELECT $NDT, n FROM ndt
WHERE status = 'RECHAZADO' AND repaired_at IS NULL AND superseded = 0 AND (:method = '' OR method = :method)
    AND (:ot = '' OR ot = :ot) AND (:tag = '' OR tag = :tag) AND n > :after
ORDER BY n LIMIT :limit

-- name: ndt_repeated
-- Results of welds that have an earlier result by the same method, without a repair in between. Such an examination is
-- asked for by a person, or because the row of the weld is in the workbook again (`regreso`); a rule, a rejection and a new
-- weld ask for a first one. A `reexamen` of round 0 is the first of a new weld: results before it are of another weld.
-- The domain's `is_first` decides by the same rule.
SELECT welder, process, method, dn_milli, result_day, status, count(*) FROM ndt r
WHERE origin IN ('manual', 'regreso') AND round = 0 AND result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method)
    AND EXISTS (SELECT 1 FROM ndt e WHERE e.tag = r.tag AND e.n_union = r.n_union AND e.method = r.method
        AND e.n < r.n AND e.result_day IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ndt w WHERE w.tag = r.tag AND w.n_union = r.n_union AND w.method = r.method
            AND w.origin = 'reexamen' AND w.round = 0 AND w.n > e.n AND w.n < r.n))
GROUP BY welder, process, method, dn_milli, result_day, status

-- name: ndt_rates_by_soldador
-- Results of a period, from the index `ndt_results` alone. A joint counts once for each method, by its first
-- examination: those of `ndt_repeated` are taken off.
SELECT welder, sum(CASE WHEN round = 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN round = 0 AND status = 'RECHAZADO' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'RECHAZADO' THEN 1 ELSE 0 END)
FROM ndt WHERE result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method) GROUP BY welder

-- name: ndt_rates_by_proceso
SELECT process, sum(CASE WHEN round = 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN round = 0 AND status = 'RECHAZADO' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'RECHAZADO' THEN 1 ELSE 0 END)
FROM ndt WHERE result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method) GROUP BY process

-- name: ndt_rates_by_metodo
SELECT method, sum(CASE WHEN round = 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN round = 0 AND status = 'RECHAZADO' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'RECHAZADO' THEN 1 ELSE 0 END)
FROM ndt WHERE result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method) GROUP BY method

-- name: ndt_rates_by_diametro
SELECT dn_milli, sum(CASE WHEN round = 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN round = 0 AND status = 'RECHAZADO' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'RECHAZADO' THEN 1 ELSE 0 END)
FROM ndt WHERE result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method) GROUP BY dn_milli

-- name: ndt_rates_by_semana
SELECT result_day, sum(CASE WHEN round = 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN round = 0 AND status = 'RECHAZADO' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'RECHAZADO' THEN 1 ELSE 0 END)
FROM ndt WHERE result_day BETWEEN :desde AND :hasta AND (:method = '' OR method = :method) GROUP BY result_day
