"""Queries and judgements are read as BEIR writes them, and what is wrong with them is told with its line."""

import gzip
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.beir import read_qrels, read_queries, read_topics

QUERIES = '{"_id": "q1", "text": "gout"}\n{"_id": "q2", "text": "stroke", "metadata": {"type": "yesno"}}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td 3\t2\n"


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@each_row("ending", ["", ".gz"])
def test_queries_and_judgements_are_read_plain_or_packed(tmp_path: Path, ending: str) -> None:
    topics = read_topics(put(tmp_path, f"q.jsonl{ending}", QUERIES), put(tmp_path, f"r.tsv{ending}", QRELS))
    assert topics.texts == {"q1": "gout", "q2": "stroke"}
    assert topics.qrels == {"q1": {"d1": 1, "d2": 0}, "q2": {"d 3": 2}}
    assert topics.relevant_documents == {"d1", "d 3"}
    assert topics.notes == ()


def test_judgements_may_lack_the_header_or_have_the_four_columns_of_trec(tmp_path: Path) -> None:
    assert read_qrels(put(tmp_path, "r.tsv", "q1\td1\t1\r\n"))[0] == {"q1": {"d1": 1}}
    assert read_qrels(put(tmp_path, "qrels", "q1 0 d1 1\nq1 0 d2 0\n"))[0] == {"q1": {"d1": 1, "d2": 0}}


def test_a_broken_line_is_told_with_its_number_and_the_others_count(tmp_path: Path) -> None:
    texts, told = read_queries(put(tmp_path, "q.jsonl", QUERIES + "nonsense\n" + '{"_id": "q1", "text": "again"}\n'))
    assert texts == {"q1": "gout", "q2": "stroke"}
    assert told[0].startswith("q.jsonl, line 3: it is not JSON")
    assert told[1] == "q.jsonl, line 4: the id 'q1' already belongs to an earlier record"
    grades, told = read_qrels(put(tmp_path, "r.tsv", QRELS + "q2\td9\tmuch\nq1\td1\t0\nalone\n"))
    assert grades == {"q1": {"d1": 1, "d2": 0}, "q2": {"d 3": 2}}
    assert told == [
        "r.tsv, line 5: it is not query, document and a whole number",
        "r.tsv, line 6: q1 and d1 were judged otherwise on an earlier line",
        "r.tsv, line 7: it is not query, document and a whole number",
    ]


def test_of_many_broken_lines_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    _, told = read_qrels(put(tmp_path, "r.tsv", QRELS + "x\n" * 8))
    assert len(told) == 6
    assert told[-1] == "r.tsv: 3 more lines cannot be read"


def test_what_has_no_counterpart_is_left_out_and_told(tmp_path: Path) -> None:
    queries = put(tmp_path, "q.jsonl", QUERIES + '{"_id": "q3", "text": "unjudged"}\n')
    topics = read_topics(queries, put(tmp_path, "r.tsv", "q1\td1\t1\nq2\td1\t0\nq9\td1\t1\n"))
    assert topics.texts == {"q1": "gout"}
    assert topics.notes == (
        "queries that have no relevant document, left out: 2",
        "judged queries that q.jsonl does not hold, left out: 1",
    )


@each_row(("queries", "qrels"), [("", QRELS), ("\n\n", QRELS), (QUERIES, ""), (QUERIES, "a\tb\tc\n")])
def test_an_empty_file_is_refused(tmp_path: Path, queries: str, qrels: str) -> None:
    with pytest.raises(UnreadableFile):
        read_topics(put(tmp_path, "q.jsonl", queries), put(tmp_path, "r.tsv", qrels))


def test_files_that_do_not_belong_together_are_refused_with_an_id_of_each(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="called like “q1”, and the judgements are of queries like “7”"):
        read_topics(put(tmp_path, "q.jsonl", QUERIES), put(tmp_path, "r.tsv", "7\td1\t1\n"))


def test_queries_of_another_format_and_a_damaged_archive_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"ends in \.jsonl"):
        read_queries(put(tmp_path, "q.tsv", "q1\tgout\n"))
    damaged = tmp_path / "r.tsv.gz"
    damaged.write_bytes(gzip.compress(QRELS.encode() * 500)[:-20])
    with pytest.raises(UnreadableFile, match="incomplete or damaged"):
        read_qrels(damaged)


def test_a_part_of_the_queries_is_the_same_part_every_time(tmp_path: Path) -> None:
    queries = put(tmp_path, "q.jsonl", "".join(f'{{"_id": "q{n}", "text": "word {n}"}}\n' for n in range(50)))
    qrels = put(tmp_path, "r.tsv", "".join(f"q{n}\td{n}\t1\n" for n in range(50)))
    first, second = read_topics(queries, qrels, 10), read_topics(queries, qrels, 10)
    assert first == second
    assert len(first.texts) == 10
    assert first.qrels.keys() == first.texts.keys()
    assert len(read_topics(queries, qrels, 999).texts) == 50
