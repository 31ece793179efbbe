"""Terms that a draft explains from common knowledge: few words, no figure, no advice, and never a citation."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wellsourced.clinical.quantities import extract_quantities
from wellsourced.prompts.writing import DraftGloss
from wellsourced.text.sanitization import one_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Gloss, Omission, Statement

MAX_GLOSS_WORDS = 30
"""Words of an explanation; 20 are asked for."""

_ADVICE = re.compile(
    r"\b(?:should|must|ought|need(?:s|ed)? to|recommend\w*|advis\w*|avoid\w*)\b"
    r"|^(?:take|stop|ask|call|see|do not|don't)\b",
    re.IGNORECASE,
)
"""What says what to do: that needs a source."""


class CheckedGlosses(NamedTuple):
    """The explanations that may be shown, and those that may not, with the reason."""

    glosses: tuple[Gloss, ...] = ()
    dropped: tuple[Omission, ...] = ()


def check_glosses(drafted: Iterable[DraftGloss]) -> CheckedGlosses:
    """Each term once; what has a figure or advises needs a source, and is left out."""
    kept: dict[str, Gloss] = {}
    dropped: list[Omission] = []
    for one in drafted:
        term, meaning = one_line(one.term), one_line(one.meaning)
        if not term or not meaning or term.casefold() in kept:
            continue
        if reason := _find_fault(meaning):
            dropped.append(Omission.of_statement(f"{term}: {meaning}", reason))
        else:
            kept[term.casefold()] = Gloss(term=term, meaning=meaning)
    return CheckedGlosses(tuple(kept.values()), tuple(dropped))


def select_glosses(glosses: Sequence[Gloss], statements: Sequence[Statement]) -> tuple[Gloss, ...]:
    """Those of terms that a statement which stands has as words of its own, in whatever form.

    A statement that was written anew may have another form of the term: "beta blocker" for "beta-blockers".
    """
    said = [_list_stems(statement.text) for statement in statements]
    return tuple(one for one in glosses if any(_contains_run(stems, _list_stems(one.term)) for stems in said))


def _list_stems(text: str) -> list[str]:
    """The stems of the content words of a text, its hyphens read as blanks."""
    return content_stems(re.sub(r"(?<=\w)[-‐-–](?=\w)", " ", text))


def _contains_run(stems: Sequence[str], run: Sequence[str]) -> bool:
    size = len(run)
    return size > 0 and any(list(stems[at : at + size]) == list(run) for at in range(len(stems) - size + 1))


def _find_fault(meaning: str) -> str:
    """Why the explanation may not stand without a source; "" when it may."""
    if re.search(r"\d", meaning) or extract_quantities(meaning):
        return "an explanation from common knowledge has a figure, which needs a source"
    if _ADVICE.search(meaning):
        return "an explanation from common knowledge gives advice, which needs a source"
    if len(meaning.split()) > MAX_GLOSS_WORDS:
        return f"an explanation from common knowledge has more than {MAX_GLOSS_WORDS} words"
    return ""
