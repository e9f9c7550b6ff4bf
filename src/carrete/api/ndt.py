"""Routes of examinations of welds: asking for one, its result, the repair of a joint, the work list, repair rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from fastapi import Query, Request

from carrete.actions import Outcome, Success
from carrete.actions.answer import Answer
from carrete.api.actions import ActionEndpoint, documented_problems
from carrete.api.occupation import action_answer, as_json, success_body
from carrete.api.reports import Day, period_of
from carrete.api.responses import Json
from carrete.api.schemas.fields import Body
from carrete.api.schemas.ndt import (
    EnsayoEstado,
    EnsayoList,
    NdtAnswer,
    RepararUnionBody,
    ResultadoNdtBody,
    SolicitarNdtBody,
    TasaList,
)
from carrete.api.server.application import Application
from carrete.api.server.gatekeeper import author_of
from carrete.domain.commands import Command, NdtCommand, RepararUnion, ResultadoNdt, SolicitarNdt
from carrete.domain.joints import inches
from carrete.domain.ndt.examination import Examination
from carrete.domain.ndt.policy import NdtPolicy
from carrete.domain.ndt.sampling import SampleGroup, required
from carrete.domain.reports.repair_rates import EXAMINED_MIN, Examined, RatePor, by_key
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.tags import TAG_LENGTH_MAX
from carrete.domain.texts import writable
from carrete.domain.workers import Rol, labelled_id
from carrete.ledger.database import Tx
from carrete.ledger.ndt import ExamPage, ListFilter, all_groups, list_exams, rates, to_repair
from carrete.services import Services
from carrete.shop_settings.ndt_values import METHOD_LENGTH_MAX, OT_LENGTH_MAX

B = TypeVar("B", bound=Body)

PAGE_MAX = 200
PAGE_DEFAULT = 50
OWED_SHOWN_MAX = 100
RATE_DAYS_MAX = 2 * 366
_SEE_WELDERS = frozenset({Rol.SUPERVISOR, Rol.ADMINISTRADOR, Rol.METROLOGIA, Rol.NDT})
_WHO = "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO"
_REQUEST = {
    400: "UNION_NO_DISPONIBLE: no está soldada; OPERACION_NO_DISPONIBLE: ya tiene ese ensayo abierto",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO",
    404: f"{_WHO}, UNION_NO_ENCONTRADA",
    409: "VERSION_CONFLICT",
}
_RESULT = {
    400: "ENSAYO_CERRADO: ya tiene resultado o se anuló",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO",
    404: f"{_WHO}, ENSAYO_NO_ENCONTRADO, FOTO_NO_ENCONTRADA",
    409: "VERSION_CONFLICT",
}
_REPAIR = {
    400: "OPERACION_NO_DISPONIBLE: no hay ensayo rechazado que reparar; SOLDADOR_NO_CALIFICADO",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: f"{_WHO}, UNION_NO_ENCONTRADA",
    409: "SPOOL_OCCUPIED, VERSION_CONFLICT",
}
_READ = documented_problems({422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
MethodQuery = Annotated[str, Query(max_length=METHOD_LENGTH_MAX, examples=["RT"])]


def add(app: Application, services: Services) -> None:
    def one(path: str, body: type[B], command: Callable[[B], NdtCommand], refusals: dict[int, str], what: str) -> None:
        endpoint = ActionEndpoint(services, path, body, lambda b: (command(b),), lambda c, o: _answer(c, o, services))
        app.add_action(endpoint, NdtAnswer, refusals, what)

    one("/api/ndt/solicitar", SolicitarNdtBody, _request, _REQUEST, "Solicitar el ensayo de uniones soldadas")
    one("/api/ndt/resultado", ResultadoNdtBody, _result, _RESULT, "Registrar el resultado de un ensayo")
    one("/api/ndt/reparar", RepararUnionBody, _repair, _REPAIR, "Registrar la reparación de una unión rechazada")
    _add_list(app, services)
    _add_rates(app, services)


def _request(body: SolicitarNdtBody) -> SolicitarNdt:
    return SolicitarNdt(
        body.tag_spool, body.supervisor_id, body.metodo.upper(), body.unions, body.motivo, version=body.version
    )


def _result(body: ResultadoNdtBody) -> ResultadoNdt:
    return ResultadoNdt(
        body.tag_spool,
        body.worker_id,
        body.examen,
        body.resultado,
        body.informe,
        body.fecha,
        tuple(code.upper() for code in body.defectos),
        body.fotos,
        version=body.version,
    )


def _repair(body: RepararUnionBody) -> RepararUnion:
    return RepararUnion(body.tag_spool, body.worker_id, body.n_union, version=body.version)


def _answer(commands: Sequence[Command], outcomes: Sequence[Outcome], services: Services) -> Answer:
    outcome = outcomes[0]
    if not isinstance(outcome, Success):
        return action_answer(commands[0], outcome, services.shop)
    change = outcome.change
    exams = [exam.id for each in (change, *change.others) for exam in each.exams]
    body = success_body(commands[0], outcome, services.shop)
    return Answer(200, as_json({**body, "ensayos": exams}))


def _add_list(app: Application, services: Services) -> None:
    @app.get("/api/ndt", response_model=EnsayoList, responses=_READ, tags=["ndt"])
    async def ensayos(
        request: Request,
        estado: EnsayoEstado | None = None,
        metodo: MethodQuery = "",
        ot: Annotated[str, Query(max_length=OT_LENGTH_MAX)] = "",
        tag: Annotated[str, Query(max_length=TAG_LENGTH_MAX)] = "",
        cursor: Annotated[str, Query(pattern="^([pr][0-9]{1,18})?$")] = "",
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    ) -> Json:
        """Los ensayos: primero los que esperan su resultado, después los demás, lo más nuevo primero. Quién soldó lo
        ven supervisores, administradores, Metrologia y NDT; los demás, sólo lo propio."""
        shop, names = services.shop, _names_for(request)
        if not all(map(writable, (metodo, ot, tag))):
            return Json(list_json(ExamPage([], None), 0, [], shop, names))
        wanted = ListFilter(estado or "", metodo.upper(), ot, tag)
        page, waiting, groups = await services.read(lambda tx: _page(tx, wanted, cursor, limit))
        return Json(list_json(page, waiting, groups, shop, names))


def _page(tx: Tx, wanted: ListFilter, cursor: str, limit: int) -> tuple[ExamPage, int, list[SampleGroup]]:
    filters = {"method": wanted.method, "ot": wanted.ot, "tag": wanted.tag}
    counted = tx.one("ndt_pending_count", **filters)
    read = to_repair if wanted.status == EnsayoEstado.POR_REPARAR else list_exams
    return read(tx, wanted, cursor, limit), int(counted[0]) if counted else 0, all_groups(tx)


class WelderNames(NamedTuple):
    """Which welders a reader of the list sees by name: all of them, or only themselves. The number of a label tells who
    it is: initials change when a name is corrected."""

    everybody: bool
    own_id: int | None = None

    def shown(self, label: str | None) -> str | None:
        if self.everybody or not label:
            return label
        return label if self.own_id is not None and labelled_id(label) == self.own_id else None


def _names_for(request: Request) -> WelderNames:
    """Without identity the list is there for everybody, like the supervisor's page. A token reads no names."""
    author = author_of(request.scope)
    if author is None or author.roles & _SEE_WELDERS:
        return WelderNames(everybody=True)
    return WelderNames(everybody=False, own_id=author.worker_id)


