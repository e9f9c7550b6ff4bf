-- Spools whose label was printed: when the last time, who said so (NULL: a command of the server, or no identity), and
-- how often.
CREATE TABLE label_print (
    tag $KEY PRIMARY KEY,
    printed_at TEXT NOT NULL,
    by_id INTEGER,
    times INTEGER NOT NULL
);
