"""What a question asks about that a text does not speak of: its diseases, drugs, tests, people and outcomes.

A study is near many questions on its disease, and answers none of which it lacks a noun: a trial of nausea tells
nothing of mortality. The words in which every question is put ("role", "effect") say nothing of that, and are left out
(`asked_subjects.tsv`). An answer that lacks one is held back, and what is nearest is shown in its place.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from wellsourced.claims.guard.disagreement import is_abbreviation_of, is_disease_name, is_listed_disease
from wellsourced.claims.question_terms import QuestionTerm, TextWords, is_misspelled, list_asked_words, read_words
from wellsourced.claims.required_entities import find_asking_part, shares_subject
from wellsourced.claims.results.agreement import may_be_of_same_people
from wellsourced.medicine.conditions import names_condition
from wellsourced.medicine.drugs import known_drug_words
from wellsourced.medicine.word_forms import (
    BEGINNING_LENGTH,
    UNKNOWN_RARITY,
    known_abbreviations,
    load_digest_counts,
    load_ordinary_stems,
    word_beginnings,
)
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


def abstain_if_unmentioned(
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
    # Of documents that the asker named, or where one of some options is right, nothing is held back.
    missing = () if prompt.question.given or prompt.question.options else _find_missing(prompt, draft, passages)
    if not missing:
        return draft
    of_subject = [one for one in choices if not find_unspoken(prompt.question, text_under_titles(one.passage))]
    if of_subject and of_subject[0].relevance >= MIN_RELEVANCE:
        other = write(of_subject)
        # A second draft that lacks something as well is no better than the first.
        if not isinstance(other, NearDraft) and not _find_missing(prompt, other, passages):
            return other
    return _drop_distant(prompt, NearDraft(statements=draft.statements, missing=missing), passages)


def _find_missing(prompt: WriteAnswer, draft: Draft, passages: dict[str, Passage]) -> tuple[str, ...]:
    """What is asked about and stands in nothing that was read of the documents that lead."""
    leads = [one for one in draft.statements if one.lead]
    quoted = dict.fromkeys(quote.passage_id for one in leads for quote in one.quotes)
    works = {passages[one].reference.id for one in quoted if one in passages}
    read = [one for one in passages.values() if one.reference.id in works]
    # A guideline speaks of much in its own words, and is held back by other rules.
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


MIN_SHARED_LETTERS = 6
"""Letters of a word that a longer word of a text may end in: "eclampsia" in "preeclampsia"."""

MIN_INITIALS = 3
"""Words of a question that a text may name by their initials alone: "PPH"."""

MAX_LONG_FORM_WORDS = 8
"""Words before brackets that what stands in them may be short for."""

_WORD = re.compile(r"[^\W\d_][\w'’]*")

_SPELLINGS = (("ae", "e"), ("oe", "e"), ("our", "or"), ("ys", "yz"), ("is", "iz"))
"""British and American, in stems."""

_CAPITALS = re.compile(r"\b(?=\w*[A-Z]\w?[A-Z])[A-Za-z]{2,6}\b")
"""What is written as an abbreviation is, in a text: "PPH", "HRQoL"."""

_BRACKETS = re.compile(r"\((?P<short>\w[\w-]{1,9})\)")

_GREEK = {"a": "[aα]", "b": "[bβ]", "g": "[gγ]", "d": "[dδ]", "k": "[kκ]", "A": "[Aα]", "B": "[Bβ]"}
"""Letters of abbreviations that may be Greek: "NFkB", "IL1B"."""


def mentions(text: TextWords, word: QuestionTerm) -> bool:
    """Whether a text has a word itself, in another form or spelling, written out whole, or another word for it."""
    if word.stem in text.stems or _fold_spelling(word.stem) in _fold_stems(text.stems):
        return True
    if not load_same_stems().get(word.stem, frozenset()).isdisjoint(text.stems):
        return True
    if any(reading and reading <= text.beginnings for reading in word.readings):
        return True
    if word.expression and word.expression.search(text.text):
        return True
    # An abbreviation has no other forms: the looser comparisons below would find it in any word.
    if sum(letter.isupper() for letter in word.text) > 1:
        return _is_in_short(word.text.removesuffix("s"), text.text)
    if word_beginnings(word.text) and word_beginnings(word.text) <= text.beginnings:
        return True
    if names_condition(text.text, {word.text.lower()}):
        return True
    return _is_ending(word.text.lower(), text) or _is_typed_wrong(word, text)


def list_named_in_short(question: str, text: str) -> Iterator[str]:
    """The words of a question, in small letters, that a text names by their initials, "PPH" for postpartum haemorrhage,
    or by what the question has in brackets behind them; and what it has there, where the text has those words."""
    capitals = {one.removesuffix("s").upper() for one in _CAPITALS.findall(text)}
    for short, run in _list_initials(question):
        if short in capitals:
            yield from run
    stems = frozenset(content_stems(text))
    for short, long in list_definitions(question):
        if _is_in_short(short.removesuffix("s"), text):
            yield from long
        elif stems.issuperset(content_stems(" ".join(long))):
            yield short.lower()


def list_definitions(question: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What a question has in brackets behind the words that it is short for, and these: "stem cells (MSC)"."""
    for found in _BRACKETS.finditer(question):
        before = question[: found.start()].replace("-", " ").split()[-MAX_LONG_FORM_WORDS:]
        for count in range(1, len(before) + 1):
            if is_abbreviation_of(found["short"], " ".join(before[-count:])):
                yield found["short"], frozenset(one.lower() for one in before[-count:])
                break


