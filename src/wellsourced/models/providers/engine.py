"""A provider's model as an engine: words go out, a typed reply comes back, read by its schema or not at all; and what
its errors mean.
"""

import json
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import SecretStr

from wellsourced.errors import (
    ModelError,
    ModelRefused,
    ModelUnavailable,
    NextStep,
    PromptTooLong,
    SourceError,
    SourceUnavailable,
    UnparsableReply,
)
from wellsourced.lazy import lazy_regex
from wellsourced.models.base import (
    Completion,
    Engine,
    EngineOptions,
    EngineReply,
    OnPartialReply,
    R,
    RenderedPrompt,
    Reply,
)
from wellsourced.models.providers import provider_clients
from wellsourced.models.providers.provider_registry import PROVIDERS, ModelAccess, resolve_access
from wellsourced.models.providers.request_forms import (
    FormRefused,
    KnownForms,
    RequestForm,
    choose_simpler_form,
    read_form_refusal,
)
from wellsourced.models.reply_parsing import ReplyRequest, ask_until_read, current_meter, list_rooms
from wellsourced.text.sanitization import one_line

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, StreamedResponse
    from pydantic_ai.settings import ModelSettings


_TOKENS_PER_CHARACTER = (
    (lazy_regex(r"[A-Za-z \n\t]"), 1 / 3),
    (lazy_regex(r"[!-@\[-`{-~]"), 1.0),
    (lazy_regex(r"[\u0080-\u10ff]"), 4 / 5),
    (lazy_regex(r"[\u1100-\uffff]"), 1.0),
    (lazy_regex(r"[\U00010000-\U0010ffff]"), 3.0),
)


def estimate_tokens(text: str) -> int:
    """Tokens of a text, at most, in nearly every case."""
    return ceil(sum(weight * len(kind.findall(text)) for kind, weight in _TOKENS_PER_CHARACTER))


DEFAULT_WINDOW = 32_768
"""Tokens that a model is trusted with when nothing is known of it."""

NARROW_WINDOWS = {"ollama": 4_096}
"""Those that cut what is too long without a word, and from where by default (ollama: OLLAMA_CONTEXT_LENGTH)."""

NON_STREAMING = {"bedrock", "mistral"}
"""Not asked to stream: Bedrock packs its streams so that AWS's own library is needed to read them, and Mistral takes
no request for the count of tokens of one. The reply is heard at its end."""


def open_engine(
    name: str,
    *,
    client: object,
    url: str = "",
    key: SecretStr | None = None,
    options: EngineOptions,
    forms: KnownForms | None = None,
) -> Engine:
    """The engine for `provider:model`.

    client   what it sends with: `Client.carrier(attempts=options.attempts, seconds=options.seconds)`
    url      in place of the provider's usual address
    key      of the provider; None where none is wanted
    forms    the forms of request that servers take; None: what this server refuses is forgotten with the engine

    Raises SettingsError for an unknown provider, a missing key or address, and packages that are not installed.
    """
    reached = resolve_access(name, url, key)
    return ProviderEngine(
        reached, provider_clients.build_model(reached, client, options), options, forms or KnownForms()
    )


class ProviderRequest(NamedTuple):
    """What is asked, in how many tokens, with so much room for the reply; `fault` is what was wrong with the first."""

    wording: RenderedPrompt
    reply: type[Reply]
    prompt_tokens: int
    room: int
    fault: UnparsableReply | None


# What goes wrong with a provider, in words for the user, and whether asking again can help.
#
# No text of a library is quoted, and no error of one is handed on as a cause: they may hold a key or what was asked.


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
    if isinstance(error, ModelHTTPError) and error.status_code != 429:
        refusal = read_form_refusal(error.status_code, error.body, _map_refusal(error.status_code, error, reached))
        if error.status_code < 500 or isinstance(refusal, FormRefused):
            return refusal
    if isinstance(error, passing):
        return ModelUnavailable(f"{reached.host} broke off its reply{_quote_body(error, reached)}")
    if isinstance(error, UserError):
        return ModelRefused(
            f"{reached.name} does not support this form of reply", next_step=NextStep("change setting", "models.output")
        )
    address = f"{PROVIDERS[reached.provider].setting}.url"
    return ModelRefused(
        f"{reached.host} did not answer as a model does ({address})", next_step=NextStep("change setting", address)
    )


