"""The page as HTML, without any script. Every text of it is ours; the host asked for was checked before."""

from __future__ import annotations

from html import escape

from carrete.api.server.trust_page.drawings import drawing
from carrete.api.server.trust_page.guides import DeviceGuide, Language
from carrete.api.server.trust_page.words import words

STYLE_PATH = "/trust.css"


def trust_page(language: Language, https_url: str, fingerprint: str) -> str:
    text = words(language)
    other: Language = "en" if language == "es" else "es"
    why = "".join(f"<p>{escape(sentence)}</p>" for sentence in text.why)
    guides = "".join(_guide(guide, text.download) for guide in text.guides)
    links = "".join(f'<a href="#{guide.name.lower()}">{escape(guide.name)}</a>' for guide in text.guides)
    return _document(
        language,
        text.title,
        f'<header><h1>{escape(text.title)}</h1><a lang="{other}" '
        f'href="/?idioma={other}">{text.other_language}</a></header>'
        f"<main><section><h2>{escape(text.why_title)}</h2>{why}</section>"
        f'<section class="check"><h2>{escape(text.check_title)}</h2><p class="fingerprint">{_broken(fingerprint)}</p>'
        f"<p>{escape(text.check)}</p></section>"
        f"<section><h2>{escape(text.device_title)}</h2><nav "
        f'aria-label="{escape(text.device_title)}">{links}</nav></section>'
        f"{guides}"
        f'<section class="done"><h2>{escape(text.go_title)}</h2><p>{escape(text.go)}</p>'
        f'<p class="address">{escape(https_url)}</p>'
        f'<a class="button" href="{escape(https_url)}/">{escape(text.go_button)}</a></section></main>',
    )


def nothing_here(language: Language) -> str:
    text = words(language)
    body = (
        f"<main><h1>{escape(text.title)}</h1><p>{escape(text.not_here)}</p>"
        f'<a class="button" href="/">{escape(text.back)}</a></main>'
    )
    return _document(language, text.title, body)


def _guide(guide: DeviceGuide, download: str) -> str:
    steps = "".join(
        f"<li>{drawing(step, step.frame or guide.frame)}<p>{escape(step.text)}</p></li>" for step in guide.steps
    )
    return (
        f'<section id="{guide.name.lower()}"><h2>{escape(guide.name)}</h2>'
        f'<a class="button" href="/{guide.file}">{escape(download)} {guide.file}</a><ol>{steps}</ol></section>'
    )


def _broken(fingerprint: str) -> str:
    """Lines of eight pairs: easier to compare, and they fit on a narrow screen."""
    pairs = fingerprint.split(":")
    return "".join(f"<span>{':'.join(pairs[start : start + 8])}</span> " for start in range(0, len(pairs), 8))


def _document(language: Language, title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)} · Carrete</title><link rel="stylesheet" '
        f'href="{STYLE_PATH}"></head><body>{body}</body></html>\n'
    )
