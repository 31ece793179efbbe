"""The receipt of an answer: what was asked and found, in a sentence and step by step; what the draft lost in its check;
what language models were asked.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Callout, Item, Receipt
from wellsourced.presentation.progress import describe_outcome
from wellsourced.presentation.references import NumberedReferences
from wellsourced.presentation.statements import explain_reason
from wellsourced.presentation.wording import STATUS_WORDS, format_count
from wellsourced.text.sanitization import short_line
from wellsourced.types import PLANNING_TIER, Answer, Attempt, DraftChecks, Omission, Preflight, Question, Usage

DISCLAIMER = "Not medical advice: check the sources before you act on them."
UNSOURCED_DISCLAIMER = "Not medical advice, and without a source: do not act on it."

MAX_SOURCES = 6
"""Sources that the summary names; of more it says how many."""

MAX_NOTES = 6

REPLACING_KINDS = ("spelling", "brand")
"""Readings that replace a word of the question; other names are searched for as well, which is no news."""

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
    r"|.* was unsure of \d+ passages?, (?:which stayed|which were kept|still kept)"
    r"|the search of .* also has words |quotation marks a?round )"
)
"""How notes begin that tell how a step went, which changes nothing for who reads the answer: a receipt has them."""


def build_receipt(answer: Answer, cited: NumberedReferences) -> Receipt:
    """How an answer was found, how long it took, and what it is not."""
    return Receipt(
        describe_search(answer, cited),
        "Searched" if answer.attempts else "How it was answered",
        tuple(list_steps(answer, cited)),
        describe_time([answer]),
        choose_disclaimer([answer]),
    )


def list_steps(answer: Answer, cited: NumberedReferences) -> Iterator[str]:
    """Every source that was asked, its results, and how many of them are relevant; what models were asked."""
    yield from (*list_interpretations(answer.question), *answer.notes, *list_model_uses(answer))
    yield from (f"{describe_attempt(each, answer.question)}: {describe_outcome(each)}" for each in answer.attempts)
    # A question whose text was given is answered without a search, and its passages were still judged.
    is_read = bool(answer.attempts or answer.question.given)
    selection = [_describe_use(answer, cited), _explain_selection(answer), describe_check(answer)] if is_read else []
    yield from filter(None, (describe_left_out(answer), *selection))
    yield from (describe_loss(omission) for omission in answer.dropped if omission.what == "statement")


def describe_search(answer: Answer, cited: NumberedReferences) -> str:
    """What was searched, how much of it was used and what models were asked, in a sentence; "" when nothing was."""
    parts = []
    if answer.attempts:
        parts += [f"Searched: {', '.join(_count_by_source(answer))}", describe_left_out(answer)]
    if answer.attempts or answer.question.given:
        parts.append(_describe_use(answer, cited))
    parts.append(_count_dropped(answer))
    if answer.spent.calls or answer.spent.cached:
        cost = f", ${answer.spent.cost:.4f}" if answer.spent.cost else ""
        parts.append(f"{format_count(answer.spent.calls, 'call')} to language models{cost}")
    return "; ".join(filter(None, parts))


def build_notes(answer: Answer) -> Callout:
    """What a reader should know of how the question was read, searched for and answered; no more than fits a glance."""
    question = answer.question
    notes = [f"searched for as “{question.text}”"] if question.asked and question.asked != question.text else []
    # Another name beside the typed one finds more of the same; only what took a word's place may have changed the
    # question.
    replaced = [f"“{each.said}” as “{each.meant}”" for each in question.expansions if each.kind in REPLACING_KINDS]
    notes += [f"read {', '.join(replaced)}"] if replaced else []
    # How a step went is in the receipt: a note on the short page is one that may change what a reader does.
    notes += [note for note in answer.notes if not ROUTINE_STEPS.search(note)]
    notes += [
        f"{each.search.source}: {note}"
        for each in answer.attempts
        for note in each.notes
        if not ROUTINE_NOTES.search(note)
    ]
    items = [Item(note) for note in dict.fromkeys(notes)]
    more = len(items) - MAX_NOTES
    rest = [Item(format_count(more, "more note"), step=NextStep("show receipt"))] if more > 0 else []
    return Callout("note", "Notes", (*items[:MAX_NOTES], *rest))


def describe_time(answers: Sequence[Answer]) -> str:
    """How long answers took at most, since they are made at once, and whether they are in the sources' own words."""
    given = [answer for answer in answers if not answer.abstained]
    is_quoted = given and all(answer.basis == "evidence" and not answer.writer for answer in given)
    # The longest counts, not the sum: answers to several presets are made at the same time.
    seconds = max((sum(answer.timings.values()) for answer in answers), default=0.0)
    words = ", in the sources' own sentences" if is_quoted else ""
    # How long it took to find no answer helps no reader.
    return f"Answered in {seconds:.1f} s{words}" if given else ""


