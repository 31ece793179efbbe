"""How statements are set: shared headings once, lists as lines, markers at their last word."""

import re

from tests.presentation.written import write_lines
from tests.tables import each_row
from wellsourced.presentation.blocks import Text
from wellsourced.presentation.references import NumberedReferences
from wellsourced.presentation.statements import (
    build_statements,
    is_verbatim,
)
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.text.passages import cut_passages
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Citation, Passage, Reference, Statement, Verdict

TEXT = (
    "DOACs\nStandard dosing in non-valvular AF:\n- Apixaban: 5 mg twice daily.\n- Edoxaban: 60 mg once daily.\n"
    "Warfarin\nThe INR is 2 to 3."
)
GUIDE = Reference(id="doi:10.1000/af", title="Guideline for AF", kind="guideline")
PASSAGE = Passage(reference=GUIDE, text=TEXT, start=0, end=len(TEXT), section="AF › Anticoagulants")
CITED = NumberedReferences({PASSAGE.id: PASSAGE}, {GUIDE.id: 1}, {})
PAGE = TerminalPage(width=72)


def statement(text: str, *quotes: str) -> Statement:
    places = [(TEXT.index(quote), quote) for quote in quotes]
    citations = tuple(
        Citation(passage_id=PASSAGE.id, quote=quote, start=at, end=at + len(quote)) for at, quote in places
    )
    return Statement(text=text, citations=citations, verdict=Verdict(label="supports", score=1.0))


LEAD_IN = "Standard dosing in non-valvular AF:"
APIXABAN = statement(f"DOACs: {LEAD_IN} Apixaban: 5 mg twice daily.", "DOACs", LEAD_IN, "Apixaban: 5 mg twice daily.")
EDOXABAN = statement(f"DOACs: {LEAD_IN} Edoxaban: 60 mg once daily.", "DOACs", LEAD_IN, "Edoxaban: 60 mg once daily.")
WARFARIN = statement("Warfarin: The INR is 2 to 3.", "Warfarin", "The INR is 2 to 3.")


