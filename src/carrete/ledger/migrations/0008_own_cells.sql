-- What each write put into which column, and what it gave back to people: so that a write that missed can be undone.
ALTER TABLE sheet_write ADD COLUMN put TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sheet_write ADD COLUMN told TEXT NOT NULL DEFAULT '[]';

-- The columns of a sheet as the last read showed them, people's own included, each with an identity.
CREATE TABLE sheet_layout (
    sheet TEXT PRIMARY KEY,
    columns TEXT NOT NULL
);

-- What people keep in columns of their own, by row; and rows without a key (tag '', numbered), whole.
CREATE TABLE sheet_own (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    cells TEXT NOT NULL,
    strays TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union)
);
