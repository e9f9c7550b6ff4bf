"""`carrete worker pin`: gives out PINs, as a table or as a page of cards to print. Nothing shows them a second time."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import segno

from carrete.cli.common import open_ledger, out
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Tx
from carrete.settings import Settings, WrongSetting

if TYPE_CHECKING:
    from carrete.identity.people import PinCard

_STYLE = """
@page { margin: 12mm }
body { font-family: sans-serif; display: flex; flex-wrap: wrap; gap: 6mm }
article { border: 1px dashed #777; width: 85mm; height: 54mm; padding: 5mm; box-sizing: border-box; break-inside: avoid;
  display: flex; justify-content: space-between }
h1 { font-size: 14pt; margin: 0 0 2mm }
p { margin: 0 0 2mm }
.pin { font-size: 22pt; letter-spacing: 2pt; font-weight: bold }
svg { width: 30mm; height: 30mm }
"""


def hand_out(configured: Settings, id_: int | None, *, replace: bool, page: Path | None) -> int:
    """Gives PINs to one person or to all, and shows them. The page is written before the commit: PINs that work but
    that no person has seen would be of no use. Returns how many."""
    from carrete.identity.pins import PinHasher
    from carrete.identity.server_keys import ServerKeys

    with open_ledger(configured) as database:
        with database.writing() as tx:
            hasher = PinHasher(ServerKeys.load(configured.data, tx).pepper)
        with database.reading() as tx:
            cards = _new_cards(tx, id_, replace=replace)
        hashes = [hasher.hash_blocking(card.pin) for card in cards]
        if page and cards:
            write_page(page, cards)
        try:
            with database.writing() as tx:
                _give(tx, cards, hashes)
        except BaseException:
            if page and cards:
                page.unlink(missing_ok=True)
            raise
    if cards and not page:
        print_table(cards)
    return len(cards)


def _new_cards(tx: Tx, id_: int | None, *, replace: bool) -> list[PinCard]:
    from carrete.identity.people import PinCard, people_for_cards
    from carrete.identity.pins import random_pin

    wanted = people_for_cards(tx, everybody=replace or id_ is not None)
    if id_ is not None:
        wanted = [person for person in wanted if person.worker.id == id_]
        if not wanted:
            raise WrongSetting(f"There is no active worker {id_}.")
    return [PinCard(person.worker, random_pin(), person.badge) for person in wanted]


def _give(tx: Tx, cards: Sequence[PinCard], hashes: Sequence[str]) -> None:
    """In one transaction: all of these PINs work, or none."""
    from carrete.identity.people import ChangeAuthor, give_pin

    author = ChangeAuthor(whole_second(datetime.now(UTC)))
    for card, pin_hash in zip(cards, hashes, strict=True):
        give_pin(tx, card.worker.id, pin_hash, author)


def print_table(cards: Sequence[PinCard]) -> None:
    from rich.table import Column, Table

    from carrete.identity.pins import PIN_DIGITS

    table = Table("Id", "Label", "Nombre", Column("PIN", min_width=PIN_DIGITS), "Badge")
    for card in cards:
        name = f"{card.worker.nombre} {card.worker.apellido}"
        table.add_row(str(card.worker.id), card.worker.label, name, card.pin, card.badge or "")
    out.print(table)


def write_page(path: Path, cards: Sequence[PinCard]) -> None:
    """Only this user can read the file. An existing one is kept: it may have PINs that nobody printed yet."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(page_of(cards))
    except FileExistsError:
        raise WrongSetting(f"{path} exists already; choose another name.") from None
    except OSError as error:
        raise WrongSetting(f"{path} cannot be written: {error.strerror}.") from None


def page_of(cards: Sequence[PinCard]) -> str:
    return (
        f'<!doctype html>\n<html lang="es"><head><meta charset="utf-8"><title>Carrete</title><style>{_STYLE}</style>'
        f"</head><body>\n{''.join(map(_card, cards))}</body></html>\n"
    )


def _card(card: PinCard) -> str:
    """The badge is a QR code that a reader types; it says who wants to sign in, and the PIN proves it."""
    name = html.escape(f"{card.worker.nombre} {card.worker.apellido}")
    badge = segno.make(card.badge, micro=False).svg_inline(border=2) if card.badge else ""
    return (
        f"<article><div><h1>{name}</h1><p>{html.escape(card.worker.label)}</p><p>PIN</p>"
        f'<p class="pin">{card.pin}</p></div><div>{badge}</div></article>\n'
    )
