"""The body of a message in the format that its receiver understands."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import iso
from carrete.webhooks.message import WebhookMessage

TEXT_CHARS_MAX = 2_000  # Telegram takes 4,096
CHAT_QUERY = "chat_id"  # Telegram: the part of the address's query that says which chat


class WebhookFormat(StrEnum):
    JSON = "json"
    SLACK = "slack"
    TEAMS = "teams"
    TELEGRAM = "telegram"


def body_of(message: WebhookMessage, form: WebhookFormat, url: str, zone: ZoneInfo) -> bytes:
    match form:
        case WebhookFormat.JSON:
            body = _plain(message, zone)
        case WebhookFormat.SLACK:
            body = _slack(message)
        case WebhookFormat.TEAMS:
            body = _teams(message)
        case WebhookFormat.TELEGRAM:
            body = {"chat_id": chat_of(url), "text": _text(message)}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def chat_of(url: str) -> str:
    """Empty when the address names none."""
    return parse_qs(urlsplit(url).query).get(CHAT_QUERY, [""])[0]


def _plain(message: WebhookMessage, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "id": message.id,
        "seq": message.seq,
        "tipo": message.kind,
        "at": iso(message.at, zone),
        "tag_spool": message.tag,
        "texto": message.text,
        "datos": dict(message.data),
    }


def _slack(message: WebhookMessage) -> dict[str, Any]:
    """Slack reads `&`, `<` and `>` as the beginning of its own marks."""
    return {"text": _text(message).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}


def _teams(message: WebhookMessage) -> dict[str, Any]:
    """A card: the flows of Teams that receive webhooks take no bare text. A `TextBlock` would be read as Markdown, so
    that a tag like `[MK-1](https://…)` is a link in our name."""
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": _text(message)}]}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def _text(message: WebhookMessage) -> str:
    return message.text[:TEXT_CHARS_MAX]
