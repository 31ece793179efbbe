"""One entry of a list of references → what it says of its work, whatever style it is printed in."""

import re
from typing import NamedTuple

from wellsourced.citations.links import WorkLink, find_links
from wellsourced.citations.people import GROUP_NOUN, format_display_name
from wellsourced.text.dates import MONTH_ABBREVIATIONS, MONTH_NAMES


class ParsedReference(NamedTuple):
    """What an entry says; "" or () where it does not say, or where that cannot be told."""

    title: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    year: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    url: str = ""


MAX_ENTRY_LENGTH = 2_500
"""Characters of an entry that are read."""

_MARKDOWN_LINK = re.compile(
    r"!?\[((?:[^\[\]\n]|\[[^\[\]\n]{0,80}\]){0,500})\]"
    r"\(\s?<?[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000}){0,3}>?[^()\n]{0,200}\)"
)
_BRACKETED_NOTE = re.compile(
    r"\s?\[[^\[\]\n]{0,160}\b(?:19|20)\d\d\b[^\[\]\n]{0,80}\]|(?<=[^\s.?!])\s?\[[^\[\]\n]{1,60}\](?=\s?(?:[.,;:]|$))"
)
"""Behind a title, or with a year in it: “[published correction appears in JAMA. 2021;325:98]”, “[Internet]”, “[J]”."""
_ACCESS_NOTE = re.compile(
    r"\b(?:Available (?:from|at|online(?: at)?)|Retrieved(?: [^.\n]{0,40}?)? from|Accessed(?: on)?"
    r"|Last (?:accessed|updated|reviewed)|Epub(?: ahead of print)?|Published online)\b"
    r"[:.]?\s?(?:(?:[A-Z][a-z]+\.?\s\d{1,2},?\s\d{4}|\d{1,2}\s[A-Z][a-z]+\.?\s\d{4}"
    r"|\d{4}(?:[- ][\w]{2,9}){0,2}(?:[- ]\d{1,2})?)[.;,]?)?"
    r"|\b(?:doi|URL|DOI|PMID|PMCID|PubMed PMID)\s?:?\s*(?=$|[.;,\])\s])"
)
_FULL_WIDTH = str.maketrans("，．：；（）［］", ",.:;()[]")
_YEAR = re.compile(r"(?<![\d–/-])(?:19|20)\d\d(?![\d/–]|-\d{3})")
_QUOTED_TITLE = re.compile(
    r"“([^“”\n]{8,500})”|«([^«»\n]{8,500})»|„([^“”\n]{8,500})[“”]|\"([^\"\n]{8,500})\""
    r"|(?<=\s)‘([^‘\n]{8,500}?)’(?=[,.\s])|(?<=\s)'([^\n]{8,500}?)'(?=[,.]\s)"
)
_CAPITAL = "[A-ZÀ-ÖØ-ÞĆČĐĞİŁŃŐŘŚŞŠŹŻŽΑ-ΩА-Я]"
_INITIALS = (
    rf"(?:{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.){{0,3}}|{_CAPITAL}(?: {_CAPITAL}){{1,3}}(?![\w'’])"
    rf"|{_CAPITAL}{{1,4}}(?:-{_CAPITAL})?(?![\w'’])\.?)"
)
_PARTICLE = r"(?:van|von|de|der|den|di|da|del|della|dos|du|la|le|el|al|bin|te|ter|ten|zu|af)"
_NAME_WORD = rf"(?:d[’'])?{_CAPITAL}[\w'’´`‐-]{{1,40}}+"
_FAMILY_NAME = rf"(?:(?:{_PARTICLE}|Van|Von|De|Della|Di|Le|La)[ -]){{0,3}}{_NAME_WORD}(?: {_NAME_WORD})?"
_NAME_WITH_INITIALS = rf"(?:{_FAMILY_NAME},? {_INITIALS}(?:,? (?:Jr|Sr|2nd|3rd|II|III)\.?)?|{_INITIALS} {_FAMILY_NAME})"
_ANY_NAME = (
    rf"(?:{_NAME_WITH_INITIALS}"
    rf"|(?:{_PARTICLE} )?{_NAME_WORD}(?: (?:{_CAPITAL}{{1,3}}\b\.?|{_PARTICLE}|{_NAME_WORD})){{1,4}})"
)
_ET_AL = r",? ?(?:\(?et al\.?\)?|and others|…|\.\.\.)"
_SEPARATOR = r"(?:, ?& |, ?and |; ?and |, … |, ?|; ?| & | and )"
_AUTHOR_LIST = re.compile(
    rf"(?P<people>{_NAME_WITH_INITIALS}(?:{_SEPARATOR}{_ANY_NAME}){{0,60}}+|{_ANY_NAME}(?:{_SEPARATOR}{_ANY_NAME}){{1,60}}+"
    rf"|{_ANY_NAME}(?={_ET_AL}))(?P<more>{_ET_AL})?"
)
_EACH_AUTHOR = re.compile(_ANY_NAME)
_SPOKEN_NAME = rf"{_NAME_WORD}(?: (?:{_CAPITAL}\.|{_PARTICLE}|{_NAME_WORD})){{1,4}}"
_INVERTED_NAME = rf"{_FAMILY_NAME}, {_NAME_WORD}(?:[ -](?:{_CAPITAL}\.|{_NAME_WORD})){{0,3}}"
_INVERTED_LIST = re.compile(
    rf"(?P<first>{_INVERTED_NAME})(?P<others>(?:,? (?:and |& )?{_SPOKEN_NAME}){{0,20}})(?:{_ET_AL})?"
    r"(?=\.?,?\s(?:[“\"‘]|(?:19|20)\d\d[a-z]?\.))"
    rf"|(?P<all>{_INVERTED_NAME}(?:; {_INVERTED_NAME}){{1,40}})(?=[:.]\s)"
)
"""“Smith, John A., and Bo Jones.” before a quotation or a year; “MÜLLER, Jörg; KRÜGER, Eva:”."""
_HAN_NAME = r"[\u4e00-\u9fff]{2,4}"
_HAN_LIST = re.compile(rf"(?P<people>{_HAN_NAME}(?:, ?{_HAN_NAME}){{0,60}}+)(?:, ?等)?\. ?")
_HAN_FAMILY = re.compile(
    "(?:欧阳|司马|上官|诸葛|司徒|夏侯|东方|皇甫|尉迟|公孙|慕容|端木|令狐|长孙|宇文|.(?=.{1,2}$)|..)"
)
_FIRST_AUTHOR = re.compile(rf"(?P<people>{_FAMILY_NAME})(?P<more>{_ET_AL})")
_GROUP_AUTHOR = re.compile(
    r"(?:[A-Z]{2,8}(?:/[A-Z]{2,8}){0,3}"
    r"|(?:(?:[A-ZÀ-Þ][\w'’&-]{1,30}+|of|for|the|and|&|on|in)(?:,?\s|(?=\.))){2,10}+(?:\([A-Z]{2,8}\))?)(?=\.\s)"
)
"""Who may stand where authors do: “NICE.”, “World Health Organization.”"""
_APA_YEAR = re.compile(r"[,.]?\s?\((?P<year>(?:19|20)\d\d)[a-z]?(?:,[^()]{0,40})?\)[.:,]?\s*")
_YEAR_BEHIND = re.compile(rf"{_APA_YEAR.pattern.replace('year', 'round')}|[,.]?\s?(?P<year>(?:19|20)\d\d)[a-z]?[.:,]\s")
_GROUP_BEHIND = re.compile(r"[;,] (?:and )?(?:on behalf of |for )?(?P<group>[^.;,()\n]{4,120})(?=\. |\s?\()")
_FULL_STOP = re.compile(
    rf"(?:(?<=[^\s.A-Z])(?<!\bvs)(?<!\bSt)(?<!\bet al)[.?!](?:[”\"])?\s+(?=[\"“0-9*(\[]|{_CAPITAL}|[a-z]{{2,}}[A-Z])"
    rf"|(?:(?<=[A-Z]{{2}})|(?<=[a-z] [A-Z]))[.?!]\s+(?=[\"“0-9*]|{_CAPITAL})|(?<=[\u4e00-\u9fff])\.\s?)"
)
_ABBREVIATION = re.compile(rf"{_CAPITAL}[\w-]{{0,7}}\.")
_CONTAINER_MARK = re.compile(r"\s//\s|[.?!]?\sIn: ")
_PLACE_NUMBER = (
    rf"(?:[a-z]{{0,3}}\d+[a-z]{{0,3}}|vol|no|nr|pp?|т|{'|'.join((*MONTH_NAMES, *MONTH_ABBREVIATIONS))}|Sept)(?![^\W_])"
)
_PLACE = re.compile(
    rf"(?<![^\W_]){_PLACE_NUMBER}"
    rf"(?:[\W_]+(?:{_PLACE_NUMBER}|(?:issue|suppl(?:ement)?|s|с|pt|part|art(?:icle)?|[ivx]+)(?![^\W_])))*",
    re.IGNORECASE,
)
_PLACE_MARK = re.compile(r"[:;(),]\s?(?:[a-z№]{0,3}\.?\s?)?\d|\bvol\b|\d\s[a-z]{3}", re.IGNORECASE)
_SITE_TAIL = re.compile(r"\s+(?:[|•·]|[–—-])\s+([^|•·–—]{2,60})$")
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)([^*_\n]{1,400}?)[*_]{1,3}(?!\w)")


