"""An answer or an abstention as text for a terminal. Nothing is decided here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from wellsourced.app.render import answer_notes as noted
from wellsourced.app.render.answer_notes import warning_lines
from wellsourced.app.render.references import (
    NumberedReferences,
    describe_briefly,
    number_references,
    reference_lines,
    shorten_title,
)
from wellsourced.app.render.search_receipt import describe_search, note_lines, search_lines
from wellsourced.app.render.statements import lead_lines, statement_lines
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.claims.required_entities import shares_subject
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.wording import format_count
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Answer, Gap, Passage, SourceKind, Statement

KIND_HEADINGS: dict[SourceKind, str] = {
    "research": "From research articles",
    "trial": "From registered trials",
    "book": "From books",
    "own": "From your library",
}
"""The heading over statements without a topic, where others have one."""

DISCLAIMER = "Not medical advice: check the sources before you act on them."
QUOTED_WORDS = ", in the sources' own sentences"
UNSOURCED_WARNING = "Not medical advice, and without a source: do not act on it."


def render_answer(answer: Answer, page: TerminalPage, style: CitationStyle | None = None, hint: str = "") -> str:
    """The whole answer, or why there is none; then what is missing, the sources, and what was searched.

    style   in which journals would print the references; None: as the page says
    hint    how to see what a short page leaves out; a page with a receipt leaves nothing out
    """
    cited = number_references(answer)
    return join_parts(
        *content_parts(answer, cited, page),
        retraction_lines(answer, page),
        # A receipt has these notes in its list of searches.
        *([] if page.receipt else [note_lines(answer, page)]),
        failure_lines(answer, page),
        reference_lines(cited, page, style),
        *(
            [noted.uncited_lines(answer, cited, page), search_lines(answer, page), closing_lines([answer], page)]
            if page.receipt
            else [ending_lines(answer, cited, page, hint)]
        ),
    )


def answer_parts(
    answer: Answer, cited: NumberedReferences, page: TerminalPage, style: CitationStyle | None = None
) -> Iterator[list[str]]:
    """What is answered, part by part, down to the references."""
    yield from content_parts(answer, cited, page)
    yield reference_lines(cited, page, style)


AbstentionStep = Literal["add files", "mend a source", "ask otherwise", "read on", "search research"]

NEXT_STEPS: dict[AbstentionStep, str] = {
    "add files": "Make a library of your own files: wellsourced library create NAME --add FOLDER.",
    "mend a source": "See to the gaps below: a source could not be searched.",
    "ask otherwise": "Ask in other words, or one thing at a time.",
    "read on": "Read what was found: put the same question to `wellsourced search`.",
    "search research": "Search research too: --live pubmed (the words of the search then leave this machine).",
}
"""What can be done at a terminal."""

MAX_NEAREST = 3
"""Works that are named as near the question."""

NEXT_HEADING = "What you can do"


def abstention_lines(
    answer: Answer, cited: NumberedReferences, page: TerminalPage, steps: Mapping[AbstentionStep, str] = NEXT_STEPS
) -> Iterator[list[str]]:
    """Why there is no answer, what is nearest to one, and what to do; in an emergency its advice is what to do.

    steps   how what can be done is said where this is read
    """
    yield page.headings(f"No answer is given. {answer.reason}")
    # The sources' own sentences say more than titles do, so titles are shown only where there are none.
    if instead := sorted(answer.found_instead, key=lambda one: not one.lead):
        yield [*page.headings("What they say that is nearest"), *statement_lines(instead, cited, page)]
    else:
        yield page.section("Nearest to the question, but no answer", map(describe_nearest, nearest_passages(answer)))
    # Advice to call for help must not compete with advice on searching.
    if answer.emergency is None:
        yield page.section(NEXT_HEADING, [steps[one] for one in list_next_steps(answer)])


def nearest_passages(answer: Answer) -> list[Passage]:
    """The most relevant passage of each of the most relevant works; of guidelines, which are near every question, only
    what shares a disease or a drug with it."""
    best: dict[str, Passage] = {}
    for item in sorted(answer.evidence, key=lambda one: -one.relevance):
        is_guideline = item.passage.reference.kind == "guideline"
        # Guidelines are near every question: without a shared disease or drug their nearness says nothing.
        if is_guideline and not shares_subject(answer.question, text_under_titles(item.passage)):
            continue
        best.setdefault(item.passage.reference.id, item.passage)
    return list(best.values())[:MAX_NEAREST]


def describe_nearest(passage: Passage) -> str:
    """The section of a work, and the work."""
    section = passage.section.rpartition(" › ")[2]
    return f"{section}. In: {describe_briefly(passage.reference)}" if section else describe_briefly(passage.reference)


def list_next_steps(answer: Answer) -> Iterator[AbstentionStep]:
    """What may bring an answer, as far as it was not done."""
    if not answer.attempts:
        # Nothing was searched: either there is no library yet, or the gaps below say what went wrong.
        if not answer.gaps and not answer.question.given:
            yield "add files"
        return
    if any(one.status == "failed" for one in answer.attempts):
        yield "mend a source"
    yield "ask otherwise"
    if answer.evidence:
        yield "read on"
    # The words of a search leave this machine only when the user asks for it, so it is offered, never done.
    if not {one.search.source for one in answer.attempts}.intersection(LIVE_SOURCES):
        yield "search research"


def content_parts(answer: Answer, cited: NumberedReferences, page: TerminalPage) -> Iterator[list[str]]:
    """What is answered, part by part: the short answer, then what it leaves to say, topic by topic."""
    yield noted.emergency_lines(answer, page)
    yield noted.basis_lines(answer, page)
    # Before the answer, not behind it: who stops reading after the first line has read what speaks against acting on
    # it.
    yield warning_lines(answer, page)
    yield from abstention_lines(answer, cited, page) if answer.abstained else [summary_lines(answer, cited, page)]
    yield noted.choice_lines(answer, page)
    for title, statements in group_by_topic(answer, cited):
        yield topic_lines((title, statements), cited, page)
    yield noted.gloss_lines(answer, page)
    yield noted.recommendation_lines(answer, page)
    yield noted.conflict_lines(answer, cited, page)
    yield noted.study_card_lines(answer, cited, page)


def join_parts(*parts: Sequence[str]) -> str:
    """Parts with an empty line between those that say something."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def summary_lines(answer: Answer, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """The statements that lead and whose they are; nothing where none leads."""
    leads = [one for one in answer.statements if one.lead]
    if not leads:
        return []
    return [
        page.heading("In short"),
        *decision_lines(answer, page),
        *lead_lines(leads, cited, page),
        *page.dim(authorship_lines(answer, page)),
    ]


def decision_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Whether the sources say yes or no, where that is asked, and how often such a "yes" or "no" was right."""
    if answer.decision is None:
        return []
    if answer.decision.label == "not said":
        return page.wrap("The sources do not say yes or no.", "  ")
    # "Not said" and "depends" have no share of right answers: nothing was decided that could be right.
    if answer.decision.label == "depends":
        return page.wrap("It depends, by this source:", "  ")
    share = f"{answer.decision.probability:.0%}".replace("%", " %")
    return page.wrap(f"{answer.decision.label.capitalize()} (right in about {share} of such answers):", "  ")


