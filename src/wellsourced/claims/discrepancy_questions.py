"""What a model that judges a claim is asked to look at: words of the claim beside words of its source that may differ.

Rules find differences and do not convict: a paraphrase differs too. The model's word counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from wellsourced.claims import changed_strength, swapped_facts
from wellsourced.claims.derived_quantities import list_underived_quantities
from wellsourced.claims.guard import QUANTITY_KINDS, Disagreement, find_disagreements
from wellsourced.claims.guard.hedging import is_claim_only_hedged, is_denial_of
from wellsourced.medicine.doses import find_dose_conflict
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.text.sanitization import short_line
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.text.typography import remove_marks

MAX_QUESTIONS = 3
"""Questions about one claim: of more, the worst are asked."""

MAX_WORDS = 24
"""Words of either side that are shown."""

MIN_SHOWN = 2
"""Words of a claim that are shown, where another question shows more of them."""

MIN_LIKENESS = 0.6
"""Share of a claim's content words that a sentence has when a word turned round in it is worth a question."""

MAX_NEAREST = 3
"""Sentences that stand for those that a claim cites, where it cites a whole text."""

MAX_SENTENCES = 400
"""Of one text that are read: a bound for long ones."""

_ANSWER_WORD = re.compile(r"\A\s*(?:yes|no|maybe)\b[:,.;–—]\s*", re.IGNORECASE)
"""With which a claim answers a question, and denies nothing of what follows."""


class DiscrepancyQuestion(NamedTuple):
    """A difference that may be none: its kind, the claim's words, and the source's, "" where it seems to have none."""

    kind: str
    claim: str
    evidence: str

    @property
    def phrase(self) -> str:
        """The question in words."""
        said, there = _tidy_words(self.claim), _tidy_words(self.evidence)
        if not said:
            asked = f"The source says “{there}”, and the statement does not. Does it mean the same without?"
        elif not there:
            asked = f"The statement says “{said}”. Does the source say that, in any words?"
        else:
            asked = f"The statement says “{said}”; the source says “{there}”. Do they mean the same?"
        return f"{asked} If not, the claim is not supported."


def _tidy_words(words: str) -> str:
    """Words to be shown: without marks of Markdown, and without the blanks that taking a text apart left in them."""
    # "> 5 mg" at the beginning is a bound, no quotation of Markdown.
    bound = re.match(r"\s*>\s*(?=\d)", words)
    plain = (bound.group() if bound else "") + remove_marks(words[bound.end() :] if bound else words).text
    plain = re.sub(r"\s+([.,;:%)\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", plain))
    return short_line(plain, MAX_WORDS).strip(" .,;:")


def list_discrepancy_questions(
    claim: str, sentences: Sequence[str], source: str, case: str = ""
) -> tuple[DiscrepancyQuestion, ...]:
    """The questions about an English claim, the worst first.

    sentences   those that it cites
    source      all that it cites, with titles
    case        what is known of the question and of the patient
    """
    evidence = " … ".join(sentences)
    near = [
        *swapped_facts.find_swapped_words(claim, evidence),
        *changed_strength.find_swapped_connectives(claim, evidence),
        *changed_strength.find_swapped_quantifiers(claim, evidence),
        *changed_strength.find_dropped_prefixes(claim, source),
        *swapped_facts.find_swapped_figures(claim, sentences, source),
        *swapped_facts.find_swapped_rates(claim, evidence),
    ]
    asked = {token for one in near for token in _list_tokens(one.claim)}
    far = (*_find_distant_figures(claim, sentences, source, case), *_find_doses(claim, sentences, source, case))
    words = [
        *_find_differing_words(claim, sentences, evidence),
        *swapped_facts.find_swapped_sides(claim, evidence),
        *swapped_facts.find_animals(claim, f"{evidence}\n{source}"),
        *swapped_facts.find_unnamed_names(claim, f"{source}\n{evidence}", sentences),
        *changed_strength.find_insignificance(claim, sentences),
        *_find_doubts(claim, sentences),
        *changed_strength.find_strength_changes(claim, sentences),
        *changed_strength.find_widened_scope(claim, evidence),
    ]
    return tuple(
        _leave_out_repetitions([*near, *(one for one in far if not _list_figures(one.claim) & asked), *words])[
            :MAX_QUESTIONS
        ]
    )


def _leave_out_repetitions(found: Iterable[Disagreement]) -> list[DiscrepancyQuestion]:
    """A question for each difference: the first that points to it, or where that shows hardly a word, the next."""
    questions: list[DiscrepancyQuestion] = []
    for one in found:
        question = DiscrepancyQuestion(one.kind, "" if one.claim == "nothing" else one.claim, one.evidence)
        at = next((at for at, earlier in enumerate(questions) if _is_repetition(question, earlier)), len(questions))
        if at == len(questions):
            questions.append(question)
        elif len(questions[at].claim.split()) < MIN_SHOWN < len(question.claim.split()):
            questions[at] = question
    return questions


