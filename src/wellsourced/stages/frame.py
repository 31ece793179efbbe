"""Frame: make the question one that can be searched, or say why it is none."""

import re

from wellsourced.errors import QuestionError
from wellsourced.text.works import meant
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding

LONGEST = 4_000
"""Characters. A case report belongs into `patient`; what is longer than this is no question."""


async def frame(question: Question, understanding: Understanding) -> Question:
    """The question in order, and what its words may mean. Raises QuestionError as `tidy` does."""
    ordered = tidy(question)
    return ordered.model_copy(update={"expansions": await understanding.expansions(ordered)})


def tidy(question: Question) -> Question:
    """The question with its white space in order, and what it excludes by every id meant.

    Raises QuestionError when there is nothing to search for, or more than anybody could mean.
    """
    text = " ".join(question.text.split())
    if not re.search(r"\w", text):
        raise QuestionError("The question is empty: ask something, for example “How is gout treated?”.")
    if len(text) > LONGEST:
        raise QuestionError(
            f"The question has {len(text):,} characters, and {LONGEST:,} is the most that is read. "
            "Ask the question itself, in fewer words."
        )
    excluded = tuple(dict.fromkeys(id for given in question.exclude for id in meant(given)))
    return question.model_copy(update={"text": text, "exclude": excluded})
