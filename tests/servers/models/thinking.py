"""A provider whose model replies to what it is asked, and can be made to err in one way.

Its words are those of `benchmarks.simulated_engine`: copied from what the request shows. What it is asked for it knows
by the name of the form in the request alone, and what it is shown by the request's text alone, as a real one does.
"""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any, TypeAlias

from benchmarks.simulated_engine import SimulatedEngine
from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from wellsourced.models.base import RenderedPrompt, Reply
from wellsourced.models.reply_parsing import describe_form
from wellsourced.prompts.evidence import ArticlesReply, NotesReply, RelevanceReply
from wellsourced.prompts.instructions import list_prompts
from wellsourced.prompts.planning import EnglishQuestion
from wellsourced.prompts.verification import ConsistencyReply, RepairReply
from wellsourced.prompts.writing import Draft, DraftStatement

REPLIES: dict[str, type[Reply]] = {kind.reply.__name__: kind.reply for kind in list_prompts().values()}

Twist: TypeAlias = Callable[[Reply], Reply]
"""What becomes of a reply before it is sent."""

PREFACE = "According to this source, "
DENIAL = "There is no evidence that the following holds: "

_NUMBER = re.compile(r"\d+")
_OPPOSITES = {"increase": "reduce", "reduce": "increase", "lower": "raise", "improve": "worsen", "high": "low"}
_VERB = re.compile(r"\b(is|are|was|were|should|can|may)\b")


class Thinking:
    """Chat completions as strict as OpenAI's, or as another server's, from a model that reads what it is shown.

    seconds   that each reply takes
    api       how the server speaks
    key       that every request has to bring; "": none
    twists    what becomes of each reply, in this order
    bodies    the JSON of every request, as it came
    """

    def __init__(self, *twists: Twist, seconds: float = 0.0, key: str = "", api: OpenAIChat | None = None) -> None:
        self.key, self.bodies, self._api = key, list[Body](), api or OpenAIChat()
        self._twists, self._model = twists, SimulatedEngine(seconds)

    def __call__(self, asked: Asked) -> Said:
        body = json.loads(asked.body)
        self.bodies.append(body)
        return Provider(self._api, self.writes(body), key=self.key)(asked)

    @property
    def forms(self) -> list[str]:
        """The names of the forms that were asked for, in order."""
        return [form_of(body) for body in self.bodies]

    @property
    def heard(self) -> str:
        """Everything that it was ever told, in one text."""
        return "\n".join(json.dumps(body, ensure_ascii=False) for body in self.bodies)

    def writes(self, body: Body) -> Writes:
        """What the model makes of a request."""
        said = asyncio.run(self._model.ask(wording_of(body), REPLIES[form_of(body)]))
        reply = said.reply
        for twist in self._twists:
            reply = twist(reply)
        return Writes(reply.model_dump_json(), tokens_in=said.tokens_in, tokens_out=said.tokens_out)


def form_of(body: Body) -> str:
    """The name of the form that the reply is to have: of the tool to be called, of the schema, or as words describe."""
    for tool in body.get("tools") or []:
        return str(tool["function"]["name"])
    if schema := body.get("response_format", {}).get("json_schema"):
        return str(schema["name"])
    said = "\n".join(message["content"] for message in body["messages"])
    return next(name for name, kind in REPLIES.items() if describe_form(kind) in said)


def wording_of(body: Body) -> RenderedPrompt:
    """What is asked, and what is shown."""
    said = [(message["role"], message["content"]) for message in body["messages"]]
    asked = "\n".join(content for role, content in said if role in ("system", "developer"))
    return RenderedPrompt(asked, "\n".join(content for role, content in said if role == "user"))


# --- twists --------------------------------------------------------------------------------------------------------


def _rewritten(change: Callable[[int, DraftStatement], str]) -> Twist:
    """Each statement of a draft or a repair, by its place, in other words; its quotes as they were."""

    def twist(reply: Reply) -> Reply:
        if not isinstance(reply, Draft | RepairReply):
            return reply
        said = tuple(one.model_copy(update={"text": change(place, one)}) for place, one in enumerate(reply.statements))
        return reply.model_copy(update={"statements": said})

    return twist


def _in_its_words(_: int, one: DraftStatement) -> str:
    return PREFACE + one.text


paraphrasing = _rewritten(_in_its_words)
"""Says of every statement where it has it from: another wording, and the same claim."""


def lying(*places: int) -> Twist:
    """Says something else than its quotes in the statements at these places of every draft; in all when none is named.

    The first number of a statement is another, or a direction is turned round, or a “not” is put in; where there is
    nothing to change a number is made up.
    """
    return _rewritten(lambda place, one: false(one.text) if not places or place in places else one.text)


def false(text: str) -> str:
    """The statement with one thing in it changed that makes it untrue of what it was copied from."""
    if number := _NUMBER.search(text):
        return text[: number.start()] + str(int(number.group()) + 7) + text[number.end() :]
    for word, other in _OPPOSITES.items():
        if word in text:
            return text.replace(word, other, 1)
    if verb := _VERB.search(text):
        return f"{text[: verb.end()]} not{text[verb.end() :]}"
    return f"{text} in 77% of patients"


def _denied(_: int, one: DraftStatement) -> str:
    return DENIAL + one.text


denying = _rewritten(_denied)
"""Says that there is no evidence for what its quotes say."""


def contradicting(reply: Reply) -> Reply:
    """Says of every claim that its passage contradicts it, and shows the words."""
    if not isinstance(reply, ConsistencyReply):
        return reply
    items = (one.model_copy(update={"label": "contradicts"}) for one in reply.items)
    return ConsistencyReply(items=tuple(items))


def indifferent(reply: Reply) -> Reply:
    """Finds that no passage bears on the question, that no part says anything of it, and that nothing can be said."""
    if isinstance(reply, RelevanceReply | ArticlesReply):
        said = tuple(one.model_copy(update={"bears": "no", "quote": ""}) for one in reply.items)
        return reply.model_copy(update={"items": said})
    if isinstance(reply, NotesReply):
        return NotesReply(nothing=True)
    return reply.model_copy(update={"statements": ()}) if isinstance(reply, Draft) else reply


def speaking(language: str, preface: str, english: str) -> Twist:
    """Knows this language: puts whatever is asked into that English, and begins each statement with words of its own.

    english   the question, as it is to be searched for
    """
    writing: Callable[[Reply], Reply] = _rewritten(lambda _, one: f"{preface} {one.text}")

    def twist(reply: Reply) -> Reply:
        if isinstance(reply, EnglishQuestion):
            return EnglishQuestion(question=english, language=language)
        return writing(reply)

    return twist


def saying(**values: Any) -> Twist:
    """Gives these fields of a reply, whatever it was asked, where the reply has them."""

    def twist(reply: Reply) -> Reply:
        named = {name: value for name, value in values.items() if name in type(reply).model_fields}
        return type(reply).model_validate(reply.model_dump() | named) if named else reply

    return twist
