"""A place where the source says otherwise is asked about on its own, and stays beside a statement that is shown."""

from dataclasses import replace
from typing import cast

from tests.pipeline.verify.test_verification import Doubting
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, passages, source
from wellsourced.errors import ModelUnavailable
from wellsourced.models.base import Prompt, R
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.open_slots import (
    NO_ANSWERS,
    SharpAnswers,
    Slot,
    _build_places,
    _slot_key,
    ask_sharp_questions,
    settle_open_slots,
)
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.policy import CheckPolicy
from wellsourced.prompts.verification import (
    CheckConsistency,
    ClaimVerdict,
    ComparePlaces,
    ConsistencyReply,
    PlacesReply,
    PlaceVerdict,
)
from wellsourced.types import Citation, Document, Evidence, Question, Statement, Verdict, short_key

SAID = "Colchicine was given to nonpregnant women twice daily for gout."
OTHER = "Allopurinol was given to nonsmoking men once daily for gout."
CLAIM = "Pregnant women took colchicine twice daily."
SECOND = "Smoking men took allopurinol once daily."
WOMEN = document("pubmed:5", SAID, title="Colchicine in women")
MEN = document("pubmed:6", OTHER, title="Allopurinol in men")
SHOWN = {one.reference.id: passages(one)[0] for one in (WOMEN, MEN)}
QUESTION = Question(text="How is gout treated?")
SUPPORTS = Verdict(label="supports", score=1.0, reason="the model: “…”", basis="model")


def saying(text: str, source: Document) -> Statement:
    """A statement that cites all of a document."""
    words, passage = source.text, SHOWN[source.reference.id]
    citation = Citation(passage_id=passage.id, quote=words, start=0, end=len(words))
    return Statement(text=text, citations=(citation,), verdict=UNCHECKED)


STATEMENTS = (saying(CLAIM, WOMEN), saying(SECOND, MEN))


class Answering(ScriptedModel):
    """Supports every claim, and says the same of every two places."""

    def __init__(self, same: str = "yes", *, name: str = "scripted") -> None:
        super().__init__({})
        self.same, self.name = same, name

    async def complete(self, prompt: Prompt[R]) -> R:
        """A verdict on each claim, or on each pair of places."""
        self.prompts.append(prompt)
        if isinstance(prompt, ComparePlaces):
            if not self.same:
                raise ModelUnavailable("no connection")
            answers = [PlaceVerdict.model_validate({"key": one.key, "same": self.same}) for one in prompt.places]
            return cast(R, PlacesReply(items=tuple(answers)))
        assert isinstance(prompt, CheckConsistency)
        quotes = {short_key(CLAIM): SAID, short_key(SECOND): OTHER}
        verdicts = [
            ClaimVerdict(key=one.key, label="supports", passage_id=one.cites[0], quote=quotes[one.key])
            for one in prompt.claims
        ]
        return cast(R, ConsistencyReply(items=tuple(verdicts)))


async def checked(model: ScriptedModel, *, assistant: ScriptedModel | None = None) -> VerificationResult:
    usual = context(source("trials", WOMEN, MEN))
    asked = replace(
        usual,
        model=model,
        assistant=assistant,
        has_model=True,
        support_judge=Doubting(),
        check=CheckPolicy(repair=False),
    )
    evidence = [Evidence(passage=passage, relevance=0.9) for passage in SHOWN.values()]
    documents = {one.reference.id: one for one in (WOMEN, MEN)}
    return await verify_statements(QUESTION, STATEMENTS, evidence, documents, asked)


async def test_all_places_of_an_answer_are_asked_about_in_one_call_beside_the_check() -> None:
    model = Answering()
    await checked(model)
    assert sorted(type(one).__name__ for one in model.prompts) == ["CheckConsistency", "ComparePlaces"]
    (asked,) = [one for one in model.prompts if isinstance(one, ComparePlaces)]
    assert [one.statement for one in asked.places] == [CLAIM, SECOND]
    assert [one.source for one in asked.places] == [(SAID,), (OTHER,)]
    assert [one.title for one in asked.places] == ["Colchicine in women", "Allopurinol in men"]


async def test_the_model_that_did_not_write_is_asked() -> None:
    writer, other = Answering(), Answering(name="other")
    kept = await checked(writer, assistant=other)
    assert writer.prompts == []
    assert len(other.prompts) == 2
    assert kept.checker == "other"


