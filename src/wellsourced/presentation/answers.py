"""An answer or an abstention as blocks. Nothing is decided here but the order and the words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wellsourced import types
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.errors import NextStep
from wellsourced.medicine.quantities import find_ranges
from wellsourced.presentation.blocks import Block, ComparisonTable, Heading, List, Presentation, Text
from wellsourced.presentation.receipts import build_notes, build_receipt
from wellsourced.presentation.references import (
    NumberedReferences,
    build_references,
    describe_reference,
    name_work,
    number_references,
)
from wellsourced.presentation.sections import build_sections
from wellsourced.presentation.wording import STATUS_WORDS, explain_reason, format_count
from wellsourced.text.sanitization import has_same_words, short_line

MAX_NEAREST = 3
"""Works that are named as near the question."""

MAX_REASON_WORDS = 50
"""Words of a reason why a part of the short answer was taken out."""

MIN_COMPARED = 2
"""Alternatives that make a table."""

_BINDING = re.compile(r"\b(?:not|never|nor|neither|no|without|none|non|unless|except|only|if|when|until|but)\b[\w-]*")
"""What a cell must not leave out beside figures: a negation, a condition. Years, and figures of names, are none."""

_BY_DOUBT = ("verbatim", "verified", "unjudged", "unverified", "unsupported", "contradicted")

MAX_UNREAD_LINES = 20
"""Lines of a record from which nothing was read, that are shown."""

_RECORD_TITLES: dict[types.RecordKind, str] = {
    "age": "Age",
    "sex": "Sex",
    "weight": "Weight",
    "renal function": "Renal function",
    "condition": "Conditions",
    "drug now": "Drugs now",
    "drug before": "Drugs before",
    "allergy": "Allergies",
    "measurement": "Measurements",
    "not now": "Not the patient's now",
}


def build_answer(answer: types.Answer, style: CitationStyle | None = None) -> Presentation:
    """The whole answer, or why there is none; then what is missing, the sources, and what was searched.

    style   in which journals would print the references; None: in short
    """
    cited = number_references(answer)
    shown = (*build_content(answer, cited), *_build_ending(answer, cited, style))
    return Presentation(answer.question.asked or answer.question.text, shown)


def build_content(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """What is answered: the short answer, then the rest, topic by topic; what has to be read before, and beside it."""
    yield from _build_alarms(answer)
    # Before the answer: who sees that the record was misread reads the rest with that in mind.
    yield from _build_record(answer)
    # And so are limits: nobody should read a dose first, and below it that the patient is not one for whom it is.
    yield List("Lines to check for this patient", tuple(_list_lines_to_check(answer, cited)), "patient")
    yield from build_sections(answer, cited) if answer.head else _build_statements(answer, cited)
    # Advice to call for help must not compete with advice on searching.
    if answer.abstained and answer.emergency is None:
        yield List("What you can do", tuple(Text(step=step) for step in _list_next_steps(answer)))
    glosses = [Text(f"{gloss.term}: {gloss.meaning}") for gloss in answer.glosses]
    yield List("Terms explained by the language model, not by the sources", tuple(glosses))
    yield List("This recommendation", tuple(_describe_recommendation(answer)))
    works = {cited.passages[side.passage_id].reference.id for one in answer.conflicts for side in one.sides}
    title = "Sources disagree" if len(works) > 1 else "The source says both"
    yield List(title, tuple(_list_conflicts(answer, cited)))
    if answer.reasoning and answer.basis == "evidence":
        yield List("The language model's reasoning, unchecked", (Text(answer.reasoning),))


def _build_ending(answer: types.Answer, cited: NumberedReferences, style: CitationStyle | None) -> Iterator[Block]:
    # Passages of one withdrawn work are one loss: the id of the work is what is before "#".
    withdrawn = {each.id.rpartition("#")[0]: each.reason for each in answer.dropped if each.is_withdrawal}
    title = "Left out: retracted, or under an expression of concern"
    yield List(title, tuple(Text(f"{work}: {reason}") for work, reason in withdrawn.items()))
    yield build_notes(answer)
    yield build_gaps(list_gaps(answer), list_missing_parts(answer))
    yield build_references(cited, style)
    yield List("Relevant, not cited", tuple(_list_uncited(answer, cited)), detail="receipt")
    yield from build_receipt(answer, cited)


def _build_alarms(answer: types.Answer) -> Iterator[Block]:
    """What to do first, when the question has signs of an emergency; that statements rest on no source."""
    if emergency := answer.emergency:
        signs = ", ".join(f"“{sign}”" for sign in emergency.signs)
        items = [Text(f"{emergency.advice} (You wrote {signs}.)")]
        items += [Text(f"Source: {emergency.source}", "aside")] if emergency.source else []
        yield List(f"This may be an emergency ({emergency.kind})", tuple(items), "emergency")
    if answer.basis == "parametric":
        reasons = [Text(f"Its reasoning: {answer.reasoning}")] if answer.reasoning else []
        title = "From the language model alone: it read no source, and nothing was checked."
        yield List(title, tuple(reasons), "unsourced")
    # Who names a source wants its word: that it is missing is known before the answer is read.
    failed = dict.fromkeys(gap.source for gap in list_gaps(answer) if gap.status == "failed")
    missing = " and ".join(source for source in failed if source in LIVE_SOURCES)
    # Where no source could be reached at all, the reason of the abstention says so.
    if missing and any(attempt.status != "failed" for attempt in answer.attempts):
        yield Text(f"{missing} could not be searched: nothing here comes from there. See Gaps.", "strong")


def _build_statements(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """What a language model wrote: the short answer, the option that was chosen, the rest topic by topic."""
    if answer.abstained:
        yield List(f"No answer is given. {answer.reason}", kind="abstention")
        relevant = sorted(answer.evidence, key=lambda item: -item.relevance)
        works = dict.fromkeys(describe_reference(item.passage.reference) for item in relevant)
        yield List("Closest matches, which do not answer it", tuple(map(Text, [*works][:MAX_NEAREST])))
    if answer.readership:
        yield Text(answer.readership, "strong")
    leads = [statement for statement in answer.statements if statement.lead]
    lost = _describe_lost_leads(answer)
    if leads or lost:
        yield Heading("In short", is_lead=True)
        yield from [Text(lost, "strong")] if lost else []
        yield from (_build_statement(each, cited) for each in leads)
        # Only what a model wrote needs an author.
        if answer.writer and answer.basis == "evidence":
            yield Text(_describe_writing(answer), "aside")
    if options := answer.question.options:
        yield Heading("Choice")
        chosen = f"{answer.choice}. {options[answer.choice]}" if answer.choice in options else ""
        yield Text(chosen or "No option could be confirmed.", "strong")
    for topic, statements in _group_by_topic(answer):
        yield from [Heading(topic)] if topic else []
        table, inside = _build_comparison(statements, cited, answer.question.text)
        yield from table
        for each in statements:
            said = _build_statement(each, cited)
            # A table says what its statements say; who reads without quotes needs those in full that are doubtful.
            is_told = each in inside and not said.remark and not said.items
            yield replace(said, detail="quotes") if is_told else said


def _describe_lost_leads(answer: types.Answer) -> str:
    """That the short answer was taken out, or a part of it, and why; "" where it stands, and where nothing does."""
    if not answer.lost_leads or not answer.statements:
        return ""
    # The words that contradict it say so themselves.
    reasons = [one.reason.removeprefix("its source contradicts it: ") for one in answer.lost_leads]
    reasons = [explain_reason(one).rstrip(".") for one in reasons]
    why = "; ".join(short_line(one, MAX_REASON_WORDS) for one in dict.fromkeys(reasons))
    if any(one.lead for one in answer.statements):
        return f"A part of the short answer was taken out: {why}. The rest may be incomplete."
    return (
        f"The statement that answered the question was taken out: {why}. "
        "What follows passed the check, but may not answer the question."
    )


def _build_comparison(
    statements: Sequence[types.Statement], cited: NumberedReferences, asked: str
) -> tuple[list[Block], list[types.Statement]]:
    """The table of a topic, and the statements in its cells; none where it has not two alternatives."""
    cells: dict[tuple[str, str], list[types.Statement]] = {}
    for each in statements:
        if cell := each.cell:
            cells.setdefault((cell.row, cell.column), []).append(each)
    columns = tuple(dict.fromkeys(column for _, column in cells))
    names = dict.fromkeys(row for row, _ in cells)
    if len(names) < MIN_COMPARED:
        return [], []
    rows = tuple((row, tuple(_build_cell(cells.get((row, one), ()), cited, asked) for one in columns)) for row in names)
    return [ComparisonTable(columns, rows)], [each for inside in cells.values() for each in inside]


def _build_cell(statements: Sequence[types.Statement], cited: NumberedReferences, asked: str) -> Text:
    """What statements say in a cell, the works that they cite, and the status of the most doubtful of them."""
    statuses = [each.verdict.status for each in statements]
    numbers = (number for each in statements for number in cited.list_numbers(each.citations))
    return Text(
        "; ".join(_choose_cell_words(each, asked) for each in statements),
        citations=tuple(dict.fromkeys(numbers)),
        items=tuple(item for each in statements for item in _list_cautions(each)),
        status=max(statuses, key=_BY_DOUBT.index, default=None),
    )


def _choose_cell_words(statement: types.Statement, asked: str) -> str:
    """The words that a cell shows: those that were chosen, where they are the statement's and leave no “not”, “if” or
    figure behind; else all that it says.
    """
    text, cell = statement.text, statement.cell
    if not cell or not cell.words or cell.words.casefold() not in text.casefold():
        return text
    left = re.sub(re.escape(cell.words), " ", text, count=1, flags=re.IGNORECASE)
    # Row and column say it already: "AKI stage 1"; "non-valvular" of the question, or the topic, holds for every cell.
    asked = f"{asked} {statement.topic.casefold()}"
    for name in (cell.row, cell.column):
        left = re.sub(re.escape(name), " ", left, flags=re.IGNORECASE)
    bound = {one.group().casefold() for one in _BINDING.finditer(left.casefold())}
    is_bound = any(one not in asked.casefold() for one in bound) or bool(find_ranges(left))
    return text if is_bound else cell.words


def _describe_writing(answer: types.Answer) -> str:
    """Who wrote, and how the statements were checked: in how many the source's words, a model or nobody vouches."""
    statuses = Counter(each.verdict.status for each in answer.statements)
    is_second = bool(answer.checker) and answer.checker != answer.writer
    checker = f"{answer.checker}, a second model" if is_second else "the model that wrote it"
    # An answer of an earlier version does not say who checked it.
    by = f" by {checker}" if answer.checker else ""
    differing = sum(bool(each.differences) for each in answer.statements if each.verdict.status == "verified")
    beside = f" ({differing} of them to be compared with the words of the source below)" if differing else ""
    told = [
        (statuses["verbatim"], "in the source's own words"),
        (statuses["verified"], f"checked{by}{beside}"),
        (statuses["contradicted"] + statuses["unsupported"], "contradicted or not supported"),
        (statuses["unverified"] + statuses["unjudged"], "not verified"),
    ]
    counts = ", ".join(f"{number} {how}" for number, how in told if number)
    # What is missing may decide what is safe: it stands where the answer is read first.
    missing = f" Nothing was found on: {'; '.join(answer.not_found)}." if answer.not_found else ""
    gaps = missing or (" See Gaps for what is missing." if answer.lost else "")
    shown = format_count(len(answer.statements), "statement")
    return f"Written by {answer.writer} from the sources below. {shown}: {counts}.{gaps}"