def parse_reference(entry: str) -> ParsedReference:
    """AMA, Vancouver, APA, IEEE, a link of Markdown, “title – site”, an address alone: by shape, never by guess.

    The identifiers come first; of the words, what stands where its style would have it.
    """
    entry = entry[:MAX_ENTRY_LENGTH].translate(_FULL_WIDTH)
    places = [place for place in find_links(entry) if not place.trial_id] or list(find_links(entry))
    words = _clean_words(entry, places)
    said = _parse_words(words) if words else ParsedReference()
    doi, pmid, pmcid = (
        next(filter(None, (getattr(place, field) for place in places)), "") for field in ("doi", "pmid", "pmcid")
    )
    # The page that the entry links to; a resolver's only where nothing else is written.
    pages = [one.url for one in places if not (one.pmid or one.pmcid or one.url.startswith("https://doi.org/"))]
    return said._replace(doi=doi, pmid=pmid, pmcid=pmcid, url=next(iter(pages or [one.url for one in places]), ""))


_VOLUME = re.compile(r"\d\s?[;:(]\s?\w{0,3}\d|\d,\s?\d+[–-]\d|\b(?:vol|pp?)\.\s?\d|№")


def is_printed_reference(entry: str) -> bool:
    """Whether a line tells who wrote a work, its title, its journal, and the year with volume or pages."""
    if len(entry) > MAX_ENTRY_LENGTH or not _VOLUME.search(entry):
        return False
    said = parse_reference(entry)
    return bool(said.authors and said.title and said.journal and said.year)


