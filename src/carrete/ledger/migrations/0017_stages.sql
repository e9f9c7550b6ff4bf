-- The stage of a spool and since when it is in it, worked out by the domain at each write (`domain/stage.py`); since when
-- it is worked on. An event that ended a stage says which one and for how many seconds it had lasted.
ALTER TABLE spool ADD COLUMN stage $KEY;
ALTER TABLE spool ADD COLUMN stage_since TEXT;
ALTER TABLE spool ADD COLUMN begun_at TEXT;
ALTER TABLE event ADD COLUMN stage_ended $KEY;
ALTER TABLE event ADD COLUMN stage_s INTEGER;
UPDATE spool SET stage = CASE
    WHEN operacion_actual IS NOT NULL THEN 'trabajo:' || operacion_actual
    WHEN retired = 1 OR metrologia IN ('APROBADO', 'BLOQUEADO') THEN ''
    WHEN metrologia = 'EN_COLA' THEN 'espera:METROLOGIA'
    WHEN metrologia = 'RECHAZADO' THEN CASE
        WHEN take_rep = 0 THEN '' WHEN reparacion = 'PAUSADO' THEN 'pausa:REPARACION' ELSE 'espera:REPARACION' END
    ELSE trim(
        CASE WHEN take_arm = 0 THEN '' WHEN arm = 'PAUSADO' THEN 'pausa:ARM ' ELSE 'espera:ARM ' END
        || CASE WHEN take_sold = 0 THEN '' WHEN sold = 'PAUSADO' THEN 'pausa:SOLD' ELSE 'espera:SOLD' END)
    END;
-- Since the first event that left the spool as it is now. A spool without events: since this migration.
UPDATE spool SET stage_since = coalesce(fecha_ocupacion, (
    SELECT min(e.at) FROM event e WHERE e.tag = spool.tag AND e.seq > coalesce((
        SELECT max(d.seq) FROM event d WHERE d.tag = spool.tag AND d.estado_detalle <> (
            SELECT l.estado_detalle FROM event l WHERE l.tag = spool.tag ORDER BY l.seq DESC LIMIT 1)), 0)),
    $NOW);
UPDATE spool SET begun_at = coalesce(
    (SELECT min(e.at) FROM event e WHERE e.tag = spool.tag AND e.evento_tipo IN ('TOMAR_SPOOL', 'INICIAR_SPOOL')),
    fecha_ocupacion, stage_since)
WHERE NOT (ocupado_por_id IS NULL AND arm = 'PENDIENTE' AND sold = 'PENDIENTE' AND metrologia = 'PENDIENTE');
-- The events so far: their stage is read from their `Estado_Detalle`, which does not tell whether materials were there.
CREATE TABLE stage_fill AS
SELECT seq, before, $SECONDS_FROM_SINCE_TO_AT AS lasted_s FROM (
    SELECT seq, before, at, lag(at) OVER (PARTITION BY tag ORDER BY seq) AS since FROM (
        SELECT seq, tag, at, stage, ocupado_por,
            lag(stage) OVER (PARTITION BY tag ORDER BY seq) AS before,
            lag(ocupado_por) OVER (PARTITION BY tag ORDER BY seq) AS holder_before
        FROM (SELECT seq, tag, at, ocupado_por, CASE
            WHEN estado_detalle LIKE '% trabajando ARM (%' THEN 'trabajo:ARM'
            WHEN estado_detalle LIKE '% trabajando SOLD (%' THEN 'trabajo:SOLD'
            WHEN estado_detalle LIKE 'EN_REPARACION%' THEN 'trabajo:REPARACION'
            WHEN estado_detalle LIKE 'REPARACION_PAUSADA%' THEN 'pausa:REPARACION'
            WHEN estado_detalle LIKE 'RECHAZADO%' THEN 'espera:REPARACION'
            WHEN estado_detalle IN ('En Cola Metrología', 'PENDIENTE_METROLOGIA') THEN 'espera:METROLOGIA'
            WHEN estado_detalle LIKE '%ARM pendiente, SOLD pendiente' THEN 'espera:ARM'
            WHEN estado_detalle LIKE '%ARM pendiente, SOLD pausado' THEN 'espera:ARM pausa:SOLD'
            WHEN estado_detalle LIKE '%ARM pausado, SOLD pendiente' THEN 'pausa:ARM espera:SOLD'
            WHEN estado_detalle LIKE '%ARM pausado, SOLD pausado' THEN 'pausa:ARM pausa:SOLD'
            WHEN estado_detalle LIKE '%ARM completado, SOLD pendiente' THEN 'espera:SOLD'
            WHEN estado_detalle LIKE '%ARM completado, SOLD pausado' THEN 'pausa:SOLD'
            ELSE '' END AS stage FROM event) staged) changed
    WHERE before IS NULL OR before <> stage OR coalesce(ocupado_por, '') <> coalesce(holder_before, '')) ended
WHERE before <> '' AND since IS NOT NULL;
CREATE UNIQUE INDEX stage_fill_seq ON stage_fill (seq);
UPDATE event SET
    stage_ended = (SELECT before FROM stage_fill WHERE stage_fill.seq = event.seq),
    stage_s = (SELECT lasted_s FROM stage_fill WHERE stage_fill.seq = event.seq)
WHERE seq IN (SELECT seq FROM stage_fill);
DROP TABLE stage_fill;
-- As in the first step: their columns repeat the condition, so that an index can be read alone.
CREATE INDEX spool_stage ON spool (stage, stage_since, tag) WHERE stage <> '';
CREATE INDEX spool_in_progress ON spool (begun_at, metrologia, retired)
    WHERE begun_at IS NOT NULL AND metrologia <> 'APROBADO' AND retired = 0;
CREATE INDEX spool_approved ON spool (fecha_qc, metrologia, retired)
    WHERE fecha_qc IS NOT NULL AND metrologia = 'APROBADO' AND retired = 0;
CREATE INDEX event_stage ON event (at, stage_ended, stage_s) WHERE stage_ended IS NOT NULL;
