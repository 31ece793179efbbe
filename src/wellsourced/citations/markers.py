"""Citation markers: how a sentence says what it rests on. Numbers, names with years, links, addresses; and whether it
reports a finding of somebody else's.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from wellsourced.citations.links import WorkLink, find_links, parse_link
from wellsourced.lazy import lazy_regex


class CitationMarker(NamedTuple):
    """A reference inside a text, from `start` to `end`.

    labels   of the entries that it refers to: "3", "smith 2020", "turn0search1"; () for one that names a place itself
    links    what it names itself: a link, a DOI, the number of a trial
    words_span   the span of its words that belong to the sentence, such as those of a link; empty if none do
    is_unambiguous   it can be nothing but a marker: `(3)` is one only where a list has it
    """

    start: int
    end: int
    labels: tuple[str, ...] = ()
    links: tuple[WorkLink, ...] = ()
    words_span: tuple[int, int] = (0, 0)
    is_unambiguous: bool = True


MAX_RANGE = 200
"""Entries that one range may span."""

_NUMBER_LIST = r"\d{1,4}[a-z]?(?:(?:\s{0,2}[,;–—‒−-]\s{0,2}|,?\s(?:and|&)\s)\^?\d{1,4}[a-z]?){0,40}"
_REFERENCE_WORD = r"(?:[Rr]efs?|[Rr]eferences?|[Ss]ources?|[Cc]itations?|[Cc]ite)\b\.?\s?[:#]?\s?"
_PAGES = r"(?:,\s?(?:pp?|page|pages)\.?\s?\d{1,5}(?:[–-]\d{1,5})?|:\d{1,5}(?:[–-]\d{1,5})?)"
_SQUARE_NUMBERS = lazy_regex(
    rf"(?:\\?\[|［)\s{{0,2}}(?:{_REFERENCE_WORD})?\^?({_NUMBER_LIST}){_PAGES}?\s{{0,2}}(?:\\?\]|］)"
)
_NUMBER_CHAIN = lazy_regex(rf"\[{_NUMBER_LIST}\](?:\s?[,;–—‒−-]\s?\[{_NUMBER_LIST}\]){{1,20}}")
_NAMED_ROUND_NUMBERS = lazy_regex(rf"\((?:[Ss]ee\s)?{_REFERENCE_WORD}({_NUMBER_LIST})\)")
_ROUND_NUMBERS = lazy_regex(rf"(?<=[\w.,;:%)\]\"”’])\s?\(({_NUMBER_LIST})\)(?!\()")
_FOOTNOTE = lazy_regex(r"\[\^([^\]\s]{1,40})\](?!:)")
_TOOL_MARKER = lazy_regex(
    r"【(?P<number>\d{1,4}(?::\d{1,4})?)†[^】\n]{0,120}】"
    r"|\ue200?(?:file)?cite(?P<turns>(?:\ue202?turn\d{1,4}[a-z]{1,12}\d{1,4}){1,20})\ue201?"
    r"|:contentReference\[oaicite:(?P<oai>\d{1,4})\]\{index=\d{1,4}\}"
)
_TURN_LABEL = lazy_regex(r"turn\d+[a-z]+\d+")
_SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT_NUMBERS = lazy_regex(
    rf"[{_SUPERSCRIPT_DIGITS}]{{1,3}}(?:[,˒⸴;–⁻-]\s?[{_SUPERSCRIPT_DIGITS}]{{1,3}}){{0,20}}"
)
_TO_PLAIN_DIGITS = str.maketrans(_SUPERSCRIPT_DIGITS + "˒⸴⁻", "0123456789,,-")
_SUP_TAG = lazy_regex(rf"<sup\b[^<>]{{0,80}}>\s{{0,3}}\[?\s?({_NUMBER_LIST})\s?\]?\s{{0,3}}</sup\s?>", re.IGNORECASE)
_UNIT_BEFORE = lazy_regex(r"(?:^|[\s/·×*(\d])(?:k|c|m|d|µ|μ|n)?(?:m|s|L|g|in|ft|sec)$|\d$|(?:^|[\W_])[A-Za-zα-ωΑ-Ω]$")
_INTERVAL_BEFORE = lazy_regex(
    r"(?:\bCI|\bCrI|\bHDI|interval|range|\bIQR|quartiles?|median|mean|\bSD|between|limits|ratio|\b[HOR]R|=|±)"
    r"\s?(?:of|was|were)?[\s:,;=(]*(?:-?\d+(?:\.\d+)?\s?%?\s?)?$",
    re.IGNORECASE,
)
_WORD_NEXT = lazy_regex(r"\s[^\W\d_]|:")
_ITEM_BEFORE = lazy_regex(r"(?:[,;:.]|\b(?:and|or|by|to|the|are|is))$")
_COUNT_LABEL_BEFORE = lazy_regex(
    r"(?:\b[nN]\s?=|\b(?:table|figure|fig\.?|grade|stage|phase|type|box|step|day|week|equation)s?)\s?$", re.IGNORECASE
)

_FAMILY_NAME = (
    r"(?:(?:van|von|de|der|den|di|da|la|le|el|al|bin|ter|ten|Van|Von|De|La|Le)[ -]){0,3}[A-ZÀ-ÖØ-Þ][\w'’.&/-]{0,40}"
)
_CO_AUTHORS = r"(?:,? et al\.?|(?:, (?:[A-Z]\.[ -]?){0,3})?,? (?:and|&|und|et|y|e) (?:colleagues|co-?workers))"
_AUTHOR_NAMES = (
    rf"{_FAMILY_NAME}(?:(?:,| and| &|, and|, &| of| for| the| on|)\s{_FAMILY_NAME}){{0,7}}(?:{_CO_AUTHORS})?"
)
_YEAR = r"(?:19|20)\d\d[a-z]?"
_AUTHOR_YEAR = lazy_regex(
    rf"(?:(?:see|see also|e\.g\.|cf\.|reviewed in|from|source:),? )?({_AUTHOR_NAMES}),? "
    rf"\(?({_YEAR}(?:, ?{_YEAR}|, ?[a-z]\b){{0,4}})\)?(?:[,:] ?(?:pp?\.? ?)?[\d–-]{{1,12}})?"
)
_BRACKETED_AUTHORS = lazy_regex(rf"[(\[]([^()\[\]\n]{{3,400}}?{_YEAR}[^()\[\]\n]{{0,60}})[)\]]")
_NARRATIVE_CITATION = lazy_regex(
    rf"({_FAMILY_NAME}(?:(?: and | & ){_FAMILY_NAME})?(?:{_CO_AUTHORS})?)(?:['’]s?)? \(({_YEAR})\)"
    rf"|({_FAMILY_NAME}{_CO_AUTHORS}),? (?:in )?({_YEAR})\b"
)
_NOT_AUTHORS_TEXT = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec since until in from between by version edition update updated
    published accessed table figure spring summer autumn winter fall year years before after during as about only circa
    approved recommended the a an this that these n total copyright last reviewed revised
"""
_NOT_AUTHORS = frozenset(_NOT_AUTHORS_TEXT.split())

