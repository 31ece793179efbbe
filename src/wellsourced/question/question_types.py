"""What a question asks for (a treatment, a cause, a number), of whom and how broadly, and whether a sentence, a chapter
or a page offers that sort of thing.

Words and no model: similarity finds what is about the same things; this tells a sentence that treats a disease from
one that merely names it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.word_forms import is_medical_abbreviation, write_out_abbreviations
from wellsourced.question.word_rarity import BEGINNING_LENGTH, GENERIC_STEMS, rate_rarity
from wellsourced.text.passages import last_heading, list_chapters
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import content_stems


class QuestionType(NamedTuple):
    """One thing that may be asked for: how a question asks for it, and how a sentence offers it."""

    name: str
    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str]


def _load_types() -> tuple[QuestionType, ...]:
    patterns = {
        key: lazy_regex(rf"\b(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.question", "question_types.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(QuestionType(name, patterns[name, "asked"], patterns[name, "offered"]) for name in names)


QUESTION_TYPES = _load_types()


def _load_things() -> tuple[QuestionType, ...]:
    patterns = read_alternatives("wellsourced.question", "asked_things.tsv")
    # Capitals tell a name where it is given, and nothing where it is asked for.
    return tuple(
        QuestionType(name, lazy_regex(patterns[name, "asked"], re.IGNORECASE), lazy_regex(patterns[name, "offered"]))
        for name in dict.fromkeys(name for name, _ in patterns)
    )


ASKED_THINGS = _load_things()
"""Sorts of things that are asked to be named: a disease, a molecule, a place, a year …"""


def detect_question_types(question: str) -> tuple[QuestionType, ...]:
    """What the question asks for; () when no word of it says so."""
    return tuple(need for need in QUESTION_TYPES if need.question_pattern.search(question))


def has_answer_of_type(wanted: Sequence[QuestionType], sentence: str) -> bool:
    """Whether a sentence offers any of what is wanted; everything does when nothing in particular is."""
    return not wanted or any(need.answer_pattern.search(sentence) for need in wanted)


NAMED_SORTS = frozenset(
    {"disease", "molecule", "gene", "drug", "chromosome", "place", "organism", "number", "year", "company", "brand"}
)
"""Of these, what is told by its name or its figure, and not by what is said of it."""


def list_asked_things(question: str, among: Collection[str] = ()) -> list[QuestionType]:
    """The sorts of things that a question asks to be named.

    among   names of sorts; (): any
    """
    return [
        thing
        for thing in ASKED_THINGS
        if (not among or thing.name in among) and thing.question_pattern.search(question) is not None
    ]


def names_thing(thing: QuestionType, question: str, text: str) -> bool:
    """Whether a text has a sign of a sort of thing that the question lacks."""
    asked = question.casefold()
    return any(found.group().casefold() not in asked for found in thing.answer_pattern.finditer(text))


SELF_POINTS = 2
LAY_POINTS = 1
CLINICIAN_POINTS = 2
PATIENT_POINTS = 2
"""Points from which a question is a patient's: who speaks of "my leg" does, one lay word alone proves nothing."""


def is_patient_question(text: str, lay_words: int = 0) -> bool:
    """Whether whoever asks speaks of themselves or their family, or as people do who are not trained in medicine.

    lay_words   words of the text that are known as lay terms
    """
    patterns = _compile_patterns()
    tells_of_self = patterns["self"].search(text) is not None
    lay_points = min(len(set(patterns["lay"].findall(text))), 2) + min(lay_words, 1)
    points = SELF_POINTS * tells_of_self + LAY_POINTS * lay_points
    return points - CLINICIAN_POINTS * _speaks_as_clinician(text) >= PATIENT_POINTS


def _speaks_as_clinician(text: str) -> bool:
    """Whether it speaks of patients, as of others; or in abbreviations, of which patients use one at a time."""
    abbreviations = set(filter(is_medical_abbreviation, re.findall(r"\w+", text)))
    return _compile_patterns()["clinician"].search(text) is not None or len(abbreviations) > 1


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    tables = read_alternatives("wellsourced.question", "patient_questions.tsv")
    return {kind: re.compile(words, re.IGNORECASE) for (kind,), words in tables.items()}


# How far the title of a page for patients is what a question is about: "Fever", of a child with a fever.
#
# A page on sickle cell disease speaks of a fever too, and of calling a doctor; whoever asks has a fever to do with.


_IDLE_IN_TITLES = frozenset(
    content_stems("what need know about adult adults disease diseases disorder disorders problem problems information")
)
"""Words of titles that say little of what a page is on."""

_IDLE = _IDLE_IN_TITLES | frozenset(
    content_stems("child children should doctor call tell happen cause get go mean do feel many much take thing eat")
)
"""Words of questions that do; a title with a child, where none is asked of, is on another matter."""

MAX_OPENING_LENGTH = 300
"""Characters of a text in which it says what its subject is called."""


IDLE_RARITY = 0.5
"""What such a word counts."""


def rate_focus(wordings: Sequence[str], names: Sequence[str]) -> float:
    """From 0 to 1: the share of a title that a wording of the question has, and of the question that the title has.

    Rare words count for more.

    names   the title, and what else its subject is called
    """
    named = [_weigh_words(name, _IDLE_IN_TITLES) for name in names]
    asked = [_weigh_words(wording, _IDLE) for wording in wordings]
    return max((_rate(wording, name) for wording in asked for name in named), default=0.0)


