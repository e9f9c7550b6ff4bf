-- $KEY is text that sorts by its bytes, the same in both engines; $BIG is a 64-bit integer.
-- Instants are ISO 8601 text in UTC of whole seconds, dates are ISO text: they sort as they read.

CREATE TABLE spool (
    tag $KEY PRIMARY KEY,
    version TEXT NOT NULL,
    ot TEXT,
    nv TEXT,
    total_uniones INTEGER,
    total_uniones_text TEXT,
    fecha_materiales TEXT,
    fecha_armado TEXT,
    fecha_soldadura TEXT,
    fecha_qc TEXT,
    armador TEXT,
    soldador TEXT,
    arm TEXT NOT NULL,
    sold TEXT NOT NULL,
    metrologia TEXT NOT NULL,
    reparacion TEXT NOT NULL,
    ciclo INTEGER NOT NULL,
    ocupado_por_id INTEGER,
    ocupado_por TEXT,
    operacion_actual TEXT,
    fecha_ocupacion TEXT,
    lock_value TEXT,
    before_estado TEXT,
    before_nombre TEXT,
    joint_rows INTEGER NOT NULL,
    arm_only INTEGER NOT NULL,
    armed INTEGER NOT NULL,
    welded INTEGER NOT NULL,
    weldable INTEGER NOT NULL,
    milli_armed INTEGER NOT NULL,
    milli_welded INTEGER NOT NULL,
    retired INTEGER NOT NULL,
    -- What the lists filter by, worked out by the domain at each write.
    workflow TEXT NOT NULL,
    take_arm INTEGER NOT NULL,
    take_sold INTEGER NOT NULL,
    take_rep INTEGER NOT NULL,
    inspectable INTEGER NOT NULL,
    search TEXT NOT NULL,
    last_seq $BIG NOT NULL,
    -- The invariant of the house, once more where nothing gets past it: an occupation is whole or absent.
    CHECK ((ocupado_por_id IS NULL) = (operacion_actual IS NULL)),
    CHECK ((ocupado_por_id IS NULL) = (fecha_ocupacion IS NULL)),
    CHECK ((ocupado_por_id IS NULL) = (lock_value IS NULL))
);
-- Their columns repeat the condition: only then can SQLite count from the index alone.
CREATE INDEX spool_listed ON spool (tag, search, retired) WHERE retired = 0;
CREATE INDEX spool_occupied ON spool (ocupado_por_id, tag) WHERE ocupado_por_id IS NOT NULL;
CREATE INDEX spool_take_arm ON spool (tag, workflow, take_arm, ocupado_por_id)
    WHERE take_arm = 1 AND ocupado_por_id IS NULL;
CREATE INDEX spool_take_sold ON spool (tag, workflow, take_sold, ocupado_por_id)
    WHERE take_sold = 1 AND ocupado_por_id IS NULL;
CREATE INDEX spool_take_rep ON spool (tag) WHERE take_rep = 1 AND ocupado_por_id IS NULL;
CREATE INDEX spool_inspectable ON spool (tag) WHERE inspectable = 1 AND ocupado_por_id IS NULL;

CREATE TABLE joint (
    tag $KEY NOT NULL REFERENCES spool (tag),
    n_union INTEGER NOT NULL,
    id TEXT,
    ot TEXT,
    dn_milli INTEGER,
    dn_text TEXT,
    tipo TEXT,
    arm_inicio TEXT,
    arm_fin TEXT,
    arm_worker TEXT,
    sol_inicio TEXT,
    sol_fin TEXT,
    sol_worker TEXT,
    ndt_union TEXT,
    r_ndt_union TEXT,
    ndt_fecha TEXT,
    ndt_status TEXT,
    version TEXT NOT NULL,
    retired INTEGER NOT NULL,
    PRIMARY KEY (tag, n_union)
);

CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    nombre TEXT NOT NULL,
    apellido TEXT NOT NULL,
    activo INTEGER NOT NULL
);

CREATE TABLE worker_role (
    worker_id INTEGER NOT NULL,
    rol TEXT NOT NULL,
    activo INTEGER NOT NULL,
    PRIMARY KEY (worker_id, rol)
);

-- The audit trail: rows are added, never changed. The last four columns are the spool as the event left it.
CREATE TABLE event (
    seq $BIG PRIMARY KEY,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    evento_tipo TEXT NOT NULL,
    tag $KEY NOT NULL,
    worker_id INTEGER,
    worker TEXT,
    operacion TEXT,
    accion TEXT NOT NULL,
    fecha_operacion TEXT,
    n_union INTEGER,
    metadata TEXT,
    ocupado_por TEXT,
    estado_detalle TEXT NOT NULL,
    version TEXT NOT NULL,
    workflow TEXT NOT NULL
);
CREATE INDEX event_of_spool ON event (tag, seq);

-- Rows of the workbook that no longer say what the ledger says. One entry per row, however often it
-- changes, so the queue is never longer than the workbook; events are their own queue, by seq.
CREATE TABLE outbox (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    change TEXT NOT NULL,
    queued_at TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union)
);

CREATE TABLE idempotency (
    key $KEY PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- What a workbook was last known to say about a row, by the version token it said it under.
CREATE TABLE workbook_base (
    sheet TEXT NOT NULL,
    tag $KEY NOT NULL,
    n_union INTEGER NOT NULL,
    version TEXT NOT NULL,
    cells TEXT NOT NULL,
    said_at TEXT NOT NULL,
    PRIMARY KEY (sheet, tag, n_union, version)
);

-- only postgres
CREATE SEQUENCE event_seq;
