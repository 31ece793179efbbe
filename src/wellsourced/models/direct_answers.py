"""Whether what was chosen answers as it is asked, and what of a question nothing answers."""

import re
from collections.abc import Sequence

from wellsourced.claims.guard.disagreement import is_entity_name
from wellsourced.claims.question_profile import QuestionProfile
from wellsourced.claims.required_entities import asks_of_alternatives, list_missing_terms
from wellsourced.medicine.drugs import find_drugs
from wellsourced.medicine.word_forms import word_beginnings
from wellsourced.models.unit_choice import QuoteCandidate, read_titled
from wellsourced.question.requested_quantity import find_sections_on_other_values, has_asked_figure, holds_for
from wellsourced.text.passages import SEPARATOR, last_heading, text_under_titles, words_under_title
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.types import Passage

MIN_DIRECT_SHARE = 0.6
"""Share of the best unit's score from which one that answers directly leads in its place."""

_COMPARES = re.compile(
    r"\b(?:better|superior|safer|worse|more effective|as (?:good|effective|safe)|versus|vs|compared? (?:to|with))\b",
    re.IGNORECASE,
)
"""What asks how one thing does beside another. "A or B?" asks for a choice, which a guideline may make without it."""

_COMPARING = re.compile(
    r"\b(?:better|superior|inferior|safer|worse|versus|vs|than|compared|prefer\w*|rather|instead|over|equivalent"
    r"|comparable|similar|as effective|interchangeab\w*|substitut\w*|(?:not|no longer) recommended"
    r"|avoid\w*|first-line|alternative)\b",
    re.IGNORECASE,
)

_WARNING_HEADING = re.compile(r"contra-?indicat|\bavoid|\bwarning|\bcaution|\bnot\b", re.IGNORECASE)

_BESIDE_HEADING = re.compile(r"\b(?:consider|relative|optional|extended|secondary|mixed)\b", re.IGNORECASE)
"""Headings of what comes after something else, or is for few: no answer to who does not ask for that."""

_FOREMOST_HEADING = re.compile(r"\b(?:mandatory|absolute|first-line)\b", re.IGNORECASE)

_AMOUNT_OF = re.compile(
    r"\bhow (?:much|many) (?:of )?(?:the |an? )?"
    r"(?P<what>(?!(?:mg|mcg|grams?|units?|ml|times|days|weeks|months|years|hours|points?|doses?|should|do|does|is|are|can"
    r"|to)\b)[a-z][\w-]{2,})",
    re.IGNORECASE,
)
"""What "how much" is asked of."""

_STATED_DRUG = re.compile(r"^\W*(?:drug|agent|medication)s?\W*:\W*(?P<drug>[^\n]{3,80})$", re.IGNORECASE | re.MULTILINE)

DEFINITION_PATTERN = re.compile(
    r"\b(?:defined (?:as|by)|definition|refers to|(?:is|are) (?:an?|the) |known as|characteri[sz]ed by|means)\b",
    re.IGNORECASE,
)

SUBJECT_KINDS = frozenset({"condition", "population"})
"""Kinds of terms that say of whom and of what disease the question is."""

LOOSE_KINDS = frozenset({"condition", "setting", "test"})
"""Kinds of terms that may stand anywhere in what was read of a guideline."""

QUALIFYING_KINDS = frozenset({"qualifier"})
"""Kinds of terms that belong to a figure: they have to stand beside it."""


def find_unanswered(
    question: str, asked: QuestionProfile, chosen: Sequence[QuoteCandidate], choices: Sequence[QuoteCandidate] = ()
) -> tuple[str, ...]:
    """What is asked and stands in nothing that was chosen, each as it is told to a reader; () where all is answered.

    Only sections of guidelines are looked at: each is near every question on its disease. What the question names has
    to stand in the best section, or, where it names alternatives, somewhere in what was chosen of that guideline; a
    disease or a test anywhere in what was read of it, since a guideline on COPD does not say so in
    each section. A figure that is asked for has to stand where its drug does.

    choices   all that was read
    """
    if not chosen or chosen[0].passage.reference.kind != "guideline":
        return ()
    best = chosen[0].passage
    home = _of_guideline(best, chosen)
    scope = read_titled(home if asks_of_alternatives(question) else home[:1])
    terms = [term for term in asked.terms if term.kind not in QUALIFYING_KINDS]
    read = read_titled(_of_guideline(best, choices))
    missing = [
        term
        for term in list_missing_terms(terms, scope)
        if term.kind not in LOOSE_KINDS or not term.is_covered_by(read)
    ]
    if missing:
        return tuple(term.name for term in missing)
    if _COMPARES.search(question) and len(asked.names) > 1 and not any(_is_comparison(asked, one) for one in home):
        return ("a comparison of " + " and ".join(name.name for name in asked.names),)
    return () if _has_figure(asked, home) else tuple(_describe_figure(asked))


def _is_comparison(asked: QuestionProfile, choice: QuoteCandidate) -> bool:
    """Whether what was chosen sets one of the things that are compared against another."""
    text = choice.unit.text
    named = sum(name.is_covered_by(words_under_title(choice.passage, text)) for name in asked.names)
    return named > 1 and _COMPARING.search(text) is not None


