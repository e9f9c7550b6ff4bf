-- Labels of spools, and which of them were printed. The columns are the fields of `labels.drawing.SpoolLabel`.

-- name: labels_chosen
SELECT s.tag, s.ot, s.total_uniones, p.printed_at FROM spool s LEFT JOIN label_print p ON p.tag = s.tag
WHERE s.retired = 0 AND (:ot = '' OR s.ot = :ot) AND (:q = '' OR $INSTR(s.search, :q) > 0)
    AND (:not_printed = 0 OR p.tag IS NULL)
ORDER BY s.tag LIMIT :limit

-- name: labels_count
SELECT count(*) FROM spool s LEFT JOIN label_print p ON p.tag = s.tag
WHERE s.retired = 0 AND (:ot = '' OR s.ot = :ot) AND (:q = '' OR $INSTR(s.search, :q) > 0)
    AND (:not_printed = 0 OR p.tag IS NULL)

-- name: labels_of @sqlite
SELECT s.tag, s.ot, s.total_uniones, p.printed_at FROM spool s LEFT JOIN label_print p ON p.tag = s.tag
WHERE s.retired = 0 AND s.tag IN (SELECT value FROM json_each(:tags))

-- name: labels_of @postgres
SELECT s.tag, s.ot, s.total_uniones, p.printed_at FROM spool s LEFT JOIN label_print p ON p.tag = s.tag
WHERE s.retired = 0 AND s.tag = ANY(:tags)

-- name: label_work_orders
SELECT s.ot, count(*), sum(CASE WHEN p.tag IS NULL THEN 1 ELSE 0 END)
FROM spool s LEFT JOIN label_print p ON p.tag = s.tag
WHERE s.retired = 0 AND s.ot IS NOT NULL AND s.ot <> ''
GROUP BY s.ot ORDER BY s.ot LIMIT :limit

-- name: label_printed, rows of label_print
INSERT INTO label_print (tag, printed_at, by_id, times) VALUES (:tag, :printed_at, :by_id, :times)
ON CONFLICT (tag) DO UPDATE SET printed_at = excluded.printed_at, by_id = excluded.by_id, times = label_print.times + 1
