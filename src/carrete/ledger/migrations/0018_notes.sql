-- Photos of notes, by the SHA-256 of their bytes: the same photo is stored once. `noted` is 1 from the first note on that
-- has it; a photo that no note has is deleted after a week. `by_id` is the person who was signed in, if anybody was.
-- The bytes have a table of their own: a copy of the ledger leaves them out, because copies share the files of photos.
CREATE TABLE photo (
    id $KEY PRIMARY KEY,
    bytes INTEGER NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    uploaded_at TEXT NOT NULL,
    by_id INTEGER,
    noted INTEGER NOT NULL
);
CREATE INDEX photo_unused ON photo (uploaded_at) WHERE noted = 0;
CREATE TABLE photo_bytes (
    id $KEY PRIMARY KEY,
    content $BYTES NOT NULL
);
CREATE INDEX event_note ON event (tag, seq) WHERE evento_tipo = 'NOTA';