def _map_refusal(status: int, error: Exception, reached: ModelAccess) -> ModelRefused:
    setting = PROVIDERS[reached.provider].setting
    key, model = NextStep("set key", setting), NextStep("choose model")
    reason, step = {
        401: (f": it does not accept {setting}.key" if reached.key else f": no key is set ({setting}.key)", key),
        402: (": the account has no credit left", None),
        403: (f": it does not allow this to {setting}.key", key),
        404: (f": it has no such model, or {setting}.url is wrong", model),
    }.get(status, ("", None))
    message = f"{reached.host} refused {reached.name} ({status}){reason}{_quote_body(error, reached)}"
    return ModelRefused(message, next_step=step)


def _quote_body(error: Exception, reached: ModelAccess) -> str:
    """The first words of what the provider said, in one line, without the key."""
    said = _extract_message(getattr(error, "body", None))
    if reached.key:
        said = said.replace(reached.key, "…")
    plain = one_line(said)[:MAX_QUOTED_CHARACTERS]
    return f"; it said “{plain}”" if plain else ""


def _extract_message(body: object) -> str:
    if isinstance(body, dict):
        for name in ("message", "error", "detail"):
            if name in body:
                return _extract_message(body[name])
        return json.dumps(body, ensure_ascii=False, default=str)
    if isinstance(body, list):
        return _extract_message(body[0]) if body else ""
    return str(body or "")


