-- Statements about notes and their photos.

-- name: notes_of
-- Newest first.
SELECT seq, at, worker_id, worker, n_union, metadata FROM event
WHERE tag = :tag AND evento_tipo = 'NOTA' AND seq < :before ORDER BY seq DESC LIMIT :limit

-- name: photos_to_note @sqlite
SELECT id FROM photo WHERE id IN (SELECT value FROM json_each(:ids))

-- name: photos_to_note @postgres
SELECT id FROM photo WHERE id = ANY(:ids) ORDER BY id FOR UPDATE

-- name: photo_noted
UPDATE photo SET noted = 1 WHERE id = :id

-- name: photo_insert
-- One that was uploaded before has its week again.
INSERT INTO photo (id, bytes, width, height, uploaded_at, by_id, noted)
VALUES (:id, :bytes, :width, :height, :uploaded_at, :by_id, 0)
ON CONFLICT (id) DO UPDATE SET uploaded_at = excluded.uploaded_at

-- name: photo_bytes_insert
INSERT INTO photo_bytes (id, content) VALUES (:id, :content) ON CONFLICT (id) DO NOTHING

-- name: photo_content
SELECT content FROM photo_bytes WHERE id = :id

-- name: photos_unused_count
-- :by_id is -1 for those that came without a session.
SELECT count(*) FROM photo WHERE noted = 0 AND id <> :id AND coalesce(by_id, -1) = :by_id

-- name: photos_forgettable
SELECT id FROM photo WHERE noted = 0 AND uploaded_at < :before ORDER BY uploaded_at LIMIT :limit

-- name: photo_forget
-- A note may have got it meanwhile, or a tablet may have uploaded it again.
DELETE FROM photo WHERE id = :id AND noted = 0 AND uploaded_at < :before

-- name: photo_bytes_forget
DELETE FROM photo_bytes WHERE id = :id AND NOT EXISTS (SELECT 1 FROM photo WHERE photo.id = :id)
