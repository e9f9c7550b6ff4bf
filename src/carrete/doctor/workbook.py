"""Whether the Google workbook can be reached, and has the tabs that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from carrete.findings import Finding, Words, bad, good, note
from carrete.settings import Settings
from carrete.sheets.clock import RealClock
from carrete.sheets.google.client import Workbook
from carrete.sheets.google.errors import Denied, SheetsError
from carrete.sheets.running import client_for
from carrete.sheets.structure import EXPECTED_PLANS, REQUIRED, tabs_by_name


def reachable(settings: Settings) -> Iterator[Finding]:
    if not settings.google_sheet_id:
        yield note(
            Words(
                "workbook: no Google Sheet set; .xlsx in and out with `carrete import` and `carrete export`",
                "planilla: sin planilla de Google; los archivos .xlsx entran y salen en Administración, Planilla",
            )
        )
        return
    try:
        client = client_for(settings, RealClock())
    except Denied as error:
        yield bad(
            Words(f"workbook: {error}", f"planilla: no se puede usar la clave de Google ({error})"),
            Words(
                "point it to the service account's JSON key; docs/google-sheets.md tells how to get it",
                "suba la clave JSON de la cuenta de servicio en Administración, Planilla",
            ),
        )
        return
    try:
        found = client.workbook()
    except Denied as error:
        yield bad(
            Words(f"workbook: {error}", f"planilla: Google no deja entrar ({error})"),
            Words(
                f"share it with {client.email}; see docs/google-sheets.md",
                f"compártala con {client.email}",
            ),
        )
    except SheetsError as error:
        yield bad(
            Words(f"workbook: {error}", f"planilla: Google no responde ({error})"),
            Words(
                "nothing is lost: what waits is written when Google answers again",
                "no se pierde nada: lo que espera se escribe cuando Google responda",
            ),
        )
    else:
        yield from _tabs(found, client.email)
    finally:
        client.close()


def _tabs(workbook: Workbook, email: str) -> Iterator[Finding]:
    there = tabs_by_name(workbook.tabs)
    yield good(
        Words(
            f"workbook: «{workbook.title}», reached as {email}",
            f"planilla: «{workbook.title}», se entra como {email}",
        )
    )
    if missing := [plan.name for plan in EXPECTED_PLANS if plan.name not in there]:
        named = ", ".join(missing)
        what = Words(f"workbook: no tab {named}", f"planilla: falta la hoja {named}")
        to_do = Words("see `carrete sync --init`", "agréguela, o use `carrete sync --init`")
        yield bad(what, to_do) if any(plan.name in missing for plan in REQUIRED) else note(what, to_do)
