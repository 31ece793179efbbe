"""The questions that the digests answer, as they come along: every line stands in its digest, every vector is there."""

from functools import cache

import numpy as np

from tools.expected_questions import strip_marks
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import load_maps, load_questions, load_vectors, normalize_rows
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Document
from wellsourced.types.documents import hash_text


@cache
def documents() -> dict[str, Document]:
    return {one.reference.id: one for one in read_guidelines()}


def test_every_line_stands_in_the_digest_as_it_is_read_today() -> None:
    lines = {line for one in load_questions() for line in (*one.lead, *one.also)}
    assert len(lines) > 6_000
    for line in lines:
        document = documents()[line.document.id]
        assert " ".join(document.text[line.span.start : line.span.end].split()) == line.text
        assert line.document.sha256 == hash_text(document.text)


def test_every_digest_has_questions_and_every_question_an_answer_of_one_document() -> None:
    questions = load_questions()
    assert {one.document.id for one in questions} == set(documents())
    assert {one.document.id for one in questions if not one.is_answered} == set(documents())
    for one in questions:
        assert len({line.document for line in (*one.lead, *one.also)}) == 1
        assert not set(one.lead) & set(one.also)


def test_vectors_are_those_of_the_questions_and_their_lines() -> None:
    vectors, questions, maps = load_vectors(), load_questions(), load_maps()
    assert len(vectors.questions) == len(vectors.leads) == len(questions)
    some = range(0, len(questions), 500)
    encoder = MiniLM()
    asked = encoder.encode([questions[at].text for at in some])
    leads = encoder.encode([f"{questions[at].lead[0].section}\n{questions[at].lead_text}" for at in some])
    for place, at in enumerate(some):
        own = normalize_rows(asked[place : place + 1] @ maps["to_question"].T)[0]
        line = normalize_rows(leads[place : place + 1] @ maps["of_lead"].T)[0]
        assert own @ vectors.questions[at] > 0.995
        assert line @ vectors.leads[at] > 0.995
    assert np.allclose(np.linalg.norm(vectors.questions, axis=1), 1, atol=1e-5)


def test_marks_of_markdown_numbers_and_bars_are_no_words_of_a_line() -> None:
    assert strip_marks("| **U**rea | > 7 mmol/L |") == strip_marks("Urea | > 7 mmol/L")
    assert strip_marks("2. See [the table](x.md)") == strip_marks("- See the table")