def _build_statement(statement: types.Statement, cited: NumberedReferences) -> Text:
    """A statement with the words that it rests on, and what of it is not for the patient or not verified."""
    return Text(
        statement.text,
        citations=cited.list_numbers(statement.citations),
        status=statement.verdict.status,
        remark=_describe_doubt(statement),
        items=_list_cautions(statement),
        quotes=cited.quote(statement.citations),
    )


def _list_cautions(statement: types.Statement) -> tuple[Text, ...]:
    """What is wrong in the lines that it quotes, and the places of its source to compare with it."""
    return (*(Text(one.note) for one in statement.errata), *map(_describe_difference, statement.differences))


def _describe_difference(difference: types.SourceDifference) -> Text:
    """Both places: which of them holds for the statement, its reader sees."""
    said = f"Compare “{difference.statement}” with its source" if difference.statement else "Compare with its source"
    return Text(f"{said}: “{difference.source}”.")


def _describe_doubt(statement: types.Statement) -> str:
    """What of a statement is not verified; "" when there is nothing to say."""
    verdict = statement.verdict
    # Only a doubtful verdict is spoken: a marker without words says that the check was passed.
    is_doubtful = verdict.status in ("contradicted", "unverified") and statement.citations and verdict.reason
    return f"{STATUS_WORDS[verdict.status]}: {explain_reason(verdict.reason)}" if is_doubtful else ""


