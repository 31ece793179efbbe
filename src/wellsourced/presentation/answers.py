"""An answer or an abstention as blocks. Nothing is decided here but the order and the words."""

import textwrap
from collections.abc import Iterator, Sequence

from wellsourced import types
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Block, Heading, List, Presentation, Text
from wellsourced.presentation.receipts import build_notes, build_receipt
from wellsourced.presentation.references import (
    NumberedReferences,
    build_references,
    describe_reference,
    name_work,
    number_references,
    shorten_title,
)
from wellsourced.presentation.sections import build_sections
from wellsourced.presentation.wording import STATUS_WORDS, explain_reason, format_count
from wellsourced.text.quotable_spans import has_same_words

MAX_NEAREST = 3
"""Works that are named as near the question."""

MAX_WHOLE_WARNINGS = 8
"""Warnings about what is asked, or else those under which a drug is not given, that are shown with their words; of the
rest a line each.
"""

MAX_BRIEF_WARNINGS = 5

MAX_BRIEF_CHARS = 130
"""Characters of the words of a warning that has a line only."""

_SEVERITIES: dict[types.WarningSeverity, str] = {
    "contraindicated": "Contraindicated",
    "avoid": "Avoid, stop or refer",
    "dose": "Dose or precondition",
    "caution": "Caution",
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
    # Before the answer, not behind it: who stops reading after the first line has read what speaks against acting on
    # it.
    yield from _build_warnings(answer, cited)
    yield from build_sections(answer, cited) if answer.head else _build_statements(answer, cited)
    # Advice to call for help must not compete with advice on searching.
    if answer.abstained and answer.emergency is None:
        yield List("What you can do", tuple(Text(step=step) for step in _list_next_steps(answer)))
    glosses = [Text(f"{gloss.term}: {gloss.meaning}") for gloss in answer.glosses]
    yield List("Terms explained by the language model, not by the sources", tuple(glosses))
    yield List("This recommendation", tuple(_describe_recommendation(answer)))
    yield List("Sources disagree", tuple(_list_conflicts(answer, cited)))


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
        items = (Text(f"{emergency.advice} (You wrote {signs}.)"),)
        yield List(f"This may be an emergency ({emergency.kind})", items, "emergency")
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
        near = [Text(each.text, citations=cited.list_numbers(each.citations)) for each in answer.found_instead]
        yield List("Closest matches, which do not answer it", tuple(near or map(Text, _list_nearest(answer))))
    if leads := [statement for statement in answer.statements if statement.lead]:
        yield Heading("In short", is_lead=True)
        yield from (_build_statement(each, cited) for each in leads)
        # Only what a model wrote needs an author.
        if answer.writer and answer.basis == "evidence":
            gaps = "; see Gaps for what is missing" if answer.not_found or answer.lost else ""
            written = f"Written by {answer.writer} from the sources below; every statement was checked{gaps}."
            yield Text(written, "aside")
    if options := answer.question.options:
        yield Heading("Choice")
        chosen = f"{answer.choice}. {options[answer.choice]}" if answer.choice in options else ""
        yield Text(chosen or "No option could be confirmed.", "strong")
    for topic, statements in _group_by_topic(answer):
        yield from [Heading(topic)] if topic else []
        yield from (_build_statement(each, cited) for each in statements)


def _build_statement(statement: types.Statement, cited: NumberedReferences) -> Text:
    """A statement with the words that it rests on, and what of it is not for the patient or not verified."""
    drugs = [drug for drug in cited.limited.get(statement.text, ()) if drug.casefold() in statement.text.casefold()]
    # Behind the marker, where the eye goes for support: a drug that is barred for this patient must not look
    # recommended.
    warning = f"not for this patient: {', '.join(drugs)}; see the warnings above" if drugs else ""
    return Text(
        statement.text,
        citations=cited.list_numbers(statement.citations),
        status=statement.verdict.status,
        remark="; ".join(filter(None, (warning, _describe_doubt(statement)))),
        quotes=cited.quote(statement.citations),
    )


def _describe_doubt(statement: types.Statement) -> str:
    """What of a statement is not verified; "" when there is nothing to say."""
    verdict = statement.verdict
    # Only a doubtful verdict is spoken: a marker without words says that the check was passed.
    is_doubtful = verdict.status in ("contradicted", "unverified") and statement.citations and verdict.reason
    return f"{STATUS_WORDS[verdict.status]}: {explain_reason(verdict.reason)}" if is_doubtful else ""


def _list_nearest(answer: types.Answer) -> list[str]:
    """The most relevant works that were found."""
    relevant = sorted(answer.evidence, key=lambda item: -item.relevance)
    return list(dict.fromkeys(describe_reference(item.passage.reference) for item in relevant))[:MAX_NEAREST]


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
    return [*(f"Not found: {part}" for part in answer.not_found if not answer.head), *lost]


def _describe_recommendation(answer: types.Answer) -> Iterator[Text]:
    """How strong a recommendation is, how certain, for whom it was asked, and what does not fit."""
    made, pico = answer.recommendation, answer.question.pico
    # An abstention without anything unchecked has no recommendation to describe.
    if made is None or not (answer.statements or made.unchecked):
        return
    # A strength beside a contraindication would be read as permission, so the warnings above stay alone.
    if answer.statements and made.is_barred:
        yield Text("No strength shown, because of the warnings above")
    elif answer.statements:
        yield Text(f"strength: {made.strength}; certainty: {made.certainty} (in the sources' own words)")
    if pico:
        typed = f"“{answer.question.asked}” as " if answer.question.asked else "as "
        parts = {name: getattr(pico, name) for name in types.Pico.model_fields}
        yield Text(f"asked {typed}{'; '.join(f'{name}: {text}' for name, text in parts.items() if text)}")
    yield from map(Text, made.unchecked)


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
    says = "" if has_same_words(side.says, side.quote) else side.says
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


def _build_warnings(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """The record's contradictions, then what sources say against what is asked; what is only taken comes briefly."""
    if (made := answer.recommendation) is None:
        return
    # A record that contradicts itself makes every warning drawn from it doubtful: it is named before them.
    items = [Text(contradiction, role="strong") for contradiction in made.contradictions]
    asked = [warning for warning in made.warnings if warning.is_asked]
    taken = [warning for warning in made.warnings if not warning.is_asked]
    forbidden = [warning for warning in taken if warning.severity in ("contraindicated", "avoid")]
    # What a patient only takes is quoted whole where nothing speaks against what is asked: the list stays short enough
    # to be read.
    others = [] if asked else forbidden[:MAX_WHOLE_WARNINGS]
    items += [_describe_warning(warning, cited) for warning in (*asked[:MAX_WHOLE_WARNINGS], *others)]
    brief = [*asked[MAX_WHOLE_WARNINGS:], *(warning for warning in taken if warning not in others)]
    items += [_describe_briefly(warning) for warning in brief[:MAX_BRIEF_WARNINGS]]
    more = len(brief) - MAX_BRIEF_WARNINGS
    if more > 0:
        items.append(Text(f"and {format_count(more, 'other warning')}", role="aside", step=NextStep("show json")))
    yield List("Before you act, for this patient", tuple(items), "patient")


def _describe_warning(warning: types.PatientWarning, cited: NumberedReferences) -> Text:
    # A guideline that repeats its own warning is one voice; where others say the same, they are named.
    also = (
        other.passage.reference for other in warning.also if other.passage.reference.id != warning.passage.reference.id
    )
    others = dict.fromkeys(shorten_title(name_work(reference)) for reference in also)
    return Text(
        _name_warning(warning),
        "strong",
        items=(Text(f"also: {'; '.join(others)}", "aside"),) if others else (),
        quotes=(cited.quote_passage(warning.passage, warning.citations),),
    )


def _describe_briefly(warning: types.PatientWarning) -> Text:
    cut = textwrap.shorten(warning.citations[-1].quote, MAX_BRIEF_CHARS, placeholder=" …")
    return Text(f"{_name_warning(warning)} “{cut}” ({shorten_title(warning.passage.reference.title)})", "aside")


def _name_warning(warning: types.PatientWarning) -> str:
    """How severe it is, the drugs, and why."""
    drugs = f" ({', '.join(warning.drugs)})" if warning.drugs else ""
    # No file has the words of a record: in an answer that was read from one, what they are about is all there is.
    words = "; ".join(dict.fromkeys(f"“{each}”" for each in warning.record))
    reason = f"the record says {words}" if words else f"for {', '.join(warning.about)}"
    return f"{_SEVERITIES[warning.severity]}{drugs}: {reason}."
