"""Which providers there are, what they want to know first, and what an engine knows before it is asked."""

import subprocess
import sys
from collections.abc import AsyncIterator
from itertools import count as counting_from
from typing import Any

import pytest
from pydantic import SecretStr

from tests.servers.base import Asked, Said, serving
from tests.servers.models import Claude, Gemini, OpenAIChat, OpenAIResponses, Provider, Writes
from tests.servers.models.base import BadRequest, packed, strict
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable, SettingsError, UnparsableReply
from wellsourced.http import Client
from wellsourced.models.base import EngineOptions, Prompt, RenderedPrompt, Reply
from wellsourced.models.providers.engine import estimate_tokens, open_engine
from wellsourced.models.providers.provider_registry import PROVIDERS, resolve_access
from wellsourced.privacy.loopback import is_loopback
from wellsourced.prompts import evidence as reading
from wellsourced.prompts import planning, writing
from wellsourced.prompts import verification as checking

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

KEY = SecretStr("sk-secret")
PROMPTS = [
    thing
    for module in (checking, planning, planning, reading, writing)
    for thing in vars(module).values()
    if isinstance(thing, type) and issubclass(thing, Prompt) and "reply" in vars(thing)
]


class Found(Reply):
    """What was found."""

    number: int


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client() as one:
        yield one


