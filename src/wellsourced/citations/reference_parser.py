"""One entry of a list of references → what it says of its work, whatever style it is printed in."""

import re
from typing import NamedTuple

from wellsourced.citations.links import WorkLink, find_links


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
_ACCESS_NOTE = re.compile(
    r"\[(?:Internet|Online|cited[^\]\n]{0,40}|Epub[^\]\n]{0,60}|Article|PubMed|Google Scholar"
    r"|CrossRef|PMC[^\]\n]{0,20}|Free[^\]\n]{0,20})\]\.?"
    r"|\b(?:Available (?:from|at|online(?: at)?)|Retrieved(?: [^.\n]{0,40}?)? from|Accessed(?: on)?"
    r"|Last (?:accessed|updated|reviewed)|Epub(?: ahead of print)?|Published online)\b"
    r"[:.]?\s?(?:(?:[A-Z][a-z]+\.?\s\d{1,2},?\s\d{4}|\d{1,2}\s[A-Z][a-z]+\.?\s\d{4}"
    r"|\d{4}(?:[- ][\w]{2,9}){0,2}(?:[- ]\d{1,2})?)[.;,]?)?"
    r"|\b(?:doi|URL|DOI|PMID|PMCID|PubMed PMID)\s?:?\s*(?=$|[.;,\])\s])"
)
_YEAR = re.compile(r"(?<![\d–/-])(?:19|20)\d\d(?![\d/–]|-\d{3})")
_QUOTED_TITLE = re.compile(r"“([^“”\n]{8,500})”|«([^«»\n]{8,500})»|„([^“”\n]{8,500})[“”]|\"([^\"\n]{8,500})\"")
_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_INITIALS = (
    rf"(?:{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.){{0,3}}|{_CAPITAL}(?: {_CAPITAL}){{1,3}}(?!\w)"
    rf"|{_CAPITAL}{{1,4}}(?:-{_CAPITAL})?(?!\w)\.?)"
)
_PARTICLE = r"(?:van|von|de|der|den|di|da|del|della|dos|du|la|le|el|al|bin|ter|ten|zu|af)"
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
_FIRST_AUTHOR = re.compile(rf"(?P<people>{_FAMILY_NAME})(?P<more>{_ET_AL})")
_GROUP_AUTHOR = re.compile(
    r"(?:[A-Z]{2,8}(?:/[A-Z]{2,8}){0,3}"
    r"|(?:(?:[A-ZÀ-Þ][\w'’&-]{1,30}+|of|for|the|and|&|on|in)(?:,?\s|(?=\.))){2,10}+(?:\([A-Z]{2,8}\))?)(?=\.\s)"
)
"""Who may stand where authors do: “NICE.”, “World Health Organization.”"""
_GROUP_WORD = re.compile(
    r"\b(?:organi[sz]ation|association|society|college|academy|institutes?|agency|administration"
    r"|cent(?:er|re)s?|committee|council|department|ministry"
    r"|foundation|network|consortium|collaboration|group|task force|federation|service|clinic"
    r"|university|board|union|commission)\b|^[A-Z/]{2,20}$",
    re.IGNORECASE,
)
_APA_YEAR = re.compile(r"[,.]?\s?\((?P<year>(?:19|20)\d\d)[a-z]?(?:,[^()]{0,40})?\)[.:,]?\s*")
_FULL_STOP = re.compile(
    r"(?<=[^\s.A-Z])(?<!\bvs)(?<!\bSt)(?<!\bet al)[.?!](?:[”\"])?\s+(?=[\"“A-ZÀ-Þ0-9*(]"
    r"|[a-z]{2,}[A-Z])|(?<=[A-Z]{2})[.?!]\s+(?=[\"“A-ZÀ-Þ0-9*])"
)
_ISSUE = re.compile(
    r"[,.;:]?\s(?:vol\.|no\.|pp?\.)|[.,]?\s(?:19|20)\d\d\b|\s\d{1,4}(?=[,:(;])|,\s(?:(?:Jan|Feb|Mar"
    r"|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s)?(?:19|20)\d\d\b|[,.;:]\s?\d+\s?[(,:;]"
)
_JOURNAL_ENDS = re.compile(r"[.;:]\s(?![a-z])|[,.;:(]\s?(?=\d)|\s(?=\d)|,\s|;|\.\s*$")
_PUBLISHER = re.compile(r"[A-Z][\w., ]{2,30}: ([A-Z][^;:.\d]{1,60})[;,.]")
_ISSUE_START = re.compile(
    r"^(?:\d|vol\b|no\b|pp\b|p\.|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)", re.IGNORECASE
)
_SOURCE_LABEL = re.compile(r"^(?:Sources?|From|Via|Reference|Read more|Full text|Link)\s?:\s?", re.IGNORECASE)
_SITE_TAIL = re.compile(r"\s+(?:[|•·]|[–—-])\s+([^|•·–—]{2,60})$")
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)([^*_\n]{1,400}?)[*_]{1,3}(?!\w)")