_MARKDOWN_LINK = lazy_regex(
    r"(!?)\[((?:[^\[\]\n]|\[[^\[\]\n]{0,60}\]){0,300})\]"
    r"\(\s?<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000}){0,3})>?"
    r"(?:\s{1,3}[\"'(][^\"\n]{0,200}[\"')])?\s?\)"
)
_REFERENCE_LINK = lazy_regex(r"\[([^\[\]\n]{1,200})\]\[(\^?[^\[\]\n]{1,40})\](?!\()")
_EMPTY_LINK_TEXT = lazy_regex(
    r"\W*(?:\d{1,4}|source|sources|link|ref|reference|here|pdf|doi|pubmed|citation|\+\d{1,2})\W*", re.IGNORECASE
)
_DOMAIN_TEXT = lazy_regex(
    r"\W*(?:https?://\S+|(?:[\w-]{1,60}\.){1,4}[a-z]{2,10}(?:/\S*)?)(?:\s?\+\d{1,2})?\W*", re.IGNORECASE
)
_LINK_SURROUNDINGS = lazy_regex(
    r"(?:\b(?:see|also|sources?|doi|pmid|refs?|references?|link|via|from|and|available|at|online|registration|number"
    r"|identifier|registered|clinicaltrials\.gov|trial|nct|full text)\b|[\s:,;&|#./])*",
    re.IGNORECASE,
)
_OPENING_BRACKET = lazy_regex(r"[(\[]([^()\[\]\n]{0,60})$")
_CLOSING_BRACKET = lazy_regex(r"([^()\[\]\n]{0,60}?)[)\]]")


