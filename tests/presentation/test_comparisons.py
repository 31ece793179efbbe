"""Alternatives beside each other in a table, as every writer sets it."""

from io import BytesIO

import docx
from lxml import html

from tests.presentation.test_answers import GUIDE, TRIAL, passage
from tests.presentation.written import terminal_text
from tests.tables import each_row
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.html import write_html
from wellsourced.presentation.markdown import write_markdown
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.word import write_word_file
from wellsourced.types import (
    Answer,
    Citation,
    Evidence,
    Passage,
    Question,
    SourceDifference,
    Statement,
    TableCell,
    Verdict,
)

DABIGATRAN = passage(GUIDE, "Idarucizumab 5 g reverses dabigatran. It must not be given again.", 0)
XABANS = passage(TRIAL, "Andexanet reverses apixaban and rivaroxaban within minutes.", 0)


def stated(
    text: str, source: Passage, row: str, column: str, words: str, *, verified: bool = True, differs: str = ""
) -> Statement:
    cited = Citation(passage_id=source.id, quote=source.text, start=source.start, end=source.end)
    basis = "model" if verified else "likeness"
    return Statement(
        text=text,
        citations=(cited,),
        verdict=Verdict(label="supports", score=1.0, basis=basis, reason="" if verified else "nobody read it"),
        topic="Reversal",
        cell=TableCell(row=row, column=column, words=words),
        differences=(SourceDifference(kind="dose", statement=differs, source="5 g"),) if differs else (),
    )


DRUG = stated("Dabigatran is reversed by idarucizumab 5 g.", DABIGATRAN, "Dabigatran", "antidote", "idarucizumab 5 g")
AGAIN = stated("Idarucizumab must not be given again.", DABIGATRAN, "Dabigatran", "repeated", "be given again")
XABAN = stated("Apixaban is reversed by andexanet.", XABANS, "Apixaban", "antidote", "andexanet", verified=False)


def answer(*statements: Statement) -> Answer:
    return Answer(
        question=Question(text="How are anticoagulants reversed in non-valvular fibrillation?"),
        statements=statements,
        evidence=tuple(Evidence(passage=one, relevance=1.0) for one in (DABIGATRAN, XABANS)),
        writer="played",
    )


def test_a_terminal_shows_a_row_for_each_alternative_and_in_full_what_is_doubtful() -> None:
    shown = terminal_text(answer(DRUG, AGAIN, XABAN), TerminalPage(width=100)).splitlines()
    at = shown.index("Reversal")
    assert [" ".join(line.split()) for line in shown[at + 1 : at + 6]] == [
        "antidote repeated",
        "─" * len(shown[at + 2].strip()),
        "Dabigatran idarucizumab 5 g [1] Idarucizumab must not be given again. [1]",
        "Apixaban andexanet (not verified) [2] –",
        "• Apixaban is reversed by andexanet. [2] (not verified: nobody read it)",
    ]
    assert "• Dabigatran is reversed by idarucizumab 5 g. [1]" not in "\n".join(shown)
    with_quotes = terminal_text(answer(DRUG, AGAIN, XABAN), TerminalPage(width=100, quotes=True))
    assert "• Dabigatran is reversed by idarucizumab 5 g. [1]" in with_quotes


def test_both_places_of_a_difference_are_shown_below_the_table() -> None:
    differing = stated("Dabigatran is reversed by 2 g.", DABIGATRAN, "Dabigatran", "antidote", "2 g", differs="2 g")
    shown = terminal_text(answer(differing, XABAN), TerminalPage(width=100))
    assert "Compare “2 g” with its source: “5 g”." in shown
    assert "2 g ⚠ [1]" in shown


@each_row(
    ("text", "words", "shown"),
    [
        ("Warfarin is reversed by vitamin K.", "vitamin K", "vitamin K"),
        ("Warfarin is reversed by Vitamin K.", "vitamin k", "vitamin k"),
        ("Warfarin is not reversed by vitamin K.", "reversed by vitamin K", "Warfarin is not reversed by vitamin K."),
        ("Give vitamin K only if it bleeds.", "vitamin K", "Give vitamin K only if it bleeds."),
        ("With an INR of 2 or more, give vitamin K.", "vitamin K", "With an INR of 2 or more, give vitamin K."),
        ("In heart failure warfarin is reversed by vitamin K.", "vitamin K", "vitamin K"),
        ("In non-valvular fibrillation warfarin is reversed by vitamin K.", "vitamin K", "vitamin K"),
        ("Warfarin is reversed by vitamin K (CRASH-2; type 2; AHA 2013).", "vitamin K", "vitamin K"),
        ("Warfarin is reversed by vitamin K.", "protamine", "Warfarin is reversed by vitamin K."),
        ("Warfarin is reversed by vitamin K.", "", "Warfarin is reversed by vitamin K."),
    ],
)
def test_a_cell_shows_the_statements_own_words_or_all_of_it(text: str, words: str, shown: str) -> None:
    cell = stated(text, DABIGATRAN, "Warfarin", "antidote", words)
    table = write_markdown(build_answer(answer(cell, XABAN)))
    assert f"| Warfarin | {shown} [1] |" in table


def test_one_alternative_is_no_table() -> None:
    shown = write_markdown(build_answer(answer(DRUG, AGAIN)))
    assert "| --- |" not in shown
    assert "- Dabigatran is reversed by idarucizumab 5 g. [1]" in shown


def test_a_page_links_each_cell_to_its_work_and_says_it_in_full_below() -> None:
    page = html.fromstring(f"<div>{write_html(build_answer(answer(DRUG, AGAIN, XABAN)))}</div>")
    [table] = page.xpath(".//table")
    assert [cell.text_content() for cell in table.xpath(".//thead//th")] == ["", "antidote", "repeated"]
    [cell] = table.xpath(".//tr[td='Dabigatran']/td[2]")
    [link] = cell.xpath("./a")
    assert (link.text, page.xpath(f".//*[@id='{link.get('href')[1:]}']") != []) == ("[1]", True)
    assert len(page.xpath(".//li[contains(@class, 'statement')]")) == 3


def test_a_word_file_has_the_table() -> None:
    [table] = docx.Document(BytesIO(write_word_file(build_answer(answer(DRUG, AGAIN, XABAN))))).tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["", "antidote", "repeated"],
        ["Dabigatran", "idarucizumab 5 g [1]", "Idarucizumab must not be given again. [1]"],
        ["Apixaban", "andexanet (not verified) [2]", "–"],
    ]


def test_json_names_the_place_of_a_statement_that_has_one() -> None:
    said = answer(DRUG, AGAIN, XABAN).model_dump(mode="json")["statements"]
    assert said[0]["cell"] == {"row": "Dabigatran", "column": "antidote", "words": "idarucizumab 5 g"}
    plain = answer(DRUG.model_copy(update={"cell": None})).model_dump(mode="json")["statements"]
    assert "cell" not in plain[0]
