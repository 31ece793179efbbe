"""What is wrong in a line of a digest is shown beside the line, wherever the line is shown."""

from io import BytesIO

import docx
import lxml.html
import pytest

from tests.presentation.sectioned import answer_with, cut_section, say_in_short, show_section
from tests.presentation.written import terminal_text
from wellsourced.answering.errata import find_errata, note_errata
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.html import write_html
from wellsourced.presentation.json_schema import to_excerpt
from wellsourced.presentation.layout import REPEATED
from wellsourced.presentation.markdown import write_chat_message, write_markdown, write_tool_text
from wellsourced.presentation.searches import build_document, build_passage
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.presentation.word import write_word_file
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.server.assistant_tools import shorten_result
from wellsourced.types import Answer, Citation, LineToCheck, Recommendation, Statement

DIGESTS = {document.reference.id: document for document in read_guidelines()}
FIBRILLATION = DIGESTS["doi:10.1161/CIR.0000000000001193"]
SCORES = cut_section(FIBRILLATION, "Recommendations for Oral Anticoagulation (OAC)")
MEN = "CHA2DS2-VASc = 1: OAC may be considered to reduce thromboembolic stroke risk (Class IIb)."
WOMEN = "CHA2DS2-VASc = 2: OAC may be considered (Class IIb)."
NOTE = "wellsourced notes: Class IIb is wrong for a CHA2DS2-VASc score of 1 in men and of 2 in women."
HEMORRHAGE = DIGESTS["doi:10.1161/STR.0000000000000407"]
ANDEXANET = cut_section(HEMORRHAGE, "Andexanet Alfa")
LOW, HIGH = (line for line in ANDEXANET.text.splitlines() if line.startswith("Apixaban"))
TABLE_NOTE = "wellsourced notes: The table joins the dose and the time of the last dose wrongly"

MARKED = note_errata(
    answer_with(
        "Is anticoagulation indicated with a score of 1?",
        [SCORES],
        statements=(say_in_short(SCORES, MEN, topic="Men"),),
        sections=(show_section(SCORES, [[MEN]]),),
    )
)
IN_TABLE = note_errata(answer_with("Dose of andexanet?", [ANDEXANET], sections=(show_section(ANDEXANET),)))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_terminal_shows_the_note_below_its_line_marked_or_not() -> None:
    shown = terminal_text(MARKED, TerminalPage(width=200))
    lines = [line.strip() for line in shown.splitlines()]
    marked, unmarked = f"▌ • {MEN}", f"• {WOMEN}"
    assert lines[lines.index(marked) + 1].startswith(f"⚠ {NOTE} 2023 ACC/AHA/ACCP/HRS")
    assert lines[lines.index(unmarked) + 1] == f"⚠ {REPEATED}"
    assert flat(shown).count(NOTE) == 2, "in short, and at the first line of the section"
    assert flat(shown).count("Not re-read here; check it.") == 2


@pytest.mark.parametrize("width", [60, 200])
def test_a_terminal_shows_the_note_on_rows_below_the_last_of_them(width: int) -> None:
    shown = flat(terminal_text(IN_TABLE, TerminalPage(width=width)))
    assert shown.count(TABLE_NOTE) == 1
    assert shown.index("Rivaroxaban >") < shown.index(TABLE_NOTE)


def test_a_page_shows_the_note_in_a_look_of_its_own() -> None:
    page = lxml.html.fromstring(write_html(build_answer(MARKED)))
    notes = page.find_class("note")
    assert [flat(one.text_content()).startswith(f"⚠ {NOTE}") for one in notes] == [True, True, False]
    assert flat(notes[2].text_content()) == f"⚠ {REPEATED}"
    assert flat(notes[1].getprevious().text_content()) == f"• {MEN}"
    (row,) = lxml.html.fromstring(write_html(build_answer(IN_TABLE))).find_class("note")
    assert row.tag == "td"
    assert flat(row.text_content()).startswith(f"⚠ {TABLE_NOTE}")


def test_markdown_chats_and_tools_for_assistants_have_the_note() -> None:
    for write in (write_markdown, write_chat_message, write_tool_text):
        assert flat(write(build_answer(MARKED))).count("Class IIb is wrong for a CHA2DS2-VASc score") == 2, write
        assert "The table joins the dose and the time" in flat(write(build_answer(IN_TABLE))), write
    # Words in italics are ours: a document's own stars are escaped.
    assert f"> - ⚠ *{NOTE}" in write_markdown(build_answer(MARKED))
    assert f"> | *⚠ {TABLE_NOTE}" in write_markdown(build_answer(IN_TABLE))


