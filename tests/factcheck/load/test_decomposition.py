"""Texts of others, taken apart: claims, sources and the links between them."""

import time
from pathlib import Path

import pytest

from tests.scripted_model import ScriptedModel
from wellsourced.errors import ModelUnavailable
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.load.model_decomposition import decompose_by_model
from wellsourced.factcheck.load.text_files import load_text
from wellsourced.prompts.verification import SplitStatements, StandaloneStatement, StatementsReply
from wellsourced.types import Document, Reference, SubmittedText

TEXTS = Path(__file__).parent / "texts"


def apart(text: str) -> SubmittedText:
    return decompose_text(Document(reference=Reference(id="file:x"), text=text))


def read(name: str) -> SubmittedText:
    return decompose_text(load_text((TEXTS / name).read_bytes(), name))


def test_a_text_as_a_chat_program_writes_it() -> None:
    found = read("chatgpt.md")
    told = [claim.text for claim in found.claims]
    assert told[:2] == [
        "Dapagliflozin is an SGLT2 inhibitor.",
        "Dapagliflozin reduced worsening heart failure or cardiovascular death by 26% in DAPA-HF.",
    ]
    assert "Common side effects include volume depletion" in told
    assert [source.doi for source in found.sources] == ["10.1056/nejmoa1911303", ""]
    assert found.claims[1].cites == ("1",)
    assert found.claims[-1].dangling == ("5",)
    assert found.notes == ("the text has marks (5) but no reference list",)


def test_a_text_as_openevidence_writes_it() -> None:
    found = read("openevidence.md")
    assert [claim.cites for claim in found.claims] == [("1", "2"), ("3",), ("1",), ("2",), ("2",)]
    assert found.claims[-1].dangling == ("4",)
    assert [source.title.split()[0] for source in found.sources] == ["Dapagliflozin", "Cardiovascular", "2022"]
    assert found.sources[0].authors == ("McMurray JJV", "Solomon SD", "Inzucchi SE")
    assert "0.65, 0.85" in found.claims[2].text


def test_a_manuscript_cites_by_author_and_year() -> None:
    found = read("manuscript.md")
    by_key = {source.key: source for source in found.sources}
    cited = [[by_key[key].year for key in claim.cites] for claim in found.claims[:3]]
    assert cited == [["2020"], ["2018", "2021"], ["2019"]]
    assert by_key[found.claims[2].cites[0]].doi == "10.1056/nejmoa1911303"
    assert by_key[found.claims[2].cites[0]].marks == ("mcmurray 2019",)
    text = found.document.text
    other = [text[start:end] for start, end in found.other]
    assert "Jane Doe¹, John Roe²" in other
    assert "Jane Doe received fees from a company that makes drugs." in other
    assert "Drug: Dapagliflozin; Trial: DAPA-HF; Hazard ratio: 0.74" in [claim.text for claim in found.claims]


def test_the_same_work_cited_twice_is_one_source_with_both_marks() -> None:
    found = apart(
        "Metformin lowers glucose [1]. Nausea is common [2].\n\nReferences\n"
        "1. Smith J. A title. JAMA. 2020. doi:10.1001/JAMA.1\n2. https://doi.org/10.1001/jama.1"
    )
    assert [(source.key, source.marks, source.title) for source in found.sources] == [("1", ("1", "2"), "A title")]
    assert [claim.cites for claim in found.claims] == [("1",), ("1",)]


def test_a_list_without_marks_is_told_of() -> None:
    found = apart("Metformin lowers glucose. Nausea is common.\n\nSources:\n- https://a.org/1\n- https://b.org/2")
    assert [source.marks for source in found.sources] == [(), ()]
    assert [claim.cites for claim in found.claims] == [(), ()]
    assert found.notes == ("the text lists 2 sources without marks: each is compared with every statement",)


def test_what_stands_between_addresses_goes_with_them_and_sentences_too_short_to_check_are_told() -> None:
    found = apart(
        "Naproxen is used in gout. https://a.org/1 and https://b.org/2, and https://c.org/3\n"
        "Steroids work. Diet matters. Do you smoke? Febuxostat lowers urate (https://a.org/1 and https://b.org/2)."
    )
    assert [claim.text for claim in found.claims] == ["Naproxen is used in gout.", "Febuxostat lowers urate."]
    assert found.notes == ("too short to be checked: “Steroids work.”, “Diet matters.”",)


