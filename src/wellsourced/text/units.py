"""Units: the parts of a passage that can be shown as one statement, each in the source's own words.

A sentence that can stand alone is a unit; one that leans on the sentence before it ("They should …") is a unit
together with that sentence; a list is a unit together with the line that introduces it. Headings, rows of tables,
bibliography lines and loose fragments are no units.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.text.sentences import Span, is_prose, opens_with_reference_back, sentences
from wellsourced.types import Document, Passage

LIST_LIMIT = 700
"""Characters of a list with its lead-in; a longer one ends with an earlier item."""

WINDOW = 2_000
"""Characters a passage may have after its heading line was put before it."""

GENERIC = frozenset(
    "abstract aim aims background conclusion conclusions discussion findings introduction key points limitations "
    "materials and methods method methods objective objectives overview patients purpose references result results "
    "setting study design summary treatment diagnosis management key principles general recommendations".split()
)
"""Words of headings that say what part of a text this is, not what it is about."""

_FRAGMENT = re.compile(
    r"(?:Recommended|Preferred|Indicated|Contraindicated|Considered?|May be|Should|Can be|Must|Not recommended|Avoid|Use|"
    r"Add|Start|Initiate|Continue|Discontinue|Stop|Hold|Do not|Do NOT|Reduce|Increase|Monitor|Check|For|If|In patients|"
    r"In adults|When|Reserved|Target|Titrate|Assess|Perform|Offer|Give|Administer|Switch|Repeat|Measure|Obtain)\b"
)
_BULLET = re.compile(r"(?:^|(?<=\s))(?:[-•*]|\d{1,2}[.)])\s+$")


class Unit(NamedTuple):
    """What could be one statement: its text in one line, and where in the passage its words stand, in order."""

    text: str
    spans: tuple[Span, ...]

    def quotes(self, passage_text: str) -> list[str]:
        """The words of the passage that the unit is made of, character for character."""
        return [passage_text[start:end] for start, end in self.spans]


def units(passage: Passage) -> list[Unit]:
    """The units of a passage, in order."""
    text = passage.text
    heading = _heading(passage)
    spans = [span for span in sentences(text) if heading is None or span.start >= heading.end]
    found: list[Unit] = []
    position = 0
    while position < len(spans):
        taken, unit = _unit_at(text, spans, position, heading)
        if unit:
            found.append(unit)
        position += taken
    return found


def _unit_at(text: str, spans: list[Span], position: int, heading: Span | None) -> tuple[int, Unit | None]:
    """The unit that begins at a sentence, if one does, and how many sentences it used up."""
    span = spans[position]
    sentence = text[span.start : span.end]
    if _is_row(sentence):
        return 1, None
    if sentence.endswith(":") and (items := list(_items(text, spans, position))):
        return 1 + len(items), _list(text, span, items)
    if _is_item(text, span) or _FRAGMENT.match(sentence):
        return 1, _under_heading(text, span, heading)
    if not is_prose(sentence):
        return 1, None
    if not opens_with_reference_back(sentence):
        return 1, _plain(text, span)
    before = spans[position - 1] if position else None
    if before is None or not is_prose(text[before.start : before.end]) or "\n\n" in text[before.end : span.start]:
        return 1, None
    return 1, _plain(text, Span(before.start, span.end))


def _plain(text: str, span: Span) -> Unit:
    return Unit(in_one_line(text[span.start : span.end]), (span,))


def _under_heading(text: str, span: Span, heading: Span | None) -> Unit | None:
    """An item or an order ("Consider …") reads on its own when it is a sentence, else only under a telling heading."""
    sentence = text[span.start : span.end]
    if len(sentence.split()) < 4 or sentence.endswith((":", "?")):
        return None
    if heading and _tells(text[heading.start : heading.end]):
        return Unit(f"{in_one_line(text[heading.start : heading.end])}: {in_one_line(sentence)}", (heading, span))
    return _plain(text, span) if is_prose(sentence) else None


def _list(text: str, lead: Span, items: list[Span]) -> Unit:
    parts = [in_one_line(text[item.start : item.end]).removeprefix("- ").rstrip(".;,") for item in items]
    shown = f"{in_one_line(text[lead.start : lead.end])} {'; '.join(parts)}."
    return Unit(shown, (Span(lead.start, items[-1].end),))


def _items(text: str, spans: list[Span], position: int) -> Iterator[Span]:
    """The list items that follow a lead-in, as many as fit."""
    lead = spans[position]
    for span in spans[position + 1 :]:
        if not _is_item(text, span) or span.end - lead.start > LIST_LIMIT:
            return
        yield span


def _is_item(text: str, span: Span) -> bool:
    before = text[max(0, span.start - 4) : span.start]
    return bool(_BULLET.search(before)) or text[span.start : span.start + 2] in ("- ", "• ", "* ")


def _is_row(sentence: str) -> bool:
    return " | " in sentence


def _heading(passage: Passage) -> Span | None:
    """Where the passage's own heading line stands, when the passage begins with it."""
    name = passage.section.rpartition(" › ")[2]
    line = passage.text.partition("\n")[0]
    return Span(0, len(line)) if name and line.startswith(name) else None


def _tells(heading: str) -> bool:
    return not set(re.findall(r"[a-z]+", heading.lower())) <= GENERIC


def with_heading(passage: Passage, document: Document) -> Passage:
    """The passage from its heading line on, when the heading is near enough to be read with it."""
    name = passage.section.rpartition(" › ")[2]
    if not name:
        return passage
    start = document.text.rfind("\n" + name, 0, passage.start) + 1
    section = next((part for part in document.sections if part.start <= passage.start < part.end), None)
    line_end = document.text.find("\n", start)
    if not start or section is None or document.text[line_end : section.start].strip() or passage.end - start > WINDOW:
        return passage
    return passage.model_copy(update={"start": start, "text": document.text[start : passage.end]})


def in_one_line(text: str) -> str:
    """Text with its white space in order."""
    return " ".join(text.split())


def same_words(statement: str, quote: str) -> bool:
    """Whether a statement consists of the quote's words and nothing else, in their order.

    What joins the parts of a list or a heading to its text (bullets, colons, semicolons, white space, a full stop)
    may differ; words, numbers and signs may not.
    """
    return _skeleton(statement) == _skeleton(quote)


def _skeleton(text: str) -> list[str]:
    return re.sub(r"(?:^|\s)[-•*](?=\s)|[:;…]|[.,](?=\s|$)", " ", text).split()
