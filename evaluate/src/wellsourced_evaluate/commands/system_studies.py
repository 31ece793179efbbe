"""`wellsourced evaluate ablation` and `robustness`: the whole system, with something changed."""

from typing import Any

import click

from wellsourced.app.options import json_option, set_option
from wellsourced_evaluate.commands.study_options import (
    EXIT_STATUS,
    StudyOptions,
    answer_study,
    corpus_option,
    print_study,
    read_arms,
    study_options,
)

ABLATION_WORDS = (
    "Each case is answered from all sources, then without each of them, then without each of the first documents that "
    "its answer cites. What stays: its label, the documents of its short answer, the expected facts, the works cited "
    "(Jaccard), its statements (in the same words, or in others as the judge says). Intervals are 95 %."
)
ROBUSTNESS_WORDS = (
    "Each case is asked as it is, and in other words that should change nothing. What stays: its label, the documents "
    "of its short answer, the expected facts, the works cited (Jaccard), its statements (in the same words, or in "
    "others as the judge says). A wording that would be the question itself is not asked. Intervals are 95 %."
)
VARIANTS_HELP = "Ask in this wording; repeatable [all]."


@click.command(
    short_help="Answer without each source, and without each cited document, and compare.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate ablation questions.jsonl
      wellsourced evaluate ablation bioasq --data FOLDER --corpus research.jsonl.gz --limit 30 --html report.html
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@corpus_option
@click.option(
    "--cited",
    "documents",
    type=click.IntRange(0, 50),
    default=3,
    show_default=True,
    metavar="N",
    help="Leave out so many of the documents that an answer cites, each in turn.",
)
@study_options
@set_option
@json_option
@click.pass_context
def ablation(
    ctx: click.Context,
    /,
    given: str,
    corpus: str,
    documents: int,
    typed: StudyOptions,
    pairs: dict[str, Any],
    as_json: bool,
) -> None:
    """Say what an answer owes to each source: the libraries, and the documents that it cites.

    Label, facts and statements that are lost are counted, with paired tests against the answer from all sources. What
    should not change an answer is `evaluate robustness`; settings are compared by `evaluate run` with two presets.
    """
    from wellsourced_evaluate.contexts.change_report import change_blocks, report_changes
    from wellsourced_evaluate.contexts.system_study import ALL_SOURCES, study_ablation

    arms = read_arms(ctx, given, typed, pairs)
    runs = answer_study(
        "ablation", arms, typed, (corpus, documents), lambda task: study_ablation(task, corpus, documents)
    )
    told = report_changes("ablation", "What answers owe to each source", ALL_SOURCES, runs)
    blocks = list(change_blocks(told, ABLATION_WORDS))
    print_study(ctx, told.title, blocks, told.to_json(), runs, typed.html, as_json=as_json)


@click.command(
    short_help="Ask the same question in other words, and count the answers that stay the same.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate robustness questions.jsonl
      wellsourced evaluate robustness pubmedqa --data FOLDER --corpus research.jsonl.gz --limit 40
      wellsourced evaluate robustness questions.jsonl --variant "typing errors" --variant capitals
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="NAME|FILE")
@corpus_option
@click.option("--variant", "variants", metavar="NAME", multiple=True, help=VARIANTS_HELP)
@study_options
@set_option
@json_option
@click.pass_context
def robustness(
    ctx: click.Context,
    /,
    given: str,
    corpus: str,
    variants: tuple[str, ...],
    typed: StudyOptions,
    pairs: dict[str, Any],
    as_json: bool,
) -> None:
    """Ask each case in other words, which should change nothing, and say how many answers stay the same.

    Wordings: small letters, capitals, no punctuation, typing errors, other spelling (British, American), lay words,
    politely, a sentence on the patient or on another condition before it, search terms; with a language model lay words
    and a paraphrase of the model too. Typing errors are drawn with --seed, and never touch a number or a drug.
    """
    from wellsourced_evaluate.contexts.change_report import change_blocks, report_changes
    from wellsourced_evaluate.contexts.perturbations import UNCHANGED, VARIANT_NAMES
    from wellsourced_evaluate.contexts.system_study import study_robustness

    if unknown := [one for one in variants if one not in VARIANT_NAMES]:
        raise click.UsageError(f"There is no wording “{unknown[0]}”. There are {', '.join(VARIANT_NAMES)}.")
    wanted = tuple(one for one in VARIANT_NAMES if one in (variants or VARIANT_NAMES))
    arms = read_arms(ctx, given, typed, pairs)
    runs = answer_study(
        "robustness", arms, typed, (corpus, wanted), lambda task: study_robustness(task, corpus, wanted)
    )
    told = report_changes("robustness", "The same question in other words", UNCHANGED, runs)
    blocks = list(change_blocks(told, ROBUSTNESS_WORDS))
    print_study(ctx, told.title, blocks, told.to_json(), runs, typed.html, as_json=as_json)
