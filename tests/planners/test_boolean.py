"""Boolean queries: by a model, of which some are real and some are broken, and by rule without one."""

import ast
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.planners.worlds import CARDS, QUESTION, World, kinds_of
from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelError, SourceUnavailable
from wellsourced.planners.base import Proposal
from wellsourced.planners.boolean import BooleanPlanner, repair_expression, strip_wrapping, write_boolean_queries
from wellsourced.prompts.planning import BooleanQuery, WriteBooleanQuery
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Question

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "benchmarks" / "pubmedrs200_outputs.jsonl.gz"
HEART_ATTACK = '"Heart Attack"[mh]'


class Told:
    """Headings and other names of what it was told; down, if it was told nothing."""

    name = "told"

    def __init__(self, headings: dict[str, str], names: dict[str, list[str]]) -> None:
        self.headings, self.names = headings, names

    async def heading(self, term: str) -> str:
        if not self.headings:
            raise SourceUnavailable("MeSH is being written. Ask again later.")
        return self.headings.get(term, "")

    async def explode(self, heading: str) -> list[str]:
        return [heading]

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
        if not self.names:
            raise SourceUnavailable("The graph is being written. Ask again later.")
        return self.names.get(term, [])[:limit]


KNOWING = Told({"gout": "Gout"}, {"gout": ["gouty arthritis", "Gout", "podagra"]})


def replies(queries: Sequence[str]) -> Script:
    """The recorded queries of one question, by the seed of the prompt."""
    return lambda prompt: BooleanQuery(query=queries[(prompt.seed - 1) % len(queries)])


async def proposed(script: Script | None, **more: object) -> Proposal:
    model = ScriptedModel({} if script is None else {WriteBooleanQuery: script})
    return await BooleanPlanner(model, LiteralUnderstanding(), **more).plan(QUESTION, CARDS, World().look)  # type: ignore[arg-type]


def queries_of(proposal: Proposal, source: str = "pubmed") -> list[str]:
    return [one.query.text for one in proposal.searches if one.source == source]


async def test_three_queries_of_three_seeds_go_to_whom_their_cards_say_and_the_question_to_the_others() -> None:
    model = ScriptedModel({WriteBooleanQuery: replies(["gout AND flare", "colchicine AND gout", "podagra"])})
    proposal = await BooleanPlanner(model, LiteralUnderstanding()).plan(QUESTION, CARDS, World().look)
    for source in ("guidelines", "trials", "pubmed"):
        assert queries_of(proposal, source) == ["gout AND flare", "colchicine AND gout", "podagra"]
    assert {one.query.kind for one in proposal.searches if one.source in ("trials", "pubmed")} == {"boolean"}
    assert queries_of(proposal, "consumer") == [QUESTION.text]
    assert kinds_of(model) == ["WriteBooleanQuery"] * 3
    assert len(set(model.prompts)) == 3
    assert proposal.notes == ("3 different Boolean queries by scripted, of seeds 1 to 3",)


async def test_where_no_source_reads_boolean_queries_none_is_written() -> None:
    model = ScriptedModel({WriteBooleanQuery: BooleanQuery(query="gout")})
    proposal = await BooleanPlanner(model, LiteralUnderstanding()).plan(QUESTION, [CARDS[2]], World().look)
    assert (queries_of(proposal, "consumer"), model.prompts) == ([QUESTION.text], [])


async def test_equal_samples_are_searched_once() -> None:
    proposal = await proposed(replies(["(gout AND flare)", "Gout  and flare", "((gout AND flare))"]))
    assert queries_of(proposal) == ["(gout AND flare)"]
    assert proposal.notes[0].startswith("1 different")


async def test_headings_are_held_against_the_vocabulary_and_changes_are_told() -> None:
    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return query.replace(HEART_ATTACK, '"heart attack"'), ("“Heart Attack” is no heading: searched for as words",)

    proposal = await proposed(replies([f"{HEART_ATTACK} AND aspirin"]), validate=validate)
    assert queries_of(proposal) == ['"heart attack" AND aspirin']
    assert "“Heart Attack” is no heading: searched for as words" in proposal.notes


async def test_where_nobody_can_say_which_headings_exist_they_stay_and_it_is_told() -> None:
    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        raise SourceUnavailable("NCBI does not answer. Ask again later.")

    proposal = await proposed(replies([HEART_ATTACK]), validate=validate)
    assert queries_of(proposal) == [HEART_ATTACK]
    assert "headings were not looked up: NCBI does not answer. Ask again later" in proposal.notes


async def test_a_query_that_cannot_be_read_is_left_out_and_the_others_are_asked() -> None:
    proposal = await proposed(replies(["", "AND OR", "gout AND flare"]))
    assert queries_of(proposal) == ["gout AND flare"]
    assert sum("cannot be read and was left out" in note for note in proposal.notes) == 2


