"""What has changed between two answers to a question, and when nobody can know."""

from tests.presentation.test_answers import ANSWER, FLARES, GUIDE, OTHER, PAIN, attempt, passage, statement
from tests.tables import each_row
from wellsourced.pipeline.verify.recheck import AnswerChanges, RecheckResult, find_changes
from wellsourced.types import Answer, Evidence, Gap, Omission, Retraction

SOURCES = ("guidelines", "notes", "trials")
NOTES_GONE = Gap(source="notes", status="failed", reason="gone")
FOOD = passage(OTHER, "Cherries lowered urate.", 3)


def changes(now: Answer, before: Answer = ANSWER, sources: tuple[str, ...] = SOURCES) -> AnswerChanges:
    return find_changes(RecheckResult(before, (), (), ()), now, sources)


def test_the_same_answer_has_not_changed() -> None:
    same = changes(ANSWER.model_copy(update={"timings": {"search": 9.0}}))
    assert (same.has_changed, same.unknown, same.is_comparable) == (False, (), True)


def test_a_statement_that_is_put_otherwise_on_the_same_words_is_the_same_statement() -> None:
    first, *others = ANSWER.statements
    put = first.model_copy(update={"text": "For flares, colchicine is recommended."})
    assert not changes(ANSWER.model_copy(update={"statements": (put, *others)})).has_changed


def test_what_is_new_what_is_gone_and_which_work_is_cited_for_the_first_time_is_told() -> None:
    evidence = (*ANSWER.evidence, Evidence(passage=FOOD, relevance=0.9))
    statements = (*ANSWER.statements[1:], statement("Cherries help.", FOOD))
    told = changes(ANSWER.model_copy(update={"statements": statements, "evidence": evidence}))
    assert told.new == ("Cherries help.",)
    assert told.no_longer_said == (FLARES.text,)
    assert told.newly_cited == (OTHER,)


def test_the_same_work_under_another_id_is_not_newly_cited() -> None:
    again = passage(GUIDE.model_copy(update={"id": "pubmed:77"}), FLARES.text, 100)
    statements = (statement(FLARES.text, again), *ANSWER.statements[1:])
    evidence = (*ANSWER.evidence, Evidence(passage=again, relevance=0.9))
    assert not changes(ANSWER.model_copy(update={"statements": statements, "evidence": evidence})).has_changed


def test_a_work_is_withdrawn_by_a_registry_or_by_the_record_itself_and_told_once() -> None:
    fallen = PAIN.reference.with_retraction(Retraction(status="true"))
    registry = RecheckResult(ANSWER, (fallen,), (), ())
    left_out = Omission.of_passage(PAIN, "retracted (PubMed)")
    now = ANSWER.model_copy(update={"dropped": (left_out,)})
    assert [one.objection for one in find_changes(registry, ANSWER, SOURCES).withdrawn] == ["retracted"]
    assert [one.objection for one in changes(now).withdrawn] == ["retracted (PubMed)"]
    assert len(find_changes(registry, now, SOURCES).withdrawn) == 1
    elsewhere = Omission.of_passage(FOOD, "retracted (PubMed)")
    assert changes(ANSWER.model_copy(update={"dropped": (elsewhere,)})).withdrawn == ()


@each_row(
    ("now", "sources", "reason"),
    [
        (ANSWER.model_copy(update={"gaps": (NOTES_GONE,)}), SOURCES, "notes could"),
        (ANSWER.model_copy(update={"attempts": (attempt("guidelines", "failed"),)}), SOURCES, "guidelines could"),
        (ANSWER, ("guidelines",), "notes was searched then"),
        (ANSWER.model_copy(update={"writer": "openai:one"}), SOURCES, "openai:one now"),
    ],
)
def test_what_cannot_be_compared_is_told_and_never_as_a_change(
    now: Answer, sources: tuple[str, ...], reason: str
) -> None:
    told = changes(now.model_copy(update={"statements": ANSWER.statements[:1]}), sources=sources)
    assert not told.is_comparable
    assert not told.has_changed
    assert len(told.unknown) == 1
    assert reason in told.unknown[0]


def test_a_source_that_failed_then_already_is_no_reason_not_to_compare() -> None:
    assert changes(ANSWER).is_comparable
    assert changes(ANSWER, sources=("guidelines", "notes")).is_comparable


def test_a_source_that_was_not_searched_then_is_named_and_is_no_change() -> None:
    more = ANSWER.model_copy(update={"attempts": (*ANSWER.attempts, attempt("papers", "ok", 3))})
    assert changes(more).searched_first == ("papers",)
    assert not changes(more).has_changed


def test_a_registry_that_cannot_be_asked_is_told_beside_what_has_changed() -> None:
    gap = Gap(source="crossref", status="failed", reason="no answer")
    told = find_changes(RecheckResult(ANSWER, (), (), (gap,)), ANSWER, SOURCES)
    assert told.unknown == ("crossref could not say which works were withdrawn: no answer",)
    assert told.is_comparable


def test_a_turn_of_the_answer_as_a_whole_is_told() -> None:
    assert changes(ANSWER.model_copy(update={"abstained": True})).verdict == ("there was an answer then, but not now",)