def drop_off_subject(asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """The candidates without sections of guidelines that speak of fewer of the people and diseases than the best one.

    Where it names alternatives, or asks several things, no section has to name them all.
    """
    if not choices or asked.alternatives or asked.asks_parts:
        return list(choices)
    terms = [term for term in asked.terms if term.kind in SUBJECT_KINDS]
    lacking = {
        id: len(list_missing_terms(terms, text_under_titles(passage)))
        for id, passage in {one.passage.id: one.passage for one in choices}.items()
    }
    most = lacking[choices[0].passage.id]
    return [
        one
        for one in choices
        if one.answers or one.passage.reference.kind != "guideline" or lacking[one.passage.id] <= most
    ]


def drop_mismatched_ranges(asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """The candidates without sections whose headings are on other values than the given one, where one beside them does
    hold for it."""
    sections = [(one.passage.reference.id, one.passage.section) for one in choices]
    others = find_sections_on_other_values(asked.values, sections)
    return [one for one, section in zip(choices, sections, strict=True) if section not in others]


def _of_guideline(passage: Passage, choices: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    return [one for one in choices if one.passage.reference.id == passage.reference.id]


def _has_figure(asked: QuestionProfile, home: Sequence[QuoteCandidate]) -> bool:
    return not asked.quantities or any(has_figure_asked(asked, one) for one in home)


def has_figure_asked(asked: QuestionProfile, choice: QuoteCandidate) -> bool:
    """Whether it has a figure of the sort that is asked for, of a drug that is asked about, as it is qualified."""
    qualifiers = [term for term in asked.terms if term.kind in QUALIFYING_KINDS]
    for unit in choice.parts or (choice.unit,):
        text = words_under_title(choice.passage, unit.text)
        is_named = any(name.is_covered_by(text) for name in asked.names) or _is_of_named_drug(asked, choice, unit)
        is_qualified = not list_missing_terms(qualifiers, text)
        if (is_named or not asked.names) and is_qualified and has_asked_figure(asked.quantities, unit.text):
            return True
    return False


def _is_of_named_drug(asked: QuestionProfile, choice: QuoteCandidate, unit: QuotableSpan) -> bool:
    """Whether a unit names no drug, and stands in a list that says which one it is on: "Drug: Hydrocortisone"."""
    stated = " ".join(found["drug"] for found in _STATED_DRUG.finditer(choice.passage.text))
    names_a_drug = find_drugs(unit.own_text) or any(map(is_entity_name, re.findall(r"[^\W\d_]+", unit.own_text)))
    return not names_a_drug and any(name.is_in(stated) for name in asked.names)


def answers_directly(asked: QuestionProfile, choice: QuoteCandidate) -> bool:
    """Whether it has the sort of thing that is asked for: a figure, all that is compared, a definition, a list."""
    if asked.quantities:
        return has_figure_asked(asked, choice)
    if asked.alternatives:
        return not list_missing_terms(asked.alternatives, words_under_title(choice.passage, choice.unit.text))
    if asked.is_definition:
        return DEFINITION_PATTERN.search(choice.unit.text) is not None
    return True


def _is_of_unasked_branch(asked: QuestionProfile, unit: QuotableSpan) -> bool:
    """Whether an algorithm comes to it by a question that has no word of what is asked, and none of its values."""
    steps = unit.text.split(" → ") if unit.layout == "step" else ()
    return any(
        not holds_for(asked.values, step) and not any(word_beginnings(step) & words for words in asked.words)
        for step in steps
        if step.rstrip().endswith("?")
    )


def promote_direct(asked: QuestionProfile, chosen: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """What was chosen, best first; before that what answers most directly, if it is nearly as good."""
    near = [one for one in chosen if one.score >= MIN_DIRECT_SHARE * chosen[0].score]
    of_asked = [one for one in near if not (asked.alternatives and _is_of_unasked_branch(asked, one.unit))]
    if not of_asked:
        return list(chosen)
    direct = max(of_asked, key=lambda one: _rate_directness(asked, one, chosen[0].passage))
    return [direct, *(one for one in chosen if one is not direct)]


def _rate_directness(asked: QuestionProfile, choice: QuoteCandidate, best: Passage) -> int:
    """How directly something answers: by what it says, by its headings, and by what "how much" is asked of.

    Headings tell what comes first among those beside each other, and little across guidelines.
    """
    is_of_same = choice.passage.reference.id == best.reference.id
    parent, parent_of_best = (one.section.rpartition(SEPARATOR)[0] for one in (choice.passage, best))
    headings = SEPARATOR.join(choice.passage.section.split(SEPARATOR)[-2:])
    above, said = word_beginnings(headings), word_beginnings(choice.unit.text)
    warns = _WARNING_HEADING.search(last_heading(choice.passage.section)) is not None
    is_beside = _BESIDE_HEADING.search(headings) is not None and not _BESIDE_HEADING.search(asked.wordings[0])
    is_foremost = (
        is_of_same
        and parent == parent_of_best
        and warns == asked.asks_against
        and _FOREMOST_HEADING.search(last_heading(choice.passage.section)) is not None
    )
    amounts = frozenset[str]().union(*(word_beginnings(one["what"]) for one in _AMOUNT_OF.finditer(asked.wordings[0])))
    has_amount = 1 if amounts & above and is_of_same else -2 * bool(amounts and not amounts & said)
    return (
        2 * answers_directly(asked, choice) + 2 * (warns and asked.asks_against) + is_foremost - is_beside + has_amount
    )


def _describe_figure(asked: QuestionProfile) -> list[str]:
    """The sorts of figure that are asked for, and of what: "the starting dose of naproxen"."""
    names = ", ".join(name.name for name in asked.names)
    qualified = "".join(f"{term.name} " for term in asked.terms if term.kind in QUALIFYING_KINDS)
    return [f"the {qualified}{quantity.name}{f' of {names}' if names else ''}" for quantity in asked.quantities]
