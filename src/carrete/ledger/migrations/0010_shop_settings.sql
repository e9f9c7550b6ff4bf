-- What a shop decides about itself, in one row, so that two changes at once happen one after the other. `value` is a
-- JSON object of the settings that were ever changed; the others have their defaults. `version` counts the changes.
CREATE TABLE shop_settings (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    value TEXT NOT NULL
);
INSERT INTO shop_settings (id, version, value) VALUES (1, 0, '{}');

-- Who changed what, and when. Rows are only added. `by_id` is NULL for a command of the server. A value that may have a
-- secret (the webhook's address) is kept here without it.
CREATE TABLE shop_setting_change (
    seq $SERIAL,
    at TEXT NOT NULL,
    by_id INTEGER,
    name $KEY NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL
);

-- The steps of the first start that a person marked as done, or as not done yet. A shop that has spools by now has had
-- its first start.
CREATE TABLE first_start_step (
    step $KEY PRIMARY KEY,
    done INTEGER NOT NULL,
    at TEXT NOT NULL,
    by_id INTEGER
);
INSERT INTO first_start_step (step, done, at) SELECT 'taller', 1, '' WHERE EXISTS (SELECT 1 FROM spool);
INSERT INTO first_start_step (step, done, at) SELECT 'spools', 1, '' WHERE EXISTS (SELECT 1 FROM spool);
INSERT INTO first_start_step (step, done, at) SELECT 'tablet', 1, '' WHERE EXISTS (SELECT 1 FROM spool);
