"""`wellsourced search`: the passages that answer a question, those of one source, or how a Boolean query is read."""

import asyncio
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from wellsourced import config, query_language
from wellsourced.app import messages
from wellsourced.app.answer_output import references_option, run_with_context, write_references
from wellsourced.app.exits import EXIT_BAD_USE, EXIT_NOTHING
from wellsourced.app.options import SectionedCommand, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import QuestionLimits, add_limit_options, build_question, read_words
from wellsourced.app.terminal import print_data, print_json, print_result
from wellsourced.config.paths import GRAPH, library_names
from wellsourced.context import Context
from wellsourced.errors import BadQuery, SourceError
from wellsourced.pipeline.retrieve.record_flow import list_records
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.presentation.json_schema import to_search_findings
from wellsourced.presentation.searches import build_search
from wellsourced.query_language.query_tree import ParsedQuery
from wellsourced.sources.base import CountingSource
from wellsourced.text.sanitization import sanitize_line, sanitize_text
from wellsourced.types import Attempt, Gap, Query, Question, Search

MAX_PASSAGES = 1_000
"""Passages of one search, of which the works are listed."""

MAX_NAMES = 50
"""Other names of a concept that are shown."""

MAX_AROUND = 50
"""Characters of a long line that are shown before a fault, and from it on."""


@click.command(cls=SectionedCommand)
@click.argument("question", nargs=-1)
@click.option("--source", metavar="NAME", default="", help="Search only this library or live source, in these words.")
@click.option("--boolean", is_flag=True, help="QUESTION is a query in the syntax of PubMed or Ovid.")
@click.option("--show-query", is_flag=True, help="Show how a Boolean query is read, and search nothing.")
@click.option("--syntax", type=click.Choice(["pubmed", "ovid"]), help="Syntax of the query [recognised].")
@click.option("--limit", type=click.IntRange(1, MAX_PASSAGES), default=10, show_default=True, help="Maximum results.")
@click.option("--works", "by_work", is_flag=True, help="List works, with the number of their passages.")
@references_option
@json_option
@add_limit_options
@click.pass_context
def search(
    ctx: click.Context,
    question: tuple[str, ...],
    source: str,
    boolean: bool,
    show_query: bool,
    syntax: query_language.Dialect | None,
    limit: int,
    by_work: bool,
    references: Path | None,
    as_json: bool,
    limits: QuestionLimits,
) -> None:
    """Show the passages that fit QUESTION best, from all sources together: the search that `wellsourced ask` makes.

    Exit status 3 when nothing is found.
    """
    if syntax and not show_query:
        raise click.UsageError(messages.SYNTAX_NEEDS_SHOW_QUERY)
    # An option that did nothing would look as if it had worked.
    others = {"--show-query": show_query, "--library": limits.libraries, "--live": limits.live}
    if source and (other := next((name for name, typed in others.items() if typed), "")):
        raise click.UsageError(messages.ONLY_ONE_OF.format(one="--source", other=other))
    if show_query:
        explain_query(ctx, read_words(question, messages.QUERY_MISSING), syntax, as_json=as_json)
        return
    if source or boolean:
        settings, words = config.load(ctx.obj), read_words(question, messages.QUERY_MISSING)
        kept = {"since": limits.since, "as_of": limits.as_of, "exclude": limits.exclude}
        query = Query(terms=(words,), kind="boolean" if boolean else "text", **kept)
        most = MAX_PASSAGES if by_work or references else limit
        named = (source,) if source else (*limits.libraries, *limits.live) or library_names(settings)
        found = asyncio.run(search_sources(settings, named, query, most))
        gaps: tuple[Gap, ...] = ()
    else:
        asked = build_question(question, limits)

        async def search_all(context: Context, watch: ProgressWatch) -> tuple[RetrievalResult, tuple[Gap, ...]]:
            watch.show_step(messages.SEARCHING)
            return await retrieve(asked, context), context.setup_gaps

        found, gaps = run_with_context(ctx, limits, search_all)
    if references:
        write_references([one.reference for one in found.list_works()], references)
    if as_json:
        print_json(to_search_findings(found, gaps, limit, by_work=by_work).model_dump_json(indent=2))
    else:
        print_result(build_search(found, gaps, limit, by_work=by_work))
    ctx.exit(0 if found.candidates else EXIT_NOTHING)


async def search_sources(settings: config.Settings, names: Sequence[str], query: Query, limit: int) -> RetrievalResult:
    """Return what each of these sources finds, the best of each first; if one of several fails, it is reported."""

    async def search_one(name: str) -> RetrievalResult:
        try:
            return await search_source(settings, name, query, limit)
        except SourceError as error:
            if len(names) == 1:
                raise
            failed = Attempt(search=Search(source=name, query=query), tier=name, status="failed", error=str(error))
            return RetrievalResult(Question(text=query.text), (), (failed,))

    found = [await search_one(name) for name in names]
    ranked = (one for turn in zip_longest(*(each.candidates for each in found)) for one in turn if one)
    several = len(found) > 1
    notes = (
        f"{name}: {note}" if several else note for name, each in zip(names, found, strict=True) for note in each.notes
    )
    return RetrievalResult(
        found[0].question, tuple(ranked), tuple(one for each in found for one in each.attempts), tuple(notes)
    )


