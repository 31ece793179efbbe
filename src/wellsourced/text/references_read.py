"""One entry of a list of references → what it says of its work, whatever style it is printed in."""

import re
from typing import NamedTuple

from wellsourced.text.locators import Locator, locators


class Work(NamedTuple):
    """What an entry says; "" or () where it does not say, or where that cannot be told."""

    title: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    year: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    url: str = ""


LONGEST = 2_500
"""Characters of an entry that are read."""

_LINK = re.compile(
    r"!?\[((?:[^\[\]\n]"
    r"|\[[^\[\]\n]{0,80}\]){0,500})\]\(\s?<?[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()"
    r"<>]{0,2000}){0,3}>?[^()\n]{0,200}\)"
)
_NOISE = re.compile(
    r"\[(?:Internet|Online|cited[^\]\n]{0,40}|Epub[^\]\n]{0,60}|Article|PubMed|Google Scholar"
    r"|CrossRef|PMC[^\]\n]{0,20}|Free[^\]\n]{0,20})\]\.?"
    r"|\b(?:Available (?:from|at|online(?: at)?)|Retrieved(?: [^.\n]{0,40}?)? from|Accessed(?: on)?"
    r"|Last (?:accessed|updated|reviewed)|Epub(?: ahead of print)?|Published online)\b"
    r"[:.]?\s?(?:(?:[A-Z][a-z]+\.?\s\d{1,2},?\s\d{4}|\d{1,2}\s[A-Z][a-z]+\.?\s\d{4}"
    r"|\d{4}(?:[- ][\w]{2,9}){0,2}(?:[- ]\d{1,2})?)[.;,]?)?"
    r"|\b(?:doi|URL|DOI|PMID|PMCID|PubMed PMID)\s?:?\s*(?=$|[.;,\])\s])",
)
_YEAR = re.compile(r"(?<![\d–/-])(?:19|20)\d\d(?![\d/–]|-\d{3})")
_QUOTED = re.compile(r"“([^“”\n]{8,500})”|«([^«»\n]{8,500})»|„([^“”\n]{8,500})[“”]|\"([^\"\n]{8,500})\"")
_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_INITIALS = (
    rf"(?:{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.){{0,3}}|{_CAPITAL}(?: {_CAPITAL}){{1,3}}(?!\w)"
    rf"|{_CAPITAL}{{1,4}}(?:-{_CAPITAL})?(?!\w)\.?)"
)
_PARTICLE = r"(?:van|von|de|der|den|di|da|del|della|dos|du|la|le|el|al|bin|ter|ten|zu|af)"
_CALLED = rf"(?:d[’'])?{_CAPITAL}[\w'’´`‐-]{{1,40}}+"
_FAMILY = rf"(?:(?:{_PARTICLE}|Van|Von|De|Della|Di|Le|La)[ -]){{0,3}}{_CALLED}(?: {_CALLED})?"
_ONE = rf"(?:{_FAMILY},? {_INITIALS}(?:,? (?:Jr|Sr|2nd|3rd|II|III)\.?)?|{_INITIALS} {_FAMILY})"
_ANY = rf"(?:{_ONE}|(?:{_PARTICLE} )?{_CALLED}(?: (?:{_CAPITAL}{{1,3}}\b\.?|{_PARTICLE}|{_CALLED})){{1,4}})"
_MORE = r",? ?(?:\(?et al\.?\)?|and others|…|\.\.\.)"
_SEPARATOR = r"(?:, ?& |, ?and |; ?and |, … |, ?|; ?| & | and )"
_PEOPLE = re.compile(
    rf"(?P<people>{_ONE}(?:{_SEPARATOR}{_ANY}){{0,60}}+|{_ANY}(?:{_SEPARATOR}{_ANY}){{1,60}}+"
    rf"|{_ANY}(?={_MORE}))(?P<more>{_MORE})?"
)
_EACH = re.compile(_ANY)
_LED = re.compile(rf"(?P<people>{_FAMILY})(?P<more>{_MORE})")
_GROUP = re.compile(
    r"(?:[A-Z]{2,8}(?:/[A-Z]{2,8}){0,3}"
    r"|(?:(?:[A-ZÀ-Þ][\w'’&-]{1,30}+|of|for|the|and|&|on|in)(?:,?\s|(?=\.))){2,10}+(?:\([A-Z]{2,8}\))?)(?=\.\s)"
)
"""Who may stand where authors do: “NICE.”, “World Health Organization.”"""
_GROUPS = re.compile(
    r"\b(?:organi[sz]ation|association|society|college|academy|institutes?|agency|administration"
    r"|cent(?:er|re)s?|committee|council|department|ministry"
    r"|foundation|network|consortium|collaboration|group|task force|federation|service|clinic"
    r"|university|board|union|commission)\b|^[A-Z/]{2,20}$",
    re.IGNORECASE,
)
_APA = re.compile(r"[,.]?\s?\((?P<year>(?:19|20)\d\d)[a-z]?(?:,[^()]{0,40})?\)[.:,]?\s*")
_STOP = re.compile(
    r"(?<=[^\s.A-Z])(?<!\bvs)(?<!\bSt)(?<!\bet al)[.?!](?:[”\"])?\s+(?=[\"“A-ZÀ-Þ0-9*(]"
    r"|[a-z]{2,}[A-Z])|(?<=[A-Z]{2})[.?!]\s+(?=[\"“A-ZÀ-Þ0-9*])"
)
_ISSUE = re.compile(
    r"[,.;:]?\s(?:vol\.|no\.|pp?\.)|[.,]?\s(?:19|20)\d\d\b|\s\d{1,4}(?=[,:(;])|,\s(?:(?:Jan|Feb|Mar"
    r"|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s)?(?:19|20)\d\d\b|[,.;:]\s?\d+\s?[(,:;]"
)
_JOURNAL_ENDS = re.compile(r"[.;:]\s(?![a-z])|[,.;:(]\s?(?=\d)|\s(?=\d)|,\s|;|\.\s*$")
_PUBLISHER = re.compile(r"[A-Z][\w., ]{2,30}: ([A-Z][^;:.\d]{1,60})[;,.]")
_PLACE = re.compile(
    r"^(?:\d|vol\b|no\b|pp\b|p\.|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)", re.IGNORECASE
)
_LABELLED = re.compile(r"^(?:Sources?|From|Via|Reference|Read more|Full text|Link)\s?:\s?", re.IGNORECASE)
_SITE_TAIL = re.compile(r"\s+(?:[|•·]|[–—-])\s+([^|•·–—]{2,60})$")
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)([^*_\n]{1,400}?)[*_]{1,3}(?!\w)")