def find_markers(text: str, listed: Collection[str] = ()) -> list[CitationMarker]:
    """Every mark of a text, in order, none within another.

    listed   labels of the entries that the text lists: what could be a mark or something else ("(1)") is one only if
             all its numbers are among them
    """
    entries = frozenset(listed)
    found: list[CitationMarker] = []
    taken = bytearray(len(text))
    for mark in (mark for find in _MARKER_FINDERS for mark in find(text)):
        is_listed = bool(entries) and entries.issuperset(mark.labels)
        if (mark.is_unambiguous or is_listed) and not any(taken[mark.start : mark.end]):
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            found.append(mark)
    found.sort()
    return _absorb_brackets(text, found)


def _find_markdown_links(text: str) -> Iterator[CitationMarker]:
    for found in _MARKDOWN_LINK.finditer(text):
        start, end = found.span()
        words, target = found[2].strip(), found[3]
        labels = _expand_numbers(words.strip("[]^ ")) if _is_number_list(words) else ()
        if found[1]:  # a picture says nothing that could be checked
            yield CitationMarker(start, end)
        elif target.startswith("#"):
            yield CitationMarker(start, end, labels, words_span=_link_text_span(found, words))
        else:
            place = parse_link(target)._replace(start=found.start(3), end=found.end(3))
            yield CitationMarker(start, end, labels, (place,), _link_text_span(found, words))
    for found in _REFERENCE_LINK.finditer(text):
        if _is_number_list(found[1]):
            continue  # "[1][2]" are two marks
        said = (0, 0) if _EMPTY_LINK_TEXT.fullmatch(found[1]) else found.span(1)
        yield CitationMarker(*found.span(), (found[2].strip("^").lower(),), (), said)


def _link_text_span(found: re.Match[str], words: str) -> tuple[int, int]:
    nameless = not words or _is_number_list(words) or _EMPTY_LINK_TEXT.fullmatch(words) or _DOMAIN_TEXT.fullmatch(words)
    return (0, 0) if nameless else found.span(2)


def _is_number_list(words: str) -> bool:
    return bool(re.fullmatch(rf"\[?\^?(?:{_NUMBER_LIST})\]?", words.strip()))


def _find_tool_markers(text: str) -> Iterator[CitationMarker]:
    for found in _TOOL_MARKER.finditer(text):
        turns = _TURN_LABEL.findall(found["turns"] or "")
        yield CitationMarker(*found.span(), tuple(turns or [found["number"] or f"oaicite:{found['oai']}"]))


def _find_footnotes(text: str) -> Iterator[CitationMarker]:
    for found in _FOOTNOTE.finditer(text):
        yield CitationMarker(*found.span(), (found[1].lower(),))


def _find_bracketed_numbers(text: str) -> Iterator[CitationMarker]:
    for found in _NUMBER_CHAIN.finditer(text):  # "[1]–[3]" is one range, and "[1],[2]" leaves no comma behind
        yield CitationMarker(*found.span(), _expand_numbers(re.sub(r"[\[\]]", "", found[0])))
    for found in _NAMED_ROUND_NUMBERS.finditer(text):
        yield CitationMarker(*found.span(), _expand_numbers(found[1]))
    for found in _SQUARE_NUMBERS.finditer(text):
        if _is_entry_number(text, found):
            yield CitationMarker(*found.span(), _expand_numbers(found[1]))
    for found in _ROUND_NUMBERS.finditer(text):
        # One that opens an item is none: "(1) rest, (2) ice and (3) heat".
        before = text[max(0, found.start() - 6) : found.start()].rstrip()
        opens_item = _WORD_NEXT.match(text, found.end()) and _ITEM_BEFORE.search(before)
        if not opens_item and _is_entry_number(text, found):
            start = found.start() + text[found.start()].isspace()
            yield CitationMarker(start, found.end(), _expand_numbers(found[1]), is_unambiguous=False)