def _is_in_short(short: str, text: str) -> bool:
    """Whether a text has an abbreviation, hyphened or in Greek letters as well ("NF-κB"), or written out."""
    letters = "[-‐–]?".join(_GREEK.get(one, re.escape(one)) for one in short if one.isalnum())
    return re.search(rf"(?<!\w){letters}s?(?!\w)", text) is not None or _is_written_out(short, text)


def _is_written_out(short: str, text: str) -> bool:
    """Whether a text has words of four letters and more that begin with the letters of an unknown abbreviation, and its
    figures behind them: "toll-like receptor 7"."""
    if short in known_abbreviations() or not short.isalnum() or len(short) < MIN_INITIALS or short[1:].islower():
        return False
    words = [one if one.isdigit() else r"\bof" if one == "o" else rf"\b{one}[a-z]{{3,}}" for one in short]
    return re.search(r"[\s-]+(?:of |and |the )?".join(words), text, re.IGNORECASE) is not None


def _is_ending(word: str, text: TextWords) -> bool:
    return len(word) >= MIN_SHARED_LETTERS and any(one.endswith(word) for one in text.words)


def _is_typed_wrong(word: QuestionTerm, text: TextWords) -> bool:
    """Whether it is nearly a word of the text and none that is known: "hyperkalemia" is not "hypokalemia"."""
    is_known = word.rarity != UNKNOWN_RARITY or word.kind in ("disease", "drug") or is_disease_name(word.text)
    # "hyperkalemia" is nearly "hypokalemia", and the opposite of it.
    return not is_known and is_misspelled(word.text.lower(), text.words)


