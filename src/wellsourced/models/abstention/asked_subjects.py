"""What a question asks about that a text does not speak of: its diseases, drugs, tests, people and outcomes.

A study is near many questions on its disease, and answers none of which it lacks a noun: a trial of nausea tells
nothing of mortality. The words in which every question is put ("role", "effect") say nothing of that, and are left out
(`asked_subjects.tsv`). An answer that lacks one is held back, and what is nearest is shown in its place.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from wellsourced.claims.asked_terms import find_asking_part, shares_subject
from wellsourced.claims.guard.entities import is_disease_name, is_listed_disease
from wellsourced.claims.results.opposition import may_be_of_same_people
from wellsourced.claims.word_matches import AskedWord, is_misspelled, list_asked_words, read_words
from wellsourced.clinical.drugs import known_drug_words
from wellsourced.clinical.word_forms import (
    BEGINNING_LENGTH,
    UNKNOWN_RARITY,
    load_digest_counts,
    load_ordinary_stems,
)
from wellsourced.models.abstention.asked_things import list_asked_things
from wellsourced.models.abstention.spoken_words import list_named_in_short, load_same_stems, speaks_of
from wellsourced.models.unit_choice import QuoteCandidate, read_titled
from wellsourced.prompts.writing import Draft, DraftStatement, NearDraft, WriteAnswer
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage, Question

_POSSESSIVE = ("'s", "’s")
_PLAIN_NAME = re.compile(r"[A-Za-z][a-z]{5,}")

_ASKED_KIND = re.compile(r"\b(?:which|what) (?P<kind>[\w-]+)", re.IGNORECASE)

_DOER = re.compile(
    r"(?:do|does|did|will|would|can|could) (?!(?:i|we|you|they|he|she|it|my|our|your|his|her|their|this|that|these"
    r"|those|there|the|an?|all|any|most|many|some|people|men|women|kids|children|babies|adults|doctors?|patients?)\b)"
    r"(?P<what>[a-z'-]+)",
    re.IGNORECASE,
)
"""What is asked about doing something: "Do cherries stop gout?" is not answered by what says nothing of cherries."""

_ACTION = re.compile(r".{3,}(?:ed|ing|ly)$")
"""How words end that say what is done, or how, and name nothing."""

READ_KINDS = frozenset({"research", "consumer"})
"""Kinds of sources whose answers are held back; of the second only for what has a name, since it is told in everyday
words."""


EXACT_KINDS = frozenset({"drug", "short"})
"""Kinds of words that a text on one name has to have as well: what inhibits CYP3A need not inhibit PCAT6."""

MIN_RELEVANCE = 0.4
"""Probability from which a passage that does speak of it is relevant enough to answer instead."""


def hold_back_unspoken(
    prompt: WriteAnswer,
    draft: Draft,
    choices: Sequence[QuoteCandidate],
    write: Callable[[Sequence[QuoteCandidate]], Draft],
) -> Draft:
    """The draft; where its short answer rests on studies or pages that do not speak of all that is asked about, another
    from those that do; where there is none, what is nearest. Of that, only what `shares_subject`.

    write   a draft from some of the choices

    Of documents that the asker named, and where options are given to choose among, nothing is held back.
    """
    passages = {one.passage.id: one.passage for one in choices}
    if isinstance(draft, NearDraft):
        named = draft.missing or find_absent_names(prompt.question, choices)
        return _drop_distant(prompt, draft.model_copy(update={"missing": named}), passages)
    missing = () if prompt.question.given or prompt.question.options else _find_missing(prompt, draft, passages)
    if not missing:
        return draft
    of_subject = [one for one in choices if not find_unspoken(prompt.question, text_under_titles(one.passage))]
    if of_subject and of_subject[0].relevance >= MIN_RELEVANCE:
        other = write(of_subject)
        if not isinstance(other, NearDraft) and not _find_missing(prompt, other, passages):
            return other
    return _drop_distant(prompt, NearDraft(statements=draft.statements, missing=missing), passages)


def _find_missing(prompt: WriteAnswer, draft: Draft, passages: dict[str, Passage]) -> tuple[str, ...]:
    """What is asked about and stands in nothing that was read of the documents that lead."""
    leads = [one for one in draft.statements if one.lead]
    quoted = dict.fromkeys(quote.passage_id for one in leads for quote in one.quotes)
    works = {passages[one].reference.id for one in quoted if one in passages}
    read = [one for one in passages.values() if one.reference.id in works]
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


def _names_the_unknown(question: Question, text: str) -> bool:
    """Whether a text has a name of the question that no digest and no everyday English has, and that is no disease's:
    who says what istiratumab is need not say what it is against, unless he speaks of another disease."""
    words = read_words(text)
    names = [one for one in list_subjects(question) if _is_strange(one) and not is_disease_name(one.text)]
    return any(speaks_of(words, one) for one in names if not is_listed_disease(one.text))


def _drop_distant(prompt: WriteAnswer, draft: NearDraft, passages: dict[str, Passage]) -> NearDraft:
    """What is nearest without what does not share the disease, or the drug, with the question."""

    def is_close(statement: DraftStatement) -> bool:
        read = [passages[one.passage_id] for one in statement.quotes if one.passage_id in passages]
        return any(shares_subject(prompt.question, text_under_titles(one)) for one in read)

    return draft.model_copy(update={"statements": tuple(one for one in draft.statements if is_close(one))})


def find_unspoken(question: Question, text: str, *, only_names: bool = False) -> tuple[str, ...]:
    """What a question asks about that a text, under its titles, does not speak of.

    only_names   diseases, drugs, abbreviations and what does something alone: for texts in everyday words
    """
    lacking = list_lacking_words(question, text)
    if only_names:
        doer = _DOER.match(question.text)
        done_by = doer["what"].lower() if doer else ""
        return tuple(
            one.text for one in lacking if one.kind or is_listed_disease(one.text) or one.text.lower() == done_by
        )
    things = find_lacking_things(question, lacking)
    if _names_the_unknown(question, text):
        is_of_another = not may_be_of_same_people(question.text, text)
        named = [one.text for one in lacking if _is_exact(one) or (is_of_another and _is_named(one))]
        return tuple(dict.fromkeys((*things, *named)))
    phrases = [phrase for one, then in pairwise(lacking) if (phrase := _find_phrase(question.text, one, then))]
    alone = [one.text for one in lacking if _is_telling(one) and not any(one.text in phrase for phrase in phrases)]
    return tuple(dict.fromkeys((*things, *alone, *phrases)))


def find_lacking_things(question: Question, lacking: Sequence[AskedWord]) -> Iterator[str]:
    """The things that a question asks about of which no word stands there, given the words that do not."""
    subjects = {one.text.lower() for one in list_subjects(question)}
    unspoken = {one.text.lower() for one in lacking}
    for words in list_asked_things(find_asking_part(question.text)):
        telling = [one for one in words if one.lower() in subjects]
        if telling and all(one.lower() in unspoken for one in telling):
            yield " ".join(telling)


def list_lacking_words(question: Question, text: str) -> list[AskedWord]:
    """The words of `list_subjects` that a text has in no form, also those that may be put in other words."""
    words, in_short = read_words(text), set(list_named_in_short(question.text, text))
    return [one for one in list_subjects(question) if one.text.lower() not in in_short and not speaks_of(words, one)]


def _find_phrase(question: str, one: AskedWord, then: AskedWord) -> str:
    """Two words that follow on each other, and so name something together: "autonomic dysfunction"; else ""."""
    found = re.search(rf"\b{re.escape(one.text)}[ -]{re.escape(then.text)}\b", question)
    return found[0] if found else ""


def find_strange_words(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """Words of what asks that no digest and no everyday English has, in any form or misspelled, nor anything that was
    read: "Heliox", "presepsin"."""
    asking = set(content_stems(find_asking_part(question.text)))
    strange = [one for one in list_asked_words(question) if one.stem in asking and _is_strange(one)]
    words = read_words(read_titled(read if strange else ()))
    return tuple(one.text for one in strange if not speaks_of(words, one))


def find_absent_things(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """The things that a question asks about and nothing that was read speaks of."""
    return tuple(find_lacking_things(question, _list_absent_words(question, read)))


def find_absent_names(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """Those things, and the drugs, diseases and abbreviations of which nothing that was read speaks."""
    absent = _list_absent_words(question, read)
    named = (one.text for one in absent if _is_named(one))
    return tuple(dict.fromkeys((*find_lacking_things(question, absent), *named)))


def _list_absent_words(question: Question, read: Sequence[QuoteCandidate]) -> list[AskedWord]:
    return list_lacking_words(question, read_titled(read))


def _is_strange(word: AskedWord) -> bool:
    """Whether it is a name that is known nowhere: of six letters, and no beginning or misspelling of a known word."""
    small = word.text.lower()
    is_named = _PLAIN_NAME.fullmatch(word.text) and not _ACTION.search(small) and not word.readings
    if word.rarity != UNKNOWN_RARITY or word.kind == "short" or not is_named:
        return False
    known = [*load_digest_counts(), *(one for one in known_drug_words() if one != small)]
    near = [one for one in known if one[:2] == small[:2]]
    return not any(one.startswith(small[:BEGINNING_LENGTH]) for one in near) and not is_misspelled(
        small, frozenset(near)
    )


def find_lacking_kinds(question: str, text: str) -> tuple[str, ...]:
    """Kinds of findings that are asked for, such as the accuracy of a test, and that a text has not."""
    return tuple(
        name
        for name, asked, said in read_rows("wellsourced.models.abstention", "asked_kinds.tsv")
        if re.search(asked, question, re.IGNORECASE) and not re.search(said, text, re.IGNORECASE)
    )


def list_subjects(question: Question) -> list[AskedWord]:
    """The words of a question that say what it asks about: not the story before it, nor the words in which questions
    are put, nor the kind of thing that is asked for ("Which microRNA …")."""
    kinds = {found["kind"].lower() for found in _ASKED_KIND.finditer(question.text)}
    return [
        one
        for one in list_asked_words(question)
        if one.is_asking
        and len(one.text) > 2
        and one.stem not in _load_asking_stems()
        and one.text.lower() not in kinds
    ]


def _is_named(word: AskedWord) -> bool:
    """Whether it is a drug, a disease or an abbreviation."""
    return bool(word.kind) or is_listed_disease(word.text) or _is_exact(word)


def _is_exact(word: AskedWord) -> bool:
    """Whether it is a drug or an abbreviation, or a disease by whom it is named after: "Parkinson's"."""
    return word.kind in EXACT_KINDS or (word.is_proper and word.text.endswith(_POSSESSIVE))


def _is_telling(word: AskedWord) -> bool:
    """Whether it names something: what everyday English has is put in too many ways, but for people and outcomes."""
    if _is_named(word) or word.stem in load_same_stems():
        return True
    return word.stem not in load_ordinary_stems() and not _ACTION.search(word.text.lower())


@cache
def _load_asking_stems() -> frozenset[str]:
    rows = read_rows("wellsourced.models.abstention", "asked_subjects.tsv")
    return frozenset(stem for kind, words in rows if kind == "asking" for stem in content_stems(words))
