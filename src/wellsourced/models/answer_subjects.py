"""Holding back an answer that does not speak of what is asked about, and what is shown as nearest in its place.

A guideline is held to that by `find_unanswered` and by a fitted model; here it is studies and pages for patients.
"""

from collections.abc import Sequence

from wellsourced.claims.asked_terms import shares_subject
from wellsourced.models.asked_subjects import find_lacking_kinds, find_unspoken
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.prompts.writing import Draft, DraftStatement, NearDraft, WriteAnswer
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Passage

READ_KINDS = frozenset({"research", "consumer"})
"""Kinds of sources whose answers are held back; of the second only for what has a name, since it is told in everyday
words."""


def hold_back_unspoken(prompt: WriteAnswer, draft: Draft, choices: Sequence[QuoteCandidate]) -> Draft:
    """The draft; where its short answer rests on studies or pages that do not speak of all that is asked about, what is
    nearest. Of that, only what shares a disease or a drug with the question.

    Of documents that the asker named, and where options are given to choose among, nothing is held back.
    """
    passages = {one.passage.id: one.passage for one in choices}
    if isinstance(draft, NearDraft):
        return _drop_distant(prompt, draft, passages)
    missing = () if prompt.question.given or prompt.question.options else _find_missing(prompt, draft, passages)
    return _drop_distant(prompt, NearDraft(statements=draft.statements, missing=missing), passages) if missing else draft


def _find_missing(prompt: WriteAnswer, draft: Draft, passages: dict[str, Passage]) -> tuple[str, ...]:
    """What is asked about and stands in nothing that leads."""
    leads = [one for one in draft.statements if one.lead]
    quoted = dict.fromkeys(quote.passage_id for one in leads for quote in one.quotes)
    read = [passages[one] for one in quoted if one in passages]
    kinds = {one.reference.kind for one in read}
    if not kinds or not kinds <= READ_KINDS:
        return ()
    only_names = "research" not in kinds
    unspoken = find_unspoken(prompt.question, "\n".join(map(text_under_titles, read)), only_names=only_names)
    said = "\n".join(one.text for one in leads)
    return unspoken if unspoken or only_names else find_lacking_kinds(prompt.question.text, said)


def _drop_distant(prompt: WriteAnswer, draft: NearDraft, passages: dict[str, Passage]) -> NearDraft:
    """What is nearest without what shares neither a disease nor a drug with the question."""

    def is_close(statement: DraftStatement) -> bool:
        read = [passages[one.passage_id] for one in statement.quotes if one.passage_id in passages]
        return any(shares_subject(prompt.question, text_under_titles(one)) for one in read)

    return draft.model_copy(update={"statements": tuple(one for one in draft.statements if is_close(one))})