def _is_entry_number(text: str, found: re.Match[str]) -> bool:
    """Whether bracketed numbers count entries: they are no interval, no year, and no part of a name."""
    before = text[max(0, found.start() - 40) : found.start()]
    if not found[1].strip().isdigit() and _INTERVAL_BEFORE.search(before):
        return False
    if found[0].endswith(")") and _COUNT_LABEL_BEFORE.search(before):
        return False
    return not any(len(number) == 4 and number[:2] in ("18", "19", "20") for number in re.findall(r"\d+", found[1]))


def _find_sup_tags(text: str) -> Iterator[CitationMarker]:
    for found in _SUP_TAG.finditer(text):
        if _is_superscript_marker(text, found.start()):
            yield CitationMarker(*found.span(), _expand_numbers(found[1]))


def _find_superscripts(text: str) -> Iterator[CitationMarker]:
    for found in _SUPERSCRIPT_NUMBERS.finditer(text):
        is_exponent = text.startswith(("⁺", "⁻", "ᵗ", "ⁿ"), found.end())
        if not is_exponent and _is_superscript_marker(text, found.start()):
            yield CitationMarker(*found.span(), _expand_numbers(found[0].translate(_TO_PLAIN_DIGITS)))


def _is_superscript_marker(text: str, start: int) -> bool:
    """Whether the raised figures there are no power of a unit or a number, and no weight of an isotope."""
    before = text[max(0, start - 12) : start]
    if not before.strip() or before[-1].isspace() or before[-1] in "×*^(":
        return False  # "³H" opens with its figure
    return not _UNIT_BEFORE.search(before)


def _find_author_years(text: str) -> Iterator[CitationMarker]:
    for found in _BRACKETED_AUTHORS.finditer(text):
        if labels := _split_author_labels(found[1]):
            yield CitationMarker(*found.span(), tuple(labels))
    for found in _NARRATIVE_CITATION.finditer(text):
        if label := author_label(found[1] or found[3], found[2] or found[4]):
            # "Germany (2020)" is a mark only where the list has it.
            sure = bool(found[3]) or len(found[1].split(" ")) > 2 or " et al" in found[1]
            yield CitationMarker(*found.span(), (label,), (), found.span(), sure)


def _split_author_labels(words: str) -> list[str]:
    """ "Smith et al., 2020; Doe 2019a, b" → labels; [] unless all of it is names and years."""
    labels: list[str] = []
    for part in re.split(r"\s?;\s?", words.strip()):
        found = _AUTHOR_YEAR.fullmatch(part.strip())
        years = re.findall(_YEAR, found[2]) if found else []
        label = author_label(found[1], years[0]) if found and years else ""
        if not label:
            return []
        labels += [label, *(f"{label.rpartition(' ')[0]} {year}" for year in years[1:])]
    return labels


def author_label(names: str, year: str) -> str:
    """ "Smith and Doe", "2020a" → "smith 2020a": the first family name, or the name of a group; "" when it is none."""
    first = re.split(r",| et al| and | & | und ", names.strip())[0].strip(" .")
    if not first or first.split()[0].lower().strip(".") in _NOT_AUTHORS or first.lower() in _NOT_AUTHORS:
        return ""
    return f"{first.lower()} {year}"


def _find_bare_links(text: str) -> Iterator[CitationMarker]:
    for place in find_links(text):
        start = place.start - (text[place.start - 1 : place.start] == "<" and text[place.end : place.end + 1] == ">")
        said = (place.start, place.end) if place.trial_id else (0, 0)
        yield CitationMarker(start, place.end + (start < place.start), (), (place,), said)


_MARKER_FINDERS: tuple[Callable[[str], Iterator[CitationMarker]], ...] = (
    _find_markdown_links, _find_tool_markers, _find_bare_links, _find_footnotes,
    _find_sup_tags, _find_bracketed_numbers, _find_author_years, _find_superscripts,
)  # fmt: skip
"""Those that are surest first: what one has taken is none of the next."""


def _expand_numbers(numbers: str) -> tuple[str, ...]:
    """ "1–3, 7" → 1, 2, 3, 7."""
    labels: list[str] = []
    for part in re.split(r"\s*(?:[,;]|,?\s(?:and|&)\s)\s*", numbers.replace("^", "").strip()):
        ends = [end for end in re.split(r"\s*[–—‒−-]\s*", part) if end]
        if len(ends) == 2 and all(map(str.isdigit, ends)) and 0 <= int(ends[1]) - int(ends[0]) < MAX_RANGE:
            labels += map(str, range(int(ends[0]), int(ends[1]) + 1))
        else:
            labels += (end.lower() for end in ends)
    return tuple(labels)


