"""What a scorecard measures: which set, in which files of the folder of data, and what was fitted on it."""

import hashlib
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.text.tables import read_rows
from wellsourced.types import SourceKind
from wellsourced_evaluate.questions.cases import Regime

PartKind = Literal["answers", "citations", "search", "verification", "recorded"]

PART_KINDS: tuple[PartKind, ...] = ("answers", "citations", "search", "verification")
"""Those that are measured; a run that was recorded before is told."""


class CorpusFile(NamedTuple):
    """A file of documents, as it lies in the folder of data, and of what kind they are."""

    file: str
    kind: SourceKind


RESEARCH = CorpusFile("corpora/research.jsonl.gz", "research")
CONSUMER = CorpusFile("corpora/consumer.jsonl.gz", "consumer")
SCIFACT = CorpusFile("verification/scifact.corpus.jsonl.gz", "research")


class AnswerPart(NamedTuple):
    """Questions put to the whole system, which searches the corpus and the guidelines.

    kind    of the questions that are asked; "": all
    share   of the cases that are asked of other sets
    """

    title: str
    set: str
    corpus: CorpusFile | None
    regimes: tuple[Regime, ...]
    kind: str = ""
    share: float = 1.0


class SearchPart(NamedTuple):
    """Queries put to the search, and once more to BM25 alone, which is the floor."""

    title: str
    set: str
    corpus: CorpusFile

    @property
    def folder(self) -> str:
        """Where its queries and judgements lie."""
        return "verification" if self.set == "scifact" else "retrieval"


class VerificationPart(NamedTuple):
    """Claims with texts, put to the judge of support; `file` where they do not lie in the folder of data."""

    title: str
    set: str
    file: Path | None = None


BOTH: tuple[Regime, ...] = ("allowed", "excluded")

ANSWER_PARTS = (
    AnswerPart("PubMedQA (yes, no, maybe)", "pubmedqa", RESEARCH, BOTH),
    AnswerPart("BioASQ (yes, no)", "bioasq", RESEARCH, BOTH, "yesno"),
    AnswerPart("BioASQ (factoids)", "bioasq", RESEARCH, BOTH, "factoid", 0.5),
    AnswerPart("BioASQ (lists)", "bioasq", RESEARCH, BOTH, "list", 0.5),
    AnswerPart("BioASQ (summaries)", "bioasq", RESEARCH, BOTH, "summary", 0.5),
    AnswerPart("Evidence Inference (effect in a trial)", "evidence_inference", RESEARCH, BOTH),
    AnswerPart("MedQuAD (pages for patients)", "medquad", CONSUMER, BOTH),
    AnswerPart("K-QA (patients' questions)", "kqa", CONSUMER, ("allowed",)),
    AnswerPart("Questions on guidelines", "guideline_facts", None, ("allowed",)),
)

SEARCH_PARTS = (
    SearchPart("PubMedQA", "pubmedqa", RESEARCH),
    SearchPart("BioASQ", "bioasq", RESEARCH),
    SearchPart("Evidence Inference", "evidence_inference", RESEARCH),
    SearchPart("MedQuAD", "medquad", CONSUMER),
    SearchPart("SciFact", "scifact", SCIFACT),
)

VERIFICATION_PARTS = (
    VerificationPart("SciFact", "scifact"),
    VerificationPart("Evidence Inference", "evidence_inference"),
    VerificationPart("K-QA", "kqa"),
    VerificationPart("Statements as language models write them", "as_written"),
)

TOPIC_SETS = ("medquad",)
"""Sets of which no answers are known, only the documents that have them."""

CITATION_SETS = ("pubmedqa", "bioasq")
"""Sets of whose answers the citations are judged."""


class FittedPart(NamedTuple):
    """What was fitted on how many of the cases of a part, by which script."""

    cases: str
    what: str
    script: str


def find_fitted_searches(name: str) -> list[FittedPart]:
    """What was fitted on one half of the queries of a set, as `fitted_searches.tsv` has it; nothing where none was."""
    rows = read_rows("wellsourced_evaluate.scorecard", "fitted_searches.tsv")
    return [FittedPart("all", what, script) for named, what, script in rows if named == name]


def is_in_fitted_half(group: str) -> bool:
    """Whether weights of search and ranking were fitted on this group, where they were fitted on one half."""
    return hashlib.sha256(f"fit {group}".encode()).digest()[0] % 2 == 0
