"""The registered domain of a host, and the publisher behind a library's proxy."""

import re
from functools import lru_cache
from importlib.resources import files
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

PROXY_HOST = re.compile(
    r"(?:^|[.-])(?:[a-z0-9-]*ez-?(?:proxy|p)[a-z0-9-]*|lib-?proxy[0-9]*|proxy[0-9]*[.-]?lib(?:rary|raries)?|webvpn"
    r"|library-?proxy|remotexs|openathens|idm\.oclc\.org|libproxy[a-z0-9-]*|(?:proxy|vpn)\.[a-z0-9-]+\.(?:edu|ac\.[a-z]{2}))(?=[.-]|$)"
)
"""What the hosts of libraries have in their names: EZproxy, OCLC's hosted proxies, and their like."""

_SUFFIX_ROWS = files(__package__).joinpath("suffixes.tsv").read_text(encoding="utf-8").splitlines()
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