class ProviderEngine:
    """Asks one model; see `Engine` for what it promises. Its time-outs and attempts are those of its client."""

    def __init__(self, reached: ModelAccess, model: "Model", options: EngineOptions, forms: KnownForms) -> None:
        self.name = reached.name
        self.remote, self.host = reached.remote, reached.host
        self.window = options.window or NARROW_WINDOWS.get(reached.provider) or model.context_window or DEFAULT_WINDOW
        thoughts = (
            min(options.thinking_tokens, self.window // 4)
            if provider_clients.does_think(model, reached, options)
            else 0
        )
        # Of a small window the reply must not take so much that nothing can be asked.
        self.reserved = min(options.reply + thoughts, self.window // 2, provider_clients.find_max_output(model))
        best = provider_clients.choose_form(model) if options.output == "auto" else options.output
        self._forms, self._server = forms, f"{reached.name} {reached.url}"
        known = forms.find(self._server) or RequestForm(best)
        # Whoever says how replies are to be had is asked for no other form.
        self._form = known if options.output == "auto" else RequestForm(best, known.has_system)
        self.settings = (
            f"temperature={options.temperature:g} seed={options.seed} reply={self.reserved} output={best}"
        ) + (f" thinking={options.thinking}" if options.thinking != "auto" else "")
        self._model_settings = provider_clients.build_settings(model, reached, options, self.reserved)
        self._access = reached
        self._model = model
        self._options = options

    def count(self, text: str) -> int:
        """Tokens of a text, as `estimate_tokens` has them."""
        return estimate_tokens(text)

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:
        """The reply, read by its schema; see `ask_until_read` for one that is cut off or cannot be read."""
        size = self.count(wording.instruction) + self.count(wording.material)
        if size + self.reserved > self.window:
            raise PromptTooLong(size, self.window - self.reserved)

        def request(asked: ReplyRequest) -> Awaitable[Completion]:
            return self._request_reply(ProviderRequest(wording, reply, size, asked.room, asked.fault), heard)

        rooms = list_rooms(self.reserved, min(self.window - size, provider_clients.find_max_output(self._model)))
        return await ask_until_read(request, reply, rooms)

    def estimate_cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """US dollars that so many tokens will cost; None where the price is not known."""
        from pydantic_ai.messages import ModelResponse
        from pydantic_ai.usage import RequestUsage

        usage = RequestUsage(input_tokens=tokens_in, output_tokens=tokens_out)
        planned = ModelResponse(
            parts=[], usage=usage, model_name=self._model.model_name, provider_name=self._model.system
        )
        return provider_clients.request_cost(planned, self._options, free=self._access.is_free)

    async def _request_reply(self, request: ProviderRequest, heard: OnPartialReply | None) -> Completion:
        response = await self._request_in_known_form(request, heard)
        text = provider_clients.reply_text(response, self._access)
        if heard:
            heard(text)
        usage, paid = response.usage, provider_clients.request_cost(response, self._options, free=self._access.is_free)
        is_truncated = response.finish_reason == "length"
        return Completion(text, usage.input_tokens, usage.output_tokens, paid, is_truncated=is_truncated)

    async def _request_in_known_form(self, request: ProviderRequest, heard: OnPartialReply | None) -> "ModelResponse":
        """A whole response, in the first form of request that the server takes; what it refuses is remembered."""
        refusal: FormRefused | None = None
        form = self._form
        while True:
            try:
                response = await self._request_with_retries(request, form, ReplyListener(heard) if heard else None)
            except FormRefused as refused:
                # A simpler form that fails for another reason is not what was wrong first.
                refusal = refusal or refused
                simpler = choose_simpler_form(form, refused, self._access.language)
                if simpler is None or (self._options.output != "auto" and simpler.reply != form.reply):
                    raise refusal from None
                form = simpler
                continue
            if refusal:
                self._form = form
                self._forms.remember(self._server, form)
            return response

    async def _request_with_retries(
        self, request: ProviderRequest, form: RequestForm, listening: "ReplyListener | None"
    ) -> "ModelResponse":
        """A whole response. One that breaks off while it is heard is asked for from its beginning."""
        attempt = 1
        while True:
            try:
                return await self._send_once(request, form, listening)
            except ModelUnavailable:
                # What had not begun, or is not heard, the client has tried often enough.
                if attempt == self._options.attempts or not (listening and listening.has_begun):
                    raise
            attempt += 1

    async def _send_once(
        self, request: ProviderRequest, form: RequestForm, listening: "ReplyListener | None"
    ) -> "ModelResponse":
        from pydantic_ai.direct import model_request, model_request_stream

        from wellsourced.http.provider_transport import watch_attempts

        wording = provider_clients.word_in_form(request.wording, request.reply, form)
        said = provider_clients.build_messages(wording, request.fault)
        settings = cast("ModelSettings", {**self._model_settings, "max_tokens": request.room})
        parameters = provider_clients.build_parameters(request.reply, form.reply)
        count_request = current_meter().count_request
        limit = self.window - self.reserved
        with translate_errors(self._access, request.prompt_tokens, limit), watch_attempts(count_request):
            if listening is None or self._access.provider in NON_STREAMING:
                return await model_request(
                    self._model, said, model_settings=settings, model_request_parameters=parameters
                )
            async with model_request_stream(
                self._model, said, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                return await listening.listen(stream)


class ReplyListener:
    """Passes on what is written.

    has_begun   the provider began to answer
    """

    def __init__(self, heard: OnPartialReply) -> None:
        self.has_begun = False
        self._heard = heard

    async def listen(self, stream: "StreamedResponse") -> "ModelResponse":
        """Listen to the end. Raises ModelUnavailable when there is none."""
        self.has_begun, last = True, ""
        async for _ in stream:
            text = provider_clients.response_text(stream.get())
            if text != last:
                self._heard(text)
                last = text
        response = stream.get()
        if response.state != "complete":
            raise ModelUnavailable("the model broke off before its reply was complete")
        return response
