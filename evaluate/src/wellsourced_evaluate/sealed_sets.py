"""Question sets whose keys are withheld: the questions are given out, the keys stay with the owner, who scores.

What is given out says by a salted hash which keys were sealed, and when: nobody can guess keys from it, and whoever is
given the keys later can see that they are the same. A score names no case, so that keys cannot be found by trying:
LINS (Wang et al., Nature Communications 2025) has at least 50 rows, steps of half a point, five submissions a day.
"""

import hashlib
import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import AliasChoices, Field, TypeAdapter

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.storage.private_files import make_private_folder, write_private_file
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, measure_share
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, OptionalText, QuestionCase
from wellsourced_evaluate.questions.cases import LINE_FORMAT
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog, hold_file
from wellsourced_evaluate.recorded_rows import RecordedRow, Words, read_recorded, write_rows

PUBLIC, WITHHELD = "public", "withheld"
QUESTIONS, SEAL, KEYS, SUBMISSIONS = "questions.jsonl", "seal.json", "keys.jsonl", "submissions.jsonl"

GIVEN_OUT = {"id", "question", "options", "patient", "as_of", "specialty"}
"""Fields of a case that are given out. Documents that answer it are not: they say the key."""

LEAST_ROWS, PER_DAY, STEP = 50, 5, 0.005

MIN_SPECIALTY = 10
"""A specialty with fewer cases has no figure of its own: it would say of single cases whether they are right."""

ALL = "all"

REMEDY = "Name the folder that `wellsourced evaluate sealed create` wrote."


class SealedCase(QuestionCase):
    """A question with its key, and of which specialty it is."""

    specialty: OptionalText = Field("", validation_alias=AliasChoices("specialty", "subject", "topic"))


class SealedKey(Value):
    """What is right in one case; `labels` are all that may be chosen."""

    id: str
    key: str
    labels: tuple[str, ...]
    specialty: str = ""


class SealRules(Value):
    """What a submission may be, and how exactly it is told what it reached."""

    least_rows: int = LEAST_ROWS
    per_day: int = PER_DAY
    step: float = STEP


class Seal(LogHeader):
    """What was sealed: `keys_sha256` is of the salt and the keys, a line each, in the order of their ids."""

    set: str
    sealed: str
    cases: int
    specialties: dict[str, int]
    questions_sha256: str
    keys_sha256: str
    rules: SealRules


class KeyHeader(LogHeader):
    """Before the keys: the salt, without which their hash could be guessed."""

    salt: str


class Submission(Value):
    """One file that was scored: whose, the how manieth of theirs, when, which, and what was told of it.

    missing   cases that it does not have; `undecided`: in which it chooses nothing. Both count as wrong
    figures   specialty → accuracy with both ends of its interval, and of how many cases
    """

    contestant: str
    number: int
    scored: str
    file: str
    sha256: str
    rows: int
    missing: int
    undecided: int
    figures: dict[str, tuple[float, float, float, int]]


class SubmittedChoice(RecordedRow):
    """What was chosen in a case, as `{"id": …, "choice": …}` or as a run of `evaluate run` has it; "" where nothing."""

    id: Words = Field(validation_alias=AliasChoices("id", "case", "question_id"))
    choice: OptionalText = Field(validation_alias=AliasChoices("choice", "label", "answer", "prediction"))


KEY_LOG = LogForm(
    KeyHeader,
    TypeAdapter(SealedKey),
    key=lambda one: one.id,
    stands=lambda _: True,
    contents="keys of a sealed set",
    remedy=REMEDY,
)
SUBMISSION_LOG = LogForm(
    Seal,
    TypeAdapter(Submission),
    key=lambda one: (one.contestant, one.number),
    stands=lambda _: True,
    contents="submissions to a sealed set",
    another="is of keys that were sealed otherwise",
    remedy=REMEDY,
)


class SealedSet(NamedTuple):
    """What a folder holds: the seal, and the keys that it is of."""

    folder: Path
    seal: Seal
    keys: Mapping[str, SealedKey]