def _list_next_steps(answer: types.Answer) -> Iterator[NextStep]:
    """What may bring an answer, as far as it was not done."""
    if not answer.attempts:
        # Nothing was searched: either there is no library yet, or the gaps below say what went wrong.
        if not answer.gaps and not answer.question.given:
            yield NextStep("create library")
        return
    if any(attempt.status == "failed" for attempt in answer.attempts):
        yield NextStep("check sources")
    yield NextStep("rephrase")
    if answer.evidence:
        yield NextStep("read hits")
    # The words of a search leave this machine only when the user asks for it, so it is offered, never done.
    if not {attempt.search.source for attempt in answer.attempts}.intersection(LIVE_SOURCES):
        yield NextStep("search research")


def _group_by_topic(answer: types.Answer) -> Iterator[tuple[str, list[types.Statement]]]:
    """What the short answer leaves to say, under its headings, each once; "" where nothing has one."""
    topics: dict[str, list[types.Statement]] = {}
    for statement in answer.statements:
        if not statement.lead:
            topics.setdefault(statement.topic, []).append(statement)
    has_leads = any(statement.lead for statement in answer.statements)
    # Statements without a topic need a heading only beside others that have one.
    untitled = "From other sources" if any(topics) else "In detail" if has_leads else ""
    return ((topic or untitled, statements) for topic, statements in topics.items())