def choose_disclaimer(answers: Sequence[Answer]) -> str:
    """What an answer is not, and more strongly where no source supports one."""
    return UNSOURCED_DISCLAIMER if any(answer.basis == "parametric" for answer in answers) else DISCLAIMER


def _count_by_source(answer: Answer) -> Iterator[str]:
    """Each source with what all its searches found; failures are named whatever the others found."""
    by_source: dict[str, list[Attempt]] = {}
    for attempt in answer.attempts:
        by_source.setdefault(attempt.search.source, []).append(attempt)
    for name, attempts in list(by_source.items())[:MAX_SOURCES]:
        # Trials of a planner are not what the answer was made from.
        number = sum(each.found for each in attempts if each.tier != PLANNING_TIER)
        failures = sum(each.status == "failed" for each in attempts)
        found = format_count(number, "passage") if number else "nothing found"
        failed = f"{failures} of {len(attempts)} searches failed" if failures else ""
        # A source that a planner tried and dropped was reached: "nothing found" would be false.
        if not failures and all(each.tier == PLANNING_TIER for each in attempts):
            found = "tried, and left out of the plan"
        outcome = "failed" if failures == len(attempts) else ", ".join(filter(None, (found, failed)))
        yield f"{name} ({outcome})"
    if len(by_source) > MAX_SOURCES:
        yield f"and {format_count(len(by_source) - MAX_SOURCES, 'other source')}"


def _describe_use(answer: Answer, cited: NumberedReferences) -> str:
    relevant, judged, unjudged = _count_judged(answer)
    verb = "was" if relevant == 1 else "were"
    parts = [f"{relevant or 'none'} of {format_count(judged, 'passage')} read {verb} relevant"] if judged else []
    # With nothing judged, the passages that were kept were read all the same.
    parts += [f"{unjudged} not read" if judged else f"{format_count(unjudged, 'passage')} read"] if unjudged else []
    parts += [f"{format_count(len(cited.numbers), 'work')} cited"] if cited.numbers else []
    return "; ".join(parts)


def _count_judged(answer: Answer) -> tuple[int, int, int]:
    """How many passages were found relevant, how many were judged, and how many were not, whether they count or not."""
    relevant = sum(not (item.judged and item.judged.label == "unjudged") for item in answer.evidence)
    passages = [omission for omission in answer.dropped if omission.what == "passage"]
    judged = relevant + sum(omission.is_judged for omission in passages)
    return relevant, judged, len(answer.evidence) + len(passages) - judged


