-- Taking and ending changes as few pages as possible: on SQLite each page costs an action about 8 µs.
-- Whether a spool could be begun if nobody held it does not change when it is taken; so its place in these indexes stays.
DROP INDEX spool_take_arm;
DROP INDEX spool_take_sold;
CREATE INDEX spool_take_arm ON spool (tag, workflow, take_arm) WHERE take_arm = 1;
CREATE INDEX spool_take_sold ON spool (tag, workflow, take_sold) WHERE take_sold = 1;
-- Whether the lane has read the entry. An entry that it has not read yet need not be renewed when the row changes again.
-- The lane of the program before may have read any of those that are there.
ALTER TABLE outbox ADD COLUMN seen INTEGER NOT NULL DEFAULT 1;
