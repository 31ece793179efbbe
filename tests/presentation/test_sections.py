"""An answer without a language model: its head, what it says in short, its sections as their documents have them."""

import re
from io import BytesIO

import docx
import lxml.html
import pytest
from markdown_it import MarkdownIt

from tests.presentation.sectioned import answer_with, cut_section, say_in_short, show_section
from tests.presentation.written import terminal_text
from tests.tables import each_row
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import Excerpt, Locator, Mark
from wellsourced.presentation.html import HtmlOptions, write_html
from wellsourced.presentation.layout import Line, Row, Table, lay_out_lines
from wellsourced.presentation.markdown import write_chat_message, write_markdown, write_tool_text
from wellsourced.presentation.references import number_references
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.word import write_word_file
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Answer, Attempt, Emergency, Evidence, Query, Search, Statement, Verdict

GOUT = next(one for one in read_guidelines() if one.reference.id == "doi:10.1002/art.41247")
FLARE = cut_section(GOUT, "Colchicine for Acute Flare")
AGENTS = cut_section(GOUT, "Prophylaxis Agents")
ALGORITHM = cut_section(GOUT, "ULT Decision Algorithm")
REGIMEN = "Regimen | 1.2 mg orally immediately, followed by 0.6 mg orally 1 hour later"
HEAD = "Parameter | Recommendation"
TITLE = "2020 American College of Rheumatology Guideline for Management of Gout"

DOSE = answer_with(
    "Which dose of colchicine is used for a gout flare?",
    [FLARE, AGENTS],
    statements=(say_in_short(FLARE, HEAD, REGIMEN, topic="Colchicine for Acute Flare"),),
    sections=(
        show_section(FLARE, [[HEAD, REGIMEN]], [FLARE.text.partition("\n")[0], HEAD, REGIMEN]),
        show_section(AGENTS),
    ),
)
NEAR = answer_with(
    "Which dose of canakinumab is used in sarcoidosis?",
    [FLARE],
    "closest",
    absent=("canakinumab", "sarcoidosis"),
    sections=(show_section(FLARE, [[REGIMEN]]),),
    statements=(say_in_short(FLARE, REGIMEN),),
    reason="Closest sections: canakinumab and sarcoidosis are not mentioned in them. Only works from 2024.",
)
SEARCHED = Attempt(
    search=Search(source="guidelines", query=Query(terms=("cup",))), tier="guidelines", status="ok", found=7
)
NOTHING = answer_with(
    "Who won the cup?",
    [AGENTS],
    "nothing",
    sections=(show_section(AGENTS),),
    reason="No source.",
    attempts=(SEARCHED,),
)


def test_an_answer_is_said_in_short_and_then_shown_as_its_document_has_it() -> None:
    assert terminal_text(DOSE, TerminalPage(width=72)) == (
        "In short\n"
        "  [1] 2020 American College of Rheumatology Guideline for Management of\n"
        "      Gout › Colchicine for Acute Flare\n"
        "    Parameter               Recommendation\n"
        "    ────────────────────────────────────────────────────────────────────\n"
        "    Regimen                 1.2 mg orally immediately, followed by 0.6\n"
        "                            mg orally 1 hour later\n"
        "    Maximum first-day dose  1.8 mg total\n"
        "    Ongoing therapy         Continue anti-inflammatory therapy until\n"
        "                            flare resolves\n"
        "    Timing                  Most effective when started within 12 hours\n"
        "                            of flare onset\n"
        "\n"
        "In full\n"
        "\n"
        "[1] 2020 American College of Rheumatology Guideline for Management of\n"
        "    Gout › Flare Management in Gout › Acute Gout Flare Treatment ›\n"
        "    Colchicine for Acute Flare\n"
        "  Low-dose colchicine is strongly recommended over high-dose colchicine\n"
        "  for gout flares (Strong, High).\n"
        "\n"
        "  Parameter  Recommendation\n"
        "  ──────────────────────────────────────────────────────────────────────\n"
        "▌ Regimen    1.2 mg orally immediately, followed by 0.6 mg orally 1 hour\n"
        "▌            later\n"
        "  … 4 more lines\n"
        "  Run: wellsourced open 'doi:10.1002/art.41247#6883-7443'\n"
        "\n"
        "[1] 2020 American College of Rheumatology Guideline for Management of\n"
        "    Gout › Flare Management in Gout › Anti-Inflammatory Prophylaxis\n"
        "    During ULT Initiation › Prophylaxis Agents\n"
        "  Agent                    Dose                    Notes\n"
        "  ──────────────────────────────────────────────────────────────────────\n"
        "  Colchicine               0.6 mg once or twice    Preferred prophylaxis\n"
        "                           daily orally            agent; low-dose\n"
        "                                                   reduces GI adverse\n"
        "                                                   effects\n"
        "  NSAIDs                   Low-dose (e.g.,         Alternative if\n"
        "                           naproxen 250 mg twice   colchicine not\n"
        "                           daily)                  tolerated\n"
        "  Prednisone/prednisolone  <= 10 mg/day orally     For patients who\n"
        "                                                   cannot take\n"
        "                                                   colchicine or NSAIDs\n"
        "\n"
        "References\n"
        "  [1] 2020 American College of Rheumatology Guideline for Management of\n"
        "      Gout. ACR. https://doi.org/10.1002/art.41247 (digest of the\n"
        "      guideline)\n"
        "\n"
        "Answered in 0.0 s, in the sources' own words, with the lines nearest to\n"
        "the question marked.\n"
        "Not medical advice: check the sources before you act on them.\n"
    )


