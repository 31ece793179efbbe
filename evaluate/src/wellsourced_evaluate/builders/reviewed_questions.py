"""Questions that people wrote and others reviewed: multiple choice, about patients, about orders, from reviews.

LINS's specialty sets, AEBMP and MOEQA are made so (Wang et al., Nature Communications 2025), and the answers that two
people took from each review of PubMedRS-200 (Lozano et al., PSB 2024). A row is what was written; a decision is
what a reviewer says of it, and may bring a question or an answer. What was decided on, and alike, becomes a question.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from wellsourced.deidentification import detect_identifiers
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.builders.built_set import BuildHeader, LeftOut, Row, SetRecipe
from wellsourced_evaluate.near_duplicates import NearDuplicateFinder, cut_letters, share_pieces
from wellsourced_evaluate.recorded_rows import RecordedRow, Words, list_id, read_table, refuse_faults
from wellsourced_evaluate.statistics import cohen_kappa

NEAR = 0.8
"""Two questions, or answers, are nearly the same from this share of their runs of five letters."""

SECTIONS = ("patient", "examination", "diagnosis", "treatment")
"""Of a case whose order is explained: all four have to be there (MOEQA)."""

KEEPS = ("", "keep", "edit", "edited", "accept", "accepted", "include", "yes", "ok", "true", "1")
REJECTS = ("reject", "rejected", "exclude", "no", "false", "0")
"""Any other word of a decision is itself the reason why a row is left out: "unclear", "found online"."""

COLUMNS = "ABCDEFGH"
"""Of options, in a table that has no other place for them."""


Id = Annotated[Words, BeforeValidator(str)]
Cell = Annotated[str, BeforeValidator(lambda given: str(given).strip())]


class WrittenRow(Value):
    """What somebody wrote; fields that nothing here needs stay in the set."""

    model_config = ConfigDict(extra="allow")

    id: Id


class Decision(RecordedRow):
    """What a reviewer says of a row; `answer` and `question` are what the reviewer wrote, where anything."""

    id: Id
    decision: Cell = ""
    reason: Cell = ""
    question: Cell = ""
    answer: Cell = ""
    reviewer: Cell = Field("", validation_alias=AliasChoices("reviewer", "annotator", "rater"))
    senior: bool = False

    @property
    def is_made(self) -> bool:
        """Whether anything is decided: a row that was handed out may still be empty."""
        return bool(self.decision or self.question or self.answer)

    @property
    def keeps(self) -> bool:
        """Whether the row is kept."""
        return self.decision.casefold() in KEEPS

    @property
    def why(self) -> str:
        """Why it is not."""
        return self.reason or ("a reviewer left it out" if self.decision.casefold() in REJECTS else self.decision)


def reviewed_recipe(
    path: Path, decisions: Sequence[Path], sample: int, seed: int
) -> SetRecipe[Sequence[Row] | LeftOut]:
    """How questions are made of rows and the decisions on them.

    sample   so many rows are drawn of those that are kept, by the seed and their ids alone; 0: all of them

    Raises UnreadableFile that names rows which cannot be used: without an id, or with decisions on what is not there.
    """
    items = {row.id: row.model_dump() for row in read_table(path, WrittenRow, "row", list_id)}
    said: dict[str, list[Decision]] = defaultdict(list)
    for file in decisions:
        rows = read_table(file, Decision, "decision")
        refuse_faults(file, [f"its id “{row.id}” is none of {path.name}" for row in rows if row.id not in items])
        for row in filter(lambda row: row.is_made, rows):
            said[row.id].append(row.model_copy(update={"reviewer": row.reviewer or file.stem}))
    found = {id: _settle_item(id, item, said[id]) for id, item in items.items()}
    _drop_near_duplicates(found)
    kept = sorted((id for id, rows in found.items() if not isinstance(rows, LeftOut)), key=lambda id: _draw(seed, id))
    for id in kept[sample:] if sample else ():
        found[id] = LeftOut("it was not drawn")
    header = BuildHeader(
        builder="reviewed-questions",
        seed=seed,
        settings={"sample": sample},
        inputs={one.name: hash_file(one) for one in (path, *decisions)},
    )
    doing = "Wrote {done:,} of {every:,} rows"
    return SetRecipe(header, found, _take_rows, doing, count_by=("specialty", "answer"), notes=[*_tell_agreement(said)])


async def _take_rows(rows: Sequence[Row] | LeftOut) -> Sequence[Row]:
    if isinstance(rows, LeftOut):
        raise rows
    return rows


def _text(row: Mapping[str, Any], name: str) -> str:
    return str(row.get(name) or "").strip()


def _settle_item(id: str, item: Mapping[str, Any], decisions: Sequence[Decision]) -> Sequence[Row] | LeftOut:
    try:
        counted = _settle_decisions(decisions)
        return [*_write_rows(id, item, counted)]
    except LeftOut as left:
        return left


def _settle_decisions(decisions: Sequence[Decision]) -> Sequence[Decision]:
    """Those that count: a senior's, or else all, where they agree. Raises LeftOut."""
    counted = [one for one in decisions if one.senior] or decisions
    if not counted:
        raise LeftOut("nobody has decided on it")
    told = "; ".join(f"{one.reviewer}: {(one.answer or 'keep') if one.keeps else one.why}" for one in counted)
    rejecting = [one for one in counted if not one.keeps]
    if 0 < len(rejecting) < len(counted):
        raise LeftOut("reviewers disagree whether to keep it", told)
    if rejecting:
        raise LeftOut(rejecting[0].why, told)
    answers = [cut_letters(one.answer) for one in counted if one.answer]
    if any(share_pieces(one, answers[0]) < NEAR for one in answers[1:]):
        raise LeftOut("reviewers disagree on its answer", told)
    return counted


