"""Checked texts as blocks, and as a terminal and a page show them."""

from html.parser import HTMLParser
from typing import Any, TypeVar

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.presentation.checked import CURE, FLARE, NAUSEA, OLD, SOURCES, TEXT, check_gout
from tests.tables import each_row
from wellsourced.app.messages import spell_next_step
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.verdicts import find_issues, is_cut_off, issue_kinds, pool_shares
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Block, Mark, Presentation
from wellsourced.presentation.checks import (
    describe_faults,
    describe_figures,
    find_shared_reasons,
    present_checks,
    reword_reason,
    summarize_check,
)
from wellsourced.presentation.html import write_html_page
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.types import (
    Checkup,
    Claim,
    ClaimEdit,
    ClaimSourceVerdict,
    Document,
    Reference,
    ShareInterval,
    SourceResolution,
    SubmittedText,
    Verdict,
    WordDifference,
)

B = TypeVar("B", bound=Block)


@pytest.fixture
async def checkup() -> Checkup:
    return await check_gout()


def present(checkup: Checkup, name: str = "a.md") -> Presentation:
    return present_checks([CheckedText(name, checkup)], {})


def find(shown: Presentation, kind: type[B]) -> list[B]:
    return [block for block in shown.blocks if isinstance(block, kind)]


def find_list(shown: Presentation, title: str) -> blocks.List:
    return next(one for one in find(shown, blocks.List) if one.title == title)


def write(shown: Presentation, *, details: bool = False) -> str:
    return write_terminal(shown, TerminalPage(120, quotes=True, places=details, receipt=details), spell_next_step)


def test_what_is_urgent_comes_first_and_a_source_counts_once_for_the_worst_of_it(checkup: Checkup) -> None:
    shown = present(checkup)
    urgent = find_list(shown, "Look at these first")
    # Source 4 is not at its address either, which matters less than that nobody knows it.
    assert [item.text for item in urgent.items] == ["Source 3 was retracted", "Source 4 was found in no catalogue"]
    assert shown.blocks[1] == blocks.Text(
        "4 statements: 1 contradicted, 1 not supported, 1 not checked, 1 supported; 4 sources, 3 read"
    )


def test_statements_are_in_order_of_urgency_each_with_the_words_that_decide(checkup: Checkup) -> None:
    (marked,) = find(present(checkup), blocks.MarkedText)
    assert [(one.group, one.number, one.citations) for one in marked.statements] == [
        ("Contradicted by the source (1)", 2, (2,)),
        ("Not supported (1)", 3, (3,)),
        ("Not checked (1)", 4, ()),
        ("Supported (1)", 1, (1,)),
    ]
    (quote,) = marked.statements[0].quotes
    assert quote.words == ("Nausea was frequent with colchicine.",)
    assert (quote.locator.number, quote.locator.document, quote.facts) == (2, "url:2", ())
    stretches = [marked.text[mark.start : mark.end] for mark in marked.marks]
    assert [*zip((mark.number for mark in marked.marks), stretches, strict=True)] == [
        (1, FLARE),
        (2, NAUSEA),
        (3, CURE),
        (4, OLD),
    ]


def check_statement(verdict: Verdict, claim: str = "Give 0.6 mg of colchicine.", **found: Any) -> CheckedText:
    """A statement and what its only source says of it."""
    text = Document(reference=Reference(id="file:text"), text=claim)
    claims = (Claim(number=0, text=claim, start=0, end=len(claim), cites=("1",)),)
    pair = ClaimSourceVerdict(claim=0, source="1", verdict=verdict, own=True, **found)
    traced = (SourceResolution(key="1", fetched="ok", standing="found"),)
    done = Checkup(
        submitted=SubmittedText(document=text, claims=claims), traced=traced, pairings=(pair,), verdicts=(verdict,)
    )
    return CheckedText("a.md", done)


UNSURE = Verdict(label="silent", score=0.4, reason="differs from its source: “1.2 mg” → “0.6 mg”")
DOSE = WordDifference(claim_start=5, claim_end=11, source_start=14, source_end=20, kind="figure")
WORDS = DOSE.model_copy(update={"kind": "wording", "claim_start": 0, "claim_end": 4})
ROW: dict[str, Any] = {
    "quote": "colchicine | 1.2 mg",
    "start": 40,
    "end": 59,
    "above": "Drug | Dose",
    "section": "Flares",
}


