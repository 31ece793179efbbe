"""Pages of MedQuAD. The wording of the questions is the collection's; the answers here are invented."""

from pathlib import Path

import pytest

from tests.readers.reading import only, parts, read, written
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<Document id="0000001_1" source="CancerGov" url="https://www.cancer.gov/salt">
<Focus>Salt fever</Focus>
<FocusAnnotations><UMLS><CUIs><CUI>C0000001</CUI></CUIs></UMLS><Synonyms><Synonym>Sodium fever</Synonym></Synonyms>
</FocusAnnotations>
<QAPairs>
	<QAPair pid="1">
			<Question qid="0000001_1-1" qtype="information">What is (are) Salt fever ?</Question>
			<Answer>Key Points
                    - It is a fever.    - It passes.

                    It is a fever that comes of salt.   It is rare.</Answer>
	</QAPair>
	<QAPair pid="2"><Question qid="0000001_1-2" qtype="susceptibility">Who is at risk for Salt fever? ?</Question>
			<Answer>Cooks &amp; sailors.</Answer></QAPair>
	<QAPair pid="3"><Question qid="0000001_1-3" qtype="stages">What are the stages of Salt fever ?</Question>
			<Answer></Answer></QAPair>
</QAPairs>
</Document>
"""


def test_a_page_is_a_document_with_a_section_for_each_question_that_is_answered(tmp_path: Path) -> None:
    assert parts(only(written(tmp_path / "a.xml", PAGE), "consumer")) == [
        (
            "What is (are) Salt fever?",
            "Key Points\n\n- It is a fever.\n- It passes.\n\nIt is a fever that comes of salt. It is rare.",
        ),
        ("Who is at risk for Salt fever?", "Cooks & sailors."),
    ]


def test_the_card_names_the_institute_the_page_and_the_kind_that_was_asked_for(tmp_path: Path) -> None:
    reference = only(written(tmp_path / "a.xml", PAGE), "consumer").reference
    assert reference.id == "medquad:CancerGov_0000001_1"
    assert (reference.title, reference.kind, reference.depth) == ("Salt fever", "consumer", "web page")
    assert (reference.organisation, reference.url) == ("National Cancer Institute", "https://www.cancer.gov/salt")


def test_the_names_that_the_collection_adds_are_shown_but_cannot_be_quoted(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.xml", PAGE))
    assert "Also called: Sodium fever" in document.text
    assert all("Sodium fever" not in words for _, words in parts(document))


def test_a_page_whose_answers_were_taken_out_is_told_with_the_address_where_they_stand(tmp_path: Path) -> None:
    bare = (
        PAGE[: PAGE.index("<QAPairs>")]
        + "<QAPairs><QAPair><Question>Q ?</Question><Answer/></QAPair></QAPairs></Document>"
    )
    (fault,) = read(written(tmp_path / "a.xml", bare))
    assert isinstance(fault, UnreadablePart)
    assert fault.where == "the page “Salt fever”"
    assert "under copyright" in fault.reason
    assert "https://www.cancer.gov/salt" in fault.remedy


def test_a_document_of_another_make_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="not a MedQuAD page"):
        read(written(tmp_path / "a.xml", "<Document><p>Words.</p></Document>"))
