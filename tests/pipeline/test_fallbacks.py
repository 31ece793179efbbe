"""When nothing that was found bears on a question: what a model is certain of, and the question in parts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from tests.world import context, document, passages
from wellsourced.context import Context
from wellsourced.errors import BudgetSpent, ModelError, ModelUnavailable, QuestionError, UnparsableReply
from wellsourced.models.base import Prompt
from wellsourced.pipeline.evidence import (
    FallbackResult,
    GatheredEvidence,
    assess_self_knowledge,
    decompose_question,
    try_fallbacks,
)
from wellsourced.pipeline.read.section_reading import ReadingResult
from wellsourced.policy import Policy, ReadPolicy, WritePolicy
from wellsourced.prompts.evidence import AssessCertainty, CertaintyReply
from wellsourced.prompts.planning import Decompose, DecompositionReply
from wellsourced.types import Attempt, Evidence, Omission, Pico, Query, Question, Search, Verdict

QUESTION = Question(text="Is colchicine safer than steroids in gout?")
TWO = DecompositionReply(questions=("Is colchicine safe in gout?", "Are steroids safe in gout?"))
ONE_PART, OTHER_PART = TWO.questions


class Explored(NamedTuple):
    """What a test's world knows of one question."""

    reading: ReadingResult = ReadingResult()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()


class World:
    """Answers each question with what it was told, nothing by default, and remembers what it was asked."""

    def __init__(self, known: Mapping[str, Explored | Exception] | None = None) -> None:
        self.known = known or {}
        self.asked: list[Question] = []

    async def explore(self, question: Question) -> Explored:
        self.asked.append(question)
        told = self.known.get(question.text, Explored())
        if isinstance(told, Exception):
            raise told
        return told

    @property
    def texts(self) -> list[str]:
        return [question.text for question in self.asked]


def thinking(
    parts: Script = DecompositionReply(),  # noqa: B008 - replies are frozen
    certainty: Script | None = None,
    *,
    most: int = 4,
    levels: int = 1,
    top: int = 16,
) -> Context:
    """A context whose model splits a question so, and is as certain as this."""
    replies: dict[type[Prompt[Any]], Script] = {Decompose: parts}
    if certainty:
        replies[AssessCertainty] = certainty
    return replace(
        context(),
        model=ScriptedModel(replies),
        has_model=True,
        policy=Policy(passages=top),
        read=ReadPolicy(self_knowledge=certainty is not None, decompose=most, decompose_levels=levels),
        write=WritePolicy(memory="certain"),
    )


def prompts(given: Context) -> list[str]:
    assert isinstance(given.model, ScriptedModel)
    return [type(prompt).__name__ for prompt in given.model.prompts]


def item(name: str, text: str, relevance: float = 0.5) -> Evidence:
    """A passage of a work without a title, so that a judge sees its text alone."""
    work = document(name, text)
    work = work.model_copy(update={"reference": work.reference.model_copy(update={"title": ""})})
    return Evidence(passage=passages(work)[0], relevance=relevance, quotes=(text,))


def read(*items: Evidence, dropped: Sequence[Omission] = ()) -> Explored:
    return Explored(ReadingResult(evidence=items, dropped=tuple(dropped)))


def left_out(one: Evidence, reason: str = "silent (0.10)") -> Omission:
    return Omission(what="passage", id=one.passage.id, text=one.passage.text, reason=reason)


# --- self-knowledge --------------------------------------------------------------------------------------------------


async def test_a_model_that_says_that_it_is_certain_is_and_no_part_is_searched_for() -> None:
    world = World()
    given = thinking(TWO, CertaintyReply(certain=True, why="textbooks agree"))
    widened = await try_fallbacks(QUESTION, world.explore, given)
    assert (widened.is_certain, widened.notes, world.asked) == (True, (), [])


async def test_both_are_asked_in_one_wave() -> None:
    given = thinking(TWO, CertaintyReply(certain=True))
    await try_fallbacks(QUESTION, World().explore, given)
    assert sorted(prompts(given)) == ["AssessCertainty", "Decompose"]


async def test_a_model_that_is_not_certain_leaves_the_question_to_its_parts() -> None:
    world = World()
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO, CertaintyReply()))
    assert not widened.is_certain
    assert world.texts == list(TWO.questions)


@each_row(
    "error", [UnparsableReply('"certain"', "it is no JSON"), ModelUnavailable("down"), BudgetSpent("calls", 2, 1)]
)
async def test_who_does_not_say_that_it_is_certain_is_not_and_it_is_told(error: ModelError) -> None:
    certain = await assess_self_knowledge(QUESTION, thinking(certainty=error))
    assert not certain.certain
    (note,) = certain.notes
    assert note.startswith("scripted did not say whether it is certain without sources, so it counts as not certain (")