@each_row(
    "verdict, found, group",
    [
        (Verdict(label="supports", score=1.0, basis="verbatim"), ROW, "verbatim"),
        (UNSURE, ROW | {"differences": (DOSE.model_copy(update={"source_start": 13, "source_end": 19}),)}, "differs"),
        (UNSURE, ROW | {"differences": (WORDS.model_copy(update={"source_start": 0, "source_end": 0}),)}, "wording"),
        (UNSURE, ROW | {"missing": ("colchicine",)}, "nowhere"),
        (UNSURE, ROW | {"missing": ("0.6 mg",)}, "nowhere"),
        (UNSURE, {}, "nowhere"),
        (Verdict(label="silent", score=0.1, basis="record"), ROW, "unsupported"),
        (Verdict(label="unjudged", score=0.0), {}, "unread"),
    ],
)
def test_a_statement_is_among_those_with_which_the_same_is_to_be_done(
    verdict: Verdict, found: dict[str, Any], group: str
) -> None:
    result = check_statement(verdict, **found)
    assert [result.find_group(*judged) for judged in result.judged_claims] == [group]


def test_a_place_has_its_section_and_the_header_of_its_row_and_words_that_differ_are_marked_in_both() -> None:
    differing = DOSE.model_copy(update={"source_start": 13, "source_end": 19})
    shown = present_checks([check_statement(UNSURE, **ROW, differences=(differing,))], {})
    assert (
        "Differs in what it says (1)\n"
        "  ~ 1. Give *0.6 mg* of colchicine. [1]\n"
        "      differs in: figure\n"
        "      [1] Flares:\n"
        "        Drug | Dose\n"
        "        “colchicine | *1.2 mg*”\n"
    ) in write(shown)
    page = write_html_page(shown)
    assert "Give <u>0.6 mg</u> of colchicine." in page
    assert "<small>Drug | Dose</small>\n<mark>colchicine | </mark><mark><u>1.2 mg</u></mark>" in page


def test_what_is_nowhere_in_the_source_is_named() -> None:
    shown = present_checks([check_statement(UNSURE, **ROW, missing=("colchicine",))], {})
    assert "“colchicine” is nowhere in the source; this is nearest:" in write(shown)


def differing_checkup() -> Checkup:
    """Two statements of one sentence; the second gives another figure, and lacks a word, than a source not cited."""
    text = "Nausea and rashes occurred in 31% of patients."
    claims = tuple(
        Claim(number=number, text=words, start=0, end=len(text), cites=("1",))
        for number, words in enumerate(("Rashes occurred in 31%.", "Nausea occurred in 31%."))
    )
    unsupported = Verdict(label="silent", score=0.1, basis="record", reason="not said by its source")
    near = Verdict(label="silent", score=0.4, reason="differs from its source: “Nausea often occurred in 13%.”")
    pair = ClaimSourceVerdict(
        claim=1,
        source="2",
        verdict=near,
        quote="Nausea often occurred in 13%.",
        start=5,
        end=34,
        differences=(
            WordDifference(claim_start=19, claim_end=21, source_start=25, source_end=27, kind="figure"),
            WordDifference(claim_start=6, claim_end=6, source_start=7, source_end=12, kind="left out"),
        ),
    )
    return Checkup(
        submitted=SubmittedText(document=Document(reference=Reference(id="file:text"), text=text), claims=claims),
        traced=tuple(SourceResolution(key=key, fetched="ok", standing="found") for key in "12"),
        pairings=(pair,),
        verdicts=(unsupported, near),
    )


def test_words_that_differ_are_marked_on_both_sides_and_a_source_that_is_not_cited_is_named_so() -> None:
    (marked,) = find(present(differing_checkup()), blocks.MarkedText)
    statement = marked.statements[0]
    # Of what a side lacks there is nothing to mark on it.
    assert [statement.text[mark.start : mark.end] for mark in statement.marks] == ["31"]
    (quote,) = statement.quotes
    differing = [quote.text[mark.start : mark.end] for mark in quote.marks if mark.kind == "differs"]
    assert (differing, quote.facts) == (["often", "13"], ("not cited here",))
    # The reason repeats no words that are marked below it.
    assert statement.remark == "differs in: figure"
    assert marked.marks == (Mark(0, 46, "statement", 1), Mark(0, 46, "statement", 2))


