"""What stands beside the statements of a draft: parts that it found nothing on, terms that it explains from common
knowledge, and which statement leads.
"""

import re
from collections.abc import Iterable, Sequence

from wellsourced.medicine.quantities import extract_quantities
from wellsourced.pipeline.read.screening import has_all_numbers
from wellsourced.prompts.writing import DraftGloss
from wellsourced.text.passages import words_under_title
from wellsourced.text.sanitization import deduplicate_texts, one_line
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import Evidence, Gloss, Omission, Question, Statement

MAX_PARTS = 6
"""Parts that are named."""

MAX_PART_WORDS = 20
"""Words that name a part; a few are asked for, and more than this say something."""

_ADVICE = re.compile(
    r"\b(?:should|must|ought|recommend(?:s|ed)?|(?:contra)?indicated|avoid|do not|is safe|are safe)\b", re.IGNORECASE
)
"""What says what to do: that needs a source."""


_ASKING = re.compile(r"(?:whether|if|which|what|when|how|who|whom|where|why)\b", re.IGNORECASE)
"""What opens a part that asks, and advises nothing: "whether lisinopril should be stopped"."""


def find_lost_topics(
    drafted: Sequence[str], kept: Sequence[Statement], question: Question, not_found: Sequence[str] = ()
) -> tuple[str, ...]:
    """The topics of a draft of which nothing that is said speaks any more, as far as they only name something.

    drafted     the topic of each drafted statement
    not_found   what is named already as found nowhere, and not told again as lost
    """
    said = {one.topic.casefold() for one in kept}
    lost = [topic for topic in deduplicate_texts(drafted) if topic.casefold() not in said]
    named, _ = check_not_found(lost, question)
    told = (*not_found, *(f"{one.topic} {one.text}" for one in kept))
    return tuple(topic for topic in named if not is_named(topic, told))


def is_named(part: str, named: Iterable[str]) -> bool:
    """Whether one of the names has all content words of a part."""
    stems = set(content_stems(part))
    return any(stems and stems <= set(content_stems(name)) for name in named)


def check_not_found(drafted: Iterable[str], question: Question) -> tuple[tuple[str, ...], tuple[Omission, ...]]:
    """What a model says it found nothing on, each once, as far as it names something and says nothing; and the rest.

    A figure that the question does not have, advice, and a long text would be read as an answer without a source. What
    is left out is told with the reason, so that nobody takes the rest for all that was asked.
    """
    asked = "\n".join((question.text, question.asked, question.patient, *(turn.text for turn in question.history)))
    said = {part.casefold(): part for one in map(one_line, drafted) if (part := one.strip(" .;"))}
    reasons = {part: _find_fault(part, asked) for part in said.values()}
    named = [part for part, reason in reasons.items() if not reason]
    dropped = [Omission.of_statement(part, reason) for part, reason in reasons.items() if reason]
    return tuple(named[:MAX_PARTS]), tuple(dropped)


def _find_fault(part: str, asked: str) -> str:
    if len(part.split()) > MAX_PART_WORDS:
        return "reported as not found, in a text too long for a name"
    # A figure that the question does not have would be read as an answer without a source.
    if not has_all_numbers(part, asked):
        return "reported as not found, with a figure that the question does not have"
    advises = _ADVICE.search(part) and not _ASKING.match(part)
    return "reported as not found, with advice" if advises else ""


def ensure_lead(
    question: Question, statements: Sequence[Statement], evidence: Sequence[Evidence]
) -> tuple[Statement, ...]:
    """The statements of a draft without a short answer: the one that answers best leads.

    It is the one whose passage is relevant and that has, with its titles, most of the question's words.
    """
    if not statements:
        return ()
    items = {item.passage.id: item for item in evidence}

    def rate_fitness(statement: Statement) -> float:
        cited = [items[id] for id in statement.cited_ids if id in items]
        said = ((one.relevance, words_under_title(one.passage, statement.text)) for one in cited)
        return max((relevance * stem_coverage(question.text, words) for relevance, words in said), default=0.0)

    best = max(statements, key=rate_fitness)
    return tuple(one.model_copy(update={"lead": one is best}) for one in statements)


MAX_GLOSS_WORDS = 30
"""Words of an explanation; 20 are asked for."""

_ADVICE_IN_GLOSS = re.compile(
    r"\b(?:should|must|ought|need(?:s|ed)? to|recommend\w*|advis\w*|avoid\w*)\b"
    r"|^(?:take|stop|ask|call|see|do not|don't)\b",
    re.IGNORECASE,
)
"""What says what to do: that needs a source."""


def check_glosses(drafted: Iterable[DraftGloss]) -> tuple[tuple[Gloss, ...], tuple[Omission, ...]]:
    """Each term once; and what has a figure or advises, needs a source, and is left out."""
    kept: dict[str, Gloss] = {}
    dropped: list[Omission] = []
    for one in drafted:
        term, meaning = one_line(one.term), one_line(one.meaning)
        if not term or not meaning or term.casefold() in kept:
            continue
        if reason := _find_gloss_fault(meaning):
            dropped.append(Omission.of_statement(f"{term}: {meaning}", reason))
        else:
            kept[term.casefold()] = Gloss(term=term, meaning=meaning)
    return tuple(kept.values()), tuple(dropped)


def select_glosses(glosses: Sequence[Gloss], statements: Sequence[Statement]) -> tuple[Gloss, ...]:
    """Those of terms that a statement which stands has as words of its own, in whatever form.

    A statement that was written anew may have another form of the term: "beta blocker" for "beta-blockers".
    """
    said = [_list_stems(statement.text) for statement in statements]
    return tuple(one for one in glosses if any(_contains_run(stems, _list_stems(one.term)) for stems in said))


def _list_stems(text: str) -> list[str]:
    """The stems of the content words of a text, its hyphens read as blanks."""
    return content_stems(re.sub(r"(?<=\w)[-‐-–](?=\w)", " ", text))


def _contains_run(stems: Sequence[str], run: Sequence[str]) -> bool:
    size = len(run)
    return size > 0 and any(list(stems[at : at + size]) == list(run) for at in range(len(stems) - size + 1))


def _find_gloss_fault(meaning: str) -> str:
    if re.search(r"\d", meaning) or extract_quantities(meaning):
        return "an explanation from common knowledge has a figure, which needs a source"
    if _ADVICE_IN_GLOSS.search(meaning):
        return "an explanation from common knowledge gives advice, which needs a source"
    if len(meaning.split()) > MAX_GLOSS_WORDS:
        return f"an explanation from common knowledge has more than {MAX_GLOSS_WORDS} words"
    return ""