def list_gaps(answer: types.Answer) -> list[types.Gap]:
    """The gaps of an answer, and any search that failed and is none of them."""
    known = {gap.source for gap in answer.gaps}
    failed = (
        types.Gap(source=attempt.search.source, status="failed", reason=attempt.error)
        for attempt in answer.attempts
        # A gap already names its source: the same outage is not shown twice.
        if attempt.status == "failed" and attempt.search.source not in known
    )
    return [*answer.gaps, *failed]


def build_gaps(gaps: Sequence[types.Gap], parts: Sequence[str] = ()) -> List:
    """What is missing, a sentence each; which sources could not be searched, and why."""
    missing = (Text(f"{gap.source} ({gap.status}): {gap.reason}", step=gap.next_step) for gap in gaps)
    return List("Gaps", (*map(Text, parts), *missing), "gap")


def list_missing_parts(answer: types.Answer) -> list[str]:
    """What nothing that was found answers, and what the draft said that failed its check."""
    lost = [f"Left out: {topic} (what the draft said on it failed the check)" for topic in answer.lost]
    # Of sections, what is not found is said among them.
    where = " in the passages read" if answer.writer else ""
    return [*(f"Not found{where}: {part}" for part in answer.not_found if not answer.head), *lost]


def _describe_recommendation(answer: types.Answer) -> Iterator[Text]:
    """How a question was asked for a patient; how strong a model's recommendation is, and what does not fit it."""
    made, pico = answer.recommendation, answer.question.pico
    if made is None or not answer.statements:
        return
    if answer.writer:
        yield Text(f"strength: {made.strength}; certainty: {made.certainty} (in the sources' own words)")
    if pico:
        typed = f"“{answer.question.asked}” as " if answer.question.asked else "as "
        parts = {name: getattr(pico, name) for name in types.Pico.model_fields}
        yield Text(f"asked {typed}{'; '.join(f'{name}: {text}' for name, text in parts.items() if text)}")
    yield from (Text(f"the model's own remark, from no source: {misfit}") for misfit in made.fit)


