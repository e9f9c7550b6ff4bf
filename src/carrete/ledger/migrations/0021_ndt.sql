-- Examinations of welds. One row of `ndt` is one examination that was asked for; n_union 0 is a whole v3.0 spool. `welder`, `ot`, `process`,
-- `dn_milli` and `tipo` are those of the weld when it was asked for. `superseded`: the weld was reopened after the result.
-- `spool.ndt` says whether a spool has examinations and whether one is open, so that nobody else needs to look here.
-- `ndt_group` counts the welds of a welder in an OT under a rule, `ndt_draw` says which joints were counted there: both are written
-- in the commit that registers the weld, and never made from the rows of joints, which an import can change.
ALTER TABLE spool ADD COLUMN ndt TEXT NOT NULL DEFAULT '';
CREATE TABLE ndt (
    n $SERIAL,
    id $KEY NOT NULL UNIQUE,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    method TEXT NOT NULL,
    origin TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    round INTEGER NOT NULL,
    rule TEXT NOT NULL,
    seed TEXT NOT NULL,
    ot TEXT NOT NULL,
    welder TEXT NOT NULL,
    process TEXT NOT NULL,
    dn_milli INTEGER,
    tipo TEXT NOT NULL,
    requested_by_id INTEGER,
    requested_by TEXT,
    status TEXT NOT NULL,
    report TEXT,
    examiner_id INTEGER,
    examiner TEXT,
    defects TEXT NOT NULL,
    photos TEXT NOT NULL,
    result_day TEXT,
    result_at TEXT,
    repaired_by_id INTEGER,
    repaired_by TEXT,
    repaired_at TEXT,
    superseded INTEGER NOT NULL
);
CREATE INDEX ndt_of_joint ON ndt (tag, n_union);
CREATE INDEX ndt_pending ON ndt (n) WHERE status = 'PENDIENTE';
CREATE INDEX ndt_results ON ndt (result_day, welder, process, method, dn_milli, round, status) WHERE result_day IS NOT NULL;
CREATE TABLE ndt_group (
    rule $KEY NOT NULL,
    ot $KEY NOT NULL,
    welder $KEY NOT NULL,
    method $KEY NOT NULL,
    welded INTEGER NOT NULL,
    selected INTEGER NOT NULL,
    owed INTEGER NOT NULL,
    PRIMARY KEY (ot, welder, rule, method)
);
CREATE TABLE ndt_draw (
    rule $KEY NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    ot $KEY NOT NULL,
    welder $KEY NOT NULL,
    method $KEY NOT NULL,
    selected INTEGER NOT NULL,
    PRIMARY KEY (tag, n_union, rule)
);
