"""A check from the text to its verdicts: what counts for a claim, and that nothing stops it."""

from datetime import date

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.types import Checkup, Claim, ClaimSourceVerdict, Notice, Retraction, Section

FLARE = "Colchicine shortens gout flares."
NAUSEA = "Colchicine causes nausea."
CURE = "Colchicine cures gout."
TRIAL = "We studied gout. Colchicine shortened flares by two days. Nausea was frequent with colchicine."
SUPPORTS = verdict("supports", reason="said")
CONTRADICTS = verdict("contradicts", quote="Colchicine shortened flares by two days.")

DAY = date(2026, 11, 21)


def pair(checkup: Checkup, claim: int, source: str) -> ClaimSourceVerdict:
    return next(one for one in checkup.pairings if (one.claim, one.source) == (claim, source))


async def test_every_statement_is_put_to_every_source_and_a_dead_or_unknown_one_is_a_finding() -> None:
    text = submitted(f"{FLARE}\n{NAUSEA}\n{CURE}", 3, c0=("1",))
    tracer = ToldTracer(opened("1", TRIAL), opened("2", fetched="dead"), opened("3", fetched="unknown host"))
    judge = Pairs({(FLARE, "shortened"): SUPPORTS, (NAUSEA, "Nausea"): SUPPORTS})
    done = await run_checkup(text, tracer, judge, as_of=DAY)
    assert len(done.pairings) == 9
    assert [one.status for one in done.verdicts] == ["verified", "verified", "unjudged"]
    assert done.verdicts[2].reason == "not found in what could be read; sources 2, 3 could not be read"
    assert [one.own for one in done.pairings if one.claim == 0] == [True, False, False]
    assert pair(done, 0, "2").verdict.reason == "the source could not be read (dead)"
    assert (done.judge, done.as_of, done.complete) == ("pairs", DAY, True)


async def test_the_quote_is_the_sentence_that_decides_and_stands_in_the_document_where_it_says() -> None:
    text = submitted(f"{FLARE}\n{CURE}", 1)
    judge = Pairs({(FLARE, "shortened"): SUPPORTS, (CURE, "shortened"): CONTRADICTS})
    done = await run_checkup(text, ToldTracer(opened("1", TRIAL)), judge)
    for one in done.pairings:
        assert one.quote == "Colchicine shortened flares by two days." == TRIAL[one.start : one.end]


async def test_only_the_sources_whose_marks_it_bears_are_asked_about_a_claim_if_that_is_wished() -> None:
    text = submitted(f"{FLARE}\n{NAUSEA}", 2, c0=("2",))
    judge = Pairs({})
    done = await run_checkup(text, ToldTracer(opened("1", TRIAL), opened("2", TRIAL)), judge, scope="own")
    assert [(one.claim, one.source, one.own) for one in done.pairings] == [(0, "2", True)]
    assert done.verdicts[1].reason == "it names no source"


async def test_one_source_alone_has_to_support_it_and_support_outweighs_contradiction() -> None:
    text = submitted(f"{FLARE}\n{NAUSEA}\n{CURE}", 2)
    judge = Pairs(
        {
            (FLARE, "first"): CONTRADICTS.model_copy(update={"quote": "The first source."}),
            (FLARE, "second"): SUPPORTS,
            (NAUSEA, "first"): verdict("contradicts", quote="The first source."),
            (CURE, "second"): verdict("unjudged", 0.0, "the reply could not be read"),
        }
    )
    sources = opened("1", "The first source. It is short."), opened("2", "The second source. It is short.")
    done = await run_checkup(text, ToldTracer(*sources), judge)
    assert [one.label for one in done.verdicts] == ["supports", "contradicts", "unjudged"]


async def test_that_another_source_says_so_than_the_one_whose_mark_it_bears_is_told() -> None:
    text = submitted(FLARE, 2, c0=("1",))
    judge = Pairs({(FLARE, "second"): SUPPORTS})
    done = await run_checkup(
        text, ToldTracer(opened("1", "The first source."), opened("2", "The second source.")), judge
    )
    assert done.verdicts[0].label == "supports"
    assert done.verdicts[0].reason == "said; supported by source 2, not cited here"
    assert done.shares["pairing precision"].share == 0


