"""Which part of a question of several parts nothing that is said speaks of."""

from collections.abc import Sequence

from wellsourced.claims.decomposition import list_question_parts
from wellsourced.clinical.asked_quantities import detect_asked_quantities, has_asked_figure
from wellsourced.text.lexicon import word_set
from wellsourced.text.tokens import content_stems
from wellsourced.types import Statement

_EMPTY_STEMS = frozenset(
    content_stems(
        "when what which how who where why much many long often soon give given use used start started stop stopped"
        " recommend recommended need needed best first choice option treat treatment therapy drug patient case"
        " dose dosage duration interval target threshold level long-term does anything else also"
        " then safe good take taken"
    )
)
"""Words of a question that say how it asks, and not of what."""

_BACK = word_set("it its they them their this that these those")


def note_unanswered_parts(question: str, statements: Sequence[Statement]) -> tuple[str, ...]:
    """That nothing that is said speaks of a part of the question, a sentence for each such part.

    A part that asks for a figure is spoken of where one of its sort is said, another where any word is that the other
    parts do not have. Nothing is noted where all parts would be: then the words differ, and not what is answered.
    """
    parts = list_question_parts(question)
    if len(parts) < 2 or not statements:
        return ()
    said = [f"{one.topic}: {one.text} {' '.join(cited.quote for cited in one.citations)}" for one in statements]
    open_parts = [part for part in parts if not _is_spoken_of(part, [one for one in parts if one != part], said)]
    return tuple(f"Not answered: {part.strip()}" for part in open_parts) if len(open_parts) < len(parts) else ()


def _is_spoken_of(part: str, others: Sequence[str], said: Sequence[str]) -> bool:
    own = set(content_stems(part)) - _EMPTY_STEMS - _BACK - {stem for one in others for stem in content_stems(one)}
    near = [text for text in said if not own or own & set(content_stems(text))]
    if wanted := detect_asked_quantities(part):
        # "At what dose" asks for a dose, and for a threshold only by its "at what".
        return has_asked_figure([one for one in wanted if one.name != "threshold"] or wanted, " ".join(near))
    return bool(near)