def statement_lines(statements: list[Statement], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    return write_lines([*build_statements(statements, cited)], page)


def test_headings_that_statements_share_stand_once_and_then_all_stand_on_their_own_lines() -> None:
    assert statement_lines([APIXABAN, EDOXABAN, WARFARIN], CITED, PAGE) == [
        "  DOACs:",
        "  • Standard dosing in non-valvular AF: Apixaban: 5 mg twice daily. [1]",
        "  • Standard dosing in non-valvular AF: Edoxaban: 60 mg once daily. [1]",
        "  Warfarin:",
        "  • The INR is 2 to 3. [1]",
    ]


def test_a_heading_of_one_statement_stands_before_it() -> None:
    assert statement_lines([APIXABAN, WARFARIN], CITED, PAGE) == [
        "  • DOACs: Standard dosing in non-valvular AF: Apixaban: 5 mg twice",
        "    daily. [1]",
        "  • Warfarin: The INR is 2 to 3. [1]",
    ]


def test_words_that_are_no_quote_are_no_heading() -> None:
    said = [statement(f"In AF: {drug}.", "5 mg twice daily") for drug in ("apixaban", "edoxaban")]
    assert statement_lines(said, CITED, PAGE) == ["  • In AF: apixaban. [1]", "  • In AF: edoxaban. [1]"]


ARROW = re.compile(r"--?>")
TABLE = (
    "Prophylaxis\nAgent | Dose | Notes\nColchicine | 0.6 mg once or twice daily | preferred\n"
    "Naproxen | 250 mg twice daily | where colchicine is not tolerated"
)
ROWS = Passage(reference=GUIDE, text=TABLE, start=0, end=len(TABLE), section="Gout")


def cite(passage: Passage, *quotes: str) -> tuple[Citation, ...]:
    text = passage.text
    return tuple(
        Citation(passage_id=passage.id, quote=quote, start=text.index(quote), end=text.index(quote) + len(quote))
        for quote in quotes
    )


def test_rows_are_lines_under_the_title_of_their_table_and_no_cell_is_a_heading() -> None:
    cells = cite(
        ROWS, "Prophylaxis", "Colchicine", "Dose", "0.6 mg once or twice daily", "Notes", "preferred\nNaproxen", "Dose",
        "250 mg twice daily", "Notes", "where colchicine is not tolerated",
    )  # fmt: skip
    text = (
        "Prophylaxis: Colchicine: Dose: 0.6 mg once or twice daily; Notes: preferred. Naproxen: Dose: 250 mg twice"
        " daily; Notes: where colchicine is not tolerated"
    )
    one = Statement(text=text, citations=cells, verdict=Verdict(label="supports", score=1.0))
    cited = CITED._replace(passages={ROWS.id: ROWS})
    assert statement_lines([one], cited, TerminalPage(width=80)) == [
        "  • Prophylaxis: [1]",
        "    – Colchicine: Dose: 0.6 mg once or twice daily; Notes: preferred.",
        "    – Naproxen: Dose: 250 mg twice daily; Notes: where colchicine is not",
        "      tolerated",
    ]


NESTED = (
    "Dosing\nStandard doses in non-valvular AF:\n- Apixaban: 5 mg twice daily.\n  - Reduce to 2.5 mg at 80 years.\n"
    "- Edoxaban: 60 mg once daily.\n  - Reduce to 30 mg at a clearance of 15 to 50 mL/min.\nStop before surgery."
)
LISTED = Passage(reference=GUIDE, text=NESTED, start=0, end=len(NESTED), section="AF › Dosing")


def test_an_item_keeps_what_hangs_on_it_and_items_without_introduction_are_bullets() -> None:
    items = (
        "- Apixaban: 5 mg twice daily.\n  - Reduce to 2.5 mg at 80 years.\n- Edoxaban: 60 mg once daily.\n  - Reduce"
    )
    quote = NESTED[NESTED.index(items) + 2 : NESTED.index("\nStop")]
    said = (
        "Apixaban: 5 mg twice daily. Reduce to 2.5 mg at 80 years; Edoxaban: 60 mg once daily. Reduce to 30 mg at a "
        "clearance of 15 to 50 mL/min."
    )
    cited = CITED._replace(passages={LISTED.id: LISTED})
    bare = Statement(text=said, citations=cite(LISTED, quote), verdict=Verdict(label="supports", score=1.0))
    assert statement_lines([bare], cited, TerminalPage(width=120)) == [
        "  • Apixaban: 5 mg twice daily. Reduce to 2.5 mg at 80 years [1]",
        "  • Edoxaban: 60 mg once daily. Reduce to 30 mg at a clearance of 15 to 50 mL/min. [1]",
    ]
    lead_in = "Standard doses in non-valvular AF:"
    whole = Statement(
        text=f"Dosing: {lead_in} {said}",
        citations=cite(LISTED, "Dosing", lead_in, quote),
        verdict=Verdict(label="supports", score=1.0),
    )
    assert statement_lines([whole], cited, TerminalPage(width=120)) == [
        "  • Dosing: Standard doses in non-valvular AF: [1]",
        "    – Apixaban: 5 mg twice daily. Reduce to 2.5 mg at 80 years",
        "    – Edoxaban: 60 mg once daily. Reduce to 30 mg at a clearance of 15 to 50 mL/min.",
    ]


def test_the_title_of_a_section_that_a_quote_begins_with_is_a_heading() -> None:
    whole = "Warfarin\nThe INR is 2 to 3."
    passage = PASSAGE.model_copy(update={"section": "AF › Warfarin"})
    cited = CITED._replace(passages={PASSAGE.id: passage})
    one = statement("Warfarin: The INR is 2 to 3.", whole)
    assert statement_lines([one, one], cited, PAGE)[0] == "  Warfarin:"


@each_row(
    ("text", "quotes", "is_own"),
    [
        (APIXABAN.text, ("DOACs", LEAD_IN, "Apixaban: 5 mg twice daily."), True),
        ("Warfarin: The INR is 2 to 3.", ("Warfarin\nThe INR is 2 to 3.",), True),
        ("The INR is 23.", ("The INR is 2 to 3.",), False),
        ("5 mg twice daily.", (), False),
        ("Give apixaban.", ("Apixaban",), False),
    ],
)
def test_only_what_consists_of_its_quotes_is_verbatim(text: str, quotes: tuple[str, ...], is_own: bool) -> None:
    assert is_verbatim(statement(text, *quotes)) is is_own


def test_markers_are_never_alone_in_a_line() -> None:
    said = Text("one two three four", citations=(1,), status="verbatim")
    assert write_lines([said], TerminalPage(width=20)) == ["  • one two three", "    four [1]"]
    both = Text("word", citations=(1, 2), status="verbatim")
    assert write_lines([both], TerminalPage(width=5)) == ["  • word [1][2]"]


def test_no_word_of_any_shipped_guideline_is_lost_or_moved_by_setting_it_in_lines() -> None:
    words = re.compile(r"[^\W_]+|[<>≤≥%±+=]")
    units = 0
    for document in read_guidelines():
        for passage in cut_passages(document):
            cited = NumberedReferences({passage.id: passage}, {passage.reference.id: 1}, {})
            for unit in find_quotable_spans(passage):
                one = Statement(
                    text=unit.text,
                    citations=tuple(
                        Citation(
                            passage_id=passage.id,
                            quote=passage.text[start:end],
                            start=passage.start + start,
                            end=passage.start + end,
                        )
                        for start, end in unit.spans
                    ),
                    verdict=Verdict(label="supports", score=1.0),
                )
                shown = " ".join(statement_lines([one], cited, TerminalPage(width=72))).replace("[1]", "")
                assert words.findall(ARROW.sub("→", shown)) == words.findall(ARROW.sub("→", unit.text))
                units += 1
    assert units > 1_000
