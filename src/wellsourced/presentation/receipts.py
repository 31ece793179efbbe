"""The receipt of an answer: what was asked and found, in a sentence and step by step; what the draft lost in its check;
what language models were asked.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import List, Text
from wellsourced.presentation.progress import describe_outcome
from wellsourced.presentation.references import NumberedReferences
from wellsourced.presentation.wording import STATUS_WORDS, explain_reason, format_count
from wellsourced.text.sanitization import short_line
from wellsourced.types import PLANNING_TIER, Answer, Attempt, Omission, Question, RecordFlow, Usage

DISCLAIMER = "Not medical advice: check the sources before you act on them."
UNSOURCED_DISCLAIMER = "Not medical advice, and without a source: do not act on it."

MAX_NOTES = 6
"""Notes that an answer shows; a receipt has the others."""

REPLACING_KINDS = ("spelling", "brand")
"""Readings that replace a word of the question; other names are searched for as well, which is no news."""


def build_notes(answer: Answer) -> List:
    """What a reader should know of how the question was read, searched for and answered; no more than fits a glance."""
    notes = _list_notes(answer)
    more = len(notes) - MAX_NOTES
    rest = [Text(format_count(more, "more note"), step=NextStep("show receipt"))] if more > 0 else []
    return List("Notes", (*map(Text, notes[:MAX_NOTES]), *rest), "note")


def _list_notes(answer: Answer) -> list[str]:
    replaced = [each for each in answer.question.expansions if each.kind in REPLACING_KINDS]
    question = answer.question.model_copy(update={"expansions": tuple(replaced)})
    searched = (f"{each.search.source}: {note}" for each in answer.attempts for note in each.notes)
    return list(dict.fromkeys((*list_interpretations(question), *answer.notes, *searched)))


def build_receipt(answer: Answer, cited: NumberedReferences) -> Iterator[List | Text]:
    """How an answer was found, step by step and in a sentence, how long it took, and what it is not."""
    steps = tuple(map(Text, list_steps(answer)))
    yield List("What was searched, and how", steps, detail="receipt")
    yield from build_closing([answer], describe_search(answer, cited))


def build_closing(answers: Sequence[Answer], summary: str = "") -> Iterator[Text]:
    """How answers were found, how long they took, and whether they are in the sources' own words; what they are not."""
    given = [answer for answer in answers if not answer.abstained]
    is_quoted = all(answer.basis == "evidence" and not answer.writer for answer in given)
    # Answers are made at once, so the longest counts. How long it took to find none helps no reader.
    seconds = max((sum(answer.timings.values()) for answer in answers), default=0.0)
    is_marked = any(section.marked for answer in given for section in answer.sections)
    marked = ", with the lines nearest to the question marked" if is_marked else ""
    own = f", in the sources' own words{marked}" if is_quoted else ""
    time = f"Answered in {seconds:.1f} s{own}" if given else ""
    if sentences := [part for part in (summary, time) if part]:
        yield Text(f"{'. '.join(sentences)}.", "aside")
    is_unsourced = any(answer.basis == "parametric" for answer in answers)
    yield Text(UNSOURCED_DISCLAIMER if is_unsourced else DISCLAIMER, "aside")


def list_steps(answer: Answer) -> Iterator[str]:
    """Every source that was asked and its results, what models were asked, and why passages and statements fell."""
    notes = _list_notes(answer)
    known = (*list_interpretations(answer.question), *notes)
    yield from (note for note in dict.fromkeys(known) if note not in notes[:MAX_NOTES])
    yield from (describe_attempt(each, answer.question) for each in answer.attempts)
    # The figures in a reason differ from passage to passage.
    reasons = (re.sub(r"\s*\(.*?\)", "", omission.reason) for omission in answer.dropped if omission.what == "passage")
    if why := "; ".join(f"{number} {reason}" for reason, number in sorted(Counter(reasons).items())):
        yield f"left out: {why}"
    if answer.flow:
        yield describe_flow(answer.flow)
    if (checks := answer.checks) and checks.drafted:
        counts = {word: getattr(checks, status) for status, word in STATUS_WORDS.items()}
        counts |= {"rewritten": checks.repaired, "dropped": checks.dropped}
        ends = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        yield f"{format_count(checks.drafted, 'statement')} drafted: {ends}"
        yield from checks.record
    yield from (describe_loss(omission) for omission in answer.dropped if omission.what == "statement")


def describe_flow(flow: RecordFlow) -> str:
    """The counts of PRISMA's flow diagram, in a line."""
    found = f"records (PRISMA): {describe_identified(flow.identified)}; {format_count(flow.duplicates, 'duplicate')}"
    left_out = ", ".join(f"{number} {why}" for why, number in flow.excluded.items())
    works = flow.included + sum(flow.excluded.values())
    shown = f"{format_count(works, 'work')}, {flow.included} of them cited or shown"
    return f"{found}; {shown}; left out: {left_out or 'none'}"


def describe_identified(identified: Mapping[str, int]) -> str:
    """How many records were found, in all and by source."""
    by_source = ", ".join(f"{name} {number}" for name, number in identified.items())
    return f"{sum(identified.values())} found ({by_source})"


