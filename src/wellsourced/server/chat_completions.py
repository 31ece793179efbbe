"""The API of chat front ends (OpenAI's chat completions): the last message is the question, the answer is cited."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from secrets import token_hex
from time import time
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from wellsourced.api import ask
from wellsourced.errors import QuestionError
from wellsourced.events import Emit
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.markdown import list_citations, write_chat_message
from wellsourced.presentation.wording import is_web_address
from wellsourced.server import messages as words
from wellsourced.server.front_end_tasks import answer_front_end_task, strip_documents
from wellsourced.server.problems import UNSUPPORTED, HttpProblem, RefusedRequest, describe_logged
from wellsourced.server.requests import OPENAI_PROBLEMS, RequestContext, RequestKey, SentRequest, stream_events
from wellsourced.types import Answer, Question, Turn, Usage

MODEL = "wellsourced"

chat = APIRouter(prefix="/v1", responses=OPENAI_PROBLEMS, tags=["Chat front ends"])


def _allow(reason: str, *allowed: object) -> BeforeValidator:
    """Refuse every other value of a parameter, and say why; null, and what is empty, asks for nothing."""

    def check(value: object) -> object:
        if value is None or value in allowed or value in ([], {}, "") or value is False:
            return value
        raise PydanticCustomError(UNSUPPORTED, reason)

    return BeforeValidator(check)


def _require_text(kind: object) -> object:
    if isinstance(kind, str) and kind not in ("text", "refusal"):
        reason = words.REFUSED_PARTS.get(kind, words.REFUSED_PART)
        raise PydanticCustomError(UNSUPPORTED, reason)
    return kind


class ChatPart(BaseModel):
    """A part of a message. Only texts are read; images, audio and files are refused."""

    type: Annotated[Literal["text", "refusal"], BeforeValidator(_require_text)] = Field(description="Kind of the part.")
    text: str = Field("", description="The words of a part of kind text.")


class ChatMessage(BaseModel):
    """A message of the chat."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="Who sent it. Only what user and assistant said is read."
    )
    content: str | list[ChatPart] | None = Field(None, description="Its words, or its parts.")

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """Settings of a stream."""

    include_usage: bool = Field(False, strict=True, description="Send the tokens used, before the end.")
    include_obfuscation: bool = Field(False, description="Accepted, without effect.")


class SamplingSettings(BaseModel):
    """What front ends send to steer how a language model writes. It has no effect: the server's settings decide, and an
    answer whose quotes were checked is not cut."""

    temperature: float | None = Field(None, ge=0, le=2, description="Accepted, without effect.")
    top_p: float | None = Field(None, ge=0, le=1, description="Accepted, without effect.")
    frequency_penalty: float | None = Field(None, ge=-2, le=2, description="Accepted, without effect.")
    presence_penalty: float | None = Field(None, ge=-2, le=2, description="Accepted, without effect.")
    seed: int | None = Field(None, description="Accepted, without effect.")
    max_tokens: int | None = Field(None, ge=1, description="Accepted, without effect.")
    max_completion_tokens: int | None = Field(None, ge=1, description="Accepted, without effect.")
    reasoning_effort: str | None = Field(None, description="Accepted, without effect.")
    verbosity: str | None = Field(None, description="Accepted, without effect.")
    parallel_tool_calls: bool | None = Field(None, description="Accepted, without effect.")
    service_tier: str | None = Field(None, description="Accepted, without effect.")
    prompt_cache_key: str | None = Field(None, description="Accepted, without effect.")
    user: str | None = Field(None, description="Accepted, without effect.")
    safety_identifier: str | None = Field(None, description="Accepted, without effect.")
    metadata: dict[str, Any] | None = Field(None, description="Accepted, without effect.")


