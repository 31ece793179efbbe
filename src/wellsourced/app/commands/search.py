"""`wellsourced search` and `query`: what a question would be answered from, and how a Boolean query is understood."""

import re
from typing import Any

import click

from wellsourced import query_language
from wellsourced.app.answer_output import detect_page, run_with_context
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_limit_options, build_question, read_words
from wellsourced.app.terminal import print_data, print_result
from wellsourced.context import Context
from wellsourced.errors import BadQuery
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.presentation.searches import build_search
from wellsourced.query_language.query_tree import ParsedQuery
from wellsourced.text.sanitization import sanitize_line, sanitize_text
from wellsourced.types import Gap, Question


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced search "Does colchicine prevent gout flares?"
      wellsourced search --live pubmed --since 2020 "heart attack in young women"
      wellsourced --set planner=boolean search --library trials "metformin and heart failure"
    """
)
@click.argument("question", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, help="Passages, at most.")
@json_option
@add_limit_options
@click.pass_context
def search(ctx: click.Context, question: tuple[str, ...], limit: int, as_json: bool, limits: QuestionLimits) -> None:
    """Show the passages that fit QUESTION best, of all sources together, and how it was understood and searched for.

    It is the search that `wellsourced ask` makes, with every tier opened. Exit status 3 when nothing is found.
    """
    asked = build_question(question, limits)
    found, gaps = run_with_context(ctx, limits, lambda context, watch: search_sources(asked, context, watch))
    if as_json:
        print_data(search_data(found, gaps, limit))
    else:
        print_result(build_search(found, gaps, limit), detect_page(quotes=False))
    ctx.exit(0 if found.candidates else EXIT_NOTHING)


async def search_sources(
    question: Question, context: Context, watch: ProgressWatch
) -> tuple[RetrievalResult, tuple[Gap, ...]]:
    """Return what is found, and what the context lacks."""
    watch.show_step("Searching")
    return await retrieve(question, context), context.setup_gaps


def search_data(found: RetrievalResult, gaps: tuple[Gap, ...], limit: int) -> dict[str, object]:
    """Everything, for a program."""
    return {
        "question": found.question.model_dump(mode="json"),
        "passages": [{**one.passage.model_dump(mode="json"), "source": one.source} for one in found.candidates[:limit]],
        "attempts": [attempt.model_dump(mode="json") for attempt in found.attempts],
        "notes": list(found.notes),
        "gaps": [gap.model_dump(mode="json") for gap in gaps],
    }


EXIT_BAD_QUERY = 2
MAX_SHOWN_CHARS = 100
"""Characters of a long line that are shown around a fault."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced query '(gout[mh] OR gout[tiab]) AND colchicine AND 2010:2020[dp]'
      wellsourced query --ovid - < strategy.txt
      wellsourced query --json 'asthma[mh] NOT review[pt]'
    """
)
@click.argument("expression", nargs=-1)
@click.option("--pubmed", "language", flag_value="pubmed", help="It is written in PubMed's language.")
@click.option("--ovid", "language", flag_value="ovid", help="It is written in Ovid's language, one step a line.")
@json_option
@click.pass_context
def query(
    ctx: click.Context, expression: tuple[str, ...], language: query_language.Dialect | None, as_json: bool
) -> None:
    """Show how EXPRESSION is understood, what had to be repaired, and what would be sent to PubMed and Europe PMC.

    The language is recognised: PubMed's, or Ovid's with one step a line. Nothing is searched and nothing leaves this
    machine. The query may also come on standard input: give - or nothing. A query that cannot be read ends with exit
    status 2.
    """
    text = read_words(expression, "query. Try: wellsourced query 'gout[mh] AND colchicine[tiab]'").strip("\ufeff\r\n")
    spoken = language or query_language.detect_dialect(text)
    try:
        parsed = query_language.parse_query(text, spoken)
    except BadQuery as error:
        click.echo(f"wellsourced: {sanitize_line(error.reason)}. {sanitize_line(error.remedy)}", err=True)
        click.echo(mark_position(text, error.at), err=True)
        ctx.exit(EXIT_BAD_QUERY)
    if as_json:
        print_data(query_data(parsed, spoken))
    else:
        click.echo(render_query(text, parsed, spoken))


def query_data(parsed: ParsedQuery, spoken: query_language.Dialect) -> dict[str, Any]:
    """All there is to say, for programs."""
    pubmed, europe_pmc = (
        query_language.write_pubmed_query(parsed.node),
        query_language.write_europe_pmc_query(parsed.node),
    )
    return {
        "language": spoken,
        "understood": list(query_language.render_outline(parsed.node)),
        "notes": list(parsed.notes),
        "pubmed": pubmed._asdict(),
        "europe_pmc": europe_pmc._asdict(),
    }


def render_query(text: str, parsed: ParsedQuery, spoken: query_language.Dialect) -> str:
    """The same for people: the tree, the notes with their places, the queries that would be sent."""
    lines = [f"Understood as {'PubMed' if spoken == 'pubmed' else 'Ovid MEDLINE'} syntax", ""]
    lines += [f"  {sanitize_text(line)}" for line in query_language.render_outline(parsed.node)]
    for note in parsed.notes:
        said, place = _split_position(note)
        lines += ["", f"Note: {sanitize_line(said)}.", *([] if place is None else [mark_position(text, place)])]
    for name, write_query in (
        ("PubMed", query_language.write_pubmed_query),
        ("Europe PMC", query_language.write_europe_pmc_query),
    ):
        written = write_query(parsed.node)
        lines += ["", f"Sent to {name}:", f"  {sanitize_line(written.text)}"]
        lines += [f"  Note: {sanitize_line(note)}." for note in written.notes]
    return "\n".join(lines)


def _split_position(note: str) -> tuple[str, int | None]:
    """What a note says, and its place, counted from 0."""
    found = re.fullmatch(r"(.*), at character (\d+)", note, re.DOTALL)
    return (found[1], int(found[2]) - 1) if found else (note, None)


def mark_position(text: str, at: int) -> str:
    """The line that a place stands in, its number where there are several, and a caret below it."""
    at = min(max(at, 0), len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    first = max(0, at - start - MAX_SHOWN_CHARS // 2)
    number = f"line {text.count(chr(10), 0, at) + 1}: " if "\n" in text else ""
    before = f"  {number}{'…' if first else ''}"
    cut = line[first : first + MAX_SHOWN_CHARS]
    ahead = before + sanitize_text(cut[: at - start - first]).replace("\t", " ")
    return f"{before}{sanitize_text(cut)}".replace("\t", " ") + "\n" + " " * len(ahead) + "^"
