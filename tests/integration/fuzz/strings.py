"""Five hundred strings that often break programs, always the same, and what each place may make of them. The rules
stand here in their own words, not in the product's: they are what the documentation promises."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from itertools import chain

COUNT = 500
BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000"
LINE_ENDS = ["a\rb", "a\nb", "a\r\nb", "a\n\rb", "a\r\r\nb", "a\tb", "\ta\t", "a\n\n\nb", "a\x0bb", "a\x0cb", "a\n=1+1"]
FORMULAS = [
    *("=1+1", "+1+1", "-1+1", "@SUM(1)", "=", "==", "= 1", "=A1", '="x"', "=TODAY()", "=1/0", "+", "-", "@"),
    *('=HYPERLINK("http://x","y")', '=IMPORTDATA("http://x")', "=cmd|' /C calc'!A0", "%=1", "{=1}", "\t=1", " =1+1"),
    *("=SUM(A:A)", "=ñ", "=😀", "＝1+1", "=1\n+1", "=HOY()", "=_x0031_", "='", '="'),
]
QUOTES = [
    "'",
    "''",
    "'0012",
    "'=1",
    '"',
    '""',
    '"a"',
    "«»",
    "`",
    "´",
    "\\",
    "\\\\",
    "\\'",
    "\\n",
    "a'b\"c",
    "'TRUE",
    "\\u0000",
]
NUMBERS = [
    *("0", "-0", "00123", "007", "1e5", "1E400", "1E-400", "12E3", "1,5", "1.5", "1.50", "1.", ".5", ",5", "1.234,56"),
    *("1,234.56", "1_000", "1 000", "0x1F", "0b1", "0o7", "NaN", "nan", "Infinity", "-Infinity", "inf", "1e", "--1"),
    *(
        "9007199254740993",
        "99999999999999999999",
        "1" * 40,
        "0." + "1" * 30,
        "١٢٣",
        "１２３",
        "½",
        "²",
        "Ⅷ",
        "三",
        '2"',
    ),
    *("50%", "$100", "1/2", "1-2", "1:2", "+56 9 1234 5678", "1e5e5", "46331", "46331.5", "0.1"),
]
DATES = [
    *(
        "01/02/2026",
        "01-02-2026",
        "2026-02-01",
        "2026-02-30",
        "31/12/1899",
        "1/1/1900",
        "29-02-2027",
        "12:30",
        "24:00:00",
    ),
    *(
        "2026-11-15T10:00:00Z",
        "2026-11-15T10:00:00-03:00",
        "15-11-2026 10:00:00",
        "15.11.26",
        "Nov-15",
        "15-nov",
        "MAR1",
    ),
    *("SEPT2", "2026", "2026-W46-7", "20261115", "1e3/2", "00/00/0000", "9999-12-31", "hoy", "ayer"),
]
WORDS = [
    *(
        "TRUE",
        "FALSE",
        "true",
        "VERDADERO",
        "FALSO",
        "null",
        "NULL",
        "None",
        "undefined",
        "nil",
        "void",
        "#N/A",
        "#REF!",
    ),
    *("#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#ERROR!", "CON", "NUL", "COM1", "DISPONIBLE", "Disponible"),
    *("MR(93)", "MR(0)", "XX(404)", "BLOQUEADO - Contactar supervisor", "METROLOGIA_APROBADO ✓", "spool_locks"),
    *(
        "spool_lock:MK-1",
        "93:uuid:16-11-2026",
        "constructor",
        "__proto__",
        "toString",
        "TAG_SPOOL",
        "api",
        "metrics",
        ".",
    ),
]
INJECTIONS = [
    *(
        "' OR 1=1 --",
        "'; DROP TABLE spool; --",
        "1); DELETE FROM event; --",
        "%' ESCAPE '",
        "%",
        "_",
        "%%",
        "?",
        ":tag",
    ),
    *(
        "$1",
        "%s",
        "%(tag)s",
        "{0}",
        "{tag}",
        "${HOME}",
        "$(id)",
        "`id`",
        "; ls",
        "| cat",
        "&& true",
        "{{7*7}}",
        "<%= 1 %>",
    ),
    *("<script>alert(1)</script>", "<b>x</b>", "<!-- x -->", "&lt;", "&amp;amp;", "&#0;", "&#x1F600;", "<![CDATA[x]]>"),
    *("]]>", "<?xml version='1.0'?>", "<!DOCTYPE x>", "&undefined;", "javascript:alert(1)", "data:text/html,x"),
    *(
        '{"a":1}',
        '"}',
        '\\"}',
        "[1,2]",
        "a,b,c",
        'a,"b",c',
        "a;b;c",
        "a\tb\tc",
        '"a\nb",c',
        "%00",
        "%0d%0a",
        "%2F",
        "%zz",
    ),
    *("../../etc/passwd", "..\\..\\x", "/etc/passwd", "C:\\x", "file:///x", "//x", "a/b", "/", "\r\nSet-Cookie: x=y"),
    *("http://x/?a=b&c=d#e", "a&b=c", "a+b", "a#b", "a?b", "\x1b[31mrojo\x1b[0m", "\x07", "*", "\\x00", "(){ :;};"),
]
XLSX = [
    *(
        "<r>x</r>",
        "<r><t>x</t></r>",
        "<r>&</r>",
        "_x000D_",
        "_x0000_",
        "_x005F_",
        "_x005F_x000D_",
        "_x000d_",
        "_X000D_",
        "_x00",
        "_x000D",
        "x000D_",
        "_xD83D__xDE00_",
    ),
    *("a_x0041_b", "__x0041__", "_x0041_x0042_", "_xFFFE_", "_x_", "_xGGGG_", "_x0009_", "_x000A_", "_x0020_a_x0020_"),
]
BIDI = [
    *(
        "\u202eabc",
        "\u202dabc\u202c",
        "\u2066abc\u2069",
        "\u2067abc",
        "שלום",
        "مرحبا",
        "abc שלום 123",
        "\u200fabc",
        "\u200eabc",
    ),
    *("\u061cabc", "א\u05b7ב", "لا إله", "ﷺ", "١٢٣ abc", "\u202a\u202b\u202c"),
]
INVISIBLE = [
    *(
        "a\u200bb",
        "a\u200cb",
        "a\u200db",
        "a\u2060b",
        "\ufeffa",
        "a\ufeff",
        "\u200b",
        "\u2060",
        "a\xadb",
        "\u034f",
        "\u3164",
        "\u115f",
    ),
    *("a\u180eb", "a\ufe0f", "\ufff9a\ufffa\ufffb", "\u2800", "a\U000e0001b", "\U000e0061"),
]
COMBINING = [
    *(
        "e\u0301",
        "\u0301e",
        "n\u0303andu\u0301",
        "A\u030a",
        "\u212b",
        "\u2126",
        "\u212a",
        "\ufb01",
        "ﬃ",
        "a" + "\u0300" * 40,
    ),
    *(
        "\u1112\u1161\u11ab",
        "가\u11a8",
        "\u0958",
        "q\u0323\u0307",
        "q\u0307\u0323",
        "\u1e9b\u0323",
        "İ",
        "ı",
        "ß",
        "ẞ",
        "ŉ",
        "ǆ",
    ),
    *("σς", "ﬆ", "\u0344", "\u0345", "\u1fbe", "\u2000a", "x\u20dd", "1\ufe0f\u20e3"),
]
EMOJI = [
    *("😀", "👩‍🏭", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇨🇱", "🇨", "👍🏽", "❤️", "1️⃣", "🫠", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🤷🏽‍♀️"),
    *("😀" * 50, "a😀b", "😀=1", "\u200d😀", "\U0001f3fb", "🧑🏿‍🚀"),
]
EDGES = [
    *("\ud7ff", "\ue000", "\uf8ff", "\ufffd", "\ufffe", "\uffff", "a\uffffb", "\U00010000", "\U0010ffff", "\U0010fffe"),
    *(
        "\U0001fffe",
        "\ufdd0",
        "\ufdef",
        "\ud800",
        "\udfff",
        "a\ud83db",
        "\ude00\ud83d",
        "\udc80",
        "\x80",
        "\xff",
        "\u0100",
    ),
]


def _planes() -> Iterator[str]:
    for plane in range(17):
        for offset in (0x0041, 0xABCD):
            yield f"<{chr(plane * 0x10000 + offset)}>"


def _controls() -> Iterator[str]:
    yield from (f"a{chr(code)}b" for code in [*range(0x20), 0x7F, 0x80, 0x85, 0x92, 0x9F])
    yield from ("\0", "\0a", "a\0", "\x01", "\x7f")


def _blanks() -> Iterator[str]:
    yield from (f"{blank}a{blank}b{blank}" for blank in BLANKS)
    yield from ("", " ", "   ", "\n", "\xa0", "a  b", " a", "a ", "  a   b  ")


def _long() -> Iterator[str]:
    for size in (99, 100, 101, 128, 129, 499, 500, 501, 999, 1_000, 1_001, 5_000):
        yield "x" * size
    yield from (
        "ñ" * 100,
        "😀" * 100,
        "e\u0301" * 100,
        "a " * 250,
        "=" * 500,
        "\n" * 400 + "a",
        "_x000D_" * 70,
        "&" * 500,
    )


def _mixtures() -> Iterator[str]:
    """Random combinations of the other strings, from a fixed seed."""
    die = random.Random(500)
    pieces = [*FORMULAS, *QUOTES, *INJECTIONS, *XLSX, *BIDI, *INVISIBLE, *COMBINING, *EMOJI, *LINE_ENDS]
    while True:
        yield "".join(die.choice(pieces) for _ in range(die.randint(2, 4)))


def _five_hundred() -> list[str]:
    lists = (
        LINE_ENDS,
        FORMULAS,
        QUOTES,
        NUMBERS,
        DATES,
        WORDS,
        INJECTIONS,
        XLSX,
        BIDI,
        INVISIBLE,
        COMBINING,
        EMOJI,
        EDGES,
    )
    families = chain(*lists, _planes(), _controls(), _blanks(), _long(), _mixtures())
    found: dict[str, None] = {}
    for text in families:
        found[text] = None
        if len(found) == COUNT:
            return list(found)
    raise AssertionError("the mixtures never end")


NASTY = _five_hundred()


def is_encodable(text: str) -> bool:
    """Half of a surrogate pair is no text at all: it cannot be written in UTF-8."""
    return not any(unicodedata.category(c) == "Cs" for c in text)


def writable(text: str) -> bool:
    """No control character but tab and line ends, no half of a pair, nothing that XML cannot hold."""
    return is_encodable(text) and not any(
        (ord(c) < 0x20 and c not in "\t\n\r") or c in "\x7f\ufffe\uffff" or unicodedata.category(c) == "Cs"
        for c in text
    )


def as_cell(text: str) -> str | None:
    """In a workbook: without the blanks around it, line ends as LF, NFC, up to 1,000 characters. None: left out."""
    trimmed = text.strip()
    if not writable(trimmed):
        return None
    stored = unicodedata.normalize("NFC", trimmed.replace("\r\n", "\n").replace("\r", "\n"))
    return stored if len(stored) <= 1_000 else None


def as_motivo(text: str) -> str | None:
    """A reason: on one line, each run of blanks is one; else as it was typed. None: refused."""
    stored = " ".join(text.split())
    return stored if stored and len(text) <= 500 and writable(stored) else None


def as_tag(text: str) -> str | None:
    """Printable, NFC, without the blanks around it, up to 100 characters. None: refused."""
    stored = unicodedata.normalize("NFC", text).strip()
    if not 0 < len(stored) <= 100:
        return None
    unprintable = any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or _never_a_character(c) for c in stored)
    return None if unprintable else stored


def has_hidden_characters(text: str) -> bool:
    """Unicode calls them default-ignorable or format characters; U+2800 is a blank that is no blank."""
    ranges = (
        *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F)),
        *((0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0)),
        *((0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF)),
    )
    return any(unicodedata.category(c) == "Cf" or any(low <= ord(c) <= high for low, high in ranges) for c in text)


def _never_a_character(c: str) -> bool:
    return ord(c) & 0xFFFE == 0xFFFE or "\ufdd0" <= c <= "\ufdef"
