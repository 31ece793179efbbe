"""Marks: how a text says, inside a sentence, what it rests on. Numbers, names with years, links, addresses."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from wellsourced.text.locators import Locator, locators, named


class Mark(NamedTuple):
    """A reference inside a text, from `start` to `end`.

    labels   of the entries that it refers to: "3", "smith 2020", "turn0search1"; () for one that names a place itself
    places   what it names itself: a link, a DOI, the number of a trial
    said     the span of its words that belong to the sentence: those of a link, "Smith et al. (2020)"; empty if none do
    shaped   it is written as a mark and as nothing else: `3)` and a raised 3 are marks only where a list has them
    """

    start: int
    end: int
    labels: tuple[str, ...] = ()
    places: tuple[Locator, ...] = ()
    said: tuple[int, int] = (0, 0)
    shaped: bool = True


MOST = 200
"""Entries that one range may span."""

_LIST = r"\d{1,4}[a-z]?(?:(?:\s{0,2}[,;–—‒−-]\s{0,2}|,?\s(?:and|&)\s)\^?\d{1,4}[a-z]?){0,40}"
_CALLED = r"(?:[Rr]efs?|[Rr]eferences?|[Ss]ources?|[Cc]itations?|[Cc]ite)\b\.?\s?[:#]?\s?"
_PAGES = r"(?:,\s?(?:pp?|page|pages)\.?\s?\d{1,5}(?:[–-]\d{1,5})?|:\d{1,5}(?:[–-]\d{1,5})?)"
_NUMBERED = re.compile(rf"(?:\\?\[|［)\s{{0,2}}(?:{_CALLED})?\^?({_LIST}){_PAGES}?\s{{0,2}}(?:\\?\]|］)")
_CHAIN = re.compile(rf"\[{_LIST}\](?:\s?[,;–—‒−-]\s?\[{_LIST}\]){{1,20}}")
_CALLED_ROUND = re.compile(rf"\((?:[Ss]ee\s)?{_CALLED}({_LIST})\)")
_KEYED = re.compile(r"\[-?@[\w:.+/-]{1,80}(?:;\s?-?@[\w:.+/-]{1,80}){0,20}\]")
_ROUND = re.compile(rf"(?<=[\w.,;:%)\]\"”’])\s?\(({_LIST})\)(?!\()")
_NOTE = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_TOOL = re.compile(
    r"【(?P<number>\d{1,4}(?::\d{1,4})?)†[^】\n]{0,120}】"
    r"|\ue200?(?:file)?cite(?P<turns>(?:\ue202?turn\d{1,4}[a-z]{1,12}\d{1,4}){1,20})\ue201?"
    r"|:contentReference\[oaicite:(?P<oai>\d{1,4})\]\{index=\d{1,4}\}"
)
_TURN = re.compile(r"turn\d+[a-z]+\d+")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = re.compile(rf"[{_RAISED}]{{1,3}}(?:[,˒⸴;–⁻-]\s?[{_RAISED}]{{1,3}}){{0,20}}")
_PLAIN = str.maketrans(_RAISED + "˒⸴⁻", "0123456789,,-")
_TAGGED = re.compile(rf"<sup\b[^<>]{{0,80}}>\s{{0,3}}\[?\s?({_LIST})\s?\]?\s{{0,3}}</sup\s?>", re.IGNORECASE)
_CARET = re.compile(
    rf"(?<=[^\W\d_])[.,;:]?\^\[?({_LIST})\]?(?:\^|(?![\w.]))|(?<=[.,;:)%])\^\[?({_LIST})\]?(?:\^|(?![\w.]))"
)
_GLUED = re.compile(r"(?:(?<=[a-z)\]%][.,;])|(?<=[a-z]{5}))(\d{1,3}(?:[,–-]\d{1,3}){0,8})(?=\s|$|[.,;](?:\s|$))")
_NO_NOTE_AFTER = re.compile(
    r"(?:type|phase|grade|stage|group|class|omega|week|month|table|figure|covid)$", re.IGNORECASE
)
_UNIT = re.compile(r"(?:^|[\s/·×*(\d])(?:k|c|m|d|µ|μ|n)?(?:m|s|L|g|in|ft|sec)$|\d$|(?:^|[\W_])[A-Za-zα-ωΑ-Ω]$")
_INTERVAL = re.compile(
    r"(?:\bCI|\bCrI|\bHDI|interval|range|\bIQR|quartiles?|median|mean|\bSD|between|limits|ratio|\b[HOR]R|=|±)"
    r"\s?(?:of|was|were)?[\s:,;=(]*(?:-?\d+(?:\.\d+)?\s?%?\s?)?$",
    re.IGNORECASE,
)
_WORD_NEXT = re.compile(r"\s[^\W\d_]|:")
_ITEM_BEFORE = re.compile(r"(?:[,;:.]|\b(?:and|or|by|to|the|are|is))$")
_NOT_COUNTED = re.compile(
    r"(?:\b[nN]\s?=|\b(?:table|figure|fig\.?|grade|stage|phase|type|box|step|day|week|equation)s?)\s?$", re.IGNORECASE
)

_FAMILY = (
    r"(?:(?:van|von|de|der|den|di|da|la|le|el|al|bin|ter|ten|Van|Von|De|La|Le)[ -]){0,3}[A-ZÀ-ÖØ-Þ][\w'’.&/-]{0,40}"
)
_AND = r"(?:,? et al\.?|(?:, (?:[A-Z]\.[ -]?){0,3})?,? (?:and|&|und|et|y|e) (?:colleagues|co-?workers))"
_NAMES = rf"{_FAMILY}(?:(?:,| and| &|, and|, &| of| for| the| on|)\s{_FAMILY}){{0,7}}(?:{_AND})?"
_YEAR = r"(?:19|20)\d\d[a-z]?"
_CITED = re.compile(
    rf"(?:(?:see|see also|e\.g\.|cf\.|reviewed in|from"
    rf"|source:),? )?({_NAMES}),? \(?({_YEAR}(?:, ?{_YEAR}"
    rf"|, ?[a-z]\b){{0,4}})\)?(?:[,:] ?(?:pp?\.? ?)?[\d–-]{{1,12}})?"
)
_IN_ROUND = re.compile(rf"[(\[]([^()\[\]\n]{{3,400}}?{_YEAR}[^()\[\]\n]{{0,60}})[)\]]")
_NARRATIVE = re.compile(
    rf"({_FAMILY}(?:(?: and | & ){_FAMILY})?(?:{_AND})?)(?:['’]s?)? \(({_YEAR})\)"
    rf"|({_FAMILY}{_AND}),? (?:in )?({_YEAR})\b"
)
_NO_NAMES = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep "
    "sept oct nov dec since until in from between by version edition update updated published accessed "
    "table figure "
    "spring summer autumn winter fall year years before after during as about only circa approved recommended the a an "
    "this that these n total copyright last reviewed revised"
)
_NO_NAME = frozenset(_NO_NAMES.split())

_LINK = re.compile(
    r"(!?)\[((?:[^\[\]\n]"
    r"|\[[^\[\]\n]{0,60}\]){0,300})\]\(\s?<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()"
    r"<>]{0,2000}){0,3})>?"
    r"(?:\s{1,3}[\"'(][^\"\n]{0,200}[\"')])?\s?\)"
)
_REFERRED = re.compile(r"\[([^\[\]\n]{1,200})\]\[(\^?[^\[\]\n]{1,40})\](?!\()")
_NAMELESS = re.compile(
    r"\W*(?:\d{1,4}|source|sources|link|ref|reference|here|pdf|doi|pubmed|citation|\+\d{1,2})\W*", re.IGNORECASE
)
_SITE = re.compile(r"\W*(?:https?://\S+|(?:[\w-]{1,60}\.){1,4}[a-z]{2,10}(?:/\S*)?)(?:\s?\+\d{1,2})?\W*", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"[ \t]*[.;]?[ \t]*(?:\n|$)")
_LEADS_TO = re.compile(
    r"(?:^|\n|[-*•:(]|\b(?:the|an?|by|from|to|of|in|on|at|with|per|and|or|via|for|see|visit|use|called|as|is|are|like))\s*$",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"(?:\b(?:see|also|sources?|doi|pmid|refs?|references?|link|via|from|and|available|at|online|registration|number"
    r"|identifier|registered|clinicaltrials\.gov|trial|nct|full text)\b|[\s:,;&|#./])*",
    re.IGNORECASE,
)
_OPEN = re.compile(r"[(\[]([^()\[\]\n]{0,60})$")
_CLOSE = re.compile(r"([^()\[\]\n]{0,60}?)[)\]]")


def marks(text: str, listed: Collection[str] = ()) -> list[Mark]:
    """Every mark of a text, in order, none within another.

    listed   labels of the entries that the text lists: what could be a mark or something else ("(1)", "outcome.12") is
             one only if all its numbers are among them
    """
    entries = frozenset(listed)
    found: list[Mark] = []
    taken = bytearray(len(text))
    for kind in _KINDS:
        for mark in kind(text):
            if not any(taken[mark.start : mark.end]) and (mark.shaped or (entries and set(mark.labels) <= entries)):
                taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
                found.append(mark)
    found.sort()
    return _unwrapped(text, found)


def _links(text: str) -> Iterator[Mark]:
    for found in _LINK.finditer(text):
        start, end = found.span()
        words, target = found[2].strip(), found[3]
        labels = tuple(_expanded(words.strip("[]^ "))) if _is_list(words) else ()
        if found[1]:  # a picture says nothing that could be checked
            yield Mark(start, end)
        elif target.startswith("#"):
            yield Mark(start, end, labels, said=_said(found, words))
        else:
            place = named(target)._replace(start=found.start(3), end=found.end(3))
            yield Mark(start, end, labels, (place,), _said(found, words))
    for found in _REFERRED.finditer(text):
        if _is_list(found[1]):
            continue  # "[1][2]" are two marks
        said = (0, 0) if _NAMELESS.fullmatch(found[1]) else found.span(1)
        yield Mark(found.start(), found.end(), (found[2].strip("^").lower(),), (), said)


def _said(found: re.Match[str], words: str) -> tuple[int, int]:
    nameless = not words or _is_list(words) or _NAMELESS.fullmatch(words) or _SITE.fullmatch(words)
    return (0, 0) if nameless or _hangs(found.string, *found.span()) else found.span(2)


def _hangs(text: str, start: int, end: int) -> bool:
    """Whether a link hangs behind its sentence, no part of it: "in 1 % of men [FDA label](…)"."""
    ends = _SENTENCE_ENDS.match(text, end) and text[start + 1 : start + 2].isupper()
    return bool(ends and not _LEADS_TO.search(text[max(0, start - 16) : start]))


def _is_list(words: str) -> bool:
    return bool(re.fullmatch(rf"\[?\^?(?:{_LIST})\]?", words.strip()))


def _tools(text: str) -> Iterator[Mark]:
    for found in _TOOL.finditer(text):
        labels = _TURN.findall(found["turns"]) if found["turns"] else [found["number"] or f"oaicite:{found['oai']}"]
        yield Mark(found.start(), found.end(), tuple(labels))


def _notes(text: str) -> Iterator[Mark]:
    for found in _KEYED.finditer(text):  # as Pandoc cites an entry of a file of references
        yield Mark(found.start(), found.end(), tuple(re.findall(r"@[\w:.+/-]+", found[0].lower())))
    for found in _NOTE.finditer(text):
        yield Mark(found.start(), found.end(), (found[1].lower(),))


def _numbers(text: str) -> Iterator[Mark]:
    for found in _CHAIN.finditer(text):  # "[1]–[3]" is one range, and "[1],[2]" leaves no comma behind
        yield Mark(found.start(), found.end(), tuple(_expanded(re.sub(r"[\[\]]", "", found[0]))))
    for found in _CALLED_ROUND.finditer(text):
        yield Mark(found.start(), found.end(), tuple(_expanded(found[1])))
    for found in _NUMBERED.finditer(text):
        if _counts(text, found, 1):
            yield Mark(found.start(), found.end(), tuple(_expanded(found[1])))
    for found in _ROUND.finditer(text):
        if _counts(text, found, 1) and not _enumerates(text, found):
            start = found.start() + text[found.start()].isspace()
            yield Mark(start, found.end(), tuple(_expanded(found[1])), shaped=False)


def _enumerates(text: str, found: re.Match[str]) -> bool:
    """Whether a number in round brackets opens an item: "(1) rest, (2) ice and (3) heat"."""
    before = text[max(0, found.start() - 6) : found.start()].rstrip()
    return bool(_WORD_NEXT.match(text, found.end()) and _ITEM_BEFORE.search(before))


def _counts(text: str, found: re.Match[str], group: int) -> bool:
    """Whether bracketed numbers count entries: they are no interval, no year, and no part of a name."""
    before = text[max(0, found.start() - 40) : found.start()]
    several = not found[group].strip().isdigit()
    if (several and _INTERVAL.search(before)) or (text[found.end() - 1] == ")" and _NOT_COUNTED.search(before)):
        return False
    return not any(len(number) == 4 and number[:2] in ("18", "19", "20") for number in re.findall(r"\d+", found[group]))


def _tagged(text: str) -> Iterator[Mark]:
    for found in _TAGGED.finditer(text):
        if _is_raised_mark(text, found):
            yield Mark(found.start(), found.end(), tuple(_expanded(found[1])))


def _raised(text: str) -> Iterator[Mark]:
    for found in _SUPERSCRIPT.finditer(text):
        if _is_raised_mark(text, found) and text[found.end() : found.end() + 1] not in ("⁺", "⁻", "ᵗ", "ⁿ"):
            yield Mark(found.start(), found.end(), tuple(_expanded(found[0].translate(_PLAIN))))
    for found in _CARET.finditer(text):
        start = text.index("^", found.start())
        if _is_raised_mark(text, found, start):
            yield Mark(start, found.end(), tuple(_expanded(found[1] or found[2])))
    for found in _GLUED.finditer(text):
        if not _NO_NOTE_AFTER.search(text[max(0, found.start() - 8) : found.start()]):
            yield Mark(found.start(), found.end(), tuple(_expanded(found[1])), shaped=False)


def _is_raised_mark(text: str, found: re.Match[str], start: int = -1) -> bool:
    """Whether raised figures are no power of a unit or a number, and no weight of an isotope."""
    start = found.start() if start < 0 else start
    before = text[max(0, start - 12) : start]
    if not before.strip() or before[-1].isspace() or before[-1] in "×*^(":
        return False  # "³H" opens with its figure
    return not _UNIT.search(before)


def _authors(text: str) -> Iterator[Mark]:
    for found in _IN_ROUND.finditer(text):
        labels = _labels(found[1])
        if labels:
            yield Mark(found.start(), found.end(), tuple(labels))
    for found in _NARRATIVE.finditer(text):
        label = author_label(found[1] or found[3], found[2] or found[4])
        if label:
            # "Germany (2020)" is a mark only where the list has it.
            sure = bool(found[3]) or len(found[1].split(" ")) > 2 or " et al" in found[1]
            yield Mark(found.start(), found.end(), (label,), (), found.span(), sure)


def _labels(words: str) -> list[str]:
    """ "Smith et al., 2020; Doe 2019a, b" → labels; [] unless all of it is names and years."""
    labels: list[str] = []
    for part in re.split(r"\s?;\s?", words.strip()):
        found = _CITED.fullmatch(part.strip())
        years = re.findall(_YEAR, found[2]) if found else []
        label = author_label(found[1], years[0]) if found and years else ""
        if not label:
            return []
        labels += [label, *(f"{label.rpartition(' ')[0]} {year}" for year in years[1:])]
    return labels


def author_label(names: str, year: str) -> str:
    """ "Smith and Doe", "2020a" → "smith 2020a": the first family name, or the name of a group; "" when it is none."""
    first = re.split(r",| et al| and | & | und ", names.strip())[0].strip(" .")
    if not first or first.split()[0].lower().strip(".") in _NO_NAME or first.lower() in _NO_NAME:
        return ""
    return f"{first.lower()} {year}"


def _places(text: str) -> Iterator[Mark]:
    for place in locators(text):
        start = place.start - (text[place.start - 1 : place.start] == "<" and text[place.end : place.end + 1] == ">")
        yield Mark(start, place.end + (start < place.start), (), (place,), place[:2] if place.trial else (0, 0))


_KINDS: tuple[Callable[[str], Iterator[Mark]], ...] = (
    _links, _tools, _places, _notes, _tagged, _numbers, _authors, _raised,
)  # fmt: skip
"""Those that are surest first: what one has taken is none of the next."""


def _expanded(numbers: str) -> Iterator[str]:
    """ "1–3, 7" → 1, 2, 3, 7."""
    for part in re.split(r"\s*(?:[,;]|,?\s(?:and|&)\s)\s*", numbers.replace("^", "").strip()):
        ends = [end for end in re.split(r"\s*[–—‒−-]\s*", part) if end]
        if len(ends) == 2 and all(map(str.isdigit, ends)) and 0 <= int(ends[1]) - int(ends[0]) < MOST:
            yield from map(str, range(int(ends[0]), int(ends[1]) + 1))
        else:
            yield from (end.lower() for end in ends)


def _unwrapped(text: str, found: list[Mark]) -> list[Mark]:
    """The marks, those that stand alone in brackets with their brackets: "(see [NICE](…); PMID 1)"."""
    done: list[Mark] = []
    at = 0
    while at < len(found):
        last = at
        while last + 1 < len(found) and _joins(text[found[last].end : found[last + 1].start]):
            last += 1
        done += _with_brackets(text, found[at : last + 1])
        at = last + 1
    return done


def _joins(between: str) -> bool:
    return len(between) < 40 and "(" not in between and ")" not in between and bool(_AROUND.fullmatch(between))


def _with_brackets(text: str, group: list[Mark]) -> list[Mark]:
    first, last = group[0], group[-1]
    opened = _OPEN.search(text, max(0, first.start - 62), first.start)
    closed = _CLOSE.match(text, last.end, min(len(text), last.end + 62)) if opened else None
    if not (any(mark.places for mark in group) and opened and closed):
        return group
    if not (_AROUND.fullmatch(opened[1]) and _AROUND.fullmatch(closed[1])):
        return group
    inside = [mark._replace(said=(0, 0)) for mark in group]
    ends = [*(mark.start for mark in inside[1:]), closed.end()]
    inside[0] = inside[0]._replace(start=opened.start())
    return [mark._replace(end=end) for mark, end in zip(inside, ends, strict=True)]
