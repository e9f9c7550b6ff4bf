-- A supervisor decides about the freeze that they saw, by its id: another one, or more of it, is not decided by that.
ALTER TABLE sheet_freeze ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE sheet_freeze ADD COLUMN decided_by INTEGER NOT NULL DEFAULT 0;