def _write_rows(id: str, item: Mapping[str, Any], decisions: Sequence[Decision]) -> Iterator[Row]:
    """The row of a choice or a question; of a patient or a case one for each of its questions. Raises LeftOut."""
    options = item.get("options") or {name: _text(item, name) for name in COLUMNS if _text(item, name)}
    written = {name: value for name, value in item.items() if value not in (None, "") and name not in COLUMNS}
    asked = [*dict.fromkeys(one.question for one in decisions if one.question)] or [_text(item, "question")]
    answer = next((one.answer for one in decisions if one.answer), "")
    if not all(asked):
        raise LeftOut("it has no question")
    if options:
        _require_choice(options, _text(item, "answer"))
        yield {**written, "id": id, "question": asked[0], "options": options}
        return
    if any(name in item for name in SECTIONS[1:]) and (lacking := [name for name in SECTIONS if not _text(item, name)]):
        raise LeftOut("a part of the case is missing", ", ".join(lacking))
    if kinds := sorted({found.kind for name in SECTIONS for found in detect_identifiers(_text(item, name))}):
        raise LeftOut("its words identify somebody", ", ".join(kinds))
    changed = {"question": asked[0], **({"human_answer": answer} if answer else {})}
    former = {name: item[name] for name, text in changed.items() if item.get(name) and item[name] != text}
    written |= {"original": former} if former else {}
    if answer:
        written |= {"human_answer": answer, "must_have": [answer], "reference": [answer]}
    for place, question in enumerate(asked, 1):
        row = {**written, "id": id if len(asked) == 1 else f"{id}-{place}", "question": question}
        yield row | ({"group": id} if _text(item, "patient") else {})


def _require_choice(options: Any, key: str) -> None:
    """Raise LeftOut where a question is no multiple choice with one key."""
    if not isinstance(options, dict) or len(options) < 2 or not all(str(text).strip() for text in options.values()):
        raise LeftOut("it has fewer than two options, or one without words")
    if len({str(text).strip().casefold() for text in options.values()}) < len(options):
        raise LeftOut("two of its options are the same")
    if not key:
        raise LeftOut("it has no key")
    if key not in options:
        raise LeftOut("its key is none of its options", key)


# --- near duplicates ------------------------------------------------------------------------------------------------


def _drop_near_duplicates(found: dict[str, Sequence[Row] | LeftOut]) -> None:
    """Leave out what asks the same as an earlier question; of a patient only as an earlier one of the same patient."""
    finders = defaultdict[str, NearDuplicateFinder](lambda: NearDuplicateFinder(NEAR, cut_letters))
    for id, rows in found.items():
        kept, twin = list[Row](), ""
        for row in () if isinstance(rows, LeftOut) else rows:
            text = " ".join(map(str, (row["question"], *row.get("options", {}).values())))
            finder = finders[row.get("group", "")]
            if near := finder.find(row["id"], text):
                twin = near.first
                continue
            finder.add(row["id"], text)
            kept.append(row)
        if not isinstance(rows, LeftOut):
            found[id] = kept or LeftOut("an earlier question asks the same", twin)


# --- samples and agreement ------------------------------------------------------------------------------------------


def _draw(seed: int, id: str) -> str:
    """A place in a lottery that hangs on nothing but the seed and the id."""
    return hashlib.sha256(f"{seed}\0{id}".encode()).hexdigest()


def _tell_agreement(said: Mapping[str, Sequence[Decision]]) -> Iterator[str]:
    """How far two reviewers agree whether to keep a row, over those on which two decided."""
    pairs = list[tuple[str, str]]()
    for decisions in said.values():
        first = {one.reviewer: one.keeps for one in decisions if not one.senior}
        if len(first) == 2:
            one, two = ("keep" if keeps else "leave out" for _, keeps in sorted(first.items()))
            pairs.append((one, two))
    if pairs:
        alike, kappa = sum(one == other for one, other in pairs), cohen_kappa(pairs)
        shown = "" if kappa is None else f" (Cohen's kappa {kappa:.3f})"
        yield f"On {len(pairs):,} rows two reviewers decided, on {alike:,} alike{shown}."
