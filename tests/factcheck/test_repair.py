"""What becomes of a claim that does not stand: the smallest edit that its source supports, or none."""

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable
from wellsourced.factcheck.check import text_to_document
from wellsourced.factcheck.edited_text import apply_edits, diff_edits, merge_edit, strip_marks
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.repair import KEPT_REASON
from wellsourced.prompts.verification import CleanUp, CleanUpReply
from wellsourced.types import Checkup, Claim, ClaimEdit, Retraction, SubmittedText, Verdict

SOURCE = "Gout is common. Nausea was seen in 13% of the patients. Colchicine reduced the number of flares."
NAUSEA = "Nausea was seen in 30 % of the patients."
FLARES = "Colchicine increased the number of flares."
RIGHT = "Colchicine reduced the number of flares."
AGAINST = verdict("contradicts", quote="Colchicine reduced the number of flares.")
SUPPORTS = verdict("supports")


async def repaired(
    text: str, told: dict[tuple[str, str], Verdict], model: ScriptedModel | None = None, source: str = SOURCE
) -> Checkup:
    tracer = ToldTracer(opened("1", source))
    return await run_checkup(submitted(text, 1), tracer, Pairs(told), model=model, repair=True)


async def test_without_a_model_what_its_source_contradicts_goes_and_no_figure_or_direction_is_exchanged() -> None:
    done = await repaired(FLARES, {(FLARES, "reduced"): AGAINST, (RIGHT, "reduced"): SUPPORTS})
    assert [(one.action, one.before, one.after, one.source) for one in done.edits] == [("removed", FLARES, "", "1")]


async def test_without_a_model_what_nobody_verified_stays_with_the_words_that_differ_behind_it() -> None:
    doubted = verdict("supports", basis="likeness")
    nausea = "Nausea was seen in most of the patients."
    done = await repaired(f"{nausea}\n{RIGHT}", {(nausea, "13%"): doubted})
    (edit,) = done.edits
    assert (edit.action, edit.before, edit.after) == ("marked", nausea, nausea)
    assert edit.note.startswith("not verified: ")
    assert "13%" in edit.note
    assert apply_edits(done.submitted, done.edits) == f"{nausea} [{edit.note}]\n{RIGHT}"


async def test_an_edit_that_the_judge_does_not_find_supported_is_a_removal() -> None:
    model = ScriptedModel({CleanUp: CleanUpReply(action="edit", text=RIGHT[:-1] + " greatly.", excerpt=RIGHT)})
    done = await repaired(FLARES, {(FLARES, "reduced"): AGAINST}, model)
    assert [(one.action, one.after, one.reversed) for one in done.edits] == [("removed", "", False)]
    assert done.edits[0].reason.startswith("no edit passed the check")


async def test_an_edit_that_only_a_judge_by_likeness_finds_supported_is_none() -> None:
    model = ScriptedModel({CleanUp: CleanUpReply(action="edit", text=RIGHT, excerpt=RIGHT)})
    told = {(FLARES, "reduced"): AGAINST, (RIGHT, "reduced"): verdict("supports", basis="likeness")}
    done = await repaired(FLARES, told, model)
    assert [one.action for one in done.edits] == ["removed"]


async def test_an_edit_that_is_much_longer_than_its_statement_is_a_removal() -> None:
    long = "Colchicine reduced the number of flares" + ", which has been known for a long time" * 5 + "."
    reply = CleanUpReply(action="edit", text=long, excerpt=RIGHT)
    told = {(FLARES, "reduced"): AGAINST, (long, "reduced"): SUPPORTS}
    done = await repaired(FLARES, told, ScriptedModel({CleanUp: reply}))
    assert [one.after for one in done.edits] == [""]
    assert done.edits[0].reason.startswith("the edit says more than the statement")


async def test_what_is_supported_or_not_judged_stays_as_it_is() -> None:
    told = {(RIGHT, "reduced"): SUPPORTS, (NAUSEA, "13%"): verdict("unjudged")}
    assert (await repaired(f"{RIGHT}\n{NAUSEA}", told)).edits == ()


async def test_a_model_edits_from_the_words_of_the_source_in_one_call_for_each_claim() -> None:
    model = ScriptedModel({CleanUp: CleanUpReply(action="edit", text=RIGHT, excerpt=RIGHT)})
    done = await repaired(FLARES, {(FLARES, "reduced"): AGAINST, (RIGHT, "reduced"): SUPPORTS}, model)
    assert [(one.after, one.reversed, one.reason) for one in done.edits] == [
        (RIGHT, True, f"edited to match the source: “{RIGHT}”")
    ]
    assert model.prompts == [CleanUp(statement=FLARES, source=SOURCE, reason="")]


