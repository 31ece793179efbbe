"""A text → claims that can be judged one by one, by rules: no model, and no word of the text lost.

Every sentence becomes one claim or several, or is named among the others. A claim says what its sentence says, made to
stand alone: the lead-in of a list before its item, what "It" stands for, without marks of citation. At least half of
its content words stand in its span.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.citations.markers import CitationMarker
from wellsourced.citations.markers import find_markers as marks_of
from wellsourced.claims import atomic_facts
from wellsourced.lazy import lazy_regex
from wellsourced.text.languages import detect_language
from wellsourced.text.sentences import CELL_SEPARATOR, Span, split_sentences
from wellsourced.text.tokens import stem_coverage

LANGUAGE_SAMPLE = 20_000
"""Characters by which the language of a text is told: the words of medicine are known in English only."""

MIN_COVERAGE = 0.5
"""Share of a claim's content words that stand in its span."""


class StandaloneClaim(NamedTuple):
    """A claim in words that stand alone, and the span that it was made from.

    marks   those that it bears. Claims of one sentence share its marks and its span; an item of a list that needs a
            long lead-in to stand alone spans the list from there, the items before it too
    """

    text: str
    start: int
    end: int
    marks: tuple[CitationMarker, ...] = ()


class ExtractedClaims(NamedTuple):
    """A text, taken apart: its claims in order, and the sentences that claim nothing about medicine."""

    claims: tuple[StandaloneClaim, ...]
    other: tuple[Span, ...]


class TextSegment(NamedTuple):
    """A sentence, an item, a heading or a row; `words` are its own, without marks of citation and emphasis.

    end      behind its marks, those that follow its full stop too
    is_item  it opens an item of a list; the further sentences of the item do not
    indent   letters before the words of an item on its line
    """

    start: int
    end: int
    words: str
    marks: tuple[CitationMarker, ...]
    is_item: bool
    indent: int
    is_heading: bool
    is_row: bool


_LIST_MARKER = re.compile(r"(?:^|\s)(?:[-*+•▪◦‣·–—]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+[\"“*_(]*$")
_LONE_ITEM_NUMBER = re.compile(r"^([ \t]*\d{1,2})(?:\[[\d, –-]{1,20}\])\.[ \t]*\n?", re.MULTILINE)
_EMPHASIS = re.compile(
    r"\*\*|__|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|</?(?:b|i|em"
    r"|strong|u|span|br|p|sub)\b[^<>]{0,60}>|\\(?=[\[\]()*_#])"
)
_DISCOURSE_OPENER = re.compile(
    r"(?:(?:However|Additionally|Moreover|Furthermore|In addition|Also|Finally|Lastly|First(?:ly)?"
    r"|Second(?:ly)?|Third(?:ly)?|Overall|In summary|In conclusion|For example|For instance"
    r"|On the other hand|Similarly|Likewise|Importantly|Notably|Note|Nevertheless|Nonetheless|Next"
    r"|To summari[sz]e|Yes|No|Short answer|Answer|Bottom line|Summary|TL;DR|Key point),|(?:Note"
    r"|Short answer|Answer|Bottom line|Summary|TL;DR|Key point|In short):) (?=\S)"
)
_JOINING_LEAD_IN = re.compile(
    r"\b(?:includes?|including|included|are|is|were|was|comprises?|such as|of|with|by|for|to|be"
    r"|involves?|causes?|requires?|recommends?|suggests?|as)$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^.:;?!]{2,60}:\s\S")
_SUBJECTLESS_OPENER = re.compile(
    r"(?:Affects|Allows|Acts|Associated|Avoids?|Blocks|Binds|Can|Causes|Contraindicated|Could"
    r"|Decreases|Does|Effective|First-line|Given|Has|Have|Helps|Improves|Increases|Inhibits|Involves"
    r"|Is|Are|Lowers|May|Might|Must|Occurs"
    r"|Prevents|Provides|Recommended|Reduces|Remains|Requires|Shown|Should|Stimulates|Taken|Treats"
    r"|Used|Usually|Was|Will|Works|Would)\b"
)


