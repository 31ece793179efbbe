"""Published sets of pairs are read as they were released: invented rows in their real columns."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.errors import NotFoundError, SettingsError
from wellsourced.judges.track_record import load_shipped_evidence
from wellsourced.types import Verdict, VerdictLabel
from wellsourced_evaluate.labelled_pairs import (
    EVIDENCE_LABELS,
    LabelledPair,
    LabelledPairs,
    list_fitted_pairs,
    list_measured_files,
    read_pairs,
)
from wellsourced_evaluate.pair_sets.base import LABEL_WORDS
from wellsourced_evaluate.verification import JudgedPair, compare_votes, compute_figures, fold_support


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def told(found: LabelledPairs) -> list[tuple[str, VerdictLabel]]:
    return [(one.id, one.label) for one in found.rows]


def faults(found: LabelledPairs) -> list[tuple[int, str]]:
    return [(one.line, one.reason) for one in found.rejected]


def scifact(folder: Path, *claims: object) -> Path:
    lines(
        folder / "corpus.jsonl",
        {"doc_id": 11, "title": "Gout", "abstract": ["Gout hurts.", "It swells."], "structured": False},
        {"doc_id": 12, "title": "Salt", "abstract": ["Salt was restricted."], "structured": False},
    )
    return lines(folder / "claims_dev.jsonl", *claims)


def test_scifact_has_a_pair_for_each_document_that_a_claim_cites(tmp_path: Path) -> None:
    path = scifact(
        tmp_path,
        {"id": 4, "claim": "Gout hurts.", "evidence": {"11": [{"sentences": [0], "label": "SUPPORT"}]},
         "cited_doc_ids": [11, 12]},
        {"id": 6, "claim": "Gout is mild.", "evidence": {"11": [{"sentences": [0, 1], "label": "CONTRADICT"}]},
         "cited_doc_ids": [11]},
        {"id": 7, "claim": "Gout is old.", "evidence": {"11": [{"sentences": [5], "label": "SUPPORT"}]},
         "cited_doc_ids": [11]},
        {"id": 8, "claim": "Gout is red.", "evidence": {"11": [{"sentences": [0], "label": "REFUTE"}]},
         "cited_doc_ids": [11]},
        {"id": 9, "claim": "Gout is new.", "evidence": {}, "cited_doc_ids": [99]},
        {"id": 4, "claim": "Gout hurts.", "evidence": {}, "cited_doc_ids": [12]},
    )  # fmt: skip
    found = read_pairs([path])
    assert told(found) == [("sf-4-11", "supports"), ("sf-4-12", "silent"), ("sf-6-11", "contradicts")]
    assert found.rows[0].text == "Gout hurts. It swells."
    assert found.rows[0].rationale == ("Gout hurts.",)
    # One document and one claim bind them all.
    assert len({one.cluster for one in found.rows}) == 1
    assert (found.sets, sorted(found.files)) == (("scifact",), ["claims_dev.jsonl", "corpus.jsonl"])
    assert faults(found) == [
        (3, "its evidence in document 11 cannot be read"),
        (4, f"its label “REFUTE” is none of {', '.join(LABEL_WORDS)}"),
        (5, "its document 99 is not in the corpus"),
        (6, "the id “sf-4-12” is on line 1 already"),
    ]


def test_scifact_without_labels_or_abstracts_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = scifact(tmp_path, {"id": 1, "claim": "Gout hurts."})
    with pytest.raises(Exception, match="labels of the test part were not released"):
        read_pairs([path], form="scifact")
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(NotFoundError, match="Name it with --corpus"):
        read_pairs([path], form="scifact")


def test_healthver_is_read_as_released(tmp_path: Path) -> None:
    table = tmp_path / "healthver_dev.csv"
    table.write_text(
        "id,evidence,claim,label,topic_ip,question\n"
        '224,"It began in Wuhan,\nin December.",It is natural,Neutral,1,what is the origin\n'
        "3354,Levels are low.,Vitamin D kills,Refutes,42,Does it\n"
        "3355,Levels are low.,Vitamin D heals,Maybe,42,Does it\n"
        "224,Levels are low.,Vitamin D heals,Supports,42,Does it\n",
        encoding="utf-8",
    )
    found = read_pairs([table])
    assert told(found) == [("healthver-224", "silent"), ("healthver-3354", "contradicts")]
    assert faults(found) == [
        (4, f"its label “Maybe” is none of {', '.join(LABEL_WORDS)}"),
        (5, "the id “healthver-224” is on line 2 already"),
    ]


def test_kqa_keeps_the_votes_of_three_physicians(tmp_path: Path) -> None:
    path = tmp_path / "NLI_medical_annotator.csv"
    path.write_text(
        ",Question,llm_x,answer,claim,category_x,majority_label,label_0,label_1,label_2\n"
        "15,Also what is the oral option to get rid of scabies?,gpt35,Ivermectin is.,Permethrin is a cream,Must_have,"
        "Entailment,Contradiction,Entailment,Entailment\n",
        encoding="utf-8",
    )
    [one] = read_pairs([path]).rows
    assert (one.id, one.label, one.votes) == ("kqanli-15", "supports", ("contradicts", "supports", "supports"))
    assert one.group == "kqa-19f1b10176"


@each_row(
    "row",
    [
        {"gold_label": "neutral", "sentence1": "He was well.", "sentence2": "He is old.", "pairID": "p1"},
        {"uid": "p1", "context": "He was well.", "hypothesis": "He is old.", "label": "n", "reason": ""},
        {"id": "p1", "premise": "He was well.", "hypothesis": "He is old.", "label": 1},
    ],
)
def test_a_set_of_inference_has_a_premise_and_a_hypothesis(tmp_path: Path, row: dict[str, object]) -> None:
    found = read_pairs([lines(tmp_path / "mli_dev_v1.jsonl", row, row)])
    assert found.sets == ("nli",)
    [one] = found.rows
    assert (one.id, one.claim, one.text, one.label) == ("p1", "He is old.", "He was well.", "silent")
    assert faults(found) == [(2, "the id “p1” is on line 1 already")]


def test_annotators_who_did_not_agree_leave_no_label(tmp_path: Path) -> None:
    row = {"gold_label": "-", "sentence1": "He was well.", "sentence2": "He is old."}
    with pytest.raises(Exception, match="annotators did not agree"):
        read_pairs([lines(tmp_path / "dev.jsonl", row)])


def test_of_several_votes_the_majority_counts_and_a_tie_leaves_no_label(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "annotations.jsonl",
        {"id": "a", "statement": "Gout hurts.", "url": "https://example.org", "source": "It hurts.",
         "votes": ["supported", "supported", "not supported"]},
        {"id": "b", "statement": "Gout kills.", "source": "It hurts.", "vote_1": "not supported",
         "vote_2": "unsupported"},
        {"id": "c", "statement": "Gout heals.", "source": "It hurts.", "votes": "supported, not supported"},
        {"id": "d", "statement": "Gout heals.", "source": "It hurts.", "label": "perhaps"},
        {"id": "e", "Statement": "Gout is red.", "Citation URL": "https://example.org", "Decision": "found",
         "Source": "It is red."},
    )  # fmt: skip
    found = read_pairs([path], labels=EVIDENCE_LABELS)
    assert told(found) == [("a", "supports"), ("b", "unjudged"), ("e", "supports")]
    assert found.rows[0].votes == ("supports", "supports", "unjudged")
    assert [reason.partition(" is none")[0] for _, reason in faults(found)] == [
        "its raters come out level, so that it has no label",
        "its label “perhaps”",
    ]


def test_a_record_and_an_answer_are_a_pair(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "moeqa.jsonl",
        {"id": 1, "patient": "Woman, 72.", "diagnosis": "HFrEF", "question": "Why?", "answer": "Her heart is weak.",
         "label": "supported"},
        {"id": 2, "patient": "", "question": "Why?", "answer": "It is.", "label": "supported"},
        {"id": 3, "patient": "Man, 60.", "question": "Why?", "answer": "It is."},
    )  # fmt: skip
    found = read_pairs([path])
    assert [(one.id, one.text) for one in found.rows] == [("1", "Woman, 72.\nHFrEF")]
    assert [line for line, _ in faults(found)] == [2, 3]
    with pytest.raises(SettingsError, match="No set of pairs “hotpot”"):
        read_pairs([path], form="hotpot")


# --- what is said beside the figures -------------------------------------------------------------------------------


def judged(known: str, said: str, votes: Sequence[str] = (), id: str = "x", group: str = "") -> JudgedPair:
    pair = LabelledPair(id, "claim", "text", known, 0, (), tuple(votes), group)  # type: ignore[arg-type]
    return JudgedPair(pair, Verdict.model_validate({"label": said, "score": 0.5}))


def test_the_floor_is_what_the_commonest_label_comes_to() -> None:
    said = [judged(known, "supports") for known in ("supports", "supports", "supports", "silent")]
    said.append(judged("contradicts", "unjudged"))
    floor = compute_figures(said, 1.0).floor
    assert floor.label == "supports"
    assert floor.accuracy == 3 / 4
    # F1 of “supports”: 2·3 / (2·3 + 1) = 6/7; of “silent”: 0. Their mean is 3/7.
    assert floor.macro_f1 == pytest.approx(3 / 7)


def test_where_only_support_is_known_what_contradicts_counts_as_no_support() -> None:
    said = fold_support(
        [judged("unjudged", "contradicts"), judged("supports", "supports"), judged("unjudged", "unjudged")]
    )
    assert [(one.pair.label, one.verdict.label) for one in said] == [
        ("silent", "silent"), ("supports", "supports"), ("silent", "unjudged"),
    ]  # fmt: skip


def test_a_judge_is_held_against_each_rater_and_their_majority() -> None:
    yes, no = "supports", "silent"
    found = compare_votes(
        [judged(yes, yes, (yes, yes, no)), judged(no, no, (no, no, no)), judged(yes, no, (yes, yes, yes)),
         judged(no, no, (no, yes, no)), judged(no, "unjudged", (no, no, no)), judged(yes, yes)]
    )  # fmt: skip
    assert found is not None
    # Five have votes, and the fifth of them has no verdict.
    assert ({*found.majority}, found.majority.keys() - found.judged.keys()) == ({*"01234"}, {"4"})
    *each, majority = found.judge
    # The majority says yes, no, yes, no of what was judged; the judge yes, no, no, no: 3 of 4 are the same.
    assert (majority.same, majority.items) == (3, 4)
    # Expected: yes 1/4 · 2/4 + no 3/4 · 2/4 = 1/2; (3/4 - 1/2) / (1 - 1/2) = 1/2.
    assert majority.kappa == pytest.approx(0.5)
    assert [one.same for one in each] == [3, 2, 2]
    assert found.floor == ("silent", 3 / 5)
    assert compare_votes([judged(yes, yes)]) is None


def test_physicians_agree_on_kqa_as_was_published(shared_data: Path) -> None:
    with gzip.open(shared_data / "verification" / "kqa.pairs.jsonl.gz", "rt", encoding="utf-8") as file:
        assert len(file.readlines()) == 189
    pairs = read_pairs([shared_data / "verification" / "kqa.pairs.jsonl.gz"]).rows
    found = compare_votes([JudgedPair(one, Verdict(label=one.label, score=0.5)) for one in pairs])
    assert found is not None
    assert [round(one.share or 0, 4) for one in found.raters.pairs] == [0.8201, 0.8519, 0.8519]
    assert (round(found.raters.fleiss or 0, 4), found.raters.unanimous) == (0.6989, 144)
    assert found.judge[-1].same == 189
    fitted = list_fitted_pairs("guarded:comparison:minilm/support@1", pairs)
    assert [(one.pairs, one.script) for one in fitted] == [(189, "wellsourced_evaluate/fitting/comparison.py")]
    # What it comes to where it was fitted on the two other sets stands beside.
    assert "K-QA, never seen: AUROC 0.796" in fitted[0].describe(189)


def test_only_what_a_judge_was_fitted_on_is_told() -> None:
    # The SHA-1 of sfc-4 is even, that of sfc-2 odd: the one is in the half that fitting has seen.
    pairs = [judged("supports", "supports", id=f"sf-{n}-11", group=f"sfc-{n}").pair for n in (4, 2)]
    pairs.append(judged("supports", "supports", id="mine", group="sfc-4").pair)
    assert [one.pairs for one in list_fitted_pairs("comparison:minilm/support@1", pairs)] == [1]
    assert [one.script for one in list_fitted_pairs("(overlap/support@1 + comparison:m/support@2)", pairs)] == [
        "wellsourced_evaluate/fitting/comparison.py",
        "wellsourced_evaluate/fitting/calibrations.py (bdac1cd3)",
    ]
    assert list_fitted_pairs("asked:ollama:qwen3@1", pairs) == []


def test_a_file_that_says_how_far_a_judge_is_believed_is_told() -> None:
    shipped = next(one for one in load_shipped_evidence() if one.called == "overlap")
    known = next(one for one in shipped.sets if one.name == "as_written.pairs.jsonl.gz")
    files = {"renamed.jsonl.gz": known.sha256[:16], "mine.jsonl": "0" * 16}
    assert list_measured_files(f"guarded:{shipped.judge}", files) == ["renamed.jsonl.gz"]
    assert list_measured_files("asked:ollama:qwen3@1", files) == []
