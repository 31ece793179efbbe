"""A draft as it is written: the text of its statements, read out of JSON that is not finished yet."""

from typing import Any

from pydantic_core import from_json

from wellsourced.events import DraftProgress, Emit
from wellsourced.models.base import OnPartialReply, Prompt
from wellsourced.prompts.checking import Repair
from wellsourced.prompts.writing import Draft


def is_streamable(prompt: Prompt[Any]) -> bool:
    """Whether its reply is a draft that somebody can watch.

    A repair is a part of one, and of several drafts of one question the first is shown: two at once are none.
    """
    return issubclass(prompt.reply, Draft) and not isinstance(prompt, Repair) and not getattr(prompt, "seed", 0)


def draft_progress_listener(tell: Emit) -> OnPartialReply:
    """Tells the text of the statements whenever there is more of it."""
    told = ""

    def on_partial_reply(reply: str) -> None:
        nonlocal told
        text = read_partial_statements(reply)
        if text and text != told:
            told = text
            tell(DraftProgress(text=text))

    return on_partial_reply


def read_partial_statements(reply: str) -> str:
    """The text of the statements in a draft's JSON as far as it goes, one a line; "" when none can be read."""
    try:
        draft = from_json(reply, allow_partial="trailing-strings")
    except ValueError:
        return ""
    statements = draft.get("statements") if isinstance(draft, dict) else None
    said = statements if isinstance(statements, list) else []
    texts = (one.get("text") for one in said if isinstance(one, dict))
    return "\n".join(text for text in texts if isinstance(text, str) and text)
