"""What benchmarks/short_answers.py counts, on answers whose numbers are known."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.short_answers import (
    ShortAnswer,
    contains_any,
    describe,
    draw_questions,
    find_half,
    last_sentences,
    list_names,
    score_overlap,
)


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
    assert last_sentences("We looked.\nIt rose. It fell.", 2) == "It rose. It fell."
    assert last_sentences("It rose.", 2) == "It rose."


def test_only_factoids_have_names():
    assert list_names({"type": "factoid", "answer": [["FTY720", "Fingolimod"]]}) == ("FTY720", "Fingolimod")
    assert list_names({"type": "list", "answer": [["lung"], ["brain"]]}) == ()


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
    assert find_half("g1") == find_half("g1")
    # What no abstract answers is not asked.
    assert len(draw_questions(tmp_path / "rows.gz", 0, "all")) == 54


def test_an_abstention_counts_as_an_empty_answer():
    good = ShortAnswer("1", "Q?", "Factor XIa.", "It fell.", ("Factor XIa.",), ("XIa",))
    silent = ShortAnswer("2", "Q?", "", "It fell.", ("It fell.",), (), abstained=True)
    lines = describe([good, silent])
    assert lines[0] == "questions 2, of these factoids 1"
    assert lines[1].startswith("ROUGE-L F1 0.500, floor 0.500, difference +0.000")
    assert lines[2] == "factoid answers contained 1.000, floor 0.000"
    assert lines[3] == "abstained 0.500"


def test_nothing_to_measure_is_said():
    with pytest.raises(ValueError, match="nothing to measure"):
        describe([])