def authorship_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Who wrote what follows, where a language model was asked."""
    # Only what a model wrote needs an author; a model that merely helped is named below as one that wrote nothing.
    if answer.writer and answer.basis == "evidence":
        lost = answer.checks.dropped if answer.checks else 0
        fallen = f"; of its draft {format_count(lost, 'statement')} did not stand" if lost > 0 else ""
        gaps = "; nothing was found on a part of the question, see the gaps" if answer.not_found else ""
        gaps = gaps or ("; see the gaps for what is missing" if answer.lost else "")
        told = f"Written by {answer.writer} from the sources below; every statement was checked{fallen}{gaps}."
        return page.wrap(told, "  ")
    if answer.basis == "evidence" and (answer.spent.calls or answer.spent.cached):
        return page.wrap("The sources' own sentences: nothing that a language model wrote is shown.", "  ")
    return []


def group_by_topic(answer: Answer, cited: NumberedReferences) -> Iterator[tuple[str, list[Statement]]]:
    """What the short answer leaves to say, under its headings, each once; "" where nothing has one."""
    topics: dict[str, list[Statement]] = {}
    for statement in answer.statements:
        if not statement.lead:
            topics.setdefault(statement.topic, []).append(statement)
    has_leads = any(statement.lead for statement in answer.statements)
    # Statements without a topic need a heading only beside others that have one.
    untitled = "From other sources" if any(topics) else "In detail" if has_leads else ""
    for topic, statements in topics.items():
        yield topic_heading(topic, statements, cited, untitled), statements


def topic_heading(topic: str, statements: Sequence[Statement], cited: NumberedReferences, untitled: str) -> str:
    """The heading of a topic. A work's title, which the references print, is shortened and has the work's number.

    untitled   what stands over statements without a topic that are not all of one kind of source
    """
    works = {cited.find_reference(citation).id: citation for one in statements for citation in one.citations}
    references = [cited.find_reference(citation) for citation in works.values()]
    if topic and len(references) == 1 and (rest := topic.removeprefix(references[0].title)) != topic:
        # With one work its title would repeat the reference that stands right below.
        if len(cited.numbers) == 1:
            return f"More from [1]{rest}"
        return f"From [{cited.numbers[references[0].id]}] {shorten_title(references[0].title)}{rest}"
    kinds = {reference.kind for reference in references}
    if topic or not untitled or len(kinds) != 1:
        return topic or untitled
    return KIND_HEADINGS.get(kinds.pop(), untitled)


def topic_lines(named: tuple[str, list[Statement]], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """A heading and its statements, each with its markers and, if wished, the words it rests on."""
    title, statements = named
    return [*page.headings(title), *statement_lines(statements, cited, page)]


def retraction_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """The works that may not count any more, and why: who knows one of them should not miss it here."""
    # Passages of one withdrawn work are one loss: the id of the work is what stands before "#".
    reasons = {one.id.rpartition("#")[0]: one.reason for one in answer.dropped if one.is_withdrawal}
    told = (f"{work}: {reason}" for work, reason in reasons.items())
    return page.section("Left out, since it may not count any more", told)


def failure_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """The gaps of an answer, any search that failed and is none of them, and what a writer found nothing on."""
    known = {gap.source for gap in answer.gaps}
    failed = (
        Gap(source=one.search.source, status="failed", reason=one.error)
        for one in answer.attempts
        # A gap already names its source: the same outage is not told twice.
        if one.status == "failed" and one.search.source not in known
    )
    return gap_lines((*answer.gaps, *failed), page, list_missing_parts(answer))


def gap_lines(missing: Sequence[Gap], page: TerminalPage, parts: Sequence[str] = ()) -> list[str]:
    """What the answer lacks, a sentence each; what could have been searched and was not, or could not be."""
    return page.section("Gaps", (*parts, *(f"{gap.source} ({gap.status}): {gap.reason}" for gap in missing)))


def list_missing_parts(answer: Answer) -> list[str]:
    """What nothing that was found answers, and what the draft said and did not stand its check."""
    lost = [f"Left out: {topic} (what the draft said on it did not stand its check)" for topic in answer.lost]
    return [*(f"Not found: {part}" for part in answer.not_found), *lost]


def ending_lines(answer: Answer, cited: NumberedReferences, page: TerminalPage, hint: str) -> list[str]:
    """What was searched and how long it took, in one paragraph; then what an answer is not."""
    told = (describe_search(answer, cited), describe_time([answer]), hint.rstrip("."))
    return page.dim([*page.wrap(f"{'. '.join(filter(None, told))}."), *page.wrap(choose_warning([answer]))])


def closing_lines(answers: Sequence[Answer], page: TerminalPage) -> list[str]:
    """How long it took, in whose words it is, and what an answer is not."""
    return page.dim(page.wrap(f"{describe_time(answers)}. {choose_warning(answers)}"))


def describe_time(answers: Sequence[Answer]) -> str:
    """How long answers took at most, since they are made at once, and whether they are in the sources' own words."""
    given = [answer for answer in answers if not answer.abstained]
    is_quoted = given and all(answer.basis == "evidence" and not answer.writer for answer in given)
    # The longest counts, not the sum: answers to several presets are made at the same time.
    seconds = max((sum(answer.timings.values()) for answer in answers), default=0.0)
    return f"{'Answered in' if given else 'No answer after'} {seconds:.1f} s{QUOTED_WORDS if is_quoted else ''}"


def choose_warning(answers: Sequence[Answer]) -> str:
    """What an answer is not, and more strongly where no source stands behind one."""
    return UNSOURCED_WARNING if any(answer.basis == "parametric" for answer in answers) else DISCLAIMER
