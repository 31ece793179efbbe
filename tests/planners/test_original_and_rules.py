"""Planning without a model: the question itself, and the rules."""

from tests.planners.worlds import CARDS, QUESTION, World, asked
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable
from wellsourced.planners.rules import OriginalPlanner, RulePlanner
from wellsourced.prompts.planning import ExtractKeywords, KeywordsReply
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Expansion, Question

LIBRARY, GRAPH, PUBMED = CARDS[1], CARDS[3], CARDS[4]
HFREF = Question(
    text="What is first-line drug therapy for HFrEF?",
    expansions=(
        Expansion(
            kind="abbreviation", said="HFrEF", meant="heart failure with reduced ejection fraction", source="the list"
        ),
    ),
)
BRANDED = Question(
    text="Does Tylenol help in migrane?",
    expansions=(
        Expansion(kind="brand", said="Tylenol", meant="acetaminophen", source="wellsourced"),
        Expansion(kind="brand", said="Tylenol", meant="paracetamol", source="wellsourced"),
        Expansion(kind="spelling", said="migrane", meant="migraine", source="the words of the library trials"),
    ),
)
STORY = Question(
    text="A 61-year-old retired carpenter with hypertension, obesity and stage 3 kidney disease wakes with severe "
    "pain, swelling and redness of the big toe after a wedding dinner; which anti-inflammatory drug is safest?"
)


async def test_the_original_question_goes_to_every_source_unchanged_and_its_terms_to_the_graph() -> None:
    proposal = await OriginalPlanner(LiteralUnderstanding()).plan(HFREF, CARDS, World().look)
    assert asked(proposal.searches) == [
        ("guidelines", HFREF.text),
        ("trials", HFREF.text),
        ("consumer", HFREF.text),
        ("graph", "first line drug"),
        ("pubmed", HFREF.text),
    ]
    assert [search.query.kind for search in proposal.searches if search.source == "graph"] == ["term"]


async def test_a_question_without_terms_is_not_looked_up() -> None:
    proposal = await OriginalPlanner(LiteralUnderstanding()).plan(
        Question(text="What is it?"), [LIBRARY, GRAPH], World().look
    )
    assert asked(proposal.searches) == [("trials", "What is it?")]


@each_row(
    ("named", "looked_up"),
    [(("heart failure", "HFrEF", "drug", "therapy"), ["heart failure", "HFrEF", "drug"]), ((), [])],
)
async def test_a_model_names_up_to_three_terms_for_the_graph(named: tuple[str, ...], looked_up: list[str]) -> None:
    model = ScriptedModel({ExtractKeywords: KeywordsReply(keywords=named)})
    planner = OriginalPlanner(LiteralUnderstanding(), model)
    searches = (await planner.plan(HFREF, CARDS, World().look)).searches
    in_graph = [one.query for one in searches if one.source == "graph"]
    assert [query.terms for query in in_graph] == [(term,) for term in looked_up]
    # Each comes with the question, which ranks what is known of the concept.
    assert all(query.also == (HFREF.text,) for query in in_graph)
    assert {one.query.terms for one in searches if one.source != "graph"} == {(HFREF.text,)}
    assert len(model.prompts) == 1
    await planner.plan(HFREF, [LIBRARY, PUBMED], World().look)
    assert len(model.prompts) == 1, "without a graph nobody is asked"


async def test_a_model_that_is_down_leaves_the_terms_of_the_rules() -> None:
    model = ScriptedModel({ExtractKeywords: ModelUnavailable("it is down")})
    found = await OriginalPlanner(LiteralUnderstanding(), model).plan(HFREF, CARDS, World().look)
    assert ("graph", "first line drug") in asked(found.searches)
    assert any("it is down" in note for note in found.notes)


async def test_by_rule_everybody_is_asked_once_and_what_words_may_mean_counts_for_less() -> None:
    library, live = (await RulePlanner(LiteralUnderstanding()).plan(HFREF, [LIBRARY, PUBMED], World().look)).searches
    assert library.query.terms == (HFREF.text,)
    assert library.query.also == ("heart failure with reduced ejection fraction",)
    assert (live.query.terms, live.query.also) == ((HFREF.text,), ())


async def test_by_rule_a_misspelling_gives_way_everywhere_and_a_brand_in_libraries() -> None:
    library, live = (await RulePlanner(LiteralUnderstanding()).plan(BRANDED, [LIBRARY, PUBMED], World().look)).searches
    assert library.query.terms == ("Does acetaminophen help in migraine?",)
    assert library.query.also == ("paracetamol", "Tylenol", "migrane")
    assert live.query.terms == ("Does Tylenol help in migraine?",)


async def test_a_graph_that_reads_questions_is_asked_the_question_and_one_that_does_not_its_terms() -> None:
    reading, listing = GRAPH._replace(asks=("term", "text")), GRAPH
    proposals = [
        await RulePlanner(LiteralUnderstanding()).plan(QUESTION, [card], World().look) for card in (reading, listing)
    ]
    assert [(one.query.kind, one.query.terms) for proposal in proposals for one in proposal.searches] == [
        ("text", (QUESTION.text,)),
        ("term", ("colchicine", "shorten", "gout")),
    ]


async def test_a_long_story_goes_to_a_live_source_as_keywords_that_it_can_relax() -> None:
    library, live = (
        await RulePlanner(LiteralUnderstanding(), keywords=5).plan(STORY, [LIBRARY, PUBMED], World().look)
    ).searches
    assert library.query.terms == (STORY.text,)
    assert live.query.terms == ("61", "year", "old", "retired", "carpenter")
    assert [query.terms for query in live.query.relaxations()][-1] == ("61",)


async def test_a_short_name_that_stands_inside_another_word_is_asked_for_too() -> None:
    meant = Expansion(kind="synonym", said="antiretrovirals", meant="art", source="the list")
    question = Question(text="Do antiretrovirals harm the heart?", expansions=(meant,))
    (library,) = (await RulePlanner(LiteralUnderstanding()).plan(question, [LIBRARY], World().look)).searches
    assert library.query.also == ("art",)
