"""What a model explains from common knowledge: little, without figures or advice, and never as cited."""

from tests.pipeline.write.test_drafting import EVIDENCE, QUESTION, ready, said
from tests.tables import each_row
from tests.world import COLCHICINE
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.write.drafting import write_answer
from wellsourced.pipeline.write.not_found import MAX_GLOSS_WORDS, check_glosses, select_glosses
from wellsourced.policy import CheckPolicy, ReadPolicy, WritePolicy
from wellsourced.prompts.writing import Draft, DraftGloss, ExplainPlainly, PlainDraft, WriteAnswer
from wellsourced.types import Answer, Gloss, Statement, Verdict

PLAIN = WritePolicy(reader="patient")
MEANT = "an inactive treatment that looks like the real one"
PLACEBO = DraftGloss(term="placebo", meaning=MEANT)


def test_each_term_is_explained_once_and_empty_words_explain_nothing() -> None:
    again = DraftGloss(term="Placebo", meaning="something else")
    glosses, dropped = check_glosses(
        [PLACEBO, again, DraftGloss(term="flare", meaning=" "), DraftGloss(term="", meaning="x")]
    )
    assert glosses == (Gloss(term="placebo", meaning=MEANT),)
    assert dropped == ()


@each_row(
    ("meaning", "reason"),
    [
        ("a pill of 0.5 mg", "has a figure"),
        ("a pill that is taken two times a day", "has a figure"),
        ("a pill that you should not take with alcohol", "gives advice"),
        ("Stop it when you feel ill", "gives advice"),
        ("word " * (MAX_GLOSS_WORDS + 1), "more than 30 words"),
    ],
)
def test_a_figure_advice_and_long_explanations_need_a_source(meaning: str, reason: str) -> None:
    glosses, (dropped,) = check_glosses([DraftGloss(term="colchicine", meaning=meaning)])
    assert glosses == ()
    assert reason in dropped.reason
    assert dropped.text.startswith("colchicine: ")


def test_only_terms_that_a_statement_has_as_words_are_explained() -> None:
    statements = [Statement(text="Placebo did nothing (COPD).", verdict=Verdict(label="supports", score=1.0))]
    glosses = [Gloss(term=term, meaning="x") for term in ("placebo", "COPD", "COP", "flare")]
    assert [one.term for one in select_glosses(glosses, statements)] == ["placebo", "COPD"]


def test_a_term_is_explained_in_the_form_that_a_statement_written_anew_gives_it() -> None:
    statements = [Statement(text="Beta blockers did nothing.", verdict=Verdict(label="supports", score=1.0))]
    glosses = [Gloss(term=term, meaning="x") for term in ("beta-blocker", "alpha-blocker", "block")]
    assert [one.term for one in select_glosses(glosses, statements)] == ["beta-blocker"]


async def test_an_explanation_stands_beside_the_statements_and_counts_as_none() -> None:
    reply = PlainDraft(statements=(said(COLCHICINE, lead=True),), glosses=(PLACEBO,))
    settings = {"write": PLAIN, "check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    answer = await answer_question(QUESTION, ready({ExplainPlainly: reply}, **settings))
    assert [statement.text for statement in answer.statements] == [COLCHICINE]
    assert answer.glosses == (Gloss(term="placebo", meaning=MEANT),)
    assert answer.glosses[0].basis == "common knowledge"
    assert all(MEANT not in one.quote for statement in answer.statements for one in statement.citations)
    assert MEANT not in answer.tldr
    assert answer.checks is not None
    assert answer.checks.drafted == 1
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


async def test_no_other_style_has_them() -> None:
    written = await write_answer(QUESTION, EVIDENCE, ready({WriteAnswer: Draft(statements=(said(),))}))
    assert written.glosses == ()
