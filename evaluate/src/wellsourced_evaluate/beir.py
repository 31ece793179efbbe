"""Queries and relevance judgements in the format of BEIR (Thakur et al., NeurIPS 2021); TREC's judgements too."""

import hashlib
import random
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, NotFoundError, SourceRefused, UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

SEED = 7
"""Draws the same queries of a set on every machine."""

MAX_NAMED_FAULTS = 5
"""Faults of one file that are told one by one."""

Qrels = Mapping[str, Mapping[str, int]]
"""Query → document → grade; what is above 0 is relevant."""


class Topics(NamedTuple):
    """What is asked, and what should be found.

    texts    query → its words, in the order of the file
    qrels    the judgements of exactly these queries, each with at least one relevant document
    files    names and sha256 of the two files, and how many queries were drawn: what tells two sets apart
    notes    what was left out of the files, and why, a sentence each without a full stop
    """

    texts: Mapping[str, str]
    qrels: Qrels
    files: Mapping[str, str | int]
    notes: tuple[str, ...] = ()

    @property
    def relevant_documents(self) -> set[str]:
        """Every document that is relevant for one of the queries."""
        return {document for grades in self.qrels.values() for document, grade in grades.items() if grade > 0}


def find_beir_files(folder: Path, split: str, wanted: Collection[str]) -> dict[str, Path]:
    """Of “corpus”, “queries” and “qrels” those that are wanted, where BEIR packs them, plain or .gz.

    Raises NotFoundError that names what is not there, and the splits that are.
    """
    places = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": f"qrels/{split}.tsv"}
    found: dict[str, Path] = {}
    for name in wanted:
        there = [one for one in (folder / places[name], folder / f"{places[name]}.gz") if one.is_file()]
        if not there:
            splits = sorted(one.name.partition(".")[0] for one in folder.glob("qrels/*.tsv*"))
            others = f" It has judgements of {', '.join(splits)}." if name == "qrels" and splits else ""
            raise NotFoundError(
                f"{folder} has no {places[name]}.{others} A folder of BEIR has corpus.jsonl, queries.jsonl, "
                "qrels/test.tsv."
            )
        found[name] = there[0]
    return found


def read_topics(queries: Path, qrels: Path, limit: int = 0) -> Topics:
    """The queries that have relevant documents; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile for a file that gives nothing, SourceRefused when no query of one file is judged in the other.
    """
    texts, faulty_queries = read_queries(queries)
    grades, faulty_grades = read_qrels(qrels)
    able = [query for query in texts if any(grade > 0 for grade in grades.get(query, {}).values())]
    if not able:
        known, judged = next(iter(texts)), next(iter(grades))
        remedy = f"The queries are called like “{known}”, and the judgements are of queries like “{judged}”."
        raise SourceRefused(f"{qrels} names no relevant document for any query of {queries}. {remedy}")
    drawn = sorted(random.Random(SEED).sample(able, limit)) if 0 < limit < len(able) else able  # noqa: S311
    notes = [*faulty_queries, *faulty_grades]
    if unable := len(texts) - len(able):
        notes.append(f"queries that have no relevant document, left out: {unable:,}")
    if strange := len(grades.keys() - texts.keys()):
        notes.append(f"judged queries that {queries.name} does not hold, left out: {strange:,}")
    files: dict[str, str | int] = {"queries": queries.name, "queries_sha256": hash_file(queries)[:16]}
    files |= {"qrels": qrels.name, "qrels_sha256": hash_file(qrels)[:16], "limit": limit}
    return Topics({one: texts[one] for one in drawn}, {one: grades[one] for one in drawn}, files, tuple(notes))


def read_queries(path: Path) -> tuple[dict[str, str], list[str]]:
    """The queries by their ids, and what of the file cannot be read. Raises UnreadableFile."""
    if not path.name.lower().endswith((".jsonl", ".jsonl.gz")):
        raise UnreadableFile(path, "queries are in JSON lines", "Give a file that ends in .jsonl or .jsonl.gz.")
    items = list(reader_for(path)(path, "own"))
    texts = {one.reference.id: one.text for one in items if isinstance(one, Document)}
    faults = [f"{one.where}: {one.reason}" for one in items if isinstance(one, UnreadablePart)]
    if not texts:
        raise UnreadableFile(path, f"it holds no query ({faults[0]})", 'A line reads {"_id": "q1", "text": "…"}.')
    return texts, _summarize_faults(path, faults)


def read_qrels(path: Path) -> tuple[dict[str, dict[str, int]], list[str]]:
    """The judgements of each query, and what of the file cannot be read. Of two on one pair the first counts.

    Lines are query, document and grade with tabs between them, or the four columns of TREC. Raises UnreadableFile.
    """
    qrels: dict[str, dict[str, int]] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        text = line.decode("utf-8", "replace")
        fields = [field.strip() for field in (text.split("\t") if "\t" in text else text.split())]
        if len(fields) not in (3, 4) or not re.fullmatch(r"[+-]?\d+", fields[-1]):
            # The first line may be a header.
            faults += [f"line {number}: it is not query, document and a whole number"] if number > 1 else []
            continue
        query, document, grade = fields[0], fields[-2], int(fields[-1])
        if qrels.setdefault(query, {}).setdefault(document, grade) != grade:
            faults.append(f"line {number}: {query} and {document} were judged otherwise on an earlier line")
    if not qrels:
        reason = f"it holds no judgement{f' ({faults[0]})' if faults else ''}"
        raise UnreadableFile(path, reason, "A line holds query, document and grade, with tabs between them.")
    return qrels, _summarize_faults(path, faults)


def _summarize_faults(path: Path, faults: list[str]) -> list[str]:
    more = len(faults) - MAX_NAMED_FAULTS
    rest = [f"{path.name}: {more:,} more lines cannot be read"] if more > 0 else []
    return [*(f"{path.name}, {fault}" for fault in faults[:MAX_NAMED_FAULTS]), *rest]


def hash_file(path: Path) -> str:
    """Of a file's bytes, in hex. Raises InaccessibleFile."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = f"it cannot be opened ({error.strerror})"
        raise InaccessibleFile(path, reason, "Check that you may read it.") from error