@each_row("label", ["supports", "contradicts"])
async def test_of_two_sources_that_say_the_same_of_it_the_one_whose_mark_it_bears_is_told(label: str) -> None:
    text = submitted(FLARE, 2, c0=("1",))
    sources = opened("1", "The first source."), opened("2", "The second source.")
    own = verdict(label, 0.6, "its own source", quote="The first source.")
    other = verdict(label, 0.99, "another source", quote="The second source.")
    done = await run_checkup(text, ToldTracer(*sources), Pairs({(FLARE, "first"): own, (FLARE, "second"): other}))
    assert (done.verdicts[0].label, done.verdicts[0].reason) == (label, "its own source")


async def test_a_retracted_source_supports_nothing_and_one_under_concern_says_so() -> None:
    withdrawn = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed", published="2020-05"),))
    concern = Retraction(status="false", notices=(Notice(kind="concern", source="Crossref"),))
    text = submitted(f"{FLARE}\n{NAUSEA}", 2)
    judge = Pairs({(FLARE, "first"): SUPPORTS, (NAUSEA, "second"): SUPPORTS})
    tracer = ToldTracer(
        opened("1", "The first source.", retraction=withdrawn), opened("2", "The second source.", retraction=concern)
    )
    done = await run_checkup(text, tracer, judge)
    assert done.verdicts[0].label == "silent"
    assert done.verdicts[0].reason.startswith("the source was retracted (PubMed, 2020-05)")
    assert done.verdicts[1].label == "supports"
    assert done.verdicts[1].reason == "said; the source is under an expression of concern (Crossref)"
    assert "1 source was retracted" in done.notes


async def test_equal_claims_are_judged_once_and_count_as_often_as_they_occur() -> None:
    text = submitted(f"{FLARE}\n{FLARE.upper()}\n{FLARE}", 1)
    judge = Pairs({(FLARE, "shortened"): SUPPORTS})
    done = await run_checkup(text, ToldTracer(opened("1", TRIAL)), judge)
    assert len(judge.asked) == 1
    assert (done.shares["statement support"].part, done.shares["statement support"].of) == (3, 3)


async def test_a_long_document_is_judged_where_it_speaks_of_the_claim_and_any_part_can_support_it() -> None:
    filler = "\n\n".join(f"Paragraph {number} is about the weather in the region. " * 8 for number in range(60))
    text = f"{filler}\n\n{TRIAL}\n\n{filler}"
    judge = Pairs({(FLARE, "shortened"): SUPPORTS})
    done = await run_checkup(
        submitted(FLARE, 1), ToldTracer(opened("1", text)), judge, judging=JudgingOptions(window=500, max_parts=3)
    )
    assert done.verdicts[0].label == "supports"
    assert 1 <= len(judge.asked) <= 3
    assert max(len(one.text) for one in judge.asked) <= 500
    assert text[done.pairings[0].start : done.pairings[0].end] == "Colchicine shortened flares by two days."


async def test_an_article_of_many_short_sections_that_a_judge_can_read_at_once_is_put_to_it_in_one_pair() -> None:
    parts = [f"Heading {number}\n\n{'Colchicine was studied here. ' * 8}" for number in range(10)]
    article = opened("1", "\n\n".join(parts))
    sections, at = [], 0
    for part in parts:
        sections.append(Section(title=part[:9], start=at + 11, end=at + len(part)))
        at += len(part) + 2
    assert article.document
    sectioned = article._replace(document=article.document.model_copy(update={"sections": tuple(sections)}))
    judge = Pairs({})
    await run_checkup(
        submitted(FLARE, 1), ToldTracer(sectioned), judge, judging=JudgingOptions(window=1_300, max_parts=8)
    )
    assert len(judge.asked) == 2