@each_row(
    "change",
    [
        {"write": WritePolicy(memory="never")},
        {"write": WritePolicy(memory="always")},
        {"read": ReadPolicy(self_knowledge=False)},
        {"has_model": False},
    ],
)
async def test_where_it_may_not_answer_alone_nobody_asks(change: dict[str, object]) -> None:
    given = replace(thinking(certainty=CertaintyReply(certain=True)), **change)  # type: ignore[arg-type]
    assert not (await assess_self_knowledge(QUESTION, given)).certain
    assert prompts(given) == []


async def test_the_model_is_asked_of_its_knowledge_and_the_assistant_for_the_parts() -> None:
    given = thinking(certainty=CertaintyReply())
    helper = ScriptedModel({Decompose: TWO})
    await try_fallbacks(QUESTION, World().explore, replace(given, assistant=helper))
    assert prompts(given) == ["AssessCertainty"]
    assert prompts(replace(given, model=helper)) == ["Decompose"]


async def test_where_a_source_failed_no_memory_is_asked_for_and_the_parts_are_searched_for() -> None:
    world = World()
    given = thinking(TWO, CertaintyReply(certain=True))
    widened = await try_fallbacks(QUESTION, world.explore, given, failed=("pubmed",))
    assert prompts(given) == ["Decompose"]
    assert (widened.is_certain, world.texts) == (False, list(TWO.questions))
    assert "scripted was not asked to answer without sources, because pubmed did not answer" in widened.notes


def test_a_source_has_failed_when_none_of_its_searches_was_answered() -> None:
    def attempt(source: str, status: str) -> Attempt:
        search = Search(source=source, query=Query(terms=("gout",)))
        return Attempt.model_validate({"search": search, "tier": "all", "status": status})

    attempts = (attempt("pubmed", "failed"), attempt("web", "failed"), attempt("web", "empty"), attempt("trials", "ok"))
    assert GatheredEvidence(attempts=attempts).failed_sources == ("pubmed",)


async def test_after_an_outage_nobody_is_asked_anything() -> None:
    world = World()
    given = thinking(TWO, CertaintyReply(certain=True))
    widened = await try_fallbacks(QUESTION, world.explore, given, outage=True)
    assert not widened.is_certain
    assert widened.notes == ("the question was not asked in other ways, because no source could be reached",)
    assert (prompts(given), world.asked) == ([], [])


async def test_where_neither_is_wanted_nothing_is_done() -> None:
    given = thinking(most=0)
    assert await try_fallbacks(QUESTION, World().explore, given) == FallbackResult()
    assert prompts(given) == []


# --- parts -----------------------------------------------------------------------------------------------------------


def tree(prompt: Decompose) -> DecompositionReply:
    """Every question has two parts, for ever: a, b, aa, ab, ba, …"""
    stem = "" if prompt.question == QUESTION.text else prompt.question
    return DecompositionReply(questions=(f"{stem}a", f"{stem}b"))


@each_row(("levels", "parts"), [(1, ("a", "b")), (2, ("aa", "ab", "ba", "bb"))])
async def test_parts_are_split_again_as_often_as_is_set_and_no_deeper(levels: int, parts: tuple[str, ...]) -> None:
    assert (await decompose_question(QUESTION, thinking(tree, levels=levels))).parts == parts


async def test_of_more_parts_than_asked_for_the_first_are_taken_and_there_are_eight_in_all() -> None:
    def six(prompt: Decompose) -> DecompositionReply:
        stem = "" if prompt.question == QUESTION.text else prompt.question
        return DecompositionReply(questions=tuple(f"{stem}{letter}" for letter in "123456"))

    split = await decompose_question(QUESTION, thinking(six, levels=2))
    assert len(split.parts) == 8
    assert "of 6 parts, only the first 4 are searched for" in split.notes
    assert "the question has more than 8 parts; only the first 8 are searched for" in split.notes


async def test_a_part_that_is_the_question_or_another_part_again_is_dropped() -> None:
    again = DecompositionReply(questions=(QUESTION.text.upper(), ONE_PART, f" {ONE_PART.lower()}", OTHER_PART, ""))
    assert (await decompose_question(QUESTION, thinking(again))).parts == TWO.questions


@each_row("error", [ModelUnavailable("down"), UnparsableReply("Gold.", "it is no JSON"), BudgetSpent("calls", 2, 1)])
async def test_a_model_that_names_no_parts_leaves_the_question_whole_and_it_is_told(error: ModelError) -> None:
    world = World()
    widened = await try_fallbacks(QUESTION, world.explore, thinking(error))
    assert world.asked == []
    assert widened.notes[0].startswith("the model did not split the question (")


async def test_without_a_language_model_a_question_is_split_where_its_words_leave_no_doubt() -> None:
    compared = Question(text="Compare warfarin with apixaban for atrial fibrillation")
    given = replace(context(), read=ReadPolicy(decompose=4))
    assert (await decompose_question(compared, given)).parts == (
        "warfarin for atrial fibrillation", "apixaban for atrial fibrillation",
    )  # fmt: skip
    assert (await decompose_question(QUESTION, given)).parts == ()


