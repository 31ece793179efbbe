"""Where the words that a model copied stand in what it was shown, and statements cited there; what has no place is left
out and counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from wellsourced.citations.quote_alignment import QuoteMatch, align_quote
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.prompts.writing import DraftQuote, DraftStatement, LocatedQuote
from wellsourced.text.sanitization import has_same_words, one_line
from wellsourced.text.sentences import sentences_at, split_sentences
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Citation, Omission, Passage, QuoteCounts, Statement, TableCell, Verdict

PlacementKind = Literal["exact", "normalised", "misattributed", "invented"]
"""Where a quote was found; the words are those of `QuoteCounts`."""

MIN_READABLE_WORDS = 3
"""Words of a quote that can be read alone; fewer are shown in the sentence in which they stand."""

MIN_DISTINCTIVE_WORDS = 5
"""Words of a quote that is known again in another passage than the one named; fewer stand in many."""

MAX_OCCURRENCES, CONTEXT_CHARS = 20, 300
"""Places of the same words of which one is chosen, and the characters before each by which it is."""


class ShownPassages:
    """The passages that a model was shown, found by key or id as a model may spell them: "[K3J2AA]", "id: k3j2aa"."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._by_id: dict[str, Passage] = {}
        self._by_key: dict[str, Passage] = {}
        for passage in passages:
            self._by_id[_normalize_name(passage.id)] = passage
            self._by_key[passage.key] = passage

    def find(self, name: str) -> Passage | None:
        """The passage of that key or id; None when there is none, or when the name could mean two."""
        if passage := self._by_id.get(_normalize_name(name)) or self._by_key.get(_normalize_name(name)):
            return passage
        # "[K3J2AA], p. 4": a model writes more than the key, but must not mean two.
        meant = {word for word in re.findall(r"\b[a-z2-7]{6}\b", name.casefold()) if word in self._by_key}
        return self._by_key[meant.pop()] if len(meant) == 1 else None

    def other_passages(self, passage: Passage | None) -> Iterator[Passage]:
        """The others, those of the same document first."""
        home = passage.reference.id if passage else ""
        rest = (one for one in self._by_id.values() if one is not passage)
        # Those of the same document first, since a model mistakes them most easily.
        yield from sorted(rest, key=lambda one: one.reference.id != home)


def _normalize_name(name: str) -> str:
    return name.strip(" \t\n[](){}<>\"'`“”‘’.,;#").casefold()


class QuotePlacement(NamedTuple):
    """Where one quote stands, in the source's own characters, and how it was found; nowhere: it is invented."""

    citations: tuple[Citation, ...] = ()
    kind: PlacementKind = "invented"


def place_quotes(quotes: Sequence[DraftQuote], shelf: ShownPassages) -> list[QuotePlacement]:
    """Where each quote stands."""
    found = [_place_quote(quoted, shelf, readable=False) for quoted in quotes]
    # A word or two can stand beside a quote that can be read; alone they are shown in their sentence.
    is_readable = any(_count_words(citation.quote) >= MIN_READABLE_WORDS for one in found for citation in one.citations)
    return found if is_readable else [_place_quote(quoted, shelf, readable=True) for quoted in quotes]


def cite_quote(quoted: DraftQuote, text: str, shelf: ShownPassages) -> tuple[Citation, ...]:
    """Where the words quoted for a statement stand in the passage named; none when they do not stand there or say
    nothing.

    Of words that are too few to be read alone, the sentence in which they stand.
    """
    passage = shelf.find(quoted.passage_id)
    found = _place_in_passage(quoted.quote, passage, readable=True).citations if passage else ()
    return tuple(_choose_occurrence(one, text, shelf) for one in found)


def _place_quote(quoted: DraftQuote, shelf: ShownPassages, *, readable: bool) -> QuotePlacement:
    """In the passage named, or in another one."""
    passage = shelf.find(quoted.passage_id)
    if passage and isinstance(quoted, LocatedQuote):
        place = quoted.start, quoted.start + len(quoted.quote)
        return QuotePlacement(_build_citations(passage, [place]), "exact")
    if passage and (there := _place_in_passage(quoted.quote, passage, readable=readable)).citations:
        return there
    # So few words stand in many passages: found in another one, they prove nothing.
    if _count_words(quoted.quote) < MIN_DISTINCTIVE_WORDS:
        return QuotePlacement()
    for other in shelf.other_passages(passage):
        if elsewhere := _build_citations(other, [found[:2] for found in align_quote(quoted.quote, other.text)]):
            return QuotePlacement(elsewhere, "misattributed")
    return QuotePlacement()


def _place_in_passage(quote: str, passage: Passage, *, readable: bool) -> QuotePlacement:
    # "and the" stands everywhere and says nothing.
    if readable and not content_stems(quote):
        return QuotePlacement()
    found = align_quote(quote, passage.text)
    spans = [_readable_span(one, passage.text) if readable else one[:2] for one in found]
    fate: PlacementKind = "exact" if all(one.kind == "exact" for one in found) else "normalised"
    return QuotePlacement(_build_citations(passage, spans), fate) if spans else QuotePlacement()


def _build_citations(passage: Passage, places: Sequence[tuple[int, int]]) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            passage_id=passage.id, quote=passage.text[start:end], start=passage.start + start, end=passage.start + end
        )
        for start, end in places
    )


def _readable_span(found: QuoteMatch, text: str) -> tuple[int, int]:
    if _count_words(text[found.start : found.end]) < MIN_READABLE_WORDS:
        for span in split_sentences(text):
            if span.start <= found.start and found.end <= span.end:
                return span.start, span.end
    return found.start, found.end


