"""How sure the judge has to be of a guideline's section: less, where it has the words that the question has."""

from wellsourced.clinical.telling_words import list_subject_words, share_said, word_beginnings
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Passage, Question

COVERAGE_RELIEF = 0.5
"""Share of a threshold that falls away, at most, as the share of the question's words that are there rises to one."""


def lower_threshold(threshold: float, question: Question, passage: Passage) -> float:
    """The probability that a passage has to reach where `threshold` is asked for; all of it for other than guidelines.

    Above a third of the question's telling words each further one lowers it. Fitted on questions that guidelines
    answer, on near misses, and on research and patients' questions that they do not answer.
    """
    if passage.reference.kind != "guideline":
        return threshold
    said = word_beginnings(text_under_titles(passage))
    coverage = share_said(list_subject_words(question.wordings), said)
    return threshold * min(1.0, 1 + COVERAGE_RELIEF / 3 - COVERAGE_RELIEF * coverage)