async def test_two_sources_are_quoted_at_most() -> None:
    sources = [opened(key, f"{FLARE} It is number {key}.") for key in "123"]
    told = {(FLARE, "shortens"): verdict("supports", quote=FLARE)}
    done = await run_checkup(submitted(FLARE, 3, c0=("1", "2", "3")), ToldTracer(*sources), Pairs(told))
    (marked,) = find(present(done), blocks.MarkedText)
    assert [quote.locator.number for quote in marked.statements[0].quotes] == [1, 2]


async def test_a_statement_that_only_an_uncited_source_supports_is_urgent() -> None:
    tracer = ToldTracer(opened("1", "Rashes were seen."), opened("2", FLARE))
    done = await run_checkup(submitted(FLARE, 2, c0=("1",)), tracer, Pairs({(FLARE, "shortens"): verdict("supports")}))
    urgent = find_list(present(done), "Look at these first")
    assert [item.text for item in urgent.items] == ["1 statement is supported only by a source it does not cite"]
    assert "supported by source 2, not cited here" in write(present(done))


def test_the_terminal_shows_each_statement_with_its_mark_its_source_and_the_words(checkup: Checkup) -> None:
    text, detailed = write(present(checkup, "answer.md")), write(present(checkup, "answer.md"), details=True)
    assert text.startswith("answer.md\n4 statements: 1 contradicted,")
    assert f"  ✓ 1. {FLARE} [1]\n      [1] “Colchicine shortened flares.”" in text
    assert "\nContradicted by the source (1)\n  ✗ 2." in text
    assert f"  ✗ 3. {CURE} [3]\n      the source was retracted (PubMed, 2020), and cannot support it" in text
    assert f"  ? 4. {OLD}\n      the reply could not be read" in text
    assert "  [4] https://example.org/4\n      in no catalogue; dead; Crossref knows no such title" in text
    told = ("characters 0–28", "source validity: 75.0 % (3 of 4; 95 % interval 25.0–100.0)", "judged by pairs")
    assert [(one in text, one in detailed) for one in told] == [(False, True)] * 3


async def test_a_source_whose_page_is_gone_is_read_where_its_abstract_was_had_elsewhere() -> None:
    sources = (opened("1", FLARE), opened("2", CURE, fetched="dead"), opened("3", fetched="dead"))
    text = submitted(f"{FLARE}\n{CURE}", 3, c0=("1",), c1=("2",))
    done = await run_checkup(text, ToldTracer(*sources), Pairs({(FLARE, FLARE): verdict("supports")}))
    assert summarize_check(CheckedText("a.md", done)).endswith("; 3 sources, 2 read")


def test_several_texts_have_their_figures_together(checkup: Checkup) -> None:
    shown = present_checks(
        [CheckedText("a.md", checkup), CheckedText("b.md", checkup)], pool_shares([checkup, checkup])
    )
    assert [one.text for one in find(shown, blocks.Heading)] == ["a.md", "b.md"]
    together = find_list(shown, "All 2 texts together")
    assert "source validity: 75.0 % (6 of 8; 95 % interval 75.0–75.0)" in [item.text for item in together.items]


def test_only_the_main_figures_are_shown() -> None:
    half = ShareInterval(part=1, of=2, share=0.5)
    shares = {
        "source validity": half,
        "source validity, strict": half,  # as its main figure
        "statement support": ShareInterval(part=0, of=2, share=0.0),  # a main figure, even where it is 0
        "statement support at best": half,
        "sources invented": ShareInterval(part=0, of=2, share=0.0),  # none came up
        "sources retracted": ShareInterval(part=0, of=0),  # of nothing
    }
    assert [*describe_figures(shares)] == ["source validity: 50.0 % (1 of 2)", "statement support: 0.0 % (0 of 2)"]


def test_repairs_and_notes_are_shown() -> None:
    edits = (
        ClaimEdit(claim=0, before="It cures.", after="It may help.", reason="the source says less"),
        ClaimEdit(claim=1, action="removed", before="It is old.", after="", reason="no source"),
        ClaimEdit(claim=2, action="marked", before="It is new.", after="It is new.", note="no source says this"),
    )
    done = Checkup(submitted=submitted(""), edits=edits)
    repaired = find_list(present(done), "Repaired")
    assert [(item.text, *(one.text for one in item.items)) for item in repaired.items] == [
        ("− It cures.", "+ It may help.", "the source says less"),
        ("− It is old.", "removed", "no source"),
        ("− It is new.", "stays, with a note", "no source says this"),
    ]