def test_on_a_terminal_with_colours_marked_lines_are_bold() -> None:
    shown = terminal_text(DOSE, TerminalPage(width=72, colour=True))
    assert "\x1b[1m▌ Regimen    1.2 mg orally" in shown
    assert "\n  Low-dose colchicine" in shown


def test_closest_sections_say_what_they_do_not_mention_and_nothing_is_marked_or_said_in_short() -> None:
    shown = terminal_text(NEAR, TerminalPage(width=120))
    assert shown.startswith(
        "Closest sections: canakinumab and sarcoidosis are not mentioned in them.\n"
        f"  Only works from 2024.\n\n[1] {TITLE} ›"
    )
    assert not any(words in shown for words in ("▌", "In short", "Answered in"))
    assert "What you can do" in shown
    page = write_html(build_answer(NEAR))
    assert "1.2 mg orally immediately" in page
    assert "<mark>" not in page


def test_where_nothing_is_near_only_titles_are_shown() -> None:
    shown = terminal_text(NOTHING, TerminalPage(width=200))
    assert shown.startswith(
        "Nothing in your sources on this.\n  No source.\n\n"
        f"Closest sections, which do not answer it\n  {TITLE} › Flare Management in Gout ›"
    )
    assert "0.6 mg" not in shown
    assert "References" not in shown
    bare = terminal_text(NEAR.model_copy(update={"absent": (), "reason": ""}), TerminalPage(width=80))
    assert bare.startswith("Closest sections: they may not answer this.\n\n[1] ")


def test_what_to_do_in_an_emergency_is_before_the_sections_and_no_other_advice_is_given() -> None:
    alarm = Emergency(kind="stroke", signs=("cannot speak",), advice="Call an ambulance.")
    shown = terminal_text(NEAR.model_copy(update={"emergency": alarm}), TerminalPage())
    assert shown.startswith("This may be an emergency (stroke)\n  Call an ambulance.")
    assert "What you can do" not in shown


def test_each_part_of_a_question_has_its_sections_or_is_not_found() -> None:
    sections = (show_section(FLARE, part="dose in a flare"), show_section(AGENTS, part="prophylaxis"))
    given = DOSE.model_copy(update={"sections": sections, "not_found": ("dose in children",)})
    shown = terminal_text(given, TerminalPage(width=200))
    order = ["In short", "\nDose in a flare\n\n[1] 2020", "\nProphylaxis\n\n[1] 2020", "Not found: dose in children\n"]
    places = [shown.index(words) for words in order]
    assert places == sorted(places)
    assert shown.count("Not found") == 1
    assert "### [1] " in write_markdown(build_answer(given))


def test_whom_it_was_written_for_and_what_it_does_not_name_are_told_first() -> None:
    more = {"readership": "This was written for clinicians.", "absent": ("Lipitor", "hip replacement")}
    shown = terminal_text(DOSE.model_copy(update=more), TerminalPage(width=200))
    assert shown.startswith(
        "  This was written for clinicians.\n"
        "  Not found by name in these sections: Lipitor, hip replacement.\n\nIn short\n"
    )


def test_options_are_not_chosen_from() -> None:
    question = DOSE.question.model_copy(update={"options": {"A": "colchicine", "B": "ice"}})
    shown = terminal_text(DOSE.model_copy(update={"question": question}), TerminalPage(width=200))
    assert "Choice" not in shown
    assert "No option is chosen without a language model. Name a language model: " in shown


def test_a_section_has_the_number_of_its_work_which_rise_in_the_order_of_sections() -> None:
    other = FLARE.model_copy(
        update={"reference": FLARE.reference.model_copy(update={"id": "own:1", "title": "Clinic"})}
    )
    passage = other.model_validate(other.model_dump(exclude={"id"}))
    given = answer_with(
        "Dose?",
        [passage, FLARE],
        sections=(show_section(passage), show_section(FLARE), show_section(passage)),
        statements=(say_in_short(FLARE, REGIMEN),),
    )
    assert number_references(given).numbers == {"own:1": 1, GOUT.reference.id: 2}
    titles = [one.title for one in build_answer(given).blocks if isinstance(one, Excerpt) and not one.is_lead]
    assert [title.partition(" ›")[0] for title in titles] == ["Clinic, 2020", TITLE, "Clinic, 2020"]
    assert number_references(NOTHING).numbers == {}


