"""Of each work that is cited it is told what sort of study it is, of whom, how old, and whose finding it reports."""

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.pipeline.quote_placement import ShownPassages, cite_quote
from wellsourced.pipeline.verify.appraisal import appraise_evidence
from wellsourced.prompts.writing import DraftQuote
from wellsourced.types import Appraisal, Evidence, Pico, Question, Statement, Verdict

TRIAL = "We randomised 60 women aged 50 to 70 years. Zinc shortened colds by two days."
SAYS = "Zinc shortened colds by two days."
SUPPORTED = Verdict(label="supports", score=1.0)


def appraised(text: str, quote: str, question: Question, **fields: object) -> Appraisal:
    found = document("pubmed:1", text)
    reference = found.reference.model_copy(update={"kind": "research", "depth": "abstract", **fields})
    (passage,) = passages(found.model_copy(update={"reference": reference}))
    citations = cite_quote(DraftQuote(passage_id=passage.key, quote=quote), "", ShownPassages([passage]))
    statement = Statement(text=quote, citations=citations, verdict=SUPPORTED)
    evidence = [Evidence(passage=passage, relevance=1.0)]
    (item,) = appraise_evidence(question, [statement], evidence, {reference.id: found}, 2026)
    assert item.appraisal is not None
    return item.appraisal


def test_a_small_old_trial_of_which_only_the_abstract_was_read_says_all_of_that() -> None:
    told = appraised(TRIAL, SAYS, Question(text="Does zinc help women with a cold?"), published="2004")
    assert (told.design, told.level, told.sample, told.years) == ("randomised controlled trial", 2, "60 women", 22)
    assert [reason for reason in told.reasons if not reason.startswith("its text")] == [
        "small: 60 women",
        "only its abstract was read",
        "published 22 years ago",
    ]
    assert (told.population, told.misfit) == ("fits", "")


@each_row(
    ("question", "population", "misfit"),
    [
        ("Does zinc help children with a cold?", "differs", "about other ages: “aged 50 to 70 years”"),
        ("Does zinc help men with a cold?", "differs", "only about “women”"),
        ("Does zinc help women over 60 years of age?", "fits", ""),
        ("Does zinc help?", "not stated", ""),
    ],
)
def test_the_population_of_a_study_is_held_against_that_of_the_question(
    question: str, population: str, misfit: str
) -> None:
    told = appraised(TRIAL, SAYS, Question(text=question))
    assert (told.population, told.misfit) == (population, misfit)


def test_the_population_of_the_pico_comes_before_the_words_of_the_question() -> None:
    asked = Question(text="Does zinc help?", pico=Pico(population="children under 5 years", intervention="zinc"))
    assert appraised(TRIAL, SAYS, asked).population == "differs"


def test_a_study_of_mice_is_none_of_people_unless_it_was_asked_for() -> None:
    mice = "Zinc was given in mice. Zinc shortened colds by two days."
    told = appraised(mice, SAYS, Question(text="Does zinc help with colds?"))
    assert (told.design, told.level, told.population) == ("animal study", 5, "differs")
    assert appraised(mice, SAYS, Question(text="Does zinc help mice?")).population == "not stated"


def test_a_sentence_that_reports_another_work_says_so() -> None:
    borrowed = "Zinc shortened colds by two days (Smith et al., 2011)."
    told = appraised(f"Colds are common. {borrowed}", borrowed, Question(text="Does zinc help?"))
    assert told.cites == ("(Smith et al., 2011)",)


def test_a_guideline_has_grades_of_its_own_and_no_level() -> None:
    told = appraised(TRIAL, SAYS, Question(text="Does zinc help?"), kind="guideline")
    assert (told.design, told.level) == ("guideline", None)


def test_what_is_not_cited_is_not_appraised() -> None:
    (passage,) = passages(document("pubmed:1", TRIAL))
    (item,) = appraise_evidence(Question(text="Zinc?"), [], [Evidence(passage=passage, relevance=1.0)], {}, 2026)
    assert item.appraisal is None
