"""A page for patients as its reader takes it in: its sentences and its lists, whole and in order, under its headings.

Where sentences are chosen one by one (`quotable_spans`), what answers may stand between two that are shown.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text import quotable_spans
from wellsourced.text.sentences import Span, is_prose, split_sentences
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage

MAX_HEADING_WORDS = 12
"""Words of a line without a full stop up to which it is a heading."""

_LABEL = lazy_regex(r"(?:Summary|Key Points|Espa[nñ]?ol)\s*:?\s+(?=[A-Z])")
_FOOTNOTE = lazy_regex(r"(?<=[a-z)]\.)\d{1,2}$")
_PLAIN_SENTENCE = lazy_regex(
    r"(?!(?:NIH|Source|See|Click|Reviewed|Copyright|Note|Figure|Table)\b|.*(?:https?:|www\.|\|))"
    r"[A-Z][\w'’-]*,?(?: [\w'’,;:()/%\"-]+){4,40}[.!]"
)
"""What looks like a sentence, whether its verb is known or not."""

_ITEM_MARK = lazy_regex(r"\s-\s+(?=\S)")
_TITLE_WORDS = lazy_regex(r"(?:[A-Z][\w'’-]*|of|and|or|the|for|in|with|to|a|an|from|\(\w+\))(?:\s+|$)")
_POINTS_BACK = lazy_regex(
    r"(?:If|When|Unless|Although|Because|While|Since|Once) (?:it|they|this|that|these|those|he|she|one)(?:'s|\b)"
    r"|(?:Here (?:are|is)|Below|As (?:above|below))\b"
    r"|It (?:can|may|might|will|should|could|does|also|often|usually|helps?|works?)\b(?! be (?:hard|difficult|helpful))"
)


class PagePart(NamedTuple):
    """A sentence or a list of a page.

    heading   the line that it stands under, within its section; "" for none
    follows   it stands behind the part before it, with nothing between them
    leans     it means nothing without the part before it
    """

    unit: quotable_spans.QuotableSpan
    heading: str
    is_list: bool
    follows: bool
    leans: bool

    @property
    def start(self) -> int:
        return self.unit.spans[0].start

    @property
    def end(self) -> int:
        return self.unit.spans[-1].end

    @property
    def words(self) -> int:
        return len(self.unit.text.split())


def find_page_parts(passage: Passage) -> list[PagePart]:
    """The sentences and lists of a passage, in order. What cannot be shown is left out, and parts its neighbours."""
    text = passage.text
    spans = _split_page(passage)
    found: list[PagePart] = []
    heading, follows, position = "", False, 0
    while position < len(spans):
        span = spans[position]
        sentence = text[span.start : span.end]
        items = quotable_spans.count_items(text, spans, position + 1)
        is_lead_in = quotable_spans.LEAD_IN_END.search(sentence) is not None and bool(items)
        # Whether it is a sentence; on a page that is read on, one without a verb that is known is one too.
        if (
            quotable_spans.is_item(text, span)
            or is_lead_in
            or not (is_prose(sentence) or _PLAIN_SENTENCE.fullmatch(sentence) is not None)
            or quotable_spans.NOT_QUOTABLE.search(sentence)
        ):
            listed = list(quotable_spans.take_items(text, spans, position + 1, span.start)) if is_lead_in else []
            if unit := quotable_spans.build_list(text, span, listed, cut=items > len(listed)):
                found.append(PagePart(unit, heading, True, follows, points_back(sentence)))
                follows = True
            else:
                is_short = len(sentence.split()) <= MAX_HEADING_WORDS and sentence[-1] not in ".:;,"
                name = sentence if is_short and not quotable_spans.is_item(text, span) else ""
                heading, follows = name or heading, bool(name) and follows and not name
            position += 1 + (items if is_lead_in else 0)
            continue
        unit = _build_sentence(text, span)
        found.append(PagePart(unit, heading, False, follows, points_back(sentence)))
        follows, position = True, position + 1
    return found


def points_back(sentence: str) -> bool:
    """Whether a sentence begins with what only the one before it explains: "They can also …", "If it doesn't, …"."""
    return quotable_spans.needs_previous_sentence(sentence) or _POINTS_BACK.match(sentence) is not None


def _split_page(passage: Passage) -> list[Span]:
    """Its sentences and items, without labels, and without headings that lost their line break."""
    text = passage.text
    heading = quotable_spans.find_heading(passage)
    spans = split_sentences(text, heading.end if heading else 0)
    title = frozenset(content_stems(passage.reference.title))
    found: list[Span] = []
    for place, span in enumerate(spans):
        for item in _split_items(text, span, spans[place - 1] if place else span):
            for cut in quotable_spans.split_at_lost_break(text, item):
                label = _LABEL.match(text, cut.start, cut.end)
                found += _split_at_title(text, Span(label.end(), cut.end) if label else cut, title)
    return found


def _split_items(text: str, span: Span, before: Span) -> list[Span]:
    if not quotable_spans.is_item(text, span) or text[before.end - 1] != ":":
        return [span]
    found, at = [], span.start
    for mark in _ITEM_MARK.finditer(text, span.start, span.end):
        found.append(Span(at, mark.start()))
        at = mark.end()
    return [*found, Span(at, span.end)]


def _split_at_title(text: str, span: Span, title: frozenset[str]) -> list[Span]:
    """ "Symptoms of Dry Eye Dry eye symptoms may include …" as a heading, with a word of the title, and a sentence."""
    at, cuts = span.start, []
    while (word := _TITLE_WORDS.match(text, at, span.end)) and at < span.end:
        at = word.end()
        begins = re.match(r"[A-Z][\w'’-]* [a-z]|[A-Z][\w'’-]*,? [a-z]", text[at : span.end])
        named = title & set(content_stems(text[span.start : at]))
        if begins and named and len(text[span.start : at].split()) > 1:
            rest = text[at : span.end]
            if is_prose(rest) or quotable_spans.LEAD_IN_END.search(rest):
                cuts.append(at)
    if not cuts or not is_prose(text[cuts[-1] : span.end]):
        return [span]
    head = text[span.start : cuts[-1]].rstrip()
    return [Span(span.start, span.start + len(head)), Span(cuts[-1], span.end)]


def _build_sentence(text: str, span: Span) -> quotable_spans.QuotableSpan:
    """A sentence, without the number of a footnote that is glued to its end."""
    sentence = _FOOTNOTE.sub("", text[span.start : span.end])
    shown = quotable_spans.collapse_whitespace(sentence)
    return quotable_spans.QuotableSpan(shown, (Span(span.start, span.start + len(sentence)),), shown)


def join_parts(text: str, parts: Sequence[PagePart]) -> quotable_spans.QuotableSpan:
    """Sentences that follow one another as one unit; the words between their spans are left out."""
    spans: list[Span] = []
    for part in parts:
        for span in part.unit.spans:
            if spans and not text[spans[-1].end : span.start].strip():
                spans[-1] = Span(spans[-1].start, span.end)
            else:
                spans.append(span)
    said = " ".join(part.unit.text for part in parts)
    return quotable_spans.QuotableSpan(said, tuple(spans), said)