def test_units_under_one_heading_are_said_together_and_each_line_once() -> None:
    timing = "Timing | Most effective when started within 12 hours of flare onset"
    leads = (say_in_short(FLARE, HEAD, timing, topic="Flare"), say_in_short(FLARE, HEAD, REGIMEN, topic="Flare"))
    shown = terminal_text(DOSE.model_copy(update={"statements": leads}), TerminalPage(width=120))
    short = shown.partition("\n\n")[0]
    assert short.count("Parameter") == 1
    assert short.index("Regimen") < short.index("Timing")
    assert "…" not in short


@each_row("version", [1, 2])
def test_a_decision_of_an_earlier_version_is_not_shown(version: int) -> None:
    said = Statement(
        text="Low-dose colchicine is used.",
        citations=DOSE.statements[0].citations,
        verdict=Verdict(label="supports", score=1.0),
        lead=True,
    )
    written = Answer(
        question=DOSE.question,
        statements=(said,),
        evidence=(Evidence(passage=FLARE, relevance=1.0),),
    ).model_dump(mode="json")
    decision = {"label": "yes", "probability": 0.76, "statement": said.text}
    stored = Answer.model_validate({**written, "version": version, "decision": decision})
    shown = terminal_text(stored, TerminalPage(width=100))
    assert shown.startswith("In short\n  • Low-dose colchicine is used. [1]\n")
    assert not any(words in shown for words in ("76", "Yes", "right in"))


def test_what_was_searched_is_in_the_last_sentence_and_what_could_not_be_is_no_head() -> None:
    assert "Searched: guidelines (7 passages).\n" in terminal_text(NOTHING, TerminalPage(width=100))
    down = NOTHING.model_copy(update={"attempts": (SEARCHED.model_copy(update={"status": "failed"}),)})
    assert terminal_text(down, TerminalPage()).startswith("No answer is given. No source.\n\n")


# --- every form -------------------------------------------------------------------------------------------------------

SHOWN = build_answer(DOSE)


def test_a_page_has_tables_marked_rows_and_a_link_to_the_document() -> None:
    options = HtmlOptions(document_url=lambda at: f"/document?start={at.start}&end={at.end}")
    page = lxml.html.fromstring(f"<main>{write_html(SHOWN, options)}</main>")
    brief, first, second = page.xpath("//section[starts-with(@class, 'excerpt')]")
    assert brief.get("class") == "excerpt brief"
    assert [cell.text_content() for cell in first.xpath(".//th")] == ["Parameter", "Recommendation"]
    assert [mark.text_content() for mark in first.xpath(".//td/mark")] == REGIMEN.split(" | ")
    assert first.xpath(".//p[@class='more']")[0].text_content() == "… 4 more lines · Show in the document"
    assert first.xpath(".//p[@class='more']/a/@href") == ["/document?start=6986&end=7088"]
    assert len(second.xpath(".//tr")) == 4
    assert second.xpath(".//mark") == []
    assert first.xpath("./h3/a/@href") == ["#work-1"]


def test_markdown_has_tables_and_bold_rows_in_a_quotation() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(write_markdown(SHOWN))
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 3
    assert kinds.count("blockquote_open") == 3
    bold = [child for token in tokens for child in token.children or () if child.type == "strong_open"]
    assert len(bold) == 2
    assert "… 4 more lines" in write_markdown(SHOWN)
    assert "**1.2 mg orally immediately" in write_chat_message(SHOWN)
    assert "**1.2 mg orally immediately" in write_tool_text(SHOWN)


def test_a_word_file_has_tables_and_highlighted_rows() -> None:
    file = docx.Document(BytesIO(write_word_file(SHOWN)))
    assert [len(table.rows) for table in file.tables] == [5, 2, 4]
    marked = [
        run.text
        for table in file.tables
        for row in table.rows
        for cell in row.cells
        for paragraph in cell.paragraphs
        for run in paragraph.runs
        if run.font.highlight_color
    ]
    assert marked == REGIMEN.split(" | ")
    assert [cell.paragraphs[0].runs[0].bold for cell in file.tables[2].rows[0].cells] == [True, True, True]


