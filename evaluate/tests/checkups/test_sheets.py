"""What people are asked does not tell what the judge said, and what they wrote is counted or told."""

import csv
import io

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.readers.base import InMemoryFile
from wellsourced.types import VerdictLabel
from wellsourced_evaluate.checkups.sheets import (
    AnnotationKey,
    AnnotationSheet,
    draw_sheet,
    measure_agreement,
    parse_code,
    read_keys,
    read_sheets,
    render_sheet,
)
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

CLAIMS = ("Urate falls in adults.", "Pain rises in adults.", "Sleep improves in adults.")
TEXT = submitted("\n".join(CLAIMS), 3)
WORDS = "Filler stands here. " * 200 + "Urate falls in adults. Then </script><b>it</b> rose. " + "More filler. " * 200
SOURCES = (opened("1", WORDS), opened("2", "Pain fell in adults."), opened("3", fetched="dead"))
TOLD = {
    (CLAIMS[0], "Urate"): verdict("supports", quote=CLAIMS[0]),
    (CLAIMS[1], "Pain fell"): verdict("contradicts", quote="Pain fell in adults."),
}


async def sheet(count: int = 0, seed: int = 7, *labels: VerdictLabel, documents: bool = True) -> AnnotationSheet:
    checkup = await run_checkup(TEXT, ToldTracer(*SOURCES), Pairs(TOLD))
    words = {one.traced.key: one.document for one in SOURCES if one.document and documents}
    return draw_sheet([NamedCheckup("a.md", checkup, words)], count, seed, labels)


async def test_every_pair_that_was_judged_is_on_the_sheet_once_and_none_of_a_source_without_words() -> None:
    drawn = await sheet()
    assert len(drawn.items) == len({item.id for item in drawn.items}) == 6
    assert [key.id for key in drawn.keys] == [item.id for item in drawn.items]
    assert {key.source for key in drawn.keys} == {"1", "2"}


async def test_a_draw_is_by_chance_and_the_same_with_the_same_seed() -> None:
    assert (await sheet(3)).items == (await sheet(3)).items
    assert len((await sheet(3)).items) == 3
    orders = {tuple(item.id for item in (await sheet(0, seed)).items) for seed in range(5)}
    assert len(orders) > 1
    assert {key.label for key in (await sheet(0, 7, "contradicts")).keys} == {"contradicts"}


async def test_a_sheet_shows_the_part_that_speaks_of_it_and_nothing_of_the_verdict() -> None:
    drawn = await sheet()
    by_label = {key.label: item for key, item in zip(drawn.keys, drawn.items, strict=True)}
    item = by_label["supports"]
    assert CLAIMS[0] in item.part and len(item.part) < len(WORDS)
    # What no source says is shown with the words that come nearest, too.
    assert all(item.part for item in drawn.items)
    shown = render_sheet(drawn)
    assert "supports" not in shown and "contradicts" not in shown and "pairs" not in shown


async def test_without_the_words_of_a_source_the_quoted_ones_are_shown() -> None:
    drawn = await sheet(0, 7, "contradicts", documents=False)
    assert ([item.part for item in drawn.items], drawn.partial) == (["Pain fell in adults."], 1)
    assert (await sheet(0, 7, "contradicts")).partial == 0


async def test_the_table_has_a_row_for_each_pair_and_runs_nothing_in_a_spreadsheet() -> None:
    drawn = await sheet()
    evil = drawn.items[0]._replace(statement="=cmd()")
    table = [*csv.DictReader(io.StringIO(render_sheet(drawn._replace(items=(evil, *drawn.items[1:])))[1:]))]
    assert table[0]["statement"] == "'=cmd()"
    assert {row["label"] for row in table} == {""} and len(table) == 6


KEYS = tuple(
    AnnotationKey(id=id, label=label, judge="j", text="t", statement=0, source="1")
    for id, label in (("a", "supports"), ("b", "silent"), ("c", "contradicts"), ("d", "supports"))
)


