"""The questions that the digests answer, as they come along: every line stands in its digest, every vector is there."""

from functools import cache

import numpy as np

from tools.expected_questions import PACKAGE, find_directions, pack_vectors, strip_marks
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import (
    LINES_FILE,
    VECTORS_FILE,
    LineRow,
    QuestionBank,
    QuestionRow,
    hash_words,
    load_maps,
    load_questions,
    load_vectors,
    normalize_rows,
)
from wellsourced.readers.guidelines import load_digests, read_guidelines, render_digest
from wellsourced.text.sentences import Span
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


def test_every_file_of_the_digests_is_named_and_none_of_its_words_is_repeated() -> None:
    table = (PACKAGE / LINES_FILE).read_text(encoding="utf-8").splitlines()
    assert {int(row.split("\t")[0]) for row in table} == set(range(len(load_digests().texts)))
    for row in table:
        assert all(part.isdecimal() for part in row.split("\t")[:3])
        assert len(bytes.fromhex(row.split("\t")[3])) == 4


def test_a_question_whose_line_reads_otherwise_is_not_found() -> None:
    path = "content/acr_gout_2020/flare_management.md"
    words = render_digest(load_digests(), path).text[:9]
    lines = [LineRow(path, Span(0, 9), hash_words(words)), LineRow(path, Span(0, 9), hash_words("Gout flares"))]
    rows = [QuestionRow("What?", (0,)), QuestionRow("Which?", (1,)), QuestionRow("Who?", (0,), (1,))]
    hashes = dict.fromkeys(load_digests().entries, "")
    bank = QuestionBank(rows, lines, load_digests(), dict.fromkeys(load_digests().texts, 100), hashes)
    assert len(bank) == 3
    (found,) = bank
    assert (found.text, found.lead_text, found.lead[0].span) == ("What?", words, Span(100, 109))
    assert (bank.find(1), bank.find(2)) == (None, None)


def test_every_digest_has_questions_and_every_question_an_answer_of_one_document() -> None:
    questions = list(load_questions())
    assert len(questions) == len(load_questions()) > 21_000
    assert {one.document.id for one in questions} == set(documents())
    assert {one.document.id for one in questions if not one.is_answered} == set(documents())
    for one in questions:
        assert len({line.document for line in (*one.lead, *one.also)}) == 1
        assert not set(one.lead) & set(one.also)


def test_vectors_are_those_of_the_questions_and_their_lines() -> None:
    vectors, questions, maps = load_vectors(), list(load_questions()), load_maps()
    assert len(vectors.questions) == len(vectors.lead_rows) == len(questions)
    assert (PACKAGE / VECTORS_FILE).stat().st_size < 8_000_000
    some = range(0, len(questions), 500)
    encoder = MiniLM()
    asked = encoder.encode([questions[at].text for at in some])
    leads = encoder.encode([f"{questions[at].lead[0].section}\n{questions[at].lead_text}" for at in some])
    for place, at in enumerate(some):
        own = normalize_rows(asked[place : place + 1] @ maps["to_question"].T)[0]
        line = normalize_rows(leads[place : place + 1] @ maps["of_lead"].T)[0]
        assert own @ vectors.questions[at] > 0.995
        assert line @ vectors.leads[vectors.lead_rows[at]] > 0.995
    for rows in (vectors.questions, vectors.leads):
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=0.01)


def test_packed_vectors_are_off_by_no_more_than_half_a_step() -> None:
    vectors = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32) * np.geomspace(1, 0.001, 8)
    packed = pack_vectors(vectors.astype(np.float32), 0.003)
    assert packed.numbers.dtype == np.int8
    assert (packed.steps[0] > 0.003, packed.steps[-1]) == (True, np.float32(0.003))
    assert np.all(np.abs(packed.unpack() - vectors) <= packed.steps / 2 + 1e-6)


def test_turned_along_their_directions_vectors_keep_their_products_and_differ_most_along_the_first() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32) @ np.diag(np.arange(6)).astype("f4")
    turned = vectors @ find_directions(vectors).T
    assert np.allclose(turned @ turned.T, vectors @ vectors.T, atol=1e-3)
    assert np.all(np.diff(turned.var(axis=0)) <= 1e-4)
    assert np.allclose(find_directions(turned), np.eye(6), atol=1e-3)


def test_marks_of_markdown_numbers_and_bars_are_no_words_of_a_line() -> None:
    assert strip_marks("| **U**rea | > 7 mmol/L |") == strip_marks("Urea | > 7 mmol/L")
    assert strip_marks("2. See [the table](x.md)") == strip_marks("- See the table")
