"""Quotable spans: the parts of a passage that can be shown as one statement, each in the source's own words.

A sentence that can stand alone is a unit; one that leans on the sentence before it ("They should …") is a unit
together with that sentence; a list is a unit together with the line that introduces it. Headings, rows of tables,
bibliography lines and loose fragments are no units; what was cut from a study is one where nothing else is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.text.blocks import BlockKind, find_block_units, find_blocks, is_introduction
from wellsourced.text.passages import last_heading
from wellsourced.text.sanitization import visible_text
from wellsourced.text.sentences import Span, has_back_reference, is_prose, split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Passage

MAX_LIST_LENGTH = 700
"""Characters of a list with its lead-in; a longer one ends with an earlier item, and with an ellipsis."""

MAX_ITEM_WORDS = 30
"""Words in an item of a list; a longer one is a paragraph that lost its line break, and ends the list before it."""

MIN_HEADING_COVERAGE = 0.99
"""Share of a heading's content words from which a sentence says itself what the heading says."""

_WORD = re.compile(r"[a-z]+")

GENERIC_HEADING_WORDS = frozenset(
    _WORD.findall(
        "abstract aim aims background conclusion conclusions diagnosis discussion findings general introduction key "
        "limitations management materials and methods method objective objectives overview patients points principles "
        "purpose recommendations references result results setting study design summary treatment"
    )
)
"""Words of headings that say what part of a text this is, not what it is about."""

_ORDER_OPENER = re.compile(
    r"(?:Recommended|Preferred|Indicated|Contraindicated|Considered?|May be|Should|Can be|Must|Not recommended|Avoid"
    r"|Use|Add|Start|Initiate|Continue|Discontinue|Stop|Hold|Do not|Do NOT|Reduce|Increase|Monitor|Check|For|If"
    r"|In patients|In adults|When|Reserved|Target|Titrate|Assess|Perform|Offer|Give|Administer|Switch|Repeat)\b"
)
"""Openings of orders and of sentences without a subject: they are read under a heading that says for what."""

LEAD_IN_END = re.compile(r":$|\b(?:includes?|including|are|is|be|following|as|may|of)$")
"""The end of a line that introduces a list."""

_ABSTRACT_LABELS = (
    "BACKGROUND", "INTRODUCTION", "OBJECTIVES", "METHODS", "RESULTS", "FINDINGS", "CONCLUSION", "CONCLUSIONS",
)  # fmt: skip
_TORN_LABELS = frozenset(label[at:] for label in _ABSTRACT_LABELS for at in range(1, len(label)))
"""What is left of a label where an abstract was cut: "LTS: We report" and "ONS We conclude" begin in mid-word."""

NOT_QUOTABLE = re.compile(r"→|--?>|\s\|\s|\bhttps?://|\b([^\W\d_]{4,}) \1\b")
"""Steps of a drawn algorithm, rows of tables, addresses; a word said twice, where a heading lost its line break."""

JOINING_MARKS = re.compile(
    r"(?:^|\n)[ \t]*(?:[-•*]|\d{1,2}[.)])(?=\s)"  # marks of list items on lines of their own
    r"|(?<=[.:;?!])\s[-•*](?=\s)|\s[-•*](?=\s+[^\W\d])"  # and in a flattened list; "above - 5" has a minus
    r"|[:;…→]|[.,](?=\s|$)"
)
"""What may stand between the parts of a unit, or be missing there."""

_DEMONSTRATIVE = re.compile(r"(?:\S+ ){1,4}(?:these|those)\b")
_LOST_BREAK = re.compile(r"(?<=[a-z)]) (?=[A-Z][a-z]+ )")
_BULLET = re.compile(r"(?:^|(?<=\s))(?:[-•*]|\d{1,2}[.)])\s+$")


