"""The questions and texts of the golden suite, the libraries that they are put to, and what is compared.

The rows are read from ../shared/data; the repository holds only what came out of them (`expected.jsonl.gz`).
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wellsourced import Answer, Checkup, Document, Reference

Row = dict[str, Any]

EXPECTED = Path(__file__).parent / "expected.jsonl.gz"
TIERS = Path(__file__).parents[2] / "evaluate" / "data" / "questions" / "tiers.jsonl"

OFFLINE = {"network.offline": True}
LIBRARY = "abstracts"
CLAIMS_OF_A_TEXT = 3

FORMAT_FIELDS = frozenset({"version", "kind"})
"""Say how a result is written, and nothing of what was found."""


def _rows(path: Path) -> list[Row]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in content.decode().splitlines() if line.strip()]


def _distinct(words: Iterable[str], count: int) -> list[str]:
    return list(dict.fromkeys(words))[:count]


def questions(data: Path) -> list[str]:
    """200: for guidelines, in PICO form, of patients, about studies, and of our own for every tier."""
    qa = data / "qa"
    sets = (
        _distinct((row["question"] for row in _rows(qa / "guideline_facts.jsonl.gz")), 18),
        _distinct((row["question"] for row in _rows(qa / "briefcontext_medq.jsonl.gz")), 21),
        _distinct((row["question"] for row in _rows(qa / "kqa.jsonl.gz")), 60),
        _distinct((row["question"] for row in _rows(data / "verification" / "as_written.pairs.jsonl.gz")), 50),
        _distinct((row["question"] for row in _rows(TIERS)), 200),
    )
    return _distinct((question for each in sets for question in each), 200)


def documents(data: Path) -> list[Document]:
    """The abstracts that the texts cite: of SciFact, and what the statements of as_written were written from."""
    cited = {row["doc_id"] for row in _scifact(data)}
    corpus = (row for row in _rows(data / "verification" / "scifact.corpus.jsonl.gz") if row["_id"] in cited)
    abstracts = [_document(row["_id"], row["title"], " ".join(row["sentences"])) for row in corpus]
    written = {row["group"]: row for row in _as_written(data)}
    return [*abstracts, *(_document(key, row["question"], row["evidence"]) for key, row in written.items())]


def texts(data: Path) -> list[str]:
    """200: claims with references, as written by people and models, and long answers that cite by mark."""
    titles = {one.reference.pmid: one.reference.title for one in documents(data)}
    scifact = [(row["claim"], _reference(row["doc_id"], titles)) for row in _scifact(data)]
    written = [(row["claim"], _reference(row["group"], titles)) for row in _as_written(data)]
    answers = [row["ideal_answer"] for row in _rows(data / "qa" / "expertqa.jsonl.gz")]
    short = [answer for answer in answers if 200 < len(answer) < 1500][:40]
    return [*map(_text, _in_threes(scifact)), *map(_text, _in_threes(written)), *short][:200]


def _scifact(data: Path) -> list[Row]:
    return _rows(data / "verification" / "scifact.pairs.jsonl.gz")[:240]


def _as_written(data: Path) -> list[Row]:
    return _rows(data / "verification" / "as_written.pairs.jsonl.gz")[:240]


def _document(key: str, title: str, text: str) -> Document:
    reference = Reference(id=f"pubmed:{key}", title=title, kind="research", pmid=key, published="2015")
    return Document(reference=reference, text=text)


def _reference(key: str, titles: Mapping[str, str]) -> str:
    """As a list of references has it; the numbers of SciFact's abstracts stand for those of PubMed."""
    return f"Smith J, Miller A. {titles[key].rstrip('.?')}. Med J. 2015;12(3):45-52. PMID: {key}."


def _in_threes(claims: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    return [claims[start : start + CLAIMS_OF_A_TEXT] for start in range(0, len(claims), CLAIMS_OF_A_TEXT)]


def _text(claims: Sequence[tuple[str, str]]) -> str:
    """Sentences with numbered marks, and a list of references by PMID."""
    sentences = [f"{claim.rstrip('.')} [{number}]." for number, (claim, _) in enumerate(claims, 1)]
    references = [f"{number}. {reference}" for number, (_, reference) in enumerate(claims, 1)]
    return "\n".join((" ".join(sentences), "", "References", "", *references, ""))


def answer_row(question: str, answer: Answer) -> Row:
    """What an answer was: the digest of all but its timings, and its statements, to read where it differs."""
    whole = _rounded_json(answer.model_dump(mode="json", exclude={"timings", *FORMAT_FIELDS}))
    said = [f"{statement.verdict.label} {statement.text}" for statement in answer.statements]
    return {"question": question, "digest": _digest(whole), "said": said}


def checkup_row(text: str, checkup: Checkup) -> Row:
    """What a checkup was: the digest of all but when it was made, of what and where it is kept, and its verdicts."""
    whole = _rounded_json(checkup.model_dump(mode="json", exclude={"as_of", "origin", "run", *FORMAT_FIELDS}))
    said = [f"{verdict.label} {verdict.score:.3f} {verdict.quote}" for verdict in checkup.verdicts]
    return {"text": _digest(text), "digest": _digest(whole), "said": said}


def _rounded_json(value: Row) -> str:
    """JSON whose numbers have four decimals: the last digits of a score depend on what was encoded in the same
    batch."""

    def rounded(item: Any) -> Any:
        if isinstance(item, float):
            return round(item, 4)
        if isinstance(item, dict):
            return {key: rounded(inner) for key, inner in item.items()}
        return [rounded(inner) for inner in item] if isinstance(item, list) else item

    return json.dumps(rounded(value), ensure_ascii=False)


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def read_expected() -> list[Row]:
    """The rows that were recorded: first of the questions, then of the texts."""
    return _rows(EXPECTED)


def write_expected(rows: Iterable[Row]) -> None:
    """Replace what is expected."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    EXPECTED.write_bytes(gzip.compress(lines.encode(), mtime=0))
