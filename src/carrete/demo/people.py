"""Forty workers of a Chilean pipe shop, and a choice of one for each operation."""

from __future__ import annotations

from random import Random

from carrete.domain.spool import Operacion
from carrete.domain.workers import Rol, Worker

FIRST_ID = 93  # the first two are MR(93) and JP(94) of the documentation

_ROLES = {
    "A": frozenset({Rol.ARMADOR}),
    "S": frozenset({Rol.SOLDADOR}),
    "SA": frozenset({Rol.SOLDADOR, Rol.ARMADOR}),
    "Y": frozenset({Rol.AYUDANTE}),
    "AY": frozenset({Rol.ARMADOR, Rol.AYUDANTE}),
    "M": frozenset({Rol.METROLOGIA}),
    "V": frozenset({Rol.SUPERVISOR}),
    "MV": frozenset({Rol.METROLOGIA, Rol.SUPERVISOR}),
}

_PEOPLE = """
Mauricio Rodríguez A     Juan Pérez SA          Luis Contreras A        Claudio Sepúlveda A
Héctor Muñoz S           Rodrigo Valenzuela S   Cristián Fuentes A      Patricio Araya S
Óscar Henríquez A        Sergio Tapia S         Marcela Figueroa M      Jorge Espinoza A
Víctor Carrasco S        Eduardo Riquelme A     Manuel Sandoval SA      Raúl Vergara S
Felipe Castillo Y        Ignacio Bravo Y        Sebastián Núñez AY      Pamela Orellana S
Álvaro Cifuentes A       Nicolás Garrido Y      Gonzalo Leiva S         Daniela Vásquez M
Francisco Alarcón A      Andrés Poblete S       Diego Salinas Y         Ricardo Zúñiga A
Marcos Yáñez S           Bastián Cárdenas Y     Hernán Saavedra A       Carolina Miranda M
Esteban Ñancupil S       Matías Huenchullán Y   Jaime Olivares A        Ximena Palma MV
Leonel Barraza S         Arturo Godoy V         Roberto Inostroza A     Camilo Quezada Y
"""

_INACTIVE = frozenset({"Inostroza", "Barraza"})


def demo_workers() -> list[Worker]:
    words = _PEOPLE.split()
    people = zip(words[::3], words[1::3], words[2::3], strict=True)
    return [
        Worker(FIRST_ID + n, nombre, apellido, apellido not in _INACTIVE, _ROLES[roles])
        for n, (nombre, apellido, roles) in enumerate(people)
    ]


class Crew:
    """Chooses a worker with the right role. A repair goes to a worker who may do ARM or SOLD."""

    def __init__(self, workers: list[Worker]) -> None:
        active = [worker for worker in workers if worker.activo]
        self._by_operacion = {op: [w for w in active if w.may(op)] for op in Operacion}
        makers = {w.id for op in (Operacion.ARM, Operacion.SOLD) for w in self._by_operacion[op]}
        self._by_operacion[Operacion.REPARACION] = [w for w in active if w.id in makers]

    def choose(self, operacion: Operacion, rng: Random) -> Worker:
        return rng.choice(self._by_operacion[operacion])