def test_a_check_that_was_stopped_says_so(checkup: Checkup) -> None:
    stopped = checkup.model_copy(update={"complete": False})
    assert "incomplete: 16 pairs judged so far" in write(present(stopped))


def test_reasons_of_judges_are_in_the_words_of_a_check() -> None:
    assert reword_reason("the text's own words") == "the source's own words"
    assert reword_reason("“13” in the claim, “31” in the text") == "“13” in the statement, “31” in the source"
    assert reword_reason("supports 0.81, contradicts 0.02, silent 0.17") == ("the local judge's score is too low")


class Seen(HTMLParser):
    """What a browser would see: tags with their attributes, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_marks_the_text_and_lets_nothing_of_it_be_markup(checkup: Checkup) -> None:
    page = Seen(write_html_page(present(checkup)))
    marks = [attributes["class"] for tag, attributes in page.tags if tag == "mark" and "class" in attributes]
    assert marks == ["verified", "contradicted", "unsupported", "unjudged"]
    assert NAUSEA in page.text
    assert {"script", "img", "link", "iframe"}.isdisjoint(tag for tag, _ in page.tags)
    inside = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    ids = {f"#{attributes['id']}" for _, attributes in page.tags if "id" in attributes}
    statements = {one for one in ids if one.startswith("#statement-")}
    assert len(statements) == 4
    assert statements <= {one for one in inside if one and one.startswith("#")} <= ids


async def test_an_address_that_is_none_is_no_link() -> None:
    text = submitted(FLARE, 1)
    hostile = text.sources[0].model_copy(update={"url": "javascript:alert(1)", "written": "<script>"})
    done = await run_checkup(text.model_copy(update={"sources": (hostile,)}), ToldTracer(*SOURCES), Pairs({}))
    page = Seen(write_html_page(present(done)))
    assert [one for one in page.tags if one[0] == "script"] == []
    assert not any("javascript" in (attributes.get("href") or "") for _, attributes in page.tags)


def test_findings_are_in_the_order_of_the_text_and_a_contradicted_statement_is_unsupported_too(
    checkup: Checkup,
) -> None:
    found = find_issues(checkup)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert issue_kinds(found) == {"contradicted", "unsupported", "unverified", "retracted", "fabricated", "dead"}
    contradicted = [one for one in found if one.kind == "contradicted"]
    assert issue_kinds(contradicted) == {"contradicted", "unsupported"}


async def test_a_text_none_of_whose_sources_is_reached_is_cut_off_and_one_behind_a_login_is_not() -> None:
    text = submitted(FLARE, 1)
    offline = await run_checkup(text, ToldTracer(opened("1", fetched="offline")), Pairs({}))
    login = await run_checkup(text, ToldTracer(opened("1", fetched="refused")), Pairs({}))
    assert (is_cut_off(offline), is_cut_off(login)) == (True, False)


def test_a_text_without_a_statement_says_so_in_one_line() -> None:
    shown = present(Checkup(submitted=submitted("")), "-")
    assert write(shown).startswith("The text\n0 statements; 0 sources, 0 read\n")
    assert all(one.items == () for one in find(shown, blocks.List))


def test_what_is_to_be_known_of_several_sources_is_told_once_with_their_keys() -> None:
    down = "Crossref: it could not be asked"
    reasons = {"1": down, "2": f"its id could not be looked up; {down}", "3": ""}
    traced = {
        key: SourceResolution(key=key, fetched="ok", standing="found", reason=reason) for key, reason in reasons.items()
    }
    shared = find_shared_reasons(traced)
    assert shared == {down: ["1", "2"]}
    assert [describe_faults(one, shared) for one in traced.values()] == ["", "its id could not be looked up", ""]
    assert describe_faults(traced["2"]) == reasons["2"]
    done = Checkup(submitted=TEXT, traced=tuple(traced.values()), verdicts=(Verdict(label="silent", score=0.0),) * 4)
    assert f"Sources 1, 2: {down}" in write(present(done))
