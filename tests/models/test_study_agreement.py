"""Which sentence of several studies leads: what they agree on, in words of the question, in few words."""

from tests.world import document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.models.extractive import select_leads
from wellsourced.models.study_agreement import asks_for_thing, weigh_studies
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Document, Question, SourceKind

QUESTION = "Which kinase does fenebrutinib inhibit?"


def candidate(text: str, score: float, id: str, kind: SourceKind = "research") -> QuoteCandidate:
    made: Document = document(id, text)
    reference = made.reference.model_copy(update={"kind": kind})
    (passage,) = passages(made.model_copy(update={"reference": reference}))
    return QuoteCandidate(find_quotable_spans(passage)[0], passage, score)


def texts(choices: list[QuoteCandidate]) -> list[str]:
    return [one.unit.text for one in choices]


def test_what_several_studies_say_comes_before_what_one_says():
    alone = candidate("Fenebrutinib does inhibit joint damage in rodents over many weeks.", 0.80, "a")
    first = candidate("Fenebrutinib does inhibit Bruton tyrosine kinase in human blood.", 0.78, "b")
    second = candidate("Bruton tyrosine kinase is what fenebrutinib can inhibit in blood.", 0.77, "c")
    assert texts(weigh_studies(QUESTION, [alone, first, second]))[-1] == alone.unit.text


def test_of_two_that_say_the_same_the_short_one_comes_first():
    said = "Fenebrutinib does inhibit Bruton tyrosine kinase in blood"
    long = candidate(f"{said}, {' '.join(['as was seen in many other patients'] * 6)}.", 0.81, "a")
    short = candidate(f"{said}.", 0.80, "b")
    assert texts(weigh_studies(QUESTION, [long, short]))[0] == short.unit.text


def test_what_a_paper_says_of_itself_gives_way():
    itself = candidate("In rodents the present study found a kinase which fenebrutinib does inhibit.", 0.81, "a")
    finding = candidate("Fenebrutinib does inhibit Bruton tyrosine kinase in blood.", 0.80, "b")
    assert texts(weigh_studies(QUESTION, [itself, finding]))[0] == finding.unit.text


def test_where_more_is_to_be_found_is_no_answer():
    elsewhere = candidate(
        "Supplementary data on which kinase fenebrutinib does inhibit are available online.", 0.81, "a"
    )
    finding = candidate("Fenebrutinib does inhibit Bruton tyrosine kinase in blood.", 0.60, "b")
    assert texts(weigh_studies(QUESTION, [elsewhere, finding]))[0] == finding.unit.text


def test_a_study_of_another_drug_gives_way_to_one_of_the_drug_that_is_named():
    names = read_question(Question(text="Is isradipine effective for Parkinson's disease?")).names
    assert [term.name for term in names] == ["isradipine"]
    other = candidate("Prasinezumab had no effect on the progression of Parkinson's disease.", 0.80, "a")
    named = candidate("Treatment with isradipine did not slow the progression of the disease.", 0.60, "b")
    assert texts(weigh_studies("Is isradipine effective for Parkinson's disease?", [other, named], names)) == [
        named.unit.text,
        other.unit.text,
    ]


def test_guidelines_keep_their_scores_and_studies_their_best():
    guideline = candidate("Fenebrutinib is not recommended for anybody at present.", 0.6, "g", "guideline")
    studies = [
        candidate(f"Fenebrutinib does inhibit kinase number {n} in blood.", 0.5 + n / 10, str(n)) for n in (1, 2)
    ]
    weighed = weigh_studies(QUESTION, [studies[1], guideline, studies[0]])
    assert next(one.score for one in weighed if one.passage.reference.kind == "guideline") == 0.6
    assert max(one.score for one in weighed if one.passage.reference.kind == "research") == studies[1].score
    assert weigh_studies(QUESTION, [guideline]) == [guideline]
    assert weigh_studies(QUESTION, []) == []


def test_a_second_study_may_name_what_is_asked_for():
    first = candidate("Which kinase fenebrutinib does inhibit was found in mice.", 0.80, "a")
    second = candidate("Bruton tyrosine kinase is blocked by the drug.", 0.79, "b")
    assert asks_for_thing(QUESTION)
    assert select_leads(QUESTION, [first, second], 2) == [first, second]
    # Not where a sentence is judged and nothing named, not where it is far off, and not of guidelines.
    assert not asks_for_thing("Does fenebrutinib inhibit a kinase?")
    assert select_leads("Does fenebrutinib inhibit a kinase?", [first, second], 2) == [first]
    assert select_leads(QUESTION, [first, second._replace(score=0.5)], 2) == [first]
    told = candidate(second.unit.text, 0.79, "c", "guideline")
    assert select_leads(QUESTION, [first, told], 2) == [first]
