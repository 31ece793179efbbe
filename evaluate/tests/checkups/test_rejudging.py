"""The same words judged by two judges: side by side, with what both could not judge left out and counted."""

import json
from pathlib import Path

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.run_store import open_run_store
from wellsourced.readers.base import InMemoryFile
from wellsourced.types import Checkup
from wellsourced_evaluate.checkups.rejudging import compare_judges, judge_again
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup, add_documents, read_all_checkups

FALLS, RISES, SLEEPS = "Urate falls in adults.", "Pain rises in adults.", "Sleep improves in adults."
TEXT = submitted("\n".join((FALLS, RISES, SLEEPS)), 3)
WORDS = f"In trials, {FALLS} In trials, {RISES} In trials, {SLEEPS}"
SOURCES = (opened("1", f"First. {WORDS}"), opened("2", f"Second. {WORDS}"), opened("3", fetched="dead"))


class Named(Pairs):
    """A judge with a name of its own."""

    def __init__(self, name: str, told: dict[tuple[str, str], str]) -> None:
        super().__init__({key: verdict(label, quote=key[0]) for key, label in told.items()})
        self.name = name


ONE = {(FALLS, "First"): "supports", (FALLS, "Second"): "supports", (RISES, "First"): "contradicts"}
OTHER = {(FALLS, "First"): "supports", (RISES, "First"): "supports", (SLEEPS, "Second"): "unjudged"}


async def both(folder: Path) -> tuple[Checkup, Checkup, Named]:
    store = open_run_store(folder, TEXT, "told")
    checkup = await run_checkup(TEXT, ToldTracer(*SOURCES), Named("one", dict(ONE)), store=store)
    store.close()
    judge = Named("other", dict(OTHER))
    again = await judge_again(add_documents(NamedCheckup("text", checkup), folder), judge, JudgingOptions())
    return checkup, again.checkup, judge


async def test_two_judges_stand_side_by_side_as_a_table_by_hand_has_them(tmp_path: Path) -> None:
    one, other, _ = await both(tmp_path)
    found = compare_judges([NamedCheckup("text", one)], [NamedCheckup("text", other)])
    # Pairs with words: 6; of SLEEPS and the second source the other knows nothing.
    assert (found.unread, found.unjudged, found.agreement.items, found.agreement.same) == (3, 1, 5, 3)
    assert dict(found.table) == {
        ("supports", "supports"): 1, ("supports", "silent"): 1, ("contradicts", "supports"): 1, ("silent", "silent"): 2,
    }  # fmt: skip
    # Expected by chance: 2/5 · 2/5 + 1/5 · 0 + 2/5 · 3/5 = 0.4; observed 0.6.
    assert found.agreement.kappa == pytest.approx((0.6 - 0.4) / 0.6)
    assert found.pairs_supported == {"one": 2, "other": 2, "mcnemar_p": 1.0}
    assert (found.statements, found.statements_supported) == (3, {"one": 1, "other": 2})
    assert [(one.claim, one.source) for one in found.differences] == [(FALLS, "2"), (RISES, "1")]
    assert (found.agreement.one, found.agreement.other) == ("one", "other")


async def test_the_words_are_those_that_were_read_and_no_source_is_asked_again(tmp_path: Path) -> None:
    one, other, judge = await both(tmp_path)
    assert {pair.text[:5] for pair in judge.asked} == {"First", "Secon"}
    assert other.traced == one.traced
    assert [pair for pair in other.pairings if pair.source == "3"] == [p for p in one.pairings if p.source == "3"]
    assert other.judge == "other" and other.shares["statement support"].part == 2


async def test_a_run_whose_words_are_gone_is_refused(tmp_path: Path) -> None:
    one, _, _ = await both(tmp_path)
    for checkup in (one, one.model_copy(update={"run": ""}), one.model_copy(update={"run": "../../etc/passwd"})):
        with pytest.raises(SourceRefused, match="cannot be judged again"):
            add_documents(NamedCheckup("text", checkup), tmp_path / "elsewhere")


async def test_checkups_are_read_as_they_were_written(tmp_path: Path) -> None:
    one, other, _ = await both(tmp_path)
    single = InMemoryFile("single.json", one.model_dump_json().encode())
    several = {"checkups": {"a.md": json.loads(one.model_dump_json()), "b.md": json.loads(other.model_dump_json())}}
    many = InMemoryFile("many.json", json.dumps(several).encode())
    assert read_all_checkups([single, many]) == [
        NamedCheckup("single.json", one, file="single.json"),
        NamedCheckup("a.md", one, file="many.json"),
        NamedCheckup("b.md", other, file="many.json"),
    ]
    assert [found.name for found in read_all_checkups([many, InMemoryFile("c.json", many.data)])] == [
        "many.json: a.md", "many.json: b.md", "c.json: a.md", "c.json: b.md",
    ]  # fmt: skip


@each_row(
    ("data", "why"),
    [
        (b"{", "not JSON"),
        (b"[]", "no checkup"),
        (b'{"statements": []}', "is not a checkup"),
        (b'{"checkups": {"a.md": {"submitted": 3}}}', "a.md is not a checkup"),
    ],
)
def test_a_file_that_holds_no_checkup_says_what_to_give(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableFile, match=why) as refused:
        read_all_checkups([InMemoryFile("x.json", data)])
    assert "wellsourced check --json" in str(refused.value)
