"""A dossier's facts as texts and rows in one language: what both the PDF and the .xlsx show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from carrete.dossier.facts import DossierFacts, DossierIdentity, SpoolFacts, WeldFacts
from carrete.dossier.summary import PENDING, REJECTED, Totals, counts, totals_of
from carrete.dossier.tables import GOOD, QUIET, TONES, DossierTable, tables_of
from carrete.dossier.words import DossierWords, Language


@dataclass(frozen=True, slots=True)
class MapMark:
    label: str
    x: int
    y: int
    tone: str


@dataclass(frozen=True, slots=True)
class WeldMap:
    tag: str
    file: str  # the picture's id, until it has a file
    width: int
    height: int
    marks: tuple[MapMark, ...]
    note: str


@dataclass(frozen=True, slots=True)
class DossierPhoto:
    file: str
    caption: str


@dataclass(frozen=True, slots=True)
class DossierDocument:
    language: Language
    identity: DossierIdentity
    scope: str
    heading: str
    shop: str
    cover: tuple[tuple[str, str], ...]
    figures: tuple[tuple[str, str], ...]
    tables: dict[str, DossierTable]
    maps: tuple[WeldMap, ...]
    photos: tuple[DossierPhoto, ...]
    photos_note: str

    def with_files(self, files: Mapping[str, str]) -> DossierDocument:
        """With the name of each picture's file, by its id. Maps and photos whose picture is lost are left out."""
        maps = tuple(replace(each, file=files[each.file]) for each in self.maps if each.file in files)
        photos = tuple(replace(each, file=files[each.file]) for each in self.photos if each.file in files)
        return replace(self, maps=maps, photos=photos)

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "words": dict(DossierWords(self.language).all())}


def document_of(facts: DossierFacts, language: Language) -> DossierDocument:
    words, totals = DossierWords(language), totals_of(facts)
    left_out = sum(spool.photos_left_out for spool in facts.spools)
    return DossierDocument(
        language=language,
        identity=facts.identity(),
        scope=words[{"SPOOL": "of_spool", "OT": "of_ot"}.get(facts.scope, "of_list")],
        heading=facts.scope_name or f"{len(facts.spools)} {words['spools'].lower()}",
        shop=facts.shop,
        cover=_cover(facts, words),
        figures=_figures(totals, words),
        tables=tables_of(facts, words),
        maps=tuple(_map(spool, words) for spool in facts.spools if spool.drawing),
        photos=tuple(_photos(facts, words)),
        photos_note=words["photos_left_out"].format(n=left_out) if left_out else "",
    )


def _cover(facts: DossierFacts, words: DossierWords) -> tuple[tuple[str, str], ...]:
    identity, last = facts.identity(), facts.last_event
    rows = [
        (words["shop"], facts.shop or "–"),
        (words["ot"], _distinct(spool.ot for spool in facts.spools)),
        (words["nv"], _distinct(spool.nv for spool in facts.spools)),
        (words["number"], identity.number),
        (words["facts_of"], words.moment(last.at) or "–"),
        (words["trail"], f"{words['trail_seq']} {last.seq}"),
        *([(words["trail_hash"], last.hash)] if last.hash else []),
        (words["hash"], identity.hash),
    ]
    return tuple(rows)


def _figures(totals: Totals, words: DossierWords) -> tuple[tuple[str, str], ...]:
    of_several = [(words["approved_spools"], f"{totals.approved_spools} / {totals.spools}")]
    return (
        *(of_several if totals.spools > 1 else ()),
        (words["joints"], str(totals.joints)),
        (words["welded"], str(totals.welded)),
        (words["inches"], totals.inches),
        (words["examined"], str(totals.examinations)),
        (words["repairs"], str(totals.repairs)),
    )


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value)) or "–"


def _map(spool: SpoolFacts, words: DossierWords) -> WeldMap:
    drawing = spool.drawing
    assert drawing is not None
    welds = {weld.n_union: weld for weld in spool.welds}
    marks = tuple(
        MapMark(_label_of_weld(mark.n_union, weld), mark.x, mark.y, _tone_of_weld(weld))
        for mark in drawing.marks
        for weld in [welds.get(mark.n_union)]
    )
    placed = sum(mark.n_union in welds for mark in drawing.marks)
    note = words["placed"].format(n=placed, of=len(welds))
    revision = f"{words['drawing']} {words['revision'].lower()} {drawing.revision}, {words.day(drawing.on)}"
    return WeldMap(spool.tag, drawing.id, drawing.width, drawing.height, marks, f"{revision} · {note}")


def _label_of_weld(n_union: int, weld: WeldFacts | None) -> str:
    """The joint's number, with its last repair as on a marked-up drawing: `4R1`."""
    return f"{n_union}R{weld.repairs[-1].round}" if weld and weld.repairs else str(n_union)


def _tone_of_weld(weld: WeldFacts | None) -> str:
    """As the last examination says; without one, whether the joint is welded."""
    if weld is None:
        return QUIET
    results = {each.method: each.result for each in weld.examinations if counts(each)}.values()
    for result in (REJECTED, PENDING):
        if result in results:
            return TONES[result]
    return GOOD if results else ("" if weld.welded_on else QUIET)


def _photos(facts: DossierFacts, words: DossierWords) -> Iterable[DossierPhoto]:
    for spool in facts.spools:
        for photo in spool.photos:
            where = f"{spool.tag} · {words['joint']} {photo.n_union}" if photo.n_union else spool.tag
            about = f"{where} · {words.moment(photo.at)} · {photo.by}"
            caption = f"{about}\n{photo.text}" if photo.text else about
            yield DossierPhoto(photo.id, caption)