async def test_where_the_model_that_checks_is_down_the_one_that_wrote_is_asked_and_that_is_told() -> None:
    writer = Answering()
    down = ScriptedModel({CheckConsistency: ModelUnavailable("no connection"), ComparePlaces: PlacesReply()})
    down.name = "other"
    kept = await checked(writer, assistant=down)
    assert [type(one) for one in writer.prompts] == [CheckConsistency]
    assert [one.verdict.status for one in kept.statements] == ["verified", "verified"]
    assert kept.checker == writer.name
    told = "other could not check the statements, so scripted, which wrote, did: no connection"
    assert told in kept.notes


async def test_where_a_model_that_no_control_checked_sees_no_difference_both_places_stay() -> None:
    kept = await checked(Answering("yes"))
    assert [one.text for one in kept.statements] == [CLAIM, SECOND]
    (difference,) = kept.statements[0].differences
    assert difference.kind == "population"
    assert "Pregnant" in difference.statement
    assert "nonpregnant" in difference.source


async def test_where_it_says_no_the_statement_does_not_stand() -> None:
    kept = await checked(Answering("no"))
    assert kept.statements == ()
    assert all("asked on its own, the model says that" in one.reason for one in kept.dropped)


async def test_a_model_that_cannot_be_asked_leaves_both_places_beside_the_statement_and_that_is_told() -> None:
    kept = await checked(Answering(""))
    assert all(one.differences for one in kept.statements)
    assert "scripted could not be asked about words that differ: no connection" in kept.notes


# --- what becomes of them --------------------------------------------------------------------------------------------

NOWHERE = Slot("outcome", "nowhere", "mortality", "")
CONTRADICTED = Slot("population", "contradicted", "In pregnant women", "In nonpregnant women")


def test_what_is_nowhere_in_what_is_cited_makes_a_statement_not_verified_whatever_the_judge_says() -> None:
    settled = settle_open_slots(STATEMENTS[0], SUPPORTS, [NOWHERE])
    assert settled.verdict.status == "unverified"
    assert settled.verdict.reason == "“mortality” appears nowhere in what it cites"


@each_row(("is_believed", "status"), [(True, "verified"), (False, "unverified")])
def test_a_model_that_is_believed_finds_a_word_of_the_statement_in_other_words(is_believed: bool, status: str) -> None:
    key = _slot_key(STATEMENTS[0].text, NOWHERE)
    answers = SharpAnswers({key: PlaceVerdict(key=key, same="yes")})
    settled = settle_open_slots(STATEMENTS[0], SUPPORTS, [NOWHERE], answers, is_believed=is_believed)
    assert settled.verdict.status == status


async def test_words_that_are_nowhere_are_asked_about_beside_the_quote_and_a_name_is_not() -> None:
    name, asked = NOWHERE._replace(kind="name", claim="ezetimibe"), context(source("trials", WOMEN))
    model = Answering()
    slots = {CLAIM: [NOWHERE, name]}
    asked = replace(asked, model=model, has_model=True)
    await ask_sharp_questions(QUESTION, slots, STATEMENTS[:1], {one.id: one for one in SHOWN.values()}, asked)
    (prompt,) = [one for one in model.prompts if isinstance(one, ComparePlaces)]
    assert [(one.words, one.source) for one in prompt.places] == [("mortality", (SAID,))]


def test_a_contradicted_place_alone_leaves_the_judges_word() -> None:
    settled = settle_open_slots(STATEMENTS[0], SUPPORTS, [CONTRADICTED])
    assert settled.verdict == SUPPORTS
    assert [one.kind for one in settled.statement.differences] == ["population"]


@each_row(("same", "is_believed", "marks", "label"), [
    ("yes", True, 0, "supports"),
    ("yes", False, 1, "supports"),
    ("no", True, 0, "silent"),
])  # fmt: skip
def test_a_model_that_is_believed_clears_a_mark(same: str, is_believed: bool, marks: int, label: str) -> None:
    key = _slot_key(STATEMENTS[0].text, CONTRADICTED)
    answers = SharpAnswers({key: PlaceVerdict.model_validate({"key": key, "same": same})})
    settled = settle_open_slots(STATEMENTS[0], SUPPORTS, [CONTRADICTED], answers, is_believed=is_believed)
    assert (len(settled.statement.differences), settled.verdict.label) == (marks, label)


