"""Bringing the word index up to date: what is gone is forgotten, what is new is indexed, the commonest subjects are
counted.
"""

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from wellsourced.errors import SourceRefused
from wellsourced.events import Emit, Progress
from wellsourced.sources.library.documents import DocumentStore, StoredDocument
from wellsourced.sources.library.word_index.entries import WORD_FIELDS, build_entry, clear_tables
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list
from wellsourced.text.lexicon import STOP_WORDS, VERBS, word_set
from wellsourced.text.tokens import content_stems, tokenize

MAX_LOST_SHARE = 0.2
"""Share of numbers that may be lost before the index is made again."""

BATCH_DOCUMENTS = 500
"""Documents that are read, and told of, at a time."""

SAMPLE_DOCUMENTS = 2_000
"""Documents that are looked at: they tell the commonest subjects of any number."""

MAX_SUBJECTS = 12

MAX_MAIN_HEADINGS = 4
"""Headings of a document that count: the main ones come first."""

MIN_SHARE = 0.002
"""Share of the documents below which a subject is none of the commonest."""

POPULATION_WORDS = word_set("""
    humans animals male female adult aged adolescent child infant newborn pregnancy mice rats middle young
""")
"""First words of headings that say whom a work looked at, and not what it is about: "Aged, 80 and over"."""

COMMON_WORDS = word_set("""
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
    taken: dict[str, set[str]] = {}
    for name in names:
        words = {word.removesuffix("s") for word in name.split()}
        if len(taken) < MAX_SUBJECTS and not any(words & others for others in taken.values()):
            taken[name] = words
    return list(taken)


def _first_sentence(text: str) -> str:
    found = _FIRST.match(text)
    return found.group() if found else ""


def update_index(sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
    """Bring the index up to date, in the transaction of the caller."""
    # Read first: what is added to the catalogue meanwhile may be missed here, and will make the index stale again.
    generation = catalogue.generation()
    missing = _find_missing(sql, catalogue.load_hashes())
    _IndexUpdate(sql, catalogue, emit).add(missing)
    about = json.dumps(find_subjects(_sound_sample(catalogue)), ensure_ascii=False)
    sql.execute("UPDATE state SET generation = ?, subjects = ?", (generation, about))


def _sound_sample(catalogue: DocumentStore) -> list[StoredDocument]:
    try:
        return [record for record in catalogue.sample_documents(SAMPLE_DOCUMENTS) if record.is_sound]
    except SourceRefused:
        # Its subjects are a help to who plans a search, and no reason to have none.
        return []


def _find_missing(sql: sqlite3.Connection, now: dict[str, int]) -> list[str]:
    """Ids of the documents that are to be indexed, after those that are gone or have changed lost their numbers."""
    known: dict[str, int] = dict(sql.execute("SELECT id, hash FROM documents"))
    lost = [id for id, hash in known.items() if now.get(id) != hash]
    (given,) = sql.execute("SELECT next FROM state").fetchone()
    # Lost numbers stay in the index of words as dead weight: from a fifth on, making it anew costs less.
    if given - (len(known) - len(lost)) > MAX_LOST_SHARE * given:
        clear_tables(sql)
        return list(now)
    sql.execute(f"DELETE FROM documents WHERE id IN {JSON_VALUES}", json_list(lost))  # noqa: S608
    return [id for id, hash in now.items() if known.get(id) != hash]


class _IndexUpdate:
    """One run: numbers go up from the last that was given."""

    def __init__(self, sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
        self._sql, self._catalogue, self._emit = sql, catalogue, emit
        self._headings: dict[str, int] = {"": 0, **dict(sql.execute("SELECT name, heading FROM headings"))}
        self._next_number: int = sql.execute("SELECT next FROM state").fetchone()[0]
        self._started = time.monotonic()

    def add(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            # What is damaged is found by no word; who verifies the library is told of it.
            records, _ = self._catalogue.load_documents(ids[start : start + BATCH_DOCUMENTS])
            entries = [build_entry(records[id]) for id in ids[start : start + BATCH_DOCUMENTS] if id in records]
            numbered = list(enumerate(entries, self._next_number))
            self._next_number += len(entries)
            many = self._sql.executemany
            many(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
                ((number, one.id, one.hash, *one.days, bool(one.tags)) for number, one in numbered),
            )
            many(
                f"INSERT INTO words (rowid, {', '.join(WORD_FIELDS)}) VALUES (?{', ?' * len(WORD_FIELDS)})",  # noqa: S608
                ((number, *one.words) for number, one in numbered),
            )
            many("INSERT INTO identities VALUES (?, ?)", ((name, n) for n, one in numbered for name in one.identities))
            many(
                "INSERT INTO tags VALUES (?, ?, ?)",
                (
                    (self._heading_key(t.heading), self._heading_key(t.qualifier), n)
                    for n, one in numbered
                    for t in one.tags
                ),
            )
            self._report_progress(min(start + BATCH_DOCUMENTS, len(ids)), len(ids))
        self._sql.execute("UPDATE state SET next = ?", (self._next_number,))

    def _heading_key(self, name: str) -> int:
        if name not in self._headings:
            self._headings[name] = len(self._headings)
            self._sql.execute("INSERT INTO headings VALUES (?, ?)", (self._headings[name], name))
        return self._headings[name]

    def _report_progress(self, done: int, total: int) -> None:
        seconds = time.monotonic() - self._started
        rate = done / seconds if seconds > 0 else 0.0
        self._emit(Progress(task="indexing", done=done, total=total, unit="documents", documents=done, rate=rate))
