"""Bringing the word index up to date: what is gone is forgotten, what is new is indexed, the commonest subjects are
counted when enough is new.
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
from wellsourced.sources.library.documents import DocumentChange, DocumentStore, StoredDocument
from wellsourced.sources.library.word_index.entries import WORD_FIELDS, WordIndexEntry, build_entry
from wellsourced.sources.library.word_index.tables import (
    IndexState,
    clear_tables,
    find_indexed,
    tag_words,
    write_blocks,
)
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list, sqlite_transaction
from wellsourced.text.dates import NO_DAYS
from wellsourced.text.lexicon import STOP_WORDS, VERBS, word_set
from wellsourced.text.tokens import content_stems, tokenize

MAX_LOST_SHARE = 0.2
"""Share of numbers that may be lost before the index is made again."""

MAX_CHANGES = 5_000
"""Changes that are taken over in one transaction: half a second, for which others who write here wait."""

BATCH_DOCUMENTS = 500
"""Documents that are read, and told of, at a time."""

NEW_SHARE = 0.02
"""Changes, as a share of the documents, after which their subjects are counted again."""

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


class IndexUpdate:
    """Brings an index up to date with a catalogue, some documents at a time, each time in one transaction.

    Between two of them others may read, and take the next turn themselves. Whoever is killed leaves what was done.
    """

    def __init__(self, sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
        self._sql, self._catalogue, self._emit = sql, catalogue, emit
        self._started, self._first = time.monotonic(), IndexState.read(sql).change

    def run(self) -> int:
        """Take over what has changed until now; the number of the last of these changes."""
        before, target = IndexState.read(self._sql), self._catalogue.last_change().number
        while self._is_behind(target):
            with sqlite_transaction(self._sql):
                # Another process may have been faster.
                if self._is_behind(target):
                    self._take_over_changes()
        state = IndexState.read(self._sql)
        if state != before and state.change - state.sampled > state.documents * NEW_SHARE:
            about = json.dumps(find_subjects(self._sample_documents()), ensure_ascii=False)
            self._sql.execute("UPDATE state SET sampled = change, subjects = ?", (about,))
        return target

    def _is_behind(self, target: int) -> bool:
        """Also when it is ahead, which can only be if the catalogue is another."""
        # In this order: the catalogue may go on in between, and is never behind what was taken from it.
        known = IndexState.read(self._sql).last_change
        last = self._catalogue.last_change()
        return known.number < target or known.number > last.number or (known.number == last.number and known != last)

    def _sample_documents(self) -> list[StoredDocument]:
        try:
            return [record for record in self._catalogue.sample_documents(SAMPLE_DOCUMENTS) if record.is_sound]
        except SourceRefused:
            # Its subjects are a help to who plans a search, and no reason to have none.
            return []

    def _take_over_changes(self) -> None:
        state = IndexState.read(self._sql)
        changes = self._catalogue.list_changes(state.change, MAX_CHANGES)
        # Where the last change is another than it was, so is the catalogue: a copy of an earlier day, brought back.
        if state.change and changes[:1] != [state.last_change]:
            clear_tables(self._sql)
            return
        ids = list(dict.fromkeys(change.id for change in changes))
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            self._report_progress(state.change + start, changes[-1].number)
            state = self._index_documents(state, ids[start : start + BATCH_DOCUMENTS], changes[-1])
        # Lost numbers stay in the index of words as dead weight: from a fifth on, making it again costs less.
        if state.next - state.documents > MAX_LOST_SHARE * state.next:
            clear_tables(self._sql)
        else:
            state._replace(change=changes[-1].number, changed_id=changes[-1].id).write(self._sql)

    def _index_documents(self, state: IndexState, ids: Sequence[str], last: DocumentChange) -> IndexState:
        """Index these documents as they are now, those that are gone not at all; the state after it."""
        known = find_indexed(self._sql, ids)
        now = self._catalogue.find_states(known)
        lost = [one for id, one in known.items() if id not in now or now[id].hash != one.hash]
        gone = {one.number for one in lost}
        # What is damaged is found by no word; who verifies the library is told of it.
        records, _ = self._catalogue.load_documents([id for id in ids if id not in known or known[id].number in gone])
        new = [build_entry(records[id]) for id in ids if id in records]
        numbered = list(enumerate(new, state.next))
        self._sql.execute(f"DELETE FROM documents WHERE number IN {JSON_VALUES}", json_list(gone))  # noqa: S608
        self._insert(numbered)
        write_blocks(self._sql, last.number, {**dict.fromkeys(gone), **{number: one.days for number, one in numbered}})
        return state._replace(
            next=state.next + len(new),
            documents=state.documents + len(new) - len(lost),
            untagged=state.untagged + sum(not one.tags for one in new) - sum(not one.tagged for one in lost),
            undated=state.undated + sum(one.days == NO_DAYS for one in new) - sum(not one.dated for one in lost),
        )

    def _insert(self, numbered: Sequence[tuple[int, WordIndexEntry]]) -> None:
        many = self._sql.executemany
        many(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
            ((number, one.id, one.hash, bool(one.tags), one.days != NO_DAYS) for number, one in numbered),
        )
        many(
            f"INSERT INTO words (rowid, {', '.join(WORD_FIELDS)}, tags) VALUES (?, ?{', ?' * len(WORD_FIELDS)})",  # noqa: S608
            ((number, *one.words, tag_words(one.tags)) for number, one in numbered),
        )
        many("INSERT INTO identities VALUES (?, ?)", ((name, n) for n, one in numbered for name in one.identities))

    def _report_progress(self, change: int, last: int) -> None:
        seconds, done = time.monotonic() - self._started, max(0, change - self._first)
        total, rate = max(last, self._catalogue.last_change().number) - self._first, done / seconds if seconds else 0.0
        self._emit(Progress(task="indexing", done=done, total=total, unit="documents", documents=done, rate=rate))