@each_row(
    ("reply", "why"),
    [
        (CleanUpReply(action="remove"), "the model found no replacement in the source"),
        (CleanUpReply(action="edit", text="It did.", excerpt=RIGHT), "the edit is empty"),
        (
            CleanUpReply(action="edit", text=RIGHT, excerpt="Colchicine cures."),
            "the edit quotes nothing from the source",
        ),
        (
            CleanUpReply(action="edit", text="Colchicine reduced the number of flares by 40%.", excerpt=RIGHT),
            "the edit has a number that is not in its quote (“40%”)",
        ),
        (ModelUnavailable("the model does not answer."), "it could not be edited (the model does not answer)"),
    ],
)
async def test_an_edit_of_a_model_that_is_none_is_a_removal_and_says_why(
    reply: CleanUpReply | ModelUnavailable, why: str
) -> None:
    done = await repaired(FLARES, {(FLARES, "reduced"): AGAINST}, ScriptedModel({CleanUp: reply}))
    assert (done.edits[0].after, done.edits[0].reason.startswith(why)) == ("", True), done.edits[0].reason


async def test_what_the_model_gives_back_unchanged_stays_as_it_was_and_is_told() -> None:
    model = ScriptedModel({CleanUp: CleanUpReply(action="edit", text=FLARES, excerpt=RIGHT)})
    done = await repaired(FLARES, {(FLARES, "reduced"): AGAINST}, model)
    assert [(one.action, one.after) for one in done.edits] == [("kept", FLARES)]
    assert apply_edits(done.submitted, done.edits) == FLARES


async def test_what_rests_on_a_source_that_was_withdrawn_is_marked_and_what_nobody_could_read_is_left() -> None:
    model = ScriptedModel({})
    gone = opened("1", SOURCE, retraction=Retraction(status="true"))
    told = {(FLARES, "reduced"): SUPPORTS}
    done = await run_checkup(submitted(FLARES, 1), ToldTracer(gone), Pairs(told), model=model, repair=True)
    (edit,) = done.edits
    assert (edit.action, edit.note) == ("marked", "not supported: the source was retracted, and cannot support it")
    dead = await run_checkup(submitted(FLARES, 1), ToldTracer(opened("1", fetched="dead")), Pairs({}), repair=True)
    assert dead.edits == ()
    assert any("1 statement was left unchanged" in note for note in dead.notes)
    assert model.prompts == []


async def test_a_sentence_of_which_one_of_two_claims_falls_is_marked_and_never_parted() -> None:
    sentence = "Flares were fewer in men and more in women [1]."
    text = text_of(f"Gout. {sentence} End.", a=f"{sentence}|Flares were fewer in men.", b=f"{sentence}|More in women.")
    cites = submitted("", 1)
    text = text.model_copy(update={"sources": cites.sources})
    told = {("Flares were fewer in men.", "Gout"): SUPPORTS, ("More in women.", "Gout"): AGAINST}
    done = await run_checkup(text, ToldTracer(opened("1", SOURCE)), Pairs(told), repair=True)
    (edit,) = done.edits
    assert (edit.action, edit.claims) == ("marked", (0, 1))
    assert apply_edits(done.submitted, done.edits) == f"Gout. {sentence} [{edit.note}] End."
    # That nobody verified the other claim either is no second note.
    doubted = told | {("Flares were fewer in men.", "Gout"): verdict("supports", basis="likeness")}
    again = await run_checkup(text, ToldTracer(opened("1", SOURCE)), Pairs(doubted), repair=True)
    assert [one.action for one in again.edits] == ["marked"]


CURES = "Colchicine cures gout."
LEANS = "However, it also increased the number of flares."


async def decomposed(
    text: str, told: dict[tuple[str, str], Verdict], model: ScriptedModel | None = None
) -> tuple[Checkup, str]:
    """The checkup of a text that the rules take apart, put to a source, and the repaired text."""
    apart = decompose_text(text_to_document(text)).model_copy(update={"sources": submitted("", 1).sources})
    tracer = ToldTracer(opened("1", SOURCE))
    done = await run_checkup(apart, tracer, Pairs(told), model=model, repair=True)
    return done, apply_edits(done.submitted, done.edits)


async def test_what_is_contradicted_stays_with_a_mark_where_a_sentence_that_stays_leans_on_it() -> None:
    told = {(FLARES, "Gout"): AGAINST, ("It lowers urate.", "Gout"): SUPPORTS}
    done, text = await decomposed(f"{FLARES} However, it lowers urate.", told)
    assert text.startswith(f"{FLARES} [contradicted] However,")
    assert done.edits[0].reason.endswith(KEPT_REASON)