def find_other_names(title: str, texts: Iterable[str]) -> list[str]:
    """What else the subject of a title is called, where texts on it begin with that: "also called low blood sugar"."""
    begins = re.compile(
        rf"{re.escape(title)},? (?:\([^)]*\),? )?(?:is |are |was )?(?:also |sometimes |often )?"
        r"(?:called|known as|referred to as|means|is the (?:medical )?(?:name|term|word) for|refers to)"
        r" (?P<names>[^.;:()]{3,60}?)"
        r"(?:,? (?:is|are|occurs?|happens?)\b|[.;:()])",
        re.IGNORECASE,
    )
    found = (begins.search(text[:MAX_OPENING_LENGTH]) for text in texts)
    return [name for one in found if one for name in re.split(r",? or |, ", one["names"]) if name]


def share_title(wordings: Sequence[str], names: Sequence[str]) -> float:
    """The share of a title, or of another name of its subject, that the question has, in any wording."""
    named = [_weigh_words(name, _IDLE_IN_TITLES) for name in names]
    asked = [_weigh_words(wording, _IDLE) for wording in wordings]
    return max(
        (_weigh_shared(wording, name) / sum(name.values()) for wording in asked for name in named if name), default=0.0
    )


def _rate(asked: Mapping[str, float], named: Mapping[str, float]) -> float:
    shared = _weigh_shared(asked, named)
    return (shared / sum(named.values()) + shared / sum(asked.values())) / 2 if shared else 0.0


def _weigh_shared(asked: Mapping[str, float], named: Mapping[str, float]) -> float:
    return sum(min(asked[word], named[word]) for word in asked.keys() & named.keys())


def _weigh_words(text: str, idle: frozenset[str]) -> dict[str, float]:
    """How its words begin, in any form, and how rare they are."""
    stems = content_stems(text)
    return {stem[:BEGINNING_LENGTH]: IDLE_RARITY if stem in idle else rate_rarity(stem) for stem in stems}


_FOR_EVERYBODY = lazy_regex(
    r"\b(?:which|what)(?: \w+){0,2} (?:drugs|medicines|medications|treatments|classes|therapies)\b[^?]{0,40}"
    r"\b(?:every|all|each|any) (?:\w+ )?(?:patients?|adults?|person|people|one)\b|\beveryone\b",
    re.IGNORECASE,
)
"""What asks for all that everybody is given, though it begins with "which"."""

_ORGANS = dict(
    zip(content_stems("pulmonary renal hepatic cardiac"), content_stems("lung kidney liver heart"), strict=True)
)
"""Stem of an organ's Latin name → that of its everyday one."""

_EVERYBODY = frozenset(content_stems("every each all any everyone everybody anyone"))

BROAD_TYPES = frozenset({"treatment", "prevention"})
"""What chapters are on."""

_NARROW = re.compile(
    r"\b(?:dos(?:e|es|age|ing)|how (?:much|many|long|often|soon|fast|high|low)|when|target|goal|threshold|cut-?off"
    r"|durations?|rate|prefer\w*|first\b(?! line|-line)|versus|vs|better|safe|contraindicat\w*|\d+)\b"
    r"|^\W*(?:at|in which|is|are|can|does|do|should|may|must|will|has|have|which|who)\b",
    re.IGNORECASE,
)
"""What asks for one thing, not for all there is."""


_CHAPTER_HEADING = re.compile(r"manag|pharmaco|step-?wise|resuscitat", re.IGNORECASE)
"""How chapters on treatment are called besides."""


def is_broad_question(question: str) -> bool:
    """Whether it asks for all of a treatment or of a prevention, and not for one fact of it."""
    is_wide = _FOR_EVERYBODY.search(question) is not None or not _NARROW.search(question)
    return is_wide and any(need.name in BROAD_TYPES for need in detect_question_types(question))


def is_chapter_on(path: str, title: str, wordings: Sequence[str]) -> bool:
    """Whether a chapter is on what a broad question asks: its heading offers that sort of thing, and names all of it.

    path    headings, outermost first
    title   of the document
    """
    heading = write_out_abbreviations(last_heading(path))
    named = _fold_organs(content_stems(write_out_abbreviations(f"{title} {path}")))
    return any(
        (has_answer_of_type(wanted, heading) or _CHAPTER_HEADING.search(heading) is not None)
        and named.issuperset(_subject_stems(wording, wanted))
        for wording in wordings
        if (wanted := [need for need in detect_question_types(wording) if need.name in BROAD_TYPES])
    )


def find_chapter(path: str, title: str, wordings: Sequence[str]) -> str:
    """The outermost chapter around a section that is on what a broad question asks; "" where none is."""
    chapters = reversed(list_chapters(path))
    return next((chapter for chapter in chapters if is_chapter_on(chapter, title, wordings)), "")


def _subject_stems(question: str, wanted: Sequence[QuestionType]) -> frozenset[str]:
    """What the question is about, without the words that say what is asked of it."""
    words = [
        word
        for word in re.findall(r"[\w'-]+", write_out_abbreviations(question))
        if not any(need.question_pattern.match(word) for need in wanted)
    ]
    return _fold_organs(content_stems(" ".join(words))) - GENERIC_STEMS - _EVERYBODY


def _fold_organs(stems: Iterable[str]) -> frozenset[str]:
    """Stems with an organ's everyday name for its Latin one: "lung disease" is pulmonary disease."""
    return frozenset(_ORGANS.get(stem, stem) for stem in stems)
