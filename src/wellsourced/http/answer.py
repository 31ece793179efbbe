"""What a server said in the end, and what it means for who asked."""

from typing import NamedTuple

import httpx2

from wellsourced.errors import NotFound, Refused
from wellsourced.http.asking import Asking

WORDS = 200
"""Characters of what a server says that a message quotes."""


class Answer(NamedTuple):
    """`content` is the body of a good answer, the beginning of a bad one.

    stream   what is still to come of a good answer that is told piece by piece; None: all of it is in `content`
    """

    asking: Asking
    status: int
    headers: httpx2.Headers
    content: bytes
    stream: httpx2.AsyncByteStream | None = None

    @property
    def type(self) -> str:
        """The media type in lower case, without parameters; "" when the server did not say."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def quoted(self) -> str:
        """The first words of the body, in one line, without tags, secrets, and what a terminal would obey."""
        text = "".join(letter if letter.isprintable() else " " for letter in self.content.decode("utf-8", "replace"))
        said = " ".join(self.asking.hide(_without_tags(text)).split())[:WORDS]
        return f"; it said “{said}”" if said else ""

    def refusal(self) -> Refused:
        """The error that an answer other than 2xx is."""
        error = self._refusal()
        error.status = self.status
        return error

    def _refusal(self) -> Refused:
        host, status, path = self.asking.host, self.status, self.asking.hide(self.asking.sent.url.path)[:WORDS]
        match status:
            case 404 | 410:
                return NotFound(f"{host} has nothing at {path} ({status}){self.quoted}")
            case 401 | 403 if self.asking.secrets:
                return Refused(f"{host} refused the request ({status}): check the key for it{self.quoted}")
            case 401 | 403:
                return Refused(f"{host} does not show this to everybody ({status}): it may want a key{self.quoted}")
        return Refused(f"{host} could not do anything with the request to {path} ({status}){self.quoted}")


def _without_tags(text: str) -> str:
    first, *rest = text.split("<")
    return " ".join([first, *(part.partition(">")[2] for part in rest)])
