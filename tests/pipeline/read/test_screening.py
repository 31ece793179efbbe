"""A model's word on what was found: matched by key, its quotes real, and its failures no verdicts."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.scripted_model import Script, ScriptedModel, ScriptedReply
from tests.tables import each_row
from tests.world import context, document, passages
from wellsourced.context import Context
from wellsourced.errors import BudgetSpent, ModelError, ModelUnavailable, UnparsableReply
from wellsourced.pipeline.read.screening import ScreeningResult, screen_evidence, show_cards_once
from wellsourced.policy import ReadPolicy
from wellsourced.prompts.evidence import (
    ArticleJudgement,
    ArticlesReply,
    JudgeRelevance,
    ReadPassages,
    RelevanceJudgement,
    RelevanceReply,
    UncheckedCard,
)
from wellsourced.types import ArticleCard, Evidence, Passage, Question, Turn

QUESTION = Question(text="Does colchicine shorten gout flares?")

SHORTENS = "Colchicine shortened the flare by two days. Nausea was common."
COSTS = "Colchicine costs little in most countries."
WEATHER = "The weather was mild."

Bears = Mapping[str, str]


def found(*texts: str) -> list[Evidence]:
    """A passage for each text, the best first, with the words that a local judge chose: its first sentence."""
    works = [document(f"pubmed:{number}", text) for number, text in enumerate(texts, start=1)]
    return [
        Evidence(passage=one, relevance=0.9 - place / 100, quotes=(one.text.split(". ")[0],))
        for place, work in enumerate(works)
        for one in passages(work)[:1]
    ]


def knowing(bears: Bears, quote: str = "", why: str = "") -> Callable[[JudgeRelevance], RelevanceReply]:
    """Says what it knows of each text that it is shown."""

    def reply(prompt: JudgeRelevance) -> RelevanceReply:
        return RelevanceReply(
            items=tuple(
                RelevanceJudgement.model_validate(
                    {"passage_id": one.key, "bears": bears[one.text], "quote": quote, "why": why}
                )
                for one in prompt.passages
            )
        )

    return reply


def asking(script: Script, *, cards: bool = False, batch: int = 4, window: int = 0, **read: int) -> Context:
    """A context with a language model that replies so to the prompts of a screen."""
    model = ScriptedModel({ReadPassages if cards else JudgeRelevance: script}, window=window)
    policy = ReadPolicy(cards=cards, batch=batch, **read)
    return replace(context(), model=model, has_model=True, read=policy)


def asked(given: Context) -> list[list[str]]:
    """The texts that were shown, call by call."""
    assert isinstance(given.model, ScriptedModel)
    return [[one.text for one in prompt.passages] for prompt in given.model.prompts]  # type: ignore[attr-defined]


def labels(screened: ScreeningResult) -> list[str]:
    return [item.judged.label for item in screened.evidence if item.judged]


def of_one(item: Evidence, **said: str) -> RelevanceReply:
    return RelevanceReply(
        items=(RelevanceJudgement.model_validate({"passage_id": item.passage.key, "bears": "yes", **said}),)
    )


# --- yes, no, unsure ------------------------------------------------------------------------------------------------


async def test_yes_supports_no_is_left_out_with_its_reason_and_unsure_stays_and_says_so() -> None:
    bears = {SHORTENS: "yes", COSTS: "unsure", WEATHER: "no"}
    screened = await screen_evidence(QUESTION, found(SHORTENS, COSTS, WEATHER), asking(knowing(bears, why="its topic")))
    assert [(one.judged and (one.judged.label, one.judged.reason)) for one in screened.evidence] == [
        ("supports", "its topic"), ("silent", "unsure: its topic"),
    ]  # fmt: skip
    (dropped,) = screened.dropped
    assert (dropped.text, dropped.reason) == (WEATHER, "judged not relevant by scripted: its topic")
    assert screened.notes == ("scripted was unsure of 1 passage, which was kept",)
    assert screened.written_from == screened.evidence
    assert screened.has_answer


async def test_what_it_is_unsure_of_is_written_from_and_is_no_acceptance() -> None:
    screened = await screen_evidence(QUESTION, found(COSTS), asking(knowing({COSTS: "unsure"})))
    assert len(screened.written_from) == 1
    assert not screened.has_answer


async def test_when_everything_is_beside_the_question_nothing_is_left() -> None:
    screened = await screen_evidence(QUESTION, found(COSTS, WEATHER), asking(knowing({COSTS: "no", WEATHER: "no"})))
    assert (screened.evidence, screened.written_from, screened.has_answer) == ((), (), False)
    assert len(screened.dropped) == 2


async def test_the_order_and_the_relevance_stay_those_of_the_judge() -> None:
    items = found(SHORTENS, COSTS, WEATHER)
    screened = await screen_evidence(
        QUESTION, items, asking(knowing({SHORTENS: "unsure", COSTS: "yes", WEATHER: "yes"}))
    )
    places = [(item.passage.id, item.relevance) for item in items]
    assert [(item.passage.id, item.relevance) for item in screened.evidence] == places


# --- replies are matched by key ---------------------------------------------------------------------------------------


async def test_replies_in_another_order_are_matched_by_their_keys() -> None:
    items = found(SHORTENS, WEATHER)

    def backwards(prompt: JudgeRelevance) -> RelevanceReply:
        return RelevanceReply(items=knowing({SHORTENS: "yes", WEATHER: "no"})(prompt).items[::-1])

    screened = await screen_evidence(QUESTION, items, asking(backwards))
    assert [one.passage.text for one in screened.evidence] == [SHORTENS]


@each_row("named", ["{key}", " [{key}] ", "“{upper}”", "{id}"])
async def test_a_key_in_brackets_or_capitals_and_the_id_itself_are_understood(named: str) -> None:
    (item,) = found(SHORTENS)
    words = named.format(key=item.passage.key, upper=item.passage.key.upper(), id=item.passage.id)
    screened = await screen_evidence(QUESTION, [item], asking(of_one(item, passage_id=words)))
    assert labels(screened) == ["supports"]


async def test_a_judgement_of_something_that_was_not_shown_is_counted_and_counts_for_nothing() -> None:
    first, second = found(SHORTENS, COSTS)
    # Both calls judge the second passage; the first was not shown it.
    screened = await screen_evidence(QUESTION, [first, second], asking(of_one(second), batch=1))
    assert labels(screened) == ["unjudged", "supports"]
    assert "scripted judged 1 passage that it was not shown; this was ignored" in screened.notes


async def test_of_two_judgements_of_one_passage_the_stronger_counts() -> None:
    (item,) = found(SHORTENS)
    twice = RelevanceReply(items=(*of_one(item, bears="no").items, *of_one(item, bears="yes").items))
    assert labels(await screen_evidence(QUESTION, [item], asking(twice))) == ["supports"]


# --- what cannot be read is no verdict --------------------------------------------------------------------------------


async def test_a_passage_that_a_reply_leaves_out_is_unjudged_and_listed() -> None:
    first, second = found(SHORTENS, COSTS)
    screened = await screen_evidence(QUESTION, [first, second], asking(of_one(first)))
    assert labels(screened) == ["supports", "unjudged"]
    assert screened.notes == ("scripted did not judge 1 passage (missing from its reply)",)
    assert [one.passage.text for one in screened.written_from] == [SHORTENS]


async def test_an_empty_reply_leaves_everything_unjudged_and_the_judge_decides() -> None:
    items = found(SHORTENS, COSTS)
    screened = await screen_evidence(QUESTION, items, asking(RelevanceReply()))
    assert labels(screened) == ["unjudged", "unjudged"]
    assert screened.written_from == screened.evidence
    assert screened.has_answer


@each_row("reply", ["Gold.", '"gold"', "Yes", '{"items": [{"passage_id": "abc", "bears": "ye', ""])
async def test_a_reply_that_cannot_be_read_is_no_verdict_and_costs_only_its_own_batch(reply: str) -> None:
    items = found(SHORTENS, COSTS)
    script: list[ScriptedReply] = [UnparsableReply(reply, "it is no JSON"), of_one(items[1])]
    screened = await screen_evidence(QUESTION, items, asking(script, batch=1))
    assert labels(screened) == ["unjudged", "supports"]
    assert screened.dropped == ()
    (note,) = screened.notes
    reason = "the model's reply could not be read (it is no JSON)"
    assert note == f"scripted did not judge 1 passage ({reason})"


async def test_a_note_counts_what_was_not_judged_and_the_evidence_says_which() -> None:
    items = found(*(f"Text {letter}." for letter in "abcdefgh"))
    screened = await screen_evidence(QUESTION, items, asking([of_one(items[0]), ModelUnavailable("down")]))
    assert len(screened.notes) == 2
    (named,) = [note for note in screened.notes if "(down)" in note]
    assert named == "scripted did not judge 4 passages (down)"
    down = [item for item in screened.evidence if item.judged and item.judged.reason == "down"]
    assert [item.passage.id for item in down] == [item.passage.id for item in items[4:]]


async def test_what_is_beside_the_question_is_out_even_when_the_rest_is_unjudged() -> None:
    first, second = found(SHORTENS, WEATHER)
    script: list[ScriptedReply] = [ModelUnavailable("down"), of_one(second, bears="no")]
    screened = await screen_evidence(QUESTION, [first, second], asking(script, batch=1))
    assert labels(screened) == ["unjudged"]
    assert screened.written_from == screened.evidence
    assert not screened.has_answer


async def test_when_the_budget_is_spent_in_the_middle_the_rest_is_unjudged() -> None:
    items = found(SHORTENS, COSTS)
    screened = await screen_evidence(QUESTION, items, asking([of_one(items[0]), BudgetSpent("calls", 2, 1)], batch=1))
    assert labels(screened) == ["supports", "unjudged"]
    assert "the budget of 1 calls is spent" in screened.notes[0]


@each_row("error", [ModelUnavailable("down"), BudgetSpent("calls", 1, 0)])
async def test_when_every_call_fails_all_is_as_it_was_and_it_is_told(error: ModelError) -> None:
    items = found(SHORTENS, COSTS)
    screened = await screen_evidence(QUESTION, items, asking(error, batch=1))
    assert screened.evidence == screened.written_from == tuple(items)
    assert screened.has_answer
    assert len(screened.notes) == 2
    assert screened.notes[-1] == "relevance was judged without a language model"


@each_row(
    "unasked",
    [lambda one: replace(one, has_model=False), lambda one: replace(one, read=ReadPolicy(relevance="score"))],
)
async def test_without_a_language_model_or_where_the_judge_decides_nobody_is_asked(
    unasked: Callable[[Context], Context],
) -> None:
    items = found(SHORTENS)
    given = unasked(asking([]))
    assert await screen_evidence(QUESTION, items, given) == ScreeningResult(tuple(items), (), (), tuple(items), True)
    assert asked(given) == []


async def test_where_nothing_was_found_nobody_is_asked() -> None:
    given = asking([])
    assert await screen_evidence(QUESTION, [], given) == ScreeningResult()
    assert asked(given) == []


# --- one wave ---------------------------------------------------------------------------------------------------------


async def test_passages_go_in_batches_to_the_assistant() -> None:
    items = found("a", "b", "c", "d", "e")
    given = asking(RelevanceReply(), batch=2)
    helper = ScriptedModel({JudgeRelevance: RelevanceReply()})
    await screen_evidence(QUESTION, items, replace(given, assistant=helper))
    assert asked(given) == []
    assert asked(replace(given, model=helper)) == [["a", "b"], ["c", "d"], ["e"]]


async def test_neither_a_patients_words_nor_a_conversation_are_shown() -> None:
    question = Question(text="Does it help?", patient="Mr Smith, 54", history=(Turn(role="user", text="I am Smith"),))
    given = asking(RelevanceReply())
    await screen_evidence(question, found(SHORTENS), given)
    assert isinstance(given.model, ScriptedModel)
    assert "Smith" not in given.model.prompts[0].model_dump_json()


# --- windows ----------------------------------------------------------------------------------------------------------

LONG = " ".join(f"Sentence {number} tells of the weather in some detail." for number in range(60))
SHOWN = LONG + " Colchicine shortened the flare."


def room(*shown: Passage) -> int:
    """Words of a prompt that shows these: what a model needs as its window."""
    return len(JudgeRelevance(question=QUESTION, passages=shown).model_dump_json().split())


async def test_batches_are_cut_to_the_window_before_anybody_is_asked() -> None:
    items = found(SHORTENS, COSTS, WEATHER)
    given = asking(RelevanceReply(), window=room(items[0].passage, items[1].passage))
    await screen_evidence(QUESTION, items, given)
    assert asked(given) == [[SHORTENS, COSTS], [WEATHER]]


def long_one() -> Evidence:
    reference = document("pubmed:9", SHOWN).reference
    return Evidence(passage=Passage(reference=reference, text=SHOWN, start=0, end=len(SHOWN)), relevance=0.8)


async def test_a_passage_longer_than_the_window_is_judged_by_slices_and_any_yes_wins() -> None:
    item = long_one()

    def reply(prompt: JudgeRelevance) -> RelevanceReply:
        return RelevanceReply(
            items=tuple(
                RelevanceJudgement(passage_id=one.key, bears="yes", quote="Colchicine shortened the flare.")
                if "Colchicine" in one.text
                else RelevanceJudgement(passage_id=one.key, bears="no")
                for one in prompt.passages
            )
        )

    given = asking(reply, window=room(item.passage) // 2)
    screened = await screen_evidence(QUESTION, [item], given)
    shown = [text for call in asked(given) for text in call]
    assert len(shown) > 1
    assert " ".join(shown) == SHOWN
    assert labels(screened) == ["supports"]
    assert screened.evidence[0].passage == item.passage
    assert screened.evidence[0].quotes == ("Colchicine shortened the flare.",)


async def test_slices_keep_the_offsets_of_their_document() -> None:
    item = long_one()
    given = asking(RelevanceReply(), window=room(item.passage) // 3)
    await screen_evidence(QUESTION, [item], given)
    assert isinstance(given.model, ScriptedModel)
    for prompt in given.model.prompts:
        for one in prompt.passages:  # type: ignore[attr-defined]
            assert SHOWN[one.start : one.end] == one.text


async def test_a_slice_that_nobody_judged_forbids_a_no() -> None:
    item = long_one()

    def first_fails(prompt: JudgeRelevance) -> RelevanceReply | ModelError:
        if prompt.passages[0].start == 0:
            return ModelUnavailable("down")
        return RelevanceReply(
            items=tuple(RelevanceJudgement(passage_id=one.key, bears="no") for one in prompt.passages)
        )

    screened = await screen_evidence(QUESTION, [item], asking(first_fails, window=room(item.passage) // 2))
    assert labels(screened) == ["unjudged"]


async def test_of_slices_that_all_say_no_the_passage_is_left_out() -> None:
    item = long_one()

    def no(prompt: JudgeRelevance) -> RelevanceReply:
        return RelevanceReply(
            items=tuple(RelevanceJudgement(passage_id=one.key, bears="no") for one in prompt.passages)
        )

    screened = await screen_evidence(QUESTION, [item], asking(no, window=room(item.passage) // 2))
    assert [one.id for one in screened.dropped] == [item.passage.id]


# --- quotes -----------------------------------------------------------------------------------------------------------


async def quoted(text: str, quote: str) -> ScreeningResult:
    (item,) = found(text)
    return await screen_evidence(QUESTION, [item], asking(of_one(item, quote=quote)))


async def test_the_models_words_stand_before_the_judges() -> None:
    screened = await quoted(SHORTENS, "Nausea was common.")
    assert screened.evidence[0].quotes == ("Nausea was common.", "Colchicine shortened the flare by two days")


async def test_a_quote_in_other_typography_becomes_the_sources_own_words() -> None:
    text = "The patients’ pain fell\u00a0by 2–3 points."
    screened = await quoted(text, "The patients' pain fell by 2-3 points.")
    assert screened.evidence[0].quotes[0] == text
    assert screened.notes == ()


@each_row("quote", ["Colchicine shortened the flare by three days.", "Gold.", "…"])
async def test_a_quote_that_is_not_there_is_left_out_and_counted_and_the_judgement_stays(quote: str) -> None:
    screened = await quoted(SHORTENS, quote)
    assert labels(screened) == ["supports"]
    assert screened.evidence[0].quotes == ("Colchicine shortened the flare by two days",)
    assert screened.notes == ("scripted gave quotes for 1 passage that do not appear there; they were left out",)


async def test_a_yes_without_a_quote_is_a_yes() -> None:
    screened = await quoted(SHORTENS, " ")
    assert (labels(screened), screened.notes) == (["supports"], ())


# --- cards ------------------------------------------------------------------------------------------------------------

TRIAL = "In this phase III trial, 20 536 adults (mean age 64.2 years) took 40 mg or placebo; 12.9% died."


async def carded(card: UncheckedCard | None, text: str = TRIAL) -> Evidence:
    (item,) = found(text)
    reply = ArticlesReply(items=(ArticleJudgement(passage_id=item.passage.key, bears="yes", card=card),))
    (item,) = (await screen_evidence(QUESTION, [item], asking(reply, cards=True))).evidence
    return item


async def test_a_card_whose_numbers_are_in_the_passage_is_confirmed_however_they_are_written() -> None:
    item = await carded(
        UncheckedCard(
            summary="12.9 percent died.", design="phase 3 trial", sample_size="20,536", population="aged 64.2 years"
        )
    )
    assert item.card
    assert (item.card.sample_size, item.card.unconfirmed) == ("20,536", ())
    assert item.card.bias == "not reported"


@each_row(("told", "printed"), [("20 536", "20,536"), ("20,536", "20\u202f536"), ("20536", "20 536")])
async def test_separators_of_thousands_make_no_difference(told: str, printed: str) -> None:
    item = await carded(UncheckedCard(sample_size=told), TRIAL.replace("20 536", printed))
    assert item.card
    assert item.card.unconfirmed == ()


@each_row(
    ("part", "words"),
    [
        ("sample_size", "20,563 adults"),
        ("sample_size", "536"),
        ("summary", "Deaths fell by 13%."),
        ("summary", "40 g was taken."),
        ("design", "phase II trial"),
        ("population", "adults of 2 countries"),
    ],
)
async def test_a_part_with_a_number_that_the_passage_does_not_have_is_unconfirmed(part: str, words: str) -> None:
    text = TRIAL.replace("20 536", "20,536")
    item = await carded(UncheckedCard.model_validate({part: words}), text)
    assert item.card
    assert item.card.unconfirmed == (part,)
    assert getattr(item.card, part) == words


APART = (
    "Young adults born preterm at extremely low birth weight (<1000 g) were compared with healthy adults born at term. "
    "Thirty-two subjects (11 males and 21 females, aged 17-29years, mean age 22.2 ± 2.3 years) were compared with 25. "
    "At least 400 patients take antibiotics, one capsule for 14 days. Durations of 7 days are studied."
)


@each_row(
    ("words", "unconfirmed"),
    [
        ("young adults born preterm under 1000 g, mean age 22.2 years", ()),
        ("A trial of 7 against 14 days of antibiotics", ()),
        ("young adults born preterm under 1000 g, mean age 23.2 years", ("population",)),
        ("young adults born preterm under 1000 mg, mean age 22.2 years", ("population",)),
        ("A trial of 7 against 14 weeks of antibiotics", ("population",)),
    ],
)
async def test_numbers_that_the_passage_has_apart_are_confirmed(words: str, unconfirmed: tuple[str, ...]) -> None:
    item = await carded(UncheckedCard(population=words), APART)
    assert item.card
    assert item.card.unconfirmed == unconfirmed


async def test_a_sample_size_that_counts_nothing_is_none_and_flagged() -> None:
    item = await carded(UncheckedCard(sample_size="a large number"))
    assert item.card
    assert (item.card.sample_size, item.card.unconfirmed) == ("not reported", ("sample_size",))


async def test_one_patient_is_a_sample_size() -> None:
    item = await carded(UncheckedCard(sample_size="One patient"), "We report one patient with gout.")
    assert item.card
    assert (item.card.sample_size, item.card.unconfirmed) == ("One patient", ())


async def test_an_empty_part_is_not_reported_and_what_a_terminal_would_obey_is_taken_out() -> None:
    item = await carded(UncheckedCard(summary="", design="\x1b[31mtrial\n", bias="Not reported."))
    assert item.card
    assert (item.card.summary, item.card.design, item.card.bias) == ("not reported", "[31mtrial", "not reported")


async def test_a_number_in_the_title_is_in_the_article() -> None:
    work = document("pubmed:1", "Colchicine helped.", title="A trial of 4,522 patients")
    item = Evidence(passage=passages(work)[0], relevance=0.9)
    card = UncheckedCard(sample_size="4522 patients")
    reply = ArticlesReply(items=(ArticleJudgement(passage_id=item.passage.key, bears="yes", card=card),))
    (kept,) = (await screen_evidence(QUESTION, [item], asking(reply, cards=True))).evidence
    assert kept.card
    assert kept.card.unconfirmed == ()


@each_row(("told", "unconfirmed"), [("92", ()), ("46 children", ()), ("93", ("sample_size",))])
async def test_a_count_that_the_passage_spells_out_beside_others_is_confirmed(
    told: str, unconfirmed: tuple[str, ...]
) -> None:
    text = "Ninety-two preschool children were included. Group M (46 patients) received midazolam 0.5 mg/kg."
    item = await carded(UncheckedCard(sample_size=told), text)
    assert item.card
    assert item.card.unconfirmed == unconfirmed


async def test_what_is_no_study_has_no_card() -> None:
    item = found(SHORTENS)[0]
    reference = item.passage.reference.model_copy(update={"kind": "guideline"})
    item = item.model_copy(update={"passage": item.passage.model_copy(update={"reference": reference})})
    card = UncheckedCard(summary="Recommends colchicine.", design="guideline")
    reply = ArticlesReply(items=(ArticleJudgement(passage_id=item.passage.key, bears="yes", card=card),))
    (kept,) = (await screen_evidence(QUESTION, [item], asking(reply, cards=True))).evidence
    assert kept.card is None


async def test_a_card_does_not_repeat_the_words_that_were_copied_nor_itself() -> None:
    (item,) = found(SHORTENS)
    quote = "Colchicine shortened the flare by two days."
    card = UncheckedCard(summary=quote, design="a trial", population="A trial", sample_size="ten")
    reply = ArticlesReply(items=(ArticleJudgement(passage_id=item.passage.key, bears="yes", quote=quote, card=card),))
    (kept,) = (await screen_evidence(QUESTION, [item], asking(reply, cards=True))).evidence
    assert kept.card
    assert (kept.card.summary, kept.card.design, kept.card.population) == ("not reported", "a trial", "not reported")
    only = reply.model_copy(
        update={"items": (reply.items[0].model_copy(update={"card": UncheckedCard(summary=quote)}),)}
    )
    (bare,) = (await screen_evidence(QUESTION, [item], asking(only, cards=True))).evidence
    assert bare.card is None


def test_a_study_is_described_once_however_many_of_its_passages_are_shown() -> None:
    first, second, other = found(SHORTENS, COSTS, WEATHER)
    second = second.model_copy(
        update={"passage": second.passage.model_copy(update={"reference": first.passage.reference})}
    )
    card = ArticleCard(design="trial")
    items = [one.model_copy(update={"card": card}) for one in (first, second, other)]
    assert [one.card for one in show_cards_once(items)] == [card, None, card]


async def test_without_a_card_there_is_none() -> None:
    assert (await carded(None)).card is None


# --- many -------------------------------------------------------------------------------------------------------------


def many(count: int) -> list[Evidence]:
    """As many passages, every second of which speaks of gout flares."""
    return found(*(f"Text {n} on {'gout flares' if n % 2 else 'the heart'}." for n in range(count)))


def yes(prompt: JudgeRelevance) -> RelevanceReply:
    return RelevanceReply(items=tuple(RelevanceJudgement(passage_id=one.key, bears="yes") for one in prompt.passages))


async def test_of_more_than_35_passages_the_20_nearest_are_written_from_and_all_stay_evidence() -> None:
    screened = await screen_evidence(QUESTION, many(40), asking(yes, batch=8))
    assert (len(screened.evidence), len(screened.written_from)) == (40, 20)
    assert all("gout flares" in item.passage.text for item in screened.written_from)
    assert [item.relevance for item in screened.written_from] == sorted(
        (item.relevance for item in screened.written_from), reverse=True
    )
    assert screened.notes == (
        "of 40 passages relevant to the question, the answer is written from the 20 nearest to its words",
    )  # fmt: skip


@each_row(("count", "above", "keep", "written"), [(35, 35, 20, 35), (40, 0, 20, 40), (40, 35, 99, 40)])
async def test_fewer_or_by_choice_all_are_written_from(count: int, above: int, keep: int, written: int) -> None:
    screened = await screen_evidence(QUESTION, many(count), asking(yes, batch=8, rerank_above=above, rerank_keep=keep))
    assert (len(screened.written_from), screened.notes) == (written, ())


async def test_of_equally_near_ones_the_first_are_written_from() -> None:
    items = found(*(f"Gout {letter}." for letter in "abcdef"))
    screened = await screen_evidence(QUESTION, items, asking(yes, rerank_above=2, rerank_keep=3))
    assert [item.passage.text for item in screened.written_from] == ["Gout a.", "Gout b.", "Gout c."]


async def test_what_is_written_from_keeps_its_order() -> None:
    items = found("Gout and other pain.", "Colchicine shorten gout flares.", "The heart.")
    screened = await screen_evidence(QUESTION, items, asking(yes, rerank_above=2, rerank_keep=2))
    assert list(screened.written_from) == list(screened.evidence[:2])


async def test_two_equal_runs_give_the_same_to_the_byte() -> None:
    def once() -> Context:
        return asking(knowing({SHORTENS: "yes", COSTS: "unsure", WEATHER: "no"}, "Nausea was common."), batch=1)

    items = found(SHORTENS, COSTS, WEATHER)
    assert await screen_evidence(QUESTION, items, once()) == await screen_evidence(QUESTION, items, once())


# --- what is unsure, where only a yes counts ------------------------------------------------------------------------


async def test_where_only_a_yes_counts_what_it_is_unsure_of_is_left_out_and_listed() -> None:
    bears = {SHORTENS: "yes", COSTS: "unsure"}
    strict = asking(knowing(bears, why="its price"), keep_unsure=False)
    screened = await screen_evidence(QUESTION, found(SHORTENS, COSTS), strict)
    assert [item.passage.text for item in screened.written_from] == [SHORTENS]
    assert screened.evidence == screened.written_from
    assert [(one.text, one.reason) for one in screened.dropped] == [(COSTS, "scripted was unsure of it: its price")]
    assert screened.notes == ()


async def test_sections_of_one_guideline_are_shown_and_written_from_before_the_next_ones() -> None:
    gout, pain = document("doi:gout", "One. " * 300, "guideline"), document("doi:pain", "Two. " * 300, "guideline")
    first, second, *_ = passages(gout)
    other = passages(pain)[0]
    ranked = [Evidence(passage=one, relevance=0.9) for one in (second, other, first)]
    given = asking(knowing({one.text: "yes" for one in (first, second, other)}), batch=2, guideline_slices=8)
    screened = await screen_evidence(QUESTION, ranked, given)
    assert asked(given) == [[first.text, second.text], [other.text]]
    assert [item.passage.id for item in screened.written_from] == [first.id, second.id, other.id]
