"""What is read in a text without answering it: signs of an emergency, identifiers, misspelled words.

**Emergencies.** At the first look the part "kept" of the labelled set, written before the rules, gave the rules a
sensitivity of 60/62 and a specificity of 136/137 in English; "fresh", written in freer words after them, 27/54 and
44/46; "last", written by another who had not read them, 40/76 and 94/95, and with a learnt net that had not seen it
either 71/76 and 78/95. The rules were then widened by "fresh", and the net was fitted on every part: what is printed
now is no longer what to expect of words that nobody thought of. `fitting/alarm.py` measures the net on rows that it was
not fitted on.
"""

import csv
import json
import random
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.clinical.deidentification import Identifier, detect_identifiers
from wellsourced.clinical.emergencies import detect_emergency
from wellsourced.encoders.minilm import MiniLM
from wellsourced.sources.library import Library
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question
from wellsourced.understanding.base import LiteralUnderstanding, Understanding
from wellsourced.understanding.emergency_model import ModelEmergencyDetector
from wellsourced.understanding.lexical import LexicalUnderstanding
from wellsourced_evaluate.clinical.cases import CaseMarks, CaseWish, count
from wellsourced_evaluate.development_data import REPOSITORY, SEED, TASKS, Bench, draw_queries, read_rows

# --- emergencies -----------------------------------------------------------------------------------------------------

LABELLED = REPOSITORY / "tests/text/data/emergencies.tsv"
SETS = ("kqa", "medqa", "medmcqa", "mmlu_med", "bioasq", "pubmedqa", "pubmedrs200", "expertqa", "evidence_inference")


class LabelledText(NamedTuple):
    """A question; kind "none": no emergency. half: when it was written, as above; "more": to fit the net on."""

    half: str
    kind: str
    language: str
    text: str


