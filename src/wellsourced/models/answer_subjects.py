"""Holding back an answer that does not speak of what is asked about, and what is shown as nearest in its place.

A guideline is held to that by `find_unanswered` and by a fitted model; here it is studies and pages for patients.
"""

from collections.abc import Callable, Sequence

from wellsourced.claims.asked_terms import shares_subject
from wellsourced.models.asked_subjects import find_lacking_kinds, find_unspoken, list_lacking_words
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.prompts.writing import Draft, DraftStatement, NearDraft, WriteAnswer
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Passage

READ_KINDS = frozenset({"research", "consumer"})
"""Kinds of sources whose answers are held back; of the second only for what has a name, since it is told in everyday
words."""


MIN_RELEVANCE = 0.4
"""Probability from which a passage that does speak of it is relevant enough to answer instead."""


def hold_back_unspoken(
    prompt: WriteAnswer,
    draft: Draft,
    choices: Sequence[QuoteCandidate],
    write: Callable[[Sequence[QuoteCandidate]], Draft],
) -> Draft:
    """The draft; where its short answer rests on studies or pages that do not speak of all that is asked about, another
    from those that do; where there is none, what is nearest. Of that, only what shares a disease or a drug with the
    question.

    write   a draft from some of the choices

    Of documents that the asker named, and where options are given to choose among, nothing is held back.
    """
    passages = {one.passage.id: one.passage for one in choices}
    if isinstance(draft, NearDraft):
        return _drop_distant(prompt, draft, passages)
    missing = () if prompt.question.given or prompt.question.options else _find_missing(prompt, draft, passages)
    if not missing:
        return draft
    of_subject = [one for one in choices if not list_lacking_words(prompt.question, text_under_titles(one.passage))]
    if of_subject and of_subject[0].relevance >= MIN_RELEVANCE:
        other = write(of_subject)
        if not isinstance(other, NearDraft) and not _find_missing(prompt, other, passages):
            return other
    return _drop_distant(prompt, NearDraft(statements=draft.statements, missing=missing), passages)


def _find_missing(prompt: WriteAnswer, draft: Draft, passages: dict[str, Passage]) -> tuple[str, ...]:
    """What is asked about and stands in nothing that leads."""
    leads = [one for one in draft.statements if one.lead]
    quoted = dict.fromkeys(quote.passage_id for one in leads for quote in one.quotes)
    read = [passages[one] for one in quoted if one in passages]
    if not read or not {one.reference.kind for one in read} <= READ_KINDS:
        return ()
    unspoken = _list_unspoken(prompt, read)
    if unspoken or all(one.reference.kind != "research" for one in read):
        return unspoken
    return find_lacking_kinds(prompt.question.text, "\n".join(one.text for one in leads))


def _list_unspoken(prompt: WriteAnswer, read: Sequence[Passage]) -> tuple[str, ...]:
    """What is asked about and stands in none of these."""
    only_names = all(one.reference.kind != "research" for one in read)
    return find_unspoken(prompt.question, "\n".join(map(text_under_titles, read)), only_names=only_names)


def _drop_distant(prompt: WriteAnswer, draft: NearDraft, passages: dict[str, Passage]) -> NearDraft:
    """What is nearest without what shares neither a disease nor a drug with the question."""

    def is_close(statement: DraftStatement) -> bool:
        read = [passages[one.passage_id] for one in statement.quotes if one.passage_id in passages]
        return any(shares_subject(prompt.question, text_under_titles(one)) for one in read)

    return draft.model_copy(update={"statements": tuple(one for one in draft.statements if is_close(one))})
