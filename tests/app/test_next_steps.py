"""What to do next is said at the terminal, whatever it is."""

import shlex
from typing import get_args

import click

from tests.tables import each_row
from wellsourced.app.cli import command_line
from wellsourced.app.messages import RUN, spell_next_step
from wellsourced.errors import NextStep, NextStepKind


@each_row("kind", get_args(NextStepKind))
def test_every_next_step_is_a_sentence_at_the_terminal(kind: NextStepKind) -> None:
    assert spell_next_step(NextStep(kind, "mine")).strip()


def test_a_key_is_set_for_the_provider_that_lacks_it() -> None:
    assert "setup set openai.key -" in spell_next_step(NextStep("set key", "openai"))


@each_row("kind", RUN)
def test_a_command_that_is_advised_takes_the_options_and_arguments_it_is_given(kind: NextStepKind) -> None:
    words = shlex.split(RUN[kind].format(name="mine", NAME="MINE"))
    command: click.Command = command_line
    ctx = click.Context(command)
    while isinstance(command, click.Group) and words and (below := command.get_command(ctx, words[0])):
        command, ctx, words = below, click.Context(below, parent=ctx, info_name=words[0]), words[1:]
    assert command is not command_line
    try:
        command.make_context(command.name, words, parent=ctx.parent)
    # The file that it is to be given is not here, which is no fault of the advice.
    except click.BadParameter as fault:
        assert "does not exist" in fault.format_message()
