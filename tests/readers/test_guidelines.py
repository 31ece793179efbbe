"""The guideline digests that come with the package."""

import pytest

from tests.readers.reading import assert_sound, parts
from wellsourced.readers.guidelines import guidelines_version, read_guidelines
from wellsourced.types import Document


@pytest.fixture(scope="module")
def guidelines() -> dict[str, Document]:
    return {document.reference.id: document for document in read_guidelines()}


@pytest.fixture(scope="module")
def heart_failure(guidelines: dict[str, Document]) -> Document:
    return guidelines["doi:10.1161/CIR.0000000000001063"]


def test_every_guideline_is_one_document_that_says_digest(guidelines: dict[str, Document]) -> None:
    assert len(guidelines) >= 43
    assert guidelines_version() >= "0.12"
    for id, document in guidelines.items():
        assert_sound(document)
        reference = document.reference
        assert id == f"doi:{reference.doi}"
        assert reference.url == f"https://doi.org/{reference.doi}"
        assert (reference.depth, reference.kind) == ("digest", "guideline")
        assert reference.title
        assert reference.organisation
        assert reference.year


def test_all_its_files_are_in_it_in_order(heart_failure: Document) -> None:
    files = dict.fromkeys(title.split(" › ")[0] for title, _ in parts(heart_failure))
    assert list(files) == [
        "Heart Failure Classification and Staging",
        "Pharmacotherapy for Heart Failure",
        "Device Therapy and Advanced Heart Failure",
    ]


def test_a_recommendation_reads_as_printed_under_its_headings(heart_failure: Document) -> None:
    (recommendation,) = (words for title, words in parts(heart_failure) if "› ARNi — Sacubitril" in title)
    assert "- Switching from ACEi: A 36-hour washout period is required" in recommendation
    assert "Target dose | 97/103 mg twice daily" in recommendation
    (title,) = (title for title, words in parts(heart_failure) if words.startswith("Recommended in preference to"))
    assert title == (
        "Pharmacotherapy for Heart Failure › Guideline-Directed Medical Therapy (GDMT) for HFrEF (LVEF ≤ 40%) › "
        "Pillar 1: Renin–Angiotensin System Inhibition › ARNi — Sacubitril/Valsartan (Class I, LOE A)"
    )


def test_the_heading_stays_in_the_text_as_printed(heart_failure: Document) -> None:
    assert "Pharmacotherapy for Heart Failure — AHA/ACC/HFSA 2022\n\n" in heart_failure.text


def test_no_path_repeats_the_name_of_its_guideline(guidelines: dict[str, Document]) -> None:
    for document in guidelines.values():
        for title, _ in parts(document):
            assert not title.split(" › ")[0].endswith(str(document.reference.year)), title


def test_no_mark_of_markdown_and_no_word_of_the_package_can_be_quoted(guidelines: dict[str, Document]) -> None:
    quotable = "\n".join(words for document in guidelines.values() for _, words in parts(document))
    assert len(quotable) > 600_000
    for mark in ("**", "`", "](", "OpenMedicine", "available via MCP"):
        assert mark not in quotable
