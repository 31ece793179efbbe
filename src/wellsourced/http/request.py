"""A request in two forms: as it is sent, and without its secrets, as it may be shown."""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple, Self
from urllib.parse import quote, quote_plus, urlencode

import httpx2
from pydantic import SecretStr

from wellsourced.errors import ForbiddenAddress, SourceRefused
from wellsourced.privacy.loopback import is_loopback

FieldValues = Mapping[str, str | int | SecretStr]
"""Parameters or headers. A SecretStr is sent as it is and is never cached, logged, recorded or put into a message."""

RevealSecret = Callable[[SecretStr], str]
NO_FIELDS: FieldValues = MappingProxyType({})

# Nothing else is asked for, so that what arrives can be unpacked in small pieces whatever is installed.
DEFAULT_HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
CONTACT_FIELDS = {"email", "mailto"}
"""Fields by which a service is told who asks: the user's own e-mail address, from the settings."""

BODY_HEADERS = {"content-type", "content-length"}
ORIGIN_HEADERS = {"authorization", "cookie"}
METHOD_PRESERVING_STATUSES = {307, 308}


class RequestSpec(NamedTuple):
    """What a caller gave, secrets and all."""

    method: str
    url: str
    params: FieldValues = NO_FIELDS
    headers: FieldValues = NO_FIELDS
    form: FieldValues = NO_FIELDS
    json: Any = None


class Request(NamedTuple):
    """One request.

    sent      everything, secrets too: goes on the wire and nowhere else
    redacted   the same without its secrets, before any redirect: what the cache knows it by
    secrets   the values that may not be told
    is_redirect   a redirect asked for it
    has_content   it says more than its address: fields, a form, a body
    """

    sent: httpx2.Request
    redacted: httpx2.Request
    secrets: tuple[str, ...]
    is_redirect: bool = False
    has_content: bool = False

    @property
    def host(self) -> str:
        """Whom it is for, in words for a message."""
        return host_and_port(self.sent.url)

    @property
    def needs_https(self) -> bool:
        """Whether a key, or more than an address, would go over plain HTTP to another machine."""
        url = self.sent.url
        return url.scheme == "http" and not is_loopback(url.host) and bool(self.has_content or self.secrets)

    @property
    def url(self) -> str:
        """Where it goes, as it may be told."""
        return self.redact(str(self.sent.url)) if self.is_redirect else str(self.redacted.url)

    def cache_key(self, kind: str) -> bytes:
        """What the cache knows it by; requests that differ in their secrets alone have one key."""
        told = self.redacted
        headers = sorted((name, value) for name, value in told.headers.items() if name != "user-agent")
        return sha256(json.dumps([kind, told.method, str(told.url), headers, told.content.hex()]).encode()).digest()

    def redact(self, text: str) -> str:
        """The text without what may not be told, however it is spelled."""
        for secret in self.secrets:
            for spelling in _secret_spellings(secret):
                text = text.replace(spelling, "…")
        return text

    def contains_secret(self, content: bytes) -> bool:
        """Whether one of the secrets is in there."""
        return any(spelling.encode() in content for secret in self.secrets for spelling in _secret_spellings(secret))

    def with_headers(self, headers: Mapping[str, str]) -> Self:
        request = self.sent
        merged = httpx2.Headers({**request.headers, **httpx2.Headers(headers)})
        return self._replace(sent=httpx2.Request(request.method, request.url, headers=merged, content=request.content))

    def build_redirect(self, status: int, location: str) -> Self:
        """The request that a redirect asks for.

        Secrets stay with the host that they were given for. Raises SourceRefused where one would have to leave it, and
        ForbiddenAddress for another scheme than http and https.
        """
        url = parse_url(_join_location(self.sent.url, location))
        keeps = status in METHOD_PRESERVING_STATUSES or self.sent.method == "GET"
        content = self.sent.content if keeps else b""
        headers = {name: value for name, value in self.sent.headers.items() if name != "host"}
        if not keeps:
            headers = {name: value for name, value in headers.items() if name not in BODY_HEADERS}
        if not _is_same_site(self.sent.url, url):
            if self.contains_secret(content) or self.contains_secret(str(url).encode()):
                raise SourceRefused(f"{self.host} redirects to {host_and_port(url)}: the API key was not sent there")
            headers = {
                name: value
                for name, value in headers.items()
                if name not in ORIGIN_HEADERS and not self.contains_secret(value.encode())
            }
        method = self.sent.method if keeps else "GET"
        return self._replace(
            sent=httpx2.Request(method, url, headers=headers, content=content or None), is_redirect=True
        )


