"""What the words of a question mean, by tables and by the words of real texts."""

import asyncio
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.question.lexicons import Counting
from tests.tables import each_row
from wellsourced.errors import SourceUnavailable
from wellsourced.question.expansions import LexicalUnderstanding
from wellsourced.question.understanding import Understanding, list_other_meanings
from wellsourced.question.vocabulary import Frequencies
from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.types import ExpansionKind, Question

DATA = Path(__file__).parent / "data"
LABELLED = [line.split("\t") for line in (DATA / "labelled.tsv").read_text(encoding="utf-8").splitlines()]
RESPELLED = [line.split("\t") for line in (DATA / "respelled.tsv").read_text(encoding="utf-8").splitlines()]
MISSPELLED = [line.split("\t") for line in (DATA / "misspelled.tsv").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def phenotypes() -> Counting:
    """The words of the definitions of the Human Phenotype Ontology, which comes with the package: 14,000 texts."""
    ontology = next(path for path in hpo_files() if path.suffix == ".obo")
    lines = ontology.read_text(encoding="utf-8").splitlines()
    return Counting.of("phenotypes", [line for line in lines if line.startswith(("def:", "name:", "synonym:"))])


def understood(words: Understanding, text: str) -> list[tuple[str, str, str]]:
    expansions = asyncio.run(words.find_expansions(Question(text=text)))
    return [(one.kind, one.said, one.meant) for one in expansions]


@each_row(("text", "labels"), [(text, labels) for text, *labels in LABELLED])
def test_a_question_is_understood_as_it_is_labelled(text: str, labels: list[str]) -> None:
    expected = [tuple(label.split("|")) for label in labels]
    assert sorted(understood(LexicalUnderstanding((), None), text)) == sorted(expected)


def test_there_are_enough_labelled_questions_with_and_without_expansions() -> None:
    assert sum(len(row) > 1 for row in LABELLED) >= 80
    assert sum(len(row) == 1 for row in LABELLED) >= 40


@each_row(("text", "said", "meant"), RESPELLED)
def test_a_misspelled_word_is_read_as_the_word_that_texts_hold(
    text: str, said: str, meant: str, phenotypes: Counting
) -> None:
    assert ("spelling", said, meant) in understood(LexicalUnderstanding([phenotypes], None), text)


@each_row("row", LABELLED)
def test_no_word_of_a_clean_question_is_mended(row: list[str], phenotypes: Counting) -> None:
    assert understood(LexicalUnderstanding([phenotypes], None, {"spelling"}), row[0]) == []


def test_what_follows_is_understood_of_the_mended_word(phenotypes: Counting) -> None:
    text = "Is high blod pressure dangerous?"
    found = understood(LexicalUnderstanding([phenotypes], None), "Is high bloood pressure dangerous?")
    assert ("spelling", "bloood", "blood") in found
    assert ("lay term", "high bloood pressure", "hypertension") in found
    assert understood(LexicalUnderstanding([phenotypes], None), text) == []


@each_row(
    "text",
    [
        "Is CRTAP mutated?",
        "What is “hypertention”?",
        "What is Usherr syndrome?",
        "Is vildagliptin safe?",
        "Is 1O24 high?",
        "Why quadruple therapy?",
    ],
)
def test_genes_names_quotes_and_drugs_stay_as_they_are(text: str, phenotypes: Counting) -> None:
    assert understood(LexicalUnderstanding([phenotypes], None, {"spelling"}), text) == []


def test_a_misspelling_is_read_right_also_where_the_libraries_are_small() -> None:
    few = Counting.of("few", ["gout is treated with colchicine"] * 50)
    assert understood(LexicalUnderstanding([few], None), "Is pnuemonia treated?") == [
        ("spelling", "pnuemonia", "pneumonia")
    ]


def test_a_word_that_the_thesaurus_knows_is_no_error(phenotypes: Counting) -> None:
    class Knowing:
        async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
            return ["a rare thing"] if term == "epilepcy" else []

    assert understood(LexicalUnderstanding([phenotypes], Knowing(), {"spelling"}), "What is epilepcy?") == []


@each_row("kind", ["spelling", "abbreviation", "brand", "synonym", "lay term"])
def test_every_kind_can_be_switched_off(kind: ExpansionKind, phenotypes: Counting) -> None:
    text = "Is epilepcy after a heart attack or COPD treated with Tylenol or adrenaline?"
    every: set[ExpansionKind] = {"spelling", "abbreviation", "brand", "synonym", "lay term"}
    assert {one for one, _, _ in understood(LexicalUnderstanding([phenotypes], None), text)} == every
    assert {
        one for one, _, _ in understood(LexicalUnderstanding([phenotypes], None, every - {kind}), text)
    } == every - {kind}


@each_row("row", LABELLED)
def test_what_is_said_stands_in_the_question_and_is_replaced_once(row: list[str]) -> None:
    question = Question(text=row[0])
    expansions = asyncio.run(LexicalUnderstanding((), None).find_expansions(question))
    assert all(one.said in question.text and one.source == "wellsourced" for one in expansions)
    places = [question.text.index(one.said) for one in expansions]
    assert places == sorted(places)
    assert len(question.model_copy(update={"expansions": expansions}).wordings) == (2 if len(row) > 1 else 1)


def test_british_words_are_read_as_american_where_the_texts_are() -> None:
    texts = ["anemia in pediatric patients with tumors"] * 30 + ["the haematologist"]
    found = understood(
        LexicalUnderstanding([Counting.of("american", texts)], None),
        "Is anaemia common in paediatric haematologist care?",
    )
    assert found == [("synonym", "anaemia", "anemia"), ("synonym", "paediatric", "pediatric")]


def test_words_that_may_also_be_meant_leave_out_what_the_question_says() -> None:
    question = Question(text="Does Tylenol (acetaminophen) help after a heart attack?")
    expansions = asyncio.run(LexicalUnderstanding((), None).find_expansions(question))
    told = question.model_copy(update={"expansions": expansions})
    assert list_other_meanings(told) == ("paracetamol", "myocardial infarction")


class Names:
    """A thesaurus in which these names are of one concept each."""

    def __init__(self, *concepts: list[str]) -> None:
        self.concepts = concepts

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
        """The other names."""
        named = next((names for names in self.concepts if term.lower() in map(str.lower, names)), [])
        return [name for name in named if name.lower() != term.lower()][:limit]


NAMES = Names(
    ["focal segmental glomerulosclerosis", "FSGS"],
    ["Sanfilippo syndrome", "MPS III", "mucopolysaccharidosis type III"],
    ["leprosy", "Hansen's disease", "chronic leprosy", "A30.9"],
    ["Jensen syndrome", "opticoacoustic nerve atrophy with dementia"],
)


@each_row(
    ("text", "found"),
    [
        ("Is FSGS inherited?", [("abbreviation", "FSGS", "focal segmental glomerulosclerosis")]),
        ("Is leprosy contagious?", [("synonym", "leprosy", "Hansen's disease")]),
        ("What is Gorlin Bushkell Jensen syndrome?", []),
        ("Is the MPSX test good?", []),
    ],
)
def test_a_thesaurus_gives_names_of_the_same_thing(text: str, found: list[tuple[str, str, str]]) -> None:
    assert understood(LexicalUnderstanding((), NAMES), text) == found


def test_a_term_whose_words_the_libraries_hold_needs_no_synonym() -> None:
    holding = Counting.of("holding", ["leprosy is an infection by mycobacteria"] * 20)
    assert understood(LexicalUnderstanding([holding], NAMES), "What is leprosy?") == []


def test_an_abbreviation_that_the_libraries_use_themselves_is_left_alone() -> None:
    short = Counting.of("short", ["COPD and its course"] * 20 + ["obstructive pulmonary disease, chronic"])
    long = Counting.of("long", ["chronic obstructive pulmonary disease"] * 20 + ["COPD"])
    assert understood(LexicalUnderstanding([short], None), "Is COPD deadly?") == []
    assert understood(LexicalUnderstanding([long], None), "Is COPD deadly?") == [
        ("abbreviation", "COPD", "chronic obstructive pulmonary disease")
    ]


class Broken:
    """A lexicon and thesaurus whose disk is gone."""

    name = "broken"

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        raise SourceUnavailable("the disk is gone")

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        raise SourceUnavailable("the disk is gone")

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
        raise SourceUnavailable("the disk is gone")


def test_sources_of_words_that_fail_are_left_out(phenotypes: Counting) -> None:
    words = LexicalUnderstanding([Broken(), phenotypes], Broken())
    assert ("spelling", "epilepcy", "epilepsy") in understood(words, "Can epilepcy follow a heart attack?")
    assert asyncio.run(words.extract_keywords(Question(text="Can epilepsy follow a heart attack?")))


def test_a_question_costs_five_milliseconds_without_a_graph(phenotypes: Counting) -> None:
    words, texts = LexicalUnderstanding([phenotypes], None), [row[0] for row in LABELLED]

    async def all_of_them() -> float:
        begun = time.process_time()
        for text in texts:
            await words.find_expansions(Question(text=text))
        return time.process_time() - begun

    asyncio.run(all_of_them())
    assert asyncio.run(all_of_them()) / len(texts) < 0.005


@pytest.mark.nightly
def test_most_of_real_misspellings_are_mended_and_none_wrongly(shared_data: Path) -> None:
    lexicon = Counting.of("corpora", _texts(shared_data))
    words, right, wrong = LexicalUnderstanding([lexicon], None, {"spelling"}), 0, []
    for said, meant in MISSPELLED:
        found = understood(words, f"What helps against {said} in adults?")
        right += found == [("spelling", said, meant)]
        wrong += [one for one in found if one[1:] != (said, meant)]
    assert wrong == []
    assert right / len(MISSPELLED) >= 0.85


def _texts(shared_data: Path) -> list[str]:
    import gzip
    import json

    texts = []
    for name in ("research", "consumer"):
        with gzip.open(shared_data / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            texts += [f"{row['title']} {row['text']}" for row in map(json.loads, file)]
    return texts
