"""What chat front ends and assistants (MCP) get of a result: Markdown that is short, or plain lines that say all."""

from collections.abc import Callable, Iterator

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import CitedWork, Detail, Locator, Presentation, skip_step
from wellsourced.presentation.markdown import MarkdownOptions, write_markdown
from wellsourced.presentation.wording import is_web_address, name_place
from wellsourced.text.sanitization import sanitize_line

SHORT: tuple[Detail, ...] = ("short",)


def write_chat_message(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in a message without quotes: statements, what to know before acting on them, references."""
    return write_markdown(presentation, MarkdownOptions(SHORT, spell_step=spell_step))


def list_citations(presentation: Presentation, message: str) -> Iterator[tuple[int, CitedWork]]:
    """Where each number begins in a message, work by work."""
    # Foreign text cannot hold "[1]": writers escape it.
    for block in presentation.blocks:
        for work in block.entries if isinstance(block, blocks.References) else ():
            start = message.find(f"[{work.number}]")
            while start >= 0:
                yield start, work
                start = message.find(f"[{work.number}]", start + 1)


def write_tool_text(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in plain lines: what must come first is first, quotes are word for word, with how to open them."""
    return write_markdown(
        presentation, MarkdownOptions(escape=_write_plain, name_place=_name_passage, spell_step=spell_step)
    )


def _write_plain(text: str) -> str:
    # An assistant repeats quotes: backslashes would change their words. In one line they cannot pose as structure.
    return blocks.escape_citation_marks(sanitize_line(text))


def _name_passage(locator: Locator) -> str:
    """The place in a work, the id by which the tool `open` shows it, and the address on the web."""
    link = locator.link if is_web_address(locator.link) else ""
    opened = f"open: {locator.document}#{locator.start}-{locator.end}"
    return ", ".join(filter(None, (name_place(locator), opened, link)))