def _count_dropped(answer: Answer) -> str:
    """How many statements failed their check; "" when none did."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        dropped = answer.checks.dropped
        return f"{dropped} of {format_count(answer.checks.drafted, 'drafted statement')} dropped" if dropped else ""
    # Without a model nothing was drafted, so what fell is counted without a total.
    number = sum(omission.what == "statement" for omission in answer.dropped)
    return f"{format_count(number, 'statement')} dropped by the check" if number else ""


def _explain_selection(answer: Answer) -> str:
    """Why passages were left out, without the figures that differ from passage to passage."""
    reasons = (re.sub(r"\s*\(.*?\)", "", omission.reason) for omission in answer.dropped if omission.what == "passage")
    why = "; ".join(f"{number} {reason}" for reason, number in sorted(Counter(reasons).items()))
    return f"left out: {why}" if why else ""


def list_interpretations(question: Question) -> Iterator[str]:
    """What was searched for in place of what was typed; how words were understood in other ways, and who says so."""
    if question.asked and question.asked != question.text:
        yield f"searched for as “{question.text}”"
    for said, together in groupby(question.expansions, key=lambda each: each.said):
        ways = list(together)
        read = "read “{}” as" if ways[0].kind == "spelling" else "understood “{}” also as"
        yield f"{read.format(said)} {', '.join(f'“{each.meant}” ({each.kind}, {each.source})' for each in ways)}"


def describe_attempt(attempt: Attempt, question: Question | None = None) -> str:
    """The source, and its query when that is not the question in its own words."""
    words = attempt.search.query.text
    tried = "tried while planning: " if attempt.tier == PLANNING_TIER else ""
    is_asked = question is not None and words == question.text
    return tried + attempt.search.source + ("" if is_asked else f", query “{words}”")


def describe_left_out(answer: Answer) -> str:
    """The sources that are searched as a rule and were not, since others were named; "" when there are none."""
    names = " and ".join(filter(None, (", ".join(answer.left_out[:-1]), *answer.left_out[-1:])))
    return f"not searched: {names}, since other libraries were named" if names else ""


def describe_check(answer: Answer) -> str:
    """How the check went, of what a language model wrote; else how many statements did not pass it, if any."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        return describe_checks(answer.checks)
    return _count_dropped(answer)


def describe_checks(checks: DraftChecks) -> str:
    """Where quotes were found, what the verdicts were at first sight, what was done with the rest."""
    quotes = {
        "word for word": checks.quotes.exact,
        "but for typography": checks.quotes.normalised,
        "across two passages": checks.quotes.crossing,
        "in another passage than the one named": checks.quotes.misattributed,
        "nowhere": checks.quotes.invented,
    }
    verdicts = {word: getattr(checks, status) for status, word in STATUS_WORDS.items()}
    found, judged, ended = map(
        _join_counts, (quotes, verdicts, {"rewritten": checks.repaired, "dropped": checks.dropped})
    )
    parts = (f"quotes found: {found}" if found else "", judged, ended)
    return f"{format_count(checks.drafted, 'statement')} drafted; {'; '.join(filter(None, parts))}"


def _join_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)


def list_model_uses(answer: Answer) -> Iterator[str]:
    """How passages were read, and what language models were asked, a line each."""
    if answer.preflight:
        yield describe_preflight(answer.preflight)
    if answer.spent.calls or answer.spent.cached:
        yield describe_usage(answer.spent)


def describe_preflight(preflight: Preflight) -> str:
    """Whether passages were read in parts, and why."""
    way = f"read in {format_count(preflight.parts, 'part')}" if preflight.mapped else "read at once"
    saved = f", which saved {format_count(preflight.saved, 'call')}" if preflight.saved else ""
    return f"passages {way}{saved}: {preflight.reason}"


def describe_usage(spent: Usage) -> str:
    """Calls, how many waited for each other, tokens, and what they cost."""
    parts = [f"{format_count(spent.calls, 'call')} to language models"]
    if spent.depth > 1:
        parts.append(f"{spent.depth} in sequence")
    if spent.cached:
        parts.append(f"{spent.cached} from the cache")
    if spent.tokens_in or spent.tokens_out:
        parts.append(f"{spent.tokens_in:,} tokens read and {spent.tokens_out:,} written")
    # None is a price that is not known, and 0 a model that costs nothing: the second needs no words.
    if spent.cost is None:
        parts.append("price unknown")
    elif spent.cost:
        parts.append(f"${spent.cost:.4f}")
    return ", ".join(parts)


MAX_LOSS_WORDS = 20
"""Words of a statement that failed its check that a receipt shows."""

MAX_REASON_WORDS = 25
"""Words of the reason."""


def describe_loss(omission: Omission) -> str:
    """A drafted statement that is not in the answer as it was drafted, and why, both shortened."""
    fate = "dropped after rewriting" if omission.is_rewrite else "rewritten" if omission.rewritten_as else "dropped"
    reason = short_line(explain_reason(omission.reason), MAX_REASON_WORDS)
    return f"{fate}: “{short_line(omission.text, MAX_LOSS_WORDS)}”: {reason}"