def test_a_word_file_has_the_note() -> None:
    file = docx.Document(BytesIO(write_word_file(build_answer(MARKED))))
    written = [flat(paragraph.text) for paragraph in file.paragraphs]
    assert sum(line.startswith(f"⚠ {NOTE}") for line in written) == 2
    (table,) = docx.Document(BytesIO(write_word_file(build_answer(IN_TABLE)))).tables
    assert table.rows[-1].cells[0].text.startswith(f"⚠ {TABLE_NOTE}")


def test_json_has_it_beside_the_section_and_the_statement_and_reads_it_back() -> None:
    (section,) = MARKED.sections
    assert [FIBRILLATION.text[one.start : one.end] for one in section.errata] == [MEN, WOMEN]
    written = MARKED.model_dump(mode="json")
    assert written["statements"][0]["errata"] == written["sections"][0]["errata"][:1]
    assert set(written["sections"][0]["errata"][0]) == {"start", "end", "fault", "source", "says", "checked"}
    assert Answer.model_validate_json(MARKED.model_dump_json()) == MARKED
    assert shorten_result(MARKED)["sections"][0]["errata"] == written["sections"][0]["errata"]
    flat_section = answer_with("?", [SCORES], sections=(show_section(SCORES),))
    assert "errata" not in flat_section.model_dump(mode="json")["sections"][0]


def test_a_line_that_is_left_out_brings_no_note() -> None:
    shown = answer_with("?", [SCORES], sections=(show_section(SCORES, shown=["Men:", MEN]),))
    (section,) = note_errata(shown).sections
    assert [FIBRILLATION.text[one.start : one.end] for one in section.errata] == [MEN]


def test_a_statement_that_a_language_model_wrote_carries_the_note_of_what_it_quotes() -> None:
    said = say_in_short(SCORES, WOMEN).model_copy(update={"text": "With 2 points it may be considered.", "lead": False})
    written = note_errata(answer_with("?", [SCORES]).model_copy(update={"head": None, "statements": (said,)}))
    assert f"– {NOTE}" in flat(terminal_text(written, TerminalPage(width=300)))
    assert NOTE in flat(lxml.html.fromstring(write_html(build_answer(written))).text_content())
    assert written.statements[0].text == said.text


def test_a_line_to_check_for_a_patient_carries_the_note() -> None:
    quote = say_in_short(SCORES, MEN).citations
    line = LineToCheck(about=("atrial fibrillation",), passage=SCORES, citations=quote)
    made = answer_with("?", [SCORES]).model_copy(update={"recommendation": Recommendation(lines=(line,))})
    assert NOTE in flat(terminal_text(note_errata(made), TerminalPage(width=300)))


def test_an_answer_from_other_words_has_no_note() -> None:
    changed = SCORES.model_copy(update={"text": SCORES.text.replace("Class IIb", "Class IIa")})
    quote = changed.text[changed.text.index("CHA2DS2-VASc = 2: OAC may") :].partition("\n")[0]
    at = changed.start + changed.text.index(quote)
    cited = Citation(passage_id=changed.id, quote=quote, start=at, end=at + len(quote))
    said = Statement(text=quote, citations=(cited,), verdict=say_in_short(SCORES, MEN).verdict)
    made = note_errata(answer_with("?", [changed], sections=(show_section(changed),), statements=(said,)))
    assert not made.sections[0].errata
    assert not made.statements[0].errata


def test_a_document_that_is_opened_has_its_notes() -> None:
    whole = flat(write_terminal(build_document(HEMORRHAGE), TerminalPage(width=300)))
    assert all(one.note in whole for one in find_errata(HEMORRHAGE.reference.id, HEMORRHAGE.text))
    at = HEMORRHAGE.text.index(LOW)
    around = flat(write_terminal(build_passage(HEMORRHAGE, [(at, at + len(LOW))]), TerminalPage(width=300)))
    assert around.count(TABLE_NOTE) == 1
    (given,) = to_excerpt(HEMORRHAGE, at + 5, 10).errata
    assert given.start == at
    assert not to_excerpt(HEMORRHAGE, 0, 10).errata