def _is_repetition(one: DiscrepancyQuestion, earlier: DiscrepancyQuestion) -> bool:
    """Whether an earlier question shows the same figure in the place of another, or the same words on both sides."""
    (said, given), (known, shown) = (tuple(map(_list_tokens, (each.claim, each.evidence))) for each in (one, earlier))
    if _list_figures(one.claim) & known - given:
        return one.kind in QUANTITY_KINDS
    if (one.kind in QUANTITY_KINDS) != (earlier.kind in QUANTITY_KINDS) or bool(given) != bool(shown):
        return False
    return (said <= known or known <= said) and (given <= shown or shown <= given)


def _list_figures(words: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:\.\d+)?", words))


def _list_tokens(words: str) -> frozenset[str]:
    """Words and figures, small words and typography apart, but for those that deny."""
    plain = words.lower().replace("-", " ")
    denials = re.findall(r"\b(?:no|not|non|never|nor|neither|without)\b", plain)
    return frozenset([*content_stems(plain), *_list_figures(plain), *denials]) or frozenset(plain.split())


def list_questions_of_text(claim: str, text: str, case: str = "") -> tuple[DiscrepancyQuestion, ...]:
    """The same of a claim that cites a whole text: its sentences that have most of the claim's words stand for it."""
    read = [text[start:end] for start, end in split_sentences(text)[:MAX_SENTENCES]]
    claim = _ANSWER_WORD.sub("", claim)
    nearest = sorted(read, key=lambda one: -stem_coverage(claim, one))[:MAX_NEAREST]
    return list_discrepancy_questions(claim, nearest, text, case)


def _find_distant_figures(claim: str, sentences: Sequence[str], source: str, case: str) -> Iterator[Disagreement]:
    """Figures that the source has, and not in the words that are cited for them."""
    near = [*sentences, case]
    distant = (
        one for one in list_underived_quantities(claim, near, near) if not swapped_facts.is_year_of_name(one, claim)
    )
    for quantity in islice(distant, 1):
        rows = [row for row in source.split("\n") if _has_value(row, abs(quantity.value))]
        if rows:
            row = max(rows, key=lambda one: stem_coverage(claim, one))
            said, given = _cut_figure(claim, quantity.words), _cut_around(row, quantity.words)
            if not _list_tokens(said) <= _list_tokens(given):
                yield Disagreement("number", said, given)


def _find_doses(claim: str, sentences: Sequence[str], source: str, case: str) -> Iterator[Disagreement]:
    """A dose that no line gives so."""
    lines = [line for text in (*sentences, source) for line in text.split("\n")]
    if dose := find_dose_conflict(claim, lines, case):
        value = extract_quantities(dose)[0].value if extract_quantities(dose) else None
        alike = [line for line in lines if value is not None and _has_value(line, abs(value))] or list(sentences)
        yield Disagreement(
            "dose", _cut_figure(claim, dose), max(alike, key=lambda line: stem_coverage(claim, line), default="")
        )


def _has_value(line: str, value: object) -> bool:
    return any(abs(one.value) == value for one in extract_quantities(line))


def _cut_figure(claim: str, words: str) -> str:
    """A figure of the claim with the words beside it; as it is given where it is written otherwise there."""
    found = re.search(rf"(?<![\w.]){re.escape(words)}(?!\w)", claim)
    return swapped_facts.show_around(claim, found) if found else words


def _cut_around(row: str, words: str) -> str:
    """A long row from some words before those on."""
    at = row.find(words.split()[0].rstrip("%"))
    return row if at < 0 else " ".join([*row[:at].split()[-MAX_WORDS // 2 :], *row[at:].split()])


def _find_differing_words(claim: str, sentences: Sequence[str], evidence: str) -> Iterator[Disagreement]:
    """What the guard finds, besides quantities; a word turned round only in sentences that are near."""
    is_near = any(stem_coverage(claim, sentence) >= MIN_LIKENESS for sentence in sentences)
    for one in find_disagreements(claim, evidence):
        is_reversed_word = one.kind in ("negation", "direction")
        if (one.kind in QUANTITY_KINDS and one.kind != "comparator") or (is_reversed_word and not is_near):
            continue
        # "Neither A nor B has" is "none of them has".
        if one.claim.lower() in ("nor", "neither") and re.search(r"\b(?:none|no|not|neither|nor)\b", evidence.lower()):
            continue
        yield one


def _find_doubts(claim: str, sentences: Sequence[str]) -> Iterator[Disagreement]:
    """What the source only asks or does not show, and what it says and the claim denies."""
    if sentences and is_claim_only_hedged(claim, sentences):
        yield Disagreement("strength", claim, max(sentences, key=lambda one: stem_coverage(claim, one)))
    if plain := next((sentence for sentence in sentences if is_denial_of(claim, sentence)), ""):
        yield Disagreement("negation", claim, plain)
