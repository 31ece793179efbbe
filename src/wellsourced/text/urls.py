"""One spelling of a web address for the many under which a page is linked."""

import re
from typing import Any
from urllib.parse import urlsplit, urlunsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
TRACKING_PARAMETER = re.compile(r"(utm_\w+|mc_(cid|eid)|fbclid|gclid|dclid|msclkid|yclid|igshid|_ga|_gl|ref_src)(=|$)")
"""Parameters that tell who sent the reader, never which page it is."""

URL_CREDENTIALS = re.compile(r"(?<=://)\S*@|(?<![^\s,;\"'(\[<])[^\s,;/@:]+:(?!/)[^\s,;]*@")
"""Who signs in, as addresses say it: user:password@, up to the last @, since a password may hold one."""

SECRET_PARAMETER = re.compile(r"(?i)([?&;#][^=&;\s]*(?:key|token|secret|pass|pwd|sig|auth|code)[^=&;\s]*=)[^&;#\s]+")
"""A parameter whose name says that nobody else should see its value."""


def hide_secrets(value: Any) -> Any:
    """A value to be shown: in texts, and in lists of them, no address keeps its user, password or keys."""
    if isinstance(value, str):
        return SECRET_PARAMETER.sub(r"\1***", URL_CREDENTIALS.sub("***@", value))
    if isinstance(value, tuple | list):
        return type(value)(hide_secrets(one) for one in value)
    return value


def normalize_url(url: str) -> str:
    """The address with scheme and host in lower case, without default port, fragment, tracking and a last slash.

    Everything else stays, the order of the parameters too: a server may care.
    Raises ValueError for what is no address of the web.
    """
    parts = urlsplit(url.strip())
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if scheme not in DEFAULT_PORTS or not host:
        raise ValueError(f"not a web address: {url[:100]}")
    host = f"[{host}]" if ":" in host else host
    place = host if parts.port in (None, DEFAULT_PORTS[scheme]) else f"{host}:{parts.port}"
    query = "&".join(one for one in parts.query.split("&") if one and not TRACKING_PARAMETER.match(one)).rstrip()
    return urlunsplit((scheme, place, "%20".join(parts.path.split()).rstrip("/"), query, ""))


def page_key(url: str) -> str:
    """What the addresses under which one page is linked have in common: no scheme, no "www.", no fragment, no tracking.

    Raises ValueError for what is no address of the web.
    """
    return normalize_url(url).partition("://")[2].removeprefix("www.")


def site_host(url: str) -> str:
    """The host that a reader would name: "nih.gov"; "" for what is no address."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def escape_address(address: str) -> str:
    """An address as it may stand in `[words](address)`."""
    return address.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
