"""Summaries that several systems wrote of the same reviews, with the scores that were published of them: JSON lines.

A line is a review: `id`, `human_answer` (the reference), `systems` {name: {`text`, `scores`, and as far as it searched
`relevant_pmids` and `irrelevant_pmids`}}, and as far as known `ref_pmids` (what it cites) and `source_pmid` (itself).
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, draw_cases, read_recorded

PUBLISHED_KEYS = {
    "ROUGE-L": "rouge-L",
    "METEOR": "meteor",
    "chrF": "chrf",
    "GoogleBLEU": "google_bleu",
    "CharacTER": "character",
}
"""Metric → how the published scores of Clinfo.ai (PubMedRS-200) call it."""

BERTSCORE = "bertscore"
"""How these scores call BERTScore by a model that is not known; they need not have it."""


def split_reference(text: Any) -> Any:
    """The parts of a recorded answer, which blank lines divide."""
    if not isinstance(text, str):
        return text
    return tuple(part for part in re.split(r"\n\s*\n", text) if part.strip()) or ("",)


def _take_scores(given: Any) -> Any:
    """Metric → its score, of those that are compared with ours."""
    if not isinstance(given, dict):
        raise ValueError("it has no scores")
    if lacking := [key for key in PUBLISHED_KEYS.values() if key not in given]:
        raise ValueError(f"it has no score “{lacking[0]}”")
    return {metric: given[key] for metric, key in PUBLISHED_KEYS.items()} | {BERTSCORE: given.get(BERTSCORE)}


Pmids = frozenset[Annotated[str, StringConstraints(strip_whitespace=True), Field(coerce_numbers_to_str=True)]]
"""They are recorded as texts and as numbers."""

Score = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Told = Annotated[str, BeforeValidator(lambda given: str(given or ""))]
"""A text, or an id as people write it; "" when it is not recorded."""


class RecordedSummary(RecordedRow):
    """What one system wrote of one review, and what it had read.

    published   metric → score as published; None: none was
    relevant    PMIDs that it took as relevant; None: the system did not search, or it is not recorded
    irrelevant  PMIDs that it found and left
    """

    text: str
    published: Annotated[dict[str, Score | None], BeforeValidator(_take_scores)] = Field(alias="scores")
    relevant: Pmids | None = Field(None, alias="relevant_pmids")
    irrelevant: Pmids | None = Field(None, alias="irrelevant_pmids")

    @property
    def candidates(self) -> frozenset[str] | None:
        """All PMIDs that it found, the relevant ones among them."""
        return None if self.relevant is None or self.irrelevant is None else self.relevant | self.irrelevant


class RecordedReview(RecordedRow):
    """A review and its summaries, a system each.

    reference    parts of the answer that people took from it, as recorded: the conclusions, then results
    cited        PMIDs that it cites; None: not recorded
    source_pmid  the review itself
    source       what was summarised
    """

    id: Words
    reference: Annotated[tuple[str, ...], BeforeValidator(split_reference)] = Field(alias="human_answer")
    systems: Annotated[dict[str, RecordedSummary], Field(min_length=1)]
    cited: Pmids | None = Field(None, alias="ref_pmids")
    source_pmid: Told = ""
    source: Told = Field("", alias="context")

    @property
    def expected(self) -> str:
        """The reference as one text, its parts joined last first, as the published scores have it."""
        return " ".join(reversed(self.reference))


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