def test_a_text_without_a_medical_statement_has_no_claims_and_one_in_another_language_is_told_of() -> None:
    assert apart("The cat sat on the mat. It was sunny.").notes[0] == "the text has no medical statement"
    german = apart("Metformin senkt den Blutzucker und wird bei Diabetes eingesetzt. Die Dosis ist nicht hoch.")
    assert german.notes[0].startswith("the text seems to be in German")
    assert len(german.claims) == 2


def test_every_span_holds_the_words_that_it_is_of() -> None:
    for name in ("chatgpt.md", "openevidence.md", "manuscript.md"):
        found = read(name)
        assert all(found.document.text[one.start : one.end] == one.written for one in found.sources)
        assert all(claim.text.split()[-1].strip(".") in found.document.text for claim in found.claims)
        assert [source.key for source in found.sources] == [str(n + 1) for n in range(len(found.sources))]


@pytest.mark.nightly
def test_ten_thousand_addresses_are_read_in_seconds() -> None:
    text = "".join(f"Metformin lowers glucose https://a{n}.org/x/{n}. " for n in range(10_000))
    began = time.process_time()
    found = apart(text)
    assert (len(found.sources), len(found.claims)) == (10_000, 10_000)
    assert time.process_time() - began < 30


TOLD = (
    "Metformin, which is cheap, lowers glucose by 5 % [1]. Nice to meet you all here today. Nausea is common.\n\n1: x"
)


async def test_a_model_words_the_statements_and_a_sentence_that_it_passes_over_stays() -> None:
    reply = StatementsReply(
        statements=(
            StandaloneStatement(text="Metformin is cheap.", span="Metformin, which is cheap, lowers glucose by 5 %"),
            StandaloneStatement(
                text="Metformin lowers glucose by 5 %.", span="Metformin, which is cheap, lowers glucose by 5 %"
            ),
        ),
        other=("Nice to meet you all here today.",),
    )
    text = TOLD.partition("\n")[0]
    found = await decompose_by_model(ScriptedModel({SplitStatements: reply}), apart(text))
    told = [claim.text for claim in found.claims]
    assert told == ["Metformin is cheap.", "Metformin lowers glucose by 5 %.", "Nausea is common."]
    assert found.claims[0].dangling == ("1",)
    assert "Nice to meet you all here today." in [text[start:end] for start, end in found.other]
    assert "rules added 1 sentences that the model skipped" in found.notes


async def test_a_statement_made_from_a_part_of_a_sentence_bears_the_marks_behind_it_else_those_of_the_sentence() -> (
    None
):
    text = "Metformin lowers glucose, and nausea is common [1]. Aspirin thins blood [2], and rash is rare [1]."
    spans = ("Metformin lowers glucose", "nausea is common", "Aspirin thins blood", "rash is rare")
    reply = StatementsReply(statements=tuple(StandaloneStatement(text=one, span=one) for one in spans))
    found = await decompose_by_model(ScriptedModel({SplitStatements: reply}), apart(text))
    assert [claim.dangling for claim in found.claims] == [("1",), ("1",), ("2",), ("1",)]


async def test_a_reply_with_words_that_are_not_in_the_text_or_say_something_else_is_refused() -> None:
    text = "Metformin lowers glucose. Nausea is common."
    ruled = apart(text)
    invented = StatementsReply(statements=(StandaloneStatement(text="Metformin cures.", span="Metformin cures."),))
    astray = StatementsReply(
        statements=(StandaloneStatement(text="Aspirin thins blood.", span="Metformin lowers glucose."),)
    )
    for reply in (invented, astray, ModelUnavailable("it is away")):
        found = await decompose_by_model(ScriptedModel({SplitStatements: reply}), ruled)
        assert found.claims == ruled.claims
        assert found.notes[-1] == "in 1 of 1 parts of the text, rules extracted the statements"


def test_a_source_bears_the_number_of_the_list_and_one_named_in_place_the_next_that_is_free() -> None:
    found = apart(
        "Colchicine shortens gout flares ([a page](https://example.org/b)). Allopurinol lowers urate [7].\n\n"
        "References\n\n7. Roe K. Allopurinol and rash. J Invent. 2018;1:3-4.\n"
        "8. Doe J. Colchicine. J Invent. 2020;1:1-2.\n"
    )
    assert [one.key for one in found.sources] == ["7", "8", "9"]
    assert [one.url for one in found.sources] == ["", "", "https://example.org/b"]
    assert [claim.cites for claim in found.claims] == [("9",), ("7",)]
