"""Summaries that several systems wrote of the same reviews, with the scores that were published of them: JSON lines.

A line is a review: `id`, `human_answer` (the reference), `systems` {name: its text, or {`text`, `scores` as published,
and as far as it searched `relevant_pmids` and `irrelevant_pmids`}}, and as far as known `ref_pmids` (what it cites),
`source_pmid` (itself) and `published` (its day). Runs of `evaluate run` are further systems.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, draw_cases, read_recorded

PUBLISHED_KEYS = {
    "ROUGE-L": "rouge-L",
    "METEOR": "meteor",
    "chrF": "chrf",
    "GoogleBLEU": "google_bleu",
    "CharacTER": "character",
}
"""Metric → how the published scores of Clinfo.ai (PubMedRS-200) call it."""

COUNTED_KEYS = ("word_length", "exact_match")
"""Published beside the scores, and counted here."""


def split_reference(text: Any) -> Any:
    """The parts of a recorded answer, which blank lines divide."""
    if not isinstance(text, str):
        return text
    return tuple(part for part in re.split(r"\n\s*\n", text) if part.strip()) or ("",)


def _take_scores(given: Any) -> Any:
    """Metric → its score, of those that are compared with ours; None: none were published."""
    if given is None:
        return dict.fromkeys(PUBLISHED_KEYS)
    if not isinstance(given, dict):
        raise ValueError("it has no scores")
    if lacking := [key for key in PUBLISHED_KEYS.values() if key not in given]:
        raise ValueError(f"it has no score “{lacking[0]}”")
    return {metric: given[key] for metric, key in PUBLISHED_KEYS.items()}


def _take_others(given: Any) -> Any:
    """Metric → its score, of those that nothing here computes: UniEval, COMET, CTC, BERTScore …"""
    scores = given if isinstance(given, dict) else {}
    names = [name for name in scores if name not in (*PUBLISHED_KEYS.values(), *COUNTED_KEYS)]
    return {name: float(scores[name]) for name in names if isinstance(scores[name], int | float)}


def _read_date(given: Any) -> Any:
    """A day as ISO has it, or as the published file does: 11/1/2021 is the first of November."""
    if not isinstance(given, str) or not given.strip():
        return given or None
    for form in ("%Y-%m-%d", "%m/%d/%Y"):
        try:
            return datetime.strptime(given.strip(), form).date()
        except ValueError:
            continue
    raise ValueError(f"“{given}” is neither a day such as 2021-10-31 nor one such as 10/31/2021")


def repair_letters(text: str) -> str:
    """The text as it was before its UTF-8 was read as Latin letters ("Ã©" is "é"); what was not stays as it is."""
    for encoding in ("latin-1", "cp1252"):
        try:
            return text.encode(encoding).decode("utf-8")
        except ValueError:
            continue
    return text


Pmids = frozenset[Annotated[str, StringConstraints(strip_whitespace=True), Field(coerce_numbers_to_str=True)]]
"""They are recorded as texts and as numbers."""

_REFUSAL = lazy_regex(
    r"\s*(?:(?:I'?m|I am|we are) (?:sorry|unable|not able)|sorry\b|(?:as|being) an? (?:AI|artificial|language model)"
    r"|I (?:cannot|can'?t|do not|don'?t) (?:answer|provide|have|find)|unfortunately,? (?:I|we|no|there)\b"
    r"|no (?:relevant |matching )?(?:articles?|results?|studies|evidence) (?:was|were|could be|found)|$)",
    re.IGNORECASE,
)
"""How texts begin that answer nothing."""

Score = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Told = Annotated[str, BeforeValidator(lambda given: str(given or ""))]
"""A text, or an id as people write it; "" when it is not recorded."""


class RecordedSummary(RecordedRow):
    """What one system wrote of one review, and what it had read.

    published   metric → score as published; None: none was, as of a system of your own
    others      metric → score as published, of metrics that nothing here computes
    refused     whether it answers nothing, where somebody says so
    relevant    PMIDs that it took as relevant; None: the system did not search, or it is not recorded
    irrelevant  PMIDs that it found and left
    """

    text: str
    published: Annotated[dict[str, Score | None], BeforeValidator(_take_scores)] = Field(
        default_factory=lambda: _take_scores(None), alias="scores"
    )
    others: Annotated[dict[str, float], BeforeValidator(_take_others)] = Field(default_factory=dict)
    refused: bool | None = None
    relevant: Pmids | None = Field(None, alias="relevant_pmids")
    irrelevant: Pmids | None = Field(None, alias="irrelevant_pmids")

    @property
    def is_refusal(self) -> bool:
        """Whether it answers nothing: as somebody says, or else as it begins."""
        return bool(_REFUSAL.match(self.text)) if self.refused is None else self.refused

    @property
    def candidates(self) -> frozenset[str] | None:
        """All PMIDs that it found, the relevant ones among them."""
        return None if self.relevant is None or self.irrelevant is None else self.relevant | self.irrelevant


def _take_texts(given: Any) -> Any:
    """A system of which nothing but its text is given may be that text."""
    if not isinstance(given, dict):
        return given
    systems = {name: {"text": one} if isinstance(one, str) else one for name, one in given.items()}
    return {
        name: {**one, "others": one.get("scores")} if isinstance(one, dict) else one for name, one in systems.items()
    }


class RecordedReview(RecordedRow):
    """A review and its summaries, a system each.

    reference    parts of the answer that people took from it, as recorded: the conclusions, then results
    cited        PMIDs that it cites; None: not recorded
    source_pmid  the review itself
    source       what was summarised
    published    the day of the review
    """

    id: Words
    reference: Annotated[tuple[str, ...], BeforeValidator(split_reference)] = Field(alias="human_answer")
    systems: Annotated[dict[str, RecordedSummary], Field(min_length=1), BeforeValidator(_take_texts)]
    cited: Pmids | None = Field(None, alias="ref_pmids")
    source_pmid: Told = ""
    source: Told = Field("", alias="context")
    published: Annotated[date | None, BeforeValidator(_read_date)] = None

    @property
    def expected(self) -> str:
        """The reference as one text, its parts joined last first, as the published scores have it."""
        return " ".join(reversed(self.reference))

    def has_found(self, system: str) -> bool:
        """Whether a system took any work as relevant."""
        return bool(self.systems[system].relevant)


RecordedSummaries = RecordedFile[RecordedReview]
"""All reviews, each with a summary by every system."""


def read_summaries(path: Path, limit: int = 0) -> RecordedSummaries:
    """Every review of a file; with a limit, so many of them, drawn with a fixed seed. Raises UnreadableFile."""
    data = read_recorded(path, RecordedReview)
    systems = data.rows[0].systems.keys()
    for review in data.rows:
        if review.systems.keys() != systems:
            lone = min(review.systems.keys() ^ systems)
            has = "has, and others lack," if lone in review.systems else "lacks, and others have,"
            raise UnreadableFile(path, f"the review “{review.id}” {has} the system “{lone}”", "Complete the file.")
    return data._replace(rows=draw_cases(data.rows, limit))


def add_runs(data: RecordedSummaries | None, runs: Sequence[AnswerRun]) -> RecordedSummaries:
    """Runs of `evaluate run` as further systems of the reviews that they were asked about; without any, of their own.

    A case that was refused or failed has an empty text. Raises SourceRefused where no review is in all of them.
    """
    if data and not runs:
        return data
    named = {run.arm: {case: one for case, one in run.records.items() if one.references} for run in runs}
    first = next(iter(named.values()))
    reviews = (
        data.rows
        if data
        else [
            RecordedReview.model_construct(id=case, reference=one.references, systems={}, published=one.as_of)
            for case, one in first.items()
        ]
    )
    kept = [review for review in reviews if all(review.id in records for records in named.values())]
    if not kept:
        remedy = "Give runs of a set whose cases have reference texts, such as pubmedrs200."
        raise SourceRefused(f"No review is in all of {', '.join(named)} and the published file. {remedy}")
    rows = [
        review.model_copy(
            update={"systems": {**review.systems, **{arm: _read_record(of[review.id]) for arm, of in named.items()}}}
        )
        for review in kept
    ]
    file = ", ".join(([data.file] if data else []) + [run.path.name for run in runs])
    return RecordedSummaries(tuple(rows), file, data.sha256 if data else runs[0].header.hash, len(reviews))


def _read_record(record: AnswerRecord) -> RecordedSummary:
    """The summary of one case, with the PubMed records that were taken as relevant, and those that were left."""
    relevant, irrelevant = (
        None if ids is None else frozenset(id.removeprefix("pubmed:") for id in ids)
        for ids in (record.relevant, record.irrelevant)
    )
    text, published = record.text if record.is_answered else "", _take_scores(None)
    return RecordedSummary.model_construct(text=text, published=published, relevant=relevant, irrelevant=irrelevant)


def repair_texts(data: RecordedSummaries) -> RecordedSummaries:
    """The same with damaged letters repaired in every text; published scores are of the texts as they were found."""
    rows = [
        review.model_copy(
            update={
                "reference": tuple(map(repair_letters, review.reference)),
                "source": repair_letters(review.source),
                "systems": {
                    name: one.model_copy(update={"text": repair_letters(one.text)})
                    for name, one in review.systems.items()
                },
            }
        )
        for review in data.rows
    ]
    return data._replace(rows=tuple(rows))


def export_texts(data: RecordedSummaries, folder: Path) -> Mapping[str, int]:
    """Write every text beside its reference and its source, as the tools of other metrics read them.

    references.txt, candidates.txt and sources.txt have a text in each line, for `bert-score -r … -c …` and
    `comet-score -s … -t … -r …`; texts.json is the list that UniEval and CTC take, with whose text is whose. Returns
    each file with how many texts it has.
    """
    rows = [
        {
            "review": review.id,
            "system": name,
            "source": review.source,
            "reference": review.expected,
            "system_output": summary.text,
        }
        for review in data.rows
        for name, summary in review.systems.items()
    ]
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"references.txt": "reference", "candidates.txt": "system_output", "sources.txt": "source"}
    for file, column in columns.items():
        # A line is a text: what is broken over several would be several.
        lines = "".join(" ".join(row[column].split()) + "\n" for row in rows)
        (folder / file).write_text(lines, encoding="utf-8")
    (folder / "texts.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    return dict.fromkeys((*columns, "texts.json"), len(rows))
