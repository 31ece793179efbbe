"""Results as a terminal shows them."""

from wellsourced.app.messages import spell_next_step
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import Block, Presentation
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.types import Answer


def terminal_text(answer: Answer, page: TerminalPage) -> str:
    return write_terminal(build_answer(answer), page, spell_next_step)


def write_lines(blocks: list[Block], page: TerminalPage) -> list[str]:
    return write_terminal(Presentation("", tuple(blocks)), page, spell_next_step).splitlines()