class ChatRequest(SamplingSettings):
    """A chat as front ends send it. System messages are not read. What cannot be had is refused by its name."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"messages": [{"role": "user", "content": "How is acute gout treated?"}]}]},
    )

    model: str = Field(MODEL, description="Id of the model: GET /v1/models lists it.")
    messages: list[ChatMessage] = Field(
        min_length=1, max_length=1_000, description="The chat so far; the last message is the question."
    )
    stream: bool | None = Field(False, strict=True, description="Send the answer as server-sent events.")
    stream_options: StreamOptions | None = Field(None, description="Settings of a stream.")
    n: Annotated[Literal[1] | None, _allow(words.ONE_ANSWER, 1)] = Field(None, description="Answers: one.")
    tools: Annotated[list[Any] | None, _allow(words.NO_TOOLS)] = Field(
        None, max_length=0, description="Refused: none are called."
    )
    tool_choice: Annotated[Literal["none", "auto"] | None, _allow(words.NO_TOOLS, "none", "auto")] = Field(
        None, description="Accepted, without effect."
    )
    functions: Annotated[list[Any] | None, _allow(words.NO_TOOLS)] = Field(
        None, max_length=0, description="Refused, like tools."
    )
    function_call: Annotated[Literal["none", "auto"] | None, _allow(words.NO_TOOLS, "none", "auto")] = Field(
        None, description="Accepted, without effect."
    )
    response_format: Annotated[dict[str, Any] | None, _allow(words.ONLY_MARKDOWN, {"type": "text"})] = Field(
        None, description="Only text; the whole answer as JSON is in `wellsourced` of the reply."
    )
    stop: Annotated[list[str] | Literal[""] | None, _allow(words.NO_STOP)] = Field(
        None, max_length=0, description="Refused: an answer is not cut."
    )
    logprobs: Annotated[Literal[False] | None, _allow(words.NO_LOGPROBS, 0)] = Field(None, description="Refused.")
    top_logprobs: Annotated[Literal[0] | None, _allow(words.NO_LOGPROBS, 0)] = Field(None, description="Refused.")
    logit_bias: Annotated[dict[str, Any] | None, _allow(words.NO_LOGPROBS, 0)] = Field(
        None, max_length=0, description="Refused."
    )
    modalities: Annotated[list[Literal["text"]] | None, _allow(words.ONLY_TEXT, ["text"])] = Field(
        None, description="Only text."
    )
    audio: Annotated[None, _allow(words.ONLY_TEXT, ["text"])] = Field(None, description="Refused: answers are texts.")
    prediction: Annotated[None, _allow(words.NO_PREDICTION)] = Field(None, description="Refused.")
    web_search_options: Annotated[dict[str, Any] | None, _allow(words.NO_WEB_OPTIONS)] = Field(
        None, max_length=0, description="Refused: the server's settings say what is searched."
    )
    store: Annotated[Literal[False] | None, _allow(words.NOT_STORED)] = Field(None, description="Refused.")

    def list_turns(self) -> list[ChatMessage]:
        """What user and assistant said. Raises QuestionError where the last is not a user's."""
        said = [message for message in self.messages if message.role in ("user", "assistant")]
        if not said or said[-1].role != "user":
            raise QuestionError(words.NO_USER_MESSAGE)
        return said

    def to_question(self) -> Question:
        """The last message, after those before it. Raises QuestionError for an empty one."""
        *before, last = self.list_turns()
        turns = (Turn(role="user" if message.role == "user" else "assistant", text=message.text) for message in before)
        return tidy_question(Question(text=strip_documents(last.text), history=tuple(turns)))


class ModelCard(BaseModel):
    """A model that a front end can choose."""

    id: str = Field(MODEL, description="Its name in `model` of a request.")
    object: Literal["model"] = Field("model", description="Kind of this object.")
    created: int = Field(0, description="Always 0.")
    owned_by: str = Field(MODEL, description="Whose it is.")


class ModelList(BaseModel):
    """The models of this server."""

    object: Literal["list"] = Field("list", description="Kind of this object.")
    data: tuple[ModelCard, ...] = Field((ModelCard(),), description="The one model.")


@chat.get("/models", summary="List the one model")
async def list_models() -> ModelList:
    """What a front end offers to choose from."""
    return ModelList()


@chat.get("/models/{model:path}", summary="Look up a model")
async def read_model(model: Annotated[str, Path(description="Id of the model.")]) -> ModelCard:
    """The one model. Any other name gets 404."""
    require_model(model)
    return ModelCard()


def require_model(name: str) -> None:
    """Raise RefusedRequest for the name of another model."""
    if name != MODEL:
        detail = words.NO_MODEL.format(name=name[:80], model=MODEL)
        raise RefusedRequest(HttpProblem(404, "Not found", detail, param="model", code="model_not_found"))