def work_of(entry: str) -> Work:
    """AMA, Vancouver, APA, IEEE, a link of Markdown, “title – site”, an address alone: by shape, never by guess.

    The identifiers come first; of the words, what stands where its style would have it.
    """
    entry = entry[:LONGEST]
    places = [place for place in locators(entry) if not place.trial] or list(locators(entry))
    bare = Work(doi=_first(places, "doi"), pmid=_first(places, "pmid"), pmcid=_first(places, "pmcid"), url=_url(places))
    words = _words(entry, places)
    if not words:
        return bare
    said = _styled(words)
    return said._replace(doi=bare.doi, pmid=bare.pmid, pmcid=bare.pmcid, url=bare.url)


def _first(places: list[Locator], field: str) -> str:
    return next((value for place in places if (value := getattr(place, field))), "")


def _url(places: list[Locator]) -> str:
    """The page that the entry links to; a resolver's only where nothing else is written."""
    written = [
        place.url for place in places if not (place.url.startswith("https://doi.org/") or place.pmcid or place.pmid)
    ]
    return next(iter(written), places[0].url if places else "")


def _words(entry: str, places: list[Locator]) -> str:
    """The entry without links, addresses, emphasis and what is said about them."""
    parts, at = [], 0
    for place in places:
        parts.append(entry[at : place.start])
        at = max(at, place.end)
    kept = "".join((*parts, entry[at:])) if "](" not in entry else _LINK.sub(lambda link: f" {link[1]} ", entry)
    if "](" in entry:
        kept = "".join(_outside(kept))
    kept = _EMPHASIS.sub(r"\1", re.sub(r"<[^<>]{0,200}>", " ", kept))
    kept = re.sub(r"\(\s*[.,;:]?\s*\)|\[\s*[.,;:]?\s*\]", " ", _NOISE.sub(" ", " ".join(kept.split())))
    kept = re.sub(r"([.,;:])(?:\s[.,;:])+", _strongest, " ".join(kept.split()))
    return re.sub(r"\s+([.,;:])", r"\1", kept).strip(" ,;:|–—-•")


def _strongest(found: re.Match[str]) -> str:
    return "." if "." in found[0] else found[1]


def _outside(words: str) -> list[str]:
    parts, at = [], 0
    for place in locators(words):
        parts.append(words[at : place.start])
        at = place.end
    return [*parts, words[at:]]


def _styled(words: str) -> Work:
    words = _LABELLED.sub("", words)
    quoted = _QUOTED.search(words, 0, 700)
    before = words[: quoted.start()].strip() if quoted else ""
    if quoted and (not before or before[-1] in ",.:" or before.endswith((")", "al"))):
        people = tuple(_author(one[0]) for one in _EACH.finditer(before)) or ((before.strip(" ,."),) if before else ())
        title, tail = next(found for found in quoted.groups() if found), words[quoted.end() :]
        return Work(title.rstrip(" ,."), people, _journal_after(tail), _year(tail) or _year(before))
    authors, rest = _authors(words)
    apa = _APA.match(rest) if authors else None
    if apa is None and not authors:
        apa = _APA.search(rest, 0, 140)
        authors = (rest[: apa.start()].strip(" .,"),) if apa and apa.start() > 1 else ()
    if apa:
        title, tail = _cut(rest[apa.end() :])
        return Work(_titled(title), authors, _journal_after(tail), apa["year"])
    return _stopped(authors, rest)