def _clean_words(entry: str, places: list[WorkLink]) -> str:
    """The entry without links, addresses, emphasis and what is said about them."""
    if "](" in entry:
        entry = _MARKDOWN_LINK.sub(lambda link: f" {link[1]} ", entry)
        places = list(find_links(entry))
    ends = [0, *(place.end for place in places)]
    starts = [*(place.start for place in places), len(entry)]
    kept = "".join(entry[end:start] for end, start in zip(ends, starts, strict=True))
    kept = _EMPHASIS.sub(r"\1", re.sub(r"<[^<>]{0,200}>", " ", kept))
    kept = _ACCESS_NOTE.sub(" ", _BRACKETED_NOTE.sub("", " ".join(kept.split())))
    kept = re.sub(r"\(\s*[.,;:]?\s*\)|\[\s*[.,;:]?\s*\]", " ", kept)
    # Of several stops the strongest stays.
    kept = re.sub(r"([.,;:])(?:\s[.,;:])+", lambda stops: "." if "." in stops[0] else stops[1], " ".join(kept.split()))
    return re.sub(r"\s+([.,;:])", r"\1", kept).strip(" ,;:|–—-•")


def _parse_words(words: str) -> ParsedReference:
    quoted = _QUOTED_TITLE.search(words, 0, 700)
    before = words[: quoted.start()].strip() if quoted else ""
    if quoted and (not before or before[-1] in ",.:" or before.endswith((")", "al"))):
        people = _split_authors(words)[0] or _author_names(before) or ((before.strip(" ,."),) if before else ())
        title, tail = next(found for found in quoted.groups() if found), words[quoted.end() :]
        start, end = _find_place(tail) or (len(tail), len(tail))
        year = _extract_year(tail[start:end]) or _extract_year(before) or _extract_year(tail)
        return ParsedReference(title.rstrip(" ,."), people, _clean_journal(tail[:start]), year)
    authors, rest = _split_authors(words)
    dated = _YEAR_BEHIND.match(rest) if authors else None
    year = (dated["year"] or dated["round"]) if dated else ""
    if dated is None and not authors and (apa := _APA_YEAR.search(rest, 0, 140)):
        dated, year, authors = apa, apa["year"], (rest[: apa.start()].strip(" .,"),) if apa.start() > 1 else ()
    return _parse_title_and_place(authors, rest[dated.end() :] if dated else rest, year)


