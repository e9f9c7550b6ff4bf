"""What chats make of a message: text, whatever a tag or a name looks like."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carrete.webhooks.formats import WebhookFormat, body_of
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message

LINKS = (
    "[MK-1](https://evil.example)",
    "<https://evil.example|MK-1>",
    "<!channel>",
    "<a href='//evil.example'>MK-1</a>",
)


def said(form: WebhookFormat, text: str) -> dict[str, Any]:
    message = new_message(WebhookKind.OCUPADO, text, datetime.now(UTC))
    body: dict[str, Any] = json.loads(body_of(message, form, "https://chat.example/x?chat_id=1", ZoneInfo("UTC")))
    return body


@pytest.mark.parametrize("text", LINKS)
def test_no_text_is_a_link_in_a_chat(text: str) -> None:
    card = said(WebhookFormat.TEAMS, text)["attachments"][0]["content"]
    (block,) = card["body"]
    assert block["type"] == "RichTextBlock", "a TextBlock would be read as Markdown"
    assert block["inlines"] == [{"type": "TextRun", "text": text}]
    assert "<" not in said(WebhookFormat.SLACK, text)["text"]
    telegram = said(WebhookFormat.TELEGRAM, text)
    assert telegram == {"chat_id": "1", "text": text}, "without `parse_mode` Telegram takes it as it is"
