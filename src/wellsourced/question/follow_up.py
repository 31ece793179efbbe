"""A follow-up without a model: a question that leans on an earlier one is searched for with that one's words.

A question leans on what was said when it opens or points back as follow-ups do, or when it names no condition and no
subject of its own: "What is the target?". One that names its own condition opens a new topic, whatever it opens with.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.name_forms import is_disease_name
from wellsourced.question.understanding import Understanding
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tables import read_word_lists
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Question, Turn

MAX_EARLIER_WORDS = 8
"""Words of earlier questions that are taken, at most: the most important ones."""

_FOLLOW_UP_OPENING = lazy_regex(
    r"(?:and|but|or|so|also|then|what about|how about|what if|what else|same|instead|why not|if so|since when)\b",
    re.IGNORECASE,
)
_PRONOUN = lazy_regex(r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers)\b", re.IGNORECASE)
_DEMONSTRATIVE = lazy_regex(
    r"(?:^|\b(?:of|for|about|with|on|by|to|from|in|is|are|was|were|does|do|did|can|could|should|would|will|than|after"
    r"|before|without|why)\s)(?:this|that|these|those|such|the (?:same|former|latter|others?))\b",
    re.IGNORECASE,
)
_IMPERSONAL_IT = lazy_regex(
    r"\bit\s+(?:(?:is|be|was|still|always|ever|really|medically)\s+)*(?:safe|possible|ok|okay|normal|necessary|dangerous"
    r"|important|true|common|better|best|worth|recommended|useful|harmful|wise|advisable|required|known|likely|rare"
    r"|unsafe|bad|good|risky|appropriate|reasonable|rain|mean|take)\s+(?:(?:for|in)\s+(?:\w+\s+){1,4})?(?:to|that|if)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing said before: "Is it safe to …"."""

_DEFINITION = lazy_regex(
    r"(?:what(?:'s|’s| is| are)|define|who is)\s+(?:an?\s|the\s)?\s*(?:\S+\s+){0,3}\S+", re.IGNORECASE
)
_LISTS = {name: frozenset(words) for name, words in read_word_lists(__package__, "follow_up.tsv").items()}


async def resolve_follow_up(question: Question, understanding: Understanding) -> tuple[str, tuple[str, ...]] | None:
    """The question with the words that it leans on, and these; None when it stands alone, or there are none."""
    thread, said = _follow_thread(question.history)
    if not thread or not is_follow_up(question.text, said):
        return None
    words = await _select_thread_words(question.text, thread, understanding)
    own = set(content_stems(question.text))
    added = tuple(word for word in words if not own.issuperset(content_stems(word)))[:MAX_EARLIER_WORDS]
    if not added:
        return None
    return f"{question.text.rstrip(' ?.!')}: {', '.join(added)}?", added


def is_follow_up(text: str, said: AbstractSet[str] = frozenset()) -> bool:
    """Whether a question can only be understood after another: it opens as one does, points back, or names no topic.

    said   stems of what was said on the topic so far: a question in its words stays with it
    """
    pointing = _PRONOUN.search(_IMPERSONAL_IT.sub(" ", text))
    if (pointing and not _topic_words(text[: pointing.start()])) or _DEMONSTRATIVE.search(text):
        return True
    has_own_condition = names_condition(text)
    if _FOLLOW_UP_OPENING.match(text):
        return not (has_own_condition and _names_aspect(text))
    return not has_own_condition and not _names_own_subject(text, said)


def names_condition(text: str) -> bool:
    """Whether a disease is named, by its name or an abbreviation of it: "gout", "COPD", "acute pancreatitis"."""
    words = set(tokenize(text))
    named = {word for word in words if word in _LISTS["disease"] or is_disease_name(word)}
    # "In kidney disease" says for whom something is asked, not what it is asked about.
    of_whom = words & _LISTS["population"] and named <= _LISTS["organ disease"]
    return bool(named) and not of_whom


def _names_own_subject(text: str, said: AbstractSet[str]) -> bool:
    """Whether a question without a condition is on something that nothing said so far was about."""
    subjects = _list_subjects(text)
    if not subjects or not _LISTS["relational"].isdisjoint(tokenize(text)):
        return False
    if not said.isdisjoint(content_stems(" ".join(subjects))):
        return False
    is_definition = _DEFINITION.fullmatch(text.rstrip(" ?.!")) is not None
    return is_definition or len(subjects) > 1 or not _LISTS["population"].isdisjoint(tokenize(text))


def _list_subjects(text: str) -> list[str]:
    """The things that a question is on, without what is to be known of them and without whom it is asked for."""
    others = _LISTS["attribute"] | _LISTS["population"] | _LISTS["organ disease"]
    return [word for word in _topic_words(text) if word not in others]


def _names_aspect(text: str) -> bool:
    """Whether a question says what is to be known: "the target", "albumin"; not only of whom: "in pregnancy"."""
    words = [word for word in _topic_words(text) if word not in _LISTS["population"] | _LISTS["disease"]]
    return any(not is_disease_name(word) for word in words)


def _topic_words(text: str) -> list[str]:
    return [word for word in tokenize(text) if not (word in STOP_WORDS or word in _LISTS["general"] or word.isdigit())]


def _follow_thread(history: Sequence[Turn]) -> tuple[list[str], set[str]]:
    """The last question that stands alone with the follow-ups behind it, and the stems of all that was said since."""
    thread: list[str] = []
    said: set[str] = set()
    for turn in history:
        if turn.role == "user":
            if thread and is_follow_up(turn.text, said):
                thread.append(turn.text)
            else:
                thread, said = [turn.text], set()
        said |= set(content_stems(turn.text))
    return thread, said


async def _select_thread_words(text: str, thread: Sequence[str], understanding: Understanding) -> tuple[str, ...]:
    """Words of the last follow-up and of the question that it leans on, the most important first.

    A fragment takes what was asked, too; a question with subjects of its own takes the condition alone.
    """
    first = await understanding.extract_keywords(Question(text=thread[0]), MAX_EARLIER_WORDS)
    if not _names_aspect(text):
        kept = first
    elif len(_list_subjects(text)) > 1 and any(map(names_condition, first)):
        kept = tuple(word for word in first if names_condition(word))
    else:
        kept = tuple(word for word in first if _topic_words(word)) or first
    last = await understanding.extract_keywords(Question(text=thread[-1]), MAX_EARLIER_WORDS) if thread[1:] else ()
    return tuple(dict.fromkeys((*(word for word in last if _topic_words(word)), *kept)))
