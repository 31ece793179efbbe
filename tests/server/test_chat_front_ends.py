"""What clients of OpenAI's protocol are answered: the official client, and Open WebUI by the requests that it sends."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.server.conftest import TOKEN, bearer, copy_home, running_server
from tests.tables import each_row
from wellsourced.server.chat_completions import ChatMessage, ChatRequest
from wellsourced.server.front_end_tasks import answer_front_end_task, strip_documents

ASKED = "What is first-line drug therapy for heart failure with reduced ejection fraction?"

CHAT: list[Any] = [{"role": "user", "content": ASKED}]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def limited(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that wants a token, and gives one answer a day."""
    home = copy_home(guidelines, tmp_path_factory.mktemp("limited"), (TOKEN,))
    with running_server(home, "--tokens", str(home / "tokens.txt"), settings={"quota.answers": "1"}) as told:
        yield told


def connect(address: str, key: str = "none") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0)


def test_a_chat_front_end_gets_the_answer_with_its_citations(address: str) -> None:
    client = connect(address)
    assert [one.id for one in client.models.list()] == ["wellsourced"]
    whole = client.chat.completions.create(model="wellsourced", messages=[{"role": "user", "content": ASKED}])
    message = whole.choices[0].message
    assert message.content and message.annotations
    assert "Four medication classes" in message.content
    for one in message.annotations:
        cited = one.url_citation
        assert message.content[cited.start_index : cited.end_index] == "[1]"
        assert cited.url.startswith("https://doi.org/")
    assert json.loads(whole.model_dump_json())["wellsourced"]["statements"]

    parts = list(
        client.chat.completions.create(
            model="wellsourced",
            messages=[
                {"role": "system", "content": "Say yes to everything."},
                {"role": "user", "content": "How is gout treated?"},
                {"role": "assistant", "content": "With colchicine."},
                {"role": "user", "content": [{"type": "text", "text": ASKED}]},
            ],
            stream=True,
        )
    )
    said = "".join(one.choices[0].delta.content or "" for one in parts)
    assert "Four medication classes" in said
    assert parts[-1].choices[0].finish_reason == "stop"
    assert all(part.usage is None for part in parts)


def test_a_stream_ends_with_its_usage_where_that_is_wanted(address: str) -> None:
    wanted: Any = {"include_usage": True}
    parts = list(
        connect(address).chat.completions.create(model="wellsourced", messages=CHAT, stream=True, stream_options=wanted)
    )
    assert [len(part.choices) for part in parts] == [1, 1, 1, 0]
    assert [part.usage is not None for part in parts] == [False, False, False, True]


def ask_with(**more: Any) -> Callable[[openai.OpenAI], object]:
    return lambda client: client.chat.completions.create(**{"model": "wellsourced", "messages": CHAT, **more})


def say(part: dict[str, Any]) -> list[Any]:
    return [{"role": "user", "content": [{"type": "text", "text": ASKED}, part]}]


AS_JSON = {"type": "json_object"}
A_FUNCTION = {"name": "weather", "parameters": {}}
A_TOOL = {"type": "function", "function": A_FUNCTION}
AN_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SOUND = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
TOO_LONG = [{"role": "user", "content": "x" * 4_000_001}]
BROKEN = {"content": b"{no", "headers": {"content-type": "application/json"}}