def read_emergencies(path: Path = LABELLED) -> list[LabelledText]:
    """The labelled set of the tests."""
    with path.open(encoding="utf-8", newline="") as file:
        return [LabelledText(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def read_questions(data: Path) -> Iterator[tuple[str, str]]:
    """(set, question) of the development data."""
    for name in SETS:
        for row in read_rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for row in read_rows(data / "retrieval" / "medquad.queries.jsonl.gz"):
        yield "medquad", row["text"]


async def measure_emergencies(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Sensitivity and specificity of the rules, and with the learnt net; alarms on the real questions of --data."""
    net = ModelEmergencyDetector(MiniLM())
    for one in wish.cut(read_emergencies(wish.file or LABELLED)):
        is_danger = one.kind != "none"
        rules, both = detect_emergency(one.text) is not None, await net.detect(one.text) is not None
        name = f"{'en' if one.language == 'en' else 'other languages'}, {one.half}"
        what = "sensitivity" if is_danger else "specificity"
        marks = {
            f"{name}, rules: {what}": count([rules == is_danger]),
            f"{name}, both: {what}": count([both == is_danger]),
        }
        kind = {f"{one.kind}, both": count([both])} if is_danger else {}
        yield CaseMarks(one.text, marks | kind, "" if both == is_danger else f"wrong: {one.kind}: {one.text}")
    for name, text in read_questions(wish.data) if wish.data else ():
        found = detect_emergency(text)
        told = f"alarm: {found.kind} {found.signs}: {text[:200]}" if found else ""
        yield CaseMarks(text, {f"alarms in {name}": count([found])}, told)


# --- identifiers -----------------------------------------------------------------------------------------------------

IGNORED = "institution"
PATIENTLESS = ("kqa", "medqa", "bioasq", "pubmedqa", "medmcqa", "mmlu_med", "pubmedrs200")
"""Sets of real questions that name no patient, but for a few of "medqa"."""

ABSTRACTS, WHOLE_ABSTRACT = 1_000, 400
"""Texts of each corpus that are looked at; characters from which one is no snippet."""


class IdentifierMark(NamedTuple):
    """An identifier that somebody marked: half-open, in code points."""

    kind: str
    start: int
    end: int


class MarkedNote(NamedTuple):
    """A text and what in it identifies somebody."""

    id: str
    text: str
    marks: tuple[IdentifierMark, ...]


class NoteScore(NamedTuple):
    """Counts of one note.

    recall      kind → (found whole, there); "all" is every kind
    characters  (letters and digits masked, there)
    spans       (masked spans that touch an identifier, masked spans)
    letters     (masked letters and digits that identify, masked letters and digits)
    missed      identifiers that are not masked whole, as they stand
    false       masked spans that touch no identifier, as they stand
    """

    recall: dict[str, tuple[int, int]]
    characters: tuple[int, int]
    spans: tuple[int, int]
    letters: tuple[int, int]
    missed: tuple[str, ...]
    false: tuple[str, ...]


def read_notes(path: Path) -> list[MarkedNote]:
    """Notes, in order: {"id", "genre", "language", "text", "identifiers": [{"kind", "start", "end"}]} a line."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        MarkedNote(
            row["id"], row["text"], tuple(IdentifierMark(m["kind"], m["start"], m["end"]) for m in row["identifiers"])
        )
        for row in rows
    ]


def score_note(note: MarkedNote, found: Sequence[Identifier]) -> NoteScore:
    """What of one note was found, and what was masked besides. Institutions count neither for nor against."""
    hidden = {at for one in found for at in range(one.start, one.end) if note.text[at].isalnum()}
    recall: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    masked = there_is = 0
    missed = []
    for kind, start, end in note.marks:
        there = {at for at in range(start, end) if note.text[at].isalnum()}
        for name in (kind,) if kind == IGNORED else (kind, "all"):
            recall[name] = (recall[name][0] + (there <= hidden), recall[name][1] + 1)
        if kind != IGNORED:
            masked, there_is = masked + len(there & hidden), there_is + len(there)
            if not there <= hidden:
                missed.append(f"{kind}: {note.text[start:end]}")
    ignored = {at for kind, start, end in note.marks if kind == IGNORED for at in range(start, end)}
    marked = {at for kind, start, end in note.marks if kind != IGNORED for at in range(start, end)}
    counted = [one for one in found if not ignored & set(range(one.start, one.end)) - marked]
    false = [one for one in counted if not marked & set(range(one.start, one.end))]
    return NoteScore(
        dict(recall),
        (masked, there_is),
        (len(counted) - len(false), len(counted)),
        (len(hidden & marked), len(hidden - ignored | hidden & marked)),
        tuple(missed),
        tuple(f"{one.kind}: {note.text[one.start : one.end]}" for one in false),
    )


def mark_note(note: MarkedNote, score: NoteScore) -> CaseMarks:
    """A score as marks. An identifier is found when each of its letters and digits is masked, as whatever kind."""
    kinds = {f"recall {kind}": share for kind, share in score.recall.items()}
    marks: dict[str, tuple[float, float]] = {
        **kinds,
        "recall all, by letter": score.characters,
        "precision by span": score.spans,
        "precision by letter": score.letters,
    }
    if score.recall.get("all", (0, 0))[1]:
        marks["notes with nothing left"] = count([not score.missed])
    told = [f"{name}: {' | '.join(some)}" for name in ("missed", "false") if (some := getattr(score, name))]
    return CaseMarks(note.id, marks, "\n".join(told))


async def measure_identifiers(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """How many identifiers are found in notes, what else is masked; how many real texts of --data are changed."""
    for note in wish.cut(read_notes(wish.file or REPOSITORY / "tests/data/deidentification/development.jsonl")):
        yield mark_note(note, score_note(note, detect_identifiers(note.text)))
    for name, text in _read_patientless(wish.data) if wish.data else ():
        spans = detect_identifiers(text)
        told = "".join(f"{one.kind}: {text[one.start : one.end]} in {text[:80]!r}\n" for one in spans[:1])
        yield CaseMarks(name, {f"{name}: changed, though it names no patient": count([spans])}, told)


def _read_patientless(data: Path) -> Iterator[tuple[str, str]]:
    for name in PATIENTLESS:
        for row in read_rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for name in ("research", "consumer"):
        texts = [row["text"] for row in read_rows(data / "corpora" / f"{name}.jsonl.gz")]
        texts = [text for text in texts if len(text) > WHOLE_ABSTRACT]
        for text in texts[:: max(1, len(texts) // ABSTRACTS)][:ABSTRACTS]:
            yield name, text


# --- what words mean -------------------------------------------------------------------------------------------------

QUERIES = 200
"""Of each set."""

KEYWORDS = (1, 2, 3, 4)
"""How many keywords a document that answers should hold."""

VOWELS = "aeiou"


async def measure_spelling(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """False corrections, misspellings mended, and whether the first keywords stand in what answers, without a model."""
    bench = Bench(wish.need_data(), wish.need_home(), sample=0, queries=wish.limit or QUERIES)
    libraries = [Library.at(wish.need_home() / "libraries", name, None) for name in ("research", "consumer")]
    words = LexicalUnderstanding(libraries, None)
    corpus = read_rows(bench.data / "corpora/research.jsonl.gz")
    texts = {row["_id"]: f"{row['title']} {row['text']}" for row in corpus}
    for task in TASKS:
        put, dice = draw_queries(bench, task), random.Random(SEED)  # noqa: S311
        for name, text in put.queries.items():
            clean = await _list_corrections(words, text)
            marks = {f"{task.name}: corrections of clean questions": count([clean])}
            if made := misspell(text, dice):
                mended = made[1:] in await _list_corrections(words, made[0])
                marks[f"{task.name}: made errors mended"] = count([mended])
            gold = [frozenset(content_stems(texts[one])) for one in put.qrels[name] if one in texts]
            if task in TASKS[:2] and gold:
                marks |= await _mark_keywords(f"{task.name}, words", words, text, gold)
                marks |= await _mark_keywords(f"{task.name}, question's order", LiteralUnderstanding(), text, gold)
            yield CaseMarks(name, marks, f"corrected: {text} {clean}" if clean else "")


async def _list_corrections(words: Understanding, text: str) -> list[tuple[str, str]]:
    """What was said, and what is meant."""
    expansions = await words.find_expansions(Question(text=text))
    return [(one.said, one.meant) for one in expansions if one.kind == "spelling"]


async def _mark_keywords(
    name: str, understanding: Understanding, text: str, gold: Sequence[frozenset[str]]
) -> dict[str, tuple[int, int]]:
    """Of the documents that answer, those that hold all of the first keywords, for each number of them."""
    keywords = await understanding.extract_keywords(Question(text=text))
    marks = {}
    for first in KEYWORDS:
        needed = {stem for keyword in keywords[:first] for stem in content_stems(keyword)}
        marks[f"{name}: the first {first} are held"] = count(needed <= document for document in gold)
    return marks


def misspell(text: str, dice: random.Random) -> tuple[str, str, str] | None:
    """The question with an error in its longest plain word, the error, the word; None without one of six letters."""
    plain = [found for found in re.finditer(r"[a-z]{6,}", text) if text[found.start() - 1 : found.start()] in ("", " ")]
    if not plain:
        return None
    word = max(plain, key=lambda found: len(found.group()))
    wrong = make_error(word.group(), dice)
    return text[: word.start()] + wrong + text[word.end() :], wrong, word.group()


def make_error(word: str, dice: random.Random) -> str:
    """Two letters exchanged, one missing, one doubled, or a vowel for another."""
    at = dice.randrange(1, len(word) - 2)
    made = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    if vowels := [place for place, letter in enumerate(word) if letter in VOWELS]:
        place = dice.choice(vowels)
        made.append(word[:place] + dice.choice(VOWELS.replace(word[place], "")) + word[place + 1 :])
    return dice.choice([one for one in made if one != word])