def test_what_a_statement_leaves_out_is_told_in_words() -> None:
    left_out = Slot("condition", "contradicted", "", SAID)
    key = _slot_key(STATEMENTS[0].text, left_out)
    answers = SharpAnswers({key: PlaceVerdict(key=key, same="no", quote=SAID)})
    reason = settle_open_slots(STATEMENTS[0], SUPPORTS, [left_out], answers).verdict.reason
    assert reason == f"asked on its own, the model says that its source says something else: “{SAID}”"


def test_what_another_line_has_is_asked_about_and_leaves_no_mark() -> None:
    elsewhere = Slot("quantity word", "elsewhere", "for any reason", SAID)
    settled = settle_open_slots(STATEMENTS[0], SUPPORTS, [elsewhere])
    assert (settled.verdict, settled.statement.differences) == (SUPPORTS, ())


@each_row("verdict", [Verdict(label="silent", score=0.0, basis="model"), Verdict(label="contradicts", score=1.0)])
def test_what_does_not_stand_needs_no_mark(verdict: Verdict) -> None:
    settled = settle_open_slots(STATEMENTS[0], verdict, [CONTRADICTED, NOWHERE], NO_ANSWERS)
    assert settled == (STATEMENTS[0], verdict)


def test_an_answer_under_another_key_is_no_answer() -> None:
    answers = SharpAnswers({"k1": PlaceVerdict(key="k1", same="no")})
    assert settle_open_slots(STATEMENTS[0], SUPPORTS, [CONTRADICTED], answers).verdict == SUPPORTS


def test_a_row_is_shown_under_the_header_of_its_table_and_a_line_under_those_above() -> None:
    table = "Dose | Adults | Children\n5 mg | yes | no\n10 mg | yes | yes\n15 mg | no | no\n20 mg | no | never"
    shown = document("own:1", f"Doses\n\n{table}", title="Doses of a drug")
    (passage,) = passages(shown)
    cited = Citation(passage_id=passage.id, quote="20 mg | no | never", start=0, end=18)
    statement = Statement(text="Adults take 20 mg.", citations=(cited,), verdict=UNCHECKED)
    places = _build_places(statement, Slot("row", "contradicted", "20 mg", "20 mg | no"), {passage.id: passage})
    assert places.source == ("Dose | Adults | Children", "20 mg | no | never")


def test_a_line_is_shown_under_the_item_of_its_list_and_one_that_hangs_on_nothing_under_those_above() -> None:
    listed = "- Dabigatran: 150 mg BID\n- Apixaban: Standard dose is 5 mg BID\n  - Reduce to 2.5 mg BID if frail"
    plain = "Before surgery\n\nStop it two days before.\n\nStart it again on the next day."
    cases = {
        listed: ("Reduce to 2.5 mg BID if frail", ("Apixaban: Standard dose is 5 mg BID",)),
        plain: ("Start it again on the next day.", ("Before surgery", "Stop it two days before.")),
    }
    for text, (quote, above) in cases.items():
        (passage,) = passages(document("own:1", text, title="Anticoagulants"))
        cited = Citation(passage_id=passage.id, quote=quote, start=0, end=len(quote))
        statement = Statement(text="Apixaban is reduced.", citations=(cited,), verdict=UNCHECKED)
        places = _build_places(statement, Slot("name", "elsewhere", "Apixaban", quote), {passage.id: passage})
        assert places.source == (*above, quote)


async def test_several_words_of_a_statement_beside_one_place_are_one_question() -> None:
    model = Answering("no")
    slots = [CONTRADICTED._replace(source=SAID), NOWHERE._replace(source=SAID)]
    asked = replace(context(source("trials", WOMEN)), model=model, has_model=True)
    by_id = {one.id: one for one in SHOWN.values()}
    answers = await ask_sharp_questions(QUESTION, {CLAIM: slots}, STATEMENTS[:1], by_id, asked)
    (prompt,) = [one for one in model.prompts if isinstance(one, ComparePlaces)]
    assert [one.words for one in prompt.places] == ["In pregnant women; mortality"]
    assert {answers.verdicts[_slot_key(STATEMENTS[0].text, one)].same for one in slots} == {"no"}


def test_what_else_a_statement_quotes_is_shown_behind_its_own_title() -> None:
    (women,), (men,) = STATEMENTS[0].citations, STATEMENTS[1].citations
    both = STATEMENTS[0].model_copy(update={"citations": (women, men)})
    slot = CONTRADICTED._replace(source=SAID)
    places = _build_places(both, slot, {one.id: one for one in SHOWN.values()})
    assert (places.title, places.source) == ("Colchicine in women", (SAID, f"Allopurinol in men: {OTHER}"))