class QuotableSpan(NamedTuple):
    """What could be one statement: its text in one line, and where in the passage its words stand, in order.

    own_text   the text without the heading and the other lines above it that may stand before it
    context    how many of the first spans are such lines
    layout     what the words are on their page
    """

    text: str
    spans: tuple[Span, ...]
    own_text: str
    context: int = 0
    layout: BlockKind = "paragraph"

    def quotes(self, passage_text: str) -> list[str]:
        """The words of the passage that the unit is made of, character for character."""
        return [passage_text[start:end] for start, end in self.spans]


def find_quotable_spans(passage: Passage) -> list[QuotableSpan]:
    """The units of a passage, in order."""
    text = passage.text
    heading = find_heading(passage)
    if passage.reference.kind == "guideline":
        return list(_find_laid_out_units(passage, heading))
    spans = [
        part
        for span in split_sentences(text)
        if heading is None or span.start >= heading.end
        for part in split_at_lost_break(text, span)
    ]
    found: list[QuotableSpan] = []
    position = 0 if heading or passage.start == 0 else count_items(text, spans, 0)
    while position < len(spans):
        taken, unit = _build_at(text, spans, position, heading)
        if unit:
            found.append(unit)
        position += taken
    if not found and passage.reference.kind == "research" and passage.start == 0:
        return [one for span in spans if (one := _read_excerpt(text, span))]
    return found


def _find_laid_out_units(passage: Passage, heading: Span | None) -> Iterator[QuotableSpan]:
    """The units of a text whose layout is known: sentences of its paragraphs, and lists, rows and steps in context."""
    text = passage.text
    blocks = find_blocks(text, heading.end if heading else 0)
    of_block = dict(find_block_units(text, blocks))
    for position, block in enumerate(blocks):
        if made := of_block.get(position):
            kind = "item" if block.kind == "paragraph" else block.kind
            unit = QuotableSpan(made.text, made.spans, made.own_text, made.context, kind)
            yield _add_heading(text, unit, heading)
        elif block.kind == "paragraph" and not is_introduction(text, block):
            spans = list(split_sentences(text, *block.span))
            for at in range(len(spans)):
                _, plain = _build_at(text, spans, at, heading)
                if plain:
                    yield _add_heading(text, plain, heading)


def split_at_lost_break(text: str, span: Span) -> list[Span]:
    """A list item into which the next paragraph ran ("… left side Tests that examine …"), as the two that it was."""
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if is_item(text, span) and len(before.split()) > 1:
        for gap in _LOST_BREAK.finditer(text, span.start, span.end):
            if is_prose(text[gap.end() : span.end]):
                return [Span(span.start, gap.start()), Span(gap.end(), span.end)]
    return [span]


def _build_at(text: str, spans: list[Span], position: int, heading: Span | None) -> tuple[int, QuotableSpan | None]:
    """The unit that begins at a sentence, if one does, and how many sentences it used up."""
    span = spans[position]
    sentence = text[span.start : span.end]
    if NOT_QUOTABLE.search(sentence) or sentence.partition(" ")[0].rstrip(":") in _TORN_LABELS:
        return 1, None
    if LEAD_IN_END.search(sentence) and (items := list(take_items(text, spans, position + 1, span.start))):
        every = count_items(text, spans, position + 1)
        return 1 + every, build_list(
            text, _join_previous_sentence(text, spans, position), items, cut=every > len(items)
        )
    if is_item(text, span) and not is_prose(sentence):
        items = list(_take_fragments(text, spans, position))
        return max(1, len(items)), build_list(text, heading, items, cut=False)
    leading = _join_previous_sentence(text, spans, position)
    if leading == span and (is_item(text, span) or _ORDER_OPENER.match(sentence)):
        return 1, _build_under_heading(text, span, heading)
    return 1, _build_plain(text, leading) if leading and is_prose(sentence) else None


