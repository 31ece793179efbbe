"""The questions that come with wellsourced and their vectors; how those of any library are packed and read."""

from functools import cache
from pathlib import Path

import numpy as np

from tests.samples import read_digests
from tools.expected_questions import describe_packing, find_directions, place_lines
from wellsourced.encoders.base import normalize_rows
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import (
    SHIPPED_FOLDER,
    AnswerPlace,
    ExpectedQuestion,
    QuestionBank,
    QuestionRow,
    QuestionVectors,
    find_lines,
    load_bank,
    load_maps,
    multiply_packed,
)
from wellsourced.ingest.question_files import (
    add_rows,
    encode_questions,
    keep_rows,
    lead_under_headings,
    pack_vectors,
    save_vectors,
)
from wellsourced.types import hash_words


@cache
def shipped() -> QuestionBank:
    bank = load_bank(SHIPPED_FOLDER)
    assert bank
    return bank


@cache
def questions() -> list[ExpectedQuestion]:
    rows = [shipped().row(number) for number in range(len(shipped()))]
    placed = [find_lines(row, read_digests()[row.document]) for row in rows if row]
    assert None not in placed and len(placed) == len(rows)
    return [question for question in placed if question]


def test_every_line_stands_in_the_digest_of_its_question_and_none_of_its_words_is_repeated() -> None:
    lines = {line for question in questions() for line in (*question.lead, *question.also)}
    assert len(lines) > 6_000
    for line in lines:
        text = read_digests()[line.document.id].text
        assert " ".join(text[line.span.start : line.span.end].split()) == line.text
    assert not any(b'"answer"' in row for row in shipped().lines)


def test_every_digest_has_questions_and_near_misses_and_every_question_an_answer() -> None:
    assert len(questions()) > 21_000
    for is_answered in (True, False):
        asked = {one.document.id for one in questions() if one.is_answered == is_answered}
        assert asked == set(read_digests())
    for question in questions():
        assert not set(question.lead) & set(question.also)


def test_the_shipped_files_are_small_and_their_vectors_are_those_of_the_questions_and_their_lines() -> None:
    assert sum(path.stat().st_size for path in SHIPPED_FOLDER.iterdir() if path.is_file()) < 8_000_000
    vectors, maps = shipped().vectors, load_maps()
    assert vectors and shipped().searchable == len(questions())
    some = range(0, len(questions()), 500)
    new = encode_questions(
        [questions()[at].text for at in some], [lead_under_headings(questions()[at]) for at in some], MiniLM()
    )
    for place, at in enumerate(some):
        kept = vectors.questions[:, at].astype(int), vectors.leads[:, vectors.lead_rows[at]].astype(int)
        own = new.questions[:, place].astype(int), new.leads[:, new.lead_rows[place]].astype(int)
        # Another machine may round a number otherwise.
        assert all(np.abs(one - other).max() <= 1 for one, other in zip(kept, own, strict=True))
    lengths = np.linalg.norm(vectors.questions.T * maps.question_steps + maps.question_middle, axis=1)
    assert np.allclose(lengths, 1, atol=0.02)


def test_packed_vectors_multiply_as_they_are_but_for_rounding() -> None:
    random = np.random.default_rng(0)
    vectors = normalize_rows(random.normal(size=(9_000, 8)).astype(np.float32) * np.geomspace(1, 0.01, 8, dtype="f4"))
    asked = normalize_rows(random.normal(size=(2, 8)).astype(np.float32))
    packing = describe_packing(vectors, 0.003)
    packed = pack_vectors(vectors, *packing)
    assert packed.dtype == np.int8 and packed.shape == (8, 9_000)
    exact = (vectors @ asked.T).max(axis=1)
    assert np.abs(multiply_packed(packed, *packing, asked) - exact).max() < 0.02
    assert np.all(pack_vectors(vectors * 100, *packing) >= -127), "what does not fit is cut off, and turns no sign"


def test_turned_along_their_directions_vectors_keep_their_products_and_differ_most_along_the_first() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32) @ np.diag(np.arange(6)).astype("f4")
    turned = vectors @ find_directions(vectors).T
    assert np.allclose(turned @ turned.T, vectors @ vectors.T, atol=1e-3)
    assert np.all(np.diff(turned.var(axis=0)) <= 1e-4)
    assert np.allclose(find_directions(turned), np.eye(6), atol=1e-3)


def vectors_of(*numbers: int) -> QuestionVectors:
    rows = np.array([numbers] * 384, dtype=np.int8)
    return QuestionVectors(rows, rows, np.arange(len(numbers), dtype=np.int32))


def row(text: str) -> QuestionRow:
    return QuestionRow(question=text, document="doi:1", lines=(AnswerPlace(0, 1, "x"),))


def test_vectors_of_other_rows_are_not_used_and_rows_without_them_are_there(tmp_path: Path) -> None:
    assert load_bank(tmp_path) is None
    add_rows(tmp_path, [row("a"), row("b")])
    bank = load_bank(tmp_path)
    assert bank and (len(bank), bank.searchable) == (2, 0)
    save_vectors(tmp_path, bank.lines, vectors_of(1, 2))
    add_rows(tmp_path, [row("c")])
    bank = load_bank(tmp_path)
    assert bank and (len(bank), bank.searchable) == (3, 2)
    keep_rows(tmp_path, bank, [1, 2])
    bank = load_bank(tmp_path)
    assert bank and [one.question for at in range(2) if (one := bank.row(at))] == ["b", "c"]
    assert bank.vectors and bank.vectors.questions[0].tolist() == [2]
    path = tmp_path / "expected_questions.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"B"'))
    changed = load_bank(tmp_path)
    assert changed and changed.searchable == 0


def test_lines_are_found_again_by_their_words_wherever_they_went() -> None:
    (place,) = place_lines("# Gout\n\n  Ice  helps. \n")[hash_words("Ice helps.")]
    assert (place.start, place.end) == (10, 21)
