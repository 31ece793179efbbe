"""Keywords of a question without a model, the most important first."""

import asyncio
import gzip
import json
import time
from pathlib import Path

import pytest

from tests.question.lexicons import Counting
from tests.tables import each_row
from wellsourced.question.expansions import LexicalUnderstanding
from wellsourced.question.understanding import LiteralUnderstanding, Understanding
from wellsourced.question.vocabulary import Lexicon, Thesaurus
from wellsourced.types import Expansion, Query, Question

TEXTS = ["treatment of the disease in patients"] * 50 + ["stroke in adults"] * 9 + ["minocycline", "sclerosis", "gout"]


@pytest.fixture(scope="module")
def lexicon() -> Counting:
    return Counting.of("texts", TEXTS)


class Names:
    """A thesaurus of these terms."""

    def __init__(self, *terms: str) -> None:
        self.terms = set(terms)

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
        """Something for a term it has."""
        return ["another name"] if term.lower() in self.terms else []


def keywords(
    text: str, lexicon: Lexicon | None = None, thesaurus: Thesaurus | None = None, limit: int = 8
) -> list[str]:
    words = LexicalUnderstanding([lexicon] if lexicon else [], thesaurus)
    return list(asyncio.run(words.extract_keywords(Question(text=text), limit)))


@each_row("understanding", [LiteralUnderstanding(), LexicalUnderstanding((), None)])
def test_both_ways_of_understanding_keep_the_promise(understanding: Understanding) -> None:
    assert isinstance(understanding, Understanding)
    assert asyncio.run(understanding.extract_keywords(Question(text="How is gout treated?"), 1)) == ("gout",)
    assert asyncio.run(understanding.find_expansions(Question(text="How is gout treated?"))) == ()


def test_the_rare_word_stands_before_the_common_one(lexicon: Counting) -> None:
    assert keywords("Is stroke in gout common?", lexicon)[:2] == ["gout", "stroke"]


def test_what_one_wants_to_know_stands_behind_what_one_asks_about(lexicon: Counting) -> None:
    assert keywords("What is the role of treatment in patients with stroke?", lexicon) == [
        "stroke",
        "treatment",
        "role",
        "patients",
    ]


def test_a_term_that_somebody_knows_stays_whole(lexicon: Counting) -> None:
    text = "Is heart failure with reduced ejection fraction worse in Erdheim Chester disease?"
    found = keywords(text, lexicon, Names("erdheim chester disease"))
    assert {"heart failure with reduced ejection fraction", "Erdheim Chester disease"} <= set(found)


def test_dropping_from_the_end_keeps_what_the_question_is_about(lexicon: Counting) -> None:
    query = Query(terms=tuple(keywords("Which treatment helps patients with gout and stroke?", lexicon)))
    assert [weaker.terms for weaker in query.relaxations()][-1] == ("gout",)


def test_a_word_that_is_mended_is_a_keyword_as_mended(lexicon: Counting) -> None:
    expansion = Expansion(kind="spelling", said="strok", meant="stroke", source="texts")
    question = Question(text="Is strok common?", expansions=(expansion,))
    assert asyncio.run(LexicalUnderstanding([lexicon], None).extract_keywords(question))[0] == "stroke"


@each_row(
    ("text", "found"),
    [
        ("", []),
        ("🙂🙂", []),
        ("🙂 gout 🙂", ["gout"]),
        ("aspirin Aspirin ASPIRIN", ["aspirin"]),
        ("gout; colchicine; NSAID", ["gout", "colchicine", "NSAID"]),
        ("痛风的治疗", ["痛风的治疗"]),
        ("What is it?", []),
        ("Wie wird Gicht behandelt?", ["Wie", "wird", "Gicht", "behandelt"]),
    ],
)
def test_lists_other_languages_and_nothing_give_their_words(text: str, found: list[str], lexicon: Counting) -> None:
    assert sorted(keywords(text, None)) == sorted(found)
    assert sorted(keywords(text, lexicon)) == sorted(found)


def test_at_most_as_many_as_asked_for(lexicon: Counting) -> None:
    assert len(keywords("gout stroke minocycline sclerosis aspirin", lexicon, limit=3)) == 3


def test_the_story_of_a_patient_gives_terms_and_not_filling(shared_data: Path) -> None:
    with gzip.open(shared_data / "qa" / "medqa.jsonl.gz", "rt", encoding="utf-8") as file:
        stories = [json.loads(line)["question"] for line in file][:60]
    lexicon = Counting.of("stories", stories)
    begun = time.process_time()
    for story in stories:
        found = keywords(story, lexicon)
        assert len(found) == len({word.lower() for word in found}) == 8
        assert not {"patient", "physician", "the", "which", "year", "man", "woman"} & {word.lower() for word in found}
    assert (time.process_time() - begun) / len(stories) < 0.05


@pytest.mark.nightly
def test_the_document_that_answers_holds_the_first_keyword_more_often_than_the_first_word(shared_data: Path) -> None:
    rows = [*_rows(shared_data / "corpora" / "research.jsonl.gz")]
    texts = {str(row["_id"]): f"{row['title']} {row['text']}".lower() for row in rows}
    words = LexicalUnderstanding([Counting.of("research", texts.values())], None)
    asked = {str(row["_id"]): str(row["text"]) for row in _rows(shared_data / "retrieval" / "bioasq.queries.jsonl.gz")}
    with gzip.open(shared_data / "retrieval" / "bioasq.qrels.tsv.gz", "rt") as file:
        gold = dict(line.split("\t")[:2] for line in list(file)[1:])

    def held(understanding: Understanding) -> float:
        first = {
            one: asyncio.run(understanding.extract_keywords(Question(text=asked[one]), 1)) for one in list(gold)[:300]
        }
        return sum(word.lower() in texts[gold[one]] for one, found in first.items() for word in found) / len(first)

    assert held(words) >= 0.8 > held(LiteralUnderstanding())


def _rows(path: Path) -> list[dict[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
