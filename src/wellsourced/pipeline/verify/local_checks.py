"""What speaks against a statement without a model: facts that differ from its source, doses, doubt; and which of it
overrules a model that found it there.
"""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from wellsourced.claims.extraction import strip_answer_word
from wellsourced.compare.quantities import is_supposed, list_underived_quantities
from wellsourced.compare.slots import REVERSALS, Slot, find_disagreements
from wellsourced.medicine.doses import find_dose_conflict
from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.medicine.units import measure_dimension
from wellsourced.pipeline.quote_placement import PassagesById, cited_passages, cited_sentences
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import stem_coverage
from wellsourced.text.typography import normalize_characters
from wellsourced.types import Passage, Question, Statement, Verdict, VerdictLabel

DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
"""The comma in "2,5 mg", as other languages than English write it."""

_MIXED_ALPHABETS = re.compile(r"[a-z][\u0400-\u04ff]|[\u0400-\u04ff][a-z]", re.IGNORECASE)
"""Letters that look like others: “inсreased” with a Cyrillic с is a word that no comparison knows."""

OTHER_DOSE = "a dose with another unit, route, rhythm or other people than the source gives"
_TWICE = r"twice(?! (?:daily|weekly|monthly|an?|per|each|every)\b)"
_MULTIPLES = {
    r"\bdoubl(?:ed|es|ing)\b": rf"doubl|two-?fold|{_TWICE}|100\s?%|\btwo times|(?<![\d.])2(?:\.0+)?(?:-fold|(?![\d.]))",
    r"\bhalv(?:ed|es|ing)\b": r"halv|\bhalf\b|50(?:\.0+)?\s?%|(?:two|2)-?fold|(?<![\d.])0?\.50?(?!\d|\s?[a-zµ])",
    r"\b(?:tripl|trebl)(?:ed|es|ing)\b": r"tripl|trebl|three-?fold|200\s?%|\bthree times|(?<![\d.])3(?:\.0+)?(?![\d.])",
}
"""Verbs that are numbers, and how else a source says them."""


MAX_REASONS = 4
"""Reasons against one statement that are told, the worst first."""


class Objection(NamedTuple):
    """What speaks against a statement: the kind of fact that differs, and the verdict that follows."""

    kind: str
    verdict: Verdict


def find_objection(
    statement: Statement, sentences: Sequence[str], passages: Sequence[Passage], language: str
) -> Objection | None:
    """What speaks against the statement, whoever supports it, all of it in the reason; None: nothing that can be seen.

    In another language than English only the numbers are compared: the words are those of the source's language. A yes
    or no at its beginning answers the question, and is compared with nothing: whoever knows the question judges it.
    """
    claim, evidence = strip_answer_word(statement.text), " … ".join(sentences)
    if language != "en":
        claim, evidence = (DECIMAL_COMMA.sub(".", text) for text in (claim, evidence))
        left = list_underived_quantities(claim, [evidence], [evidence])
        return join_objections([silent_objection("figure", f"“{one.words}” is not in its source") for one in left])
    around = " ".join(text_under_titles(passage) for passage in passages)
    found = sorted(find_disagreements(claim, evidence), key=lambda one: one.kind not in REVERSALS)
    return join_objections(
        [
            *([silent_objection("dose", OTHER_DOSE)] if find_dose_conflict(claim, sentences, around) else []),
            *filter(None, [find_mixed_alphabets(claim), _find_multiplying_verb(claim, evidence)]),
            *map(build_objection, found),
        ]
    )


def join_objections(found: Sequence[Objection]) -> Objection | None:
    """Several as one: of the kind of the first, which is the worst, with the reasons of all."""
    if not found:
        return None
    reasons = dict.fromkeys(one.verdict.reason for one in found)
    joined = "; ".join(list(reasons)[:MAX_REASONS])
    return found[0]._replace(verdict=found[0].verdict.model_copy(update={"reason": joined}))


def find_mixed_alphabets(claim: str) -> Objection | None:
    """A word of the claim that is written in letters of two alphabets."""
    if strange := _MIXED_ALPHABETS.search(claim):
        return silent_objection("word", f"it says “{strange.group()}”, which its source does not")
    return None


def silent_objection(kind: str, reason: str) -> Objection:
    """That the source does not say it, with the kind of fact and the reason in words."""
    return Objection(kind, Verdict(label="silent", score=0.0, reason=reason))


def _find_multiplying_verb(claim: str, evidence: str) -> Objection | None:
    """That the claim has a verb which is a number, and the evidence does not have it."""
    for verb, said in _MULTIPLES.items():
        if (found := re.search(verb, claim, re.IGNORECASE)) and not re.search(said, evidence, re.IGNORECASE):
            return silent_objection("word", f"it says “{found.group()}”, which its source does not")
    return None


