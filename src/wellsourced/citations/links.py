"""Where a text says that a work can be found: addresses of the web, DOIs, and numbers of PubMed, PMC and trials."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from wellsourced.lazy import lazy_regex
from wellsourced.text.urls import page_key


class WorkLink(NamedTuple):
    """One place where a work can be found, as it stands in a text from `start` to `end`.

    url     as it is written, or the resolver's: of a DOI, a PMID, a PMCID, a registered trial
    doi     in lower case: DOIs are compared without case (DOI Handbook, 2.4)
    pmid    digits alone; `pmcid` begins with "PMC"
    trial_id   ClinicalTrials.gov's number of a trial: a name in running text, which stays a word of its sentence
    """

    start: int
    end: int
    url: str
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    trial_id: str = ""


_DELIMITERS = r"\s\"<>{}|\\^`“”«»"
_HOST = (
    r"(?:[a-z0-9-]{1,60}\.){1,5}(?:com|org|gov|edu|net|int|info|io|eu|uk|us|ca|au|nz|ie|de|at|ch|fr"
    r"|es|it|nl|be|se|no|dk|fi|in|jp|cn|br)"
)
_DOI_PATTERN = rf"10\.\d{{4,9}}(?:\.\d{{1,9}}){{0,3}}/(?:[ \t]*\n[ \t]*)?(?:[^{_DELIMITERS}]|<[^<>\s]{{1,40}}>(?=\d))+"
_LINK = lazy_regex(
    rf"""(?P<doi>(?:(?<![\w/.])(?:(?P<resolver>(?:https?://)?(?:dx\.|www\.)?doi\.org/)
          |doi\s{{0,2}}[:=]?\s{{0,2}}(?:https?://(?:dx\.)?doi\.org/)?)\s?|(?<![\w/.]))(?=10\.){_DOI_PATTERN})
    |(?P<url>(?<![\w@])(?:(?:https?|ftp|file)://[^{_DELIMITERS}]+
          |(?<![.\w@/-])(?:www\.[a-z0-9-]{{1,60}}\.[^{_DELIMITERS}]+|{_HOST}/[^{_DELIMITERS}]+)))
    |\b(?:PMIDs?|PubMed(?:\s?ID)?)\s{{0,2}}[:\#]?\s{{0,2}}(?P<pmid>\d{{1,8}}(?:\s{{0,2}}[,;]\s{{0,2}}\d{{7,8}})*)(?!\d|\.\d)
    |\b(?:PMCID\s{{0,2}}:?\s{{0,2}})?(?P<pmcid>PMC\s?\d{{4,9}})\b
    |\b(?P<trial>NCT\s?\d{{8}})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_KINDS = ("doi", "url", "pmid", "pmcid", "trial")
_NEXT_ADDRESS = lazy_regex(r"[,;](?=https?://|www\.|10\.\d{4,9}/)", re.IGNORECASE)
_LINE_BREAK = lazy_regex(r"[ \t]*\n[ \t]*(?!\d{1,3}[.)]\s|\[)(?=[\w()/.:;-]*\d)([\w()/:;-][\w()/.:;-]*)")
_TRAILING_MARKS = frozenset(".,;:!?'\"’”‘*_~…†")
_OPENING_BRACKETS = {")": "(", "]": "["}

_PUBMED_URL = lazy_regex(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|europepmc\.org/(?:article|abstract)/med)/(\d{1,8})\b"
)
_PMC_URL = lazy_regex(r"(?:ncbi\.nlm\.nih\.gov(?:/pmc)?/articles|europepmc\.org/articles?(?:/pmc)?)/(pmc\d{4,9})\b")
_RESOLVER_URL = lazy_regex(r"^(?:https?://)?(?:dx\.|www\.)?doi\.org/(10\.\d{4,9}/.+)$")
_PUBLISHER_URL = lazy_regex(
    r"(?:/(?:doi|articles?|chapter|content)(?:/(?:abs|full|pdf|epdf|epub|pdfdirect|reader|figure|ref))?/|[?&]id=)"
        r"(10\.\d{4,9}/[^/?#&]+?)(?:v\d+)?(?:\.full|\.pdf|\.abstract|-pdf)*(?:/(?:full|abstract|e?pdf"
        r"|html|fulltext|meta|summary))?/?(?:[?#&].*)?$"
)  # fmt: skip


def address_key(url: str) -> str:
    """The key of a page; the address as it is written where it is none."""
    try:
        return page_key(url)
    except ValueError:
        return url


def find_links(text: str, start: int = 0, end: int | None = None) -> Iterator[WorkLink]:
    """Every place that text[start:end] names, in order, none within another; punctuation after one is none of it.

    A DOI that a line end breaks behind its slash, a stop or a hyphen is read as one.
    """
    end = len(text) if end is None else end
    at = start
    while found := _LINK.search(text, at, end):
        kind = next(name for name in _LINK_KINDS if found[name])
        if kind in ("doi", "url"):
            one = _build_doi_link(text, found, end) if kind == "doi" else _build_url_link(found.start(), found["url"])
            at = one.end if one else found.end()
            if one:
                yield one
            continue
        at = found.end()
        yield from _build_number_links(found, kind)


def work_url(pmcid: str = "", pmid: str = "", doi: str = "") -> str:
    """Where a work can be read, by the first of these ids that it has; "" without one."""
    if pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
    return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else f"https://doi.org/{doi}" if doi else ""


def _build_number_links(found: re.Match[str], kind: str) -> Iterator[WorkLink]:
    start, end = found.span()
    if kind == "pmcid":
        pmcid = "".join(found[kind].upper().split())
        yield WorkLink(start, end, work_url(pmcid), pmcid=pmcid)
    elif kind == "trial":
        trial = "".join(found[kind].upper().split())
        yield WorkLink(start, end, f"https://clinicaltrials.gov/study/{trial}", trial_id=trial)
    else:
        for number in re.finditer(r"\d+", found[kind]):
            stop = found.start(kind) + number.end()
            yield WorkLink(start, stop, work_url(pmid=number[0]), pmid=number[0])
            start = stop


def _build_doi_link(text: str, found: re.Match[str], end: int) -> WorkLink | None:
    written = _trim_address(found["doi"])
    if found["resolver"] and "?" in written:
        written = written[: written.index("?")]  # who sent the reader, which no DOI says
    stop = found.start() + len(written)
    if found.end() - stop <= 1:  # nothing but the sign before which the line was broken
        while text[stop : stop + 1] in (".", "-", "_", "/") or text[stop - 1] in "-_/":
            reached = stop + (text[stop : stop + 1] in (".", "-", "_", "/"))
            more = _LINE_BREAK.match(text, reached, end)
            if not more or reached - found.start() > 200:
                break
            written = _trim_address(text[found.start() : more.end()])
            stop = found.start() + len(written)
    bare = re.sub(r"\s", "", written[re.search(r"10\.\d{4}", written).start() :])  # type: ignore[union-attr]
    doi = unquote(bare).lower()
    if not doi.partition("/")[2]:
        return None
    lead = len(written) - len(written.lstrip())
    return WorkLink(found.start() + lead, stop, work_url(doi=doi), doi=doi)


def _build_url_link(start: int, found: str) -> WorkLink | None:
    written = _trim_address(found)
    if len(written.partition("://")[2] or written) < 4:
        return None
    return parse_link(written)._replace(start=start, end=start + len(written))


def parse_link(address: str) -> WorkLink:
    """What an address alone says of the work behind it: the numbers of PubMed and PMC, the DOI; from 0 to its end."""
    url = address.strip() if "://" in address else f"https://{address.strip()}"
    lower = unquote(url).lower()
    pubmed, pmc = _PUBMED_URL.search(lower), _PMC_URL.search(lower)
    doi = _RESOLVER_URL.match(lower) or _PUBLISHER_URL.search(lower)
    return WorkLink(
        start=0,
        end=len(address),
        url=url,
        doi=_trim_address(doi[1]) if doi else "",
        pmid=pubmed[1] if pubmed else "",
        pmcid=pmc[1].upper() if pmc else "",
    )


def _trim_address(written: str) -> str:
    """Without what follows it: a bracket that nothing opened, punctuation, the address after a comma."""
    if another := _NEXT_ADDRESS.search(written, 8):
        written = written[: another.start()]
    depth = {"(": 0, "[": 0}
    for at, sign in enumerate(written):
        if sign in depth:
            depth[sign] += 1
        elif sign in _OPENING_BRACKETS:
            depth[_OPENING_BRACKETS[sign]] -= 1
            if depth[_OPENING_BRACKETS[sign]] < 0:
                written = written[:at]
                break
    end = len(written)
    while end and (written[end - 1] in _TRAILING_MARKS or written[end - 1] in depth):
        end -= 1
    return written[:end]
