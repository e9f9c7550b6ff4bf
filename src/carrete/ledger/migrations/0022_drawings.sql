-- Drawings of spools, by the SHA-256 of their bytes: the same picture is stored once. `used` is 1 from the first spool on
-- that has it; a drawing that no spool has is deleted after a week.
CREATE TABLE drawing (
    id $KEY PRIMARY KEY,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    uploaded_at TEXT NOT NULL,
    by_id INTEGER,
    used INTEGER NOT NULL
);
CREATE INDEX drawing_unused ON drawing (uploaded_at) WHERE used = 0;
CREATE TABLE drawing_bytes (
    id $KEY PRIMARY KEY,
    content $BYTES NOT NULL
);
-- What a person saved for a spool: its drawing, or none, and where the numbers of the joints are. Rows are added, never
-- changed; the highest revision is the present one, and its number is the version token of the next change.
-- `marks` is JSON: [[n_union, x, y], …], x and y in thousandths of the picture's width and height.
CREATE TABLE spool_drawing (
    tag $KEY NOT NULL,
    revision INTEGER NOT NULL,
    drawing_id TEXT,
    marks TEXT NOT NULL,
    at TEXT NOT NULL,
    by_id INTEGER,
    PRIMARY KEY (tag, revision)
);
