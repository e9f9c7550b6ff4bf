"""A second, small implementation of the rules of the floor, with which tests compare the real one.

It must never import a rule: a person who reads the rules corrects it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

ROLES = {"ARM": {"Armador", "Ayudante"}, "SOLD": {"Soldador", "Ayudante"}}
SUPERVISING = ("LIBERAR", "DESBLOQUEAR", "CORREGIR")
INSTANT = ("INSPECCIONAR", *SUPERVISING)  # nobody occupies a spool to do these
WORDS = {"PENDIENTE": "pendiente", "EN_PROGRESO": "en progreso", "PAUSADO": "pausado", "COMPLETADO": "completado"}


@dataclass
class Person:
    label: str
    roles: set[str]
    active: bool = True


@dataclass
class Piece:
    """A spool as the sheet shows it, and the state that CANCELAR restores."""

    joints: int = 0
    materials: bool = True
    state: dict[str, str] = field(default_factory=dict)  # of ARM, SOLD and REPARACION
    name: dict[str, str | None] = field(default_factory=dict)  # Armador and Soldador
    dated: dict[str, date | None] = field(default_factory=dict)
    metrologia: str = "PENDIENTE"
    ciclo: int = 0
    qc: date | None = None
    holder: int | None = None
    holder_label: str | None = None
    operacion: str | None = None
    before: tuple[str, str | None] = ("PENDIENTE", None)
    events: int = 0

    def __post_init__(self) -> None:
        self.state = {"ARM": "PENDIENTE", "SOLD": "PENDIENTE", "REPARACION": "NO_REQUERIDA", **self.state}
        self.name = {"ARM": None, "SOLD": None, **self.name}
        self.dated = {"ARM": None, "SOLD": None, **self.dated}

    def shown(self) -> dict[str, object]:
        """Everything that a person can see of the spool."""
        return {
            "holder": self.holder,
            "ocupado_por": self.holder_label,
            "operacion": self.operacion,
            "arm": self.state["ARM"],
            "sold": self.state["SOLD"],
            "reparacion": self.state["REPARACION"],
            "metrologia": self.metrologia,
            "armador": self.name["ARM"],
            "soldador": self.name["SOLD"],
            "fecha_armado": self.dated["ARM"],
            "fecha_soldadura": self.dated["SOLD"],
            "fecha_qc": self.qc,
            "ciclo": self.ciclo,
            "estado_detalle": self.line(),
            "events": self.events,
        }

    def line(self) -> str:
        if self.metrologia == "BLOQUEADO":
            return "BLOQUEADO - Contactar supervisor"
        if self.metrologia == "EN_COLA":
            repaired = self.state["REPARACION"] == "COMPLETADO"
            return "PENDIENTE_METROLOGIA" if repaired else "En Cola Metrología"
        if self.metrologia == "APROBADO":
            return "METROLOGIA_APROBADO ✓"
        if self.metrologia == "RECHAZADO":
            return {
                "PENDIENTE": f"RECHAZADO (Ciclo {self.ciclo}/3) - Pendiente reparación",
                "EN_PROGRESO": f"EN_REPARACION (Ciclo {self.ciclo}/3) - Ocupado: {self.holder_label}",
                "PAUSADO": f"REPARACION_PAUSADA (Ciclo {self.ciclo}/3)",
            }[self.state["REPARACION"]]
        progress = f"ARM {WORDS[self.state['ARM']]}, SOLD {WORDS[self.state['SOLD']]}"
        if self.holder is None:
            return f"Disponible - {progress}"
        return f"{self.holder_label} trabajando {self.operacion} ({progress})"


@dataclass
class Model:
    people: dict[int, Person]
    pieces: dict[str, Piece]

    def act(
        self, accion: str, tag: str, worker: int, operacion: str, today: date, *, token_is_old: bool = False
    ) -> str:
        """Returns OK, or the code of the first check that fails, and changes the piece accordingly.

        `operacion` is the result for INSPECCIONAR, and is not used for LIBERAR and DESBLOQUEAR."""
        person, piece = self.people.get(worker), self.pieces.get(tag)
        if person is None:
            return "WORKER_NO_ENCONTRADO"
        if piece is None:
            return "SPOOL_NO_ENCONTRADO"
        refused = (
            self._may(person, accion, operacion)
            or self._workflow(piece, accion, operacion)
            or self._hands(accion, piece, worker, operacion)
            or ("VERSION_CONFLICT" if token_is_old else None)
        )
        if refused:
            return refused
        if accion == "TOMAR":
            return self._take(piece, worker, person, operacion)
        if accion in INSTANT and accion != "LIBERAR":
            return self._without_occupation(accion, piece, operacion, today)
        self._end(accion, piece, operacion, today)
        return "OK"

    def _may(self, person: Person, accion: str, operacion: str) -> str | None:
        if not person.active:
            return "WORKER_INACTIVO"
        if accion in INSTANT:
            needed = "Metrologia" if accion == "INSPECCIONAR" else "Supervisor"
            return None if needed in person.roles else "ROL_NO_AUTORIZADO"
        if operacion in ROLES and not person.roles & ROLES[operacion]:
            return "ROL_NO_AUTORIZADO"
        return None

    def _workflow(self, piece: Piece, accion: str, operacion: str) -> str | None:
        if accion not in INSTANT and piece.joints > 0 and operacion != "REPARACION":
            return "WRONG_VERSION"
        if accion in ("LIBERAR", "DESBLOQUEAR"):
            return None
        return "SPOOL_BLOQUEADO" if piece.metrologia == "BLOQUEADO" else None

    def _hands(self, accion: str, piece: Piece, worker: int, operacion: str) -> str | None:
        if accion == "LIBERAR":
            return None if piece.holder is not None else "OPERACION_NO_INICIADA"
        if accion in INSTANT:
            return None if piece.holder is None else "SPOOL_OCCUPIED"
        mine = (piece.holder, piece.operacion) == (worker, operacion)
        if accion == "TOMAR":
            return None if piece.holder is None or mine else "SPOOL_OCCUPIED"
        if piece.holder is not None and piece.holder != worker:
            return "NO_AUTORIZADO"
        return None if mine else "OPERACION_NO_INICIADA"

    def could_take(self, tag: str, worker: int, operacion: str) -> bool:
        """Whether the spool is free and a take would succeed; changes nothing."""
        person, piece = self.people[worker], self.pieces[tag]
        return piece.holder is None and not (
            self._may(person, "TOMAR", operacion)
            or self._workflow(piece, "TOMAR", operacion)
            or self._not_ready(piece, operacion)
        )

    def _not_ready(self, piece: Piece, operacion: str) -> str | None:
        if operacion == "REPARACION":
            if piece.metrologia != "RECHAZADO":
                return "OPERACION_NO_DISPONIBLE"
        elif piece.state[operacion] == "COMPLETADO":
            return "OPERACION_YA_COMPLETADA"
        if not piece.materials or (operacion == "SOLD" and piece.name["ARM"] is None):
            return "DEPENDENCIAS_NO_SATISFECHAS"
        return None

    def _take(self, piece: Piece, worker: int, person: Person, operacion: str) -> str:
        if piece.holder == worker:
            return "OK"  # a second tap
        if refused := self._not_ready(piece, operacion):
            return refused
        piece.before = (piece.state[operacion], piece.name.get(operacion))
        piece.holder, piece.holder_label, piece.operacion = worker, person.label, operacion
        piece.state[operacion] = "EN_PROGRESO"
        if operacion != "REPARACION":
            piece.name[operacion] = person.label
        piece.events += 1
        return "OK"

    def _end(self, accion: str, piece: Piece, operacion: str, today: date) -> None:
        if accion == "LIBERAR":
            accion, operacion = "PAUSAR", piece.operacion or ""
        piece.holder = piece.holder_label = piece.operacion = None
        piece.events += 1
        if accion == "PAUSAR":
            piece.state[operacion] = "PAUSADO"
        elif accion == "CANCELAR":
            piece.state[operacion] = piece.before[0]
            if operacion != "REPARACION":
                piece.name[operacion] = piece.before[1]
        elif operacion == "REPARACION":
            piece.state[operacion] = "COMPLETADO"
            piece.metrologia = "EN_COLA"
        else:
            piece.state[operacion] = "COMPLETADO"
            piece.dated[operacion] = today
            if piece.state["ARM"] == piece.state["SOLD"] == "COMPLETADO":
                piece.metrologia = "EN_COLA"
                piece.events += 1  # METROLOGIA_AUTO_TRIGGERED

    def _without_occupation(self, accion: str, piece: Piece, what: str, today: date) -> str:
        refused = {
            "INSPECCIONAR": lambda: self._inspect(piece, what, today),
            "DESBLOQUEAR": lambda: self._unblock(piece),
            "CORREGIR": lambda: self._correct(piece, what),
        }[accion]()
        piece.events += not refused
        return refused or "OK"

    def _inspect(self, piece: Piece, resultado: str, today: date) -> str | None:
        if piece.metrologia != "EN_COLA":
            return {
                "APROBADO": "OPERACION_YA_COMPLETADA",
                "RECHAZADO": "OPERACION_NO_DISPONIBLE",
                "PENDIENTE": "DEPENDENCIAS_NO_SATISFECHAS",
            }[piece.metrologia]
        if resultado == "APROBADO":
            piece.metrologia, piece.ciclo, piece.qc = "APROBADO", 0, today
            piece.state["REPARACION"] = "NO_REQUERIDA"
        else:
            piece.ciclo += 1
            piece.metrologia = "BLOQUEADO" if piece.ciclo == 3 else "RECHAZADO"
            piece.state["REPARACION"] = "PENDIENTE"
        return None

    def _unblock(self, piece: Piece) -> str | None:
        if piece.metrologia != "BLOQUEADO":
            return "OPERACION_NO_DISPONIBLE"
        piece.metrologia, piece.ciclo = "RECHAZADO", 2
        piece.state["REPARACION"] = "PENDIENTE"
        return None

    def _correct(self, piece: Piece, operacion: str) -> str | None:
        if operacion == "METROLOGIA":
            return self._withdraw(piece)
        if piece.joints or piece.state[operacion] != "COMPLETADO":
            return "OPERACION_NO_DISPONIBLE"  # the v4.0 spool here has no joint that could be opened
        for each in ("ARM", "SOLD") if operacion == "ARM" else ("SOLD",):
            if piece.state[each] == "COMPLETADO":
                piece.state[each], piece.dated[each] = ("PAUSADO" if piece.name[each] else "PENDIENTE"), None
        if piece.metrologia != "PENDIENTE":
            piece.metrologia, piece.qc = "PENDIENTE", None
            piece.state["REPARACION"] = "NO_REQUERIDA"
        return None

    def _withdraw(self, piece: Piece) -> str | None:
        """Takes the last inspection back."""
        if piece.metrologia not in ("APROBADO", "RECHAZADO"):
            return "OPERACION_NO_DISPONIBLE"
        if piece.metrologia == "RECHAZADO":
            piece.ciclo -= 1
            piece.state["REPARACION"] = "COMPLETADO" if piece.ciclo else "NO_REQUERIDA"
        piece.metrologia, piece.qc = "EN_COLA", None
        return None
