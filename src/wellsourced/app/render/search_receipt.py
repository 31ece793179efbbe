"""The receipt of a search: what was asked and found in a line or two, or each search in full; and passages as they were
found.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from wellsourced.app.render import answer_notes as noted
from wellsourced.app.render.references import NumberedReferences, list_losses, shorten_title
from wellsourced.app.terminal import print_data
from wellsourced.presentation.progress import describe_outcome
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import PLANNING_TIER, Answer, Attempt, Hit, Passage, Question

MAX_SOURCES = 6
"""Sources that the short form names; of more it says how many."""

MAX_NOTES = 6

REPLACING_KINDS = ("spelling", "brand")
"""Readings that replace a word of the question; other names are searched for besides, which is no news."""

ROUTINE_NOTES = re.compile(
    r"\b(?:found|nothing either|asked|searched) without\b|\bwords of the question\b|\bhas no record with\b"
    r"|\bgives only the first\b|\bwith all of: |\bno vocabulary of headings is here\b"
    r"|\bdocuments here have no headings\b"
)
"""How notes tell that a search was repeated with fewer words, ended at the most relevant records, or read headings as
words."""

ROUTINE_STEPS = re.compile(
    r"^(?:keywords by |\d+ different Boolean quer|plan [\d.]+: |of \d+ (?:search )?plans\b"
    r"|(?:nothing was noted|no notes) on the question in |of \d+ statements, .* judged "
    r"|.* was unsure of \d+ passages?, which (?:stayed|were kept)"
    r"|the search of .* also has words |quotation marks a?round )"
)
"""How notes begin that tell how a step went, which changes nothing for who reads the answer: a receipt has them."""


def search_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Every source that was asked, what it gave, and how much of it bears on the question; what models were asked."""
    told_first = (*interpretation_lines(answer.question), *answer.notes, *noted.model_use_lines(answer))
    if not answer.attempts and not told_first and not answer.question.given:
        return []
    told = [*told_first, *(f"{describe_attempt(one, answer)}: {describe_outcome(one)}" for one in answer.attempts)]
    told.append(describe_left_out(answer))
    # A question whose text was given is answered without a search, and its passages were still judged.
    if answer.attempts or answer.question.given:
        told += (describe_selection(answer), describe_check(answer))
    told += [one.line for one in list_losses(answer)]
    return page.section("Searched" if answer.attempts else "How it was answered", told)


def describe_search(answer: Answer, cited: NumberedReferences) -> str:
    """What was searched, how much of it was used and what models were asked, in a sentence; "" when nothing was."""
    told = []
    if answer.attempts:
        told.append(f"Searched: {', '.join(_count_by_source(answer))}")
        told.append(describe_left_out(answer))
    if answer.attempts or answer.question.given:
        told.append(_describe_use(answer, cited))
    told.append(_count_dropped(answer))
    if answer.spent.calls or answer.spent.cached:
        told.append(_describe_cost(answer))
    return "; ".join(filter(None, told))


def note_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """What a reader should know of how the question was read, searched for and answered; no more than fits a glance."""
    asked = answer.question
    told = [f"searched for as “{asked.text}”"] if asked.asked and asked.asked != asked.text else []
    # Another name beside the typed one finds more of the same; only what took a word's place may have changed the
    # question.
    read = [f"“{one.said}” as “{one.meant}”" for one in asked.expansions if one.kind in REPLACING_KINDS]
    told += [f"read {', '.join(read)}"] if read else []
    # How a step went is in the receipt: a note on the short page is one that may change what a reader does.
    told += [note for note in answer.notes if not ROUTINE_STEPS.search(note)]
    told += [
        f"{one.search.source}: {note}"
        for one in answer.attempts
        for note in one.notes
        if not ROUTINE_NOTES.search(note)
    ]
    told = list(dict.fromkeys(told))
    more = len(told) - MAX_NOTES
    rest = f"{format_count(more, 'more note')}: --receipt" if more > 0 else ""
    return page.section("Notes", [*told[:MAX_NOTES], rest])


def _count_by_source(answer: Answer) -> Iterator[str]:
    """Each source with what it gave in all its searches; failures are told whatever the others gave."""
    by_source: dict[str, list[Attempt]] = {}
    for attempt in answer.attempts:
        by_source.setdefault(attempt.search.source, []).append(attempt)
    for name, attempts in list(by_source.items())[:MAX_SOURCES]:
        # Trials of a planner are not what the answer was made from.
        number = sum(one.found for one in attempts if one.tier != PLANNING_TIER)
        failures = sum(one.status == "failed" for one in attempts)
        found = format_count(number, "passage") if number else "nothing found"
        failed = f"{failures} of {len(attempts)} searches failed" if failures else ""
        # A source that a planner tried and dropped was reached: "nothing found" would be false.
        if not failures and all(one.tier == PLANNING_TIER for one in attempts):
            found = "tried, and left out of the plan"
        told = "failed" if failures == len(attempts) else ", ".join(filter(None, (found, failed)))
        yield f"{name} ({told})"
    if len(by_source) > MAX_SOURCES:
        yield f"and {format_count(len(by_source) - MAX_SOURCES, 'other source')}"