def _absorb_brackets(text: str, found: list[CitationMarker]) -> list[CitationMarker]:
    """The marks, those that stand alone in brackets with their brackets: "(see [NICE](…); PMID 1)"."""
    done: list[CitationMarker] = []
    at = 0
    while at < len(found):
        last = at
        while last + 1 < len(found):
            between = text[found[last].end : found[last + 1].start]
            if len(between) >= 40 or re.search(r"[()]", between) or not _LINK_SURROUNDINGS.fullmatch(between):
                break
            last += 1
        done += _add_brackets(text, found[at : last + 1])
        at = last + 1
    return done


def _add_brackets(text: str, group: list[CitationMarker]) -> list[CitationMarker]:
    first, last = group[0], group[-1]
    opened = _OPENING_BRACKET.search(text, max(0, first.start - 62), first.start)
    closed = _CLOSING_BRACKET.match(text, last.end, min(len(text), last.end + 62)) if opened else None
    if not (any(mark.links for mark in group) and opened and closed):
        return group
    if not (_LINK_SURROUNDINGS.fullmatch(opened[1]) and _LINK_SURROUNDINGS.fullmatch(closed[1])):
        return group
    inside = [mark._replace(words_span=(0, 0)) for mark in group]
    ends = [*(mark.start for mark in inside[1:]), closed.end()]
    inside[0] = inside[0]._replace(start=opened.start())
    return [mark._replace(end=end) for mark, end in zip(inside, ends, strict=True)]


_SURNAME = (
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
    r"[A-ZÀ-ÖØ-Þ][\w'’-]+"
)
_WORK_NOUN = (
    r"(?:meta-?analys[ie]s|stud(?:y|ies)|trials?|reviews?|reports?|surve(?:y|ys)|cohorts?|authors|investigators)"
)
_OTHER_WORK = re.compile(
    rf"\([^()]{{0,80}}?\b{_SURNAME}(?:\s(?:et\sal\.?|and|&)\s?[^()]{{0,40}}?)?,?\s{_YEAR}\b[^()]{{0,80}}\)"
    rf"|\b{_SURNAME}\s(?:(?:et\sal\.?|and\s(?:colleagues|co-?workers)\b)(?:,?\s\(?{_YEAR}\b\)?)?"
    rf"|(?:and|&)\s{_SURNAME},?\s\(?{_YEAR}\b\)?|\({_YEAR}\))"
    rf"|\b{_WORK_NOUN}\s(?:conducted\s|published\s|performed\s|done\s)?by\s(?:the\s)?{_SURNAME}"
    rf"|\b(?i:(?:previous|earlier|prior|other|several|some|many|past|published|recent)\s(?:[\w-]+\s){{0,3}}?{_WORK_NOUN}\s"
    r"(?:have\s|had\s|has\s|also\s)*(?:show|found|report|suggest|demonstrat|conclud|indicat|observ|document|confirm)\w*)"
    r"|\b(?i:(?:as|was|were|been)\s(?:previously\s|also\s)?(?:reported|described|shown|demonstrated|reviewed)\s"
    r"(?:previously|elsewhere|earlier|by\s(?!us\b|our\b)))"
    rf"|\b(?i:according\sto\s(?:an?|the)\s(?:[\w-]+\s){{0,3}}?{_WORK_NOUN}\b)"
)
MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read: a bound for hostile texts."""


def find_secondary_citation(sentence: str) -> str:
    """The words by which a sentence says that it has this from another work; "" when it does not.

    "[12]", "(Smith et al., 2019)", "a meta-analysis by Jones", "as reported by", "previous trials have shown". Figures
    after a stop or in round brackets are none: intervals, counts and lists look like them.
    """
    text = sentence[:MAX_SENTENCE_LENGTH]
    if mark := next((one for one in _find_bracketed_numbers(text) if one.is_unambiguous), None):
        return text[mark.start : mark.end]
    found = _OTHER_WORK.search(text)
    return found.group() if found else ""
