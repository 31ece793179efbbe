"""Other names of what a question names: of drugs by a table of ours, of anything else by a thesaurus."""

import re
from collections.abc import Collection, Iterator, Sequence

from wellsourced.errors import SourceError
from wellsourced.sources.base import Thesaurus
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.types import Widening
from wellsourced.understanding.abbreviations import is_abbreviation
from wellsourced.understanding.harvest import long_form
from wellsourced.understanding.spans import Meaning, Word, key, keys, runs, understood
from wellsourced.understanding.tables import SOURCE, drug_names


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


NAMES = 8
"""Names of one concept that are looked at."""

BEST = 2
"""Of these, how many are kept."""

LOOKED_UP = 24
"""Terms of one question that a thesaurus is asked for."""

LONGEST = 6
"""Words of the longest of them."""

GENERAL = _set(
    """abnormality age appearance behavior cancer cancers carcinoma cardiac cases cells child children condition
    conditions course deficiency disability disease diseases disorder disorders failure family fever finding function
    growth infection infections inheritance injury injuries lesion lesions loss mild moderate mutation mutations normal
    onset pain phenotype progressive recurrent severe severity sporadic surgery swelling symptom symptoms syndrome
    syndromes tumor tumors tumour tumours weakness treatment therapy woman women mother birth death"""
)
"""Words that name kinds of concepts; a thesaurus knows other words for them, and none helps."""

QUALIFIERS = _set(
    """abnormal abnormality acquired acute adult age chronic complete congenital decreased early episodic familial fetal
    generalized hereditary idiopathic increased inherited isolated juvenile late localized maternal mild neonatal onset
    partial pediatric primary progressive recurrent repeated secondary severe somatic sporadic susceptibility syndromic
    type unilateral bilateral with without"""
)
"""Words by which a name says less, or more, than the term it is given for."""

INSIDE = frozenset({"of", "and", "with", "in", "to", "due"})
"""Small words that stand within names of diseases: "failure of", "with reduced ejection fraction"."""


def renamed(text: str, told: Sequence[Word]) -> Iterator[Meaning]:
    """Drugs that have two names, by the other one."""
    for first, last in runs(text, told, longest=3):
        other = next((drug_names()[name] for name in keys(understood(told, first, last)) if name in drug_names()), "")
        if other:
            yield Meaning(first, last, "synonym", (other,), SOURCE)


def terms(text: str, told: Sequence[Word], around: Collection[int] = ()) -> list[tuple[int, int]]:
    """Runs that may be terms, the longest first: none that begins or ends with a small word, or is only a word.

    around   places of words of which each run holds one; (): any
    """
    content = [not _is_small(word.read) for word in told]
    found = [
        (first, last)
        for first, last in runs(text, told, LONGEST)
        if content[first]
        and content[last]
        and all(content[at] or told[at].read.lower() in INSIDE for at in range(first, last))
        and (first < last or _is_telling(told[first].read))
        and not _is_end_of_name(text, told, first)
        and (not around or any(at in around for at in range(first, last + 1)))
    ]
    return found[:LOOKED_UP]


async def named(told: Sequence[Word], first: int, last: int, thesaurus: Thesaurus) -> Meaning | None:
    """Other names of the concept that a run names; None when the thesaurus knows none that helps."""
    term = understood(told, first, last)
    try:
        fit = [name for name in await thesaurus.widen(term, NAMES) if _helps(term, name)][:BEST]
        if is_abbreviation(term):
            fit = [name for name in fit[:1] if is_long_form(term, name) and term in await thesaurus.widen(name)]
    except SourceError:
        return None
    kind: Widening = "abbreviation" if is_abbreviation(term) else "synonym"
    return Meaning(first, last, kind, tuple(fit), "the graph") if fit else None


def _helps(term: str, name: str) -> bool:
    """Whether a name is another wording: not the term in another form, not one kind of it, not a code."""
    own, other = set(key(term).split()), key(name).split()
    if not other or own <= set(other) or set(other) <= own or (QUALIFIERS & set(other)) - own:
        return False
    return len(other) <= LONGEST and not re.search(r"\d{3,}|\d\.\d|[,;()/]", name)


def is_long_form(short: str, long: str) -> bool:
    """Whether a name may be abbreviated so: its own letters, and none of the words before it."""
    return long_form(short, long) == long


def _is_small(word: str) -> bool:
    return word.lower() in STOP_WORDS


def _is_telling(word: str) -> bool:
    return is_abbreviation(word) or (len(word) > 3 and key(word) not in GENERAL)


def _is_end_of_name(text: str, told: Sequence[Word], first: int) -> bool:
    """Whether a longer name ends here: "Jensen syndrome" is nothing in "Gorlin Bushkell Jensen syndrome"."""
    if first < 2 or not told[first].read[0].isupper() or not told[first - 1].read[0].isupper():
        return False
    return text[told[first - 1].end : told[first].start].isspace()
