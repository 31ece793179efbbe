"""The API of chat front ends (OpenAI's chat completions): the last message is the question, the answer is cited."""

import json
from collections.abc import AsyncIterator
from secrets import token_hex
from time import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from wellsourced.api import ask
from wellsourced.errors import QuestionError
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.markdown import list_citations, write_chat_message
from wellsourced.presentation.wording import is_web_address
from wellsourced.runs.live import Work
from wellsourced.server import messages
from wellsourced.server.requests import PROBLEMS, RequestContext, SentRequest
from wellsourced.types import Answer, Question, Turn

MODEL = "wellsourced"

chat = APIRouter(prefix="/v1", responses=PROBLEMS)


class ChatPart(BaseModel):
    """A part of a message; only texts are read."""

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """Something that was said."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[ChatPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class ChatRequest(BaseModel):
    """A chat as front ends send it. System messages and settings such as the temperature are ignored."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"examples": [{"messages": [{"role": "user", "content": "How is acute gout treated?"}]}]},
    )

    model: str = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1_000)]
    stream: bool = Field(False, strict=True)

    def to_question(self) -> Question:
        """The last message, after those before it. Raises QuestionError where the last is not a user's."""
        said = [one for one in self.messages if one.role in ("user", "assistant")]
        if not said or said[-1].role != "user":
            raise QuestionError(messages.NO_USER_MESSAGE)
        turns = [Turn(role="user" if one.role == "user" else "assistant", text=one.text) for one in said[:-1]]
        return tidy_question(Question(text=said[-1].text, history=tuple(turns)))


@chat.get("/models", summary="The one model that there is")
async def list_models() -> dict[str, Any]:
    """What a front end offers to choose from."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}]}


@chat.post(
    "/chat/completions",
    summary="Answer the last message of a chat",
    response_model=dict[str, Any],
    responses={200: {"content": {"text/event-stream": {}}, "description": "The answer, or its parts as a stream"}},
)
async def complete_chat(asked: ChatRequest, sent: SentRequest) -> Response:
    """The answer as Markdown with numbered marks, `annotations` with the address behind each, and in `wellsourced` the
    whole answer. With `stream` the words come when all of them have been checked, and not before."""
    question = asked.to_question()
    work = sent.charge_quota(lambda emit: ask(question, sent.context, emit))
    if asked.stream:
        return StreamingResponse(_stream(work, sent), media_type="text/event-stream")
    answer = await sent.finish_while_connected(sent.new_run("question").perform(work))
    content, annotations = write_message(answer)
    message = {"role": "assistant", "content": content, "refusal": None, "annotations": annotations}
    whole = {
        **_describe("chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _count_tokens(answer),
        "wellsourced": answer.model_dump(mode="json"),
    }
    return Response(json.dumps(whole, ensure_ascii=False), media_type="application/json")


async def _stream(work: Work[Answer], sent: RequestContext) -> AsyncIterator[str]:
    described = _describe("chat.completion.chunk")

    def write(delta: dict[str, Any], reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({**described, 'choices': [choice], **more}, ensure_ascii=False)}\n\n"

    yield write({"role": "assistant", "content": ""})
    answer = await sent.finish_while_connected(sent.new_run("question").perform(work))
    content, annotations = write_message(answer)
    yield write({"content": content})
    yield write({"annotations": annotations}, "stop", usage=_count_tokens(answer))
    yield "data: [DONE]\n\n"


def write_message(answer: Answer) -> tuple[str, list[dict[str, Any]]]:
    """The content of a message, and its annotations: each number in it with the work behind it."""
    shown = build_answer(answer)
    content = write_chat_message(shown, lambda step: messages.spell_next_step(step, messages.CHAT_STEPS))
    citations = (
        {
            "start_index": start,
            "end_index": start + len(f"[{work.number}]"),
            "url": work.link if is_web_address(work.link) else "",
            "title": work.title,
        }
        for start, work in list_citations(shown, content)
    )
    return content, [{"type": "url_citation", "url_citation": citation} for citation in citations]


def _describe(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{token_hex(12)}", "object": kind, "created": int(time()), "model": MODEL}


def _count_tokens(answer: Answer) -> dict[str, int]:
    spent = answer.spent
    total = spent.tokens_in + spent.tokens_out
    return {"prompt_tokens": spent.tokens_in, "completion_tokens": spent.tokens_out, "total_tokens": total}
