-- What the supervisor asks for by period: joints by when they were done, inspections by when they were made.
CREATE INDEX joint_armed ON joint (arm_fin, tag, arm_worker, dn_milli) WHERE arm_fin IS NOT NULL;
CREATE INDEX joint_welded ON joint (sol_fin, tag, sol_worker, dn_milli) WHERE sol_fin IS NOT NULL;
CREATE INDEX spool_fitted ON spool (fecha_armado, armador, tag) WHERE fecha_armado IS NOT NULL AND workflow = 'v3.0';
CREATE INDEX spool_welded ON spool (fecha_soldadura, soldador, tag)
    WHERE fecha_soldadura IS NOT NULL AND workflow = 'v3.0';
CREATE INDEX event_inspection ON event (at)
    WHERE evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO', 'CORRECCION');
