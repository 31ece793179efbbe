"""What is written as a data set comes back as it was, with the same figures; what does not fit in it is told."""

import json
from hashlib import sha256
from typing import Any

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.tables import each_row
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.factcheck.verdicts import pool_shares
from wellsourced.readers.base import InMemoryFile
from wellsourced.types import TextOrigin
from wellsourced_evaluate.checkups.data_set import ImportedDataSet, build_data_set, read_data_set
from wellsourced_evaluate.checkups.sheets import AnnotationKey
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

GOOD, BAD = "Urate falls in adults.", "Pain rises in adults."
SAYS, DEAD = opened("1", f"{GOOD} It was seen in a year."), opened("2", fetched="dead")
JUDGE = Pairs({(GOOD, GOOD): verdict("supports", 0.93, "it says so", GOOD)})
KEYS = (AnnotationKey(id="item", label="supports", judge="pairs", text="a#1", statement=0, source="1"),)
RATERS = {"anna": {"item": "supports"}, "ben": {"item": "silent"}}


async def checkups() -> list[NamedCheckup]:
    text = submitted(f"{GOOD}\n{BAD}", 2, c0=("1",))
    one = await run_checkup(text, ToldTracer(SAYS, DEAD), JUDGE)
    origin = TextOrigin(id="1", question="Does urate fall?", system="alpha", kind="forum")
    other = await run_checkup(submitted(BAD), ToldTracer(), JUDGE)
    return [NamedCheckup("a#1", one.model_copy(update={"origin": origin})), NamedCheckup("a#2", other)]


def written(stored: list[NamedCheckup], **more: Any) -> list[dict[str, Any]]:
    documents = {"1": SAYS.document} if SAYS.document else {}
    stored = [stored[0]._replace(documents=documents), *stored[1:]]
    card, records = build_data_set(stored, "wellsourced 0", **more)
    return [json.loads(one.model_dump_json()) for one in (card, *records)]


def read(rows: list[Any], name: str = "d.jsonl") -> ImportedDataSet:
    return read_data_set(InMemoryFile(name, "\n".join(map(json.dumps, rows)).encode()))


async def test_what_is_exported_comes_back_as_it_was_with_the_same_figures() -> None:
    stored = await checkups()
    found = read(written(stored))
    assert found.rejected == ()
    assert [*found.checkups] == stored
    assert pool_shares([one.checkup for one in found.checkups]) == found.card.shares
    assert found.card.counts == {"question": 1, "response": 2, "source": 2, "statement": 3, "pair": 4}


async def test_the_words_of_a_source_are_withheld_unless_they_may_be_passed_on() -> None:
    stored, words = await checkups(), SAYS.document.text if SAYS.document else ""
    without, with_texts = json.dumps(written(stored)), written(stored, with_texts=True)
    assert "It was seen in a year" not in without and GOOD in without
    sources = [row for row in with_texts if row["type"] == "source"]
    assert [row["text"] for row in sources] == [words, ""]
    assert [row["content_hash"] for row in sources] == [sha256(words.encode()).hexdigest(), ""]
    assert with_texts[0]["texts"] is True


async def test_ids_are_the_same_in_every_run_and_differ_between_systems() -> None:
    first, again = await checkups(), await checkups()
    ids = [row.get("id") for row in written(first)]
    assert ids == [row.get("id") for row in written(again)]
    assert len(set(ids)) == len(ids)
    name, checkup, *_ = first[0]
    beta = checkup.model_copy(update={"origin": checkup.origin.model_copy(update={"system": "beta"})})
    shared = {*ids} & {row.get("id") for row in written([NamedCheckup(name, beta)])}
    assert shared == {None, next(row["id"] for row in written(first) if row["type"] == "question")}


async def test_what_people_said_comes_along_with_the_key_of_their_pairs() -> None:
    found = read(written(await checkups(), keys=KEYS, raters=RATERS))
    assert [(one.rater, one.label) for one in found.annotations] == [("anna", "supports"), ("ben", "silent")]
    (key,) = found.keys
    assert {one.pair for one in found.annotations} == {key.id}
    assert (key.label, key.text, key.statement, key.source) == ("supports", "a#1", 0, "1")


async def test_a_row_that_names_what_is_not_there_is_told_and_the_verdict_is_found_anew() -> None:
    rows = written(await checkups())
    source = next(at for at, row in enumerate(rows) if row["type"] == "source" and row["cited"]["key"] == "1")
    found = read(rows[:source] + rows[source + 1 :])
    assert [one.reason.partition(" is not")[0].split()[1] for one in found.rejected] == ["source"] * 2
    # Without its source nothing supports the statement any more.
    assert [one.label for one in found.checkups[0].checkup.verdicts] == ["unjudged", "unjudged"]


@each_row(
    ("change", "why"),
    [
        ({"type": "poem"}, "none of question, response"),
        ({"verdict": 3}, "it is not a statement (verdict"),
        ({"surprise": 1}, "it is not a statement (surprise"),
        ({"response": "nobody"}, "its response nobody is not in the data set"),
    ],
)
async def test_a_broken_row_is_told_by_its_number_and_costs_nothing_else(change: dict[str, Any], why: str) -> None:
    rows = written(await checkups())
    last = max(at for at, row in enumerate(rows) if row["type"] == "statement")
    found = read([*rows[:last], rows[last] | change, *rows[last + 1 :]])
    assert [(one.row, why in one.reason) for one in found.rejected] == [(last + 1, True)], found.rejected
    assert len(found.checkups) == 2 and len(found.checkups[0].checkup.verdicts) == 2


async def test_a_row_that_stands_twice_or_contradicts_itself_is_told() -> None:
    rows = written(await checkups())
    at = next(place for place, row in enumerate(rows) if row["type"] == "pair")
    twice = read([*rows, rows[at]])
    assert [one.reason for one in twice.rejected] == [f"its id {rows[at]['id']} is that of an earlier pair"]
    other = {**rows[at], "pairing": {**rows[at]["pairing"], "claim": 1}}
    assert "another statement or source" in read([*rows[:at], other, *rows[at + 1 :]]).rejected[0].reason


async def test_a_file_that_is_no_data_set_or_a_later_one_is_refused() -> None:
    rows = written(await checkups())
    with pytest.raises(SettingsError, match="has format 2, and this version reads 1"):
        read([{**rows[0], "format": 2}, *rows[1:]])
    for other in ([], [{"answer": "x"}], [{**rows[0], "counts": "many"}], rows[1:]):
        with pytest.raises(UnreadableFile, match="checkup export"):
            read(other)
    with pytest.raises(UnreadableFile, match="holds no response"):
        read(rows[:1])