async def test_a_source_in_another_language_is_not_judged_without_a_language_model() -> None:
    german = (
        "Colchicin verkürzte den Gichtanfall um zwei Tage, und die Übelkeit war nicht häufiger als mit dem Placebo."
    )
    judge = Pairs({(FLARE, "verkürzte"): SUPPORTS})
    tracer = ToldTracer(opened("1", german))
    done = await run_checkup(submitted(FLARE, 1), tracer, judge)
    assert (done.verdicts[0].label, judge.calls) == ("unjudged", 0)
    assert "the source is in German and the statement in English" in done.verdicts[0].reason
    read = await run_checkup(submitted(FLARE, 1), tracer, judge, judging=JudgingOptions(any_language=True))
    assert read.verdicts[0].label == "supports"


async def test_a_contradiction_without_words_about_the_claim_is_none() -> None:
    judge = Pairs({(FLARE, "weather"): verdict("contradicts", reason="the negation differs")})
    done = await run_checkup(submitted(FLARE, 1), ToldTracer(opened("1", "The weather was not mild.")), judge)
    assert done.verdicts[0].label == "silent"


async def test_that_a_supporting_sentence_cites_another_study_is_said() -> None:
    judge = Pairs({(FLARE, "shortens"): SUPPORTS})
    review = "Colchicine shortens gout flares [12]. It is cheap."
    done = await run_checkup(submitted(FLARE, 1), ToldTracer(opened("1", review)), judge)
    assert done.verdicts[0].reason == "said; it cites another work for this (“[12]”), which was not read"


async def test_a_judge_that_fails_leaves_its_claims_unjudged_and_the_checkup_incomplete() -> None:
    class Down(Pairs):
        async def judge(self, pairs: object) -> list[object]:  # type: ignore[override]
            raise ModelUnavailable("the model does not answer.")

    done = await run_checkup(submitted(FLARE, 1), ToldTracer(opened("1", TRIAL)), Down({}))
    assert (done.verdicts[0].label, done.complete) == ("unjudged", False)
    assert "judging is incomplete (the model does not answer); check again to continue" in done.notes


async def test_where_no_statement_bears_a_mark_each_is_put_to_all_sources_whatever_the_scope() -> None:
    judge = Pairs({(FLARE, "shortened"): SUPPORTS})
    done = await run_checkup(submitted(FLARE, 1), ToldTracer(opened("1", TRIAL)), judge, scope="own")
    assert done.verdicts[0].label == "supports"


async def test_a_text_without_sources_or_with_none_that_can_be_read_has_a_clear_outcome() -> None:
    bare = await run_checkup(submitted(FLARE), ToldTracer(), Pairs({}))
    assert (bare.verdicts[0].label, bare.verdicts[0].reason) == ("silent", "the text names no source")
    unread = await run_checkup(submitted(FLARE, 1), ToldTracer(opened("1", fetched="refused")), Pairs({}))
    assert unread.verdicts[0].reason == "the text's source could not be read (refused)"
    assert "no source could be read" in unread.notes
    nothing = await run_checkup(submitted("", 1), ToldTracer(opened("1", TRIAL)), Pairs({}))
    assert (nothing.verdicts, nothing.shares["source validity"].share) == ((), 1.0)


async def test_a_mark_that_no_source_belongs_to_is_told() -> None:
    text = submitted(FLARE, 0)
    claim = Claim(number=0, text=FLARE, start=0, end=len(FLARE), dangling=("7",))
    done = await run_checkup(text.model_copy(update={"claims": (claim,)}), ToldTracer(), Pairs({}))
    assert done.verdicts[0].reason == "its mark “7” has no source"


async def test_of_too_many_pairs_each_claim_is_put_to_its_own_sources() -> None:
    claims = "\n".join(f"Colchicine is claim number {number}." for number in range(20))
    text = submitted(claims, 1_001, c0=("1", "999"))
    tracer = ToldTracer(*(opened(str(key), fetched="dead") for key in range(1, 1_002)))
    done = await run_checkup(text, tracer, Pairs({}))
    assert [(one.claim, one.source) for one in done.pairings] == [(0, "1"), (0, "999")]
    assert done.verdicts[0].reason == "none of its sources could be read (2 dead)"
    assert done.shares["source validity"].of == 1_001
    assert any(note.startswith("too many pairs of statement and source (20,020)") for note in done.notes)
