"""What a server said in the end, and what it means for who asked."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http.request import Request

MAX_QUOTED_CHARACTERS = 200
"""Characters of what a server says that a message quotes."""


def media_type(headers: httpx2.Headers) -> str:
    """The media type in lower case, without parameters; "" when the server did not say."""
    return headers.get("Content-Type", "").partition(";")[0].strip().lower()


class RawResponse(NamedTuple):
    """`content` is the body of a good answer, the beginning of a bad one.

    stream   what is still to come of a good answer that is told piece by piece; None: all of it is in `content`
    """

    request: Request
    status: int
    headers: httpx2.Headers
    content: bytes
    stream: httpx2.AsyncByteStream | None = None

    @property
    def type(self) -> str:
        """The media type of the body."""
        return media_type(self.headers)

    @property
    def body_excerpt(self) -> str:
        """The first words of the body, in one line, without tags, secrets, and what a terminal would obey."""
        text = "".join(letter if letter.isprintable() else " " for letter in self.content.decode("utf-8", "replace"))
        said = " ".join(self.request.redact(_strip_tags(text)).split())[:MAX_QUOTED_CHARACTERS]
        return f"; it said “{said}”" if said else ""

    def to_error(self) -> SourceRefused:
        """The error that an answer other than 2xx is."""
        error = self._build_error()
        error.status = self.status
        return error

    def _build_error(self) -> SourceRefused:
        host, status, path = (
            self.request.host,
            self.status,
            self.request.redact(self.request.sent.url.path)[:MAX_QUOTED_CHARACTERS],
        )
        match status:
            case 404 | 410:
                return NotFoundError(f"{host} has nothing at {path} ({status}){self.body_excerpt}")
            case 401 | 403 if self.request.secrets:
                return SourceRefused(f"{host} refused the request ({status}): check the key for it{self.body_excerpt}")
            case 401 | 403:
                return SourceRefused(
                    f"{host} does not show this to everybody ({status}): it may want a key{self.body_excerpt}"
                )
        return SourceRefused(f"{host} could not do anything with the request to {path} ({status}){self.body_excerpt}")


def _strip_tags(text: str) -> str:
    first, *rest = text.split("<")
    return " ".join([first, *(part.partition(">")[2] for part in rest)])


class Response(NamedTuple):
    """A whole answer with a status of 2xx.

    url      the address that answered in the end, after redirects, without secrets
    type     the media type in lower case, without parameters: "text/html"; "" when the server did not say
    headers  whatever the case of their names
    content  unpacked
    """

    url: str
    status: int
    type: str
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        """The content as JSON. Raises SourceRefused when it is not what the server promises."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError) as error:
            host = httpx2.URL(self.url).host
            kind = self.type or "no type"
            raise SourceRefused(
                f"{host} answered something that is not JSON ({kind}): check its address in the settings"
            ) from error

    @property
    def text(self) -> str:
        """The content as text, by the charset that the server names, else UTF-8; what fits no character is replaced."""
        named = {"Content-Type": self.headers.get("Content-Type", "")}
        return httpx2.Response(self.status, headers=named, content=self.content).text
