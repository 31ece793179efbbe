"""Pairs of a statement and a source for people to judge, without what the judge said of them (SourceCheckup: experts).

A sheet shows of each source the part that speaks of the statement, whatever was said of it; the key, which stays with
whoever runs the study, says what was.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.factcheck.pairing import DocumentWindows, nearest_sentence
from wellsourced.factcheck.verdicts import was_read
from wellsourced.text.sentences import Span
from wellsourced.types import Checkup, CitedSource, Claim, ClaimSourceVerdict, Document, Value, VerdictLabel, short_key
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

PART_LENGTH = 1_500
"""Characters of a source that a sheet shows."""

CODES: Mapping[VerdictLabel, str] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
}
"""What is written on a sheet for each verdict."""

CODE_SYNONYMS: Mapping[str, VerdictLabel] = {
    **{code: label for label, code in CODES.items()},
    **{label: label for label in CODES},
    **dict.fromkeys(("s", "yes", "y", "1", "support"), "supports"),
    **dict.fromkeys(("c", "contradict", "refuted", "-1"), "contradicts"),
    **dict.fromkeys(("n", "no", "0", "unsupported", "not enough", "not_enough", "neither"), "silent"),
}


class AnnotationItem(Value):
    """A pair that somebody is to judge.

    id       of the words of the statement and of the source: the same in every run
    part     of the source, with the sentence that is nearest to the statement from `start` to `end` of it
    source   as the text names it; whole: its key among the texts of the sources, "" where these are not at hand
    """

    id: str
    question: str
    statement: str
    source: str
    address: str
    part: str
    start: int = 0
    end: int = 0
    whole: str = ""


class AnnotationKey(Value):
    """What the judge said of an item, and where in which checkup it stands."""

    id: str
    label: VerdictLabel
    judge: str
    text: str
    statement: int
    source: str


class AnnotationSheet(NamedTuple):
    """The items in the order in which they are shown, their key, and whole sources by `AnnotationItem.whole`."""

    items: tuple[AnnotationItem, ...]
    keys: tuple[AnnotationKey, ...]
    sources: Mapping[str, str]


class _DrawnPair(NamedTuple):
    """A pair that was drawn, of the checkup at a position."""

    position: int
    pair: ClaimSourceVerdict


def draw_sheet(
    checkups: Sequence[NamedCheckup],
    documents: Mapping[tuple[int, str], Document],
    count: int,
    seed: int,
    labels: Sequence[VerdictLabel] = (),
) -> AnnotationSheet:
    """So many pairs of these checkups, drawn and put in an order by chance; 0: all of them.

    documents   of (position of the checkup, key of the source); where there is none, the words that the judge named
    labels      only pairs of which the judge said so; (): of which it said anything

    Pairs of sources without words, and those that nobody judged, are not drawn. A pair that stands twice counts once.
    """
    found: dict[str, _DrawnPair] = {}
    for position, (_, checkup) in enumerate(checkups):
        for pair in checkup.pairings:
            if was_read(pair) and pair.verdict.label in (labels or CODES):
                found.setdefault(_pair_id(checkup, pair), _DrawnPair(position, pair))
    order = random.Random(seed)  # noqa: S311 - a draw that can be repeated, no secret
    ids = order.sample(sorted(found), min(count or len(found), len(found)))
    items = [_build_item(id, checkups, found[id], documents) for id in ids]
    keys = [_build_key(id, checkups, found[id]) for id in ids]
    shown = {item.whole for item in items if item.whole}
    texts = {_whole_key(document): document.text for document in documents.values()}
    return AnnotationSheet(tuple(items), tuple(keys), {key: texts[key] for key in sorted(shown)})


def parse_code(written: str) -> VerdictLabel | None:
    """The verdict that somebody wrote on a sheet; None for what is none."""
    return CODE_SYNONYMS.get(" ".join(written.lower().replace("_", " ").split()).strip(" ."))


def _pair_id(checkup: Checkup, pair: ClaimSourceVerdict) -> str:
    claim, cited = checkup.submitted.claims[pair.claim], _find_cited(checkup, pair.source)
    return "".join(short_key(f"{part}\0{claim.text}\0{cited.url or cited.written}") for part in ("one", "two"))


def _find_cited(checkup: Checkup, key: str) -> CitedSource:
    return next(one for one in checkup.submitted.sources if one.key == key)


def _build_item(
    id: str,
    checkups: Sequence[NamedCheckup],
    drawn: _DrawnPair,
    documents: Mapping[tuple[int, str], Document],
) -> AnnotationItem:
    checkup, pair = checkups[drawn.position].checkup, drawn.pair
    claim, cited = checkup.submitted.claims[pair.claim], _find_cited(checkup, pair.source)
    work = next((one.reference for one in checkup.traced if one.key == pair.source and one.reference), None)
    document = documents.get((drawn.position, pair.source))
    part, mark = _find_part(document, claim, pair) if document else (pair.quote, Span(0, len(pair.quote)))
    return AnnotationItem(
        id=id,
        question=checkup.origin.question,
        statement=claim.text,
        source=(work.title if work else "") or cited.title or cited.written,
        address=cited.url or (work.url if work else ""),
        part=part,
        start=mark.start,
        end=mark.end,
        whole=_whole_key(document) if document else "",
    )


def _build_key(id: str, checkups: Sequence[NamedCheckup], drawn: _DrawnPair) -> AnnotationKey:
    name, checkup = checkups[drawn.position]
    pair = drawn.pair
    return AnnotationKey(
        id=id, label=pair.verdict.label, judge=checkup.judge, text=name, statement=pair.claim, source=pair.source
    )


def _find_part(document: Document, claim: Claim, pair: ClaimSourceVerdict) -> tuple[str, Span]:
    """The part of a source with its words on the claim, and where in it the nearest sentence stands.

    A pair with words of its judge is shown as one without: what is marked must not tell what was said.
    """
    windows = DocumentWindows(document, PART_LENGTH, 1)
    shown = (
        windows.part_around(pair.start, pair.end) if pair.quote else (windows.best_parts(claim.text) or [Span(0, 0)])[0]
    )
    nearest = nearest_sentence(document.text, shown, claim.text)
    text = document.text[shown.start : shown.end]
    return text, Span(nearest.start - shown.start, nearest.end - shown.start)


def _whole_key(document: Document) -> str:
    return short_key(f"{document.reference.id}\0{document.text}")