def _split_authors(words: str) -> tuple[tuple[str, ...], str]:
    """Who wrote it, and the rest; () when what comes first may be a title as well."""
    if han := _HAN_LIST.match(words):
        names = re.findall(_HAN_NAME, han["people"])
        return tuple(_HAN_FAMILY.sub(r"\g<0>, ", name, count=1) for name in names), words[han.end() :]
    if inverted := _INVERTED_LIST.match(words):
        spoken = filter(None, re.split(r",? (?:and|&) |, ", inverted["others"] or ""))
        listed = (
            inverted["all"].split("; ") if inverted["all"] else [inverted["first"], *map(format_display_name, spoken)]
        )
        return tuple(listed), words[inverted.end() :].lstrip(" .,:;")
    found = _AUTHOR_LIST.match(words) or _FIRST_AUTHOR.match(words)
    behind = _GROUP_BEHIND.match(words, found.end()) if found else None
    end = behind.end() if behind and GROUP_NOUN.search(behind["group"]) else found.end() if found else 0
    # "Vitamin D, calcium …" opens like a name; names end at a stop, a year, a quotation or a colon.
    is_ended = found and (
        found["more"]
        or found["people"].endswith(".")
        or re.match(r"\s?[.:;]\s|\.?,?\s?\(|,?\s?[“\"]|, (?:19|20)\d\d[a-z]?[.,]|\s*$", words[end:])
    )
    if found and is_ended:
        people = _author_names(found["people"]) or (found["people"],)
        return people, words[end:].lstrip(" .,:;")
    group = _GROUP_AUTHOR.match(words)
    if group and GROUP_NOUN.search(group[0]):
        return (group[0].strip(" ."),), words[group.end() :].lstrip(" .,:;")
    return (), words


def _author_names(printed: str) -> tuple[str, ...]:
    return tuple(_clean_author(one[0]) for one in _EACH_AUTHOR.finditer(printed))


def _clean_author(printed: str) -> str:
    """A name without the stop that ended the list; the stops of initials stay."""
    initialled = printed.count(".") > 1 or ("," in printed and re.search(r" [A-Z]\.$", printed))
    return printed.strip(" ,") if initialled else printed.strip(" ,.")


