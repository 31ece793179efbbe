"""Questions whose answers are known, read from files: what is wrong is said with its line, and nothing is left out."""

import gzip
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.errors import NotFoundError, SourceRefused, UnreadableFile
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict
from wellsourced_evaluate.questions.answer_marks import read_label
from wellsourced_evaluate.questions.case_rows import ExpectedFact, QuestionCase
from wellsourced_evaluate.questions.cases import build_question, find_set, name_set, read_questions, require_regime

GOUT = {"id": "q1", "question": "Does colchicine shorten gout flares?", "answer": "yes"}


def write(folder: Path, rows: Sequence[dict[str, Any] | str], name: str = "questions.jsonl") -> Path:
    path = folder / name
    lines = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    return path


def test_a_row_of_our_own_says_all_that_is_known(tmp_path: Path) -> None:
    row = {
        **GOUT,
        "source": "pubmed:1",
        "as_of": "2019-12-31",
        "answerable": True,
        "facts": [{"fact": "two days", "pattern": "two days"}],
        "must_have": ["It shortens flares."],
        "group": "g",
    }
    (case,) = read_questions(write(tmp_path, [row])).cases
    facts = (ExpectedFact(fact="two days", pattern="two days"), ExpectedFact(fact="It shortens flares."))
    assert (case.sources, case.as_of, case.facts) == (("pubmed:1",), date(2019, 12, 31), facts)
    assert build_question(case, "allowed") == Question(text=case.question)
    assert build_question(case, "excluded").exclude == ("pubmed:1",)
    assert build_question(case, "as-of").as_of == date(2019, 12, 31)


@each_row(
    ("row", "fault"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it is not a JSON object"),
        ({"question": "Why?"}, "id: Field required"),
        ({"id": "q2"}, "question: Field required"),
        ({"id": "q2", "question": " "}, "question: String should match pattern"),
        ({**GOUT}, "the id “q1” is on line 1 already"),
        ({**GOUT, "id": "q2", "answer": "perhaps"}, "its answer “perhaps” is none of yes, no, maybe"),
        ({**GOUT, "id": "q2", "answer": "C", "options": {"A": "a", "B": "b"}}, "its answer “C” is none of A, B"),
        ({**GOUT, "id": "q2", "options": {"A": "a"}}, "options: there are fewer than two"),
        ({**GOUT, "id": "q2", "facts": [{"fact": "dose"}]}, "facts.0.pattern: Field required"),
        ({**GOUT, "id": "q2", "facts": [{"pattern": "("}]}, "facts.0.pattern: “(” is not a regular expression"),
        ({**GOUT, "id": "q2", "as_of": "2019"}, "as_of: “2019” is not a day such as 2019-12-31"),
        ({**GOUT, "id": "q2", "answerable": "no"}, "answerable: Input should be a valid boolean"),
        ({**GOUT, "id": "q2", "kind": "essay", "exact": ["a"]}, "it has an exact answer, and its kind"),
        ({**GOUT, "id": "q2", "exact": [["a"]]}, "it has an exact answer, and its kind is neither factoid nor list"),
        ({**GOUT, "id": "q2", "kind": "list", "exact": [["a"], []]}, "exact.1: it has no name"),
        ({**GOUT, "id": "q2", "snippets": [{"document": "d"}]}, "snippets.0.text: Field required"),
        ({**GOUT, "id": "q2", "source": [1]}, "source.0: Input should be a valid string"),
    ],
)
def test_a_line_that_cannot_be_used_refuses_the_file_with_its_number(
    tmp_path: Path, row: dict[str, Any] | str, fault: str
) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read_questions(write(tmp_path, [GOUT, row]))
    assert f"line 2: {fault}" in str(refused.value)


def test_a_kind_that_only_its_file_knows_is_none(tmp_path: Path) -> None:
    """Fact lists have kinds such as "dose"."""
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({**GOUT, "kind": "dose"}) + "\n", encoding="utf-8")
    assert read_questions(path).cases[0].kind == ""


