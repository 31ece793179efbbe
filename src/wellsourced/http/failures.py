"""Why a request failed, as a class: messages are for people, and nobody should have to read them to decide."""

import socket
import ssl
from typing import Literal

import httpcore2
import httpx2

from wellsourced.errors import ForbiddenAddress, IdentifyingRequest, NotFoundError, OfflineError, PlainHttp, SourceError
from wellsourced.http.retry import list_causes
from wellsourced.http.transport import RedirectLoop, ResponseTooLarge

Failure = Literal[
    "offline", "dead", "unknown host", "refused", "server error", "timeout", "tls", "malformed", "too large", "damaged"
]
"""Who or what stood in the way.

dead           404 or 410
refused        any other status of 4xx, and 999, which is the same by another name; what this machine keeps to itself
server error   5xx, no connection, one that broke off, redirects without an end
malformed      no address that can be asked, or one that leads to a private machine
damaged        a body that cannot be unpacked
"""

STATUS_END = 600


def classify_failure(error: SourceError) -> Failure:
    """The class of what `Client.get` and `Client.follow` raised."""
    match error:
        case OfflineError():
            return "offline"
        case IdentifyingRequest() | PlainHttp():
            return "refused"
        case ForbiddenAddress():
            return "malformed"
        case NotFoundError():
            return "dead"
        case ResponseTooLarge():
            return "too large"
        case RedirectLoop():
            return "server error"
    if error.status:
        return "server error" if 500 <= error.status < STATUS_END else "refused"
    return _classify_causes(list(list_causes(error)))


def _classify_causes(causes: list[BaseException]) -> Failure:
    """By the first failure behind it: a name that is not known is also a connection that could not be made."""

    def any_of(*kinds: type[BaseException]) -> bool:
        return any(isinstance(cause, kinds) for cause in causes)

    if any_of(ssl.SSLError):
        return "tls"
    if any_of(socket.gaierror):
        return "unknown host"
    if any_of(TimeoutError, httpcore2.TimeoutException):
        return "timeout"
    if any_of(httpcore2.NetworkError, httpcore2.ProtocolError):
        return "server error"
    return "damaged" if any_of(httpx2.DecodingError) else "malformed"
