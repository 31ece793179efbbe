"""What most of a library is about: its commonest MeSH headings, or else what its titles speak of most."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from wellsourced.sources.library.store.stored_document import StoredDocument
from wellsourced.text.lexicon import STOP_WORDS, VERBS
from wellsourced.text.tokens import content_stems, tokenize

SAMPLE_DOCUMENTS = 2_000
"""Documents that are looked at: they tell the commonest subjects of any number."""

MAX_SUBJECTS = 12

MAX_MAIN_HEADINGS = 4
"""Headings of a document that count: the main ones come first."""

MIN_SHARE = 0.002
"""Share of the documents below which a subject is none of the commonest."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


POPULATION_WORDS = _word_set("""
    humans animals male female adult aged adolescent child infant newborn pregnancy mice rats middle young
""")
"""First words of headings that say whom a work looked at, and not what it is about: "Aged, 80 and over"."""

COMMON_WORDS = _word_set("""
    study studies trial trials randomized randomised controlled clinical patient patients treatment treatments therapy
    effect effects efficacy safety evaluation comparison analysis review systematic meta report case cases protocol
    pilot phase double blind blinded placebo open label cohort prospective retrospective multicenter multicentre rating
    scale results background objective objectives aim aims method methods conclusion conclusions introduction purpose
    outcome outcomes risk factor factors association based role impact effective high low higher lower new novel common
    rare severe acute chronic primary secondary first second third line one two three four five long short term year
    years old week weeks day days month months group groups level levels type types well many several different various
    large small early late human humans people persons person adults adult children women men individuals subjects
    participants symptom symptoms sign signs condition conditions disease diseases disorder disorders syndrome mutations
    mutation gene genes information resources available key points care provider providers health national institute
    institutes united states management diagnosis guideline guidelines practice society american european international
    college campaign update recommendations consensus statement usually often forms body system number unknown copy
    copies parents pattern dominant recessive inherited genetic instructions registry testing threatening life non anti
    not no without data model models activity response function functions expression changes quality drug drugs
    administration oral daily dose agent agents inhibitor inhibitors receptor receptors antagonist antagonists protein
    proteins cell cells binding peptide phenotype ontology frequency percentage following characterized known
    approved part parts
""")
"""What titles and first sentences of medical texts say whatever their subject is."""

_VERBS = frozenset(content_stems(" ".join(VERBS)))
_FIRST = re.compile(r".{20,200}?[.?!](?=\s)|.{1,200}", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{3,}|\S")


def find_subjects(documents: Sequence[StoredDocument]) -> list[str]:
    """The commonest subjects of these documents, the commonest first."""
    cards: list[dict[str, Any]] = [json.loads(document.reference) for document in documents]
    least = max(2.0, MIN_SHARE * len(documents))
    tagged: list[list[str]] = [card["mesh"] for card in cards if card.get("mesh")]
    # Headings are a subject by somebody's judgement; with too few of them they would speak for a part of the library.
    if tagged and 3 * len(tagged) >= len(cards):
        counts = Counter(name for headings in tagged for name in _main_headings(headings))
        return _rank_names(counts, least)[:MAX_SUBJECTS]
    titles = (
        card.get("title") or _first_sentence(document.text) for card, document in zip(cards, documents, strict=True)
    )
    counts = Counter(name for title in titles for name in _title_phrases(title))
    publishers = {word for card in cards for word in tokenize(card.get("organisation", ""))}
    # A publisher's own name is in every title of his, and is no subject.
    return _drop_overlapping(name for name in _rank_names(counts, least) if not publishers & set(name.split()))


def _main_headings(headings: Sequence[str]) -> set[str]:
    names = dict.fromkeys(heading.partition("/")[0] for heading in headings)
    return set(
        [name for name in names if name and name.split()[0].strip(",").lower() not in POPULATION_WORDS][
            :MAX_MAIN_HEADINGS
        ]
    )


def _title_phrases(title: str) -> set[str]:
    """Words, and pairs of words that stand next to each other, that may be a subject."""
    said = _WORD.findall(title.lower())
    single = (word for word in said if _is_informative(word))
    return {
        *single,
        *(f"{one} {next}" for one, next in pairwise(said) if _is_informative(one) and _is_informative(next)),
    }


@lru_cache(maxsize=1 << 14)
def _is_informative(word: str) -> bool:
    if len(word) < 3 or word in COMMON_WORDS or word in STOP_WORDS or word in VERBS:
        return False
    return not (word.endswith(("ing", "ed", "s")) and _VERBS.intersection(content_stems(word)))


def _rank_names(counts: Counter[str], least: float) -> list[str]:
    """The commonest first. Two words are more of a name than one: "breast cancer" comes before a commoner word."""
    common = [name for name, count in counts.items() if count >= least]
    return sorted(common, key=lambda name: (-counts[name] * (1 + name.count(" ")), name))


def _drop_overlapping(names: Iterable[str]) -> list[str]:
    """Those that share no word with one before them."""
    taken: dict[str, set[str]] = {}
    for name in names:
        words = {word.removesuffix("s") for word in name.split()}
        if len(taken) < MAX_SUBJECTS and not any(words & others for others in taken.values()):
            taken[name] = words
    return list(taken)


def _first_sentence(text: str) -> str:
    found = _FIRST.match(text)
    return found.group() if found else ""