async def test_what_a_question_excludes_its_parts_exclude_and_they_have_none_of_its_other_company() -> None:
    question = QUESTION.model_copy(
        update={
            "patient": "Mr Smith, 54",
            "options": {"A": "yes"},
            "exclude": ("pubmed:1",),
            "pico": Pico(population="men"),
        }
    )
    world = World()
    await try_fallbacks(question, world.explore, thinking(TWO))
    assert world.asked == [Question(text=part, exclude=("pubmed:1",)) for part in TWO.questions]


# --- what the parts find ---------------------------------------------------------------------------------------------

FIRST = item("pubmed:1", "Colchicine is safe.", 0.9)
SECOND = item("pubmed:2", "Steroids are safe.", 0.6)
THIRD = item("pubmed:3", "Both raise blood sugar.", 0.7)


async def test_what_the_parts_found_is_united_best_first() -> None:
    world = World({ONE_PART: read(FIRST, THIRD), OTHER_PART: read(SECOND, THIRD)})
    given = thinking(TWO)
    widened = await try_fallbacks(QUESTION, world.explore, given)
    assert world.texts == list(TWO.questions)
    assert [(one.passage.reference.id, one.relevance) for one in widened.reading.evidence] == [
        ("pubmed:1", 0.9), ("pubmed:3", 0.7), ("pubmed:2", 0.6),
    ]  # fmt: skip


async def test_twice_as_many_as_are_read_closely_are_kept_and_the_others_are_told() -> None:
    world = World({ONE_PART: read(FIRST, THIRD), OTHER_PART: read(SECOND)})
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO, top=1))
    assert [one.passage.reference.id for one in widened.reading.evidence] == ["pubmed:1", "pubmed:3"]
    (dropped,) = widened.reading.dropped
    assert dropped.id == SECOND.passage.id
    assert dropped.reason.startswith("found for a part of the question; less relevant than")


async def test_what_one_part_left_out_and_another_kept_was_not_left_out_and_nothing_is_left_out_twice() -> None:
    world = World({
        ONE_PART: read(FIRST, dropped=[left_out(SECOND), left_out(THIRD)]),
        OTHER_PART: read(SECOND, dropped=[left_out(THIRD)]),
    })  # fmt: skip
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO))
    assert [one.id for one in widened.reading.dropped] == [THIRD.passage.id]


async def test_what_a_model_said_of_a_passage_and_its_words_are_kept() -> None:
    verdict = Verdict(label="supports", score=1.0, reason="it says so")
    judged = FIRST.model_copy(update={"judged": verdict, "quotes": ("Colchicine is safe",)})
    widened = await try_fallbacks(QUESTION, World({ONE_PART: read(judged)}).explore, thinking(TWO))
    (kept,) = widened.reading.evidence
    assert (kept.judged, kept.quotes) == (verdict, ("Colchicine is safe",))


async def test_attempts_and_notes_of_all_parts_are_told() -> None:
    def told(name: str) -> Explored:
        search = Search(source=name, query=Query(terms=("gout",)))
        return Explored(attempts=(Attempt(search=search, tier="plan", status="empty"),), notes=(f"{name} is slow",))

    world = World({ONE_PART: told("trials"), OTHER_PART: told("cases")})
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO))
    assert [attempt.search.source for attempt in widened.attempts] == ["trials", "cases"]
    assert widened.notes[1:] == (f"“{ONE_PART}”: trials is slow", f"“{OTHER_PART}”: cases is slow")


@each_row("error", [ModelUnavailable("down"), QuestionError("it is empty")])
async def test_a_part_that_cannot_be_explored_is_told_and_costs_no_other(error: Exception) -> None:
    world = World({ONE_PART: error, OTHER_PART: read(SECOND)})
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO))
    assert [one.passage.reference.id for one in widened.reading.evidence] == ["pubmed:2"]
    assert f"“{ONE_PART}”: could not be searched for ({error})" in widened.notes


async def test_that_nothing_answers_one_part_is_told_beside_what_answers_the_others() -> None:
    safe = "Colchicine is safe in gout."
    world = World({ONE_PART: read(item("pubmed:1", safe))})
    widened = await try_fallbacks(QUESTION, world.explore, thinking(TWO))
    assert widened.notes[1:] == (f"“{OTHER_PART}”: nothing found answers this part",)


async def test_when_no_part_finds_anything_there_is_nothing_and_the_parts_are_told() -> None:
    widened = await try_fallbacks(QUESTION, World().explore, thinking(TWO))
    assert widened.reading == ReadingResult()
    assert widened.notes == (f"also searched for in parts: “{ONE_PART}”, “{OTHER_PART}”",)