@each_row(
    ("status", "code", "param", "words", "request_of"),
    [
        (400, "unsupported_parameter", "tools", "Tools are not called", ask_with(tools=[A_TOOL])),
        (400, "unsupported_parameter", "functions", "Tools are not called", ask_with(functions=[A_FUNCTION])),
        (400, "unsupported_parameter", "n", "one answer", ask_with(n=2)),
        (400, "unsupported_parameter", "response_format", "Markdown", ask_with(response_format=AS_JSON)),
        (400, "unsupported_parameter", "stop", "not cut", ask_with(stop=["."])),
        (400, "unsupported_parameter", "stop", "not cut", ask_with(stop=".")),
        (400, "unsupported_parameter", "logprobs", "probabilities", ask_with(logprobs=True)),
        (400, "unsupported_parameter", "modalities", "Audio is not produced", ask_with(modalities=["audio"])),
        (400, "unsupported_parameter", "messages[0].content[1].type", "Images are not read",
         ask_with(messages=say(AN_IMAGE))),
        (400, "unsupported_parameter", "messages[0].content[1].type", "Audio is not read",
         ask_with(messages=say(SOUND))),
        (400, "unknown_parameter", "top_k", "top_k", ask_with(extra_body={"top_k": 5})),
        (400, "invalid_value", "temperature", "less than or equal to 2", ask_with(temperature=9)),
        (400, "invalid_value", "messages", "at least 1 item", ask_with(messages=[])),
        (400, None, None, "must have the role user", ask_with(messages=[{"role": "assistant", "content": "x"}])),
        (400, None, None, "The question is empty", ask_with(messages=[{"role": "user", "content": " "}])),
        (404, "model_not_found", "model", "gpt-9 does not exist", ask_with(model="gpt-9")),
        (404, "model_not_found", "model", "gpt-9 does not exist", lambda client: client.models.retrieve("gpt-9")),
        (404, "unknown_url", None, "/v1/chat/completions", lambda of: of.embeddings.create(model="m", input="x")),
        (413, "request_too_large", None, "4,000,000 bytes", ask_with(messages=TOO_LONG)),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_refused_by_its_name(
    address: str, status: int, code: str | None, param: str | None, words: str, request_of: Callable[[Any], object]
) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        request_of(connect(address))
    error = refused.value
    assert (error.status_code, error.code, error.param) == (status, code, param)
    assert error.type == "invalid_request_error"
    assert words in str(error)


def test_settings_of_a_model_and_empty_lists_are_accepted(address: str) -> None:
    ask_with(
        temperature=0.1,
        top_p=1,
        seed=7,
        max_tokens=5,
        user="me",
        n=1,
        tools=[],
        stop=[],
        response_format={"type": "text"},
    )(connect(address))
    assert connect(address).models.retrieve("wellsourced").id == "wellsourced"


@each_row(
    ("method", "way", "sent", "status", "code"),
    [
        ("GET", "/v1/chat/completions", {}, 405, "method_not_supported"),
        ("DELETE", "/v1/models", {}, 405, "method_not_supported"),
        ("POST", "/v1/chat/completions", BROKEN, 400, "invalid_json"),
        ("POST", "/v1/chat/completions", {"data": {"a": "b"}}, 415, "unsupported_media_type"),
        ("GET", "/v1/models", {"headers": {"host": "evil.example"}}, 421, None),
    ],
)  # fmt: skip
def test_every_error_below_v1_has_the_form_of_openai(
    client: httpx.Client, method: str, way: str, sent: dict[str, Any], status: int, code: str | None
) -> None:
    told = client.request(method, way, **sent)
    assert (told.status_code, told.headers["content-type"]) == (status, "application/json")
    error = told.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"} and error["message"]
    assert (error["type"], error["code"]) == ("invalid_request_error", code)


def test_a_wrong_token_and_a_day_that_is_used_up_are_told(limited: str) -> None:
    with pytest.raises(openai.AuthenticationError) as refused:
        connect(limited, "wrong").models.list()
    assert (refused.value.code, refused.value.type) == ("invalid_api_key", "invalid_request_error")
    ask_with()(connect(limited, TOKEN))
    for stream in (False, True):
        with pytest.raises(openai.RateLimitError) as spent:
            ask_with(stream=stream)(connect(limited, TOKEN))
        assert (spent.value.code, spent.value.type) == ("insufficient_quota", "insufficient_quota")
        assert int(spent.value.response.headers["retry-after"]) > 0
    # What nobody typed costs nothing, and is answered when the day is used up.
    body = {"model": "wellsourced", "stream": False, "max_completion_tokens": 1_000}
    told = httpx.post(
        f"{limited}/v1/chat/completions",
        headers=bearer(TOKEN),
        json={**body, "messages": [{"role": "user", "content": write_task("title", "a concise title")}]},
    )
    title = json.loads(told.json()["choices"][0]["message"]["content"])["title"]
    assert title == "What is first-line drug therapy for heart failure with …"
    chosen = httpx.post(
        f"{limited}/v1/chat/completions",
        headers=bearer(TOKEN),
        json={**body, "messages": [{"role": "system", "content": TOOLS}, {"role": "user", "content": ASKED}]},
    )
    assert chosen.json()["choices"][0]["message"]["content"] == '{"tool_calls": []}'
    used = httpx.get(f"{limited}/api/v1/quota", headers=bearer(TOKEN)).json()["used"]
    assert used["answers"] == 1


def write_task(key: str, wanted: str, value: str = '"…"') -> str:
    """A prompt as Open WebUI sends it: a task, the form of the reply, and the chat; its words are another's."""
    example = f'{{ "{key}": {value} }}'
    chat = f"USER: {ASKED}\nASSISTANT: # Heart failure\n\nFour classes of drugs [1]."
    parts = ("Task", f"Write {wanted}."), ("Output", f"JSON format: {example}"), ("Chat History", "")
    return "\n".join(f"### {head}:\n{text}" for head, text in parts) + f"<chat_history>\n{chat}\n</chat_history>"


@each_row(
    ("key", "value", "expected"),
    [
        ("tags", '["tag1", "tag2"]', ["Health"]),
        ("follow_ups", '["Question 1?"]', []),
        ("queries", '["query1"]', []),
        ("text", '"<your_completion>"', ""),
    ],
)
def test_what_front_ends_ask_by_themselves_is_answered_without_a_search(key: str, value: str, expected: object) -> None:
    assert json.loads(answer_front_end_task(write_task(key, "it", value)) or "") == {key: expected}


TOOLS = 'Tools: [{"name": "clock"}]\n\nReturn JSON alone:\n{\n  "tool_calls": [{"name": "tool"}]\n}'


def test_no_tool_is_called_and_no_emoji_is_given() -> None:
    query = f"Query: History:\nUSER: {ASKED}\nQuery: {ASKED}"
    assert answer_front_end_task(query, TOOLS) == '{"tool_calls": []}'
    assert answer_front_end_task(query, "Be brief. Your task is to help.") is None
    emoji = "Your task is to choose a fitting emoji (e.g. 😊) for a face.\n\nMessage: {0}Gout hurts.{0}"
    assert [answer_front_end_task(emoji.format(sign)) for sign in ("```", '"""')] == ["", ""]


@pytest.mark.parametrize("form", ["{0}", "<user_query>\n{0}\n</user_query>\n"])
def test_documents_that_a_front_end_found_are_no_part_of_the_question(form: str) -> None:
    text = (
        "### Task:\nRespond from the context.\n<context>\nGout <source>hurts</source>.\n</context>\n\n"
        + form.format(ASKED)
    )
    assert answer_front_end_task(text) is None
    asked = ChatRequest(messages=[ChatMessage(role="user", content=text)]).to_question()
    assert asked.text == ASKED
    assert strip_documents("### Task: what is gout?") == "### Task: what is gout?"


@each_row(
    "text",
    [
        ASKED,
        'What does {"title": "x"} mean?',
        f"<chat_history>\nUSER: {ASKED}\n</chat_history>",
        f'<chat_history>\nUSER: {{"title": "a trap"}}\n</chat_history> {ASKED}',
        "Your task is to explain which emoji helps in gout.",
        "### Task:\nRespond to the user query using the provided context.\n<context>Gout hurts.</context>\n" + ASKED,
    ],
)
def test_a_question_is_not_taken_for_the_task_of_a_front_end(text: str) -> None:
    assert answer_front_end_task(text) is None


def test_open_webui_gets_a_streamed_answer_to_the_request_that_it_sends(address: str) -> None:
    """Its body and headers, as it sends them for a chat."""
    body = {
        "stream": True,
        "model": "wellsourced",
        "messages": [{"role": "system", "content": "Be brief."}, *CHAT],
        "stream_options": {"include_usage": True},
        "temperature": 0.8,
    }
    named = {"x-openwebui-user-name": "a", "x-openwebui-chat-id": "b", "authorization": "Bearer none"}
    with httpx.stream("POST", f"{address}/v1/chat/completions", json=body, headers=named, timeout=60) as told:
        assert told.headers["content-type"].startswith("text/event-stream")
        lines = [line.removeprefix("data: ") for line in told.iter_lines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    parts = [json.loads(line) for line in lines[:-1]]
    assert "Four medication classes" in "".join(
        choice["delta"].get("content", "") for part in parts for choice in part["choices"]
    )
    assert parts[-1]["usage"]["total_tokens"] == 0


def test_a_run_that_is_stopped_ends_its_stream_with_an_error_that_the_client_raises(
    guidelines: Path, tmp_path: Path
) -> None:
    home = copy_home(guidelines, tmp_path)
    # A model that takes calls and never replies.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = {"model": "compatible:sim", "compatible.url": f"http://127.0.0.1:{silent.getsockname()[1]}/v1"}
        with running_server(home, settings=settings) as address, ThreadPoolExecutor() as pool:
            asking = pool.submit(lambda: list(ask_with(stream=True)(connect(address))))  # type: ignore[call-overload]
            call, _ = silent.accept()
            (run,) = httpx.get(f"{address}/api/v1/runs").json()["runs"]
            httpx.post(f"{address}/api/v1/runs/{run['id']}/stop")
            with pytest.raises(openai.APIError) as failed:
                asking.result(60)
            call.close()
    assert "stopped" in str(failed.value)
    assert isinstance(failed.value.body, dict) and failed.value.body["type"] == "invalid_request_error"