def parse_reference(entry: str) -> ParsedReference:
    """AMA, Vancouver, APA, IEEE, a link of Markdown, “title – site”, an address alone: by shape, never by guess.

    The identifiers come first; of the words, what stands where its style would have it.
    """
    entry = entry[:MAX_ENTRY_LENGTH]
    places = [place for place in find_links(entry) if not place.trial_id] or list(find_links(entry))
    words = _clean_words(entry, places)
    said = _parse_words(words) if words else ParsedReference()
    doi, pmid, pmcid = (
        next(filter(None, (getattr(place, field) for place in places)), "") for field in ("doi", "pmid", "pmcid")
    )
    # The page that the entry links to; a resolver's only where nothing else is written.
    pages = [one.url for one in places if not (one.pmid or one.pmcid or one.url.startswith("https://doi.org/"))]
    return said._replace(doi=doi, pmid=pmid, pmcid=pmcid, url=next(iter(pages or [one.url for one in places]), ""))


def _clean_words(entry: str, places: list[WorkLink]) -> str:
    """The entry without links, addresses, emphasis and what is said about them."""
    if "](" in entry:
        entry = _MARKDOWN_LINK.sub(lambda link: f" {link[1]} ", entry)
        places = list(find_links(entry))
    ends = [0, *(place.end for place in places)]
    starts = [*(place.start for place in places), len(entry)]
    kept = "".join(entry[end:start] for end, start in zip(ends, starts, strict=True))
    kept = _EMPHASIS.sub(r"\1", re.sub(r"<[^<>]{0,200}>", " ", kept))
    kept = re.sub(r"\(\s*[.,;:]?\s*\)|\[\s*[.,;:]?\s*\]", " ", _ACCESS_NOTE.sub(" ", " ".join(kept.split())))
    # Of several stops the strongest stays.
    kept = re.sub(r"([.,;:])(?:\s[.,;:])+", lambda stops: "." if "." in stops[0] else stops[1], " ".join(kept.split()))
    return re.sub(r"\s+([.,;:])", r"\1", kept).strip(" ,;:|–—-•")


def _parse_words(words: str) -> ParsedReference:
    words = _SOURCE_LABEL.sub("", words)
    quoted = _QUOTED_TITLE.search(words, 0, 700)
    before = words[: quoted.start()].strip() if quoted else ""
    if quoted and (not before or before[-1] in ",.:" or before.endswith((")", "al"))):
        people = _author_names(before) or ((before.strip(" ,."),) if before else ())
        title, tail = next(found for found in quoted.groups() if found), words[quoted.end() :]
        year = _extract_year(tail) or _extract_year(before)
        return ParsedReference(title.rstrip(" ,."), people, _extract_journal(tail), year)
    authors, rest = _split_authors(words)
    apa = _APA_YEAR.match(rest) if authors else None
    if apa is None and not authors:
        apa = _APA_YEAR.search(rest, 0, 140)
        authors = (rest[: apa.start()].strip(" .,"),) if apa and apa.start() > 1 else ()
    if apa:
        title, *behind = _split_at_stops(rest[apa.end() :])
        return ParsedReference(_clean_title(title), authors, _extract_journal(" ".join(behind)), apa["year"])
    return _parse_stop_separated(authors, rest)


