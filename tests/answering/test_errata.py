"""What is wrong in the guideline digests: every entry fits the digests that are installed, and none another text."""

import pytest

from wellsourced.answering.errata import ErrataEntry, find_errata, parse_errata, read_errata
from wellsourced.errors import UnreadableFile
from wellsourced.readers.guidelines import read_guidelines

DIGESTS = {document.reference.id: document for document in read_guidelines()}
FIBRILLATION = DIGESTS["doi:10.1161/CIR.0000000000001193"]
OWN_ENTRY = """
[[errata]]
document = "doi:10.1/x"
places = [[0, 9, "0fb5fd2f"]]
fault = "The dose is wrong."
source = "Its label, section 2"
says = "2 mg"
checked = "from memory of the document"
"""


def test_every_entry_fits_the_words_of_the_digest_that_it_names() -> None:
    misfits = [
        (entry.document, place)
        for entry in read_errata()
        for place in entry.places
        if place.start not in {one.start for one in find_errata(entry.document, DIGESTS[entry.document].text)}
    ]
    assert not misfits, "their words have changed: look at them again (the note is not shown until then)"
    assert len(read_errata()) <= 60


def test_a_line_has_one_note_and_what_proves_it_is_in_the_digests() -> None:
    places = [(entry.document, place.start, place.end) for entry in read_errata() for place in entry.places]
    for document, start, end in places:
        touched = [one for one in places if one[0] == document and one[1] < end and start < one[2]]
        assert len(touched) == 1, touched
    for entry in read_errata():
        document, mark, span = entry.checked.removeprefix("against ").partition("#")
        if mark:
            start, end = map(int, span.split("-"))
            words = DIGESTS[document].text[start:end]
            assert words.strip() == words != "", entry.checked


def test_a_line_that_reads_otherwise_has_no_note() -> None:
    text = FIBRILLATION.text
    noted = find_errata(FIBRILLATION.reference.id, text)
    assert len(noted) == 3
    mended = text.replace(
        "reduce thromboembolic stroke risk (Class IIb)", "reduce thromboembolic stroke risk (Class IIa)"
    )
    assert [one.start for one in find_errata(FIBRILLATION.reference.id, mended)] == [one.start for one in noted[1:]]
    assert not find_errata("doi:10.1/other", text)


def test_a_note_is_on_a_part_of_a_document_that_holds_its_whole_line() -> None:
    first, *_ = find_errata(FIBRILLATION.reference.id, FIBRILLATION.text)
    part = FIBRILLATION.text[first.start - 5 : first.end]
    assert find_errata(FIBRILLATION.reference.id, part, first.start - 5) == [first]
    assert not find_errata(FIBRILLATION.reference.id, part[:-1], first.start - 5)
    assert not find_errata(FIBRILLATION.reference.id, part[6:], first.start + 1)


def test_a_note_says_what_is_wrong_who_says_otherwise_and_that_it_was_not_read_again() -> None:
    (entry,) = parse_errata(OWN_ENTRY)
    assert isinstance(entry, ErrataEntry)
    (told, *_) = find_errata(FIBRILLATION.reference.id, FIBRILLATION.text)
    assert told.note.startswith("wellsourced notes: Class IIb is wrong for a CHA2DS2-VASc score of 1 in men")
    assert (
        "2023 ACC/AHA/ACCP/HRS atrial fibrillation guideline, section 6.3: anticoagulation is reasonable" in told.note
    )
    assert told.note.endswith(". Not re-read here; check it.")
    (_, _, unstable) = find_errata(FIBRILLATION.reference.id, FIBRILLATION.text)
    assert unstable.note.endswith("See doi:10.1161/CIR.0000000000001193#5902-6072; its source was not re-read.")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("[[errata]]", "[[errata"),
        ("fault =", "fauld ="),
        ("The dose is wrong.", "The dose is wrong"),
        ("from memory of the document", "as somebody said"),
        ('[[0, 9, "0fb5fd2f"]]', "[]"),
        ('"2 mg"', '""'),
    ],
)
def test_a_damaged_list_is_refused_with_a_remedy(right: str, wrong: str) -> None:
    with pytest.raises(UnreadableFile, match="is damaged"):
        parse_errata(OWN_ENTRY.replace(right, wrong))
