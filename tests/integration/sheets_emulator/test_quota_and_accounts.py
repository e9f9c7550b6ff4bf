"""Sixty requests a minute for each user, three hundred for the project; and which callers are admitted."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from tests.integration.sheets_emulator.conftest import OPERACIONES
from tests.integration.sheets_emulator.requests import cells
from tests.support.emulator import GRANT, Api, Control, RunningEmulator, assertion
from tests.support.local import LOCAL

READ_ONLY = "https://www.googleapis.com/auth/spreadsheets.readonly"


def test_the_sixty_first_read_of_a_minute_is_refused_and_the_next_minute_is_new(api: Api, control: Control) -> None:
    statuses = [api.get(fields="spreadsheetId").status_code for _ in range(61)]
    assert statuses == [200] * 60 + [429]
    error = api.get().json()["error"]
    assert error == {
        "code": 429,
        "message": (
            "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user' of service "
            "'sheets.googleapis.com' for consumer 'project_number:269908437164'."
        ),
        "status": "RESOURCE_EXHAUSTED",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "RATE_LIMIT_EXCEEDED",
                "domain": "googleapis.com",
                "metadata": {
                    "consumer": "projects/269908437164",
                    "quota_limit": "ReadRequestsPerMinutePerUser",
                    "quota_metric": "sheets.googleapis.com/read_requests",
                    "service": "sheets.googleapis.com",
                },
            }
        ],
    }
    control.advance(60)
    assert api.get().status_code == 200


def test_reads_and_writes_are_counted_apart_and_a_batch_counts_once(api: Api, control: Control) -> None:
    api.batch(*[cells(OPERACIONES, 1, 2, "x")] * 50)
    api.get()
    api.post("/values:batchGetByDataFilter", {"dataFilters": [{"gridRange": {"sheetId": 0}}]})
    used = {one["kind"]: one["used"] for one in control.quota_use()}
    assert used == {"write": 1, "read": 2}


def test_failed_requests_count_too_and_control_never_does(api: Api, control: Control) -> None:
    control.fault("503", kind="read")
    api.get()
    api.get("/values/Nowhere!A1")
    control.rows("Operaciones")
    assert [(one["kind"], one["used"]) for one in control.quota_use()] == [("read", 2)]


def test_each_user_has_its_own_sixty_and_the_project_three_hundred(emulator: RunningEmulator, control: Control) -> None:
    control.quota(spend={"kind": "read", "count": 299})
    with emulator.api("other@carrete-demo.iam.gserviceaccount.com") as other, emulator.api() as api:
        assert other.get(fields="spreadsheetId").status_code == 200
        refused = api.get()
    assert refused.status_code == 429
    assert "limit 'Read requests per minute' of service" in refused.json()["error"]["message"]
    assert {one["user"]: one["refused"] for one in control.quota_use()}["carrete@carrete-demo.iam.gserviceaccount.com"]


def test_a_token_lives_an_hour_of_the_emulators_clock(api: Api, control: Control) -> None:
    control.advance(3598)
    assert api.get().status_code == 200
    control.advance(2)
    expired = api.get()
    assert expired.status_code == 401
    assert expired.json()["error"]["status"] == "UNAUTHENTICATED"
    assert expired.json()["error"]["message"].startswith("Request had invalid authentication credentials.")


def test_nobody_is_let_in_without_a_token(emulator: RunningEmulator, control: Control) -> None:
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic eDp5"}):
        answer = httpx.get(f"{emulator.url}/v4/spreadsheets/{control.spreadsheet}", headers=headers, **LOCAL)
        assert answer.status_code == 401


def granted(emulator: RunningEmulator, jwt: str) -> httpx.Response:
    return httpx.post(f"{emulator.url}/token", data={"grant_type": GRANT, "assertion": jwt}, **LOCAL)


def test_a_token_for_an_assertion(emulator: RunningEmulator) -> None:
    answer = granted(emulator, assertion(emulator.account())).json()
    assert (answer["token_type"], answer["expires_in"]) == ("Bearer", 3599)


def test_assertions_that_are_not_good(emulator: RunningEmulator) -> None:
    good = assertion(emulator.account())
    head, claims, signature = good.split(".")
    other = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).rstrip(b"=").decode()
    wrong = {
        "signature": f"{head}.{claims}.{signature[:-8]}AAAAAAAA",
        "algorithm": f"{other}.{claims}.{signature}",
        "nonsense": "a.b.c",
        "empty": "",
        "too long": assertion(emulator.account(), iat=0, exp=9_999_999_999),
        "long ago": assertion(emulator.account(), iat=1_000_000, exp=1_003_600),
        "undated": assertion(emulator.account(), iat=None),
        "for somebody else": assertion(emulator.account(), aud="https://example.org/"),
    }
    for jwt in wrong.values():
        answer = granted(emulator, jwt)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert granted(emulator, assertion(emulator.account(), scope="email")).json()["error"] == "invalid_scope"
    strange = httpx.post(f"{emulator.url}/token", data={"grant_type": "password"}, **LOCAL)
    assert strange.json()["error"] == "unsupported_grant_type"


def test_a_clock_that_is_wrong_gets_no_token(emulator: RunningEmulator, control: Control) -> None:
    control.fault("invalid_grant", kind="token")
    answer = granted(emulator, assertion(emulator.account()))
    assert answer.json()["error_description"].startswith("Invalid JWT: Token must be a short-lived token")
    control.fault("503", kind="token")
    assert granted(emulator, assertion(emulator.account())).status_code == 503


def test_a_read_only_scope_reads_only(emulator: RunningEmulator, control: Control) -> None:
    with emulator.api(scope=READ_ONLY) as reader:
        assert reader.get().status_code == 200
        refused = reader.batch(cells(OPERACIONES, 1, 2, "x"))
        drive = reader.http.get(f"/drive/v3/files/{control.spreadsheet}")
    assert refused.json()["error"]["message"] == "Request had insufficient authentication scopes."
    assert (refused.status_code, drive.status_code) == (403, 403)


def test_a_workbook_that_is_not_shared_with_us_is_not_ours_to_read(api: Api, control: Control) -> None:
    control.share(["somebody@example.org"])
    refused = api.get().json()["error"]
    assert refused == {"code": 403, "message": "The caller does not have permission", "status": "PERMISSION_DENIED"}
    control.share(None)
    assert api.get().status_code == 200


def test_tokens_can_be_made_to_expire(api: Api, control: Control) -> None:
    control.expire_tokens()
    assert api.get().status_code == 401


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_a_page_of_another_site_cannot_edit_the_workbook(emulator: RunningEmulator, headers: dict[str, str]) -> None:
    url = f"{emulator.server.control_url}/_control/person/edit"
    answer = httpx.post(url, json={"sheet": "Operaciones", "cell": "A2", "value": "x"}, headers=headers, **LOCAL)
    assert answer.status_code == 403
    assert emulator.control.cell("Operaciones", "A2")["value"] == "MK-01"