def _list_conflicts(answer: types.Answer, cited: NumberedReferences) -> Iterator[Text]:
    """What sources do not agree on: each side once, with its words; what it is about, where no side says just that."""
    for conflict in answer.conflicts:
        said = (text for side in conflict.sides for text in (side.says, side.quote))
        if not any(has_same_words(conflict.about, text) for text in said):
            yield Text(conflict.about)
        yield from (_describe_side(side, cited) for side in conflict.sides)
        yield from [Text(f"settled by the writer: {conflict.resolution}")] if conflict.resolution else []


def _describe_side(side: types.ConflictSide, cited: NumberedReferences) -> Text:
    passage = cited.passages[side.passage_id]
    at = passage.start + passage.text.index(side.quote)
    words = types.Citation(passage_id=passage.id, quote=side.quote, start=at, end=at + len(side.quote))
    # The quote stands behind it.
    says = "" if has_same_words(side.says, side.quote) else side.says.rstrip(".")
    return Text(says, quotes=(cited.quote_passage(passage, [words]),))


def _list_uncited(answer: types.Answer, cited: NumberedReferences) -> Iterator[Text]:
    """Works that a model judged relevant to the question, and that nothing cites."""
    works = {
        item.passage.reference.id: item.passage.reference
        for item in answer.uncited_evidence
        # What was not judged may be about anything: only works that were found relevant are named.
        if item.passage.reference.id not in cited.numbers and not (item.judged and item.judged.label == "unjudged")
    }
    for reference in () if answer.abstained else works.values():
        yield Text(f"{name_work(reference)} ({reference.year or 'undated'})")


def _build_record(answer: types.Answer) -> Iterator[Block]:
    """What was read in the record, with its words, and what could not be read."""
    if (made := answer.recommendation) is None:
        return
    yield List("Read in the record", tuple(_list_rows(made)))
    # The words of a record are in no file: an answer that was read from one has none to show.
    unread = [Text(f"“{line}”") for line in made.unread[:MAX_UNREAD_LINES]]
    more = len(made.unread) - MAX_UNREAD_LINES
    unread += [Text(f"and {format_count(more, 'other line')}", "aside")] if more > 0 else []
    yield List("Nothing was read from these parts of the record", tuple(unread))
    yield List("Not known", tuple(map(Text, made.missing)))


def _list_rows(made: types.Recommendation) -> Iterator[Text]:
    """A line for each kind of row: what it is called here, with the record's words."""
    for kind, title in _RECORD_TITLES.items():
        rows = [row for row in made.record if row.kind == kind]
        if rows:
            yield Text(f"{title}: {'; '.join(map(_describe_row, rows))}")


def _describe_row(row: types.RecordRow) -> str:
    told = [f"“{row.words}”"] if row.words and row.words.casefold() != row.name.casefold() else []
    told += [row.time] if row.time and row.time not in row.words else []
    name = "" if row.kind == row.name else row.name
    return f"{name} ({', '.join(told)})" if name and told else name or ", ".join(told)


def _list_lines_to_check(answer: types.Answer, cited: NumberedReferences) -> Iterator[Text]:
    """Each line with the words of the record that it names; whether it holds for the patient its reader decides."""
    for line in answer.recommendation.lines if answer.recommendation else ():
        words = "; ".join(dict.fromkeys(f"“{each}”" for each in line.record)) or ", ".join(line.about)
        drugs = f"{', '.join(line.drugs)}: " if line.drugs else ""
        notes = tuple(Text(one.note) for one in line.errata)
        quotes = (cited.quote_passage(line.passage, line.citations),)
        yield Text(f"{drugs}the record says {words}", items=notes, quotes=quotes)
