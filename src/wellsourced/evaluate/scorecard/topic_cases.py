"""Queries with the documents that answer them, as questions: known of an answer is which document it is from."""

from pathlib import Path

from wellsourced.evaluate.beir import SEED, hash_file, read_topics
from wellsourced.evaluate.questions.case_rows import QuestionCase, parse_row
from wellsourced.evaluate.questions.cases import QuestionSet
from wellsourced.readers.decompressed_file import iter_lines


def read_topic_cases(folder: Path, name: str, limit: int) -> QuestionSet:
    """The queries of a set as cases; those whose answer stands on several pages are not asked, and counted.

    Raises UnreadableFile.
    """
    path = folder / f"{name}.queries.jsonl.gz"
    metadata = {str(row["_id"]): row.get("metadata") or {} for row in (parse_row(line) for _, line in iter_lines(path))}
    every = read_topics(path, folder / f"{name}.qrels.tsv.gz", 0)
    repeated = {one for one in every.texts if metadata[one].get("answer_not_unique")}
    drawn = read_topics(path, folder / f"{name}.qrels.tsv.gz", limit) if limit else every
    cases = tuple(
        QuestionCase(
            id=query,
            question=text,
            sources=tuple(document for document, grade in drawn.qrels[query].items() if grade > 0),
            group=str(metadata[query].get("group", query)),
        )
        for query, text in drawn.texts.items()
        if query not in repeated
    )
    skipped = {"answer not unique": len(drawn.texts) - len(cases)} if len(cases) < len(drawn.texts) else {}
    return QuestionSet(name, "queries", hash_file(path)[:16], cases, len(every.texts), limit, SEED, skipped)
