"""What chat front ends show of a result: short Markdown without quotes, and the work behind each number in it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Detail, Presentation, References, skip_step
from wellsourced.presentation.markdown import MarkdownOptions, write_markdown
from wellsourced.presentation.wording import is_web_address

SHORT: tuple[Detail, ...] = ("short",)


class CitedStretch(NamedTuple):
    """Where a number is in the text, text[start:end], and the work that it is of."""

    start: int
    end: int
    title: str
    link: str


def write_chat_message(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in a message: statements, what to know before acting on them, references."""
    return write_markdown(presentation, MarkdownOptions(details=SHORT, spell_step=spell_step))


def list_citations(presentation: Presentation, message: str) -> Iterator[CitedStretch]:
    """Each number in a message, work by work; a work without a web address has no link."""
    # Foreign text cannot hold "[1]": writers escape it.
    for block in presentation.blocks:
        for entry in block.entries if isinstance(block, References) else ():
            mark, start = f"[{entry.number}]", 0
            while (start := message.find(mark, start)) >= 0:
                link = entry.link if is_web_address(entry.link) else ""
                yield CitedStretch(start, start + len(mark), entry.title, link)
                start += len(mark)
