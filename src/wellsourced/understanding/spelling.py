"""Spelling: words that no library holds, read as words that many documents hold and that are spelled almost so.

A false correction is worse than none, since the word as it stands is searched for anyway: names, numbers,
abbreviations, genes, and words that are built as rare medical words are, stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.sources.base import Frequencies, Lexicon, Thesaurus
from wellsourced.text.lexicon import AUXILIARIES, STOP_WORDS, VERBS
from wellsourced.text.tokens import stems, words
from wellsourced.understanding.affixes import DRUGS, ENDINGS, INFLECTIONS, MISTAKEN, OPPOSED, PREFIXES, ROOT, SUFFIXES
from wellsourced.understanding.atlantic import spellings
from wellsourced.understanding.counts import frequencies
from wellsourced.understanding.edits import distance
from wellsourced.understanding.spans import Word
from wellsourced.understanding.tables import vocabulary

DOCUMENTS = 1_000
"""Documents that the lexicons must have read before a word they lack counts as misspelled."""

SHORTEST = 5
"""Letters of the shortest word that is mended: shorter ones are near to too many others."""

RARE = 1
"""Documents that may hold a misspelled word: texts have misspellings too."""

COMMON = 5
"""Documents that must hold the word it is read as; as many again for every edit."""

TIMES = 20
"""How much commoner that must be than the word as it stands."""

CLEAR = 4.0
"""How much likelier than the next best it must be."""

STEP = 20.0
"""An edit makes a word so much less likely."""

LONG_NAME = 9
"""Letters from which a word with a capital within a sentence may be none of a person (Usher syndrome)."""

CHECKED = 12
"""Words of one question that are looked at more closely."""

EVERYDAY = frozenset({*STOP_WORDS, *AUXILIARIES, *VERBS, *(word.replace("'", "") for word in STOP_WORDS), "hows"})
"""Words that are spelled as they should be, whatever a library holds."""


class _Likely(NamedTuple):
    word: str
    weight: float


class Speller:
    """Mends the spelling of words by what lexicons and a thesaurus know."""

    def __init__(self, lexicons: Sequence[Lexicon], thesaurus: Thesaurus | None) -> None:
        self.lexicons, self.thesaurus = lexicons, thesaurus

    async def mended(self, text: str, told: Sequence[Word]) -> dict[int, str]:
        """Place of a word → how it is to be read."""
        quoted = _quoted(text)
        asked = {
            at: words(word.said)[0]
            for at, word in enumerate(told)
            if _is_plain(word.said) and not any(begin <= word.start < end for begin, end in quoted)
        }
        if not asked or not self.lexicons:
            return {}
        known = await frequencies(self.lexicons, {*asked.values(), *map(_without_prefix, asked.values())})
        if known.documents < DOCUMENTS:
            return {}
        doubtful = [at for at, word in asked.items() if known.counts.get(word, 0) <= RARE and _is_strange(word, known)]
        strange = await self._strange({asked[at] for at in doubtful[:CHECKED]})
        found = {at: await self._likeliest(told[at], asked[at], known) for at in doubtful if asked[at] in strange}
        return {at: right for at, right in found.items() if right}

    async def _strange(self, doubtful: AbstractSet[str]) -> set[str]:
        """Those of which no library holds another form: who writes "inhibit" need not have written "inhibited"."""
        forms = {word: _forms(word) for word in doubtful}
        known = await frequencies(self.lexicons, {form for ones in forms.values() for form in ones}) if forms else None
        return {word for word in forms if known and not any(known.counts.get(form, 0) > RARE for form in forms[word])}

    async def _likeliest(self, word: Word, wrong: str, known: Frequencies) -> str:
        """The one clearly likeliest reading; "" when there is none."""
        if await _names_something(self.thesaurus, wrong):
            return ""
        near = await self._near(wrong)
        named = word.said[0].isupper() and word.start > 0
        likely = sorted(_weighed(wrong, near, known.counts.get(wrong, 0), named), key=lambda one: -one.weight)
        if not likely or stems(likely[0].word) == stems(wrong):
            return ""
        others = [one for one in likely[1:] if stems(one.word) != stems(likely[0].word)]
        return likely[0].word if not others or likely[0].weight >= CLEAR * others[0].weight else ""

    async def _near(self, wrong: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for lexicon in self.lexicons:
            try:
                counts.update(dict(await lexicon.spelled_like(wrong)))
            except SourceError:
                continue
        return counts


async def _names_something(thesaurus: Thesaurus | None, word: str) -> bool:
    try:
        return thesaurus is not None and bool(await thesaurus.widen(word, 1))
    except SourceError:
        return False


def _weighed(wrong: str, near: Counter[str], count: int, named: bool) -> Iterable[_Likely]:
    """What the word may be read as, by how common it is and how few edits away."""
    for right, documents in near.items():
        away = distance(wrong, right)
        common = documents >= max(COMMON * (1 + away), TIMES * count)
        if common and away <= _reach(wrong, named) and _may_be(wrong, right):
            yield _Likely(right, documents / STEP**away)


def _reach(wrong: str, named: bool) -> float:
    """Edits that are forgiven: fewer in short words, in the names of drugs, and in what is written as a name."""
    if named and len(wrong) < LONG_NAME:
        return 0.0
    if named or DRUGS.fullmatch(wrong):
        return 0.75
    return 0.75 if len(wrong) < 8 else 1.0 if len(wrong) < 10 else 1.5 if len(wrong) < 12 else 2.0


def _may_be(wrong: str, right: str) -> bool:
    """Whether one can be a misspelling of the other: not another prefix, not another ending, the same sound first."""
    begins, should_begin = (next(filter(word.startswith, OPPOSED), "") for word in (wrong, right))
    ends, should_end = (next(filter(word.endswith, ENDINGS), "") for word in (wrong, right))
    alike = begins in ("", should_begin) and ends in ("", should_end)
    return alike and _sounds(wrong) == _sounds(right) and not _is_form(wrong, right) and right not in spellings(wrong)


def _is_form(wrong: str, right: str) -> bool:
    """Whether both are made of one word, by endings that words have: "ectopia" of "ectopic"."""
    same = next((at for at, pair in enumerate(zip(wrong, right, strict=False)) if pair[0] != pair[1]), len(wrong))
    pairs = ((wrong[at:], right[at:]) for at in range(max(ROOT, same - 3), same + 1))
    return any(one in SUFFIXES and other in SUFFIXES and (one, other) not in MISTAKEN for one, other in pairs)


def _forms(word: str) -> set[str]:
    """Other forms that the word may have."""
    bases = {*stems(word), *(word.removesuffix(ending) for ending in INFLECTIONS if ending != "e")}
    return {base + ending for base in bases if len(base) >= ROOT for ending in INFLECTIONS} - {word}


def _sounds(word: str) -> str:
    """The first sound, as letters that are taken for each other: "neumonia" begins as "pneumonia" does."""
    plain = re.sub(r"^(?:p(?=[nst])|h(?=[aeiou])|k(?=n)|w(?=r))", "", word.lower())
    return {"c": "k", "q": "k", "z": "s", "x": "s"}.get(plain[0], plain[0])


def _is_plain(said: str) -> bool:
    """A word as anybody might misspell it: letters alone, no capital but the first."""
    return (
        len(said) >= SHORTEST
        and said.isalpha()
        and said.isascii()
        and said[1:].islower()
        and said.lower() not in EVERYDAY
        and said.lower() not in vocabulary()
    )


def _is_strange(word: str, known: Frequencies) -> bool:
    """Whether a word is none that a prefix makes of a known one, nor a form of a known one."""
    rest = _without_prefix(word)
    return rest == word or known.counts.get(rest, 0) <= RARE


def _without_prefix(word: str) -> str:
    prefix = next((one for one in PREFIXES if word.startswith(one) and len(word) - len(one) >= SHORTEST), "")
    return word.removeprefix(prefix)


def _quoted(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"[\"“”«»][^\"“”«»]{1,80}[\"“”«»]", text)]
