"""Where a text says that a work can be found: addresses of the web, DOIs, and numbers of PubMed, PMC and trials."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

from wellsourced.citations.identifiers import (
    normalize_doi,
    normalize_pmcid,
    normalize_pmid,
    normalize_trial_id,
    plain_identifier,
    plain_text,
    trim_trailing_marks,
    visible_text,
)
from wellsourced.lazy import lazy_regex
from wellsourced.text.urls import page_key


class WorkLink(NamedTuple):
    """One place where a work can be found, as it stands in a text from `start` to `end`.

    url     as it is written, or the resolver's: of a DOI, a PMID, a PMCID, a registered trial
    doi     in lower case: DOIs are compared without case (DOI Handbook, 2.4)
    pmid    digits alone; `pmcid` begins with "PMC"
    trial_id   ClinicalTrials.gov's number of a trial: a name in running text, which stays a word of its sentence
    is_hint    its DOI is a part of the address of a publisher's page, and may lead nowhere
    """

    start: int
    end: int
    url: str
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    trial_id: str = ""
    is_hint: bool = False


_DELIMITERS = r"\s\"<>{}|\\^`“”«»"
_HOST = (
    r"(?:[a-z0-9-]{1,60}\.){1,5}(?:com|org|gov|edu|net|int|info|io|eu|uk|us|ca|au|nz|ie|de|at|ch|fr"
    r"|es|it|nl|be|se|no|dk|fi|in|jp|cn|br)"
)
_DOI_PATTERN = (
    r"10\.\d{4,9}(?:\.\d{1,9}){0,3}(?:/|%(?:25)?2F)(?:[ \t]*\n[ \t]*)?"
    rf"(?:[^{_DELIMITERS}]|<[^<>\s]{{1,40}}>(?=\d))+"
)
_LINK = lazy_regex(
    rf"""(?P<doi>(?:(?<![\w/.])(?:(?P<resolver>(?:(?:https?://)?(?:dx\.|www\.)?doi(?:\.org|-org\.[\w.-]{{1,80}})/){{1,3}}|info:doi/)
          |doi\s{{0,2}}[:=]?\s{{0,2}}(?:https?://(?:dx\.)?doi\.org/)?)\s?|(?<![\w/.]))(?=10\.){_DOI_PATTERN})
    |(?P<url>(?<![\w@])(?:(?:https?|ftp|file)://[^{_DELIMITERS}]+
          |(?<![.\w@/-])(?:www\.[a-z0-9-]{{1,60}}\.[^{_DELIMITERS}]+|{_HOST}/[^{_DELIMITERS}]+)))
    |\b(?:PMIDs?|PubMed(?:\s?ID)?)\s{{0,2}}[:\#]?\s{{0,2}}(?P<pmid>\d{{1,8}}(?:\s{{0,2}}[,;]\s{{0,2}}\d{{7,8}})*)(?!\d|\.\d)
    |\bPMC(?:\s?ID)?\s{{0,2}}[:\#]?\s{{0,2}}(?:PMC)?\s?(?P<pmcid>\d{{4,9}})\b
    |\b(?P<trial>NCT\s?\d{{8}})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_KINDS = ("doi", "url", "pmid", "pmcid", "trial")
_NEXT_ADDRESS = lazy_regex(r"[,;](?=https?://|www\.|10\.\d{4,9}/|doi:|PMC?ID)", re.IGNORECASE)
_LINE_BREAK = lazy_regex(r"[ \t]*\n[ \t]*(?!\d{1,3}[.)]\s|\[)(?=[\w()/.:;-]*\d)([\w()/:;-][\w()/.:;-]*)")
_OPENING_BRACKETS = {")": "(", "]": "["}

_PUBMED_URL = lazy_regex(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|pubmed\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed"
    r"|europepmc\.org/(?:article|abstract)/med)/(\d{1,9})\b"
)
_PMC_URL = lazy_regex(
    r"(?:ncbi\.nlm\.nih\.gov(?:/pmc)?/articles|europepmc\.org/(?:articles?|abstract)(?:/pmc)?)/(pmc\d{1,9})\b"
)
_RESOLVER_URL = lazy_regex(r"^(?:https?://)?(?:dx\.|www\.)?doi\.org/(10\.\d{4,9}(?:\.\d{1,9}){0,3}/.+?)(?:\?\w+=.*)?$")
_PUBLISHER_URL = lazy_regex(
    r"(?:/(?:doi|articles?|chapter|book|content|lookup)(?:/\w+){0,2}?/|[?&]id=)"
        r"(10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^/?#&]+?)(?:\.full|\.pdf|\.abstract|-pdf)*(?:/(?:full|abstract|e?pdf"
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
    part = text[start:end]
    plain, starts, ends = plain_text(part)
    at = 0
    while found := _LINK.search(plain, at):
        kind = next(name for name in _LINK_KINDS if found[name])
        at = found.end()
        if kind == "doi":
            links = list(_build_doi_link(plain, found))
        elif kind == "url":
            written = _trim_address(found["url"])
            stop = found.start() + len(written)
            # Dashes and letters of an address are its own, as they are printed.
            printed = visible_text(part[starts[found.start()] : ends[stop - 1]]) if written else ""
            is_address = len(written.partition("://")[2] or written) >= 4
            links = [parse_link(printed)._replace(start=found.start(), end=stop)] if is_address else []
        else:
            links = list(_build_number_links(found, kind))
        for one in links:
            at = one.end
            yield one._replace(start=start + starts[one.start], end=start + ends[one.end - 1])


def work_url(pmcid: str = "", pmid: str = "", doi: str = "") -> str:
    """Where a work can be read, by the first of these ids that it has; "" without one."""
    if pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
    return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else f"https://doi.org/{doi}" if doi else ""


def _build_number_links(found: re.Match[str], kind: str) -> Iterator[WorkLink]:
    start, end = found.span()
    if kind == "pmcid":
        pmcid = normalize_pmcid(found[kind])
        yield WorkLink(start, end, work_url(pmcid), pmcid=pmcid)
    elif kind == "trial":
        trial = normalize_trial_id(found[kind])
        yield WorkLink(start, end, f"https://clinicaltrials.gov/study/{trial}", trial_id=trial)
    else:
        for number in re.finditer(r"\d+", found[kind]):
            stop = found.start(kind) + number.end()
            pmid = normalize_pmid(number[0])
            yield WorkLink(start, stop, work_url(pmid=pmid), pmid=pmid)
            start = stop


def _build_doi_link(text: str, found: re.Match[str]) -> Iterator[WorkLink]:
    written = _trim_address(found["doi"])
    stop = found.start() + len(written)
    if found.end() - stop <= 1:  # nothing but the sign before which the line was broken
        while text[stop : stop + 1] in (".", "-", "_", "/") or text[stop - 1] in "-_/":
            reached = stop + (text[stop : stop + 1] in (".", "-", "_", "/"))
            more = _LINE_BREAK.match(text, reached)
            if not more or reached - found.start() > 200:
                break
            written = _trim_address(text[found.start() : more.end()])
            stop = found.start() + len(written)
    if doi := normalize_doi(re.sub(r"\s", "", written)):
        lead = len(written) - len(written.lstrip())
        yield WorkLink(found.start() + lead, stop, work_url(doi=doi), doi=doi)


def parse_link(address: str) -> WorkLink:
    """What an address alone says of the work behind it: the numbers of PubMed and PMC, the DOI; from 0 to its end."""
    url = address.strip() if "://" in address else f"https://{address.strip()}"
    lower = unquote(plain_identifier(url)).lower()
    pubmed, pmc = _PUBMED_URL.search(lower), _PMC_URL.search(lower)
    record, page = _RESOLVER_URL.match(lower), _PUBLISHER_URL.search(lower)
    doi = record or page
    return WorkLink(
        start=0,
        end=len(address),
        url=url,
        doi=normalize_doi(_trim_address(doi[1])) if doi else "",
        pmid=normalize_pmid(pubmed[1]) if pubmed else _searched_pmid(lower),
        pmcid=normalize_pmcid(pmc[1]) if pmc else "",
        is_hint=not record,
    )


def _searched_pmid(url: str) -> str:
    """The PMID of a search for it alone: so many people link to a record."""
    _, _, query = url.partition("pubmed.ncbi.nlm.nih.gov/?")
    return normalize_pmid(parse_qs(query).get("term", [""])[0]) if query else ""


def possible_ids(given: str) -> tuple[str, ...]:
    """The ids that somebody may mean who writes "31234567", "PMID: 31234567", "PMC123" or the address of a record.

    What was written comes first, as it is: it may be the id of a document of one's own.
    """
    bare = given.strip()
    plain = plain_identifier(bare)
    if "://" in plain:
        link = parse_link(plain.removeprefix("url:"))
        ids = {"pubmed:": link.pmid, "pmc:": link.pmcid, "doi:": link.doi}
    else:
        pmcid = normalize_pmcid(plain) if "pmc" in plain.lower() else ""
        pmid = "" if pmcid else normalize_pmid(plain)
        ids = {"pubmed:": pmid, "pmc:": pmcid, "nct:": normalize_trial_id(plain), "doi:": normalize_doi(plain)}
    others = (prefix + id for prefix, id in ids.items() if id)
    return (bare, *(other for other in others if other.casefold() != bare.casefold()))


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
    return trim_trailing_marks(written)