def _list_initials(question: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The initials of words that stand together in a question, and those words."""
    words = _WORD.findall(question.replace("-", " "))
    for first in range(len(words)):
        for count in (2, 3, 4, 5):
            run = words[first : first + count]
            if len(run) == count:
                yield "".join(one[0] for one in run).upper(), frozenset(one.lower() for one in run)


@cache
def load_same_stems() -> dict[str, frozenset[str]]:
    """Stem → the stems of all words that mean the same."""
    found: dict[str, frozenset[str]] = {}
    for kind, words in read_rows("wellsourced.models", "asked_subjects.tsv"):
        if kind == "same":
            stems = frozenset(content_stems(words))
            found.update({stem: stems | found.get(stem, frozenset()) for stem in stems})
    return found


@lru_cache(maxsize=4096)
def _fold_stems(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_fold_spelling, stems))


def _fold_spelling(stem: str) -> str:
    for british, american in _SPELLINGS:
        stem = stem.replace(british, american)
    return stem


def _names_the_unknown(question: Question, text: str) -> bool:
    """Whether a text has a name of the question that no digest and no everyday English has, and that is no disease's:
    who says what istiratumab is need not say what it is against, unless he speaks of another disease."""
    words = read_words(text)
    names = [one for one in list_subjects(question) if _is_strange(one) and not is_disease_name(one.text)]
    return any(mentions(words, one) for one in names if not is_listed_disease(one.text))


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
    # A name that nothing else has settles of what a text is: what istiratumab is against it need not say.
    if _names_the_unknown(question, text):
        is_of_another = not may_be_of_same_people(question.text, text)
        named = [one.text for one in lacking if _is_exact(one) or (is_of_another and _is_named(one))]
        return tuple(dict.fromkeys((*things, *named)))
    phrases = [phrase for one, then in pairwise(lacking) if (phrase := _find_phrase(question.text, one, then))]
    alone = [one.text for one in lacking if _is_telling(one) and not any(one.text in phrase for phrase in phrases)]
    return tuple(dict.fromkeys((*things, *alone, *phrases)))


# The thing that a question asks about, by its place: "Does hypnosis relieve …", "Is erythropoietin effective …".
#
# What does something, or is used or judged, has to be spoken of, however common its name is. A thing in several words
# is spoken of where one of them stands: who asks of vitamin D supplementation is answered by what says vitamin D.


MAX_WORDS = 4
"""Words of a thing, at most: a longer run is a clause."""

_NOBODY = re.compile(
    r"(?:i|we|you|they|he|she|it|my|our|your|his|her|their|this|that|these|those|there|all|any|most|many|some|people|men"
    r"|women|kids|children|babies|adults|doctors?|patients?|which|what|who|how|not|always|only|being)\b",
    re.IGNORECASE,
)
"""What stands where a thing does and is none, or is whom it is asked for."""

_DOES = re.compile(
    r"(?:^|[:,;.?] )(?:is|are|was|were|do|does|did|can|could|will|would|may|might|should|has|have) (?:the |an? )?"
    r"(?P<what>[\w' -]+)",
    re.IGNORECASE,
)

_OF = re.compile(
    r"\b(?:effects?|efficacy|effectiveness|safety|impact|influence|role|use|benefits?|value|place) of (?:the |an? )?"
    r"(?P<what>[\w' -]+?) (?:on|in|for|against|as|during|after|before)\b",
    re.IGNORECASE,
)

_RELATION = re.compile(r"(?:in|on|of|for|with|to|by|at|from|and|or|than|between|during|after|before|a|an|the)", re.I)
"""Words that no thing has within it."""

_PREDICATE = frozenset(
    content_stems(
        "effective efficacious effectively useful beneficial helpful safe safely superior better worse harmful used "
        "indicated recommended approved active help helps improve increase decrease reduce lower raise prevent protect "
        "avoid cause induce trigger enhance inhibit suppress ameliorate alleviate relieve treat cure stop slow delay "
        "affect alter change influence contribute promote modulate regulate associated linked related work benefit "
        "attenuate facilitate hold needed necessary justified feasible"
    )
)
"""Stems of what is said or asked of a thing, with which its name ends."""


def list_asked_things(question: str) -> Iterator[tuple[str, ...]]:
    """The words of each thing that a question asks about."""
    for found in _DOES.finditer(question):
        yield from _cut_name(found["what"].split(), needs_predicate=True)
    for found in _OF.finditer(question):
        yield from _cut_name(found["what"].split(), needs_predicate=False)


def _cut_name(words: list[str], *, needs_predicate: bool) -> Iterator[tuple[str, ...]]:
    """The words as far as a predicate, where they are a name."""
    name: list[str] = []
    for word in words[: MAX_WORDS + 1]:
        if not _PREDICATE.isdisjoint(content_stems(word)) and name:
            break
        if _RELATION.fullmatch(word):
            return
        name.append(word)
    else:
        if needs_predicate or len(words) > MAX_WORDS:
            return
    if name and not _NOBODY.match(name[0]):
        yield tuple(part for word in name for part in word.split("-") if part)


def find_lacking_things(question: Question, lacking: Sequence[QuestionTerm]) -> Iterator[str]:
    """The things that a question asks about of which no word stands there, given the words that do not."""
    subjects = {one.text.lower() for one in list_subjects(question)}
    unspoken = {one.text.lower() for one in lacking}
    for words in list_asked_things(find_asking_part(question.text)):
        telling = [one for one in words if one.lower() in subjects]
        if telling and all(one.lower() in unspoken for one in telling):
            yield " ".join(telling)


def list_lacking_words(question: Question, text: str) -> list[QuestionTerm]:
    """The words of `list_subjects` that a text has in no form, also those that may be put in other words."""
    words, in_short = read_words(text), set(list_named_in_short(question.text, text))
    return [one for one in list_subjects(question) if one.text.lower() not in in_short and not mentions(words, one)]


def _find_phrase(question: str, one: QuestionTerm, then: QuestionTerm) -> str:
    """Two words that follow on each other, and so name something together: "autonomic dysfunction"; else ""."""
    found = re.search(rf"\b{re.escape(one.text)}[ -]{re.escape(then.text)}\b", question)
    return found[0] if found else ""


def find_strange_words(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """Words of what asks that no digest and no everyday English has, in any form or misspelled, nor anything that was
    read: "Heliox", "presepsin"."""
    asking = set(content_stems(find_asking_part(question.text)))
    strange = [one for one in list_asked_words(question) if one.stem in asking and _is_strange(one)]
    words = read_words(read_titled(read if strange else ()))
    return tuple(one.text for one in strange if not mentions(words, one))


def find_absent_things(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """The things that a question asks about and nothing that was read speaks of."""
    return tuple(find_lacking_things(question, _list_absent_words(question, read)))


def find_absent_names(question: Question, read: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """Those things, and the drugs, diseases and abbreviations of which nothing that was read speaks."""
    absent = _list_absent_words(question, read)
    named = (one.text for one in absent if _is_named(one))
    return tuple(dict.fromkeys((*find_lacking_things(question, absent), *named)))


def _list_absent_words(question: Question, read: Sequence[QuoteCandidate]) -> list[QuestionTerm]:
    return list_lacking_words(question, read_titled(read))


def _is_strange(word: QuestionTerm) -> bool:
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
        for name, asked, said in read_rows("wellsourced.models", "asked_kinds.tsv")
        if re.search(asked, question, re.IGNORECASE) and not re.search(said, text, re.IGNORECASE)
    )


def list_subjects(question: Question) -> list[QuestionTerm]:
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


def _is_named(word: QuestionTerm) -> bool:
    """Whether it is a drug, a disease or an abbreviation."""
    return bool(word.kind) or is_listed_disease(word.text) or _is_exact(word)


def _is_exact(word: QuestionTerm) -> bool:
    """Whether it is a drug or an abbreviation, or a disease by whom it is named after: "Parkinson's"."""
    return word.kind in EXACT_KINDS or (word.is_proper and word.text.endswith(_POSSESSIVE))


def _is_telling(word: QuestionTerm) -> bool:
    """Whether it names something: what everyday English has is put in too many ways, but for people and outcomes."""
    if _is_named(word) or word.stem in load_same_stems():
        return True
    return word.stem not in load_ordinary_stems() and not _ACTION.search(word.text.lower())


@cache
def _load_asking_stems() -> frozenset[str]:
    rows = read_rows("wellsourced.models", "asked_subjects.tsv")
    return frozenset(stem for kind, words in rows if kind == "asking" for stem in content_stems(words))