def _authors(words: str) -> tuple[tuple[str, ...], str]:
    """Who wrote it, and the rest; () when what comes first may be a title as well."""
    found = _PEOPLE.match(words) or _LED.match(words)
    if found and _ends_names(found, words[found.end() :]):
        people = tuple(_author(one[0]) for one in _EACH.finditer(found["people"])) or (found["people"],)
        return people, words[found.end() :].lstrip(" .,:;")
    group = _GROUP.match(words)
    if group and _GROUPS.search(group[0]):
        return (group[0].strip(" ."),), words[group.end() :].lstrip(" .,:;")
    return (), words


def _author(printed: str) -> str:
    """A name without the stop that ended the list; the stops of initials stay."""
    initialled = printed.count(".") > 1 or ("," in printed and re.search(r" [A-Z]\.$", printed))
    return printed.strip(" ,") if initialled else printed.strip(" ,.")


def _ends_names(found: re.Match[str], after: str) -> bool:
    # "Vitamin D, calcium …" opens like a name; names end at a stop, a year, a quotation or a colon.
    ended = re.match(r"\s?[.:;]\s|\.?,?\s?\(|,?\s?[“\"]|\s*$", after)
    return bool(ended or found["more"] or found["people"][-1:] == ".")


def _stopped(authors: tuple[str, ...], rest: str) -> Work:
    """AMA and Vancouver: title, journal, year;volume(issue):pages, ended by stops. A title may hold stops itself."""
    parts = [part.strip() for part in _split(rest) if part.strip(" .")]
    dated = next((at for at, part in enumerate(parts) if at and _YEAR.match(part)), 0)
    year = _year(rest)
    if dated >= 2 and not authors and (people := _PEOPLE.match(parts[dated - 1])):
        # OpenEvidence puts the title first: "Title. Smith J, et al. The Lancet. 2020;…"
        authors, parts[dated - 1] = _authors(parts[dated - 1]) if people["more"] else ((), parts[dated - 1])
    if (
        dated >= 3
        and not authors
        and (people := _PEOPLE.match(parts[dated - 2]))
        and len(parts[dated - 2]) - people.end() < 3
    ):
        authors = tuple(_author(one[0]) for one in _EACH.finditer(parts.pop(dated - 2)))
        dated -= 1
    if dated >= 2:
        return Work(_titled(" ".join(parts[: dated - 1])), authors, parts[dated - 1].rstrip(" ."), _year(parts[dated]))
    if dated == 1 and not authors and len(parts) > 1:
        return Work(_titled(parts[0]), authors, "", _year(parts[1]))
    if dated == 1:
        return Work(_titled(parts[0]), authors, "", _year(parts[1]))
    if not parts:
        return Work(authors=authors, year=year)
    tail = " ".join(parts[1:])
    if len(parts) > 1 and _YEAR.search(tail):
        return Work(_titled(parts[0]), authors, _journal_after(tail), _year(tail))
    title, site = _sited(parts[0])
    if _GROUPS.search(title) and site and not _GROUPS.search(site):
        title, site = site, title
    journal = site or (parts[1].rstrip(" .") if len(parts) > 1 and len(parts[1]) < 80 else "")
    return Work(_titled(title), authors, journal, year)


def _split(rest: str) -> list[str]:
    parts, at = [], 0
    for stop in _STOP.finditer(rest):
        parts.append(rest[at : stop.start() + 1])
        at = stop.end()
    return [*parts, rest[at:]]


def _cut(rest: str) -> tuple[str, str]:
    parts = _split(rest)
    return parts[0], " ".join(parts[1:])


def _sited(words: str) -> tuple[str, str]:
    found = _SITE_TAIL.search(words.rstrip(" ."))
    return (words[: found.start()], _titled(found[1])) if found else (words, "")


def _titled(words: str) -> str:
    """A title as it is; without the year in brackets or behind a comma, and the last stop."""
    bare = re.sub(r"(?:\s*\((?:19|20)\d\d\)|,\s(?:19|20)\d\d)\s*$", "", words.strip(" .,")).strip(" .,*_")
    return bare or words.strip(" .")


def _journal_after(tail: str) -> str:
    """ ", N Engl J Med, vol. 3" or "JAMA. 2020;3" → the journal's name."""
    words = tail.strip(" .,")
    if published := _PUBLISHER.match(words):
        return published[1].strip()
    found = _ISSUE.search(words) or _JOURNAL_ENDS.search(words)
    head = words[: found.start()] if found else words
    return "" if _PLACE.match(head) else head.strip(" .,(")


def _year(words: str) -> str:
    years: list[str] = _YEAR.findall(words)
    return years[0] if years else ""
