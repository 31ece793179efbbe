"""Names in a question that neither everyday English nor most medical text has: a score, a test, a device, a germ.

Where such a name ("EDACS", "Watchman", "heliox") stands in nothing that was read, what was found is on something else.
`ordinary_stems.txt` holds the stems that are no such names: of SCOWL's 50,000 commonest words of American and British
English, of words in more than 48 of 53,069 medical passages, and of what clinicians say at work.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from wellsourced.clinical.drugs import list_class_expressions, read_brands
from wellsourced.clinical.word_forms import known_abbreviations, word_beginnings
from wellsourced.text.lexicon import word_set
from wellsourced.text.tokens import content_stems
from wellsourced.types import Expansion

_WORD = re.compile(r"[^\W\d_][\w'’]*[^\W_]")
_AS_IN = re.compile(r"\b(?:as|like) in $", re.IGNORECASE)
_AFTER_START = re.compile(r"(?:^|[.?!:–—-])[\s(\"“]*$")

MIN_CAPITALS = 3
"""Letters of a name in capitals; two stand for too many things."""

SPELLED_LENGTHS = range(3, 6)
"""Letters of an abbreviation that is known by words which begin with them: "RSV"."""

MIN_SMALL_LETTERS = 5
"""Letters of a name in small letters."""

KNOWN_LETTERS = 6
"""Letters by which a name is known in another form."""

MIN_PART_LETTERS = (4, 5)
"""Letters of a word that a name begins or ends with, and is known by: "bleeder" by bleed, "urosepsis" by sepsis."""

_NOT_NAMES = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december british english american african african-american european asian hispanic "
    "caucasian christmas"
)
"""What is written with a capital and names no thing that a guideline is on."""

_AT_WORK = word_set(
    "ICU ITU HDU CCU NICU PICU ECG EKG CXR CVC UVC EVD NPO PRN BID TDS QDS GP GPs LP CRP ESR CSF WBC FBC CBC LFTs RVR "
    "HCA HCAs TSAT uACR UACR NICE WHO AHA ACC ESC ADA FDA EMA GOLD GINA KDIGO DrugBank MSK SNF PCP PCPs CNS TIAs AED "
    "IVC JVP CVP MAP"
)
"""Abbreviations of places, signs and bodies that are around what is asked, not what is asked about."""


def list_unusual_names(text: str) -> list[str]:
    """The names in a text, as they are written, in order, each once; none of two beside a stroke: either will do."""
    found = (one for one in _WORD.finditer(text) if "/" not in text[max(0, one.start() - 1) : one.end() + 1])
    return list(dict.fromkeys(one[0] for one in found if _is_unusual(one[0], text[: one.start()])))


def _is_unusual(word: str, before: str) -> bool:
    if word in known_abbreviations() or word in _AT_WORK or word.lower() in _NOT_NAMES or "'" in word or "’" in word:
        return False
    if _AS_IN.search(before):
        return False
    stems = {stem for form in _spellings(word) for stem in content_stems(form)}
    if not stems:
        return False
    is_ordinary = bool(stems & load_ordinary_stems())
    if sum(letter.isupper() or letter.isdecimal() for letter in word) > 1:
        return len(word) >= MIN_CAPITALS and not (word.isalpha() and is_ordinary)
    if word[0].isupper() and not _AFTER_START.search(before):
        return len(word) > MIN_CAPITALS
    return len(word) >= MIN_SMALL_LETTERS and not is_ordinary


def compile_unusual_name(name: str, expansions: Sequence[Expansion]) -> re.Pattern[str]:
    """How a text speaks of it: in any form, in short, by a word that it begins or ends with, by what it means, by its
    drugs and their class.

    expansions   what words of the question are understood as
    """
    meant = [one.meant for one in expansions if name.casefold() in one.said.casefold()]
    beginnings = word_beginnings("\n".join(meant)) if meant else frozenset[str]()
    told = [*_forms(name), *(rf"\b{re.escape(one)}" for one in sorted(beginnings)), *_drug_forms(name)]
    return re.compile("|".join(told), re.IGNORECASE)


def _forms(name: str) -> Iterator[str]:
    if any(letter.isupper() for letter in name[1:]) or any(letter.isdecimal() for letter in name):
        # "CHADS" is CHA2DS2, "B5801" B*58:01.
        yield r"\b" + r"[\d\W]?".join(map(re.escape, re.sub("e?r?s$|er$", "", name)))
        if name.isalpha() and len(name) in SPELLED_LENGTHS:
            yield r"[\s-]+".join(rf"\b{letter}\w+" for letter in name)
        return
    begin, end = MIN_PART_LETTERS
    for form in _spellings(name):
        yield rf"\b{re.escape(form[:KNOWN_LETTERS])}"
        parts = [form[:length] for length in range(begin, len(form))]
        parts += [form[place:] for place in range(1, len(form) - end + 1)]
        if parts:
            yield rf"\b(?:{'|'.join(map(re.escape, parts))})\b"


def _drug_forms(name: str) -> Iterator[str]:
    """A brand's generic names, and the classes of both."""
    for drug in (name, *_load_brands().get(name.casefold(), ())):
        yield rf"\b{re.escape(drug)}"
        yield from list_class_expressions(drug)


def _spellings(word: str) -> tuple[str, ...]:
    """In British and American English."""
    small = word.lower()
    american = small.replace("aem", "em").replace("oed", "ed").replace("oes", "es")
    return tuple(dict.fromkeys((small, american, american.replace("is", "iz"))))


@cache
def load_ordinary_stems() -> frozenset[str]:
    """Stems of everyday English and of most medical text."""
    content = files("wellsourced.claims").joinpath("ordinary_stems.txt").read_text(encoding="utf-8")
    return frozenset(content.split())


@cache
def _load_brands() -> Mapping[str, tuple[str, ...]]:
    """Brand in small letters → the words of its generic names."""
    return {brand.casefold(): tuple(re.findall(r"\w{5,}", generic)) for brand, generic in read_brands()}
