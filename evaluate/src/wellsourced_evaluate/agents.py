"""One prompt put to a language model by itself: what it is shown comes as people write it, what it replies is typed.

The prompts are those of the pipeline (`wellsourced.prompts`), with a user's own instructions where the settings name
any. A question may be its text alone, a passage its text, or an object with `id` and `text`.
"""

import asyncio
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, InstanceOf, ValidationError
from pydantic.fields import FieldInfo

from wellsourced import config
from wellsourced.errors import ModelError, NotFoundError
from wellsourced.events import Emit
from wellsourced.models.base import Prompt, Reply, complete_or_error
from wellsourced.prompts.instructions import list_prompts
from wellsourced.types import Evidence, Passage, Question, Value
from wellsourced_evaluate.recorded_rows import describe_fault

Agent = type[Prompt[Any]]


class AgentRow(Value):
    """A row for an agent: its id, where it has one, and what is asked."""

    id: Any = None
    prompt: InstanceOf[Prompt[Any]]


class AgentCard(NamedTuple):
    """A prompt as it is listed: what it is shown ("[patient]": may be left out), what it replies, what it asks for."""

    name: str
    shown: str
    reply: str
    asks: str


def describe_agents() -> list[AgentCard]:
    """Every prompt of the pipeline, in the order of a question's path."""
    found = []
    for name, kind in list_prompts().items():
        kind.model_rebuild()
        shown = (one if field.is_required() else f"[{one}]" for one, field in kind.model_fields.items())
        asks = kind.instruction().partition("\n\n")[0].replace("\n", " ")
        found.append(AgentCard(name, ", ".join(shown), ", ".join(kind.reply.model_fields), asks))
    return found


def find_agent(name: str) -> Agent:
    """The prompt of this name, or of the only one with this word in its name. Raises NotFoundError."""
    agents = list_prompts()
    exact = [one for one in agents if one.casefold() == name.casefold()]
    near = exact or [one for one in agents if name.casefold() in one.casefold()]
    if len(near) != 1:
        which = f"Which of {', '.join(near)}?" if near else f"There are {', '.join(agents)}."
        raise NotFoundError(f"No prompt “{name}”. {which}")
    return agents[near[0]]


def build_prompt(kind: Agent, row: Mapping[str, Any]) -> Prompt[Any]:
    """The prompt with what it is to show. Raises ValueError that names the field which is missing or wrong."""
    kind.model_rebuild()
    if unknown := [name for name in row if name not in kind.model_fields]:
        raise ValueError(f"{unknown[0]}: {kind.__name__} shows {', '.join(kind.model_fields)}")
    given = {name: _complete(value, kind.model_fields[name].annotation) for name, value in row.items()}
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise ValueError(describe_fault(error)) from error


def _complete(value: Any, wanted: Any) -> Any:
    """A value in the form that a type has it in, where people write less: a text for a question or a passage."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return _complete(value, next(part for part in parts if part is not type(None)))
    if origin is tuple and isinstance(value, str | list):
        return [_complete(one, parts[0]) for one in ([value] if isinstance(value, str) else value)]
    if wanted is Question and isinstance(value, str):
        return {"text": value}
    if wanted is Passage and (isinstance(value, str) or (isinstance(value, dict) and "reference" not in value)):
        row = {"text": value} if isinstance(value, str) else value
        text = str(row.get("text", ""))
        reference = {"id": str(row.get("id") or "given"), "title": str(row.get("title", ""))}
        return {"reference": reference, "text": text, "start": 0, "end": len(text)}
    if wanted is Evidence and (isinstance(value, str) or (isinstance(value, dict) and "passage" not in value)):
        return {"passage": _complete(value, Passage), "relevance": 1.0}
    fields: dict[str, FieldInfo] = getattr(wanted, "model_fields", {})
    if fields and isinstance(value, dict):
        return {name: _complete(one, fields[name].annotation) if name in fields else one for name, one in value.items()}
    return value


async def ask_agent(prompts: Sequence[Prompt[Any]], settings: config.Settings, emit: Emit) -> list[Reply | ModelError]:
    """The reply to each, in order; all are asked at the same time, as far as the model takes them."""
    async with config.open_context(settings, emit=emit) as context:
        replies = await asyncio.gather(*(complete_or_error(context.model, prompt) for prompt in prompts))
    return [*replies]


def read_reply(prompt: Prompt[Any], reply: BaseModel) -> Any:
    """The reply as JSON has it; the short names of passages that a model is shown are ids again."""
    names = {one.key: one.reference.id for one in _list_passages(prompt)}

    def restore(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: restore(one) for name, one in value.items()}
        if isinstance(value, list):
            return [restore(one) for one in value]
        return names.get(value, value) if isinstance(value, str) else value

    return restore(reply.model_dump(mode="json"))


def _list_passages(value: Any) -> Sequence[Passage]:
    if isinstance(value, Passage):
        return [value]
    if isinstance(value, BaseModel):
        return _list_passages([getattr(value, name) for name in type(value).model_fields])
    return [one for part in value for one in _list_passages(part)] if isinstance(value, list | tuple) else []
