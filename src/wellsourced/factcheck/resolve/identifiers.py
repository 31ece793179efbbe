"""Identifiers of a source: DOI, PMID and PMC id as they are given and as addresses hold them; the domain of a
publisher.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

from wellsourced.citations.identifiers import (
    normalize_doi,
    normalize_pmcid,
    normalize_pmid,
    trim_trailing_marks,
    visible_text,
)
from wellsourced.citations.links import WorkLink, find_links, parse_link
from wellsourced.factcheck.resolve.base import IdKind
from wellsourced.types import CitedSource

_VIEW_SUFFIX = re.compile(
    r"(?:/(?:full|abstract|e?pdf|full-?text|meta|html|summary|tables|references)|\.(?:pdf|full|abstract|html?))+/?$"
    r"|[?#].*$"
)
_VERSION = re.compile(r"(?<=\d)[./]?v\d{1,2}$")
"""Of a preprint; its DOI is one for all versions."""


class SourceIds(NamedTuple):
    """What identifies a source.

    stated   kind → id, as the text says it: one that does not exist is a fault of the text
    hinted_doi   a DOI that stands in the address of a publisher's page: where it leads nowhere, nothing is said
    """

    stated: dict[IdKind, str]
    hinted_doi: str = ""


def extract_ids(cited: CitedSource) -> SourceIds:
    """The ids that a source is given, in its fields or as the address of a record."""
    link = parse_record_address(cited.url)
    said: dict[IdKind, str] = {
        "doi": normalize_doi(cited.doi) or ("" if link.is_hint else link.doi),
        "pmid": normalize_pmid(cited.pmid) or link.pmid,
        "pmcid": normalize_pmcid(cited.pmcid) or link.pmcid,
    }
    # Only hinted: publishers put parts of DOIs into addresses, and one that leads nowhere is no fault of the text.
    hinted = link.doi if link.is_hint and said["doi"] in ("", link.doi) else ""
    if hinted and all(one.is_hint for one in find_links(cited.written) if one.doi == hinted):
        said["doi"] = ""
    return SourceIds({kind: id for kind, id in said.items() if id}, "" if said["doi"] else hinted)


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


def parse_record_address(url: str) -> WorkLink:
    """What an address says of the work behind it, that of a library's proxy read as its publisher's."""
    try:
        return parse_link(strip_proxy(url).url)
    except ValueError:
        return WorkLink(0, len(url), url)


def doi_spellings(doi: str, written: str = "") -> list[str]:
    """A DOI, and what it may be without what came after it: a bracket, the end of an address, the next id of a list.

    What was written comes first: commas, brackets and points are allowed in a DOI, and stand in real ones.

    written   the text that gives it: its own dashes and letters are tried too, and its lines each by itself
    """
    found = dict.fromkeys((doi, *_printed_spellings(doi, written)))
    for whole in tuple(found):
        plain = _VIEW_SUFFIX.sub("", whole)
        shorter = (whole, plain, _VERSION.sub("", plain), whole.partition(",")[0], whole.partition(";")[0])
        found |= dict.fromkeys(bare for one in shorter if len(bare := trim_trailing_marks(one)) > len("10.1000/"))
    return list(found)


def _printed_spellings(doi: str, written: str) -> Iterator[str]:
    """What the text prints where it gives this DOI: with its own dashes, and broken or joined at the end of a line."""
    printed = next((written[link.start : link.end] for link in find_links(written) if link.doi == doi), "")
    spelled = visible_text(printed[printed.find("10.") :].lower())
    for one in (spelled, re.sub(r"[-‐]\s+", "", spelled), spelled.partition("\n")[0]):
        joined = "".join(one.split())
        yield from (form for form in (joined, normalize_doi(joined)) if form.startswith("10."))