def written(name: str, text: str) -> InMemoryFile:
    return InMemoryFile(name, text.encode())


ANNA = written(
    "anna.csv", "\ufeffid,label,reason,rater\r\na,Supported,,\r\nb,not supported,,\r\nc,contradicted,,\r\nd,no,,\r\n"
)
BEN = written("ben.tsv", "id\tlabel\na\tyes\nb\tunsupported\nc\tNot_Supported\nd\t\n")
BOTH = written(
    "both.jsonl",
    '{"id": "a", "label": "supported", "rater": "Carla"}\n{"id": "b", "label": "supported", "rater": "Dan"}\n',
)


def test_what_several_wrote_is_read_by_rater_with_the_words_that_people_use() -> None:
    sheets = read_sheets([ANNA, BEN, BOTH], KEYS)
    assert sheets.raters == {
        "anna": {"a": "supports", "b": "silent", "c": "contradicts", "d": "silent"},
        "ben": {"a": "supports", "b": "silent", "c": "silent"},
        "Carla": {"a": "supports"},
        "Dan": {"b": "supports"},
    }
    assert sheets.rejected == ()
    assert sheets.empty == {"anna": (), "ben": ("d",), "Carla": ("b", "c", "d"), "Dan": ("a", "c", "d")}


def test_a_row_that_cannot_be_used_is_told_by_its_number_and_costs_nothing_else() -> None:
    file = written("eve.csv", "id,label\na,supported\na,contradicted\nz,supported\n,supported\nb,maybe\nc,no,x\nd,no\n")
    sheets = read_sheets([file], KEYS)
    assert sheets.raters == {"eve": {"a": "supports", "d": "silent"}}
    assert [(one.file, one.row) for one in sheets.rejected] == [("eve.csv", row) for row in (3, 4, 5, 6, 7)]
    reasons = [one.reason for one in sheets.rejected]
    assert "another code" in reasons[0] and "no item “z”" in reasons[1] and "no id" in reasons[2]
    assert "“maybe” is none of supported, contradicted, not supported" in reasons[3] and "3 cells" in reasons[4]


def test_agreement_is_that_worked_out_by_hand() -> None:
    sheets = read_sheets([ANNA, BEN], KEYS)
    three, two = (measure_agreement(sheets, KEYS, binary=binary) for binary in (False, True))
    assert [(one.items, one.same) for one in three.raters.pairs] == [(3, 2)]
    assert [(one.items, one.same) for one in two.raters.pairs] == [(3, 3)]
    # The judge with anna: a, b, c of 4; with ben: a, b of 3; the majority has no c, and d from anna alone.
    assert [(one.other, one.items, one.same) for one in three.judge] == [
        ("anna", 4, 3),
        ("ben", 3, 2),
        ("majority", 3, 2),
    ]
    assert three.ties == ("c",) and two.ties == ()
    assert two.cross_table() == {("supports", "supports"): 1, ("silent", "silent"): 2, ("silent", "supports"): 1}


@each_row(
    ("word", "label"),
    [
        ("Supported.", "supports"),
        ("NOT  supported", "silent"),
        ("-1", "contradicts"),
        ("0", "silent"),
        ("perhaps", None),
    ],
)
def test_codes_are_read_as_people_write_them(word: str, label: str | None) -> None:
    assert parse_code(word) == label


def test_sheets_without_any_code_and_keys_that_are_none_are_refused() -> None:
    with pytest.raises(SourceRefused, match="write supported, contradicted, not supported"):
        read_sheets([written("a.csv", "id,label\na,\n")], KEYS)
    with pytest.raises(UnreadableFile, match=r"NAME\.key\.jsonl"):
        read_keys(ANNA)
    with pytest.raises(UnreadableFile, match="empty"):
        read_keys(written("k.jsonl", "\n"))
    lines = written("k.jsonl", "".join(f"{key.model_dump_json()}\n" for key in KEYS))
    assert read_keys(lines) == KEYS
