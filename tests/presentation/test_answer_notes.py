"""What is told beside the statements of an answer."""

from tests.presentation.test_answers import ANSWER, FLARES, PAIN
from tests.presentation.written import terminal_text
from tests.tables import each_row
from wellsourced.events import ModelCalled
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.runs.table import RunStep
from wellsourced.types import (
    Answer,
    Conflict,
    ConflictSide,
    Gloss,
    Pico,
    Question,
    Recommendation,
    Statement,
    Usage,
    Verdict,
)

OPTIONS = {"A": "yes", "B": "no"}


def shown(answer: Answer) -> str:
    return " ".join(terminal_text(answer, TerminalPage()).split())


def test_each_side_of_a_conflict_is_printed_once() -> None:
    sides = tuple(ConflictSide(says=one.text, passage_id=one.id, quote=one.text) for one in (FLARES, PAIN))
    found = shown(ANSWER.model_copy(update={"conflicts": (Conflict(about=FLARES.text, sides=sides),)}))
    told = found[found.index("Sources disagree") : found.index("References")]
    assert told.count(FLARES.text) == told.count(PAIN.text) == 1


def test_one_work_that_says_both_is_no_disagreement_of_sources() -> None:
    sides = (ConflictSide(says="It helps.", passage_id=FLARES.id, quote=FLARES.text),) * 2
    found = shown(ANSWER.model_copy(update={"conflicts": (Conflict(about="It helps.", sides=sides),)}))
    assert "The source says both • It helps: “" in found
    assert "Sources disagree" not in found


def test_what_a_conflict_is_about_is_told_where_no_side_says_it() -> None:
    sides = tuple(ConflictSide(says=one.text, passage_id=one.id, quote=one.text) for one in (FLARES, PAIN))
    about = "Does colchicine help?"
    assert f"Sources disagree {about} •" in shown(
        ANSWER.model_copy(update={"conflicts": (Conflict(about=about, sides=sides),)})
    )


def test_a_choice_that_a_model_did_not_make_is_told() -> None:
    asked = ANSWER.model_copy(update={"question": Question(text="Is colchicine given?", options=OPTIONS)})
    assert "Choice No option could be confirmed." in shown(asked)
    assert "Choice A. " in shown(asked.model_copy(update={"choice": "A"}))


def test_a_choice_that_was_made_is_told_in_its_words() -> None:
    question = Question(text="Is colchicine given?", options=OPTIONS)
    assert "Choice B. no" in shown(ANSWER.model_copy(update={"question": question, "choice": "B"}))


def test_that_nothing_was_read_is_told_before_what_is_said() -> None:
    said = Statement(text="Colchicine helps.", verdict=Verdict(label="unjudged", score=0.0), lead=True)
    told = shown(Answer(question=Question(text="Does it help?"), statements=(said,), basis="parametric"))
    assert told.startswith("From the language model alone: it read no source")
    assert told.endswith("Not medical advice, and without a source: do not act on it.")


def test_what_a_model_explained_is_told_as_coming_from_no_source_and_is_not_there_otherwise() -> None:
    explained = ANSWER.model_copy(update={"glosses": (Gloss(term="flare", meaning="a sudden attack"),)})
    heading = "Terms explained by the language model, not by the sources"
    assert f"{heading} flare: a sudden attack" in shown(explained)
    assert heading not in shown(ANSWER)


def test_without_a_leading_statement_there_is_no_empty_heading() -> None:
    said = Statement(text="Colchicine helps.", verdict=Verdict(label="unjudged", score=0.0))
    told = shown(Answer(question=Question(text="Does it help?"), statements=(said,), basis="parametric"))
    assert "In short" not in told


@each_row(
    ("spent", "said"),
    [
        (Usage(calls=1, depth=1, tokens_in=1200, tokens_out=30), "1 call to language models, 1,200 tokens read and 30"),
        (Usage(cached=2), "0 calls to language models, 2 from the cache"),
    ],
)
def test_what_models_were_asked_is_told_in_a_line(spent: Usage, said: str) -> None:
    receipt = terminal_text(ANSWER.model_copy(update={"spent": spent}), TerminalPage(receipt=True))
    assert said in " ".join(receipt.split())


def test_without_a_receipt_calls_and_dollars_are_counted() -> None:
    spent = Usage(calls=3, tokens_in=9, cost=0.0125)
    told = shown(ANSWER.model_copy(update={"spent": spent}))
    assert "; 3 calls to language models, 9 tokens read and 0 written, $0.0125." in told
    assert "; 0 calls to language models, 2 from the cache." in shown(
        ANSWER.model_copy(update={"spent": Usage(cached=2)})
    )


def test_a_call_is_shown_as_words_and_not_as_the_name_of_a_class() -> None:
    event = ModelCalled(model="local:m", prompt="WriteAnswer", key="k", started=1.0, ended=3.5)
    assert describe_event(event) == RunStep("step", "local:m answered in 2.5 s (write answer)")
    failed = event.model_copy(update={"error": "gone"})
    assert describe_event(failed) == RunStep("step", "local:m failed in 2.5 s (write answer)")


def test_a_recommendation_shows_what_was_asked_beside_its_pico() -> None:
    question = Question(text="In older men, which drug?", asked="What now for him?", pico=Pico(population="older men"))
    given = ANSWER.model_copy(update={"question": question, "recommendation": Recommendation()})
    shown = " ".join(terminal_text(given, TerminalPage()).split())
    assert "asked “What now for him?” as population: older men" in shown
