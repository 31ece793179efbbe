"""A provider's model as an engine: words go out, a typed reply comes back, read by its schema or not at all."""

from typing import TYPE_CHECKING, NamedTuple

from pydantic import SecretStr

from wellsourced.errors import ModelDown, Overlong, Unparsable
from wellsourced.models.base import Engine, Heard, Options, R, Reply, Said, Wording
from wellsourced.models.providers.asking import best_form, cost, finished, messages, parameters, settings
from wellsourced.models.providers.counting import count
from wellsourced.models.providers.failures import plainly
from wellsourced.models.providers.known import Access, access
from wellsourced.models.providers.made import made
from wellsourced.models.providers.reading import read, spoken

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, StreamedResponse

WINDOW = 32_768
"""Tokens that a model is trusted with when nothing is known of it."""

NARROW = {"ollama": 4_096}
"""Those that cut what is too long without a word, and from where by default (ollama: OLLAMA_CONTEXT_LENGTH)."""

WHOLE_ONLY = {"bedrock", "mistral"}
"""Not asked to stream: Bedrock packs its streams so that AWS's own library is needed to read them, and Mistral takes
no request for the count of tokens of one. The reply is heard at its end."""


def engine(name: str, *, client: object, url: str = "", key: SecretStr | None = None, options: Options) -> Engine:
    """The engine for `provider:model`.

    client   what it sends with: `Client.carrier(attempts=options.attempts, seconds=options.seconds)`
    url      in place of the provider's usual address
    key      of the provider; None where none is wanted

    Raises SettingsError for an unknown provider, a missing key or address, and packages that are not installed.
    """
    reached = access(name, url, key)
    return ProviderEngine(reached, made(reached, client, options), options)


class Request(NamedTuple):
    """What is asked, in how many tokens; `unread` is the first reply, when it could not be read."""

    wording: Wording
    reply: type[Reply]
    size: int
    unread: Unparsable | None = None


class Uttered(NamedTuple):
    """What a model replied once, and what it took."""

    text: str
    tokens_in: int
    tokens_out: int
    cost: float | None


class ProviderEngine:
    """Asks one model; see `Engine` for what it promises. Its time-outs and attempts are those of its client."""

    def __init__(self, reached: Access, model: "Model", options: Options) -> None:
        self.name = reached.name
        self.remote, self.host = reached.remote, reached.host
        self.window = options.window or NARROW.get(reached.provider) or model.context_window or WINDOW
        # Of a small window the reply must not take so much that nothing can be asked.
        self.reserved = min(options.reply, self.window // 2)
        self._form = best_form(model) if options.output == "auto" else options.output
        self.settings = (
            f"temperature={options.temperature:g} seed={options.seed} reply={self.reserved} output={self._form}"
        )
        self._chosen = settings(model, reached, options, self.reserved)
        self._reached = reached
        self._model = model
        self._options = options

    def count(self, text: str) -> int:
        """Tokens of a text, at most, in nearly every case."""
        return count(text)

    async def ask(self, wording: Wording, reply: type[R], heard: Heard | None = None) -> Said[R]:
        """The reply, read by its schema; one that cannot be read is asked for once more."""
        size = self.count(wording.instruction) + self.count(wording.shown)
        if size + self.reserved > self.window:
            raise Overlong(size, self.window - self.reserved)
        request = Request(wording, reply, size)
        first = await self._utter(request, heard)
        try:
            return Said(read(first.text, reply), first.tokens_in, first.tokens_out, first.cost)
        except Unparsable as error:
            request = request._replace(unread=error)
        again = await self._utter(request, heard)
        costs = None if first.cost is None or again.cost is None else first.cost + again.cost
        tokens_in, tokens_out = first.tokens_in + again.tokens_in, first.tokens_out + again.tokens_out
        return Said(read(again.text, reply), tokens_in, tokens_out, costs, repaired=True)

    async def _utter(self, request: Request, heard: Heard | None) -> Uttered:
        """One reply that was written to its end, not yet read."""
        response = await self._response(request, Listening(heard) if heard else None)
        text = finished(response, self._reached, self.reserved)
        if heard:
            heard(text)
        paid = cost(response, self._options, free=self._reached.free)
        return Uttered(text, response.usage.input_tokens, response.usage.output_tokens, paid)

    async def _response(self, request: Request, listening: "Listening | None") -> "ModelResponse":
        """A whole response. One that breaks off while it is heard is asked for from its beginning."""
        attempt = 1
        while True:
            try:
                return await self._once(request, listening)
            except ModelDown:
                # What had not begun, or is not heard, the client has tried often enough.
                if attempt == self._options.attempts or not (listening and listening.begun):
                    raise
            attempt += 1

    async def _once(self, request: Request, listening: "Listening | None") -> "ModelResponse":
        from pydantic_ai.direct import model_request, model_request_stream

        said = messages(request.wording, request.unread)
        form = parameters(request.reply, self._form)
        with plainly(self._reached, request.size, self.window - self.reserved):
            if listening is None or self._reached.provider in WHOLE_ONLY:
                return await model_request(
                    self._model, said, model_settings=self._chosen, model_request_parameters=form
                )
            async with model_request_stream(
                self._model, said, model_settings=self._chosen, model_request_parameters=form
            ) as stream:
                return await listening.to(stream)


class Listening:
    """Passes on what is written.

    begun   the provider began to answer
    """

    def __init__(self, heard: Heard) -> None:
        self.begun = False
        self._heard = heard

    async def to(self, stream: "StreamedResponse") -> "ModelResponse":
        """Listen to the end. Raises ModelDown when there is none."""
        self.begun, last = True, ""
        async for _ in stream:
            text = spoken(stream.get())
            if text != last:
                self._heard(text)
                last = text
        response = stream.get()
        if response.state != "complete":
            raise ModelDown("the model broke off before its reply was whole: ask again later")
        return response
