"""Parts that do not agree are shown side by side, each with its words."""

from tests.fake_judge import FakeJudge
from tests.pipeline.reading_world import CHOICE, CONTRADICTS, QUESTION, SILENT, context, evidence, note
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable
from wellsourced.judges.base import Pair
from wellsourced.pipeline.write.map_reduce import (
    MAX_NOTE_PAIRS,
    NOTES_PER_PART,
    add_resolution,
    condense_evidence,
    find_part_conflicts,
)
from wellsourced.prompts.evidence import NotesReply, PassageNote, TakeNotes
from wellsourced.prompts.writing import NotedPart
from wellsourced.types import Verdict

HELPS = "Colchicine shortened the flare."
FAILS = "Colchicine did not shorten the flare."
WEATHER = "The weather was mild."
BOTH = evidence(HELPS, FAILS)


def choosing(*choices: str) -> ScriptedModel:
    """A model to which each of two parts suggests one of these; "" none, "unread": it cannot read the part."""

    def reply(prompt: TakeNotes) -> NotesReply | ModelUnavailable:
        said = choices[int(prompt.part[0]) - 1]
        if said == "unread":
            return ModelUnavailable("no connection")
        (passage,) = prompt.passages
        return NotesReply(
            notes=(PassageNote(passage_id=passage.key, finding=said, quote=passage.text),), tentative=said
        )

    return ScriptedModel({TakeNotes: reply})


@each_row("said", [("A", ""), ("A", "A"), ("", ""), ("unread", "B"), ("A", "cannot tell")])
async def test_one_choice_and_no_choice_are_no_conflict(said: tuple[str, str]) -> None:
    assert (await condense_evidence(CHOICE, BOTH, context(choosing(*said)))).conflicts == ()


@each_row("said", [("A", "B"), ("(a)", "B. no"), ("yes", "The answer is B")])
async def test_two_choices_are_a_conflict_and_each_side_shows_its_words(said: tuple[str, str]) -> None:
    (conflict,) = (await condense_evidence(CHOICE, BOTH, context(choosing(*said)))).conflicts
    assert conflict.about == CHOICE.text
    assert [(side.says, side.passage_id, side.quote) for side in conflict.sides] == [
        ("A: yes", BOTH[0].passage.id, HELPS),
        ("B: no", BOTH[1].passage.id, FAILS),
    ]


FINDINGS = ("", *(f"finds that {letter}" for letter in "abcdefghijkl"))


def noted(*texts: str) -> list[NotedPart]:
    return [
        NotedPart(part=str(place), unread=False, notes=(note(item, FINDINGS[place]),))
        for place, item in enumerate(evidence(*texts), start=1)
    ]


BY_KEY = {item.passage.key: item.passage for item in evidence(HELPS, FAILS, WEATHER)}


async def test_without_options_findings_conflict_that_a_judge_finds_to_contradict() -> None:
    judge = FakeJudge({FAILS: CONTRADICTS, WEATHER: SILENT})
    conflicts, unjudged = await find_part_conflicts(QUESTION, noted(HELPS, FAILS, WEATHER), BY_KEY, judge)
    # The judge was told that whatever is put beside the second text contradicts it, and only the first part is.
    assert [[side.quote for side in one.sides] for one in conflicts] == [[HELPS, FAILS]]
    assert unjudged == 0
    assert judge.asked == [
        Pair(FINDINGS[1], FAILS),
        Pair(FINDINGS[1], WEATHER),
        Pair(FINDINGS[2], WEATHER),
    ]


async def test_a_finding_that_changes_a_number_of_its_quote_is_not_shown_the_quote_is() -> None:
    told = [
        part.model_copy(update={"notes": (part.notes[0].model_copy(update={"finding": f"{place}0 in 9 are helped"}),)})
        for place, part in enumerate(noted(HELPS, FAILS), start=1)
    ]
    conflicts, _ = await find_part_conflicts(QUESTION, told, BY_KEY, FakeJudge({FAILS: CONTRADICTS}))
    assert [[side.says for side in one.sides] for one in conflicts] == [[HELPS, FAILS]]


async def test_findings_of_one_part_and_findings_that_differ_are_no_conflict() -> None:
    (alone,) = noted(HELPS)
    both = alone.model_copy(update={"notes": tuple(map(note, BOTH))})
    judge = FakeJudge({FAILS: CONTRADICTS, WEATHER: SILENT})
    assert (await find_part_conflicts(QUESTION, [both], BY_KEY, judge))[0] == ()
    assert judge.asked == []
    assert (await find_part_conflicts(QUESTION, noted(HELPS, WEATHER), BY_KEY, judge))[0] == ()


async def test_a_pair_that_nobody_judged_is_no_conflict_and_is_counted() -> None:
    unjudged = Verdict(label="unjudged", score=0.0)
    condensed = await condense_evidence(QUESTION, BOTH, context(choosing("helps", "fails"), support={FAILS: unjudged}))
    assert condensed.conflicts == ()
    assert condensed.notes == ("pairs of notes not checked for disagreement: 1",)


class Down:
    """A judge that cannot be reached."""

    name = "down"

    async def judge(self, pairs: object) -> list[Verdict]:
        raise ModelUnavailable("no connection")


async def test_a_judge_that_is_down_ends_nothing() -> None:
    condensed = await condense_evidence(QUESTION, BOTH, context(choosing("helps", "fails"), support=Down()))
    assert len(condensed.parts) == 2
    assert condensed.notes == ("pairs of notes not checked for disagreement: 1",)


@each_row(("count", "judged"), [(2, NOTES_PER_PART * NOTES_PER_PART), (12, MAX_NOTE_PAIRS)])
async def test_the_best_notes_of_each_part_are_compared_and_no_more_pairs_than_a_judge_can_bear(
    count: int, judged: int
) -> None:
    items = evidence(*[WEATHER] * count)
    judge = FakeJudge({WEATHER: SILENT})
    parts = [part.model_copy(update={"notes": part.notes * (NOTES_PER_PART + 1)}) for part in noted(*[WEATHER] * count)]
    await find_part_conflicts(QUESTION, parts, {item.passage.key: item.passage for item in items}, judge)
    assert len(judge.asked) == judged


async def test_how_it_was_settled_stands_with_each_conflict() -> None:
    (conflict,) = (await condense_evidence(CHOICE, BOTH, context(choosing("A", "B")))).conflicts
    assert conflict.resolution == ""
    assert [one.resolution for one in add_resolution([conflict], " The trial weighs more. ")] == [
        "The trial weighs more."
    ]
    assert add_resolution([], "") == ()


def test_a_conflict_that_only_the_writer_saw_is_told_in_its_words() -> None:
    (told,) = add_resolution([], "High doses may predispose; the larger studies outweigh that.")
    assert told.resolution == "High doses may predispose; the larger studies outweigh that."
