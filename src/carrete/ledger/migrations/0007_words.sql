-- What people typed into rows that wait for a person: it stands nowhere but in the sheet, until a write of ours hits it.
-- With the stamp that the row carried then: a write that was there already has hit nothing.
CREATE TABLE sheet_word (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    col TEXT NOT NULL,
    typed TEXT NOT NULL,
    stamp TEXT NOT NULL,
    hit INTEGER NOT NULL,
    PRIMARY KEY (sheet, tag, n_union, col)
);
