"""What is said to a model when it is probed: a question, to be answered with the addresses of its sources."""

from wellsourced.models.base import Prompt, Reply
from wellsourced.types import Value


class SourcedStatement(Value):
    """One statement, and the complete addresses of the pages that it rests on."""

    text: str
    addresses: tuple[str, ...] = ()


class SourcedAnswerReply(Reply):
    """The statements in their order; `refusal` says why, where the question is not answered."""

    statements: tuple[SourcedStatement, ...] = ()
    refusal: str = ""


class AskWithSources(Prompt[SourcedAnswerReply]):
    """Answer this medical question in two to five statements, and give with each the web addresses that it rests on.

    A statement is one sentence that can be understood and checked alone. An address is complete (https://…) and leads
    to the page itself that says what the statement says, not to a search or to the front page of a site. If you will
    not answer the question, say why as the refusal. Where you are told what your first reply lacked, give it now.
    """

    question: str
    lack: str = ""
