"""A year of examined welds in a ledger, and the repair rates that are read from it."""

from __future__ import annotations

from carrete.ledger import open_database
from carrete_bench import shop

YEAR = 2026
WELDERS = 40
_PER_COMMIT = 100_000
_POR = ("soldador", "proceso", "metodo", "diametro", "semana")

# For SQLite and PostgreSQL alike. One in twelve is rejected, one in thirty is a re-examination.
_INSERT = """
WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < {count})
INSERT INTO ndt (id, tag, n_union, method, origin, requested_at, round, rule, seed, ot, welder, process, dn_milli, tipo,
    status, report, examiner_id, examiner, defects, photos, result_day, result_at, superseded)
SELECT '00000000-0000-4000-8000-' || (100000000000 + {first} + i), 'MK-' || (i / 10), 1 + i % 10,
    CASE i % 3 WHEN 0 THEN 'RT' WHEN 1 THEN 'PT' ELSE 'UT' END, 'regla', '{year}-01-01T12:00:00+00:00',
    CASE WHEN i % 30 = 0 THEN 1 ELSE 0 END, 'r1', '5eed', 'OT-' || (i % 200), 'MR(' || (1 + i * 7 % {welders}) || ')',
    CASE i % 4 WHEN 0 THEN 'GTAW' WHEN 1 THEN 'SMAW' WHEN 2 THEN 'GTAW+SMAW' ELSE '' END, 1000 * (1 + i % 24), 'BW',
    CASE WHEN i % 12 = 0 THEN 'RECHAZADO' ELSE 'APROBADO' END, 'RT-' || i, 60, 'ED(60)', '', '',
    '{year}-' || substr('0' || (1 + i % 12), length('0' || (1 + i % 12)) - 1, 2)
    || '-' || substr('0' || (1 + i / 12 % 28), length('0' || (1 + i / 12 % 28)) - 1, 2),
    '{year}-01-01T12:00:00+00:00', 0
FROM many
"""


def fill(ledger_url: str, examinations: int) -> None:
    """Adds so many results, spread over a year and over the welders of a large shop."""
    database = open_database(ledger_url)
    try:
        for first in range(0, examinations, _PER_COMMIT):
            count = min(_PER_COMMIT, examinations - first)
            with database.writing() as tx:
                tx.execute(_INSERT.format(count=count, first=first, year=YEAR, welders=WELDERS))
        with database.writing() as tx:
            tx.run("analyze")
    finally:
        database.close()
    shop.vacuum(ledger_url)


def paths() -> dict[str, str]:
    """What the screen asks for: the rates of a year, in each of its tables."""
    period = f"desde={YEAR}-01-01&hasta={YEAR}-12-31"
    return {f"repair rates by {por}": f"/api/ndt/tasas?{period}&por={por}" for por in _POR}
