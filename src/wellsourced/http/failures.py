"""Why a request failed: in words for people, and as a class, so that nobody should have to read the words to decide."""

import re
import socket
import ssl
from collections.abc import Iterator
from typing import Literal

import httpcore2
import httpx2

from wellsourced import errors

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


class RetryableError(Exception):
    """It did not work, and could in a moment.

    message   for the user, should it be the last attempt
    wait_seconds   that the server asked for; 0 when it said nothing
    status    what the server answered; 0 when it did not
    """

    def __init__(self, message: str, wait_seconds: float = 0.0, status: int = 0) -> None:
        self.message, self.wait_seconds, self.status = message, wait_seconds, status
        super().__init__(message)


class ResponseTooLarge(errors.SourceRefused):
    """A body of more bytes than are wanted."""


class RedirectLoop(errors.SourceRefused):
    """One redirect after another, and no answer."""


Kinds = type[BaseException] | tuple[type[BaseException], ...]

ERROR_CLASSES: tuple[tuple[Kinds, Failure], ...] = (
    (errors.OfflineError, "offline"),
    ((errors.PersonalDataError, errors.InsecureUrlError), "refused"),
    (errors.ForbiddenAddress, "malformed"),
    (errors.NotFoundError, "dead"),
    (ResponseTooLarge, "too large"),
    (RedirectLoop, "server error"),
)
# By the first that fits: a name that is not known is also a connection that could not be made.
CAUSE_CLASSES: tuple[tuple[Kinds, Failure], ...] = (
    (ssl.SSLError, "tls"),
    (socket.gaierror, "unknown host"),
    ((TimeoutError, httpcore2.TimeoutException), "timeout"),
    ((httpcore2.NetworkError, httpcore2.ProtocolError), "server error"),
    (httpx2.DecodingError, "damaged"),
)


def classify_failure(error: errors.SourceError) -> Failure:
    """The class of what `Client.get` and `Client.follow` raised."""
    for kinds, failure in ERROR_CLASSES:
        if isinstance(error, kinds):
            return failure
    # What a server said counts more than how its connection ended.
    if error.status:
        return "server error" if 500 <= error.status < STATUS_END else "refused"
    return next((failure for kinds, failure in CAUSE_CLASSES if has_cause(error, kinds)), "malformed")


def describe_failure(error: BaseException, host: str, seconds: float) -> BaseException:
    """The same failure in words for the user. No text of a library is quoted: it might hold a key."""
    match error:
        case TimeoutError():
            return RetryableError(
                f"{host} did not answer within {seconds:g} seconds: try again later, or allow more time"
            )
        case httpcore2.LocalProtocolError() | httpcore2.UnsupportedProtocol():
            return errors.SourceRefused(
                f"{host} cannot be asked: a header, perhaps the API key, has characters that HTTP does not allow"
            )
        # Not tried again: who stands between us and the server will still stand there.
        case httpcore2.ConnectError() if has_cause(error, ssl.SSLCertVerificationError):
            return errors.SourceRefused(f"{host} has no valid certificate, so nothing was sent")
        case httpcore2.ConnectError() if has_cause(error, socket.gaierror):
            return RetryableError(f"Cannot resolve {host}: check the address and the network connection")
        case httpcore2.ConnectError() if is_loopback(host):
            return RetryableError(f"Cannot reach {host}: no server is running there; start it, then try again")
        case httpcore2.ConnectError() | httpcore2.ConnectTimeout():
            return RetryableError(f"Cannot reach {host}: check the network connection, or try again later")
        case httpcore2.NetworkError() | httpcore2.ProtocolError() | httpcore2.TimeoutException():
            return RetryableError(f"{host} broke off its answer: try again later")
        case httpx2.DecodingError():
            return errors.SourceRefused(f"{host} sent an answer that cannot be decompressed")
    return error


def is_loopback(host: str) -> bool:
    """Whether a host, with its port or without, is this machine."""
    return re.match(r"(localhost|127(\.\d+){3}|\[?::1\]?)(:\d+)?$", host) is not None


def shareable_cause(error: BaseException) -> BaseException | None:
    """The failure behind a reason, unless it quotes what was sent."""
    return None if isinstance(error, httpcore2.LocalProtocolError) else error


def has_cause(error: BaseException, kinds: Kinds) -> bool:
    """Whether an error, or what is behind it, is of such a kind."""
    return any(isinstance(cause, kinds) for cause in list_causes(error))


def list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what is behind it, one after another."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
