-- What a joint is welded with. The thickness is in whole thousandths of a millimetre; `espesor_text` is a cell that is none.
ALTER TABLE joint ADD COLUMN wps TEXT;
ALTER TABLE joint ADD COLUMN espesor_milli INTEGER;
ALTER TABLE joint ADD COLUMN espesor_text TEXT;
ALTER TABLE joint ADD COLUMN material TEXT;
ALTER TABLE joint ADD COLUMN posicion TEXT;
ALTER TABLE joint ADD COLUMN colada_1 TEXT;
ALTER TABLE joint ADD COLUMN colada_2 TEXT;

-- Welding procedures (WPS), by number. Lists (processes, P-numbers, F-numbers, positions) are in normal form, their parts
-- separated by ', '. Thicknesses are thousandths of a millimetre, diameters thousandths of an inch, dates ISO text.
-- '' or NULL: the procedure does not limit that.
CREATE TABLE wps (
    wps $KEY PRIMARY KEY,
    procesos TEXT NOT NULL,
    p_numeros TEXT NOT NULL,
    f_numeros TEXT NOT NULL,
    espesor_min INTEGER,
    espesor_max INTEGER,
    dn_min INTEGER,
    dn_max INTEGER,
    posiciones TEXT NOT NULL,
    revision TEXT NOT NULL,
    vigente_desde TEXT,
    vigente_hasta TEXT,
    activo INTEGER NOT NULL
);

-- What a welder is qualified for, by document. `ultimo_uso` is the last day on which the shop itself attests that the
-- process was used. `told` is the day of lapse that webhooks were told of.
CREATE TABLE qualification (
    worker_id INTEGER NOT NULL REFERENCES worker (id),
    proceso $KEY NOT NULL,
    documento $KEY NOT NULL,
    p_numeros TEXT NOT NULL,
    f_numeros TEXT NOT NULL,
    espesor_min INTEGER,
    espesor_max INTEGER,
    dn_min INTEGER,
    dn_max INTEGER,
    posiciones TEXT NOT NULL,
    fecha TEXT NOT NULL,
    vence TEXT,
    ultimo_uso TEXT,
    activo INTEGER NOT NULL,
    told TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (worker_id, proceso, documento)
);

-- The recorded welds, by welder and process: what keeps a qualification alive. `day` is the shop's.
CREATE TABLE process_use (
    worker_id INTEGER NOT NULL,
    proceso $KEY NOT NULL,
    day TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    PRIMARY KEY (worker_id, proceso, day, tag, n_union)
);
CREATE INDEX process_use_of_joint ON process_use (tag, n_union);
