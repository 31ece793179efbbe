"""What is counted of short answers, on answers whose numbers are known."""

import gzip
import json
from pathlib import Path

import pytest

from wellsourced.types import Answer, Question
from wellsourced_evaluate.clinical.cases import (
    contains_any,
    draw_questions,
    is_in_half,
    mark_short_answer,
    score_overlap,
    take_end,
)
from wellsourced_evaluate.clinical.marks import CaseMarks, add_marks


def test_the_same_words_score_one_and_none_score_zero():
    assert score_overlap("Aspirin inhibits COX-1.", ["aspirin inhibits cox 1"]) == 1
    assert score_overlap("", ["Aspirin inhibits COX-1."]) == 0
    assert score_overlap("Aspirin inhibits COX-1.", []) == 0


def test_the_nearest_of_several_answers_counts():
    far, near = "Nothing in common", "Milvexian inhibits factor XIa"
    assert score_overlap("Milvexian inhibits factor XIa", [far, near]) == 1
    # Four of four words, in their order, of six that were said: precision 4/6, recall 1.
    assert score_overlap("The drug milvexian inhibits factor XIa", [near]) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("said", "names", "found"),
    [
        ("It inhibits Bruton\u2019s tyrosine kinase (BTK).", ["Bruton's tyrosine kinase"], True),
        ("It interacts with C-MYC.", ["c-Myc"], True),
        ("Sj\u00f6gren was found.", ["Sjogren"], True),
        ("It inhibits factor XIa.", ["XI"], False),
        ("It inhibits factor XIa.", ["?"], False),
        ("", ["XIa"], False),
    ],
)
def test_a_name_is_contained_as_whole_words_however_it_is_written(said: str, names: list[str], found: bool):
    assert contains_any(said, names) is found


def test_the_floor_is_how_a_text_ends():
    assert take_end("We looked.\nIt rose. It fell.") == "It rose. It fell."
    assert take_end("It rose.") == "It rose."


def write_rows(path: Path, count: int) -> None:
    rows = [
        {"id": str(n), "group": f"g{n}", "gold_doc_ids": ["1"] if n % 10 else [], "ideal_answer": ["Yes."]}
        for n in range(count)
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def test_questions_are_drawn_alike_each_time_and_each_is_in_one_half(tmp_path: Path):
    write_rows(tmp_path / "rows.gz", 60)
    drawn = {half: {row["id"] for row in draw_questions(tmp_path / "rows.gz", 40, half)} for half in ("tune", "report")}
    every = {row["id"] for row in draw_questions(tmp_path / "rows.gz", 40, "all")}
    assert len(every) == 40
    assert drawn["tune"] | drawn["report"] == every
    assert not drawn["tune"] & drawn["report"]
    assert min(map(len, drawn.values())) > 10
    assert all(is_in_half("g1", half) for half in ("", "all"))
    # What no abstract answers is not asked.
    assert len(draw_questions(tmp_path / "rows.gz", 0, "all")) == 54


def test_an_abstention_counts_as_an_empty_answer_and_only_factoids_have_names():
    silent = Answer(question=Question(text="Q?"), abstained=True, reason="Nothing is known.")
    factoid = {"type": "factoid", "ideal_answer": ["Factor XIa."], "answer": [["FXIa", "XIa"]]}
    other = {"type": "list", "ideal_answer": ["It fell."], "answer": [["lung"], ["brain"]]}
    cases = [CaseMarks(str(n), mark_short_answer(row, silent, "It fell.")) for n, row in enumerate((factoid, other))]
    figures = {one.name: (one.found, one.whole) for one in add_marks(cases)}
    assert figures["ROUGE-L F1"] == (0, 2)
    assert figures["ROUGE-L F1 of the floor"] == (1, 2)
    assert figures["abstained"] == (2, 2)
    assert figures["factoid answers contained"] == (0, 1)
    assert "words of a short answer" not in figures