def build_request(wording: RequestSpec, agent: str) -> Request:
    """The request for these words. Raises SourceRefused when they make none, ForbiddenAddress as `address` does."""
    url = parse_url(wording.url)
    secrets: set[str] = set()

    def reveal(secret: SecretStr) -> str:
        secrets.add(secret.get_secret_value())
        return secret.get_secret_value()

    try:
        sent = _build_httpx_request(url, wording, agent, reveal)
    except UnicodeEncodeError:
        # The error itself holds the value.
        raise SourceRefused(
            f"{host_and_port(url)}: a header, perhaps the API key, has characters that HTTP does not allow"
        ) from None
    told = _build_httpx_request(url, wording, agent, None)
    speaks = bool(wording.params or wording.form or wording.json is not None)
    return Request(sent, told, tuple(sorted(filter(None, secrets), key=len, reverse=True)), has_content=speaks)


def list_texts(wording: RequestSpec) -> Iterator[str]:
    """Every text that a caller gave to be said, but for secrets and the user's own address."""
    given = {**wording.params, **wording.form}
    waiting: list[Any] = [*(value for name, value in given.items() if name not in CONTACT_FIELDS), wording.json]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value


def _build_httpx_request(
    url: httpx2.URL, wording: RequestSpec, agent: str, opened: RevealSecret | None
) -> httpx2.Request:
    content, kind = _build_body(wording, opened)
    headers = httpx2.Headers({**DEFAULT_HEADERS, "User-Agent": agent, **({"Content-Type": kind} if kind else {})})
    headers.update(_text_values(wording.headers, opened))
    asked = url.copy_merge_params(_text_values(wording.params, opened)) if wording.params else url
    return httpx2.Request(wording.method, asked, headers=headers, content=content or None)


def _build_body(wording: RequestSpec, opened: RevealSecret | None) -> tuple[bytes, str]:
    """The body and its type; nothing and "" when there is none."""
    if wording.json is not None:
        text = json.dumps(wording.json, default=opened or _omit_secret, ensure_ascii=False)
        return text.encode(), "application/json"
    if wording.form:
        return urlencode(_text_values(wording.form, opened)).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _text_values(given: FieldValues, opened: RevealSecret | None) -> dict[str, str]:
    """What was given, as text; secrets are left out where nothing opens them."""
    plain = {name: str(value) for name, value in given.items() if not isinstance(value, SecretStr)}
    secret = {name: value for name, value in given.items() if isinstance(value, SecretStr)}
    return plain | {name: opened(value) for name, value in secret.items() if opened}


def _omit_secret(_: SecretStr) -> str:
    return ""


def parse_url(url: str) -> httpx2.URL:
    """An address that can be asked. Raises SourceRefused for what is none, ForbiddenAddress for another scheme than
    http and https, and for a name and a password in front of the host: they make an address look like another."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise SourceRefused(f"“{_shorten_url(url)}” is not a valid address") from error
    if parsed.scheme not in {"http", "https"}:
        raise ForbiddenAddress(f"“{_shorten_url(url)}” is not followed: only http and https are allowed")
    if parsed.userinfo:
        raise ForbiddenAddress(f"an address at {parsed.host} is not followed: it contains a name or password")
    if not parsed.host or b"%" in parsed.raw_host:
        raise SourceRefused(f"“{_shorten_url(url)}” has no valid host")
    return parsed


def host_and_port(url: httpx2.URL) -> str:
    """The host, with its port when it is not the usual one: "127.0.0.1:8080"."""
    return url.netloc.decode("ascii")


def _join_location(url: httpx2.URL, location: str) -> str:
    try:
        return str(url.join(location).copy_with(fragment=None))
    except (httpx2.InvalidURL, ValueError) as error:
        raise SourceRefused(f"{host_and_port(url)} redirects to an invalid address") from error


def _is_same_site(old: httpx2.URL, new: httpx2.URL) -> bool:
    """The same origin, or the same host by https instead of http."""
    if (old.scheme, host_and_port(old)) == (new.scheme, host_and_port(new)):
        return True
    return old.host == new.host and old.scheme == "http" and new.scheme == "https" and not (old.port or new.port)


def _secret_spellings(secret: str) -> set[str]:
    """A secret as it may stand in a text: plain, in an address, in a form, in JSON, and without "Bearer" before it."""
    bare = secret.split()[-1] if secret.split() else secret
    plain = {secret, bare}
    return (
        plain | {quote(one, safe="") for one in plain} | {quote_plus(one) for one in plain} | {json.dumps(bare)[1:-1]}
    )


def _shorten_url(url: str) -> str:
    """The beginning of an address, without its query, and printable."""
    return "".join(letter for letter in url.partition("?")[0][:80] if letter.isprintable())
