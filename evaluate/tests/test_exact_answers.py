"""Exact answers by BioASQ's measures, evidence by characters: worked out by hand."""

from typing import Any

import pytest

from evaluate.tests.test_answer_scores import figures, make_run
from tests.tables import each_row
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict
from wellsourced_evaluate.questions.answer_figures import score_factoid, score_list, score_quotes
from wellsourced_evaluate.questions.answer_marks import (
    GoldSpan,
    QuotedSpan,
    list_quotes,
    mark_exact,
    read_candidates,
    says,
)
from wellsourced_evaluate.questions.arm_comparison import compare_arms
from wellsourced_evaluate.questions.case_rows import QuestionKind

FACTOR = mark_exact([["XIa", "factor XIa"]], "Which factor does milvexian inhibit?", "", "")
GENES = mark_exact([["KIT"], ["PDGFRA", "PDGF receptor alpha"], ["NF1"]], "Which genes?", "", "")


@each_row(
    ("candidates", "strict", "lenient", "rank"),
    [
        (["Factor XIA"], 1.0, 1.0, 1.0),
        (["thrombin", "IXa", "XIa"], 0.0, 1.0, 1 / 3),
        (["a", "b", "c", "d", "e", "XIa"], 0.0, 0.0, 0.0),
        (["factor  XIa"], 0.0, 0.0, 0.0),
        ([], 0.0, 0.0, 0.0),
    ],
)
def test_a_factoid_is_right_in_its_own_letters_among_five(
    candidates: list[str], strict: float, lenient: float, rank: float
) -> None:
    assert score_factoid(FACTOR, candidates) == {"strict_accuracy": strict, "lenient_accuracy": lenient, "MRR": rank}


def test_a_member_of_a_list_is_met_once_however_often_it_is_named() -> None:
    # Of four named one is KIT and one PDGFRA by another name: two of four, two of three, 2·(1/2)(2/3)/(1/2+2/3) = 4/7.
    found = score_list(GENES, ["kit", "KIT", "pdgf receptor alpha", "TP53"])
    assert found == pytest.approx({"list_precision": 1 / 2, "list_recall": 2 / 3, "list_f1": 4 / 7})
    assert score_list(GENES, []) == {"list_precision": 0.0, "list_recall": 0.0, "list_f1": 0.0}


@each_row(
    ("text", "name", "is_said"),
    [
        ("It inhibits factor XIa (FXIa).", "XIa", True),
        ("It inhibits FXIa.", "XIa", False),
        ("Mortality fell by 3.", "3%", False),
        ("Mortality fell by 3 %.", "3%", True),
        ("Mortality fell by 13.3%.", "3%", False),
        ("Huntington disease", "Huntington's disease,", False),
        ("Huntington's disease.", "Huntington’s disease", True),
        ("haemophagocytic lymphohistiocytosis", "Haemophagocytic lymphohistiocytosis (HLH)", True),
        ("anything", "…", False),
    ],
)
def test_a_name_is_said_in_whole_words(text: str, name: str, is_said: bool) -> None:
    assert says(text, [name]) is is_said


def make_answer(*texts: str, writer: str = "model") -> Answer:
    passage = Passage(reference=Reference(id="d1"), text="Gout hurts. It passes.", start=100, end=122)
    citation = Citation(passage_id=passage.id, quote="It passes.", start=112, end=122)
    statements = [
        Statement(text=one, citations=(citation,), verdict=Verdict(label="supports", score=1.0), lead=True)
        for one in texts
    ]
    evidence = (Evidence(passage=passage, relevance=1.0),)
    return Answer(question=Question(text="Which?"), statements=tuple(statements), evidence=evidence, writer=writer)


@each_row(
    ("answer", "kind", "named"),
    [
        (make_answer("Factor XIa."), "factoid", ("Factor XIa",)),
        (make_answer("Factor XIa; thrombin"), "factoid", ("Factor XIa", "thrombin")),
        (make_answer("Rett syndrome, congenital variant"), "factoid", ("Rett syndrome, congenital variant",)),
        (make_answer("KIT, PDGFRA and NF1"), "list", ("KIT", "PDGFRA", "NF1")),
        (make_answer("KIT", "PDGFRA"), "list", ("KIT", "PDGFRA")),
        (make_answer("Milvexian is an inhibitor of factor XIa."), "factoid", None),
        (make_answer("Factor XIa.", writer=""), "factoid", None),
        (make_answer("Factor XIa."), "summary", None),
    ],
)
def test_candidates_are_phrases_of_a_model_and_no_sentences(
    answer: Answer, kind: QuestionKind, named: tuple[str, ...] | None
) -> None:
    assert read_candidates(answer, kind) == named


