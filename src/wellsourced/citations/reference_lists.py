"""Lists of references in other people's texts: where one stands, and where its entries begin."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.citations.links import find_links
from wellsourced.citations.markers import find_markers
from wellsourced.citations.reference_parser import ParsedReference, is_printed_reference, parse_reference
from wellsourced.text.sentences import Span


class ReferenceEntry(NamedTuple):
    """One entry of a list, from `start` to `end`; `label` as marks name it ("3", "smith"), "" when it has none."""

    start: int
    end: int
    label: str
    reference: ParsedReference


class ReferenceList(NamedTuple):
    """The entries of a text, and the spans that are no running text: the lists with their headings.

    has_counted_labels   entries had no numbers of their own, and were counted from 1 in their order
    """

    entries: tuple[ReferenceEntry, ...] = ()
    spans: tuple[Span, ...] = ()
    has_counted_labels: bool = False


_LIST_TITLES = (
    "references?|reference list|list of references|references? (?:and|&) (?:links|notes"
    "|further reading)|sources?|sources? cited|citations?|cited sources?"
    "|sources? (?:and|&) (?:references|citations|further reading)|key (?:references|sources)"
    "|selected references|bibliography|works? cited|literature(?: cited)?"
    "|further reading|footnotes|endnotes|notes|links|evidence|literaturverzeichnis|literatur"
    "|quellen(?:verzeichnis|angaben)?|einzelnachweise"
    "|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía"
    "|fuentes|riferimenti(?: bibliografici)?|bibliografia|fonti"
    "|referenties|literatuur|bronnen|referências"
)
_LIST_HEADING = re.compile(
    rf"^[ \t]*(?:[^\w\s\[(]{{1,6}}[ \t]*)?(?:\d{{1,2}}\.?[ \t]+)?(?:{_LIST_TITLES})"
    rf"[ \t]*(?:\(\d+\))?[ \t]*(?:[*_:#]{{1,8}}[ \t]*)*$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE_HEADING = re.compile(
    r"^[ \t]*(?:[*_#>-]{1,4}[ \t]*)?(?:references?|sources?|citations?|bibliography|quellen"
    r"|literatur)[*_ \t]{0,4}:[*_ \t]{0,4}(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+\S|\*\*[^*\n]{2,80}\*\*:?[ \t]*$|-{3,}[ \t]*$|\*{3,}[ \t]*$|_{3,}[ \t]*$)", re.MULTILINE
)
_LABEL = re.compile(
    r"[ \t]*(?:>[ \t]*)?(?:[-*+•·][ \t]+)?(?:\*\*|__)?(?:"
    r"\[\^?(?P<square>[\w.:-]{1,40})\]:?(?!\()|(?P<dotted>\d{1,4})[.)]:?(?=[\s*\[]|$)"
    r"|\((?P<round>\d{1,4})\)|【(?P<tool>\d{1,4})[^】\n]{0,80}】"
    r"|<sup>(?P<tag>\d{1,4})</sup>|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|\^(?P<caret>\d{1,4})\^?"
    r"|(?P<tabbed>\d{1,4})(?:\t|[ ]{2,}(?=[A-Z])))(?:\*\*|__)?[ \t]*"
)
_BULLET = re.compile(r"[ \t]*(?:[-*+•·–—▪◦‣][ \t]+)")
_DEFINITION = re.compile(r"^[ ]{0,3}\[(\^?[^\]\[\n]{1,40})\]:[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE)
_SUPERSCRIPT_TO_DIGIT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_BIBLIOGRAPHIC_SIGN = re.compile(
    r"\b(?:19|20)\d\d\b|https?://|www\.|\bdoi\b|\b10\.\d{4,9}/|\bPMID|\bPMC\d|\bet al\b", re.IGNORECASE
)
_RUN_ON_LABEL = re.compile(r"(?:(?<=\s)|^)(?:\[(\d{1,3})\]|(\d{1,3})\.)[ \t]+(?=[A-ZÀ-Þ\"“h\[])")
_LINE = re.compile(r"[^\n]+")
_ENTRY_OPENING = re.compile(r"(?!  )\s*(?:https?://|www\.|doi|10\.|[\[\"“*(]|(?:van|von|de) [A-Z]|[A-ZÀ-Þ])")
MAX_LISTED_LENGTH = 2_500
"""Characters of an entry: what is longer is running text."""


def extract_reference_list(text: str) -> ReferenceList:
    """The entries that a text lists at its end, under a heading or by their shape, and its Markdown definitions.

    Numbers are the entries' own; a list without any is counted. Nothing is taken for a list of which most entries do
    not say where or when: "Sources" can be a chapter.
    """
    defined = list(_find_definitions(text))
    spans = [Span(one.start, one.end) for one in defined]
    entries = list(defined)
    if found := next(_find_under_headings(text, spans), None) or _find_by_shape(text, spans):
        place, listed = found
        entries += [one for one in listed if not any(one.start < end and start < one.end for start, end in spans)]
        spans.append(place)
    entries.sort()
    if entries and not any(one.label for one in entries):
        counted = tuple(one._replace(label=str(number)) for number, one in enumerate(entries, 1))
        return ReferenceList(counted, tuple(sorted(spans)), has_counted_labels=True)
    return ReferenceList(tuple(entries), tuple(sorted(spans)))


def _find_definitions(text: str) -> Iterator[ReferenceEntry]:
    """ "[1]: https://…" and "[^1]: Smith J. …", wherever they stand."""
    for found in _DEFINITION.finditer(text):
        if found.end() - found.start() <= MAX_LISTED_LENGTH and (
            found[1].startswith("^") or _BIBLIOGRAPHIC_SIGN.search(found[2])
        ):
            yield ReferenceEntry(found.start(), found.end(), found[1].strip("^").lower(), parse_reference(found[2]))


def _find_under_headings(text: str, defined: Sequence[Span]) -> Iterator[tuple[Span, list[ReferenceEntry]]]:
    heads = [found.span() for heading in (_LIST_HEADING, _INLINE_HEADING) for found in heading.finditer(text)]
    for start, opens in sorted(heads, reverse=True)[:20]:
        following = _NEXT_HEADING.search(text, opens + 1) if opens < len(text) else None
        end = following.start() if following else len(text)
        entries = _split_entries(text, opens, end)
        if entries and entries[-1].end < end and not following:
            end = entries[-1].end
        spans = [(one.start, one.end) for one in entries]
        signs = (_BIBLIOGRAPHIC_SIGN.search(text, *span) or next(find_links(text, *span), None) for span in spans)
        told = sum(sign is not None for sign in signs)
        if entries and (2 * told >= len(entries) or _are_cited(entries, text[:start])):
            yield Span(start, len(text[:end].rstrip()) if following else end), entries
        elif not entries and any(opens <= one.start < end for one in defined):
            yield Span(start, opens), []


def _are_cited(entries: Sequence[ReferenceEntry], text: str) -> bool:
    """Whether marks in the text name every entry: then it is a list, though its entries say neither where nor when."""
    labels = {label for mark in find_markers(text) if mark.is_unambiguous for label in mark.labels}
    return all(entry.label in labels for entry in entries)


def _find_by_shape(text: str, defined: Sequence[Span]) -> tuple[Span, list[ReferenceEntry]] | None:
    """Labelled lines, or addresses alone on their lines, at the end of the text, with nothing behind them."""
    filled = (line for line in _LINE.finditer(text) if line[0].strip())
    lines = [line for line in filled if not any(a <= line.start() < b for a, b in defined)]
    first = len(lines)
    while first and _is_entry_line(lines[first - 1][0]):
        first -= 1
    # A single address may be the last word of a sentence, or the whole text.
    if len(lines) - first < 2 and not any(
        is_printed_reference(_skip_mark(line[0])) or (first and _is_address_line(line[0])) for line in lines[first:]
    ):
        first = len(lines) - 1
        if first < 1 or not _is_lone_reference(text, lines[first - 1].end(), lines[first]):
            return None
    start, end = lines[first].start(), lines[-1].end()
    entries = _split_entries(text, start, end)
    return (Span(start, end), entries) if entries else None


def _is_entry_line(line: str) -> bool:
    labelled = _LABEL.match(line) and _ENTRY_SIGN.search(line)
    return bool(labelled or _is_address_line(line) or is_printed_reference(_skip_mark(line)))


def _is_lone_reference(text: str, before: int, line: re.Match[str]) -> bool:
    """Whether the last line, apart from the others, names one work: parts with a stop behind each, a year, an id."""
    words = _skip_mark(line[0])
    link = next(find_links(words), None)
    if link is None or not (link.doi or link.pmid or link.pmcid) or text.count("\n", before, line.start()) < 2:
        return False
    parts, said = words[: link.start].split(". "), parse_reference(words)
    return len(words) - link.end < 3 and len(parts) > 2 and bool(said.title and said.year)


_ENTRY_SIGN = re.compile(
    r"https?://|www\.|10\.\d{4,9}/|PMID|PMC\d|\b(?:19|20)\d\d\s?[;:.)]|\b(?:19|20)\d\d$|\bet al", re.IGNORECASE
)


def _is_address_line(line: str) -> bool:
    words = _skip_mark(line)
    first = next(find_links(words), None)
    return first is not None and not first.trial_id and first.start < 3 and len(words) - first.end < 3


def _skip_mark(line: str) -> str:
    mark = _LABEL.match(line) or _BULLET.match(line)
    return line[mark.end() if mark else 0 :].strip()


def _split_entries(text: str, start: int, end: int) -> list[ReferenceEntry]:
    """The entries of text[start:end], by their labels, their bullets, blank lines or lines."""
    lines = [line for line in _LINE.finditer(text, start, end) if line[0].strip()]
    labels = [_LABEL.match(line[0]) for line in lines]
    numbered = sum(label is not None for label in labels)
    if len(lines) == 1 and (run := _split_run_on_line(text, lines[0].start(), lines[0].end())):
        return run
    if numbered and 3 * numbered >= len(lines) - numbered:
        begins = [label is not None for label in labels]
    elif any(_BULLET.match(line[0]) for line in lines):
        begins = [_BULLET.match(line[0]) is not None for line in lines]
    else:
        # Entries without marks begin after blank lines, where those are; else at every line that is not a rest.
        begins = [True, *(text.count("\n", one.end(), other.start()) > 1 for one, other in pairwise(lines))]
        if len(lines) != 1 and (sum(begins) == 1 or sum(begins) * 4 < len(lines)):
            begins = [_ENTRY_OPENING.match(line[0]) is not None for line in lines]
    return list(_build_entries(text, lines, labels, begins, end))


def _split_run_on_line(text: str, start: int, end: int) -> list[ReferenceEntry]:
    """ "1. Smith … 2. Doe …" or several addresses in one line; [] when it holds one entry."""
    cuts: list[tuple[int, int, str]] = []
    for found in _RUN_ON_LABEL.finditer(text, start, end):
        label = found[1] or found[2]
        if int(label) == len(cuts) + 1 or (cuts and int(label) == int(cuts[-1][2]) + 1):
            cuts.append((found.start(), found.end(), label))
    ends = [*(cut[0] for cut in cuts[1:]), end]
    # "2. Diagnosis" may be the title of the only entry.
    if len(cuts) > 1 and all(
        _BIBLIOGRAPHIC_SIGN.search(text, cut[1], stop) for cut, stop in zip(cuts, ends, strict=True)
    ):
        return [
            ReferenceEntry(start, _skip_space_back(text, stop), label, parse_reference(text[body:stop]))
            for (start, body, label), stop in zip(cuts, ends, strict=True)
        ]
    places = list(find_links(text, start, end))
    between = [text[one.end : other.start].strip(" \t,;|•*-–and") for one, other in pairwise(places)]
    if len(places) > 1 and not any(between):
        return [ReferenceEntry(one.start, one.end, "", parse_reference(text[one.start : one.end])) for one in places]
    return []


def _skip_space_back(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _build_entries(
    text: str, lines: Sequence[re.Match[str]], labels: Sequence[re.Match[str] | None], begins: Sequence[bool], stop: int
) -> Iterator[ReferenceEntry]:
    """Entries from the lines that begin them; it ends at a paragraph that is none."""
    firsts = [number for number, begin in enumerate(begins) if begin]
    if not firsts:
        return
    for first, following in zip(firsts, [*firsts[1:], len(lines)], strict=True):
        last = _find_last_line(text, lines, first) if following == len(lines) else following - 1
        start, end = lines[first].start(), lines[last].end()
        label = labels[first]
        name = next((value for value in label.groupdict().values() if value), "") if label else ""
        bullet = _BULLET.match(lines[first][0])
        body = text[start + (label.end() if label else bullet.end() if bullet else 0) : end]
        start += len(lines[first][0]) - len(lines[first][0].lstrip())
        if body.strip() and end - start <= MAX_LISTED_LENGTH and start < stop:
            name = name.translate(_SUPERSCRIPT_TO_DIGIT).lower()
            yield ReferenceEntry(start, _skip_space_back(text, end), name, parse_reference(body))


def _find_last_line(text: str, lines: Sequence[re.Match[str]], first: int) -> int:
    """The last line of the last entry: a blank line ends it, what follows is said about something else."""
    last = first
    while last + 1 < len(lines) and text.count("\n", lines[last].end(), lines[last + 1].start()) < 2:
        last += 1
    return last