def list_json(
    page: ExamPage, waiting: int, groups: Sequence[SampleGroup], shop: Shop, names: WelderNames
) -> dict[str, Any]:
    owed = [row for row in owed_json(groups, shop.ndt) if names.shown(row["soldador"]) is not None]
    return {
        "ensayos": [exam_json(exam, shop, names) for exam in page.exams],
        "pendientes": waiting,
        "next_cursor": page.next_cursor,
        "metodos": list(shop.ndt.methods),
        "defectos": list(shop.ndt.defects),
        "debidos": owed[:OWED_SHOWN_MAX],
    }


def owed_json(groups: Sequence[SampleGroup], policy: NdtPolicy) -> list[dict[str, Any]]:
    """What groups owe: additional examinations, and those that a rule lacks because a weld was reopened."""
    percents = {rule.id: rule.percent for rule in policy.rules}
    found = []
    for group in groups:
        lacks = max(0, required(percents.get(group.key.rule, 0), group.welded) - group.selected)
        if missing := lacks + (group.owed if policy.additional else 0):
            _, ot, welder, method = group.key
            found.append({"ot": ot, "soldador": welder, "metodo": method, "faltan": missing})
    return found


def exam_json(exam: Examination, shop: Shop, names: WelderNames) -> dict[str, Any]:
    return {
        "id": exam.id,
        "tag_spool": exam.tag,
        "n_union": exam.n_union or None,
        "ot": exam.ot,
        "metodo": exam.method,
        "ronda": exam.round,
        "origen": exam.origin,
        "estado": exam.status,
        "vigente": exam.current,
        "soldador": names.shown(exam.welder),
        "proceso": exam.process,
        "dn_union": inches(exam.dn_milli) if exam.dn_milli is not None else None,
        "tipo_union": exam.tipo,
        "solicitado_en": iso(exam.requested_at, shop.zone),
        "solicitado_por": exam.requested_by,
        "informe": exam.report,
        "examinador": exam.examiner,
        "defectos": list(exam.defects),
        "fotos": list(exam.photos),
        "fecha": exam.result_day.isoformat() if exam.result_day else None,
        "reparado": exam.repaired_at is not None,
        "reparado_por": names.shown(exam.repaired_by),
    }


