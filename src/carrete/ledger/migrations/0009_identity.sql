-- Who acts, and from which device. Secrets (cookies, codes, tokens) are kept only as SHA-256, PINs only as Argon2id.

-- An enrolled tablet, wall board or office computer. Its cookie is the secret.
CREATE TABLE device (
    id $KEY PRIMARY KEY,
    secret_hash $KEY NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    enrolled_at TEXT NOT NULL,
    enrolled_by INTEGER,
    used_at TEXT NOT NULL,
    revoked_at TEXT,
    revoked_by INTEGER
);

-- A code that enrols one device (purpose `device`) or makes an administrator (`administrator`). The browser that used
-- it holds the secret of `claim_hash`, which becomes the device's own once an administrator has confirmed `number`.
CREATE TABLE enrolment_code (
    id $KEY PRIMARY KEY,
    code_hash $KEY NOT NULL UNIQUE,
    purpose TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    made_at TEXT NOT NULL,
    made_by INTEGER,
    ends_at TEXT NOT NULL,
    wrong_tries INTEGER NOT NULL DEFAULT 0,
    claim_hash $KEY UNIQUE,
    number TEXT,
    used_at TEXT,
    confirmed_at TEXT
);

CREATE TABLE pin (
    worker_id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    made_at TEXT NOT NULL
);

-- What a reader types when a badge is held to it. It says who wants to sign in and proves nothing.
CREATE TABLE badge (
    code $KEY PRIMARY KEY,
    worker_id INTEGER NOT NULL UNIQUE,
    made_at TEXT NOT NULL
);

-- A person at a device. `id` is public; the cookie is the secret. `last_tap` is the highest tap number of a session
-- that has ended, as the tablet told it.
CREATE TABLE session (
    id $KEY PRIMARY KEY,
    secret_hash $KEY NOT NULL UNIQUE,
    device_id $KEY NOT NULL,
    worker_id INTEGER NOT NULL,
    proof TEXT NOT NULL,
    began_at TEXT NOT NULL,
    ends_at TEXT NOT NULL,
    used_at TEXT NOT NULL,
    pin_at TEXT,
    ended_at TEXT,
    ended_why TEXT,
    last_tap $BIG
);
CREATE INDEX session_of_device ON session (device_id, began_at);
CREATE INDEX session_of_worker ON session (worker_id, began_at);

-- One row for each attempt that was not followed by the right PIN. `who` is `w:` and a worker's id, or `b:` and the
-- hash of an unknown badge.
CREATE TABLE pin_failure (
    who $KEY NOT NULL,
    device_id $KEY NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX pin_failure_of ON pin_failure (who, device_id);
CREATE INDEX pin_failure_on ON pin_failure (device_id, at);
CREATE INDEX pin_failure_age ON pin_failure (at);

-- `device_id` is empty for a lock on every device.
CREATE TABLE pin_lock (
    who $KEY NOT NULL,
    device_id $KEY NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (who, device_id)
);

-- PINs that were typed while a tablet was offline and have unlocked their session: each does so once.
CREATE TABLE sealed_pin (
    hash $KEY PRIMARY KEY,
    session_id $KEY NOT NULL
);

CREATE TABLE api_token (
    id $KEY PRIMARY KEY,
    secret_hash $KEY NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    made_at TEXT NOT NULL,
    made_by INTEGER,
    ends_at TEXT,
    used_at TEXT,
    revoked_at TEXT,
    revoked_by INTEGER
);

CREATE TABLE access_event (
    seq $SERIAL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    device_id TEXT,
    worker_id INTEGER,
    by_id INTEGER,
    address TEXT,
    detail TEXT
);
CREATE INDEX access_event_age ON access_event (at);

-- A privileged role from a workbook acts once an administrator has confirmed it. Roles of before are confirmed.
ALTER TABLE worker_role ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 1;

-- A new name or a reactivation of somebody with privileges, asked for in a workbook, that waits for an administrator.
CREATE TABLE worker_change (
    worker_id INTEGER PRIMARY KEY,
    nombre TEXT NOT NULL,
    apellido TEXT NOT NULL,
    activo INTEGER NOT NULL,
    asked_at TEXT NOT NULL
);
