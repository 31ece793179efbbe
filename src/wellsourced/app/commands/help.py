"""`wellsourced help`: what words and ideas mean here, and what commands do; `completion`: how a shell knows them."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, get_args

import click
from click.shell_completion import ShellComplete, get_completion_class

from wellsourced.app.command_group import ProgramGroup
from wellsourced.presentation.terminal import TerminalPage

if TYPE_CHECKING:
    from markdown_it.token import Token

Shell = Literal["bash", "zsh", "fish"]

COMPLETION_VARIABLE = "_WELLSOURCED_COMPLETE"
"""The environment variable by which a shell's script asks the program, as click names it."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced help
      wellsourced help verification
      wellsourced help library add
    """
)
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]...")
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain a TOPIC in a few paragraphs, or show the help of a COMMAND; without either, list both."""
    program = ctx.find_root()
    topics = load_topics()
    name = "-".join(words).casefold()
    if not words:
        click.echo(_list_all(program, topics))
    elif name in topics:
        # A shell that starts asks for the script below, and should not wait for what prints answers.
        from wellsourced.app.answer_output import detect_page

        page = detect_page(quotes=False)
        click.echo("\n".join([*topic_lines(topics[name], page), *_command_hint(program, name, page)]).rstrip("\n"))
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


def topic_lines(text: str, page: TerminalPage) -> Iterator[str]:
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


def _set_words(before: "Token", token: "Token", *, in_list: bool, page: TerminalPage) -> list[str]:
    words = token.content.replace("**", "")
    if before.type == "heading_open":
        return page.headings(f"{words[:1].upper()}{words[1:]}")
    return page.wrap(words, "    " if in_list else "", "  • " if in_list else "")


def _command_hint(program: click.Context, name: str, page: TerminalPage) -> list[str]:
    """How to see the options, where a command has the name of a topic."""
    is_command = isinstance(program.command, click.Group) and name in program.command.list_commands(program)
    return page.wrap(f"`wellsourced {name} --help` says what the command of that name takes.") if is_command else []


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
        command = group.get_command(ctx, word) if isinstance(group, click.Group) else None
        if command is None:
            candidates = [*known, *topics] if ctx is program else known
            raise click.UsageError(_describe_unknown(ctx, word, candidates, is_top=ctx is program))
        ctx = click.Context(command, info_name=word, parent=ctx)
    return ctx.get_help()


def _describe_unknown(ctx: click.Context, word: str, known: Sequence[str], *, is_top: bool) -> str:
    parts = [one for one in known if word.casefold() in one.split("-")]
    near = list(dict.fromkeys([*parts, *get_close_matches(word.casefold(), known, n=3)]))
    what = f"No topic and no command is called “{word}”" if is_top else f"{ctx.command_path} has no command “{word}”"
    nearest = f"; {'the nearest is' if len(near) == 1 else 'near it are'} {', '.join(near)}" if near else ""
    return f"{what}{nearest}. `wellsourced help` lists all."


@click.command(
    epilog="""
    \b
    To have it always, write into the file that the shell reads first:
      ~/.bashrc                    eval "$(wellsourced completion bash)"
      ~/.zshrc                     eval "$(wellsourced completion zsh)"     (after compinit)
      ~/.config/fish/config.fish   wellsourced completion fish | source
    """
)
@click.argument("shell", type=click.Choice(get_args(Shell)))
@click.pass_context
def completion(ctx: click.Context, shell: Shell) -> None:
    """Print the script by which SHELL completes commands, options, and the names of libraries, presets and runs.

    Bash has to be 4.4 or newer.
    """
    program = ctx.find_root()
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"Nothing is known of the shell {shell}.")
    asked = made(program.command, {}, program.info_name or "wellsourced", COMPLETION_VARIABLE)
    # Bash's own would start bash to ask for its version, and that looks up who the user is.
    click.echo(ShellComplete.source(asked))
