"""What an abstention says: why, what was nearest, and what its reader can do now."""

from collections.abc import Iterator, Mapping
from typing import Literal

from wellsourced.app.render.references import NumberedReferences, describe_briefly
from wellsourced.app.render.statements import statement_lines
from wellsourced.app.terminal import TerminalPage
from wellsourced.claims.asked_terms import shares_subject
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Answer, Passage

NextStep = Literal["add files", "mend a source", "ask otherwise", "read on", "search research"]

NEXT_STEPS: dict[NextStep, str] = {
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
    answer: Answer, cited: NumberedReferences, page: TerminalPage, steps: Mapping[NextStep, str] = NEXT_STEPS
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


def list_next_steps(answer: Answer) -> Iterator[NextStep]:
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
