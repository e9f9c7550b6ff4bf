"""What each route needs: nothing, a device, a session, a role, or a token's scope. A route that is not here is refused.

The gatekeeper looks requests up here, by the decoded path. In the mode `open` there is no identity, and only the routes
of identity itself are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from carrete.domain.workers import Rol
from carrete.identity.records import TokenScope
from carrete.identity.refusals import (
    DeviceNotEnrolled,
    IdentityDiffers,
    IdentityRefusal,
    NotPermitted,
    PinRequired,
    SessionRequired,
    TapRefused,
)


class Level(Enum):
    NOTHING = "nothing"
    LOCAL = "a program on this machine, or a token"
    DEVICE = "an enrolled device"
    SESSION = "a session"
    LOCKED_SESSION = "a session, even one that is locked"
    ACTION = "a session or a signed tap"


@dataclass(frozen=True, slots=True)
class Need:
    level: Level
    roles: frozenset[Rol] = frozenset()  # the session's person needs one of them; empty: none
    scope: TokenScope | None = None  # a token with this scope is enough too
    fresh_pin: bool = False  # the PIN must have been given in the last minutes
    replays_first: bool = (
        False  # the endpoint looks for a stored answer, and asks for the PIN itself when there is none
    )
    without_identity: bool = True  # whether the route exists in the mode `open`
    boards: bool = True  # where a device is enough: whether a wall board is, too


_ADMIN = frozenset({Rol.ADMINISTRADOR})
_OFFICE = frozenset({Rol.ADMINISTRADOR, Rol.SUPERVISOR})
_QUALITY = _OFFICE | {Rol.METROLOGIA, Rol.NDT}

PUBLIC = Need(Level.NOTHING)
LOCAL = Need(Level.LOCAL, scope=TokenScope.LEER)
READ = Need(Level.DEVICE, scope=TokenScope.LEER)
ACT = Need(Level.ACTION, scope=TokenScope.ACTUAR)
SUPERVISE = Need(Level.ACTION, fresh_pin=True, replays_first=True)
DECIDE = Need(Level.SESSION)  # the rule itself asks for the supervisor's role
DECIDE_WITH_PIN = Need(Level.SESSION, fresh_pin=True, replays_first=True)
OWN_PAGE = Need(Level.SESSION)  # one's own; the route decides what a supervisor sees of others
OWN_OR_ALL = Need(Level.SESSION, scope=TokenScope.LEER)  # the route shows some roles everything, others their own
# A late note's photos come when its author may be gone. On a board nobody writes notes.
ADD_PHOTO = Need(Level.DEVICE, scope=TokenScope.ACTUAR, boards=False)
ENTER = Need(Level.NOTHING, without_identity=False)
AT_DEVICE = Need(Level.DEVICE, without_identity=False)
OWN = Need(Level.SESSION, without_identity=False)
OWN_LOCKED = Need(Level.LOCKED_SESSION, without_identity=False)
SUPERVISOR_DESK = Need(Level.SESSION, _OFFICE)  # without identity it is there for everybody, like the supervisor's page
DOSSIERS = Need(Level.SESSION, _QUALITY)  # a dossier names people and goes to clients
SUPERVISOR_DESK_WITH_PIN = Need(Level.SESSION, _OFFICE, fresh_pin=True)
OFFICE = Need(Level.SESSION, _OFFICE, without_identity=False)
ADMINISTER = Need(Level.SESSION, _ADMIN, without_identity=False)
ADMINISTER_WITH_PIN = Need(Level.SESSION, _ADMIN, fresh_pin=True, without_identity=False)
ADMINISTER_OR_TOKEN = Need(Level.SESSION, _ADMIN, TokenScope.ADMINISTRAR, without_identity=False)
ADD_PEOPLE = Need(Level.SESSION, _ADMIN, TokenScope.ADMINISTRAR, fresh_pin=True, without_identity=False)
PEOPLE_WITH_PIN = Need(Level.SESSION, _OFFICE, fresh_pin=True, without_identity=False)
PEOPLE_OR_TOKEN = Need(Level.SESSION, _OFFICE, TokenScope.ADMINISTRAR, without_identity=False)

TABLE: dict[tuple[str, str], Need] = {
    ("GET", "/api/health"): PUBLIC,
    ("GET", "/api/health/ready"): PUBLIC,
    ("GET", "/api/health/redis"): PUBLIC,
    ("GET", "/api/acceso"): PUBLIC,
    ("GET", "/metrics"): LOCAL,
    ("GET", "/api/openapi.json"): LOCAL,
    # lists, cards, reports, the live stream
    ("GET", "/api/spools"): READ,
    ("GET", "/api/spools/{tag}"): READ,
    ("POST", "/api/codigos"): READ,
    ("GET", "/api/workers"): READ,
    ("GET", "/api/offline/spools"): READ,
    ("GET", "/api/v4/uniones/{tag}/disponibles"): READ,
    ("GET", "/api/v4/uniones/{tag}/metricas"): READ,
    ("GET", "/api/diagnostic/{tag}/version"): READ,
    ("GET", "/api/history/{tag}"): READ,
    ("GET", "/api/dashboard/occupied"): READ,
    ("GET", "/api/dashboard/stages"): READ,
    ("GET", "/api/dashboard/atrasos"): READ,
    ("GET", "/api/metrics/pulgadas"): READ,
    ("GET", "/api/metrics/calidad"): READ,
    ("GET", "/api/metrics/etapas"): READ,
    ("GET", "/api/sse/stream"): READ,
    ("GET", "/api/sync/status"): READ,
    # actions
    ("POST", "/api/occupation/tomar"): ACT,
    ("POST", "/api/occupation/pausar"): ACT,
    ("POST", "/api/occupation/completar"): ACT,
    ("POST", "/api/occupation/cancelar"): ACT,
    ("POST", "/api/occupation/batch-tomar"): ACT,
    ("POST", "/api/occupation/batch-pausar"): ACT,
    ("POST", "/api/occupation/batch-completar"): ACT,
    ("POST", "/api/v4/occupation/iniciar"): ACT,
    ("POST", "/api/v4/occupation/batch-iniciar"): ACT,
    ("POST", "/api/v4/occupation/finalizar"): ACT,
    ("POST", "/api/metrologia/completar"): ACT,
    ("POST", "/api/occupation/liberar"): SUPERVISE,
    ("POST", "/api/metrologia/desbloquear"): SUPERVISE,
    ("POST", "/api/occupation/corregir"): SUPERVISE,
    ("POST", "/api/occupation/cadena"): ACT,
    # handing a spool over
    ("POST", "/api/occupation/relevo/ofrecer"): ACT,
    ("POST", "/api/occupation/relevo/aceptar"): ACT,
    ("POST", "/api/occupation/relevo/retirar"): ACT,
    ("POST", "/api/occupation/relevo/rechazar"): ACT,
    ("GET", "/api/relevos"): DECIDE,
    # a person's own page, the end of their shift
    ("GET", "/api/mi-dia"): OWN_PAGE,
    ("GET", "/api/turno"): OWN_PAGE,
    ("POST", "/api/occupation/sigo"): ACT,
    # notes and photos
    ("POST", "/api/spools/{tag}/notas"): ACT,
    ("GET", "/api/spools/{tag}/notas"): READ,
    ("POST", "/api/fotos"): ADD_PHOTO,
    ("GET", "/api/fotos/{id}"): READ,
    # examinations of welds
    ("POST", "/api/ndt/solicitar"): ACT,
    ("POST", "/api/ndt/resultado"): ACT,
    ("POST", "/api/ndt/reparar"): ACT,
    ("GET", "/api/ndt"): OWN_OR_ALL,
    ("GET", "/api/ndt/tasas"): OWN_OR_ALL,
    # drawings of spools
    ("POST", "/api/planos"): SUPERVISOR_DESK,
    ("GET", "/api/planos/{id}"): READ,
    ("GET", "/api/spools/{tag}/plano"): READ,
    ("POST", "/api/spools/{tag}/plano"): SUPERVISOR_DESK,
    # refused work that a supervisor decides
    ("POST", "/api/reclamos"): ACT,
    ("GET", "/api/reclamos"): OWN_OR_ALL,
    ("POST", "/api/reclamos/{id}/resolver"): DECIDE_WITH_PIN,
    ("GET", "/api/reclamos/avisos"): DECIDE,
    ("POST", "/api/reclamos/avisos/visto"): DECIDE,
    ("POST", "/api/sync/freeze"): DECIDE,
    ("POST", "/api/sync/retry"): DECIDE,
    # dossiers
    ("GET", "/api/dossier"): DOSSIERS,
    ("GET", "/api/dossier/ots"): DOSSIERS,
    # procedures and qualifications; a tablet shows the procedures
    ("GET", "/api/soldadura/wps"): READ,
    ("POST", "/api/soldadura/wps"): SUPERVISOR_DESK_WITH_PIN,
    ("GET", "/api/soldadura/calificaciones"): SUPERVISOR_DESK,
    ("POST", "/api/soldadura/calificaciones"): SUPERVISOR_DESK_WITH_PIN,
    ("GET", "/api/soldadura/avisos"): SUPERVISOR_DESK,
    # labels
    ("GET", "/api/etiquetas"): SUPERVISOR_DESK,
    ("POST", "/api/etiquetas/hojas"): SUPERVISOR_DESK,
    ("POST", "/api/etiquetas/pdf"): SUPERVISOR_DESK,
    ("POST", "/api/etiquetas/impresas"): SUPERVISOR_DESK,
    ("POST", "/api/etiquetas/credenciales"): ADMINISTER_WITH_PIN,
    # signing in
    ("POST", "/api/sesion"): AT_DEVICE,
    ("GET", "/api/sesion"): OWN_LOCKED,
    ("DELETE", "/api/sesion"): AT_DEVICE,
    ("POST", "/api/sesion/pin"): OWN_LOCKED,
    ("POST", "/api/sesion/pin/cambiar"): OWN,
    ("POST", "/api/sesion/uso"): OWN,
    ("GET", "/api/sesion/personas"): AT_DEVICE,
    ("POST", "/api/configuracion/administrador"): ENTER,
    # the first start, the shop's settings
    ("GET", "/api/configuracion/pasos"): ADMINISTER,
    ("POST", "/api/configuracion/pasos"): ADMINISTER,
    ("GET", "/api/ajustes"): OFFICE,
    ("POST", "/api/ajustes"): ADMINISTER,
    ("GET", "/api/ajustes/historial"): ADMINISTER,
    ("POST", "/api/ajustes/webhook/probar"): ADMINISTER,
    # devices
    ("POST", "/api/dispositivos/inscripciones/usar"): ENTER,
    ("GET", "/api/dispositivos"): ADMINISTER_OR_TOKEN,
    ("POST", "/api/dispositivos/inscripciones"): ADMINISTER,
    ("POST", "/api/dispositivos/inscripciones/{id}/confirmar"): ADMINISTER,
    ("POST", "/api/dispositivos/inscripciones/{id}/cancelar"): ADMINISTER,
    ("POST", "/api/dispositivos/{id}/revocar"): ADMINISTER_OR_TOKEN,
    ("POST", "/api/dispositivos/{id}/renombrar"): ADMINISTER,
    # people
    ("GET", "/api/personas"): PEOPLE_OR_TOKEN,
    ("POST", "/api/personas"): ADD_PEOPLE,
    ("POST", "/api/personas/pins"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/badges"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/{id}/nombre"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/{id}/roles"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/{id}/desactivar"): ADMINISTER_OR_TOKEN,
    ("POST", "/api/personas/{id}/activar"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/{id}/pin"): PEOPLE_WITH_PIN,
    ("POST", "/api/personas/{id}/pin/desbloquear"): PEOPLE_WITH_PIN,
    ("POST", "/api/personas/{id}/badge"): ADMINISTER_WITH_PIN,
    ("POST", "/api/personas/{id}/privilegios"): ADMINISTER_WITH_PIN,
    # tokens, access events
    ("GET", "/api/tokens"): ADMINISTER,
    ("POST", "/api/tokens"): ADMINISTER_WITH_PIN,
    ("POST", "/api/tokens/{id}/revocar"): ADMINISTER,
    ("GET", "/api/accesos"): ADMINISTER_OR_TOKEN,
    # webhooks: an address gets what happens in the shop, so adding and changing one needs the PIN
    ("GET", "/api/webhooks"): ADMINISTER,
    ("POST", "/api/webhooks"): ADMINISTER_WITH_PIN,
    ("POST", "/api/webhooks/{id}/editar"): ADMINISTER_WITH_PIN,
    ("POST", "/api/webhooks/{id}/probar"): ADMINISTER,
    ("POST", "/api/webhooks/{id}/activar"): ADMINISTER,
    ("POST", "/api/webhooks/{id}/desactivar"): ADMINISTER,
    ("POST", "/api/webhooks/{id}/borrar"): ADMINISTER,
    ("POST", "/api/webhooks/{id}/reintentar"): ADMINISTER,
    ("POST", "/api/webhooks/{id}/descartar"): ADMINISTER,
    # copies of the ledger and of the keys
    ("GET", "/api/respaldos"): ADMINISTER,
    ("POST", "/api/respaldos"): ADMINISTER,
    ("GET", "/api/respaldos/{archivo}"): ADMINISTER,
    ("POST", "/api/respaldos/claves"): ADMINISTER_WITH_PIN,
    ("GET", "/api/respaldos/claves/{archivo}"): ADMINISTER,
    # the server itself
    ("GET", "/api/sistema"): ADMINISTER_OR_TOKEN,
    ("POST", "/api/sistema/verificar"): ADMINISTER,
    # the workbook
    ("GET", "/api/planilla/cargas"): ADMINISTER,
    ("POST", "/api/planilla/cargas"): ADMINISTER,
    ("GET", "/api/planilla/cargas/{id}"): ADMINISTER,
    ("GET", "/api/planilla/cargas/{id}/filas"): ADMINISTER,
    ("GET", "/api/planilla/cargas/{id}/informe"): ADMINISTER,
    ("POST", "/api/planilla/cargas/{id}/aplicar"): ADMINISTER_WITH_PIN,
    ("POST", "/api/planilla/cargas/{id}/descartar"): ADMINISTER,
    ("GET", "/api/planilla/exportar"): ADMINISTER,
    ("GET", "/api/planilla/plantilla"): ADMINISTER,
    ("GET", "/api/planilla/google"): ADMINISTER,
    ("POST", "/api/planilla/google/clave"): ADMINISTER_WITH_PIN,
    ("POST", "/api/planilla/google/probar"): ADMINISTER,
    ("POST", "/api/planilla/google/previa"): ADMINISTER,
    ("POST", "/api/planilla/google/conectar"): ADMINISTER_WITH_PIN,
    ("POST", "/api/planilla/google/desconectar"): ADMINISTER_WITH_PIN,
}


class _Template(NamedTuple):
    method: str
    pattern: re.Pattern[str]
    need: Need


def _template(method: str, path: str, need: Need) -> _Template:
    """A tag may have slashes, an id or a file's name may not."""
    pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path).replace(r"\{tag\}", ".+"))
    return _Template(method, re.compile(pattern, re.DOTALL), need)


