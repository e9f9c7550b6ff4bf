-- Settings that what is stored was worked out under: when one differs at a start, it is worked out anew.
CREATE TABLE setting (
    name $KEY PRIMARY KEY,
    value TEXT NOT NULL
);
