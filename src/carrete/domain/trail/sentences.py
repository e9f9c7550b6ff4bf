"""What an examination found, in plain words, English and Spanish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from carrete.domain.trail.compare import HEAD, TrailReport
from carrete.domain.trail.findings import Kind, TrailFinding
from carrete.domain.trail.printable import PATH_LENGTH_MAX, printable
from carrete.domain.trail.witness import SEAL_SOURCE, MissingKey, Witness

FINDINGS_NAMED_MAX, LOST_NAMED_MAX = 200, 200
# Witnesses are named in Spanish, by what they are and of whom; the longest beginning first.
_ENGLISH_BEGINNINGS = {
    SEAL_SOURCE: "a seal kept in the ledger",
    "sello de tiempo de ": "a time stamp of ",
    "recibo de ": "a receipt of ",
    "respaldo ": "the backup ",
    "sello ": "the seal ",
}


class Sentence(NamedTuple):
    en: str
    es: str


def report_sentences(
    report: TrailReport,
    differences: Sequence[TrailFinding] = (),
    missing_keys: Sequence[MissingKey] = (),
    copies: int = 0,
) -> Iterator[Sentence]:
    """The first says whether all is well. `differences` are those from whole copies, of which so many were compared."""
    checked = _checked(report, copies)
    if report.findings or report.lost or differences:
        yield Sentence(f"THE TRAIL IS NOT WHOLE: {checked.en}.", f"EL REGISTRO NO ESTÁ ÍNTEGRO: {checked.es}.")
        yield from _of_findings(report, differences)
        yield from map(_foreign_workbook, report.foreign)
    elif missing_keys:
        yield Sentence(
            f"A KEY WAS DELETED, so witnesses may be missing. The events fit together: {checked.en}.",
            f"SE BORRÓ UNA CLAVE: pueden faltar testigos. Los eventos calzan: {checked.es}.",
        )
    elif report.witnesses or copies:
        yield Sentence(f"The trail is whole: {checked.en}.", f"El registro está íntegro: {checked.es}.")
    else:
        yield _without_witness(checked.en, checked.es)
    yield from map(missing_key_sentence, missing_keys)


def _of_findings(report: TrailReport, differences: Sequence[TrailFinding]) -> Iterator[Sentence]:
    yield from map(finding_sentence, [*report.findings, *differences][:FINDINGS_NAMED_MAX])
    if (more := len(report.findings) + len(differences) - FINDINGS_NAMED_MAX) > 0:
        yield Sentence(f"… and {more} more places.", f"… y {more} lugares más.")
    yield from map(_lost, report.lost[:LOST_NAMED_MAX])
    if (more := len(report.lost) - LOST_NAMED_MAX) > 0:
        yield Sentence(f"… and {more} more acknowledged actions.", f"… y {more} acciones confirmadas más.")


def _foreign_workbook(source: str) -> Sentence:
    name = printable(source, PATH_LENGTH_MAX)
    return Sentence(
        f"Nothing of {name} is in the trail. If it is the workbook of another shop, verify without it.",
        f"Nada de {name} está en el registro. Si es la planilla de otro taller, verifique sin ella.",
    )


def _checked(report: TrailReport, copies: int) -> Sentence:
    en, es = f"{report.events} events up to {report.head.seq}", f"{report.events} eventos hasta el {report.head.seq}"
    agreeing, witnesses = report.agreeing, report.witnesses
    if witnesses:
        en, es = (
            f"{en}, {agreeing} of {witnesses} witnesses agree",
            f"{es}, {agreeing} de {witnesses} testigos coinciden",
        )
    if copies:
        en = f"{en}, compared event by event with {copies} {'copies' if copies > 1 else 'copy'}"
        es = f"{es}, comparado evento por evento con {copies} {'copias' if copies > 1 else 'copia'}"
    if not witnesses and not copies:
        return Sentence(f"{en}, no witness to compare with", f"{es}, ningún testigo con que comparar")
    return Sentence(en, es)


def _without_witness(checked: str, revised: str) -> Sentence:
    """A chain that was computed anew as a whole fits together as well."""
    return Sentence(
        f"The events fit together: {checked}. Nothing from outside was compared, neither receipts nor a workbook, a "
        "backup or a seal: a trail that somebody computed anew as a whole would not be seen.",
        f"Los eventos calzan entre sí: {revised}. No se comparó con nada de fuera, ni recibos ni planilla, respaldo o "
        "sello: no se vería un registro que alguien rehízo por completo.",
    )


def missing_key_sentence(missing: MissingKey) -> Sentence:
    key, source = printable(missing.fingerprint), _source(missing.source)
    return Sentence(
        f"The public key {key} is missing from the ledger: somebody deleted it. It signed "
        f"{source.en}, event {missing.seq}. Put it back from an exported trail: what it signed counts again then.",
        f"Falta en el registro la clave pública {key}: alguien la borró. Con ella se firmó "
        f"{source.es}, evento {missing.seq}. Repóngala desde un registro exportado: lo que firmó vuelve a valer.",
    )


def finding_sentence(found: TrailFinding) -> Sentence:
    what = _WHAT[found.kind](found)
    event = f" ({found.event})" if found.event else ""
    when = _when(found)
    shown = Sentence("", "")
    if found.witness:
        source = _source(found.witness)
        shown = Sentence(f" Shown by {source.en}.", f" Lo muestra {source.es}.")
    other = _or_others(found)
    return Sentence(
        f"{what.en}{event}{when.en}.{shown.en}{other.en}", f"{what.es}{event}{when.es}.{shown.es}{other.es}"
    )


def _or_others(found: TrailFinding) -> Sentence:
    """Only the head tells it; or the link between two events is broken, and nothing tells on which side of it."""
    if found.witness == HEAD and found.kind is not Kind.HEAD_CHANGED:
        return Sentence(" Or only that head was changed: nothing tells.", " O solo se cambió esa cabeza: nada lo dice.")
    if found.kind is Kind.ADDED and found.unsure:
        return Sentence(
            " Or it is another event of the shop, and was moved there: nothing tells.",
            " O es otro evento del taller, movido ahí: nada lo dice.",
        )
    if not found.or_others:
        return Sentence("", "")
    if found.kind is Kind.MISSING:
        return Sentence(
            " Or the events beside were numbered and chained anew, and others are missing, or none: nothing tells.",
            " O se numeraron y encadenaron de nuevo los eventos vecinos, y faltan otros o ninguno: nada lo dice.",
        )
    return Sentence(
        f" Or what stands before event {found.last} was, and the chain computed anew up to there: nothing tells which.",
        f" O lo fue algo anterior al evento {found.last}, y la cadena se rehízo hasta ahí: nada dice cuál.",
    )


def _source(witness: str) -> Sentence:
    if witness == HEAD:
        return Sentence("the ledger's own head", "la cabeza guardada en el registro")
    source = printable(witness, PATH_LENGTH_MAX)
    for spanish, english in _ENGLISH_BEGINNINGS.items():
        if source.startswith(spanish):
            return Sentence(english + source.removeprefix(spanish), source)
    return Sentence(source, source)


def _events(first: int, last: int) -> Sentence:
    if first == last:
        return Sentence(f"Event {first}", f"El evento {first}")
    return Sentence(f"Events {first} to {last}", f"Los eventos {first} a {last}")


def _changed(found: TrailFinding) -> Sentence:
    place, one = _events(found.first, found.last), found.first == found.last
    fields = f": {', '.join(found.fields)}" if found.fields else ""
    return Sentence(
        f"{place.en} {'was' if one else 'were'} changed{fields}",
        f"{place.es} {'fue cambiado' if one else 'fueron cambiados'}{fields}",
    )


def _missing(found: TrailFinding) -> Sentence:
    if found.at_least or found.witness == HEAD:
        return _fewer(found)
    place, one = _events(found.first, found.last), found.first == found.last
    or_en = f", or event {found.last + 1} was changed (numbers of that time have gaps)" if found.unsure else ""
    or_es = (
        f", o el evento {found.last + 1} fue cambiado (la numeración de entonces tiene saltos)" if found.unsure else ""
    )
    return Sentence(
        f"{place.en} {'is' if one else 'are'} missing{or_en}", f"{place.es} {'falta' if one else 'faltan'}{or_es}"
    )


def _fewer(found: TrailFinding) -> Sentence:
    """Which events are missing, a number beyond the end of the trail does not tell."""
    number = found.at_least or found.last - found.first + 1
    en = f"At least {number} event{'s are' if number > 1 else ' is'} missing"
    es = f"{'Faltan' if number > 1 else 'Falta'} al menos {number} evento{'s' if number > 1 else ''}"
    if found.at_least:
        return Sentence(
            f"{en} of {found.first} to {found.last}; nothing tells which",
            f"{es} del {found.first} al {found.last}; nada dice cuáles",
        )
    return Sentence(
        f"{en}: the last one is {found.first - 1}, and that was {found.last}",
        f"{es}: el último es el {found.first - 1}, y era el {found.last}",
    )


def _added(found: TrailFinding) -> Sentence:
    place, one = _events(found.first, found.last), found.first == found.last
    return Sentence(
        f"{place.en} {'was' if one else 'were'} added, not by Carrete",
        f"{place.es} {'fue agregado' if one else 'fueron agregados'}, no por Carrete",
    )


def _head_changed(found: TrailFinding) -> Sentence:
    if not found.witness:
        en, es = f", with the hash of event {found.last}", f", con el hash del evento {found.last}"
    else:
        other_en, other_es = (" with another hash", " con otro hash") if found.first == found.last else ("", "")
        en = f"{other_en}, and witnesses agree with what the trail has up to {found.last}"
        es = f"{other_es}, y hay testigos que coinciden con el registro hasta el {found.last}"
    return Sentence(
        f"The ledger's own head was changed: it names event {found.first}{en}",
        f"Se cambió la cabeza guardada en el registro: nombra el evento {found.first}{es}",
    )


def _moved(found: TrailFinding) -> Sentence:
    place, one = _events(found.first, found.last), found.first == found.last
    return Sentence(
        f"{place.en} {'stands' if one else 'stand'} in another place: at {found.now_at}",
        f"{place.es} {'está' if one else 'están'} en otro lugar: en el {found.now_at}",
    )


def _rewritten(found: TrailFinding) -> Sentence:
    if found.first == found.last:
        place = Sentence(f"from event {found.first} on: that event", f"desde el evento {found.first}: ese evento")
    else:
        place = Sentence(
            f"from one of the events {found.first} to {found.last} on: it",
            f"desde uno de los eventos {found.first} a {found.last}: ese evento",
        )
    return Sentence(
        f"The trail was rewritten {place.en} was changed, added, removed or moved, and the chain after it was computed "
        "anew",
        f"El registro fue reescrito {place.es} fue cambiado, agregado, quitado o movido, y la cadena que sigue se "
        "rehízo",
    )


_WHAT = {
    Kind.CHANGED: _changed,
    Kind.MISSING: _missing,
    Kind.ADDED: _added,
    Kind.MOVED: _moved,
    Kind.REWRITTEN: _rewritten,
    Kind.HEAD_CHANGED: _head_changed,
}


def _when(found: TrailFinding) -> Sentence:
    en = [f"after {found.since}"] if found.since else []
    es = [f"después de {found.since}"] if found.since else []
    if found.until:
        en.append(f"at the latest {found.until}")
        es.append(f"a más tardar {found.until}")
    return Sentence("".join(f", {part}" for part in en), "".join(f", {part}" for part in es))


def _lost(w: Witness) -> Sentence:
    what, when = w.what or f"event {w.seq}", f", {w.made_at}" if w.made_at else ""
    source = _source(w.source)
    return Sentence(
        f"Acknowledged and not in the trail: {what}{when} (event {w.event_seq or w.seq}; {source.en}).",
        f"Confirmado y no está en el registro: {w.what or f'evento {w.seq}'}{when} "
        f"(evento {w.event_seq or w.seq}; {source.es}).",
    )
