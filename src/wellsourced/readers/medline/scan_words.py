"""Words that stand between the tags of a record, in the form in which NLM writes them."""

import html
import re

from lxml import etree

from wellsourced.readers.xml_records import SAFE_PARSER, InlineText, collapse_whitespace, element_text


class IrregularRecord(ValueError):
    """Not in the form in which NLM writes."""


WORDS_PATTERN = r"([^ \t\n\r<]++(?: [^ \t\n\r<]++)*+)"
"""What stands in an element of words alone: single spaces between them, none around them."""


def find_all(pattern: re.Pattern[str], text: str, opening: str, others: int = 0) -> list[tuple[str, ...]]:
    """Every match, characters for entities. Raises IrregularRecord where the tag stands and the pattern fails."""
    found: list[tuple[str, ...]] = pattern.findall(text)
    # The tag stands where the pattern does not fit: something is written otherwise, and only the parser may say what.
    if len(found) + others != text.count(opening):
        raise IrregularRecord
    return [tuple(map(unescape, parts)) for parts in found] if found and "&" in text else found


def match_all(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """The groups of a pattern that the whole text fits, characters for entities. Raises IrregularRecord."""
    found = pattern.fullmatch(text)
    if not found:
        raise IrregularRecord
    parts = found.groups("")
    return tuple(map(unescape, parts)) if "&" in text else parts


ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")


def unescape(text: str) -> str:
    """Characters for the five entities of XML. Raises IrregularRecord where any other "&" stands."""
    if "&" not in text:
        return text
    if len(ENTITY.findall(text)) != text.count("&"):
        raise IrregularRecord
    return html.unescape(text)


def scan_text(text: str) -> str:
    """The words of a title or of a part of an abstract, which may have markup and numbered characters in them."""
    if "<" not in text and "&" not in text:
        return collapse_whitespace(text)
    if "&#" in text:
        return _parse_text(text)
    return _markup_text(text) if "<" in text else collapse_whitespace(unescape(text))


MARKED_SPAN = re.compile(r"<(i|b|u|sup|sub)>([^<]*)</\1>")


def _markup_text(text: str) -> str:
    """Words with markup; by the parser, which takes twice as long, only where one mark stands inside another."""
    pieces = MARKED_SPAN.split(text)
    if "<" in "".join(pieces[::3]):
        return _parse_text(text)
    unmarked, *marked = map(unescape, pieces)
    line = InlineText()
    line.write(unmarked)
    for name, inner, behind in zip(*[iter(marked)] * 3, strict=True):
        line.write_mark(name, inner)
        line.write(behind)
    return line.text()


def _parse_text(text: str) -> str:
    if "<AbstractText" in text:
        raise IrregularRecord
    try:
        return element_text(etree.fromstring(f"<AbstractText>{text}</AbstractText>", SAFE_PARSER))
    except etree.XMLSyntaxError as error:
        raise IrregularRecord from error