class ChatReply(NamedTuple):
    """What is said in a chat: Markdown, the works behind its numbers, and the answer that was made for it."""

    content: str
    annotations: list[dict[str, Any]]
    answer: Answer | None = None

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of language models."""
        spent = self.answer.spent if self.answer else Usage()
        total = spent.tokens_in + spent.tokens_out
        return {"prompt_tokens": spent.tokens_in, "completion_tokens": spent.tokens_out, "total_tokens": total}


@chat.post(
    "/chat/completions",
    summary="Answer the last message of a chat",
    response_model=dict[str, Any],
    responses={200: {"content": {"text/event-stream": {}}, "description": "The answer, or its parts as a stream"}},
)
async def complete_chat(asked: ChatRequest, sent: SentRequest, key: RequestKey = "") -> Response:
    """The answer as Markdown with numbered marks, `annotations` with the address behind each, and in `wellsourced` the
    whole answer. With `stream` the words come when all of them have been checked, and not before. Front ends ask for
    titles, tags and questions to ask next. These are given without a search, and cost nothing."""
    require_model(asked.model)
    reply = _prepare_reply(asked, sent, key)
    if asked.stream:
        return stream_events(_stream(reply, sent, bool(asked.stream_options and asked.stream_options.include_usage)))
    given = await reply()
    message = {"role": "assistant", "content": given.content, "refusal": None, "annotations": given.annotations}
    whole = {
        **_describe("chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": given.usage,
        **({"wellsourced": given.answer.model_dump(mode="json")} if given.answer else {}),
    }
    return Response(json.dumps(whole, ensure_ascii=False), media_type="application/json")


def _prepare_reply(asked: ChatRequest, sent: RequestContext, key: str) -> Callable[[], Awaitable[ChatReply]]:
    """What makes the reply. Raises QuestionError, and HTTPException where the quota is used up."""
    system = "\n".join(message.text for message in asked.messages if message.role == "system")
    task = answer_front_end_task(asked.list_turns()[-1].text, system)
    if task is not None:
        return partial(_give, ChatReply(task, []))
    question, new_run = asked.to_question(), partial(sent.new_run, "question")

    async def work(emit: Emit) -> Answer:
        return await ask(question, sent.context, emit)

    # What is not admitted gets a status of its own, not the end of a stream; a job may have been done long ago.
    charged = None if key else sent.charge_quota(work)

    async def answer() -> ChatReply:
        if charged:
            return write_message(await sent.finish_while_connected(new_run().perform(charged)))
        return write_message(await sent.answer_once(asked, key, new_run, work))

    return answer


async def _give(reply: ChatReply) -> ChatReply:
    return reply


async def _stream(
    reply: Callable[[], Awaitable[ChatReply]], sent: RequestContext, wants_usage: bool
) -> AsyncIterator[str]:
    described = _describe("chat.completion.chunk")

    def write(choices: list[dict[str, Any]], **more: Any) -> str:
        return f"data: {json.dumps({**described, 'choices': choices, **more}, ensure_ascii=False)}\n\n"

    def write_delta(delta: dict[str, Any], reason: str | None = None) -> str:
        # Who wants the usage gets it in a chunk without choices, and null in all others.
        null = {"usage": None} if wants_usage else {}
        return write([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}], **null)

    yield write_delta({"role": "assistant", "content": ""})
    try:
        given = await reply()
    # The status was sent long ago: a client reads what went wrong in the stream.
    except Exception as error:
        problem = describe_logged(sent.request.scope, error)
        yield f"data: {json.dumps(problem.to_openai(), ensure_ascii=False)}\n\n"
        return
    yield write_delta({"content": given.content})
    yield write_delta({"annotations": given.annotations}, "stop")
    if wants_usage:
        yield write([], usage=given.usage)
    yield "data: [DONE]\n\n"


def write_message(answer: Answer) -> ChatReply:
    """Write an answer as a message, each number in it with the work behind it."""
    shown = build_answer(answer)
    content = write_chat_message(shown, lambda step: words.spell_next_step(step, words.CHAT_STEPS))
    citations = (
        {
            "start_index": start,
            "end_index": start + len(f"[{work.number}]"),
            "url": work.link if is_web_address(work.link) else "",
            "title": work.title,
        }
        for start, work in list_citations(shown, content)
    )
    return ChatReply(content, [{"type": "url_citation", "url_citation": citation} for citation in citations], answer)


def _describe(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{token_hex(12)}", "object": kind, "created": int(time()), "model": MODEL}