def extract_claims(text: str, marks: Sequence[CitationMarker] = (), skip: Sequence[Span] = ()) -> ExtractedClaims:
    """Take a text apart.

    marks   of citation, in order, as `marks()` finds them: cut out of the claims' words
    skip    spans that are no running text: the list of references

    A text that cites nothing and has no word of medicine in any sentence claims nothing: all of it is `other`.
    """
    pieces = _share_item_marks(text, list(split_segments(text, marks, skip)))
    made: list[StandaloneClaim] = []
    other: list[Span] = []
    for piece, stated in _extract_by_segment(text, pieces):
        if stated:
            made += stated
        else:
            other.append(Span(piece.start, piece.end))
    nothing = not any(one.marks or atomic_facts.is_medical(one.text) for one in made)
    if made and nothing and detect_language(text[:LANGUAGE_SAMPLE]) == "en":
        spans = sorted({*other, *(Span(piece.start, piece.end) for piece in pieces)})
        return ExtractedClaims((), tuple(spans))
    return ExtractedClaims(tuple(made), tuple(other))


def strip_citation_markers(words: str) -> str:
    """A claim in words of somebody else's making without marks of citation: a guard would read "[3]" as a number."""
    return _clean_words(_blank_markers(words, [mark for mark in marks_of(words) if not mark.links], ()))


def _blank_markers(text: str, marks: Sequence[CitationMarker], skip: Sequence[Span]) -> str:
    """The text with spaces for its marks, each as long as before, so that a dot within one ends no sentence."""
    letters = list(text)
    for mark in marks:
        said, stop = mark.words_span if mark.words_span[1] else (mark.end, mark.end)
        for at in (*range(mark.start, said), *range(stop, mark.end)):
            letters[at] = " "
    for start, end in skip:
        letters[start:end] = "\n" * (end - start)
    # "1[5].\nWash it" is the first item of a list: its mark belongs to the item.
    for found in _LONE_ITEM_NUMBER.finditer(text if marks else "".join(letters)):
        letters[found.start() : found.end()] = f"{found[1]}.".ljust(len(found[0]))
    return "".join(letters)


def split_segments(text: str, marks: Sequence[CitationMarker], skip: Sequence[Span]) -> Iterator[TextSegment]:
    """Every sentence of a text in order, what stands in `skip` left out; arguments as for `extract_claims`."""
    blank = _blank_markers(text, marks, skip)
    spans = [span for span in split_sentences(blank) if any(map(str.isalnum, blank[span.start : span.end]))]
    numbers = [Span(*found.span()) for found in _LONE_ITEM_NUMBER.finditer(text)]
    skipped = sorted(skip)
    at = 0
    for number, (start, end) in enumerate(spans):
        following = spans[number + 1].start if number + 1 < len(spans) else len(text)
        bears: list[CitationMarker] = []
        stop, gap = end, text.find("\n\n", end, following)
        while at < len(marks) and marks[at].start < following:
            mark = marks[at]
            # A mark in the number of the item that follows is the item's; one after the stop belongs to what it ends.
            item = _find_enclosing_span(numbers, mark.start)
            if mark.start >= end and item and end < item.end <= following:
                break
            if mark.start >= end and 0 <= gap <= mark.start - 2:
                break
            if not _find_enclosing_span(skipped, mark.start):
                bears.append(mark)
                stop = max(stop, mark.end)
            at += 1
        yield _build_segment(blank, Span(start, end), Span(start, max(stop, end)), tuple(bears))


def _share_item_marks(text: str, pieces: Sequence[TextSegment]) -> list[TextSegment]:
    """The same pieces; in an item of several sentences each bears the marks that only its last one does.

    A mark behind the first sentence of several is of that sentence alone.
    """
    shared = list(pieces)
    for at, piece in enumerate(pieces):
        end = at + 1
        while piece.is_item and end < len(pieces) and continues_item(text, pieces[end - 1], pieces[end]):
            end += 1
        if end - at > 1 and not any(one.marks for one in pieces[at : end - 1]):
            shared[at:end] = [one._replace(marks=pieces[end - 1].marks) for one in pieces[at:end]]
    return shared