def describe_search(answer: Answer, cited: NumberedReferences) -> str:
    """What was searched, how much of it was used and what models were asked, in a sentence; "" when nothing was."""
    parts = [f"Searched: {', '.join(_count_by_source(answer))}"] if answer.attempts else []
    is_asked = answer.spent.calls or answer.spent.cached
    if answer.left_out:
        parts.append(f"not searched, since other libraries were named: {', '.join(answer.left_out)}")
    # A question whose text was given is answered without a search, and its passages were still judged.
    parts += _describe_use(answer, cited) if answer.attempts or answer.question.given else []
    # A draft counts what it lost for good; without one, what was left out is all that was lost.
    omitted = sum(omission.what == "statement" for omission in answer.dropped)
    if lost := answer.checks.dropped if answer.checks and is_asked else omitted:
        parts.append(f"{format_count(lost, 'statement')} dropped by the check")
    if is_asked:
        parts.append(describe_usage(answer.spent))
    return "; ".join(parts)


def _count_by_source(answer: Answer) -> Iterator[str]:
    """Each source with what all its searches found; failures are named whatever the others found."""
    # Trials of a planner are not what the answer was made from; that one failed is news.
    counted = [each for each in answer.attempts if each.tier != PLANNING_TIER or each.status == "failed"]
    for name in dict.fromkeys(each.search.source for each in counted):
        attempts = [each for each in counted if each.search.source == name]
        number, failures = sum(each.found for each in attempts), sum(each.status == "failed" for each in attempts)
        found = format_count(number, "passage") if number else "nothing found"
        failed = f", {failures} of {len(attempts)} searches failed" if failures else ""
        yield f"{name} ({'failed' if failures == len(attempts) else found + failed})"


def _describe_use(answer: Answer, cited: NumberedReferences) -> Iterator[str]:
    """How many passages were read and relevant, whether they count or not, and how many works are cited."""
    if answer.head:
        shown = f"{format_count(len(answer.sections), 'section')} shown, of {format_count(len(cited.numbers), 'work')}"
        yield from [shown] if cited.numbers else []
        return
    labels = [item.judged and item.judged.label for item in answer.evidence]
    # Where a model judged any, one without a verdict was withheld: for a patient, what is written for clinicians.
    uncounted = ("unjudged", None) if any(label not in ("unjudged", None) for label in labels) else ("unjudged",)
    relevant = sum(label not in uncounted for label in labels)
    passages = [omission for omission in answer.dropped if omission.what == "passage"]
    judged = relevant + sum(omission.is_judged for omission in passages)
    # With nothing judged, the passages that were kept were read all the same.
    read = judged or len(answer.evidence) + sum(omission.was_read for omission in passages)
    if judged:
        verb = "was" if relevant < 2 else "were"
        yield f"{relevant or 'none'} of {format_count(judged, 'passage')} read {verb} relevant"
    elif read:
        yield f"{format_count(read, 'passage')} read"
    if unread := len(answer.evidence) + len(passages) - read:
        yield f"{unread} not read"
    if cited.numbers:
        yield f"{format_count(len(cited.numbers), 'work')} cited"


def list_interpretations(question: Question) -> Iterator[str]:
    """What was searched for in place of what was typed; how words were understood in other ways, and who says so."""
    if question.asked and question.asked != question.text:
        yield f"searched for as “{question.text}”"
    for each in question.expansions:
        read = "read “{}” as" if each.kind == "spelling" else "understood “{}” also as"
        yield f"{read.format(each.said)} “{each.meant}” ({each.kind}, {each.source})"


def describe_attempt(attempt: Attempt, question: Question | None = None) -> str:
    """The source, its query when that is not the question in its own words, and what came of it."""
    words = attempt.search.query.text
    tried = "tried while planning: " if attempt.tier == PLANNING_TIER else ""
    query = "" if question and words == question.text else f", query “{words}”"
    return f"{tried}{attempt.search.source}{query}: {describe_outcome(attempt)}"


def describe_usage(spent: Usage) -> str:
    """Calls, tokens, and what they cost."""
    parts = [f"{format_count(spent.calls, 'call')} to language models"]
    if spent.cached:
        parts.append(f"{spent.cached} from the cache")
    if spent.tokens_in or spent.tokens_out:
        parts.append(f"{spent.tokens_in:,} tokens read and {spent.tokens_out:,} written")
    # None is a price that is not known, and 0 a model that costs nothing: the second needs no words.
    price = f"${spent.cost:.4f}" if spent.cost else ""
    return ", ".join(filter(None, (*parts, "price unknown" if spent.cost is None else price)))


MAX_LOSS_WORDS = 20
"""Words of a statement that failed its check that a receipt shows, and of the reason."""


def describe_loss(omission: Omission) -> str:
    """A drafted statement that is not in the answer as it was drafted, and why, both shortened."""
    fate = "dropped after rewriting" if omission.is_rewrite else "rewritten" if omission.rewritten_as else "dropped"
    reason = short_line(explain_reason(omission.reason), MAX_LOSS_WORDS)
    return f"{fate}: “{short_line(omission.text, MAX_LOSS_WORDS)}”: {reason}"
