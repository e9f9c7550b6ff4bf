-- What a dossier is made from, besides the spools and joints themselves.

-- name: dossier_tags_of_ot
SELECT tag FROM spool WHERE ot = :ot AND retired = 0 ORDER BY tag LIMIT :limit

-- name: dossier_work_orders
SELECT ot, count(*), sum(CASE WHEN metrologia = 'APROBADO' THEN 1 ELSE 0 END), sum(joint_rows) FROM spool
WHERE retired = 0 AND ot IS NOT NULL AND ot <> '' GROUP BY ot ORDER BY ot LIMIT :limit

-- name: dossier_events
SELECT seq, at, evento_tipo, worker, operacion, accion, n_union, metadata FROM event
WHERE tag = :tag AND evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO', 'METROLOGIA_AUTO_TRIGGERED',
    'COMPLETAR_REPARACION', 'CORRECCION', 'LIBERAR_SPOOL', 'SUPERVISOR_OVERRIDE', 'REGISTRO_TARDIO', 'EDICION_EXTERNA',
    'NOTA', 'UNION_SOLD_REGISTRADA', 'REPARACION_UNION')
ORDER BY seq LIMIT :limit

-- name: dossier_event_at
SELECT at, hash FROM event WHERE seq = :seq

-- name: dossier_procedures
SELECT wps, revision, procesos, p_numeros, f_numeros, espesor_min, espesor_max, dn_min, dn_max, posiciones,
    vigente_desde, vigente_hasta FROM wps ORDER BY wps

-- name: dossier_qualifications
SELECT worker_id, proceso, documento, p_numeros, f_numeros, espesor_min, espesor_max, dn_min, dn_max, posiciones, fecha,
    vence, activo FROM qualification ORDER BY worker_id, proceso, documento
