"""Identifiers of a source: DOI, PMID and PMC id as they are given and as addresses hold them; the domain of a
publisher.
"""

import re
from functools import lru_cache
from importlib.resources import files
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from wellsourced.citations.deduplication import normalize_doi, normalize_pmid
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


PROXY_HOST = re.compile(
    r"(?:^|[.-])(?:[a-z0-9-]*ez-?(?:proxy|p)[a-z0-9-]*|lib-?proxy[0-9]*|proxy[0-9]*[.-]?lib(?:rary|raries)?|webvpn"
    r"|library-?proxy|remotexs|openathens|idm\.oclc\.org|libproxy[a-z0-9-]*|(?:proxy|vpn)\.[a-z0-9-]+\.(?:edu|ac\.[a-z]{2}))(?=[.-]|$)"
)
"""What the hosts of libraries have in their names: EZproxy, OCLC's hosted proxies, and their like."""

_SUFFIX_ROWS = files("wellsourced.factcheck.pages").joinpath("suffixes.tsv").read_text(encoding="utf-8").splitlines()
TWO_PART_SUFFIXES = frozenset(
    f"{second}.{country}"
    for country, _, seconds in (row.partition("\t") for row in _SUFFIX_ROWS)
    for second in seconds.split()
)
"""Suffixes of two parts that are common in medicine: used where the public suffix list is not installed."""


class PublisherAddress(NamedTuple):
    """An address as its publisher has it."""

    url: str
    proxied: bool = False


def strip_proxy(url: str) -> PublisherAddress:
    """The address behind a library's proxy; the address itself where there is none. Raises ValueError for none."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower().rstrip(".")
    found = PROXY_HOST.search(host)
    if not found:
        return PublisherAddress(url)
    query = parse_qs(parts.query)
    # EZproxy's own login carries the address as it is, which is surer than taking a host's name apart.
    for name in ("url", "qurl"):
        if inner := query.get(name, [""])[0]:
            return PublisherAddress(inner if "//" in inner else f"https://{inner}", True)
    before = _publisher_host(host, found.start())
    return PublisherAddress(
        urlunsplit((parts.scheme, before, parts.path, parts.query, parts.fragment)) if before else url, True
    )


def _publisher_host(host: str, proxy: int) -> str:
    """ "www-uptodate-com.meir.idm.oclc.org" → "www.uptodate.com"; "www.bmj.com.ezproxy.lib.edu" → "www.bmj.com"."""
    first, _, rest = host.partition(".")
    if "-" in first and len(first) < len(host) and not PROXY_HOST.search(first):
        # In these names a point becomes a hyphen, and a hyphen two.
        return first.replace("--", "\0").replace("-", ".").replace("\0", "-")
    before = host[:proxy].strip(".-")
    return before if "." in before and rest else ""


def registered_domain(host: str) -> str:
    """The domain that was registered: "ghr.nlm.nih.gov" → "nih.gov", "www.mind.org.uk" → "mind.org.uk".

    By the public suffix list where it is installed (it comes with the extra `web`), else by the last two or three
    parts. An address in numbers and a name without a point are their own.
    """
    bare = host.lower().rstrip(".").removeprefix("www.")
    if not bare or "." not in bare or _is_ip_address(bare):
        return bare
    return _listed_domain(bare) or _domain_by_parts(bare)


@lru_cache(maxsize=4096)
def _listed_domain(host: str) -> str:
    try:
        from tld import get_fld
    except ImportError:
        return ""
    return get_fld(f"https://{host}/", fail_silently=True) or host


def _domain_by_parts(host: str) -> str:
    parts = host.split(".")
    return ".".join(parts[-3:] if ".".join(parts[-2:]) in TWO_PART_SUFFIXES else parts[-2:])


def _is_ip_address(host: str) -> bool:
    try:
        return bool(ip_address(host.strip("[]")))
    except ValueError:
        return False


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