def continues_item(text: str, before: TextSegment, piece: TextSegment) -> bool:
    """Whether a sentence stands in the item of the one before: on its line, or indented under it."""
    if piece.is_item or piece.is_heading or piece.is_row:
        return False
    between = text[before.end : piece.start]
    return "\n" not in between or bool(re.fullmatch(r"[^\n]*\n[ \t]+", between))


def _find_enclosing_span(spans: Sequence[Span], at: int) -> Span | None:
    """The span of these, in order and none within another, in which a place is."""
    last = bisect_right(spans, at, key=lambda span: span.start) - 1
    return spans[last] if last >= 0 and at < spans[last].end else None


def _build_segment(blank: str, span: Span, whole: Span, bears: tuple[CitationMarker, ...]) -> TextSegment:
    line = blank.rfind("\n", max(0, span.start - 400), span.start) + 1
    prefix = blank[max(line, span.start - 40) : span.start]
    ends = blank.find("\n", span.end)
    rest = blank[span.end : ends if ends >= 0 else len(blank)][:40].strip(" *_:")
    alone = not prefix.strip(" *_#>") and not rest
    words = _clean_words(blank[span.start : span.end])
    row = blank.startswith("|", span.start) or CELL_SEPARATOR in blank[span.start : span.end]
    bold = bool(re.fullmatch(r"\*\*[^*]{1,160}\*\*:?|__[^_]{1,160}__:?", blank[span.start : span.end].strip()))
    named = not row and not words.endswith(":")
    item, indent = bool(_LIST_MARKER.search(prefix)), len(prefix) - len(prefix.lstrip())
    names = (bold and not atomic_facts.is_complete_sentence(words)) or (
        not item and atomic_facts.is_heading_line(words)
    )
    heading = "#" in prefix or (named and alone and names)
    return TextSegment(whole.start, whole.end, words, bears, item, indent, heading, row)


def _clean_words(words: str) -> str:
    """Words without emphasis, empty brackets, and what stood between the marks that are gone: "gout. and and"."""
    bare = _EMPHASIS.sub("", words)
    bare = re.sub(
        r"\(\s*(?:see(?: also)?|cf\.|e\.g\.|reviewed in|from)?\s*(?:[,;]|and|or|\s)*\)|\[\s*\]|</?sup>", " ", bare
    )
    bare = re.sub(r"\s+(?=[.,;:!?)\]](?:\s|$))", "", " ".join(bare.split()))
    return re.sub(r"([.!?])(?:\s*\.|(?:\s+(?:and|or)\b|\s*[,;])+\.?)$", r"\1", bare).strip()


def _extract_by_segment(
    text: str, pieces: Sequence[TextSegment]
) -> Iterator[tuple[TextSegment, list[StandaloneClaim]]]:
    """Each piece with what it claims; [] for one that claims nothing."""
    leads: list[TextSegment] = []
    heading, before, aside = "", "", False
    header: list[str] = []
    for number, piece in enumerate(pieces):
        following = pieces[number + 1] if number + 1 < len(pieces) else None
        if piece.is_heading:
            heading, before, leads, header = piece.words.rstrip(":"), "", [], []
            if following and following.is_item and piece.words.endswith(":"):
                leads = [piece]
            aside = atomic_facts.is_aside_heading(heading)
            yield piece, []
            continue
        if piece.is_row:
            cells = [_clean_words(cell) for cell in piece.words.strip("| ").split("|")]
            yield piece, _extract_row_claims(text, piece, cells, header)
            header = header or cells
            continue
        header = []
        leads = [lead for lead in leads if piece.is_item and (lead.indent < piece.indent or not lead.is_item)]
        if aside or atomic_facts.claims_nothing(piece.words):
            if following and following.is_item and not aside and piece.words.endswith(":"):
                leads.append(piece)
            before = ""
            yield piece, []
            continue
        if piece.words.endswith(":"):  # it introduces what follows, and says nothing alone
            if following and following.is_item and not (piece.is_item and following.indent <= piece.indent):
                leads.append(piece)
            yield piece, []
            continue
        told = _extract_sentence_claims(text, piece, leads[-1] if leads else None, heading, before)
        before = told[0].text if told and not piece.is_item else ""
        yield piece, told


