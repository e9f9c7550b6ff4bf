-- What the Google Sheets lane must know after a crash. `sheet` is our name of a sheet, tag and n_union a row of it.

-- Which tab of the workbook is which sheet, by an id that survives renaming, and the columns it was seen with.
CREATE TABLE sheet_tab (
    sheet TEXT PRIMARY KEY,
    tab_id $BIG NOT NULL,
    columns TEXT NOT NULL
);

-- What a row last said, in normal form, and the stamp of our last write that was seen in it.
CREATE TABLE sheet_row (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    cells TEXT NOT NULL,
    stamp TEXT NOT NULL,
    said_at TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union)
);

-- One batch of writes with its guard. OPEN: nobody knows yet whether Google applied it. APPLIED, DROPPED: settled.
CREATE TABLE sheet_flush (
    id $BIG PRIMARY KEY,
    guard INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    planned_at TEXT NOT NULL,
    guard_kept INTEGER NOT NULL
);

-- The journal: every row that any attempt writes, by the stamp it carries, written down before it is sent.
CREATE TABLE sheet_write (
    stamp TEXT PRIMARY KEY,
    flush_id $BIG NOT NULL,
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    cells TEXT NOT NULL,
    places TEXT NOT NULL,
    landed INTEGER NOT NULL
);
CREATE INDEX sheet_write_of_flush ON sheet_write (flush_id);

-- Events that went into a flush, or were set aside with a reason. Below the setting `sheet_events_through` all are in.
CREATE TABLE sheet_event (
    seq $BIG PRIMARY KEY,
    flush_id $BIG NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX sheet_event_of_flush ON sheet_event (flush_id);

-- Values of ours that stand in a cell where they do not belong, until they are gone from there.
CREATE TABLE sheet_stray (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    col TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union, col)
);

-- Rows that Google refuses to take. They wait for another change of the row, or for somebody to let them go on.
CREATE TABLE sheet_parked (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    change TEXT NOT NULL,
    reason TEXT NOT NULL,
    parked_at TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union)
);

-- Sheets that are not written until what is wrong with them is undone, or somebody decides.
CREATE TABLE sheet_freeze (
    sheet TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    since TEXT NOT NULL,
    decision TEXT NOT NULL
);

-- Who runs the lane, until when, and what it last said about itself.
CREATE TABLE sheet_lease (
    workbook $KEY PRIMARY KEY,
    holder TEXT NOT NULL,
    until TEXT NOT NULL,
    status TEXT NOT NULL
);