def _join_previous_sentence(text: str, spans: list[Span], position: int) -> Span | None:
    """The sentence, with the one before it if it leans on it; None when that one cannot be shown either."""
    span = spans[position]
    if not needs_previous_sentence(text[span.start : span.end]):
        return span
    before = spans[position - 1] if position else None
    if before is None or "\n\n" in text[before.end : span.start]:
        return None
    sentence = text[before.start : before.end]
    stands = is_prose(sentence) and not needs_previous_sentence(sentence) and not NOT_QUOTABLE.search(sentence)
    return Span(before.start, span.end) if stands else None


def needs_previous_sentence(sentence: str) -> bool:
    """Whether a sentence says of what the one before it named: "They …", "The choice among these agents …"."""
    return has_back_reference(sentence) or _DEMONSTRATIVE.match(sentence) is not None


def _build_plain(text: str, span: Span) -> QuotableSpan:
    shown = collapse_whitespace(text[span.start : span.end])
    return QuotableSpan(shown, (span,), shown)


def _build_under_heading(text: str, span: Span, heading: Span | None) -> QuotableSpan | None:
    """An item or an order ("Consider …") reads on its own when it is a sentence, else only under a telling heading."""
    sentence = text[span.start : span.end]
    if len(sentence.split()) < 4 or sentence[-1] in ":?":
        return None
    plain = _build_plain(text, span)
    headed = _add_heading(text, plain, heading)
    return headed if headed is not plain or is_prose(sentence) else None


def _add_heading(text: str, unit: QuotableSpan, heading: Span | None) -> QuotableSpan:
    """The unit after its heading ("Beta-blockers: …"), where the heading tells what the unit leaves unsaid."""
    if heading is None or heading in unit.spans:
        return unit
    name = collapse_whitespace(text[heading.start : heading.end])
    if not _is_telling_heading(name) or stem_coverage(name, unit.text) > MIN_HEADING_COVERAGE:
        return unit
    return unit._replace(text=f"{name}: {unit.text}", spans=(heading, *unit.spans), context=unit.context + 1)


def build_list(text: str, lead: Span | None, items: list[Span], *, cut: bool) -> QuotableSpan | None:
    """Items after the line that introduces them, or after a heading that does; none without either."""
    if lead is None or not items or not _is_telling_heading(text[lead.start : lead.end]):
        return None
    parts = [collapse_whitespace(text[item.start : item.end]).rstrip(".;,") for item in items]
    opening = collapse_whitespace(text[lead.start : lead.end])
    colon = "" if LEAD_IN_END.search(opening) else ":"
    body = Span(items[0].start, items[-1].end)
    near = not text[lead.end : items[0].start].strip(" \n-•*")
    spans = (Span(lead.start, body.end),) if near else (lead, body)
    listed = f"{'; '.join(parts)}{'; …' if cut else '.'}"
    return QuotableSpan(f"{opening}{colon} {listed}", spans, listed)


def count_items(text: str, spans: list[Span], position: int) -> int:
    """How many items in a row there are from a position on.

    None of them is said without the line that introduces them, be it far away or in the passage before: it may be
    "Do not use:" or "It is often believed that:".
    """
    count = 0
    while position + count < len(spans) and is_item(text, spans[position + count]):
        count += 1
    return count


def take_items(text: str, spans: list[Span], position: int, start: int) -> Iterator[Span]:
    """The list items from a position on, as many as fit after `start`."""
    for span in spans[position:]:
        words = len(text[span.start : span.end].split())
        too_long = span.end - start > MAX_LIST_LENGTH or words > MAX_ITEM_WORDS
        if not is_item(text, span) or too_long or text[span.end - 1] == ":":
            return
        yield span


def _take_fragments(text: str, spans: list[Span], position: int) -> Iterator[Span]:
    """The items from a position on that are no sentences: they are read as one list or not at all."""
    for span in take_items(text, spans, position, spans[position].start):
        sentence = text[span.start : span.end]
        if is_prose(sentence) or NOT_QUOTABLE.search(sentence) or LEAD_IN_END.search(sentence):
            return
        yield span


