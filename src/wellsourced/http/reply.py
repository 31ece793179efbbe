"""A whole answer."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2

from wellsourced.errors import SourceRefused


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
        """The content as JSON. Raises Refused when it is not: the server answered something else than it promises."""
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