def _parse_title_and_place(authors: tuple[str, ...], rest: str, year: str) -> ParsedReference:
    """Title, journal, place (year;volume(issue):pages): where the place begins is known best, so it is found first.

    What stands before it is the journal, as far as the last stop that ends no abbreviation; a title may hold stops.
    """
    place = _find_place(rest, is_dated=bool(year))
    if place is None:
        return _parse_undated(authors, rest, year or _extract_year(rest))
    year = year or _extract_year(rest[slice(*place)]) or _extract_year(rest)
    head = rest[: place[0]].rstrip(" .,;:(–—-")
    if marked := _CONTAINER_MARK.search(head):
        title, journal = head[: marked.start()], head[marked.end() :]
        return ParsedReference(_clean_title(title), authors, _clean_journal(journal), year)
    parts = [part.strip() for part in _split_at_stops(head) if part.strip(" .")] or [""]
    while len(parts) > 2 and _ABBREVIATION.fullmatch(parts[-2]):
        parts[-2:] = [" ".join(parts[-2:])]
    # OpenEvidence puts the title first: "Title. Smith J, et al. The Lancet. 2020;…"
    if not authors and (people := _AUTHOR_LIST.match(parts[-1])) and people["more"] and len(parts) > 1:
        authors, parts[-1] = _split_authors(parts[-1])
    if len(parts) == 1:
        return ParsedReference(_clean_title(parts[0]), authors, "", year)
    return ParsedReference(_clean_title(" ".join(parts[:-1])), authors, _clean_journal(parts[-1]), year)


def _find_place(words: str, is_dated: bool = False) -> tuple[int, int] | None:
    """Where volume, pages and year are printed: the first numbers in a row with a year, else the last that look so."""
    full, loose, years = [], [], []
    for place in _PLACE.finditer(words):
        numbers = re.findall(r"\d+", place[0])
        others = [number for number in numbers if not _YEAR.fullmatch(number)]
        if others and len(others) < len(numbers) and place.start() and _PLACE_MARK.search(place[0]):
            full.append(place.span())
        elif len(others) > 1 and (is_dated or _PLACE_MARK.search(place[0])):
            loose.append(place.span())
        elif numbers and not others and words[: place.start()].rstrip()[-1:] in (".", ",", "(", ";"):
            years.append(place.span())
    return next(iter(loose[-1:] if is_dated and loose else full[:1] or loose[-1:] or years[-1:]), None)


def _parse_undated(authors: tuple[str, ...], rest: str, year: str) -> ParsedReference:
    """A title and where it stands, without year or place: “title – site”, “title. Site.”"""
    parts = [part.strip() for part in _split_at_stops(rest) if part.strip(" .")]
    if not parts:
        return ParsedReference(authors=authors, year=year)
    named = _SITE_TAIL.search(parts[0].rstrip(" ."))
    title, site = (parts[0][: named.start()], _clean_title(named[1])) if named else (parts[0], "")
    journal = site or (parts[1].rstrip(" .") if len(parts) > 1 and len(parts[1]) < 80 else "")
    return ParsedReference(_clean_title(title), authors, journal, year)


def _split_at_stops(rest: str) -> list[str]:
    parts, at = [], 0
    for stop in _FULL_STOP.finditer(rest):
        parts.append(rest[at : stop.start() + 1])
        at = stop.end()
    return [*parts, rest[at:]]


def _clean_title(words: str) -> str:
    """A title as it is, without the last stop, and the brackets around one that was translated."""
    bare = words.strip(" .,*_")
    return bare[1:-1] if bare.startswith("[") and bare.endswith("]") else bare or words.strip(" .")


def _clean_journal(words: str) -> str:
    return words.strip(" .,;:(–—-")


def _extract_year(words: str) -> str:
    year = _YEAR.search(words)
    return year[0] if year else ""
