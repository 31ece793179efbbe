"""Any text → its claims and its sources, with the links between them, by rules."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.citations.links import WorkLink, address_key
from wellsourced.citations.markers import CitationMarker, find_markers
from wellsourced.citations.people import parse_author
from wellsourced.citations.reference_lists import ReferenceEntry, ReferenceList, extract_reference_list
from wellsourced.claims.atomic_facts import claims_nothing
from wellsourced.claims.extraction import LANGUAGE_SAMPLE, extract_claims
from wellsourced.readers.worker.limits import TEXT_LIMITS
from wellsourced.readers.worker.process import WorkerJob, run_in_worker_process
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.sentences import Span
from wellsourced.types import CitedSource, Claim, Document, SubmittedText

MAX_NAMED_MARKS = 5
"""Marks that a note names, and sentences."""

SHORT_WORDS = 2
"""Words of a sentence that is not taken for a claim."""


_LETTERED = re.compile(r"\b((?:19|20)\d\d)([a-z])\b")


class _SourceList:
    """The sources of a text, each once: by its DOI, its PMID, its PMCID or its page, whichever it shares."""

    def __init__(self) -> None:
        self.found: list[CitedSource] = []
        self._known: dict[str, int] = {}
        self._labels: dict[str, int] = {}

    def add(self, one: CitedSource, labels: Iterable[str] = ()) -> None:
        """A source that the text names; one that it named before gets the marks of both."""
        ids = _source_ids(one)
        at = next((self._known[id] for id in ids if id in self._known), len(self.found))
        if at == len(self.found):
            self.found.append(one)
        else:
            self.found[at] = _merge_sources(self.found[at], one)
        for id in ids:
            self._known.setdefault(id, at)
        for label in labels:
            self._labels.setdefault(label, at)

    def assign_keys(self, own: Mapping[str, str]) -> None:
        """Give each the number that the list gives it, `own` by its place of old; the others the next that are free."""
        free = map(str, itertools.count(1 + max(map(int, own.values()), default=0)))
        self.found = [one.model_copy(update={"key": own.get(one.key) or next(free)}) for one in self.found]

    def find_label(self, label: str) -> int | None:
        """The position of the source that a label refers to; None for no source."""
        return self._labels.get(label)

    @property
    def by_key(self) -> tuple[CitedSource, ...]:
        """All of them by their numbers."""
        return tuple(sorted(self.found, key=lambda one: int(one.key)))

    def resolve_mark(self, mark: CitationMarker) -> tuple[list[int], list[str]]:
        """(positions of the sources that a mark refers to, labels that no source has)."""
        placed = [
            self._known[id]
            for place in mark.links
            for id in _source_ids(_source_of_locator(place, ""))
            if id in self._known
        ]
        if placed:
            return placed, []
        known = [self._labels[label] for label in mark.labels if label in self._labels]
        return known, [label for label in mark.labels if label not in self._labels]


def _source_ids(one: CitedSource) -> list[str]:
    ids = [f"{name}:{value.lower()}" for name in ("doi", "pmid", "pmcid") if (value := getattr(one, name))]
    return [*ids, *([address_key(one.url)] if one.url else [])] or [f"entry:{one.start}"]


def _merge_sources(first: CitedSource, again: CitedSource) -> CitedSource:
    """One source that is named twice: the first naming stands, the other fills what it does not say."""
    fields = ("url", "doi", "pmid", "pmcid", "title", "authors", "journal", "year")
    more = {name: getattr(again, name) for name in fields if not getattr(first, name)}
    return first.model_copy(update=more | {"marks": tuple(dict.fromkeys((*first.marks, *again.marks)))})


class ParsedText(NamedTuple):
    """What the rules found: the list, the marks outside of it, the sources."""

    listed: ReferenceList
    marks: list[CitationMarker]
    sources: _SourceList


async def decompose_by_worker(document: Document) -> SubmittedText:
    """As `decompose_text`, by a worker with limits: a harmful text holds nobody up. Raises UnreadableFile."""
    work = WorkerJob(
        "claims", {}, document.model_dump_json().encode(), document.reference.id, remedy="Check it in parts."
    )
    return SubmittedText.model_validate_json(await run_in_worker_process(work, TEXT_LIMITS))


def decompose_text(document: Document) -> SubmittedText:
    """The claims and the sources of a text, by rules; see `SubmittedText`. In time that is linear in its length.

    A source is named by an entry of the list of references, or in place by a link, an address or an identifier. What
    is odd about the text stands in the notes: a list that nothing refers to, marks without a list, no statement.
    """
    text = document.text
    read = parse_text(text)
    apart = extract_claims(text, read.marks, read.listed.spans)
    made = [
        build_claim(number, one.text, Span(one.start, one.end), one.marks, read.sources)
        for number, one in enumerate(apart.claims)
    ]
    if len(read.sources.found) == 1 and not any(one.cites or one.dangling for one in made):
        # Nothing else can be meant.
        made = [one.model_copy(update={"cites": (read.sources.found[0].key,)}) for one in made]
    lone = _lone_mark_spans(read.marks, made, apart.other)
    return SubmittedText(
        document=document,
        claims=tuple(made),
        sources=read.sources.by_key,
        other=tuple(sorted({*map(tuple, [*apart.other, *read.listed.spans]), *lone})),
        notes=(*_collect_notes(text, made, read), *_tell_short_sentences(text, apart.other)),
    )


def parse_text(text: str) -> ParsedText:
    """The list of references, the marks and the sources of a text, by rules."""
    listed = extract_reference_list(text)
    named = [(one, _build_labels(text, one)) for one in listed.entries]
    labels = {label for _, labels in named for label in labels}
    found = list(_marks_outside(find_markers(text, labels), listed.spans))
    by_name = any(label in labels and not label.isdigit() for mark in found for label in mark.labels)
    counted = not (listed.has_counted_labels and by_name)
    named = [(one, its if counted or not one.label else its[1:]) for one, its in named]
    used = {label for mark in found for label in mark.labels}
    sources = _SourceList()
    naming: list[tuple[int, CitedSource, Sequence[str]]] = []
    for entry, its in named:
        shown = tuple(
            label for label in its if label in used or (not listed.has_counted_labels and label == entry.label)
        )
        naming.append((entry.start, _source_of_entry(text, entry, shown), its))
    for mark in found:
        naming += [
            (mark.start, _source_of_locator(place, text[place.start : place.end], mark.labels), mark.labels)
            for place in mark.links
        ]
    for _, cited, names in sorted(naming, key=lambda one: one[0]):
        sources.add(cited.model_copy(update={"key": str(len(sources.found) + 1)}), names)
    sources.assign_keys(_printed_numbers(named, sources))
    return ParsedText(listed, found, sources)


def _build_labels(text: str, entry: ReferenceEntry) -> list[str]:
    """The labels of marks that refer to it, its own first: "3", "smith 2020", "smith 2020a", "who 2021"."""
    labels = [entry.label] if entry.label else []
    work = entry.reference
    if not (work.authors and work.year):
        return labels
    first = work.authors[0]
    lettered = _LETTERED.search(text, entry.start, entry.end)
    years = [work.year, *([lettered[1] + lettered[2]] if lettered and lettered[1] == work.year else [])]
    author = parse_author(first)
    names = [author.family or author.group, first.partition(",")[0], first.split()[0], first, _acronym(first)]
    return [*labels, *dict.fromkeys(f"{name.lower()} {year}" for name in names if len(name) > 1 for year in years)]


def _acronym(name: str) -> str:
    """ "World Health Organization" → "WHO"; "" for fewer than three words."""
    capitals = re.findall(r"\b[A-ZÀ-Þ](?=[a-zà-þ])", name)
    return "".join(capitals) if len(capitals) > 2 else ""


def _printed_numbers(named: Sequence[tuple[ReferenceEntry, Sequence[str]]], sources: _SourceList) -> dict[str, str]:
    """Key of a source → the number that the list prints before it, where no other entry has it."""
    numbers: dict[str, str] = {}
    for entry, _ in named:
        place = sources.find_label(entry.label) if entry.label.isdecimal() else None
        if place is not None:
            numbers.setdefault(sources.found[place].key, entry.label)
    return numbers if len({*map(int, numbers.values())}) == len(numbers) else {}


def _marks_outside(found: Iterable[CitationMarker], spans: Sequence[Span]) -> Iterator[CitationMarker]:
    at = 0
    for mark in found:
        while at < len(spans) and spans[at].end <= mark.start:
            at += 1
        if at == len(spans) or mark.end <= spans[at].start:
            yield mark


def _lone_mark_spans(
    found: Iterable[CitationMarker], made: Iterable[Claim], other: Iterable[Span]
) -> Iterator[tuple[int, int]]:
    covered = sorted([*((one.start, one.end) for one in made), *((start, end) for start, end in other)])
    reached, at = 0, 0
    for mark in found:
        while at < len(covered) and covered[at][0] <= mark.start:
            reached = max(reached, covered[at][1])
            at += 1
        if mark.start >= reached:
            yield mark.start, mark.end


def _source_of_entry(text: str, entry: ReferenceEntry, shown: tuple[str, ...]) -> CitedSource:
    written = text[entry.start : entry.end]
    return CitedSource(
        key="0", written=written, start=entry.start, end=entry.end, marks=shown, **entry.reference._asdict()
    )


def _source_of_locator(place: WorkLink, written: str, labels: tuple[str, ...] = ()) -> CitedSource:
    return CitedSource(
        key="0", written=written, start=place.start, end=place.end, marks=labels,
        url=place.url, doi=place.doi, pmid=place.pmid, pmcid=place.pmcid,
    )  # fmt: skip


def build_claim(number: int, words: str, span: Span, bears: Iterable[CitationMarker], sources: _SourceList) -> Claim:
    """A claim in these words, made from a span, with the sources that its marks refer to."""
    cites: dict[str, None] = {}
    dangling: dict[str, None] = {}
    for mark in bears:
        known, unknown = sources.resolve_mark(mark)
        cites |= dict.fromkeys(sources.found[at].key for at in known)
        dangling |= dict.fromkeys(unknown)
    return Claim(
        number=number, text=words, start=span.start, end=span.end, cites=tuple(cites), dangling=tuple(dangling)
    )


def _collect_notes(text: str, made: Sequence[Claim], read: ParsedText) -> Iterator[str]:
    code = detect_language(text[:LANGUAGE_SAMPLE])
    if code != "en":
        yield f"the text seems to be in {language_name(code)}; the rules that split it are made for English"
    if not made:
        yield "the text has no medical statement"
    entries, missing = read.listed.entries, list(dict.fromkeys(label for one in made for label in one.dangling))
    if not read.sources.found and not missing:
        yield "the text names no source"
    if len(entries) > 1 and made and not any(one.cites for one in made):
        yield f"the text lists {len(entries)} sources without marks: each is compared with every statement"
    if missing and not entries:
        yield f"the text has marks ({_list_labels(missing)}) but no reference list"
    elif missing:
        yield f"marks without an entry in the reference list: {_list_labels(missing)}"
    if read.listed.has_counted_labels and any(
        mark for one in read.sources.found for mark in one.marks if mark.isdigit()
    ):
        yield "the reference list has no numbers; its entries are counted in order"


def _tell_short_sentences(text: str, other: Sequence[Span]) -> Iterator[str]:
    """Sentences of a word or two, which may claim something: nothing is left out untold."""
    said = [" ".join(text[span.start : span.end].split()) for span in other]
    short = [one for one in said if one.endswith(".") and len(one.split()) <= SHORT_WORDS and not claims_nothing(one)]
    if short:
        yield f"too short to be checked: {_list_labels([f'“{one}”' for one in short])}"


def _list_labels(labels: Sequence[str]) -> str:
    return ", ".join(labels[:MAX_NAMED_MARKS]) + (
        f" and {len(labels) - MAX_NAMED_MARKS} more" if len(labels) > MAX_NAMED_MARKS else ""
    )
