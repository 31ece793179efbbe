"""Drafts of right and faulty statements: each stands where it says, and what is made of them is counted."""

from wellsourced.citations.quote_alignment import align_quote
from wellsourced_evaluate.clinical.faulty_drafts import HonestJudge, build_drafts, mark_repair, repair_draft
from wellsourced_evaluate.clinical.statement_checks import read_passages
from wellsourced_evaluate.development_data import find_data, read_rows


def test_each_played_edit_rests_on_words_of_its_passage() -> None:
    passages = read_passages()
    drafts = {draft.name: " ".join(passages[one] for one in draft.passages) for draft in build_drafts()}
    rows = read_rows(find_data("written_statements/repair_replies.jsonl"))
    replies = [one for one in rows if one.get("action") == "edit"]
    assert len({one["draft"] for one in replies}) >= 25
    assert [one["statement"] for one in replies if not align_quote(one["excerpt"], drafts[one["draft"]])] == []


def test_each_statement_of_a_faulty_draft_stands_where_it_says() -> None:
    drafts = build_drafts()
    assert len(drafts) >= 110
    for draft in drafts:
        spans = [draft.text[one.start : one.end] for one in draft.statements]
        assert all(one == one.strip() and one for one in spans), draft.name
        assert {one.truth for one in draft.statements} & {"contradicted", "not_enough"} or draft.name == "h19"


async def test_what_a_believed_judge_calls_contradicted_does_not_stand_after_repair() -> None:
    draft = next(
        one for one in build_drafts() if {said.truth for said in one.statements} >= {"contradicted", "supported"}
    )
    marks = mark_repair(draft, await repair_draft(draft, HonestJudge(draft)))
    assert sum(found for found, _ in marks.values()) == len(draft.statements)
    contradicted = sum(one.truth == "contradicted" for one in draft.statements)
    faulty = sum(one.truth != "supported" for one in draft.statements)
    assert marks.get("faulty statements, as it stands", (0, faulty))[0] <= faulty - contradicted
