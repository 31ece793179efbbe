"""`wellsourced explain`: a medical order in plain language, term by term."""

from typing import TYPE_CHECKING, BinaryIO

import click

from wellsourced.app.answer_output import answer_json_option, detect_page, new_run, quotes_option, run_with_context
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import RegularFile
from wellsourced.app.question_input import QuestionLimits, add_source_options, patient_option, read_text_file
from wellsourced.app.render.answer import answer_parts, closing_lines, gap_lines, join_parts, list_missing_parts
from wellsourced.app.render.answer_notes import describe_usage
from wellsourced.app.render.references import number_references
from wellsourced.app.terminal import print_json
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.types import Answer

if TYPE_CHECKING:
    from wellsourced.explain.explanation import ExplainedTerm, Explanation

DEFAULT_TERMS = 12
"""Terms that are explained where no number is given, as `explain.explanation.MAX_TERMS`."""

PLAIN_GRADE = 8
"""Years of schooling that what patients read should take at most, as health services advise."""


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced explain order.txt
      wellsourced explain order.txt --patient record.txt --ask "Can I eat before the test?"
      wellsourced explain --model local:qwen.gguf --preset lins-moe order.txt
    """
)
@click.argument("order", type=RegularFile())
@patient_option
@click.option("--ask", "asked", default="", metavar="QUESTION", help="Answer this about the order too.")
@click.option(
    "--terms", "count", default=DEFAULT_TERMS, show_default=True, type=click.IntRange(0, 40), help="Terms, at most."
)
@answer_json_option
@quotes_option
@add_source_options
@click.pass_context
def explain(
    ctx: click.Context,
    order: BinaryIO,
    patient: str,
    asked: str,
    count: int,
    as_json: bool,
    quotes: bool | None,
    limits: QuestionLimits,
) -> None:
    """Explain the terms of the file ORDER (- for standard input), each from sources, and answer a question about it.

    The signs of a prescription (PO, BID, 10 mg) are put into plain words by the program itself, and told as that.
    A term is explained by a sentence of a source that says what it is; where none does, it is listed as not explained.

    The order is treated as a patient's text: only its terms are searched for, and no language model sees it that the
    setting `patient_to` does not name. The reading level of what is said is told (Flesch–Kincaid).
    """
    # Its rules take time to load, which no other command should wait for.
    from wellsourced.explain.explanation import explain as explained

    text = read_text_file(ctx, ctx.command.params[0], order)
    run = new_run(ctx, "order")
    told = run_with_context(
        ctx,
        limits,
        lambda context, emit: explained(text, context, patient=patient, asked=asked, limit=count, emit=emit),
        run,
    )
    run.conclude(told)
    if as_json:
        print_json(told.model_dump_json(indent=2))
    else:
        click.echo(render_explanation(told, detect_page(quotes)), nl=False)
    answers = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    ctx.exit(0 if told.signs or any(not answer.abstained for answer in answers) else EXIT_NOTHING)


def render_explanation(told: "Explanation", page: TerminalPage) -> str:
    """What is asked about the order, each term under its name, and once what is to be known of all of it."""
    answers = [one.answer for one in told.terms] + ([told.follow_up] if told.follow_up else [])
    parts = []
    if told.follow_up:
        question = told.follow_up.question
        parts.append(render_titled_answer(question.asked or question.text, told.follow_up, page))
    if told.signs:
        parts.append(join_parts(sign_lines(told, page)))
    parts += [render_titled_answer(title_term(one), one.answer, page) for one in told.terms if not one.answer.abstained]
    missing = list(dict.fromkeys(gap for answer in answers for gap in answer.gaps))
    rest = (unexplained_lines(told, page), note_lines(told, page), gap_lines(missing, page))
    return "\n".join((*parts, join_parts(*rest, closing_lines(answers, page))))


def sign_lines(told: "Explanation", page: TerminalPage) -> list[str]:
    """The signs of the prescription in plain words, and whose words these are."""
    title = "The signs of the prescription, in plain words (the program's own, from no source)"
    return page.section(title, (f"{one.sign}: {one.meaning}" for one in told.signs))


def render_titled_answer(title: str, answer: Answer, page: TerminalPage) -> str:
    """An answer under its title, down to its references."""
    missing = page.section("Not answered here", list_missing_parts(answer))
    return join_parts(page.headings(title), *answer_parts(answer, number_references(answer), page), missing)


def title_term(one: "ExplainedTerm") -> str:
    """A term with what it stands for: "TTE (transthoracic echocardiography)"."""
    return f"{one.term} ({one.long_form})" if one.long_form else one.term


def unexplained_lines(told: "Explanation", page: TerminalPage) -> list[str]:
    """The terms for which nothing was found, in one place: their reader wants the others."""
    without = [one for one in told.terms if one.answer.abstained]
    if not told.terms:
        return page.wrap("No term is explained: none was found in the order that wants it, as far as can be told.")
    reasons: dict[str, list[str]] = {}
    for one in without:
        reasons.setdefault(one.answer.reason, []).append(title_term(one))
    return page.section("Not explained", (f"{', '.join(terms)}: {reason}" for reason, terms in reasons.items()))


def note_lines(told: "Explanation", page: TerminalPage) -> list[str]:
    """How the explanation was made, how hard it is to read, and what models were asked for it."""
    notes = [*told.notes, *dict.fromkeys(note for one in told.terms for note in one.answer.notes)]
    notes += told.follow_up.notes if told.follow_up else ()
    if told.reading_level is not None:
        is_hard = told.reading_level > PLAIN_GRADE
        hard = f", harder than the {PLAIN_GRADE} that is advised for patients" if is_hard else ""
        notes.append(f"reading level: grade {told.reading_level:.0f} (Flesch–Kincaid){hard}")
    if told.spent.calls or told.spent.cached:
        notes.append(describe_usage(told.spent))
    return page.section("About this explanation", dict.fromkeys(notes))
