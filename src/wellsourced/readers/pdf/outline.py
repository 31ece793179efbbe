"""Paragraphs of print → title, headings and what stands under them; the list of references is left out.

A heading is taken for one only when its print says so and text follows it, or when it is one of the usual words alone
on a line: a heading that is missed costs little, a sentence that is taken for one can never be quoted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wellsourced.readers.document_builder import heading_path
from wellsourced.readers.pdf.paragraphs import SENTENCE_END, PdfParagraph

MAX_HEADING_CHARS = 120
MAX_TITLE_CHARS = 300
HEADING_SIZE_RATIO = 1.12
"""How much larger than the body a heading is printed, at least; a title, with LARGER twice."""

MIN_FOLLOWING_CHARS = 60
"""Characters of the text that makes a bold or large line its heading, at least."""

_NUMBER = r"(?:(?:[0-9]{1,2}|[ivx]{1,4})(?:\.[0-9]{1,2})*[.)]?\s+)?"
USUAL_HEADING = re.compile(
    _NUMBER + r"(?:abstract|summary|executive summary|key points|background|introduction|objectives?|aims?|design"
    r"|(?:(?:materials?|patients|subjects|participants)(?: and | & ))?methods?|results|findings|discussion"
    r"|limitations|conclusions?|recommendations|references|bibliography|literature(?: cited)?|acknowledge?ments?"
    r"|funding|appendix(?: [a-z0-9])?)\s*:?",
    re.IGNORECASE,
)
REFERENCES_HEADING = re.compile(
    _NUMBER + r"(?:references|bibliography|literature(?: cited)?|works cited)\s*:?", re.IGNORECASE
)
YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")


@dataclass(frozen=True)
class OutlineBlock:
    """A paragraph and its place in the outline.

    section   the path of headings that it stands under
    is_heading   it is one itself, or the title
    starts    as in PdfParagraph
    """

    text: str
    section: str
    is_heading: bool
    starts: Sequence[tuple[int, int]]


def find_title(found: Sequence[PdfParagraph], body: float) -> PdfParagraph | None:
    """The largest print at the top of the first page, if it is larger than a heading would be and reads like one."""
    least = body * HEADING_SIZE_RATIO**2
    top = [one for one in found[:12] if one.page == 0 and one.size >= least and len(one.text) <= MAX_TITLE_CHARS]
    # One short word, or one in capitals, is the sign of a publisher.
    named = [one for one in top if " " in one.text or (len(one.text) > 4 and not one.text.isupper())]
    return max(named, key=lambda one: one.size, default=None)


def outline_blocks(
    found: Sequence[PdfParagraph], body: float, title: PdfParagraph | None, *, references: bool = False
) -> list[OutlineBlock]:
    """Every paragraph in its place, without the list of references unless it is asked for."""
    levels = _heading_levels(found, body, title)
    blocks: list[OutlineBlock] = []
    headings: list[tuple[int, str]] = []
    skipping = 0
    for number, one in enumerate(found):
        level = levels.get(number, 0)
        if skipping and not (level and level <= skipping):
            continue
        skipping = 0
        # Titles of cited works are no words of this one: a statement must not be taken for its own.
        if level and not references and _lists_references(found, levels, number):
            skipping = level
            continue
        if level:
            headings = [*(higher for higher in headings if higher[0] < level), (level, one.text.rstrip(": "))]
        section = heading_path(*(words for _, words in headings))
        blocks.append(OutlineBlock(one.text, section, bool(level) or one is title, one.starts))
    return blocks


def _heading_levels(found: Sequence[PdfParagraph], body: float, title: PdfParagraph | None) -> dict[int, int]:
    """Number of a paragraph → level of the heading that it is, 1 the highest."""
    likely = {number for number, one in enumerate(found) if one is not title and _looks_like_heading(one, body)}
    sure = {at for at in likely if USUAL_HEADING.fullmatch(found[at].text) or _has_text_below(found, likely, at)}
    styles = sorted({_print_style(found[number]) for number in sure}, reverse=True)
    return {number: min(styles.index(_print_style(found[number])) + 1, 6) for number in sure}


def _print_style(one: PdfParagraph) -> tuple[float, bool, bool]:
    return (one.size, one.bold, one.text.isupper())


def _looks_like_heading(one: PdfParagraph, body: float) -> bool:
    text = one.text
    # The usual words alone on a line are a heading, even in the print of the body.
    if USUAL_HEADING.fullmatch(text) and one.size >= body - 0.6:
        return True
    if len(text) > MAX_HEADING_CHARS or one.lines > 3 or not re.match(r"[A-ZÄ-ÞΑ-Ω0-9]", text):
        return False
    if len(re.findall(r"[^\W\d_]", text)) < 0.6 * len(text.replace(" ", "")) or SENTENCE_END.search(text.rstrip(":?")):
        return False
    return one.size >= body * HEADING_SIZE_RATIO or (one.bold and one.size >= body - 0.6)


def _has_text_below(found: Sequence[PdfParagraph], likely: set[int], number: int) -> bool:
    """Whether text follows, after further headings at most."""
    behind = next((found[at] for at in range(number + 1, min(number + 4, len(found))) if at not in likely), None)
    return behind is not None and len(behind.text) >= MIN_FOLLOWING_CHARS and behind.size < found[number].size + 0.3


def _lists_references(found: Sequence[PdfParagraph], levels: dict[int, int], number: int) -> bool:
    """Whether a heading announces references, and most of what stands under it names years, as they do."""
    if not REFERENCES_HEADING.fullmatch(found[number].text):
        return False
    level = levels[number]
    end = next((at for at in range(number + 1, len(found)) if 0 < levels.get(at, 0) <= level), len(found))
    under = found[number + 1 : end]
    return 2 * sum(bool(YEAR.search(one.text)) for one in under) >= len(under) > 0
