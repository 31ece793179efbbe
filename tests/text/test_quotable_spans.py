"""Units are what can be shown as one statement, in the source's own words and no others."""

import gzip
import json
from pathlib import Path

from tests.samples import a_tenth
from tests.tables import each_row
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.text.passages import cut_passages, extend_to_heading, text_under_titles
from wellsourced.text.quotable_spans import find_quotable_spans, has_same_words
from wellsourced.types import Document, Passage, Reference, Section, SourceKind


def passage(text: str, section: str = "", kind: SourceKind = "consumer") -> Passage:
    """A passage that is a whole document."""
    return Passage(reference=Reference(id="a", kind=kind), text=text, start=0, end=len(text), section=section)


def texts(text: str, section: str = "", kind: SourceKind = "consumer") -> list[str]:
    """What could be shown of it."""
    return [unit.text for unit in find_quotable_spans(passage(text, section, kind))]


def test_a_sentence_that_stands_alone_is_a_unit() -> None:
    assert texts("Gout is caused by urate crystals. It often affects the big toe.") == [
        "Gout is caused by urate crystals.",
        "Gout is caused by urate crystals. It often affects the big toe.",
    ]


def test_a_sentence_that_leans_on_one_that_cannot_be_shown_is_not_shown_either() -> None:
    assert texts("What is gout? It often affects the big toe.") == []


def test_a_list_is_read_with_the_line_that_introduces_it() -> None:
    assert texts("Common symptoms of gout include: - Severe joint pain. - Redness and swelling. - Fever.") == [
        "Common symptoms of gout include: Severe joint pain; Redness and swelling; Fever."
    ]


def test_no_item_is_said_without_the_line_that_introduces_it_however_long_the_list() -> None:
    items = [f"- Drug number {n} is given to such patients every day of the week." for n in range(30)]
    (unit,) = find_quotable_spans(passage("Drugs that are never given with alcohol:\n" + "\n".join(items)))
    assert unit.text.startswith("Drugs that are never given with alcohol: Drug number 0 is given")
    assert unit.text.endswith("; …")


def test_a_passage_that_begins_within_a_list_does_not_say_what_is_left_of_it() -> None:
    text = "- Aspirin is given to every child with fever.\n\nParacetamol is given to children with fever."
    within = Passage(reference=Reference(id="a"), text=text, start=900, end=900 + len(text))
    assert [unit.text for unit in find_quotable_spans(within)] == ["Paracetamol is given to children with fever."]


def test_a_paragraph_that_ran_into_the_last_item_is_parted_from_it() -> None:
    found = texts("Symptoms include - Fatigue - Night sweats Tests that examine the blood can find the disease early.")
    assert found[-1] == "Tests that examine the blood can find the disease early."
    assert not any("sweats Tests" in one for one in found)


def test_an_order_is_read_under_the_heading_that_says_for_what() -> None:
    given = "Beta-blockers (Class I)\n\n- Do NOT withdraw abruptly if treatment has to be stopped."
    (unit,) = find_quotable_spans(passage(given, "Pharmacotherapy › Beta-blockers (Class I)", "guideline"))
    assert unit.text == "Beta-blockers (Class I): Do NOT withdraw abruptly if treatment has to be stopped."
    assert unit.quotes(given) == ["Beta-blockers (Class I)", "Do NOT withdraw abruptly if treatment has to be stopped."]


@each_row(
    "given",
    [
        "Drug | Starting dose | Target dose\nEnalapril | 2.5 mg twice daily | 10–20 mg twice daily",
        "LVEF ≤ 40% → Initiate full four-pillar GDMT (see the pharmacotherapy section).",
        "Smith J, Doe A. Colchicine for gout flares. N Engl J Med 2010;363:1–9.",
        "Key Points",
        "What are the symptoms of gout?",
        "The Effects of Smoking Smoking is the main risk factor for arterial disease.",
        "LTS: We report frequent mutations in the KMT2D gene of small cell lung cancer.",
    ],
)
def test_rows_steps_bibliographies_headings_and_torn_sentences_are_no_units(given: str) -> None:
    assert texts(given) == []


def test_the_heading_line_is_put_before_a_passage_that_begins_its_section() -> None:
    text = "Gout\n\nFlares\n\nColchicine is recommended for flares."
    section = Section(title="Gout › Flares", start=14, end=len(text))
    document = Document(reference=Reference(id="g", kind="guideline"), text=text, sections=(section,))
    (found,) = cut_passages(document)
    widened = extend_to_heading(found, document)
    assert widened.text == "Flares\n\nColchicine is recommended for flares."
    assert document.text[widened.start : widened.end] == widened.text


def test_a_passage_is_judged_under_its_titles() -> None:
    given = passage("Colchicine is recommended.", "Gout › Flares")
    assert text_under_titles(given) == "Gout › Flares\nColchicine is recommended."


@each_row(
    ("statement", "quote", "same"),
    [
        ("Symptoms include: Pain; Fever.", "Symptoms include:\n- Pain\n- Fever", True),
        ("Flares: Give colchicine.", "Flares … Give colchicine", True),
        ("It reduced mortality.", "It increased mortality.", False),
        ("Give 5 mg daily.", "Give 50 mg daily.", False),
        ("The risk fell by 1.5 points.", "The risk fell by 15 points.", False),
        ("Potassium above 5.5 is dangerous.", "Potassium above -5.5 is dangerous.", False),
        ("Potassium above 5.5 is dangerous.", "Potassium above - 5.5 is dangerous.", False),
        ("It is not recommended.", "It is recommended.", False),
    ],
)
def test_only_what_joins_the_parts_may_differ_from_the_source(statement: str, quote: str, same: bool) -> None:
    assert has_same_words(statement, quote) is same


@a_tenth
def test_every_unit_of_every_guideline_is_made_of_its_own_quotes(step: int) -> None:
    count = 0
    for document in [*read_guidelines()][::step]:
        for one in cut_passages(document):
            widened = extend_to_heading(one, document)
            for unit in find_quotable_spans(widened):
                quotes = unit.quotes(widened.text)
                assert all(quote in document.text for quote in quotes)
                assert has_same_words(unit.text.replace("; …", ""), " … ".join(quotes)), unit.text
                count += 1
    assert count > 3_000 / step


@a_tenth
def test_every_unit_of_real_pages_is_made_of_its_own_quotes(shared_data: Path, step: int) -> None:
    with gzip.open(shared_data / "corpora" / "consumer.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for _, line in zip(range(400), file, strict=False)][::step]
    for row in rows:
        for one in cut_passages(Document(reference=Reference(id=row["_id"]), text=row["text"])):
            for unit in find_quotable_spans(one):
                assert has_same_words(unit.text, " … ".join(unit.quotes(one.text))), unit.text
