"""`wellsourced help`: what words and ideas mean here, and what commands do."""

import json
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import click

from wellsourced.app import messages
from wellsourced.app.command_group import ProgramGroup, guess_command
from wellsourced.app.exits import EXIT_CODES
from wellsourced.presets.published import PublishedSystem, find_mentions, load_systems


@click.command("help")
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]...")
@click.pass_context
def help_(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain a TOPIC, or show the help of a COMMAND. Without either, list both.

    After `presets`, the name of a preset shows its settings.
    """
    program, topics = ctx.find_root(), load_topics()
    name = "-".join(words).casefold()
    if words[:1] == ("presets",) and len(words) == 2:
        _show_preset(words[1])
    elif not words:
        click.echo(_list_all(program, topics))
    elif name in topics:
        click.echo("\n".join(topic_lines(topics[name], list_below_topic(name, program))).rstrip("\n"))
    elif name in load_systems():
        click.echo("\n".join(system_lines(load_systems()[name])))
    else:
        click.echo(_command_help(program, words, topics))


@cache
def load_topics() -> dict[str, str]:
    """Name → text in Markdown of every topic; its first line says the name and what it is about."""
    folder = files("wellsourced.app").joinpath("topics")
    found = {one.name.removesuffix(".md"): one.read_text(encoding="utf-8") for one in folder.iterdir()}
    return dict(sorted(found.items()))


def summarize_topic(text: str) -> str:
    """What a topic is about, from its first line."""
    return text.partition("\n")[0].partition(": ")[2]


def topic_lines(text: str, below: str = "") -> Iterator[str]:
    """A topic for a terminal: its paragraphs set to the width, its examples as they are typed, and what is below it."""
    from wellsourced.app.terminal import detect_page

    page = detect_page()
    lines = (line for line in text.replace("**", "").splitlines() if not line.startswith("<!--"))
    for block in re.findall(r"^```(?:.|\n)*?^```$|(?:^.+\n)+", "\n".join([*lines, ""]), re.MULTILINE):
        if block.startswith("# "):
            yield from page.headings(block[2].upper() + block[3:])
        elif block.startswith("```"):
            yield from (f"    {line}".rstrip() for line in block.splitlines()[1:-1])
        elif block.startswith("- "):
            for item in block[2:].split("\n- "):
                yield from page.wrap(item, "    ", "  • ")
        else:
            yield from page.wrap(block)
        yield ""
    yield below


def system_lines(system: PublishedSystem) -> Iterator[str]:
    """The page of a published system for a terminal: how it is used, and each feature with its command."""
    from wellsourced.app.terminal import detect_page

    page = detect_page()
    yield from (*page.headings(system.title), "", *page.wrap(system.about), "")
    yield from (f"    $ {command}" for command in system.examples)
    yield ""
    for feature in system.features:
        yield from page.wrap(feature.name, "     ", f"{feature.number:<5}")
        parts = (feature.command.strip("`"), messages.FIGURE_OF_PAPER.format(figure=feature.figure), feature.note)
        shown = (part for part, given in zip(parts, feature[2:], strict=True) if given)
        yield from (line for part in shown for line in page.wrap(part, "     "))


def list_below_topic(name: str, program: click.Context) -> str:
    """What a topic ends with: a list of what it is about, or how to see the options of the command of its name."""
    from wellsourced import config
    from wellsourced.app.terminal import format_table

    if name == "exit-codes":
        return "\n".join(f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items())
    if name == "presets":
        rows = [(preset.name, preset.about) for preset in config.list_presets()]
        return format_table(rows, ("preset", "what it is for")).rstrip("\n")
    if name == "options":
        formatter = program.make_formatter()
        click.Command.format_options(program.command, program, formatter)
        return formatter.getvalue().rstrip("\n")
    is_command = isinstance(program.command, click.Group) and name in program.command.list_commands(program)
    return messages.COMMAND_OF_TOPIC.format(name=name) if is_command else ""


def _show_preset(name: str) -> None:
    from wellsourced import config
    from wellsourced.app.terminal import print_table
    from wellsourced.config.loader import flatten_tables

    preset = config.find_preset(name)
    click.echo(preset.about)
    print_table([(name, json.dumps(value)) for name, value in flatten_tables(preset.settings)], ("setting", "value"))


def _list_all(program: click.Context, topics: dict[str, str]) -> str:
    formatter = program.make_formatter()
    with formatter.section("Topics (wellsourced help TOPIC)"):
        formatter.write_dl([(name, summarize_topic(text)) for name, text in topics.items()])
    with formatter.section("Published systems (wellsourced help NAME)"):
        formatter.write_dl([(name, system.title) for name, system in load_systems().items()])
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
            known_topics = [*topics, *load_systems()]
            near = [*parts, *find_mentions(" ".join(words)), *get_close_matches(word.casefold(), known_topics, n=2)]
            near = near if ctx is program else []
            near += guess_command(word, known, ctx.command_path.partition(" ")[2])
            what, near = f"topic or command “{word}”", [*dict.fromkeys(near)][:3]
            raise click.UsageError(messages.unknown_name(what, near, "wellsourced help"))
        ctx = click.Context(command, info_name=word, parent=ctx)
    return ctx.get_help()