def is_item(text: str, span: Span) -> bool:
    """Whether a mark of a list stands before it."""
    return bool(_BULLET.search(text[max(0, span.start - 4) : span.start]))


def find_heading(passage: Passage) -> Span | None:
    """Where the passage's own heading line stands, when the passage begins with it."""
    name = last_heading(passage.section)
    line = passage.text.partition("\n")[0]
    return Span(0, len(line)) if name and line.startswith(name) else None


def _is_telling_heading(heading: str) -> bool:
    return not set(_WORD.findall(heading.lower())) <= GENERIC_HEADING_WORDS


def collapse_whitespace(text: str) -> str:
    """Text with its white space in order."""
    return " ".join(text.split())


def has_same_words(statement: str, quote: str) -> bool:
    """Whether a statement consists of the quote's words and nothing else, in their order.

    What joins the parts of a list or a heading to its text (bullets, colons, semicolons, white space, a full stop)
    may differ; words, numbers and signs may not.
    """
    return _word_sequence(statement) == _word_sequence(quote)


def _word_sequence(text: str) -> list[str]:
    return JOINING_MARKS.sub(" ", visible_text(text)).split()


# What of an excerpt can be shown: sentences that were cut where it begins or ends, with "…" for what is left out.
#
# Of a study a library may hold no more than some words that somebody marked ("the presence of … has been associated
# with FLC."). They are shown only where the excerpt has no whole sentence.

MIN_EXCERPT_WORDS = 6
"""Words of a sentence that was cut, from which it says something."""

ELLIPSIS = "…"

_TORN_START = re.compile(r"(?!a\b)[a-z]\b\W*")
"""The last letter of a word, of which the others stood before the excerpt."""

_LOWER_START = re.compile(r"[\"'“‘(\[]*[a-z]")
_CONNECTIVE = re.compile(
    r"(?:However|Moreover|Furthermore|Additionally|Also|Therefore|Thus|Hence|Indeed|Consequently|Conversely|Similarly"
    r"|Nevertheless|Finally|In (?:contrast|addition|particular|fact|turn)|By (?:contrast|comparison)"
    r"|On the (?:other hand|contrary)|For (?:example|instance)|As a (?:result|consequence)), "
)
"""What joins a sentence to the one before it and says nothing of its own."""

_PARTICIPLE = re.compile(r"\s[a-z]{2,}ed\s(?!by\b)")
"""What may be the verb of a sentence, where the list of verbs lacks it ("The FDA greenlighted …")."""

_END_MARKS = re.compile(r"[\s.,;:–-]+$")
_STOP = re.compile(r"[.!][\"'”’)\]]*$")


def _read_excerpt(text: str, span: Span) -> QuotableSpan | None:
    """A sentence that was cut and still has a clause, as it is shown; None where it leans on what is not there."""
    torn = _TORN_START.match(text, span.start, span.end)
    whole = Span(torn.end() if torn else span.start, span.end)
    words = collapse_whitespace(text[whole.start : whole.end])
    leans = has_back_reference(_capitalize(_CONNECTIVE.sub("", words, count=1)))
    if leans or len(words.split()) < MIN_EXCERPT_WORDS or not _is_clause(words):
        return None
    before = f"{ELLIPSIS} " if torn or _LOWER_START.match(words) else ""
    after = "" if _STOP.search(words) else f" {ELLIPSIS}"
    return QuotableSpan(f"{before}{words}{after}", (whole,), f"{before}{words}{after}")


def _is_clause(words: str) -> bool:
    """Whether it would be a sentence if it began with a capital and ended with a full stop, or seems to be one."""
    sentence = f"{_capitalize(_END_MARKS.sub('', words))}."
    return is_prose(sentence) or bool(_STOP.search(words) and _PARTICIPLE.search(words))


def _capitalize(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


_SEPARATORS: dict[BlockKind, str] = {"paragraph": " ", "item": "; ", "row": ". ", "step": "; "}
