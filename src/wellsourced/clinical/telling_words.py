"""The words of a question that tell what it is about, in a form in which they are known again."""

from wellsourced.clinical.abbreviations import write_out_abbreviations
from wellsourced.text.tokens import content_stems

GENERIC_STEMS = frozenset(
    content_stems(
        "first line initial recommended recommend best standard current option options choice approach strategy "
        "patient patients people person adult adults guideline guidelines main use used given give get take taken "
        "start started begin general overall need needed appropriate right much many long often soon case cases "
        "year years old kg good day days week weeks"
    )
)
"""Of words that questions have whatever they are about."""

BEGINNING_LENGTH = 6
"""Letters by which words are compared."""

_GENERIC = frozenset(stem[:BEGINNING_LENGTH] for stem in GENERIC_STEMS)


def word_beginnings(text: str) -> frozenset[str]:
    """How its telling words begin: "nephrologist" is of nephrology, and who is "referred" needs a referral."""
    stems = content_stems(write_out_abbreviations(text))
    return frozenset(stem[:BEGINNING_LENGTH] for stem in stems if not stem[0].isdecimal()) - _GENERIC
