-- Procedures, qualifications and used processes: the weld record.

-- name: procedures
SELECT $WPS FROM wps ORDER BY wps

-- name: procedures_of @sqlite
SELECT $WPS FROM wps WHERE wps IN (SELECT value FROM json_each(:numbers))

-- name: procedures_of @postgres
SELECT $WPS FROM wps WHERE wps = ANY(:numbers)

-- name: procedure_put
INSERT INTO wps ($WPS)
VALUES (:wps, :procesos, :p_numeros, :f_numeros, :espesor_min, :espesor_max, :dn_min, :dn_max, :posiciones, :revision,
    :vigente_desde, :vigente_hasta, :activo)
ON CONFLICT (wps) DO UPDATE SET procesos = excluded.procesos, p_numeros = excluded.p_numeros,
    f_numeros = excluded.f_numeros, espesor_min = excluded.espesor_min, espesor_max = excluded.espesor_max,
    dn_min = excluded.dn_min, dn_max = excluded.dn_max, posiciones = excluded.posiciones, revision = excluded.revision,
    vigente_desde = excluded.vigente_desde, vigente_hasta = excluded.vigente_hasta, activo = excluded.activo

-- name: qualifications
SELECT $QUALIFICATION FROM qualification ORDER BY worker_id, proceso, documento

-- name: qualifications_of @sqlite
SELECT $QUALIFICATION FROM qualification WHERE worker_id IN (SELECT value FROM json_each(:ids))
ORDER BY worker_id, proceso, documento

-- name: qualifications_of @postgres
SELECT $QUALIFICATION FROM qualification WHERE worker_id = ANY(:ids) ORDER BY worker_id, proceso, documento

-- name: any_qualification
SELECT 1 FROM qualification LIMIT 1

-- name: p_numbers_named
-- The lists of P-numbers of the shop, retired rows included.
SELECT p_numeros FROM wps WHERE p_numeros <> ''
UNION
SELECT p_numeros FROM qualification WHERE p_numeros <> ''

-- name: qualification_put
INSERT INTO qualification ($QUALIFICATION)
VALUES (:worker_id, :proceso, :documento, :p_numeros, :f_numeros, :espesor_min, :espesor_max, :dn_min, :dn_max,
    :posiciones, :fecha, :vence, :ultimo_uso, :activo)
ON CONFLICT (worker_id, proceso, documento) DO UPDATE SET p_numeros = excluded.p_numeros,
    f_numeros = excluded.f_numeros, espesor_min = excluded.espesor_min, espesor_max = excluded.espesor_max,
    dn_min = excluded.dn_min, dn_max = excluded.dn_max, posiciones = excluded.posiciones, fecha = excluded.fecha,
    vence = excluded.vence, ultimo_uso = excluded.ultimo_uso, activo = excluded.activo

-- name: qualifications_told
SELECT worker_id, proceso, documento, told FROM qualification WHERE told <> ''

-- name: qualification_tell
UPDATE qualification SET told = :told
WHERE worker_id = :worker_id AND proceso = :proceso AND documento = :documento

-- name: process_uses
SELECT DISTINCT worker_id, proceso, day FROM process_use ORDER BY worker_id, proceso, day

-- name: process_uses_of @sqlite
SELECT DISTINCT worker_id, proceso, day FROM process_use WHERE worker_id IN (SELECT value FROM json_each(:ids))
ORDER BY worker_id, proceso, day

-- name: process_uses_of @postgres
SELECT DISTINCT worker_id, proceso, day FROM process_use WHERE worker_id = ANY(:ids) ORDER BY worker_id, proceso, day

-- name: process_use_put
INSERT INTO process_use (worker_id, proceso, day, tag, n_union)
VALUES (:worker_id, :proceso, :day, :tag, :n_union)
ON CONFLICT DO NOTHING

-- name: process_use_forget
DELETE FROM process_use WHERE tag = :tag AND n_union = :n_union

-- name: process_use_copy
-- Of the weld itself: repairs of the joint are other welders' uses, or of other days.
INSERT INTO process_use (worker_id, proceso, day, tag, n_union)
SELECT worker_id, proceso, :day, tag, n_union FROM process_use
WHERE tag = :tag AND n_union = :n_union AND worker_id = :worker_id AND day = :was
ON CONFLICT DO NOTHING

-- name: process_use_forget_day
DELETE FROM process_use WHERE tag = :tag AND n_union = :n_union AND worker_id = :worker_id AND day = :was
