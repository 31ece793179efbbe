"""Synonyms as METEOR asks for them: single words of WordNet 3.0, in a table that tools/wordnet_synonyms.py makes.

nltk's own reader wants files that its downloader fetches. This one gives METEOR the same words and fetches nothing.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

SUFFIXES = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
"""Endings and what stands for them in the base, of each part of speech, as WordNet's morphy has them."""


class SynonymLemma(NamedTuple):
    """A word of a set, as nltk has it."""

    word: str

    def name(self) -> str:
        """The word."""
        return self.word


class SynonymSet(NamedTuple):
    """Words that mean the same, as nltk has them."""

    words: tuple[str, ...]

    def lemmas(self) -> list[SynonymLemma]:
        """Every word of it."""
        return [SynonymLemma(word) for word in self.words]


class SynonymTable:
    """What METEOR asks of WordNet: the sets in which a word, or a base of which it is a form, stands."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._sets: dict[str, dict[str, list[SynonymSet]]] = {part: defaultdict(list) for part in SUFFIXES}
        self._irregular: dict[str, dict[str, list[str]]] = {part: {} for part in SUFFIXES}
        self._known: dict[str, list[SynonymSet]] = {}
        for line in lines:
            kind, part, words = line.rstrip("\n").split("\t")
            first, *others = words.split(" ")
            if kind == "e":
                self._irregular[part][first] = others
                continue
            one = SynonymSet((first, *others))
            for word in {word.lower() for word in one.words}:
                self._sets[part][word].append(one)

    def synsets(self, word: str) -> list[SynonymSet]:
        """The sets of a word in any part of speech; none for a word that WordNet does not have."""
        if word not in self._known:
            form = word.lower()
            self._known[word] = [
                one for part, sets in self._sets.items() for base in self._bases(form, part) for one in sets[base]
            ]
        return self._known[word]

    def _bases(self, form: str, part: str) -> list[str]:
        """The words of which this may be a form, itself among them: the irregular ones, or else those by suffix."""
        irregular = self._irregular[part].get(form)
        if irregular is not None:
            return self._existing([form, *irregular], part)
        shortened = _strip_suffixes([form], part)
        found = self._existing([form, *shortened], part)
        while shortened and not found:
            shortened = _strip_suffixes(shortened, part)
            found = self._existing(shortened, part)
        return found

    def _existing(self, words: list[str], part: str) -> list[str]:
        return [word for word in dict.fromkeys(words) if word in self._sets[part]]


def _strip_suffixes(forms: list[str], part: str) -> list[str]:
    rules = [rule.split(":") for rule in SUFFIXES[part].split()]
    return [form.removesuffix(old) + new for form in forms for old, new in rules if form.endswith(old)]


@cache
def read_synonyms() -> SynonymTable:
    """The table of the package; it is read once."""
    packed = files("wellsourced_evaluate").joinpath("wordnet_synonyms.tsv.gz").read_bytes()
    return SynonymTable(iter(gzip.decompress(packed).decode("utf-8").splitlines()))