def _describe_use(answer: Answer, cited: NumberedReferences) -> str:
    relevant, judged, unjudged = _count_judged(answer)
    told = [f"{relevant or 'none'} of {judged} judged relevant"] if judged else []
    told += [f"{format_count(unjudged, 'passage')} {'not judged' if judged else 'read unjudged'}"] if unjudged else []
    works = [f"{format_count(len(cited.numbers), 'work')} cited"] if cited.numbers else []
    return "; ".join((", ".join(told) or "nothing to judge", *works))


def _count_judged(answer: Answer) -> tuple[int, int, int]:
    """How many passages were found relevant, how many were judged, and how many were not, whether they count or not."""
    relevant = sum(not (one.judged and one.judged.label == "unjudged") for one in answer.evidence)
    passages = [one for one in answer.dropped if one.what == "passage"]
    judged = relevant + sum(one.is_judged for one in passages)
    return relevant, judged, len(answer.evidence) + len(passages) - judged


def _count_dropped(answer: Answer) -> str:
    """How many statements did not stand their check; "" when all did."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        dropped = answer.checks.dropped
        return f"{dropped} of {format_count(answer.checks.drafted, 'drafted statement')} dropped" if dropped else ""
    # Without a model nothing was drafted, so what fell is counted without a total.
    number = sum(one.what == "statement" for one in answer.dropped)
    return f"{format_count(number, 'statement')} dropped by the check" if number else ""


def _describe_cost(answer: Answer) -> str:
    calls = f"{format_count(answer.spent.calls, 'call') if answer.spent.calls else 'no call'} to language models"
    return f"{calls}, ${answer.spent.cost:.4f}" if answer.spent.cost else calls


def describe_selection(answer: Answer) -> str:
    """How many passages were judged, how many of them were kept, and why the others were not."""
    # Reasons without the figures that differ from passage to passage.
    left_out = Counter(re.sub(r"\s*\(.*?\)", "", one.reason) for one in answer.dropped if one.what == "passage")
    _, judged, unjudged = _count_judged(answer)
    why = "; ".join(f"{number} {reason}" for reason, number in sorted(left_out.items()))
    told = [f"{judged} judged", *([f"{unjudged} not judged"] if unjudged else []), f"{len(answer.evidence)} kept"]
    return ", ".join(told) + (f" (left out: {why})" if why else "")


def interpretation_lines(question: Question) -> Iterator[str]:
    """What was searched for in place of what was typed; how words were understood besides, and who says so."""
    if question.asked and question.asked != question.text:
        yield f"searched for as “{question.text}”"
    for said, together in groupby(question.expansions, key=lambda one: one.said):
        ways = list(together)
        read = "read" if ways[0].kind == "spelling" else "understood"
        also = "" if ways[0].kind == "spelling" else " also"
        told = (f"“{one.meant}” ({one.kind}, {one.source})" for one in ways)
        yield f"{read} “{said}”{also} as {', '.join(told)}"


def describe_attempt(attempt: Attempt, answer: Answer) -> str:
    """The source, and what it was asked when that is not the question in its own words."""
    words = attempt.search.query.text
    tried = "tried while planning: " if attempt.tier == PLANNING_TIER else ""
    return tried + attempt.search.source + ("" if words == answer.question.text else f", asked “{words}”")


def describe_left_out(answer: Answer) -> str:
    """The sources that are searched as a rule and were not, since others were named; "" when there are none."""
    named = " and ".join(filter(None, (", ".join(answer.left_out[:-1]), *answer.left_out[-1:])))
    return f"not searched: {named}, since other libraries were named" if named else ""


def describe_check(answer: Answer) -> str:
    """How the check went, of what a language model wrote; else how many statements did not pass it, if any."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        return noted.describe_checks(answer.checks)
    return _count_dropped(answer)


MAX_SNIPPET_CHARS = 240
"""Characters of a passage that a list shows."""

MAX_HEADINGS = 2
"""Headings, the innermost, of the section that a passage is of."""


def print_hits(hits: Sequence[Hit], where: str, page: TerminalPage, *, as_json: bool) -> None:
    """All hits, best first, as JSON or a few lines each; or that there are none."""
    if as_json:
        print_data([hit.model_dump(mode="json") for hit in hits])
        return
    if not hits:
        click.echo(f"Nothing in {where} fits.")
    for rank, hit in enumerate(hits, start=1):
        click.echo("\n".join(passage_lines(rank, hit.passage, page)))


def passage_lines(rank: int, passage: Passage, page: TerminalPage, source: str = "") -> list[str]:
    """One passage, set to the width: what it is of, its id and where it was found, how it begins."""
    reference = passage.reference
    title = shorten_title(reference.title) or reference.id
    year = str(reference.year or "")
    section = " › ".join(passage.section.split(" › ")[-MAX_HEADINGS:])
    words = sanitize_line(passage.text)
    beginning = words if len(words) <= MAX_SNIPPET_CHARS else f"{words[:MAX_SNIPPET_CHARS]}…"
    place = f"{passage.id} ({source})" if source else passage.id
    # Guidelines often carry their year in the title.
    told = ", ".join(part for part in (title, "" if year in title else year, section) if part)
    return [
        *page.wrap(told, "     ", f"{rank:>3}. "),
        *page.dim(page.wrap(place, "     ")),
        *page.wrap(beginning, "     "),
    ]
