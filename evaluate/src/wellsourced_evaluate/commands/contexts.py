"""`wellsourced evaluate contexts`: what stands around the passage that answers, and what that does to the answer."""

from typing import TYPE_CHECKING, Any

import click

from wellsourced.app.options import json_option, set_option
from wellsourced_evaluate.commands.study_options import (
    EXIT_STATUS,
    StudyOptions,
    answer_study,
    print_study,
    read_arms,
    study_options,
)

if TYPE_CHECKING:
    from wellsourced.types import SourceKind
    from wellsourced_evaluate.contexts.context_study import ContextKind
    from wellsourced_evaluate.contexts.document_pool import Filler

KINDS: "tuple[ContextKind, ...]" = ("nothing", "gold", "placed", "distractors")


@click.command(
    short_help="Put the passage that answers at several places among others, alone, or leave it out.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate contexts pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 60
      wellsourced evaluate contexts pubmedqa --data FOLDER --preset rag --preset briefcontext --model ollama:qwen3
      wellsourced evaluate contexts mine.jsonl --only gold --only distractors --documents 8 --html report.html

    \b
    A line of FILE, plain or .gz, needs the document that answers, by its id in the corpus or as texts:
      {{"id": "q1", "question": "Does colchicine help?", "answer": "yes", "source": ["pubmed:1"]}}
      {{"id": "q2", "question": "…", "answer": "no", "context": ["The text that answers."]}}
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@click.option(
    "--corpus",
    default="",
    metavar="FILE|NAME",
    help="Take documents from this file, or this library [the contexts of the other cases].",
)
@click.option(
    "--documents",
    "sizes",
    type=click.IntRange(2, 100),
    multiple=True,
    default=(16,),
    show_default=True,
    metavar="K",
    help="Documents of a context, the one that answers among them; repeatable.",
)
@click.option(
    "--filler",
    type=click.Choice(("similar", "random")),
    default="similar",
    show_default=True,
    help="The others: nearest to the question by their words (BM25), or drawn from all the rest.",
)
@click.option(
    "--only",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Ask under these conditions; repeatable [all].",
)
@click.option(
    "--kind",
    type=click.Choice(("research", "guideline", "consumer", "own")),
    default="research",
    show_default=True,
    help="Of the corpus.",
)
@study_options
@set_option
@json_option
@click.pass_context
def contexts(
    ctx: click.Context,
    /,
    given: str,
    corpus: str,
    sizes: tuple[int, ...],
    filler: "Filler",
    kinds: "tuple[ContextKind, ...]",
    kind: "SourceKind",
    typed: StudyOptions,
    pairs: dict[str, Any],
    as_json: bool,
) -> None:
    """Answer each case from its gold document at 0, 25, 50, 75 and 100 % of a context, and from other contexts.

    The others: the gold document alone (what reading could reach at best), distractors alone (where nothing should be
    answered), and nothing, which only a language model can be asked. Each --preset is an arm; all arms are given the
    same documents in the same order. A study that was stopped goes on when it is given again.
    """
    from wellsourced_evaluate.contexts.context_report import TITLE, context_blocks, report_contexts
    from wellsourced_evaluate.contexts.context_study import ContextPlan, study_contexts

    plan = ContextPlan(corpus, kind, kinds or KINDS, tuple(dict.fromkeys(sizes)), filler)
    arms = read_arms(ctx, given, typed, pairs)
    runs = answer_study("contexts", arms, typed, plan, lambda task: study_contexts(task, plan))
    told = report_contexts(runs)
    print_study(ctx, TITLE, list(context_blocks(told)), told.to_json(), runs, typed.html, as_json=as_json)