def test_steps_keep_their_place_in_every_form() -> None:
    shown = build_answer(answer_with("When is ULT started?", [ALGORITHM], sections=(show_section(ALGORITHM),)))
    markdown = write_markdown(shown)
    depths = [len(line) - len(line.lstrip("> ")) for line in markdown.splitlines() if "→" in line]
    assert max(depths) > min(depths)
    assert not [one for one in MarkdownIt("commonmark").parse(markdown) if one.type == "code_block"]
    assert 'class="line deep-1 item"' in write_html(shown)


# --- lines and tables -------------------------------------------------------------------------------------------------


def lay_out(text: str, *shown: str, marked: tuple[str, ...] = (), is_lead: bool = False) -> list[Line | Table]:
    spans = tuple((text.index(words), text.index(words) + len(words)) for words in shown)
    marks = tuple(Mark(text.index(words), text.index(words) + len(words)) for words in marked)
    return list(lay_out_lines(Excerpt("", text, Locator("x", ""), marks, spans, is_lead=is_lead)).parts)


LISTED = "Start:\n- one\n  - within one\n    goes on\n- two\n\nStop.\n3) last"


def test_lists_keep_their_marks_and_their_depth() -> None:
    assert lay_out(LISTED, marked=("within one",)) == [
        Line("Start:"),
        Line("one", "•"),
        Line("within one", "•", 1, is_marked=True),
        Line("goes on", "", 2),
        Line("two", "•"),
        Line("Stop.", is_apart=True),
        Line("last", "3)"),
    ]


def test_what_is_left_out_leaves_one_gap_and_is_counted() -> None:
    assert lay_out(LISTED, "one\n", "Stop.") == [Line("…"), Line("one", "•"), Line("…"), Line("Stop.", is_apart=True)]
    assert lay_out(LISTED, "Stop.", is_lead=True) == [Line("Stop.", is_apart=True)]
    # The item that holds may be one that was not marked.
    assert lay_out(LISTED, "one\n", is_lead=True) == [Line("one", "•"), Line("two", "•")]
    long = LISTED.replace("two", "two " * 81)
    assert lay_out(long, "one\n", is_lead=True) == [Line("one", "•"), Line("…")]
    laid = lay_out_lines(Excerpt("", LISTED, Locator("x", ""), shown=((0, 5),)))
    assert laid.left_out == 6
    assert laid.describe_rest("Run: open") == "… 6 more lines. Run: open"
    assert lay_out_lines(Excerpt("", LISTED, Locator("x", ""))).describe_rest("Run: open") == ""


TABLED = "Drug | Dose\nAdults\nA | 1 mg\nB | 2 mg\nC | 3 mg\nA note.\n\nx | y"


def test_a_row_comes_with_the_head_of_its_table_and_groups_of_rows_with_their_title() -> None:
    head = ("Drug", "Dose")
    assert lay_out(TABLED, marked=("B | 2",)) == [
        Table(head, (Row(("Adults",)), Row(("A", "1 mg")), Row(("B", "2 mg"), is_marked=True), Row(("C", "3 mg")))),
        Line("A note."),
        Table((), (Row(("x", "y")),), is_apart=True),
    ]
    assert lay_out(TABLED, "C | 3 mg") == [Table(head, (Row(("…",)), Row(("C", "3 mg"))))]


def test_a_table_without_names_of_columns_has_no_head() -> None:
    assert lay_out("[no header] | [no header]\na | b") == [Table((), (Row(("a", "b")),))]


@each_row("width", [20, 40, 80, 1_000_000])
def test_a_table_of_four_hundred_rows_is_set_at_every_width_and_no_word_is_lost_or_broken(width: int) -> None:
    rows = "\n".join(f"drug{number} | {number} milligrams once | note number{number}" for number in range(400))
    text = f"Drug | Dose | Notes\n{rows}"
    passage = FLARE.model_validate({**FLARE.model_dump(exclude={"id"}), "text": text, "end": FLARE.start + len(text)})
    given = answer_with("Which dose?", [passage], sections=(show_section(passage),))
    shown = terminal_text(given, TerminalPage(width=width))
    words = set(re.findall(r"\w+", text))
    assert words <= set(re.findall(r"\w+", shown))
    assert all(len(line) <= max(width, 40) for line in shown.splitlines() if "drug" in line)


@pytest.mark.nightly
def test_no_word_of_any_section_of_the_guidelines_is_lost_or_moved() -> None:
    for document in read_guidelines():
        for part in document.sections:
            text = document.text[part.start : part.end]
            laid = lay_out_lines(Excerpt(part.title, text, Locator(document.reference.id, ""))).parts
            words = [
                " ".join(" ".join(row.cells) for row in one.lines)
                if isinstance(one, Table)
                else f"{one.sign} {one.words}"
                for one in laid
            ]
            tokens = re.compile(r"[^\W_]+")
            assert tokens.findall(" ".join(words)) == tokens.findall(text)
