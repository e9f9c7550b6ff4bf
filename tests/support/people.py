"""The people of a small shop: one of each kind that the rules distinguish."""

from __future__ import annotations

from carrete.domain.workers import Rol
from tests.support.builders import a_worker

MR = a_worker(93, "Mauricio", "Rodríguez", roles=(Rol.ARMADOR, Rol.SOLDADOR))
LP = a_worker(7, "Luis", "Pérez", roles=(Rol.ARMADOR,))
JS = a_worker(8, "Juana", "Soto", roles=(Rol.SOLDADOR,))
AY = a_worker(5, "Ángela", "Yáñez", roles=(Rol.AYUDANTE,))
MI = a_worker(12, "Marta", "Ibarra", roles=(Rol.METROLOGIA,))
SV = a_worker(21, "Sergio", "Vidal", roles=(Rol.SUPERVISOR,))
NN = a_worker(44, "Nicolás", "Núñez", roles=())
IN = a_worker(66, "Iván", "Navarro", roles=(Rol.ARMADOR, Rol.SOLDADOR), activo=False)

CREW = (MR, LP, JS, AY, MI, SV, NN, IN)
UNKNOWN_ID = 404_404
