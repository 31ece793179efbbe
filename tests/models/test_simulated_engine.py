"""The simulated model: it costs time, and what it says was shown to it."""

import time
from typing import cast

import pytest

from benchmarks.simulated_engine import SimulatedEngine
from tests.models.asked import PROMPTS, TRAP
from tests.tables import each_row
from tests.world import COLCHICINE, GUIDELINE, TRIAL, passages
from wellsourced.errors import PromptTooLong, UnsupportedPrompt
from wellsourced.models.base import Prompt, R, Reply
from wellsourced.models.prompt_rendering import render_prompt
from wellsourced.prompts.evidence import JudgeRelevance, TakeNotes
from wellsourced.prompts.planning import PlanSources
from wellsourced.prompts.verification import CheckConsistency, DraftClaim
from wellsourced.prompts.writing import MergeNotes, NotedPart, WriteAnswer
from wellsourced.types import Evidence, Question

(TRIALS,), (GUIDES,) = passages(TRIAL), passages(GUIDELINE)
QUESTION = Question(text="Does colchicine shorten a gout flare?", options={"A": "yes", "B": "no"})
AT_ONCE = SimulatedEngine(seconds=0)


async def replied(prompt: Prompt[R]) -> R:
    said = await AT_ONCE.ask(render_prompt(prompt), prompt.reply)
    return cast(R, said.reply)


@each_row("prompt", PROMPTS)
async def test_every_kind_of_prompt_has_a_reply_of_its_kind_that_says_something(prompt: Prompt[Reply]) -> None:
    reply = await replied(prompt)
    assert type(reply) is prompt.reply
    assert reply != prompt.reply.model_construct() or prompt.reply.__name__ == "CertaintyReply"


async def test_it_finds_relevant_what_shares_words_with_the_question_and_copies_them() -> None:
    (other,) = passages(TRIAL.model_copy(update={"text": "The weather was mild.", "sections": ()}))
    judged = await replied(JudgeRelevance(question=QUESTION, passages=(TRIALS, other)))
    assert [(one.passage_id, one.bears, one.quote) for one in judged.items] == [
        (TRIALS.key, "yes", COLCHICINE),
        (other.key, "no", ""),
    ]


async def test_it_writes_sentences_of_the_passages_and_takes_the_first_option() -> None:
    evidence = tuple(Evidence(passage=one, relevance=0.9) for one in (TRIALS, GUIDES))
    draft = await replied(WriteAnswer(question=QUESTION, evidence=evidence, statements=2, leads=1))
    assert [one.quotes[0].passage_id for one in draft.statements] == [TRIALS.key, GUIDES.key]
    assert [
        one.quotes[0].quote in text for one, text in zip(draft.statements, (TRIAL.text, GUIDELINE.text), strict=True)
    ]
    assert draft.choice == "A"


async def test_it_merges_the_quotes_of_the_notes_that_it_took() -> None:
    notes = await replied(TakeNotes(question=QUESTION, part="1 of 2", passages=(TRIALS,)))
    part = NotedPart(part="1", unread=False, notes=notes.notes)
    merged = await replied(MergeNotes(question=QUESTION, parts=(part,), statements=2, leads=1, question_again="?"))
    assert [(one.quotes[0].passage_id, one.text) for one in merged.statements] == [(TRIALS.key, COLCHICINE)]


async def test_a_claim_stands_by_a_passage_that_it_cites_and_by_no_other() -> None:
    claims = (
        DraftClaim(key="k1", text=COLCHICINE, cites=(TRIALS.key,)),
        DraftClaim(key="k2", text="Febuxostat lowers urate.", cites=(GUIDES.key,)),
    )
    checks = await replied(CheckConsistency(question=QUESTION, claims=claims, passages=(TRIALS, GUIDES)))
    assert [(one.key, one.label, one.quote) for one in checks.items] == [
        ("k1", "supports", COLCHICINE),
        ("k2", "silent", ""),
    ]


async def test_it_asks_every_source_that_has_a_card() -> None:
    (prompt,) = (one for one in PROMPTS if isinstance(one, PlanSources))
    plan = await replied(prompt)
    assert [(entry.source, bool(entry.queries[0].term)) for entry in plan.entries] == [
        ("library", False),
        ("graph", True),
    ]


async def test_the_same_wording_has_the_same_reply_and_costs_its_time() -> None:
    engine = SimulatedEngine(seconds=0.05)
    wording, kind = render_prompt(PROMPTS[0]), PROMPTS[0].reply
    begun = time.perf_counter()
    assert await engine.ask(wording, kind) == await engine.ask(wording, kind)
    assert time.perf_counter() - begun >= 0.1


async def test_tokens_are_four_letters_each_and_what_is_left_over_one_more() -> None:
    assert [AT_ONCE.count(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    said = await AT_ONCE.ask(render_prompt(PROMPTS[0]), PROMPTS[0].reply)
    assert said.tokens_in == sum(map(AT_ONCE.count, render_prompt(PROMPTS[0])))
    assert said.tokens_out == AT_ONCE.count(said.reply.model_dump_json())


async def test_what_does_not_fit_its_window_is_refused_before_any_time_has_passed() -> None:
    with pytest.raises(PromptTooLong, match="tokens, and the model reads at most 10"):
        await SimulatedEngine(seconds=60, window=30, reserved=20).ask(render_prompt(PROMPTS[0]), PROMPTS[0].reply)


async def test_a_reply_that_nobody_thought_of_is_refused() -> None:
    class Poem(Reply):
        lines: tuple[str, ...]

    with pytest.raises(UnsupportedPrompt, match="when Poem is asked for"):
        await AT_ONCE.ask(render_prompt(PROMPTS[0]), Poem)


async def test_an_order_in_a_passage_is_material_and_is_not_followed() -> None:
    judged = await replied(JudgeRelevance(question=QUESTION, passages=(TRIALS, TRAP)))
    assert [one.passage_id for one in judged.items] == [TRIALS.key, TRAP.key]


async def test_a_reply_is_heard() -> None:
    heard: list[str] = []
    said = await AT_ONCE.ask(render_prompt(PROMPTS[0]), PROMPTS[0].reply, heard.append)
    assert heard == [said.reply.model_dump_json()]