def _count_words(quote: str) -> int:
    return len(re.findall(r"\w+", quote))


UNCHECKED = Verdict(label="silent", score=0.0, reason="not checked yet")

QUOTE_NOT_FOUND = "a quote appears in no passage that was read"
UNKNOWN_PASSAGE_CITED = "it cites a passage that was not read"
NOTHING_CITED = "it cites nothing"


class CitedDraft(NamedTuple):
    """Statements whose words are real, those that have none, and where the quotes were found.

    quotes   all that the draft has, those of statements that stand without them among them
    """

    statements: tuple[Statement, ...]
    dropped: tuple[Omission, ...]
    quotes: QuoteCounts = QuoteCounts()

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        lost, moved = self.quotes.invented, self.quotes.misattributed
        told = (
            (lost, f"in no passage that was read, and {'was' if lost == 1 else 'were'} left out"),
            (moved, f"in another passage than the one named, and {'is' if moved == 1 else 'are'} cited there"),
        )
        return tuple(
            f"{count} {'quote appears' if count == 1 else 'quotes appear'} {where}" for count, where in told if count
        )


def cite_statements(drafted: Sequence[DraftStatement], shelf: ShownPassages) -> CitedDraft:
    """The statements with citations in the source's own characters.

    A quote that stands nowhere is left out, and so is a statement that has no other. One that stands in another
    passage than the one named is cited where it stands.
    """
    kept: list[Statement] = []
    dropped: list[Omission] = []
    fates: Counter[str] = Counter()
    said: set[str] = set()
    for one in drafted:
        places = place_quotes(one.quotes, shelf)
        fates.update(place.kind for place in places)
        citations = tuple(citation for place in places for citation in place.citations)
        if not all(isinstance(quoted, LocatedQuote) for quoted in one.quotes):
            citations = tuple(dict.fromkeys(_choose_occurrence(each, one.text, shelf) for each in citations))
        text = one_line(one.text)
        if citations and text and text not in said:
            said.add(text)
            kept.append(
                Statement(
                    text=text,
                    citations=citations,
                    verdict=UNCHECKED,
                    topic=one_line(one.topic),
                    cell=_read_cell(one),
                    lead=one.lead,
                )
            )
        elif text not in said:
            dropped.append(Omission.of_statement(text, _omission_reason(one, shelf), is_lead=one.lead))
    return CitedDraft(tuple(kept), tuple(dropped), QuoteCounts.model_validate(fates))


def _choose_occurrence(citation: Citation, text: str, shelf: ShownPassages) -> Citation:
    """The citation at that one of the places with its words before which most of the statement's words stand, else the
    first: "Reliever: as needed" is a line of several steps."""
    passage = shelf.find(citation.passage_id)
    if passage is None or passage.text.count(citation.quote) < 2:
        return citation
    starts = [one.start() for one in islice(re.finditer(re.escape(citation.quote), passage.text), MAX_OCCURRENCES)]
    said = {*tokenize(text)}
    best = max(starts, key=lambda at: len(said.intersection(tokenize(passage.text[max(0, at - CONTEXT_CHARS) : at]))))
    return _build_citations(passage, [(best, best + len(citation.quote))])[0]


def _read_cell(one: DraftStatement) -> TableCell | None:
    row, column = one_line(one.row), one_line(one.column)
    return TableCell(row=row, column=column, words=one_line(one.cell)) if row and column else None


def _omission_reason(one: DraftStatement, shelf: ShownPassages) -> str:
    if not one.quotes:
        return NOTHING_CITED
    return QUOTE_NOT_FOUND if any(shelf.find(quoted.passage_id) for quoted in one.quotes) else UNKNOWN_PASSAGE_CITED


# What a statement cites, and whether that supports it.

PassagesById = Mapping[str, Passage]
"""Passages by their ids."""


def quoted_text(statement: Statement) -> str:
    """The words that it cites, in one text."""
    return " … ".join(citation.quote for citation in statement.citations)


def cited_sentences(statement: Statement, passages: PassagesById) -> list[str]:
    """The sentences that it cites a part of, each once: "there is no evidence that" may stand before the part."""
    found: dict[str, None] = {}
    for citation in statement.citations:
        passage = passages[citation.passage_id]
        for span in sentences_at(passage.text, citation.start - passage.start, citation.end - passage.start):
            found.setdefault(passage.text[span.start : span.end])
    return list(found)


def cited_passages(statement: Statement, passages: PassagesById) -> list[Passage]:
    """The passages that it cites, each once."""
    return [passages[id] for id in statement.cited_ids]


def has_whole_sentences(statement: Statement, passages: PassagesById) -> bool:
    """Whether it says what whole sentences of its sources say, in their own words."""
    return has_same_words(statement.text, " … ".join(cited_sentences(statement, passages)))


class SupportVerdicts(NamedTuple):
    """A verdict for each pair, in order; `failed` says why all of them are unjudged."""

    verdicts: tuple[Verdict, ...] = ()
    failure: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        note = f"the judge of support failed, so some statements are not judged: {self.failure}"
        return (note,) if self.failure else ()


async def judge_support(pairs: Sequence[Pair], judge: Judge) -> SupportVerdicts:
    """What the judge says; it is not asked where there is nothing to judge."""
    if not pairs:
        return SupportVerdicts()
    try:
        return SupportVerdicts(tuple(await judge.judge(pairs)))
    except ModelError as error:
        reason = error.phrase
        unjudged = Verdict(label="unjudged", score=0.0, reason=f"the judge of support failed: {reason}")
        return SupportVerdicts((unjudged,) * len(pairs), reason)
