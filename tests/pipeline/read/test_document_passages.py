"""What a model reads is a slice of the document, a bigger one."""

from tests.world import TRIAL, document
from wellsourced.pipeline.read.document_passages import show_abstracts_whole, show_short_works_whole
from wellsourced.text.passages import cut_passages
from wellsourced.types import Evidence

LONG = document("doi:10.1/long", "\n".join(f"Sentence number {number} says something." for number in range(200)))


def test_a_short_work_is_read_whole_and_stands_where_its_best_passage_stood() -> None:
    (first, *_) = cut_passages(TRIAL)
    (piece,) = show_short_works_whole([(Evidence(passage=first, relevance=0.4), TRIAL)], whole=4_000)
    assert TRIAL.text[piece.passage.start : piece.passage.end] == piece.passage.text
    assert piece.passage.text == TRIAL.text.strip()
    assert piece.relevance == 0.4


def test_several_passages_of_a_short_work_are_one_piece_as_relevant_as_the_best() -> None:
    passages = cut_passages(LONG)
    assert len(passages) > 1
    read = [(Evidence(passage=passage, relevance=0.1 + number / 100), LONG) for number, passage in enumerate(passages)]
    pieces = show_short_works_whole(read, whole=len(LONG.text))
    assert [(len(piece.passage.text), piece.relevance) for piece in pieces] == [
        (len(LONG.text.strip()), read[-1][0].relevance)
    ]


def test_a_long_work_is_read_in_its_passages() -> None:
    passages = cut_passages(LONG)
    pieces = show_short_works_whole(
        [(Evidence(passage=passage, relevance=0.5), LONG) for passage in passages], whole=100
    )
    assert {piece.passage.id for piece in pieces} == {passage.id for passage in passages}


def test_an_abstract_is_read_whole_and_what_is_no_study_as_it_was_found() -> None:
    passages = cut_passages(LONG)
    guideline = LONG.model_copy(update={"reference": LONG.reference.model_copy(update={"kind": "guideline"})})
    found = cut_passages(guideline)[:2]
    read = [(Evidence(passage=one, relevance=0.5), LONG) for one in passages]
    read += [(Evidence(passage=one, relevance=0.7), guideline) for one in found]
    pieces = show_abstracts_whole(read, whole=len(LONG.text))
    assert [piece.passage.text for piece in pieces] == [*(one.text for one in found), LONG.text.strip()]
    assert len(show_abstracts_whole(read, whole=100)) == len(read)