_TEMPLATES = [_template(method, path, need) for (method, path), need in TABLE.items() if "{" in path]


def need_of(method: str, path: str) -> Need | None:
    """None for a route that is not in the table."""
    if method == "HEAD":
        method = "GET"
    if need := TABLE.get((method, path)):
        return need
    return next((t.need for t in _TEMPLATES if t.method == method and t.pattern.fullmatch(path)), None)


def refusals_of(need: Need | None) -> list[type[IdentityRefusal]]:
    """What the gatekeeper can refuse a route with, for the document of the API."""
    if need is None or (need.level is Level.NOTHING and need.without_identity):
        return []
    found: list[type[IdentityRefusal]] = [NotPermitted]
    if need.level not in (Level.NOTHING, Level.LOCAL):
        found += [DeviceNotEnrolled]
    if need.level is not Level.NOTHING:
        found += [SessionRequired]
    if need.level is Level.ACTION:
        found += [TapRefused, IdentityDiffers]
    return [*found, PinRequired] if need.fresh_pin else found


def methods_of(path: str) -> list[str]:
    """The methods of this path that are in the table; none: there is no such path."""
    exact = {method for method, each in TABLE if each == path}
    return sorted(exact or {each.method for each in _TEMPLATES if each.pattern.fullmatch(path)})