def _extract_row_claims(text: str, piece: TextSegment, cells: list[str], header: list[str]) -> list[StandaloneClaim]:
    """A row under its header: "Drug: metformin; Dose: 500 mg". The header claims nothing, nor a line of dashes."""
    if not header or not any(map(str.isalnum, "".join(cells))):
        return []
    named = "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell)
    is_named = len(header) == len(cells) and stem_coverage(named, text[piece.start : piece.end]) >= MIN_COVERAGE
    words = named if is_named else ", ".join(filter(None, cells))
    return [StandaloneClaim(words, piece.start, piece.end, piece.marks)]


def _extract_sentence_claims(
    text: str, piece: TextSegment, lead: TextSegment | None, heading: str, before: str
) -> list[StandaloneClaim]:
    words = _DISCOURSE_OPENER.sub("", piece.words)
    words = atomic_facts.capitalize_first(words) if words != piece.words else words
    if words != piece.words and atomic_facts.claims_nothing(words):
        return []
    label, whole, subjectless = (
        _LABEL.match(words),
        atomic_facts.is_complete_sentence(words),
        _SUBJECTLESS_OPENER.match(words),
    )
    stands = len(words[label.end() :].split()) > 2 if label else whole and not subjectless
    if lead and piece.is_item and not stands:
        return [_join_lead_in(text, piece, lead, words)]
    if not label and ((piece.is_item and not whole) or subjectless) and heading:
        under = f"{heading}: {words}"
        if stem_coverage(under, text[piece.start : piece.end]) >= MIN_COVERAGE:
            return [StandaloneClaim(under, piece.start, piece.end, piece.marks)]
    least = 3 if words.endswith(".") else 4
    if not piece.is_item and not whole and len(words.split()) < least and not any(map(str.isdecimal, words)):
        return []
    alone = atomic_facts.resolve_pronoun(words, before)
    alone = alone if stem_coverage(alone, text[piece.start : piece.end]) >= MIN_COVERAGE else words
    return [StandaloneClaim(fact, piece.start, piece.end, piece.marks) for fact in atomic_facts.split_facts(alone)]


def _join_lead_in(text: str, piece: TextSegment, lead: TextSegment, words: str) -> StandaloneClaim:
    """An item with its lead-in: in one sentence where the lead-in asks for it, else behind its colon."""
    opening = _DISCOURSE_OPENER.sub("", lead.words).rstrip(" ,:")
    joined = f"{opening}: {words}"
    if _JOINING_LEAD_IN.search(opening):
        is_plain = re.match(r"(?:[A-Z][a-z]+|A|An|The)(?:\s|$|,)", words) and not _LABEL.match(words)
        joined = f"{opening} {words[:1].lower() + words[1:] if is_plain else words}"
    joined = atomic_facts.capitalize_first(joined)
    inside = stem_coverage(joined, text[piece.start : piece.end]) >= MIN_COVERAGE
    marks = piece.marks if inside else (*lead.marks, *piece.marks)
    return StandaloneClaim(joined, piece.start if inside else lead.start, piece.end, marks or lead.marks)


# What answers the question, and says nothing of the sources.

_ANSWER_WORD = lazy_regex(r"\s*(?P<word>yes|no|maybe)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)
"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin: it answers the question, and says nothing of the
sources."""


def answer_word(text: str) -> str:
    """ "yes", "no" or "maybe" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes, no or maybe, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    return rest if rest is text else atomic_facts.capitalize_first(rest)
