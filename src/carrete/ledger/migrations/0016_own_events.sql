-- What a person's own page asks for: their inspections and repairs of a week, and their answers at the end of a shift.
-- Ordinary taps write none of these, so the index costs them nothing.
CREATE INDEX event_of_person ON event (worker_id, evento_tipo, at, tag, seq)
    WHERE evento_tipo IN ('METROLOGIA_APROBADO', 'METROLOGIA_RECHAZADO', 'COMPLETAR_REPARACION', 'SIGUE_TURNO');