def test_published_sets_are_read_by_their_names_and_what_is_not_asked_is_counted(tmp_path: Path) -> None:
    bioasq = [
        {"id": "b1", "type": "yesno", "question": "Is it?", "answer": "no", "gold_doc_ids": ["7"]},
        {"id": "b2", "type": "list", "question": "Which?", "answer": [["a", " "]]},
    ]
    data = read_questions(write(tmp_path, bioasq, "bioasq.jsonl.gz"))
    assert (data.name, data.form, data.skipped, data.recorded) == ("bioasq", "bioasq", {}, 2)
    assert (data.cases[1].kind, data.cases[1].exact) == ("list", (("a",),))
    yes_no = read_questions(tmp_path / "bioasq.jsonl.gz", kinds=("yesno",))
    assert (yes_no.skipped, yes_no.recorded) == ({"list": 1}, 1)
    with pytest.raises(UnreadableFile, match="no question of the kind factoid or summary"):
        read_questions(tmp_path / "bioasq.jsonl.gz", kinds=("factoid", "summary"))
    assert build_question(data.cases[0], "excluded").exclude == ("7", "pubmed:7")
    pubmedqa = [{"id": "p1", "question": "Is it?", "answer": "maybe", "options": {"A": "yes"}, "year": "2004"}]
    (case,) = read_questions(write(tmp_path, pubmedqa, "pubmedqa.jsonl")).cases
    assert (case.answer, case.options, case.as_of) == ("maybe", {}, date(2004, 12, 31))
    choice = [{"id": "m1", "question": "Which?", "answer": "B", "options": {"A": "x", "B": "y"}}]
    (asked,) = read_questions(write(tmp_path, choice, "mine.jsonl"), "medqa").cases
    assert build_question(asked, "allowed").options == {"A": "x", "B": "y"}
    kqa = [{"id": "k1", "question": "What helps?", "must_have": ["Rest."], "nice_to_have": ["Tea."]}]
    (statements,) = read_questions(write(tmp_path, kqa, "kqa.jsonl")).cases
    assert statements.facts == (ExpectedFact(fact="Rest."), ExpectedFact(fact="Tea.", is_optional=True))


@each_row(
    ("name", "row", "fault"),
    [
        (
            "pubmedqa.jsonl",
            {"id": "p", "question": "Is it?", "answer": "unclear"},
            "its answer “unclear” is none of yes",
        ),
        ("bioasq.jsonl", {"id": "p", "question": "Is it?", "type": "essay"}, "its type “essay” is none of yesno"),
        ("medqa.jsonl", {"id": "p", "question": "Is it?", "answer": "A"}, "it has no options"),
        ("kqa.jsonl", {"id": "p", "question": "Is it?"}, "it has no must_have"),
    ],
)
def test_a_row_that_is_not_as_published_is_refused(tmp_path: Path, name: str, row: dict[str, Any], fault: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read_questions(write(tmp_path, [row], name))
    assert f"line 1: {fault}" in str(refused.value)


def test_the_same_seed_draws_the_same_cases_and_another_draws_others(tmp_path: Path) -> None:
    path = write(tmp_path, [{**GOUT, "id": f"q{n}"} for n in range(40)])
    drawn = [[one.id for one in read_questions(path, limit=5, seed=seed).cases] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_set_is_found_in_the_folder_of_data_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "qa").mkdir()
    path = write(tmp_path / "qa", [GOUT], "mine.jsonl.gz")
    assert find_set("mine", tmp_path) == path
    assert name_set(path) == "mine"
    with pytest.raises(NotFoundError, match="--data"):
        find_set("mine", None)
    with pytest.raises(NotFoundError, match="holds no set other"):
        find_set("other", tmp_path)


def test_a_regime_that_says_nothing_of_a_case_is_refused(tmp_path: Path) -> None:
    data = read_questions(write(tmp_path, [{**GOUT, "source": "pubmed:1"}, {**GOUT, "id": "q2"}]))
    require_regime(data, "allowed")
    with pytest.raises(SourceRefused, match=r"1 of 2 cases have no source \(q2\)"):
        require_regime(data, "excluded")
    with pytest.raises(SourceRefused, match=r"2 of 2 cases have no as_of \(q1, q2\)"):
        require_regime(data, "as-of")


def answer_in_words(text: str) -> Answer:
    passage = Passage(reference=Reference(id="own:1"), text=text, start=0, end=len(text))
    cited = Citation(passage_id=passage.id, quote=text, start=0, end=len(text))
    told = Statement(text=text, citations=(cited,), verdict=Verdict(label="supports", score=1.0))
    return Answer(
        question=Question(text="Is it?"), statements=(told,), evidence=(Evidence(passage=passage, relevance=1),)
    )


@each_row(
    ("text", "label"),
    [
        ("Yes, it did.", "yes"),
        ("No. It did not.", "no"),
        ("**Maybe**: it depends.", "maybe"),
        ("Maybe; it depends.", "maybe"),
        ("No trial was found that lasted longer.", ""),
        ("It helped.", ""),
    ],
)
def test_a_models_answer_says_a_label_only_as_its_first_word(text: str, label: str) -> None:
    assert read_label(QuestionCase(id="q", question="Is it?"), answer_in_words(text)) == label
