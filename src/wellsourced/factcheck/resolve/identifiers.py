"""By what a text identifies a source: DOI, PMID and PMC id, as they are given and as addresses hold them."""

import re
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from wellsourced.citations.deduplication import normalize_doi, normalize_pmid
from wellsourced.factcheck.pages.domains import strip_proxy
from wellsourced.factcheck.resolve.base import IdKind
from wellsourced.types import CitedSource

_PMCID = re.compile(r"(?:PMC)?\s*([0-9]{1,9})", re.IGNORECASE)
_RECORD_ADDRESSES: tuple[tuple[IdKind, re.Pattern[str]], ...] = (
    ("pmid", re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|pubmed\.gov)/([0-9]{1,9})(?:/|$)")),
    ("pmid", re.compile(r"ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/([0-9]{1,9})(?:/|$)")),
    ("pmid", re.compile(r"europepmc\.org/(?:article|abstract)/med/([0-9]{1,9})(?:/|$)")),
    ("pmcid", re.compile(r"(?:pmc\.)?ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/(pmc[0-9]{1,9})(?:/|$)")),
    ("pmcid", re.compile(r"europepmc\.org/(?:articles?|abstract)/(?:pmc/)?(pmc[0-9]{1,9})(?:/|$)")),
)
_PUBLISHER_DOI = re.compile(
    r"(?:/(?:doi|articles?|chapter|book|content|lookup)/(?:\w+/){0,2}?|[?&]id=)(10\.[0-9]{4,9}/[^?#&]+)", re.IGNORECASE
)
_RESOLVERS = {"doi.org", "dx.doi.org", "www.doi.org"}
_VIEW_SUFFIX = re.compile(
    r"(?:/(?:full|abstract|e?pdf|full-?text|meta|html|summary|tables|references)|\.(?:pdf|full|abstract|html?))+/?$"
    r"|[?#].*$"
)
_VERSION = re.compile(r"(?<=\d)v\d{1,2}$")
"""Of a preprint; its DOI is one for all versions."""

_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}


class SourceIds(NamedTuple):
    """What identifies a source.

    stated   kind → id, as the text says it: one that does not exist is a fault of the text
    hinted_doi   a DOI that stands in the address of a publisher's page: where it leads nowhere, nothing is said
    """

    stated: dict[IdKind, str]
    hinted_doi: str = ""


def extract_ids(cited: CitedSource) -> SourceIds:
    """The ids that a source is given, in its fields or as the address of a record."""
    said: dict[IdKind, str] = {}
    hinted = ""
    if cited.url:
        kind, id = parse_record_address(cited.url)
        if kind:
            said[kind] = id
        # Only hinted: publishers put parts of DOIs into addresses, and one that leads nowhere is no fault of the text.
        elif at := _PUBLISHER_DOI.search(unquote(cited.url)):
            hinted = normalize_doi(_VIEW_SUFFIX.sub("", at[1]))
    if doi := normalize_doi(cited.doi):
        said["doi"] = doi
    if pmid := normalize_pmid(re.sub(r"(?i)^\s*pmid\s*:?\s*", "", cited.pmid)):
        said["pmid"] = pmid
    if (found := _PMCID.fullmatch(cited.pmcid.strip())) and normalize_pmid(found[1]):
        said["pmcid"] = f"PMC{normalize_pmid(found[1])}"
    return SourceIds(said, "" if "doi" in said else hinted)


def parse_record_address(url: str) -> tuple[IdKind | None, str]:
    """The id whose record an address leads to: of doi.org, PubMed, PMC or Europe PMC; (None, "") for any other."""
    try:
        parts = urlsplit(strip_proxy(url).url)
    except ValueError:
        return None, ""
    host = (parts.hostname or "").lower()
    if host in _RESOLVERS:
        doi = normalize_doi(unquote(parts.path.lstrip("/")) + (f"?{parts.query}" if parts.query else ""))
        return ("doi", doi) if doi else (None, "")
    place = f"{host.removeprefix('www.')}{parts.path}".lower()
    for kind, pattern in _RECORD_ADDRESSES:
        if found := pattern.search(place):
            id = found[1].upper()
            return kind, id if kind == "pmcid" else normalize_pmid(id)
    term = parse_qs(parts.query).get("term", [""])[0]
    # A search for a PMID alone is how many people link to a record.
    if host == "pubmed.ncbi.nlm.nih.gov" and normalize_pmid(term):
        return "pmid", normalize_pmid(term)
    return None, ""


def doi_spellings(doi: str) -> list[str]:
    """A DOI, and what it may be without what came after it: a bracket, the end of an address, the next id of a list.

    What was written comes first: commas, brackets and points are allowed in a DOI, and stand in real ones.
    """
    found = [doi]
    plain = _VIEW_SUFFIX.sub("", doi)
    for shorter in (_strip_unopened(doi), plain, _VERSION.sub("", plain), doi.partition(",")[0], doi.partition(";")[0]):
        bare = normalize_doi(_strip_unopened(shorter).rstrip("\"'”’*_"))
        if bare and bare not in found:
            found.append(bare)
    return found


def _strip_unopened(doi: str) -> str:
    """Without brackets at the end that nothing in it opens."""
    bare = doi.rstrip(".,;:\"'”’")
    while bare and bare[-1] in _BRACKETS and bare.count(bare[-1]) > bare.count(_BRACKETS[bare[-1]]):
        bare = bare[:-1].rstrip(".,;:\"'”’")
    return bare
