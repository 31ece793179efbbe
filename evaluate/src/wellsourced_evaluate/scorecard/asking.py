"""What the scorecard asks, and of what: corpora as libraries, queries as questions, answers with what they cite."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.judges.base import Judge
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced_evaluate.beir import SEED, hash_file, read_topics
from wellsourced_evaluate.citation_metrics import VALID_ABOVE
from wellsourced_evaluate.corpus import Corpus, open_corpus
from wellsourced_evaluate.questions.case_rows import QuestionCase, parse_row
from wellsourced_evaluate.questions.cases import QuestionSet, build_question
from wellsourced_evaluate.recorded_answers import RecordedAnswer, RecordedAnswers, average_answers, measure_answers
from wellsourced_evaluate.scorecard.parts import CorpusFile
from wellsourced_evaluate.statistics import MetricMean

CITATION_FIGURES = ("citation_set_precision", "citation_precision", "citation_recall", "alce_recall", "alce_precision")


class CorpusShelf:
    """Libraries of the files of one folder of data."""

    def __init__(self, data: Path, settings: config.Settings, emit: Emit) -> None:
        self.data, self.settings, self.emit = data, settings, emit
        self._opened: dict[str, Corpus] = {}

    async def find(self, wanted: CorpusFile) -> Corpus:
        """The corpus of this file. Raises NotFoundError when the file is not there."""
        if wanted.file not in self._opened:
            path = self.data / wanted.file
            if not path.is_file():
                raise NotFoundError(f"{path} is not there.")
            self._opened[wanted.file] = await open_corpus(str(path), self.settings, wanted.kind, self.emit)
        return self._opened[wanted.file]

    async def answering_settings(self, wanted: CorpusFile | None) -> config.Settings:
        """What answers a question: the guidelines as `wellsourced ask` has them, and the corpus."""
        if wanted is None:
            return self.settings.model_copy(update={"libraries": (config.GUIDELINES,), "live": ()})
        corpus = await self.find(wanted)
        libraries = (corpus.library, *((config.GUIDELINES,) if self.settings.guidelines else ()))
        return corpus.settings.model_copy(update={"libraries": libraries, "live": ()})


def read_query_metadata(path: Path) -> dict[str, Mapping[str, Any]]:
    """Query → what its line says beside its text. Raises UnreadableFile."""
    return {str(row["_id"]): row.get("metadata") or {} for row in (parse_row(line) for _, line in iter_lines(path))}


def read_topic_cases(folder: Path, name: str, limit: int) -> QuestionSet:
    """The queries of a set as cases; those whose answer stands on several pages are not asked, and counted.

    Raises UnreadableFile.
    """
    path = folder / f"{name}.queries.jsonl.gz"
    metadata = read_query_metadata(path)
    drawn = read_topics(path, folder / f"{name}.qrels.tsv.gz", limit)
    cases = tuple(
        QuestionCase(
            id=query,
            question=text,
            sources=tuple(document for document, grade in drawn.qrels[query].items() if grade > 0),
            group=str(metadata[query].get("group", query)),
        )
        for query, text in drawn.texts.items()
        if not metadata[query].get("answer_not_unique")
    )
    skipped = {"answer not unique": len(drawn.texts) - len(cases)} if len(cases) < len(drawn.texts) else {}
    return QuestionSet(name, "queries", hash_file(path)[:16], cases, len(metadata), limit, SEED, skipped)


class JudgedCitationMeans(NamedTuple):
    """Metric → its mean over the questions that were answered; how many were refused, and how many failed."""

    means: Mapping[str, MetricMean]
    refused: int
    failed: int


async def measure_citations(
    cases: Sequence[QuestionCase], context: Context, judge: Judge, say: Callable[[str], None]
) -> JudgedCitationMeans:
    """Ask every question, and judge what the answers cite: what was refused or failed cites nothing, and is counted."""
    rows: list[RecordedAnswer] = []
    failed = 0
    for place, case in enumerate(cases):
        say(f"citations: answered {place:,} of {len(cases):,} questions")
        try:
            answer = await ask(build_question(case, "allowed"), context)
        except WellsourcedError:
            failed += 1
            continue
        if not answer.abstained:
            rows.append(RecordedAnswer(id=case.id, answer=answer))
    say(f"citations: judging {len(rows):,} answers")
    data = RecordedAnswers(tuple(rows), "answers", "", len(rows))
    measured = await measure_answers(data, judge, VALID_ABOVE)
    means = {name: mean for name, (mean, _) in average_answers(measured).items() if name in CITATION_FIGURES}
    return JudgedCitationMeans(means, len(cases) - len(rows) - failed, failed)
