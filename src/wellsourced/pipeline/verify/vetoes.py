"""What overrules a model that found a statement in its source: a figure that stands nowhere, a copy turned round.

The model has read both, and a rule cannot tell a paraphrase from a mistake. All else that seems to differ is put to the
model as a question (`pointed_questions.py`), and its word counts.
"""

from collections.abc import Sequence

from wellsourced.claims.guard import REVERSAL_KINDS, find_disagreements
from wellsourced.claims.guard.hedging import is_denial_of
from wellsourced.claims.guard.numbers import classify_quantity
from wellsourced.claims.yes_no_questions import strip_answer_word
from wellsourced.clinical.derived_quantities import list_underived_quantities
from wellsourced.clinical.quantities import extract_named_numbers, normalize_characters
from wellsourced.pipeline.support import PassagesById, cited_passages, cited_sentences
from wellsourced.pipeline.verify.objections import (
    DECIMAL_COMMA,
    Objection,
    build_objection,
    find_mixed_alphabets,
    join_objections,
    silent_objection,
)
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Passage, Question, Statement

COPY_COVERAGE = 0.85
"""Share of a claim's content words that a sentence of its source has, and the reverse, from which it is a copy."""


def find_statement_veto(question: Question, statement: Statement, passages: PassagesById) -> Objection | None:
    """The same of a statement with its citations, and all that is known of the question and the patient."""
    sentences = cited_sentences(statement, passages)
    asked = describe_case(question)
    return find_veto(statement, sentences, cited_passages(statement, passages), asked, question.language)


def describe_case(question: Question) -> str:
    """All that is known of the question and of the patient."""
    return "\n".join((question.text, question.asked, question.patient, *(turn.text for turn in question.history)))


def find_veto(
    statement: Statement, sentences: Sequence[str], passages: Sequence[Passage], question: str, language: str
) -> Objection | None:
    """What speaks against a statement although a language model says that its source supports it; None: nothing.

    Only a quantity that neither stands in the passages or the question nor follows from what stands there; letters of
    another alphabet within a word, which no comparison of words sees; a sentence of the source that is denied, or
    copied and turned round.

    sentences   those that it cites
    question    what the model was asked, with what it says of a patient
    """
    claim = strip_answer_word(statement.text)
    given = [*sentences, question, *map(_text_with_year, passages)]
    if language != "en":
        claim = DECIMAL_COMMA.sub(".", claim)
        given = [DECIMAL_COMMA.sub(".", text) for text in given]
    text = normalize_characters(claim)
    quantities = list_underived_quantities(claim, given, [*sentences, question])
    strange = find_mixed_alphabets(claim)
    return join_objections(
        [
            *(
                silent_objection(
                    classify_quantity(one, text) or "number",
                    f"“{one.words}” stands neither in its source nor in the question, nor follows from them",
                )
                for one in quantities
            ),
            *([strange] if strange else []),
            *_list_denials(claim, sentences),
            *_list_reversals(claim, sentences),
            *_list_renumbered_names(claim, given),
        ]
    )


def _list_denials(claim: str, sentences: Sequence[str]) -> list[Objection]:
    """That the claim says of a whole sentence of its source that it does not hold."""
    denied = next((sentence for sentence in sentences if is_denial_of(claim, sentence)), "")
    return [silent_objection("denial", f"the source says so: “{short_line(denied)}”")] if denied else []


def _list_reversals(claim: str, sentences: Sequence[str]) -> list[Objection]:
    """That the claim copies a sentence and says the opposite: of 326 right statements this was said of none."""
    copied = [one for one in sentences if min(stem_coverage(claim, one), stem_coverage(one, claim)) >= COPY_COVERAGE]
    found = [one for sentence in copied for one in find_disagreements(claim, sentence) if one.kind in REVERSAL_KINDS]
    return [build_objection(one) for one in found[:1]]


def _list_renumbered_names(claim: str, given: Sequence[str]) -> list[Objection]:
    """Names with a number, such as a score's, that are known in what was given, and only with other numbers."""
    known = {(named.name, named.number) for text in given for named in extract_named_numbers(text)}
    names = {name for name, _ in known}
    return [
        silent_objection("number", f"“{named.words}” stands neither in its source nor in the question")
        for named in extract_named_numbers(claim)
        if named.name in names and (named.name, named.number) not in known
    ]


def _text_with_year(passage: Passage) -> str:
    year = passage.reference.year
    return f"{text_under_titles(passage)}\n{year or ''}"