def _add_rates(app: Application, services: Services) -> None:
    @app.get("/api/ndt/tasas", response_model=TasaList, responses=_READ, tags=["ndt"])
    async def tasas(request: Request, desde: Day, hasta: Day, por: RatePor, metodo: MethodQuery = "") -> Json:
        """Uniones examinadas y rechazadas, con su tasa y un intervalo del 95 %. Los nombres, sólo para supervisores."""
        period_of(desde, hasta, services.shop, RATE_DAYS_MAX)
        days = (desde.isoformat(), hasta.isoformat())
        method = metodo.upper() if writable(metodo) else "?"
        rows = by_key(por, await services.read(lambda tx: rates(tx, por, *days, method)))
        named = por is not RatePor.SOLDADOR or _sees_names(request)
        return Json(rates_json(por, rows, named))


def _sees_names(request: Request) -> bool:
    """Without identity the page is there for everybody, like the supervisor's."""
    author = author_of(request.scope)
    return author is None or bool(author.roles & {Rol.SUPERVISOR, Rol.ADMINISTRADOR})


def rates_json(por: RatePor, rows: dict[str, Examined], named: bool) -> dict[str, Any]:
    """Without names those with most examinations come first: the order of labels would tell who is who."""
    whole = Examined()
    for row in rows.values():
        whole = whole.plus(row)
    shown = list(rows.items())
    if not named:
        shown.sort(key=lambda each: (-each[1].joints, -each[1].rejected))
    filas = [{"clave": key if named else None, **examined_json(row)} for key, row in shown]
    return {"por": por, "filas": filas, "taller": examined_json(whole), "minimo": EXAMINED_MIN}


def examined_json(row: Examined) -> dict[str, Any]:
    rate = row.rate
    return {
        "examinadas": row.joints,
        "rechazadas": row.rejected,
        "reparaciones": row.rejections,
        "tasa": rate and rate.rate,
        "desde_95": rate and rate.low,
        "hasta_95": rate and rate.high,
    }