async def test_what_leans_on_a_contradicted_sentence_goes_with_it_when_both_are_contradicted() -> None:
    claims = [claim.text for claim in decompose_text(text_to_document(f"{FLARES} {LEANS} {RIGHT}")).claims]
    told = {(claim, "Gout"): SUPPORTS if claim == RIGHT else AGAINST for claim in claims}
    done, text = await decomposed(f"{FLARES} {LEANS} {RIGHT}", told)
    assert ([one.action for one in done.edits], text) == (["removed", "removed"], RIGHT)


@each_row(
    "sentence",
    [
        "Colchicine reduced nausea and increased the number of flares.",
        "Colchicine reduced nausea, and more of the men had flares.",
        "While nausea was rare, flares were common on colchicine.",
    ],
)
async def test_a_sentence_of_two_clauses_is_marked_since_one_of_them_may_be_true(sentence: str) -> None:
    done = await repaired(sentence, {(sentence, "Gout"): AGAINST})
    assert [one.action for one in done.edits] == ["marked"]


async def test_an_edit_keeps_a_number_of_its_sentence_that_the_source_has_outside_of_the_excerpt() -> None:
    wrong = "Nausea was seen in 13% and fewer flares in none of the patients."
    right = "Nausea was seen in 13% and fewer flares in the patients."
    model = ScriptedModel({CleanUp: CleanUpReply(action="edit", text=right, excerpt=RIGHT)})
    done = await repaired(wrong, {(wrong, "Gout"): AGAINST, (right, "Gout"): SUPPORTS}, model)
    assert [(one.action, one.after) for one in done.edits] == [("edited", right)]


async def test_claims_that_a_model_made_from_parts_of_a_sentence_are_repaired_in_the_whole_sentence() -> None:
    sentence = "Nausea was seen in 13%, and flares were more common."
    halves = ("Nausea was seen in 13%", "flares were more common")
    text = text_of(f"Gout. {sentence} End.", a=halves[0], b=halves[1])
    text = text.model_copy(update={"sources": submitted("", 1).sources})
    told = {(halves[0], "Gout"): SUPPORTS, (halves[1], "Gout"): AGAINST}
    done = await run_checkup(text, ToldTracer(opened("1", SOURCE)), Pairs(told), repair=True)
    assert apply_edits(done.submitted, done.edits) == f"Gout. {sentence} [contradicted] End."


# --- the text with its edits ---------------------------------------------------------------------------------------

MARKDOWN = """# Gout

- **Colchicine** increased the number of
  flares [1].
- It cures gout [2].

Nausea was seen in 30 % of the patients.[3] Rest helps (Smith 2020). Gout is common.
"""


def text_of(document: str, **claims: str) -> SubmittedText:
    """A text with claims that stand where the words in the second half of `span|claim` stand."""
    found = []
    for number, both in enumerate(claims.values()):
        span, _, said = both.partition("|")
        start = document.index(span)
        found.append(Claim(number=number, text=said or span, start=start, end=start + len(span)))
    return submitted("").model_copy(
        update={"document": submitted(document).document, "claims": tuple(found), "sources": ()}
    )


def edit(number: int, before: str, after: str = "") -> ClaimEdit:
    return ClaimEdit(claim=number, before=before, after=after, action="edited" if after else "removed")


def test_marks_emphasis_and_line_ends_stay_where_words_change() -> None:
    span = "**Colchicine** increased the number of\n  flares [1]."
    text = text_of(MARKDOWN, a=f"{span}|{FLARES}")
    assert apply_edits(text, [edit(0, FLARES, RIGHT)]) == MARKDOWN.replace("increased", "reduced")


def test_a_claim_that_is_removed_goes_with_its_mark() -> None:
    text = text_of(MARKDOWN, b=NAUSEA, c="Gout is common.")
    done = apply_edits(text, [edit(0, NAUSEA), edit(1, "Gout is common.")])
    assert done == MARKDOWN.replace(
        "Nausea was seen in 30 % of the patients.[3] Rest helps (Smith 2020). Gout is common.",
        "Rest helps (Smith 2020).",
    )


def test_of_a_list_only_the_item_changes_although_each_claim_spans_the_lead_in() -> None:
    document = "Colchicine may cause:\n\n- nausea in 30 % of patients\n- a rash\n- loss of hair\n\nThe end.\n"
    spans = [document[: document.index(item) + len(item)] for item in ("30 % of patients", "a rash", "loss of hair")]
    said = ("nausea in 30 % of patients", "a rash", "loss of hair")
    text = text_of(
        document,
        **{
            f"c{n}": f"{span}|Colchicine may cause {one}."
            for n, (span, one) in enumerate(zip(spans, said, strict=True))
        },
    )
    made = [
        edit(0, "Colchicine may cause nausea in 30 % of patients.", "Colchicine may cause nausea in 13 % of patients."),
    ]
    assert apply_edits(text, made) == document.replace("30 %", "13 %")


