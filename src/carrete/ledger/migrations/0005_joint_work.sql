-- Joints that one worker finished in one call, summed at each write: a report reads one row per call, not per joint, and
-- a FINALIZAR keeps one row in order, not an index entry per joint.
CREATE TABLE joint_work (
    tag $KEY NOT NULL REFERENCES spool (tag),
    operacion TEXT NOT NULL,
    fin TEXT,
    worker TEXT,
    milli $BIG NOT NULL,
    joints INTEGER NOT NULL
);
INSERT INTO joint_work (tag, operacion, fin, worker, milli, joints)
    SELECT tag, 'ARM', arm_fin, arm_worker, sum(coalesce(dn_milli, 0)), count(*) FROM joint
    WHERE arm_fin IS NOT NULL OR arm_worker IS NOT NULL GROUP BY tag, arm_fin, arm_worker;
INSERT INTO joint_work (tag, operacion, fin, worker, milli, joints)
    SELECT tag, 'SOLD', sol_fin, sol_worker, sum(coalesce(dn_milli, 0)), count(*) FROM joint
    WHERE sol_fin IS NOT NULL OR sol_worker IS NOT NULL GROUP BY tag, sol_fin, sol_worker;
CREATE INDEX joint_work_of ON joint_work (tag, operacion, worker);
CREATE INDEX joint_work_when ON joint_work (operacion, fin, tag, worker, milli, joints);
DROP INDEX joint_armed;
DROP INDEX joint_welded;
-- All that is read of an inspection: nothing is looked up in the table, where a month of inspections lies far apart. A
-- correction's metadata has no such bound, and is not asked for.
DROP INDEX event_inspection;
CREATE INDEX event_inspection ON event (at, seq, tag, evento_tipo, operacion, metadata)
    WHERE evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO');
CREATE INDEX event_correction ON event (at, seq, tag, operacion) WHERE evento_tipo = 'CORRECCION';
-- As above in the first step: only with the column of its condition can an index be read alone.
DROP INDEX spool_fitted;
DROP INDEX spool_welded;
CREATE INDEX spool_fitted ON spool (fecha_armado, armador, tag, workflow)
    WHERE fecha_armado IS NOT NULL AND workflow = 'v3.0';
CREATE INDEX spool_welded ON spool (fecha_soldadura, soldador, tag, workflow)
    WHERE fecha_soldadura IS NOT NULL AND workflow = 'v3.0';