async def search_source(settings: config.Settings, name: str, query: Query, limit: int) -> RetrievalResult:
    """Return what one source finds, in the words that were typed; what it lacks is one of the notes."""
    with watch_progress() as watch:
        watch.show_step(messages.ASKING.format(name=name))
        async with config.open_source(settings, name, watch) as opened:
            hits, notes = await opened.search(query, limit)
            total = ""
            if query.kind == "boolean" and isinstance(opened, CountingSource):
                total = messages.count_works(await opened.count(query))
            lacks, step = await config.describe_backlog(settings, opened)
            lacks = f"{lacks}. {messages.spell_next_step(step)}" if step else lacks
        names: Sequence[str] = ()
        if name == GRAPH and query.kind == "text":
            async with config.open_graph(settings) as graph:
                names = await graph.find_synonyms(query.text, MAX_NAMES)
    attempt = Attempt(
        search=Search(source=name, query=query),
        tier=name,
        status="ok" if hits else "empty",
        found=len(hits),
        notes=tuple(notes),
        records=list_records(hit.passage for hit in hits),
    )
    candidates = tuple(Candidate(hit.passage, name, hit.score) for hit in hits)
    told = tuple(filter(None, (total, messages.OTHER_NAMES.format(names=", ".join(names)) if names else "", lacks)))
    asked = Question(text=query.text, since=query.since, as_of=query.as_of)
    return RetrievalResult(asked, candidates, (attempt,), told)


def explain_query(ctx: click.Context, typed: str, syntax: query_language.Dialect | None, *, as_json: bool) -> None:
    """Show how a query is read, what was repaired, and what PubMed and Europe PMC would be sent; nothing is searched.

    A query that cannot be read ends with exit status 2.
    """
    text = typed.strip("\ufeff\r\n")
    dialect = syntax or query_language.detect_dialect(text)
    try:
        parsed = query_language.parse_query(text, dialect)
    except BadQuery as error:
        click.echo(f"wellsourced: {sanitize_line(error.reason)}. {sanitize_line(error.remedy)}", err=True)
        click.echo(mark_position(text, error.at), err=True)
        ctx.exit(EXIT_BAD_USE)
    if as_json:
        print_data(query_data(parsed, dialect))
    else:
        click.echo(render_query(text, parsed, dialect))


def query_data(parsed: ParsedQuery, dialect: query_language.Dialect) -> dict[str, Any]:
    """Return how a query is read, for programs."""
    return {
        "language": dialect,
        "understood": list(query_language.render_outline(parsed.node)),
        "notes": list(parsed.notes),
        "pubmed": query_language.write_pubmed_query(parsed.node)._asdict(),
        "europe_pmc": query_language.write_europe_pmc_query(parsed.node)._asdict(),
    }


def render_query(text: str, parsed: ParsedQuery, dialect: query_language.Dialect) -> str:
    """Show how a query is read: the tree, the notes with their places, the queries that would be sent."""
    lines = [messages.READ_AS.format(syntax="PubMed" if dialect == "pubmed" else "Ovid MEDLINE"), ""]
    lines += [f"  {sanitize_text(line)}" for line in query_language.render_outline(parsed.node)]
    for note in parsed.notes:
        found = re.fullmatch(r"(.*), at character (\d+)", note, re.DOTALL)
        words = found[1] if found else note
        lines += ["", sanitize_line(messages.QUERY_NOTE.format(note=words.rstrip(".")))]
        lines += [mark_position(text, int(found[2]) - 1)] if found else []
    for name, write_query in (
        ("PubMed", query_language.write_pubmed_query),
        ("Europe PMC", query_language.write_europe_pmc_query),
    ):
        written = write_query(parsed.node)
        lines += ["", messages.REPORT_SENT_TO.format(name=name), f"  {sanitize_line(written.text)}"]
        lines += [f"  {sanitize_line(messages.QUERY_NOTE.format(note=note.rstrip('.')))}" for note in written.notes]
    return "\n".join(lines)


def mark_position(text: str, at: int) -> str:
    """Return what is around a place, with the number of its line where there are several, and a caret below it."""
    at = min(max(at, 0), len(text))
    start = max(text.rfind("\n", 0, at) + 1, at - MAX_AROUND)
    number = f"line {text.count(chr(10), 0, at) + 1}: " if "\n" in text else ""
    before = f"  {number}{sanitize_text(text[start:at])}".replace("\t", " ")
    line = before + sanitize_text(text[at : at + MAX_AROUND].partition("\n")[0]).replace("\t", " ").rstrip()
    return f"{line}\n{' ' * len(before)}^"
