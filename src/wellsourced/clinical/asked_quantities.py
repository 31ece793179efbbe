"""What figure a question asks for (a dose, a duration, an interval, a threshold), and whether a text has one of that sort."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.text.tables import read_alternatives


class AskedQuantity(NamedTuple):
    """A sort of figure: how a question asks for it, and how it is written."""

    name: str
    question_pattern: re.Pattern[str]
    figure_pattern: re.Pattern[str]


@cache
def quantity_types() -> tuple[AskedQuantity, ...]:
    """Every sort of figure that is told apart."""
    patterns = {
        key: re.compile(rf"(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.clinical", "asked_quantities.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(AskedQuantity(name, patterns[name, "asked"], patterns[name, "figure"]) for name in names)


def detect_asked_quantities(question: str) -> tuple[AskedQuantity, ...]:
    """The sorts of figures that the question asks for; () where it asks for none."""
    return tuple(one for one in quantity_types() if one.question_pattern.search(question))


def has_asked_figure(wanted: Sequence[AskedQuantity], text: str) -> bool:
    """Whether a text has a figure of any of the sorts that are wanted."""
    return any(one.figure_pattern.search(text) for one in wanted)
