"""`wellsourced help`: what words and ideas mean here, and what commands do."""

import json
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import TYPE_CHECKING

import click

from wellsourced.app import messages
from wellsourced.app.command_group import ProgramGroup, guess_command
from wellsourced.app.command_table import translate_old_name
from wellsourced.app.exits import EXIT_CODES
from wellsourced.app.options import json_option

if TYPE_CHECKING:
    from markdown_it.token import Token

    from wellsourced.presentation.terminal import TerminalPage


@click.command(
    "help",
    epilog="""
    \b
    Examples:
      wellsourced help verification
      wellsourced help library add
      wellsourced help presets lins
    """,
)
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]...")
@json_option
@click.pass_context
def help_(ctx: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Explain a TOPIC, or show the help of a COMMAND. Without either, list both.

    After `presets`, the name of a preset shows its settings; --json prints presets as JSON.
    """
    program = ctx.find_root()
    topics = load_topics()
    name = "-".join(words).casefold()
    if words[:1] == ("presets",) and (as_json or len(words) == 2):
        _show_presets(words[1:], as_json=as_json)
    elif not words:
        click.echo(_list_all(program, topics))
    elif name in topics:
        from wellsourced.app.terminal import detect_page

        page = detect_page()
        rest = LISTS[name](program) if name in LISTS else ""
        lines = [*topic_lines(topics[name], page), *([rest, ""] if rest else []), *_command_hint(program, name, page)]
        click.echo("\n".join(lines).rstrip("\n"))
    else:
        # An old name may be an option now: its help is that of the command.
        path = takewhile(lambda word: not word.startswith("-"), translate_old_name(words)[0])
        click.echo(_command_help(program, [*path], topics))


@cache
def load_topics() -> dict[str, str]:
    """Name → text in Markdown of every topic; its first line says the name and what it is about."""
    folder = files("wellsourced.app").joinpath("topics")
    found = {one.name.removesuffix(".md"): one.read_text(encoding="utf-8") for one in folder.iterdir()}
    return dict(sorted(found.items()))


def summarize_topic(text: str) -> str:
    """What a topic is about, from its first line."""
    return text.partition("\n")[0].partition(": ")[2]


def topic_lines(text: str, page: "TerminalPage") -> Iterator[str]:
    """A topic for a terminal: its paragraphs set to the width, its examples as they are typed."""
    from markdown_it import MarkdownIt

    parsed = MarkdownIt("commonmark").parse(text)
    for before, token in zip([None, *parsed], parsed, strict=False):
        if token.type == "inline" and before:
            yield from _set_words(before, token, in_list=token.level > 1, page=page)
        elif token.type == "fence":
            yield from (f"    {line}".rstrip() for line in token.content.splitlines())
        if token.type in ("heading_close", "bullet_list_close", "fence") or (
            token.type == "paragraph_close" and token.level == 0
        ):
            yield ""


def _set_words(before: "Token", token: "Token", *, in_list: bool, page: "TerminalPage") -> list[str]:
    words = token.content.replace("**", "")
    if before.type == "heading_open":
        return page.headings(f"{words[:1].upper()}{words[1:]}")
    return page.wrap(words, "    " if in_list else "", "  • " if in_list else "")


def list_exit_codes(_: click.Context) -> str:
    """Every exit code and what it means."""
    return "\n".join(f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items())


def list_options(program: click.Context) -> str:
    """The options that every command takes."""
    formatter = program.make_formatter()
    records = [param.get_help_record(program) for param in program.command.get_params(program)]
    formatter.write_dl([record for record in records if record])
    return formatter.getvalue().rstrip("\n")


def list_presets(_: click.Context) -> str:
    """Every preset and what it is for."""
    from wellsourced import config
    from wellsourced.app.terminal import format_table

    rows = [(preset.name, preset.about) for preset in config.list_presets()]
    return format_table(rows, ("preset", "what it is for")).rstrip("\n")


LISTS: dict[str, Callable[[click.Context], str]] = {
    "exit-codes": list_exit_codes,
    "options": list_options,
    "presets": list_presets,
}
"""Topics that end with a list → what makes it."""


def _show_presets(names: Sequence[str], *, as_json: bool) -> None:
    from wellsourced import config
    from wellsourced.app.terminal import print_data, print_table
    from wellsourced.config.settings_files import flatten_tables

    chosen = [config.find_preset(name) for name in names] or config.list_presets()
    if as_json:
        print_data([preset._asdict() for preset in chosen])
        return
    for preset in chosen:
        click.echo(preset.about)
        print_table(
            [(name, json.dumps(value)) for name, value in flatten_tables(preset.settings)], ("setting", "value")
        )


def _command_hint(program: click.Context, name: str, page: "TerminalPage") -> list[str]:
    """How to see the options, where a command has the name of a topic."""
    is_command = isinstance(program.command, click.Group) and name in program.command.list_commands(program)
    return page.wrap(messages.command_of_topic(name)) if is_command else []


def _list_all(program: click.Context, topics: dict[str, str]) -> str:
    formatter = program.make_formatter()
    with formatter.section("Topics (wellsourced help TOPIC)"):
        formatter.write_dl([(name, summarize_topic(text)) for name, text in topics.items()])
    if isinstance(program.command, ProgramGroup):
        with formatter.section("Commands (wellsourced help COMMAND)"):
            formatter.write_dl(program.command.summarize_commands())
    return formatter.getvalue().rstrip("\n")


def _command_help(program: click.Context, words: Sequence[str], topics: dict[str, str]) -> str:
    """The help of a command, named with its groups: "library add". Bad use for what is none, with what is near."""
    ctx = program
    for word in words:
        group = ctx.command
        known = group.list_commands(ctx) if isinstance(group, click.Group) else []
        command = group.get_command(ctx, word) if isinstance(group, click.Group) and not word.startswith("-") else None
        if command is None:
            parts = [topic for topic in topics if word.casefold() in topic.split("-")]
            near = [*parts, *get_close_matches(word.casefold(), topics, n=2)] if ctx is program else []
            near += guess_command(word, known, ctx.command_path.partition(" ")[2])
            raise click.UsageError(messages.unknown_topic(word, [*dict.fromkeys(near)][:3]))
        ctx = click.Context(command, info_name=word, parent=ctx)
    return ctx.get_help()
