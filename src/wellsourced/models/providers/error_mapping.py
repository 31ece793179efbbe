"""What goes wrong with a provider, in words for the user, and whether asking again can help.

No text of a library is quoted, and no error of one is handed on as a cause: they may hold a key or what was asked.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from wellsourced.errors import ModelError, ModelRefused, ModelUnavailable, PromptTooLong, SourceError, SourceUnavailable
from wellsourced.models.providers.provider_registry import PROVIDERS, ModelAccess
from wellsourced.text.sanitization import one_line

MAX_QUOTED_CHARACTERS = 200
"""Characters of what a provider says that a message quotes."""


@contextmanager
def translate_errors(reached: ModelAccess, size: int, room: int) -> Iterator[None]:
    """Raise what a library raises as ModelUnavailable, ModelRefused or PromptTooLong, and BudgetSpent as it is.

    size, room   tokens of what was asked, and as many as may be
    """
    from pydantic_ai.exceptions import AgentRunError, ModelContextWindowExceededError, UserError

    try:
        yield
    except ModelContextWindowExceededError:
        raise PromptTooLong(size, room) from None
    except SourceError as error:
        raise _map_transport_error(error) from error
    except (AgentRunError, UserError, ValueError) as error:
        wire = _find_own_error(error)
        if isinstance(wire, ModelError):
            raise wire from None
        if wire:
            raise _map_transport_error(wire) from wire
        raise _map_library_error(error, reached) from None


def _find_own_error(error: BaseException | None) -> SourceError | ModelError | None:
    """The error of our own wire, or of the budget, which a library took for a failed connection."""
    while error is not None and not isinstance(error, SourceError | ModelError):
        error = error.__cause__ or error.__context__
    return error


def _map_transport_error(error: SourceError) -> ModelError:
    return ModelUnavailable(str(error)) if isinstance(error, SourceUnavailable) else ModelRefused(str(error))


def _map_library_error(error: Exception, reached: ModelAccess) -> ModelError:
    from pydantic_ai.exceptions import (
        ModelConnectionError,
        ModelHTTPError,
        ModelRateLimitError,
        ModelServerError,
        ModelUnavailableError,
        UserError,
    )

    passing = ModelConnectionError | ModelRateLimitError | ModelServerError | ModelUnavailableError
    if isinstance(error, ModelHTTPError) and error.status_code < 500 and error.status_code != 429:
        return ModelRefused(_refusal_message(error.status_code, error, reached))
    if isinstance(error, passing):
        return ModelUnavailable(f"{reached.host} broke off its reply: ask again later{_quote_body(error, reached)}")
    if isinstance(error, UserError):
        return ModelRefused(f"{reached.name} cannot be asked this way: choose another output for it in the settings")
    return ModelRefused(
        f"{reached.host} answered something that is no reply of a model: check its address "
        f"({PROVIDERS[reached.provider].setting}.url)"
    )


def _refusal_message(status: int, error: Exception, reached: ModelAccess) -> str:
    setting = PROVIDERS[reached.provider].setting
    remedy = {
        401: f"check {setting}.key",
        402: "the account has no credit left",
        403: f"check what {setting}.key may do",
        404: f"check the name of the model, and {setting}.url",
    }.get(status, "it will not change by asking again")
    return f"{reached.host} refused {reached.name} ({status}): {remedy}{_quote_body(error, reached)}"


def _quote_body(error: Exception, reached: ModelAccess) -> str:
    """The first words of what the provider said, in one line, without the key."""
    said = _extract_message(getattr(error, "body", None))
    if reached.key:
        said = said.replace(reached.key, "…")
    plain = one_line(said)[:MAX_QUOTED_CHARACTERS]
    return f"; it said “{plain}”" if plain else ""


def _extract_message(body: object) -> str:
    """The message in the body of an error, wherever it is kept."""
    if isinstance(body, dict):
        for name in ("message", "error", "detail"):
            if name in body:
                return _extract_message(body[name])
        return json.dumps(body, ensure_ascii=False, default=str)
    if isinstance(body, list):
        return _extract_message(body[0]) if body else ""
    return str(body or "")