@each_row(
    ("name", "says"),
    [
        ("opnai:gpt-5", "“opnai” is not a provider of models: did you mean openai?"),
        (
            "gpt-5",
            "“gpt-5” is not a provider of models. Write PROVIDER:MODEL. Providers: anthropic",
        ),
        ("openai:", "“openai:” names no model: write openai:MODEL"),
        ("", "is not a provider of models"),
    ],
)
def test_a_name_that_is_none_is_told_with_what_there_is(client: Client, name: str, says: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_engine(name, client=client.open_provider_client(), key=KEY, options=EngineOptions())
    assert says in str(caught.value)
    assert "provider" not in says or "openrouter" in str(caught.value)


def test_a_name_that_the_provider_could_not_have_is_told(client: Client) -> None:
    with pytest.raises(SettingsError, match="openrouter:m cannot be used: OpenRouter model names must be prefixed"):
        open_engine("openrouter:m", client=client.open_provider_client(), key=KEY, options=EngineOptions())


@each_row("provider", [name for name, known in PROVIDERS.items() if known.key_variable])
@each_row("key", [None, SecretStr("")])
def test_a_missing_key_is_told_with_where_to_put_it(client: Client, provider: str, key: SecretStr | None) -> None:
    known = PROVIDERS[provider]
    with pytest.raises(SettingsError) as caught:
        open_engine(
            f"{provider}:m",
            client=client.open_provider_client(),
            url="http://127.0.0.1:1",
            key=key,
            options=EngineOptions(),
        )
    assert f"needs an API key ({known.setting}.key or {known.key_variable})." in str(caught.value)


@each_row("provider", ["azure", "bedrock", "compatible"])
def test_a_missing_address_is_told_with_an_example(client: Client, provider: str) -> None:
    with pytest.raises(SettingsError, match=rf"set {provider}\.url, for example http"):
        open_engine(f"{provider}:m", client=client.open_provider_client(), key=KEY, options=EngineOptions())


@each_row("url", ["api.openai.com", "ftp://api.openai.com", "http://a:b@c", "https://", "http://[::1"])
def test_an_address_that_is_none_is_refused(client: Client, url: str) -> None:
    with pytest.raises(SettingsError, match=r"openai\.url is not a web address"):
        open_engine("openai:m", client=client.open_provider_client(), url=url, key=KEY, options=EngineOptions())


@each_row("provider", ["ollama", "vllm", "llamacpp", "lmstudio"])
def test_servers_of_ones_own_are_looked_for_on_this_machine_without_a_key(client: Client, provider: str) -> None:
    one = open_engine(f"{provider}:m", client=client.open_provider_client(), options=EngineOptions())
    assert not one.remote
    assert resolve_access(f"{provider}:m", "", None).url.startswith("http://127.0.0.1:")


@each_row("name", sorted(PROVIDERS))
def test_a_model_elsewhere_is_remote(client: Client, name: str) -> None:
    url = "https://models.example.org/v1"
    assert open_engine(
        f"{name}:some/m", client=client.open_provider_client(), url=url, key=KEY, options=EngineOptions()
    ).remote


@each_row(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("127.0.0.1.evil.org", False),
        ("192.168.1.4", False),
        ("", False),
    ],
)
def test_this_machine_is_told_from_others(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_the_window_is_what_is_known_unless_it_is_given(client: Client) -> None:
    def window(name: str, **options: Any) -> tuple[int, int]:
        one = open_engine(
            name,
            client=client.open_provider_client(),
            url="http://127.0.0.1:1/v1",
            key=KEY,
            options=EngineOptions(**options),
        )
        return one.window, one.reserved

    assert window("openai:gpt-4o") == (128_000, 4_096)
    assert window("anthropic:claude-sonnet-4-6")[0] >= 200_000
    assert window("compatible:nobody-knows") == (32_768, 4_096)
    assert window("compatible:nobody-knows", window=8_000, reply=1_000) == (8_000, 1_000)
    # Ollama cuts what is too long without a word, at 4,096 tokens unless it is told otherwise.
    assert window("ollama:llama3.1") == (4_096, 2_048)
    assert window("ollama:llama3.1", window=32_768) == (32_768, 4_096)


@each_row(
    ("text", "tokens"),
    [
        # Counted by the tokenizer of SmolLM2, which has a token for every figure.
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("Colchicine reduced recurrent pericarditis.", 8),
        ("hazard ratio 0.64 (95% CI 0.49-0.84; P<0.001)", 31),
        ("心房細動", 4),
        ("", 0),
    ],
)
def test_tokens_are_rather_over_than_underestimated(text: str, tokens: int) -> None:
    assert tokens <= estimate_tokens(text) <= 4 * tokens + 4


def test_more_text_never_has_fewer_tokens() -> None:
    text = "Warfarin, 5 mg – Vorhofflimmern 心房細動 😀 фибрилляция"
    counts = [estimate_tokens(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)


def test_a_model_that_a_test_forgot_is_not_asked(client: Client) -> None:
    import asyncio

    carrier = client.open_provider_client()
    forgotten = open_engine("openai:gpt-4o", client=carrier, key=KEY, options=EngineOptions())
    with pydantic_ai_models.override_allow_model_requests(False), pytest.raises(RuntimeError, match="not allowed"):
        asyncio.run(forgotten.ask(RenderedPrompt("Say.", "something"), Found))
    assert client.ledger.contacts == []


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.__name__)
@pytest.mark.parametrize("output", ["schema", pytest.param("tools", marks=pytest.mark.nightly)])
async def test_the_reply_to_every_prompt_has_a_form_that_providers_take(
    client: Client, prompt: type[Prompt[Any]], output: Any
) -> None:
    for name, api in (
        ("openai:gpt-4o", OpenAIResponses()),
        ("openai-chat:gpt-4o", OpenAIChat()),
        ("anthropic:claude-sonnet-4-6", Claude()),
        ("google:gemini-2.5-flash", Gemini()),
    ):
        provider = Provider(api, Writes('{"nothing": "of the kind"}'))
        options = EngineOptions(output=output)
        with serving(provider) as served, pydantic_ai_models.override_allow_model_requests(True):
            one = open_engine(name, client=client.open_provider_client(), url=served.url, key=KEY, options=options)
            with pytest.raises(UnparsableReply):
                await one.ask(RenderedPrompt("Say.", "something"), prompt.reply)
        assert len(provider.bodies) == 2


def test_a_schema_that_may_be_left_out_of_is_one_that_the_servers_here_refuse() -> None:
    with pytest.raises(BadRequest, match="must name every property"):
        strict({"type": "object", "additionalProperties": False, "properties": {"a": {}}, "required": []})


async def test_an_overload_told_in_the_middle_of_a_stream_is_asked_again(client: Client) -> None:
    number = counting_from()

    class Overloaded(Provider):
        def _said(self, asked: Asked, body: Any, does: Any) -> Said:
            if next(number):
                return super()._said(asked, body, does)
            first, second, third, *_ = self.api.events(body, does)
            error = packed(self.api.error(529, "Overloaded"))
            said = b"".join((first, second, third, b"event: error\ndata: ", error, b"\n\n"))
            return Said([said], type="text/event-stream")

    provider = Overloaded(Claude(), Writes('{"number": 3}'))
    with serving(provider) as served, pydantic_ai_models.override_allow_model_requests(True):
        one = open_engine(
            "anthropic:claude-sonnet-4-6",
            client=client.open_provider_client(),
            url=served.url,
            key=KEY,
            options=EngineOptions(),
        )
        answer = await one.ask(RenderedPrompt("Say.", "something"), Found, lambda _: None)
        assert answer.reply == Found(number=3)
        patient = EngineOptions(attempts=1)
        number = counting_from()
        one = open_engine(
            "anthropic:claude-sonnet-4-6",
            client=client.open_provider_client(),
            url=served.url,
            key=KEY,
            options=patient,
        )
        with pytest.raises(ModelUnavailable, match="Overloaded"):
            await one.ask(RenderedPrompt("Say.", "something"), Found, lambda _: None)


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_no_library_of_a_provider_is_loaded_before_an_engine_is_made() -> None:
    heavy = ["pydantic_ai", "openai", "anthropic", "google.genai", "httpx", "httpx2"]
    code = f"import sys, wellsourced.models.providers.engine\nprint([name for name in {heavy} if name in sys.modules])"
    assert python(code).strip() == "[]"


def test_what_is_not_installed_is_told_with_how_to_install_it() -> None:
    code = """
import sys
sys.modules["pydantic_ai"] = sys.modules["openai"] = None  # as if they were not there
from wellsourced.errors import SettingsError
from wellsourced.models.base import EngineOptions
from wellsourced.models.providers.engine import open_engine
try:
    open_engine("ollama:llama3.1", client=None, options=EngineOptions())
except SettingsError as error:
    print(error)
"""
    assert python(code).strip() == ("ollama:llama3.1 needs packages that are not installed.")