def test_without_edits_the_text_is_as_it_was() -> None:
    assert apply_edits(text_of(MARKDOWN, a=NAUSEA), []) == MARKDOWN
    assert diff_edits(text_of(MARKDOWN, a=NAUSEA), []) == ""


def test_the_difference_shows_the_lines_that_change() -> None:
    right = NAUSEA.replace("30 %", "13%")
    told = diff_edits(text_of(f"One.\n{NAUSEA}", a=NAUSEA), [edit(0, NAUSEA, right)], "answer.md")
    assert told.splitlines() == [
        "--- answer.md",
        "+++ answer.md (cleaned)",
        "@@ -1,2 +1,2 @@",
        " One.",
        f"-{NAUSEA}",
        "\\ No newline at end of file",
        f"+{right}",
        "\\ No newline at end of file",
    ]


@each_row(
    ("text", "before", "after", "result"),
    [
        ("Seen in 30 % [3] of men.", "Seen in 30 % of men.", "Seen in 13 % of men.", "Seen in 13 % [3] of men."),
        ("**A** rises [1].", "A rises.", "A rises slowly.", "**A** rises slowly [1]."),
        ("A rises a lot [1].", "A rises a lot.", "A rises.", "A rises [1]."),
        ("It rises.", "Gout rises.", "Gout falls.", "It falls."),
        ("Finally, any flare counts [1].", "Any flare counts.", "Two flares count.", "Two flares count [1]."),
        (
            "It rises in most [1] of men [1].",
            "Gout gets worse in most men.",
            "Gout gets better in most men.",
            "Gout gets better in most men [1].",
        ),
        (
            "Odds rise [OR 0.4] in 2019 [1].",
            "Odds rise [OR 0.4] in 2019.",
            "Odds rise [OR 2.4] in 2019.",
            "Odds rise [OR 2.4] in 2019 [1].",
        ),
    ],
)
def test_only_the_words_that_differ_are_put_into_the_text(text: str, before: str, after: str, result: str) -> None:
    assert merge_edit(text, before, after) == result


def test_a_sentence_that_is_turned_round_no_longer_says_that_it_is_a_contrast_or_a_result() -> None:
    before, after = "However, flares rose [1].", "Flares fell."
    assert merge_edit(before, "Flares rose.", after, is_reversed=True) == "Flares fell [1]."
    assert merge_edit(before, "Flares rose.", after) == "However, flares fell [1]."


def test_the_marks_of_a_sentence_are_taken_off_and_what_is_said_in_brackets_stays() -> None:
    said = (
        "Odds rise [OR 3.8, 95% CI 2-7] (in 2014) on [the drug](https://example.org/a) [2](https://example.org/b) [3]."
    )
    assert strip_marks(said) == "Odds rise [OR 3.8, 95% CI 2-7] (in 2014) on the drug."


def test_a_note_on_a_row_stands_in_its_last_cell() -> None:
    text = "| Name | Effect |\n|---|---|\n| gout | Colchicine cures gout. [1] |\n"
    apart = decompose_text(text_to_document(text))
    (claim,) = apart.claims
    made = edit(claim.number, claim.text).model_copy(update={"action": "marked", "note": "not verified"})
    assert apply_edits(apart, [made]).splitlines()[2] == "| gout | Colchicine cures gout. [1] [not verified] |"


@each_row(
    ("text", "left"),
    [
        ("Rest helps in gout. Gout is cured [1]. Gout is gone [1].\n\nEnd.", "Rest helps in gout.\n\nEnd."),
        ("Rest helps in gout.\n\nGout is cured [1]. Gout is gone [1].\n\nEnd.", "Rest helps in gout.\n\nEnd."),
        ("Gout is cured [1]. Gout is gone [1].\n\nRest helps in gout.", "Rest helps in gout."),
    ],
)
def test_a_sentence_that_goes_leaves_no_blank_and_no_empty_paragraph(text: str, left: str) -> None:
    apart = decompose_text(text_to_document(text))
    gone = [edit(one.number, one.text) for one in apart.claims if one.text in ("Gout is cured.", "Gout is gone.")]
    assert len(gone) == 2
    assert apply_edits(apart, gone) == left


@pytest.mark.nightly
def test_a_long_statement_is_rewritten_in_no_time() -> None:
    """Blanks between words that all change made it take a minute."""
    before, after = (" ".join(f"{letter}{number}x" for number in range(400)) for letter in "ab")
    assert merge_edit(f"{before} [1].", f"{before}.", f"{after}.") == f"{after} [1]."
