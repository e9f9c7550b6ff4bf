"""What `carrete doctor` and the page of the system say about copies."""

from __future__ import annotations

from collections.abc import Iterator

from carrete.backups.keys import key_paths, keys_backup
from carrete.backups.status import BackupStatus, backup_status, read_run
from carrete.findings import Finding, Words, bad, good, note
from carrete.ledger.database import Database
from carrete.settings import Settings


def problems(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.reading() as tx:
        run = read_run(tx)
    status = backup_status(settings.backup_folder, run)
    yield _age(status)
    if failure := status.run.failure:
        yield bad(
            Words(
                f"backups: the last try failed: {failure.words.en}", f"respaldos: el último falló: {failure.words.es}"
            ),
            Words("repair that, then `carrete backup`", "corríjalo y haga uno en Respaldo"),
        )
    if settings.access != "open":
        yield from _keys(settings)


def _age(status: BackupStatus) -> Finding:
    hours = int(status.unprotected_s // 3600)
    if status.is_late:
        return bad(
            Words(f"backups: none for {hours} hours in {status.folder}", f"respaldos: ninguno hace {hours} horas"),
            Words(
                "let `carrete serve` run, which makes one every night, or run `carrete backup`",
                "deje el servidor encendido, que hace uno cada noche, o haga uno en Respaldo",
            ),
        )
    if status.last_at is None:
        return note(
            Words(
                f"backups: none yet in {status.folder}; the server makes one every night",
                "respaldos: todavía ninguno; el servidor hace uno cada noche",
            )
        )
    return good(
        Words(
            f"backups: the newest is {hours} hours old, {len(status.backups)} in {status.folder}",
            f"respaldos: el último es de hace {hours} horas; hay {len(status.backups)} en {status.folder}",
        )
    )


def _keys(settings: Settings) -> Iterator[Finding]:
    """Nothing while the server has no keys yet."""
    found = keys_backup(settings.data, settings.backup_folder)
    if found and found.up_to_date:
        yield good(
            Words(f"backups: the keys are in {found.file.name}", f"respaldos: las claves están en {found.file.name}")
        )
    elif key_paths(settings.data):
        yield note(
            Words(
                "backups: the keys of now are in no backup" if found else "backups: the keys are in no backup",
                "respaldos: las claves de ahora no están respaldadas"
                if found
                else "respaldos: las claves no están respaldadas",
            ),
            Words(
                "`carrete backup --keys`, and put the file and its passphrase into the safe",
                "respáldelas con una frase en Respaldo, y guarde el archivo y la frase lejos de los respaldos",
            ),
        )
