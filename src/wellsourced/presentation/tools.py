"""What assistants read of a result (MCP): statements with their quotes, addresses and places, and what is missing."""

from collections.abc import Callable

from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Locator, Presentation, escape_citation_marks, skip_step
from wellsourced.presentation.markdown import MarkdownOptions, write_markdown
from wellsourced.presentation.wording import is_web_address, name_place
from wellsourced.text.sanitization import sanitize_line


def write_tool_text(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in plain lines: what must come first is first, quotes are word for word, with how to open them."""
    options = MarkdownOptions(escape=_write_plain, name_place=_name_passage, spell_step=spell_step)
    return write_markdown(presentation, options)


def _write_plain(text: str) -> str:
    # An assistant repeats quotes: backslashes would change their words. In one line they cannot pose as structure.
    return escape_citation_marks(sanitize_line(text))


def _name_passage(locator: Locator) -> str:
    """The place in a work, the id by which the tool `open` shows it, and the address on the web."""
    link = locator.link if is_web_address(locator.link) else ""
    opened = f"open: {locator.document}#{locator.start}-{locator.end}"
    return ", ".join(filter(None, (name_place(locator), opened, link)))