@each_row("script", [replies([""]), replies(["()"]), ModelError("down")])
async def test_when_no_query_can_be_used_the_question_itself_is_searched_for(script: Script) -> None:
    proposal = await proposed(script)
    assert [(one.query.kind, one.query.text) for one in proposal.searches if one.source == "pubmed"] == [
        ("text", QUESTION.text)
    ]
    assert proposal.notes[-1] == "the question itself is searched for"


@each_row(
    "reply",
    ["gout AND flare", "```\ngout AND flare\n```", "Query: gout AND flare", "PubMed search query:\n  gout\nAND flare"],
)
def test_what_models_put_round_a_query_is_taken_off(reply: str) -> None:
    assert strip_wrapping(reply) == "gout AND flare"


@each_row(
    ("written", "sent"),
    [
        ("(rectal cancer) AND margin", "(rectal cancer) AND margin"),
        ('"rectal cancer AND margin"', "rectal cancer AND margin"),
        ('"rectal cancer" AND "margin"', '"rectal cancer" AND "margin"'),
        ("(gout AND (flare OR attack)", "gout AND (flare OR attack)"),
        ("exp Gout/ AND colchicine.ti.", '"Gout"[mh] AND colchicine[ti]'),
        ('"free full text"[sb] AND gout', '"free full text"[sb] AND gout'),
    ],
)
def test_only_what_pubmed_could_not_read_is_written_otherwise(written: str, sent: str) -> None:
    assert repair_expression(written).query == sent


async def test_without_a_model_keywords_are_joined_with_their_names_and_headings_ever_more_loosely() -> None:
    proposal = await proposed(None, headings=[KNOWING], thesaurus=KNOWING)
    gout = '(gout[tiab] OR "gouty arthritis"[tiab] OR podagra[tiab] OR "Gout"[mh])'
    assert queries_of(proposal) == [
        f"(colchicine[tiab]) AND (shorten[tiab]) AND {gout}",
        f"(colchicine[tiab]) AND ((shorten[tiab]) OR {gout} OR (flares[tiab]))",
        "((colchicine[tiab]) OR (shorten[tiab]))",
    ]
    assert proposal.notes == (
        "Boolean queries by rule, without a language model, from the keywords colchicine, shorten, gout, flares",
    )


@each_row(
    ("keywords", "queries"),
    [
        (["gout"], ("(gout[tiab])",)),
        (["gout", "flare"], ("(gout[tiab]) AND (flare[tiab])", "((gout[tiab]) OR (flare[tiab]))")),
        ([], ()),
    ],
)
async def test_few_keywords_make_few_queries(keywords: list[str], queries: tuple[str, ...]) -> None:
    assert (await write_boolean_queries(keywords)).queries == queries


async def test_a_vocabulary_that_is_down_leaves_the_words_and_is_told() -> None:
    down = Told({}, {})
    written = await write_boolean_queries(["gout", "heart failure"], [down], down)
    assert written.queries == (
        '(gout[tiab]) AND ("heart failure"[tiab])',
        '((gout[tiab]) OR ("heart failure"[tiab]))',
    )
    assert written.notes == (
        "no synonyms were looked up: The graph is being written. Ask again later",
        "told was not asked for headings: MeSH is being written. Ask again later",
    )


async def test_a_question_without_keywords_is_searched_for_as_it_is() -> None:
    proposal = await BooleanPlanner(ScriptedModel({}), LiteralUnderstanding()).plan(
        Question(text="What is it?"), CARDS, World().look
    )
    assert queries_of(proposal) == ["What is it?"]


@pytest.mark.skipif(not RECORDED.exists(), reason="the development data (../shared/data) are not on this machine")
async def test_every_query_that_a_real_model_wrote_is_asked_as_it_was_meant() -> None:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as file:
        recorded = [json.loads(row) for row in file]
    made, unquoted = 0, 0
    for row in recorded:
        its_own = [" ".join(query.split()) for query in ast.literal_eval(row["queries"])]
        model = ScriptedModel({WriteBooleanQuery: replies(its_own)})
        proposal = await BooleanPlanner(model, LiteralUnderstanding()).plan(
            Question(text=row["question"]), CARDS, World().look
        )
        asked = queries_of(proposal)
        assert {one.query.kind for one in proposal.searches if one.source == "pubmed"} == {"boolean"}
        assert set(asked) <= {*its_own, *(query.strip('"') for query in its_own)}
        made += len(asked)
        unquoted += any("quotation marks around a whole query" in note for note in proposal.notes)
    # The table has 170 queries for 74 questions; seven of them ask what another one of the same question asks.
    assert (len(recorded), made) == (74, 163)
    assert unquoted > 20