def seal_set(path: Path, folder: Path, rules: SealRules) -> Seal:
    """Write the questions and the seal to give out, and apart from them the keys. Returns the seal.

    Raises UnreadableFile that names the lines which cannot be used, SourceRefused where a case has no key.
    """
    data = read_recorded(path, SealedCase)
    if lacking := [case.id for case in data.rows if not case.answer]:
        raise UnreadableFile(path, f"cases without a key: {_name_some(lacking)}", LINE_FORMAT)
    if len(data.rows) < rules.least_rows:
        raise SourceRefused(
            f"{path.name} has {len(data.rows):,} cases, and a submission needs {rules.least_rows:,}: it could never be "
            "scored. Lower --least-rows; with few cases scores say more of each."
        )
    if folder.exists() and any(folder.iterdir()):
        raise SourceRefused(f"{folder} is not empty: a set is sealed once. Name another folder.")
    public, withheld = folder / PUBLIC, folder / WITHHELD
    public.mkdir(parents=True)
    make_private_folder(withheld)
    write_rows(public / QUESTIONS, (_give_out(case) for case in data.rows))
    keys = [
        SealedKey(id=case.id, key=case.answer, labels=tuple(case.options or YES_NO_LABELS), specialty=case.specialty)
        for case in data.rows
    ]
    header = KeyHeader(salt=secrets.token_hex(32))
    lines = (header.model_dump_json(), *(key.model_dump_json() for key in keys))
    write_private_file(withheld / KEYS, "".join(f"{line}\n" for line in lines))
    seal = Seal(
        set=path.name,
        sealed=datetime.now(UTC).isoformat(timespec="seconds"),
        cases=len(keys),
        specialties=dict(sorted(Counter(key.specialty for key in keys if key.specialty).items())),
        questions_sha256=hash_file(public / QUESTIONS),
        keys_sha256=hash_keys(header.salt, keys),
        rules=rules,
    )
    (public / SEAL).write_text(seal.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return seal


def _give_out(case: SealedCase) -> dict[str, object]:
    row = case.model_dump(mode="json", include=GIVEN_OUT)
    return {name: value for name, value in row.items() if value not in (None, "", {})}


def hash_keys(salt: str, keys: Sequence[SealedKey]) -> str:
    """The sha256 that a seal has of keys: of the salt and `["id", "key", "specialty"]` on lines, by id."""
    rows = sorted((key.id, key.key, key.specialty) for key in keys)
    lines = (salt, *(json.dumps(row, ensure_ascii=False) for row in rows))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def open_sealed(folder: Path) -> SealedSet:
    """The keys of a folder, compared with their seal. Raises UnreadableFile, SourceRefused where they are others."""
    place = folder / PUBLIC / SEAL
    try:
        seal = Seal.model_validate_json(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFile(place, "it holds no seal", REMEDY) from error
    header, keys, _ = KEY_LOG.read(folder / WITHHELD / KEYS)
    if hash_keys(header.salt, [*keys.values()]) != seal.keys_sha256:
        raise SourceRefused(f"{folder}: the keys are not those that were sealed on {seal.sealed}. Nothing was scored.")
    return SealedSet(folder, seal, keys)


def score_submission(sealed: SealedSet, path: Path, contestant: str) -> Submission:
    """Score a file, and write down that it was; figures only, rounded.

    Raises UnreadableFile that names rows which cannot be used, SourceRefused for a file that does not belong to the
    set, is too small, or is one too many today. What is refused is not counted as a submission.
    """
    # A run of `evaluate run` has a header before its cases.
    data = read_recorded(path, SubmittedChoice, skip="wellsourced")
    rules, today = sealed.seal.rules, datetime.now(UTC)
    if unknown := [row.id for row in data.rows if row.id not in sealed.keys]:
        raise SourceRefused(f"{path.name} has cases that {sealed.seal.set} has not: {_name_some(unknown)}.")
    chosen = {row.id: _fold(row.choice) for row in data.rows}
    strange = [
        f"{id}: {choice}"
        for id, choice in chosen.items()
        if choice and choice not in map(_fold, sealed.keys[id].labels)
    ]
    if strange:
        raise SourceRefused(f"{path.name} chooses what is no option: {_name_some(strange)}.")
    if len(data.rows) < rules.least_rows:
        raise SourceRefused(f"{path.name} has {len(data.rows):,} rows, and {rules.least_rows:,} are needed.")
    place = sealed.folder / WITHHELD / SUBMISSIONS
    with hold_file(place), RecordLog(place, sealed.seal, SUBMISSION_LOG, fresh=False) as log:
        earlier = [one for one in log.records.values() if one.contestant == contestant]
        if sum(one.scored[:10] == today.date().isoformat() for one in earlier) >= rules.per_day:
            raise SourceRefused(f"{contestant} had {rules.per_day} submissions scored today. The next is tomorrow's.")
        found = Submission(
            contestant=contestant,
            number=len(earlier) + 1,
            scored=today.isoformat(timespec="seconds"),
            file=path.name,
            sha256=hash_file(path),
            rows=len(data.rows),
            missing=len(sealed.keys) - len(chosen),
            undecided=sum(not choice for choice in chosen.values()),
            figures=_measure(sealed, chosen),
        )
        log.add(found)
    return found


def _measure(sealed: SealedSet, chosen: Mapping[str, str]) -> dict[str, tuple[float, float, float, int]]:
    """Of all cases, then of each specialty with enough of them; what is not there is wrong."""
    right: dict[str, list[bool]] = defaultdict(list)
    for id, key in sealed.keys.items():
        for part in (ALL, key.specialty):
            right[part].append(chosen.get(id) == _fold(key.key))
    shown = {part: hits for part, hits in right.items() if part == ALL or (part and len(hits) >= MIN_SPECIALTY)}
    figures = {part: measure_share("answer_accuracy", [(hit, 1) for hit in hits]) for part, hits in shown.items()}
    return {part: _round(figure, sealed.seal.rules.step) for part, figure in figures.items()}


def _round(figure: AnswerFigure, step: float) -> tuple[float, float, float, int]:
    value, low, high = (round(round((one or 0.0) / step) * step, 6) for one in (figure.value, figure.low, figure.high))
    return value, low, high, figure.of


def _fold(choice: str) -> str:
    """A choice whatever its case; "depends", which runs have beside yes and no, chooses nothing."""
    folded = choice.strip().casefold()
    return "" if folded == "depends" else folded


def _name_some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")
