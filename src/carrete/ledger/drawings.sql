-- Statements about drawings of spools.

-- name: drawing_insert
-- One that was uploaded before has its week again.
INSERT INTO drawing (id, media_type, bytes, width, height, uploaded_at, by_id, used)
VALUES (:id, :media_type, :bytes, :width, :height, :uploaded_at, :by_id, 0)
ON CONFLICT (id) DO UPDATE SET uploaded_at = excluded.uploaded_at

-- name: drawing_bytes_insert
INSERT INTO drawing_bytes (id, content) VALUES (:id, :content) ON CONFLICT (id) DO NOTHING

-- name: drawing_content
SELECT d.media_type, b.content FROM drawing d JOIN drawing_bytes b ON b.id = d.id WHERE d.id = :id

-- name: drawings_unused_count
-- :by_id is -1 for those that came without a session.
SELECT count(*) FROM drawing WHERE used = 0 AND id <> :id AND coalesce(by_id, -1) = :by_id

-- name: drawing_use
UPDATE drawing SET used = 1 WHERE id = :id

-- name: spool_drawing
SELECT s.revision, s.drawing_id, s.marks, s.at, s.by_id, d.width, d.height, d.media_type
FROM spool_drawing s LEFT JOIN drawing d ON d.id = s.drawing_id
WHERE s.tag = :tag ORDER BY s.revision DESC LIMIT 1

-- name: spool_drawing_insert
-- Two people who save at once: the second one's row is not written.
INSERT INTO spool_drawing (tag, revision, drawing_id, marks, at, by_id)
VALUES (:tag, :revision, :drawing_id, :marks, :at, :by_id) ON CONFLICT (tag, revision) DO NOTHING

-- name: drawings_forgettable
SELECT id FROM drawing WHERE used = 0 AND uploaded_at < :before ORDER BY uploaded_at LIMIT :limit

-- name: drawing_forget
-- A spool may have got it meanwhile, or somebody may have uploaded it again.
DELETE FROM drawing WHERE id = :id AND used = 0 AND uploaded_at < :before

-- name: drawing_bytes_forget
DELETE FROM drawing_bytes WHERE id = :id AND NOT EXISTS (SELECT 1 FROM drawing WHERE drawing.id = :id)