def _split_authors(words: str) -> tuple[tuple[str, ...], str]:
    """Who wrote it, and the rest; () when what comes first may be a title as well."""
    found = _AUTHOR_LIST.match(words) or _FIRST_AUTHOR.match(words)
    # "Vitamin D, calcium …" opens like a name; names end at a stop, a year, a quotation or a colon.
    is_ended = found and (
        found["more"]
        or found["people"].endswith(".")
        or re.match(r"\s?[.:;]\s|\.?,?\s?\(|,?\s?[“\"]|\s*$", words[found.end() :])
    )
    if found and is_ended:
        people = _author_names(found["people"]) or (found["people"],)
        return people, words[found.end() :].lstrip(" .,:;")
    group = _GROUP_AUTHOR.match(words)
    if group and _GROUP_WORD.search(group[0]):
        return (group[0].strip(" ."),), words[group.end() :].lstrip(" .,:;")
    return (), words


def _author_names(printed: str) -> tuple[str, ...]:
    return tuple(_clean_author(one[0]) for one in _EACH_AUTHOR.finditer(printed))


def _clean_author(printed: str) -> str:
    """A name without the stop that ended the list; the stops of initials stay."""
    initialled = printed.count(".") > 1 or ("," in printed and re.search(r" [A-Z]\.$", printed))
    return printed.strip(" ,") if initialled else printed.strip(" ,.")


def _parse_stop_separated(authors: tuple[str, ...], rest: str) -> ParsedReference:
    """AMA and Vancouver: title, journal, year;volume(issue):pages, ended by stops. A title may hold stops itself."""
    parts = [part.strip() for part in _split_at_stops(rest) if part.strip(" .")]
    dated = next((at for at, part in enumerate(parts) if at and _YEAR.match(part)), 0)
    year = _extract_year(rest)
    if dated >= 2 and not authors and (people := _AUTHOR_LIST.match(parts[dated - 1])) and people["more"]:
        # OpenEvidence puts the title first: "Title. Smith J, et al. The Lancet. 2020;…"
        authors, parts[dated - 1] = _split_authors(parts[dated - 1])
    people = _AUTHOR_LIST.match(parts[dated - 2]) if dated >= 3 and not authors else None
    if people and len(parts[dated - 2]) - people.end() < 3:
        authors = _author_names(parts.pop(dated - 2))
        dated -= 1
    if dated >= 2:
        title, journal = _clean_title(" ".join(parts[: dated - 1])), parts[dated - 1].rstrip(" .")
        return ParsedReference(title, authors, journal, _extract_year(parts[dated]))
    if dated == 1:
        return ParsedReference(_clean_title(parts[0]), authors, "", _extract_year(parts[1]))
    if not parts:
        return ParsedReference(authors=authors, year=year)
    tail = " ".join(parts[1:])
    if len(parts) > 1 and _YEAR.search(tail):
        return ParsedReference(_clean_title(parts[0]), authors, _extract_journal(tail), _extract_year(tail))
    named = _SITE_TAIL.search(parts[0].rstrip(" ."))
    title, site = (parts[0][: named.start()], _clean_title(named[1])) if named else (parts[0], "")
    if _GROUP_WORD.search(title) and site and not _GROUP_WORD.search(site):
        title, site = site, title
    journal = site or (parts[1].rstrip(" .") if len(parts) > 1 and len(parts[1]) < 80 else "")
    return ParsedReference(_clean_title(title), authors, journal, year)


def _split_at_stops(rest: str) -> list[str]:
    parts, at = [], 0
    for stop in _FULL_STOP.finditer(rest):
        parts.append(rest[at : stop.start() + 1])
        at = stop.end()
    return [*parts, rest[at:]]


def _clean_title(words: str) -> str:
    """A title as it is; without the year in brackets or behind a comma, and the last stop."""
    bare = re.sub(r"(?:\s*\((?:19|20)\d\d\)|,\s(?:19|20)\d\d)\s*$", "", words.strip(" .,")).strip(" .,*_")
    return bare or words.strip(" .")


def _extract_journal(tail: str) -> str:
    """ ", N Engl J Med, vol. 3" or "JAMA. 2020;3" → the journal's name."""
    words = tail.strip(" .,")
    if published := _PUBLISHER.match(words):
        return published[1].strip()
    found = _ISSUE.search(words) or _JOURNAL_ENDS.search(words)
    head = words[: found.start()] if found else words
    return "" if _ISSUE_START.match(head) else head.strip(" .,(")


def _extract_year(words: str) -> str:
    year = _YEAR.search(words)
    return year[0] if year else ""