def test_exact_answers_have_figures_and_what_names_no_candidates_has_no_rank() -> None:
    said = mark_exact([["XIa"]], "Which factor?", "It inhibits factor XIa.", "")
    echoed = mark_exact([["gout"]], "What is gout?", "", "")
    listed = mark_exact([["KIT"], ["NF1"], ["TP53"]], "Which genes, as KIT?", "KIT and NF1", "NF1")
    rows: list[dict[str, Any]] = [
        {"kind": "factoid", "exact": said},
        {"kind": "factoid", "exact": echoed, "status": "abstained"},
        {"kind": "list", "exact": listed},
    ]
    found = figures(make_run(*rows))
    assert (found["factoid_said"].part, found["factoid_said"].of, found["factoid_said"].floor) == (1, 2, 0.5)
    assert found["factoid_in_short"].part == 0
    assert (found["list_said"].part, found["list_said"].of, found["list_said"].floor) == (2, 3, pytest.approx(1 / 3))
    assert (found["MRR"].value, found["MRR"].part, found["MRR"].of) == (None, 0, 2)
    # Once one answer names candidates, who gave none ranks nothing; who speaks in sentences stays without a rank.
    rows.append({"kind": "factoid", "exact": said, "candidates": ("thrombin", "xia")})
    found = figures(make_run(*rows))
    assert (found["MRR"].value, found["MRR"].part, found["MRR"].of) == (pytest.approx(1 / 4), 2, 3)


def test_arms_are_compared_by_the_exact_answers_that_they_say() -> None:
    said = mark_exact([["KIT"], ["NF1"]], "Which?", "KIT and NF1", "")
    half = mark_exact([["KIT"], ["NF1"]], "Which?", "KIT", "")
    base, other = (
        make_run({"kind": "list", "exact": one}, {"kind": "list", "exact": said}, preset=preset)
        for preset, one in (("half", half), ("whole", said))
    )
    found = compare_arms([base, other])
    assert found is not None
    gain = found.contrasts[0].contrast
    assert (gain.difference.mean, gain.more, gain.equal, gain.less) == (pytest.approx(0.25), 1, 1, 0)


def test_answers_are_scored_against_the_nearest_of_them() -> None:
    pytest.importorskip("rouge_score_rs")
    rows = [
        {"references": ["the cat sat on the mat", "nothing"], "text": "the cat on the mat"},
        {"references": ["a b"], "status": "abstained"},
    ]
    found = figures(make_run(*rows))
    # Pairs: the-cat, on-the, the-mat are shared, of 5 and 4: recall 3/5, precision 3/4, F1 2/3; the other says nothing.
    assert (found["ROUGE-2"].value, found["ROUGE-2-recall"].value) == (pytest.approx(1 / 3), pytest.approx(3 / 10))
    # The longest common subsequence has 5 words of 6 and 5: F1 10/11.
    assert found["ROUGE-L"].value == pytest.approx(5 / 11)


def quoted(document: str, start: int, end: int) -> QuotedSpan:
    return QuotedSpan(statement=0, document=document, start=start, end=end)


def marked(document: str, start: int | None, characters: int) -> GoldSpan:
    return GoldSpan(document=document, start=start, characters=characters)


def test_evidence_is_counted_in_characters_and_spans_that_overlap_are_one() -> None:
    gold = [marked("a", 0, 40), marked("a", 20, 40), marked("b", 100, 20), marked("gone", None, 20)]
    quotes = [quoted("a", 50, 70), quoted("a", 60, 80), quoted("b", 90, 110), quoted("c", 0, 50)]
    # Quoted: a 50–80, b 90–110, c 0–50: 100. Marked: a 0–60, b 100–120, 20 that are not held: 100. Both: 10 and 10.
    found = score_quotes(quotes, gold)
    assert found == pytest.approx({"snippet_precision": 0.2, "snippet_recall": 0.2, "snippet_f1": 0.2})
    assert score_quotes([], gold) == {"snippet_precision": None, "snippet_recall": 0.0, "snippet_f1": 0.0}
    assert set(score_quotes(quotes, []).values()) == {None}


def test_quotes_are_recorded_by_statement_in_offsets_of_the_document() -> None:
    assert list_quotes(make_answer("One.", "Two.")) == (
        QuotedSpan(statement=0, document="d1", start=112, end=122, quote="It passes."),
        QuotedSpan(statement=1, document="d1", start=112, end=122, quote="It passes."),
    )


def test_evidence_that_was_excluded_is_not_missed() -> None:
    run = make_run({"snippets": [marked("a", 0, 40)], "quotes": [quoted("a", 0, 10)]})
    assert figures(run)["snippet_recall"].value == pytest.approx(0.25)
    excluded = run._replace(header=run.header.model_copy(update={"regime": "excluded"}))
    assert "snippet_recall" not in figures(excluded)