def build_objection(one: Slot) -> Objection:
    """An open slot as an objection: a reversal contradicts, all else is not said."""
    label: VerdictLabel = "contradicts" if one.kind in REVERSALS else "silent"
    return Objection(one.kind, Verdict(label=label, score=0.0, reason=one.describe("claim", "text")))


# What overrules a model that found a statement in its source: a figure that nothing reaches, a copy turned round.
#
# The model has read both, and a rule cannot tell a paraphrase from a mistake. All else that seems to differ is asked
# on its own (`open_slots.py`), and keeps its mark where the model sees no difference.


COPY_COVERAGE = 0.85
"""Share of a claim's content words that a sentence of its source has, and the reverse, from which it is a copy."""

_BARE_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_DIFFERENCE_SHARE = 0.1
"""By what share a difference of two bare numbers may be rounded: "roughly 2 days more" of 4.8 and 2.7."""


def find_hard_failure(question: Question, statement: Statement, passages: PassagesById) -> Objection | None:
    """What overrules a model that supports the statement, with its citations and all that is known of the case."""
    sentences = cited_sentences(statement, passages)
    case = describe_case(question)
    return find_veto(statement, sentences, cited_passages(statement, passages), case, question.language)


def describe_case(question: Question) -> str:
    """All that is known of the question and of the patient."""
    return "\n".join((question.text, question.asked, question.patient, *(turn.text for turn in question.history)))


def find_veto(
    statement: Statement, sentences: Sequence[str], passages: Sequence[Passage], question: str, language: str
) -> Objection | None:
    """What speaks against a statement although a language model says that its source supports it; None: nothing.

    Only a figure that no conversion reaches; letters of another alphabet within a word, which no comparison of words
    sees; a sentence of the source that is copied and denied. What seems to stand in another order or to go another way
    may mean the same, so the model is asked about that.

    sentences   those that it cites
    question    what the model was asked, with what it says of a patient
    """
    claim = strip_answer_word(statement.text)
    figures = list_unreached_figures(claim, sentences, passages, question, language)
    strange = find_mixed_alphabets(claim)
    # That the claim copies a sentence and says the opposite: of 326 right statements this was said of none.
    copied = [one for one in sentences if min(stem_coverage(claim, one), stem_coverage(one, claim)) >= COPY_COVERAGE]
    found = [one for sentence in copied for one in find_disagreements(claim, sentence) if one.kind == "negation"]
    return join_objections(
        [
            *(silent_objection("figure", _unreached_reason(one)) for one in figures),
            *([strange] if strange else []),
            *[build_objection(one) for one in found[:1]],
        ]
    )


def _unreached_reason(figure: Quantity) -> str:
    return f"“{figure.words}” is neither in its source nor in the question, nor follows from them"


def list_unreached_figures(
    claim: str, sentences: Sequence[str], passages: Sequence[Passage], case: str, language: str
) -> list[Quantity]:
    """The figures of a claim that are neither in its passages or the case, nor reached from these by any conversion.

    A time whose unit the source leaves to a header or the end of a list ("-4.8", "9.7 … months") is reached by its
    number alone, and so is a year in a name. What a claim supposes of somebody ("a 70 kg patient") is given.
    """
    given = [*sentences, case, *(f"{text_under_titles(one)}\n{one.reference.year or ''}" for one in passages)]
    if language != "en":
        claim, *given = (DECIMAL_COMMA.sub(".", text) for text in (claim, *given))
    source = "\n".join(given)
    supposed = [one.words for one in extract_quantities(claim) if is_supposed(one, claim)]
    left = list_underived_quantities(claim, [*given, *supposed], [*sentences, case])
    if not left:
        return []
    bare = _list_bare_numbers(normalize_characters(source))
    # "Ten years newer", of two guidelines.
    years = {one.reference.year for one in passages if one.reference.year}
    apart = {abs(one - other) for one, other in combinations(years, 2)}
    left = [one for one in left if one.unit != "year" or abs(one.value) not in apart]
    return [one for one in left if not _is_bare_in_source(one, bare)]


def _list_bare_numbers(source: str) -> list[float]:
    """The numbers beside which no unit of their own is printed."""
    units = [one for one in extract_quantities(source) if one.unit and not one.has_borrowed_unit]
    taken = {place for one in units for place in range(one.start, one.number_end)}
    return sorted({float(one.group()) for one in _BARE_NUMBER.finditer(source) if one.start() not in taken})


def _is_bare_in_source(figure: Quantity, bare: Sequence[float]) -> bool:
    if figure.unit and measure_dimension(figure.unit)[0] != "time":
        return False
    value = abs(float(figure.value))
    if any(letter.isdigit() for letter in figure.words) and value in bare:
        return True
    is_fraction = [one for one in bare if one != int(one)]
    pairs = combinations(is_fraction, 2)
    return bool(figure.unit) and any(abs(abs(one - other) - value) <= _DIFFERENCE_SHARE * value for one, other in pairs)
