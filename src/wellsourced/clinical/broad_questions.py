"""Questions that a whole chapter answers: "How is osteoporosis treated?", and the chapters that answer them."""

import re
from collections.abc import Iterable, Sequence

from wellsourced.clinical.question_types import QuestionType, detect_question_types, has_answer_of_type
from wellsourced.clinical.word_forms import GENERIC_STEMS, write_out_abbreviations
from wellsourced.late import compile_late
from wellsourced.text.section_paths import last_heading, list_chapters
from wellsourced.text.tokens import content_stems

_FOR_EVERYBODY = compile_late(
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


_FIRST_HEADING = re.compile(
    r"\b(?:initial|first[- ]line|primary|general|pharmacotherapy|pharmacological)\b", re.IGNORECASE
)
_LATER_HEADING = compile_late(
    r"\b(?:advanced|durations?|severe|refractory|complication\w*|secondary|sequenc\w*|monitor\w*|holidays?|biologics?"
    r"|lifestyle|special|exacerbations?|necroti\w*|extended|after|post)\b",
    re.IGNORECASE,
)
"""Headings of what comes first, and of what comes later or is for few."""


def rate_chapter(path: str) -> int:
    """1 for a chapter on what is done first, -1 for one on what is done later or for few, else 0."""
    heading = last_heading(path)
    return bool(_FIRST_HEADING.search(heading)) - bool(_LATER_HEADING.search(heading))


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
