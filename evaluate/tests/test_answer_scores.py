"""What recorded answers come to: every case counts, and what is not known is not made a figure."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.fake_judge import FakeJudge
from wellsourced.app.cli import command_line
from wellsourced.types import Answer, Question, Statement, Verdict
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, load_rouge
from wellsourced_evaluate.questions.answer_marks import FactMark, lose_marks, mark_facts, read_label
from wellsourced_evaluate.questions.answer_report import build_blocks, report_runs
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, AnswerRunHeader
from wellsourced_evaluate.questions.arm_comparison import compare_arms
from wellsourced_evaluate.questions.case_rows import ExpectedFact, QuestionCase
from wellsourced_evaluate.questions.scores import score_run
from wellsourced_evaluate.tables import to_markdown


def make_run(*records: dict[str, Any], preset: str = "default") -> AnswerRun:
    header = AnswerRunHeader(
        wellsourced="1",
        code="c",
        preset=preset,
        model="extractive",
        judge="overlap",
        data={
            **{"name": "mine", "asked": len(records), "recorded": len(records)},
            **{"form": "questions", "sha256": "", "limit": 0, "seed": 7, "skipped": {}},
        },
        regime="allowed",
        sources=(),
        settings={},
    )
    made = [
        AnswerRecord.model_validate({"case": str(at), "status": "answered", **one}) for at, one in enumerate(records)
    ]
    return AnswerRun(Path(f"{preset}.jsonl"), header, {one.case: one for one in made})


def figures(run: AnswerRun) -> dict[str, AnswerFigure]:
    return {one.metric: one for one in score_run(run).figures}


LABELLED = (
    {"gold": "yes", "label": "yes"},
    {"gold": "yes", "label": "no"},
    {"gold": "yes", "label": ""},
    {"gold": "no", "label": ""},
    {"gold": "no", "status": "abstained"},
    {"gold": "maybe", "status": "failed", "error": "the model is away"},
)


def test_whatever_is_not_right_counts_and_is_told_apart() -> None:
    run = make_run(*LABELLED)
    score = score_run(run)
    assert score.outcomes == {"right": 1, "wrong": 1, "unparsed": 2, "abstained": 1, "failed": 1}
    assert score.floors == pytest.approx({"yes": 3 / 6, "no": 2 / 6, "maybe": 1 / 6})
    assert score.by_gold["no"] == {"unparsed": 1, "abstained": 1}
    found = figures(run)
    accuracy, decided = found["answer_accuracy"], found["decided_accuracy"]
    assert (accuracy.part, accuracy.of, accuracy.floor, accuracy.standing) == (1, 6, 0.5, "no significant difference")
    assert (decided.part, decided.of, decided.floor) == (1, 2, 1.0)
    assert (found["coverage"].part, found["coverage"].of) == (2, 6)


def test_of_cases_that_are_all_alike_the_interval_is_no_point() -> None:
    found = figures(make_run(*[{"gold": "no", "label": "yes"}] * 20))["answer_accuracy"]
    assert (found.value, found.low) == pytest.approx((0.0, 0.0))
    assert found.high == pytest.approx(0.161, abs=0.001)
    assert found.standing == "below"


def test_several_facts_of_one_case_do_not_narrow_an_interval() -> None:
    marks = [FactMark(fact=str(at), said=False, leads=False) for at in range(50)]
    found = figures(make_run({"marks": marks}))["facts_said"]
    assert (found.part, found.of) == (0, 50)
    assert found.high is not None and found.high > 0.7


def test_what_the_judge_left_open_is_on_neither_side_of_a_share() -> None:
    marks = [FactMark(fact="a", said=None, leads=None), FactMark(fact="b", said=True, leads=False)]
    found = figures(make_run({"marks": marks}))
    assert (found["facts_said"].part, found["facts_said"].of, found["facts_in_short"].part) == (1, 1, 0)


def test_refusals_are_measured_where_it_is_marked_what_cannot_be_answered() -> None:
    found = figures(
        make_run(
            {"answerable": False, "status": "abstained"},
            {"answerable": False},
            {"answerable": False, "status": "failed"},
            {"answerable": True, "status": "abstained", "gold": "yes"},
            {"status": "abstained"},
        )
    )
    precision, recall = found["refusal_precision"], found["refusal_recall"]
    assert (precision.part, precision.of, precision.floor) == (1, 2, 0.75)
    assert (recall.part, recall.of) == (1, 3)
    assert found["answer_accuracy"].of == 1


def test_a_price_that_is_not_known_makes_no_sum() -> None:
    cost = score_run(make_run({"cost": 0.5, "seconds": 1.0}, {"cost": None, "seconds": 3.0, "calls": 2})).cost
    assert (cost.dollars, cost.calls, cost.p50, cost.seconds) == (None, 2, 2.0, 4.0)


def test_tokens_stand_beside_those_of_plain_retrieval() -> None:
    runs = [make_run({"tokens": 200, "depth": 1}, preset="rag"), make_run({"tokens": 313, "depth": 3}, preset="lins")]
    report = to_markdown(build_blocks(report_runs(runs)))
    assert "| 313 | 1.565 | 0.0000 |" in report
    assert "| calls | depth |" in report
    assert [score_run(run).cost.depth for run in runs] == [1.0, 3.0]


def test_gains_are_told_by_model_and_correlated_over_sets(tmp_path: Path) -> None:
    def make(name: str, model: str, preset: str, right: int) -> None:
        run = make_run(*[{"gold": "yes", "label": "yes" if at < right else "no"} for at in range(10)], preset=preset)
        header = run.header.model_copy(update={"model": model, "data": {**run.header.data, "name": name}})
        lines = [header.model_dump_json(), *(one.model_dump_json() for one in run.records.values())]
        (tmp_path / model).mkdir(exist_ok=True)
        (tmp_path / model / f"{name}.{preset}.jsonl").write_text("".join(f"{line}\n" for line in lines))

    gains = {"qwen": {"a": 1, "b": 3, "c": 2}, "gpt": {"a": 2, "b": 4, "c": -1}}
    for model, sets in gains.items():
        for name, gain in sets.items():
            make(name, model, "chat", 5)
            make(name, model, "lins", 5 + gain)
    (tmp_path / "theirs.csv").write_text("set,system,value\na,MedRAG,.61\na,lins (gpt),.8\nz,MedRAG,.5\n")
    folders = [str(tmp_path / model) for model in gains]
    done = CliRunner().invoke(
        command_line, ["evaluate", "report", *folders, "--published", str(tmp_path / "theirs.csv")]
    )
    assert done.exit_code == 0, done.output
    assert "| lins | qwen | 3 of 3 | +0.200 |" in done.stdout
    assert "| lins | all | 5 of 6 | +0.183 |" in done.stdout
    # Pearson's r of (.1, .3, .2) and (.2, .4, -.1), by hand: .02 / sqrt(.02 * .1267).
    assert "| lins | qwen | gpt | 3 | 0.397 |" in done.stdout
    assert "| answer_accuracy | MedRAG | – | – | – | – | – | – | 0.610 |" in done.stdout
    assert re.search(r"\| answer_accuracy \| lins \(gpt\) \| 0\.700 .*\| 0\.800 \|", done.stdout)
    assert "No run is of z" in done.stderr


def test_arms_are_compared_case_by_case_and_unfinished_ones_are_not() -> None:
    base = make_run(*LABELLED)
    other = make_run(*[{**one, "label": one["gold"], "status": "answered"} for one in LABELLED], preset="other")
    found = compare_arms([base, other])
    assert found is not None
    right = found.contrasts[0]
    assert (right.metric, right.test, right.contrast.base) == ("answer_accuracy", "McNemar", pytest.approx(1 / 6))
    assert (right.contrast.more, right.contrast.equal, right.contrast.less) == (5, 1, 0)
    assert right.contrast.p == pytest.approx(2 * 0.5**5)
    unfinished = other._replace(records=dict([*other.records.items()][:3]))
    assert compare_arms([base, unfinished]) is None
    report = to_markdown(build_blocks(report_runs([base, unfinished])))
    assert "other: only 3 of 6 cases were asked so far" in report


def test_a_case_of_which_only_one_arm_has_what_should_be_said_is_left_out_of_their_difference_and_counted() -> None:
    marks = [FactMark(fact="a", said=True, leads=True)]
    found = compare_arms([make_run({"marks": marks}, {"marks": marks}), make_run({"marks": marks}, {}, preset="other")])
    assert found is not None
    assert found.contrasts[0].metric == "facts_said"
    assert found.contrasts[0].contrast.difference == (0.0, 0.0, 0.0, 1, 1)


def test_a_letter_is_the_label_of_a_multiple_choice() -> None:
    case = QuestionCase(id="q", question="Which?", options={"A": "x", "B": "y"}, answer="B")
    assert read_label(case, Answer(question=Question(text="Which?"), choice="B", basis="parametric")) == "B"
    assert read_label(case, Answer(question=Question(text="Which?"), abstained=True)) == ""


def test_statements_of_physicians_are_counted_as_k_qa_counts_them() -> None:
    def mark(said: bool | None, contradicted: bool | None = False, optional: bool = False) -> FactMark:
        return FactMark(
            fact="f", said=said, leads=False, is_judged=True, contradicted=contradicted, is_optional=optional
        )

    run = make_run(
        # 1 of 2 that it must say; contradicts 1 of these and 1 that would be nice: 2.
        {"marks": [mark(True), mark(False, True), mark(False, True, True), mark(True, False, True)]},
        # 1 of 1 of what was judged; contradicts none.
        {"marks": [mark(True), mark(None, None)]},
        # Nothing was said: 0 of 4, and nothing is contradicted.
        {"marks": [mark(False)] * 4, "status": "abstained"},
    )
    found = figures(run)
    comprehensiveness, rate = found["comprehensiveness"], found["contradiction_rate"]
    assert comprehensiveness.value == pytest.approx((1 / 2 + 1 / 1 + 0 / 4) / 3)
    assert (comprehensiveness.part, comprehensiveness.of, comprehensiveness.cases) == (2, 7, 3)
    assert rate.value == pytest.approx((2 + 0 + 0) / 3)
    assert (rate.part, rate.of, rate.cases, rate.floor_name) == (2, 9, 3, "silence has 0")
    assert found["comprehensiveness_answered"].value == pytest.approx((1 / 2 + 1) / 2)
    assert found["contradiction_rate_answered"].value == pytest.approx(2 / 2)
    # What is only nice to have is in no share of what must be said.
    assert (found["facts_said"].part, found["facts_said"].of) == (2, 7)


def test_where_no_statement_is_contradicted_the_interval_is_no_point() -> None:
    marks = [FactMark(fact="f", said=False, leads=False, is_judged=True, contradicted=False)]
    rate = figures(make_run(*[{"marks": marks}] * 20))["contradiction_rate"]
    assert (rate.value, rate.low) == pytest.approx((0.0, 0.0))
    assert rate.high == pytest.approx(0.161, abs=0.001)


async def test_a_statement_that_the_answer_contradicts_is_marked_as_that_and_one_that_nobody_judged_as_neither() -> (
    None
):
    statement = Statement(text="Rest harms.", lead=False, verdict=Verdict(label="unjudged", score=0.0))
    answer = Answer(question=Question(text="What helps?"), statements=(statement,), basis="parametric")
    facts = (ExpectedFact(fact="Rest helps."), ExpectedFact(fact="Tea helps.", is_optional=True))
    case = QuestionCase(id="q", question="What helps?", facts=(*facts, ExpectedFact(fact="harm", pattern="harms")))
    for label, said, contradicted in (("contradicts", False, True), ("silent", False, False), ("unjudged", None, None)):
        judge = FakeJudge({"Rest harms.": Verdict.model_validate({"label": label, "score": 0.0})})
        marks = await mark_facts(case, answer, judge)
        assert [(one.said, one.contradicted, one.is_optional) for one in marks] == [
            (said, contradicted, False),
            (said, contradicted, True),
            (True, None, False),
        ]
    lost = lose_marks(case)
    assert [(one.said, one.contradicted) for one in lost] == [(False, False), (False, False), (False, None)]


def test_an_answer_is_as_near_as_the_nearest_reference_and_who_says_nothing_is_not_near() -> None:
    """ "Colchicine shortens flares" (3 words) and "Colchicine shortens gout flares" (4) have 3 in order: precision 3/3,
    recall 3/4, F1 6/7; the other reference has none. The second case abstained: 0. The mean is 3/7.
    """
    references = ("Rest.", "Colchicine shortens gout flares")
    run = make_run(
        {"references": references, "text": "Colchicine shortens flares"},
        {"references": references, "status": "abstained"},
    )
    found = figures(run)
    rouge, coverage = found["ROUGE-L"], found["coverage"]
    assert rouge.value == pytest.approx(3 / 7)
    assert (rouge.low, rouge.high) == pytest.approx((0.0, 6 / 7))
    assert (rouge.part, rouge.of, coverage.part, coverage.of) == (2, 2, 1, 2)
    assert "answer_accuracy" not in found


def test_without_what_compares_texts_the_figure_is_null_and_the_report_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What Python does where it is not installed.
    monkeypatch.setitem(sys.modules, "rouge_score_rs.rouge_scorer", None)
    load_rouge.cache_clear()
    run = make_run({"references": ("Rest.",), "text": "Rest."})
    rouge = figures(run)["ROUGE-L"]
    assert (rouge.value, rouge.low, rouge.of) == (None, None, 1)
    report = to_markdown(build_blocks(report_runs([run])))
    assert "pip install 'wellsourced-evaluate[text-metrics]'" in report
    load_rouge.cache_clear()


def test_of_questions_alone_who_was_answered_is_counted_and_accuracy_is_null() -> None:
    run = make_run({"text": "Rest."}, {"status": "abstained"})
    found = figures(run)
    assert (found["answer_accuracy"].value, found["answer_accuracy"].of) == (None, 0)
    assert (found["coverage"].part, found["coverage"].of) == (1, 2)
    told = to_markdown(build_blocks(report_runs([run])))
    assert "No answer to these questions is known, or no language model says one" in told
