"""A snapshot of the Retraction Watch database, read as it is published."""

import os
import random
import tracemalloc
from datetime import date
from pathlib import Path

import pytest

from tests.sources.retraction_rows import HEADER, row, snapshot, table
from tests.tables import each_row
from wellsourced.errors import SourceError, UnreadableFile
from wellsourced.sources.base import RetractionRegistry
from wellsourced.sources.retraction_watch import RetractionWatch
from wellsourced.types import Notice, Reference, Retraction

DAY = date(2026, 10, 1)


def cited(doi: str = "", pmid: str = "") -> Reference:
    return Reference(id=f"doi:{doi}" if doi else f"pubmed:{pmid}", doi=doi, pmid=pmid)


async def said(path: Path, *references: Reference) -> dict[str, Retraction]:
    return await RetractionWatch(path, DAY).retractions(references)


async def test_a_retraction_is_found_by_the_doi_in_any_case_and_by_the_pmid(tmp_path: Path) -> None:
    path = snapshot(tmp_path, row(1, "10.1016/S0140-6736(97)11096-0", "9500320", notice="10.1016/N.1", notice_pmid="7"))
    by_doi, by_pmid, other = cited("10.1016/s0140-6736(97)11096-0"), cited(pmid="9500320"), cited("10.1000/other")
    words = await said(path, by_doi, by_pmid, other)
    notice = Notice(
        kind="retraction",
        source="Retraction Watch",
        id="doi:10.1016/n.1",
        published="2010-02-06",
        reason="Falsification/Fabrication of Data; Misconduct by Author",
    )
    word = Retraction(status="true", as_of=DAY, notices=(notice,))
    assert words == {by_doi.id: word, by_pmid.id: word}


async def test_it_is_a_registry_and_its_day_is_that_of_the_file(tmp_path: Path) -> None:
    path = snapshot(tmp_path, row(1, "10.1000/a"))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    registry = RetractionWatch(path)
    assert isinstance(registry, RetractionRegistry)
    assert (registry.name, registry.as_of) == ("Retraction Watch", date.fromtimestamp(1_700_000_000))


@each_row(
    ("natures", "expected", "objection"),
    [
        ([("Retraction", "1/2/2020")], "true", "retracted (Retraction Watch, 2020-01-02, R)"),
        (
            [("Expression of concern", "1/2/2020")],
            "unknown",
            "under an expression of concern (Retraction Watch, 2020-01-02, R)",
        ),
        (
            [("Expression of Concern", "1/2/2020")],
            "unknown",
            "under an expression of concern (Retraction Watch, 2020-01-02, R)",
        ),
        ([("Correction", "1/2/2020")], "unknown", ""),
        ([("Retraction", "1/2/2020"), ("Reinstatement", "3/4/2021")], "false", ""),
        (
            [("Reinstatement", "3/4/2019"), ("Retraction", "1/2/2020")],
            "true",
            "retracted (Retraction Watch, 2020-01-02, R)",
        ),
        ([("Retraction", "1/2/2020"), ("Reinstatement", "")], "true", "retracted (Retraction Watch, 2020-01-02, R)"),
        (
            [("Retraction", "1/2/2020"), ("Reinstatement", "3/4/2021"), ("Expression of concern", "5/6/2022")],
            "false",
            "under an expression of concern (Retraction Watch, 2022-05-06, R)",
        ),
        (
            [("Expression of concern", "1/2/2019"), ("Retraction", "1/2/2020")],
            "true",
            "retracted (Retraction Watch, 2020-01-02, R)",
        ),
    ],
)
async def test_the_whole_history_of_a_work_counts(
    tmp_path: Path, natures: list[tuple[str, str]], expected: str, objection: str
) -> None:
    rows = [row(n, "10.1000/a", nature=nature, day=day, reason="+R;") for n, (nature, day) in enumerate(natures)]
    word = (await said(snapshot(tmp_path, *rows), cited("10.1000/a")))["doi:10.1000/a"]
    assert (word.status, word.objection, word.as_of) == (expected, objection, None if expected == "unknown" else DAY)


async def test_works_without_any_id_are_not_taken_for_each_other(tmp_path: Path) -> None:
    path = snapshot(tmp_path, row(1), row(2, "Unavailable", "0"), row(3, "", ""), row(4, "10.1000/a"))
    registry = RetractionWatch(path)
    nameless = [Reference(id="file:a"), cited("unavailable"), cited(pmid="0")]
    assert await registry.retractions(nameless) == {}


async def test_rows_that_cannot_be_read_are_left_out_and_the_others_count(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.csv"
    short, odd = row(2, "10.1000/b")[:5], row(3, "10.1000/c", nature="Rumour")
    undated, last = row(4, "10.1000/d", day="yesterday"), row(5, "10.1000/e", title="Two\nlines")
    path.write_bytes(table(row(1, "10.1000/a"), short, odd, undated, last, ["x", *row(6, "10.1000/f")[1:]]))
    registry = RetractionWatch(path, DAY)
    words = await registry.retractions([cited(f"10.1000/{letter}") for letter in "abcdef"])
    assert set(words) == {"doi:10.1000/a", "doi:10.1000/d", "doi:10.1000/e"}
    assert words["doi:10.1000/d"].objection.startswith("retracted (Retraction Watch, Falsification")


async def test_a_quotation_mark_that_is_never_closed_costs_its_own_row_alone(tmp_path: Path) -> None:
    rows = [row(number, f"10.1000/{number}", title="No comma") for number in range(1_000)]
    lines = table(*rows).replace(b'"Department of Study, Town;"', b"Department;").split(b"\n")
    lines[5] = lines[5].replace(b"No comma", b'"No comma')
    (tmp_path / "snapshot.csv").write_bytes(b"\n".join(lines))
    registry = RetractionWatch(tmp_path / "snapshot.csv", DAY)
    words = await registry.retractions([cited(f"10.1000/{number}") for number in range(1_000)])
    assert {f"doi:10.1000/{number}" for number in range(1_000)} - set(words) == {"doi:10.1000/4"}


async def test_letters_that_are_not_utf8_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.csv"
    path.write_bytes(table(row(1, "10.1000/a", reason="+Données;")).replace("é".encode(), b"\xe9"))
    registry = RetractionWatch(path, DAY)
    words = await registry.retractions([cited("10.1000/a")])
    assert words["doi:10.1000/a"].notices[0].reason == "Données"


@each_row("end", ["\n", "\r\n"])
async def test_a_byte_order_mark_line_ends_and_iso_dates_do_not_matter(tmp_path: Path, end: str) -> None:
    path = tmp_path / "snapshot.csv"
    path.write_bytes(b"\xef\xbb\xbf" + table(row(1, " 10.1000/A ", day="2024-01-15"), end=end))
    word = (await said(path, cited("https://doi.org/10.1000/a")))["doi:https://doi.org/10.1000/a"]
    assert word.notices[0].published == "2024-01-15"


def test_what_is_not_the_database_is_refused_at_once_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_bytes(table(header=["DOI", "Title"]))
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "picture.png").write_bytes(random.Random(1).randbytes(2_000))  # noqa: S311
    for name in ("other.csv", "empty.csv", "picture.png", "absent.csv", "."):
        with pytest.raises(UnreadableFile, match=r"no column|cannot be opened"):
            RetractionWatch(tmp_path / name)


async def test_a_file_that_has_gone_is_an_error_and_never_not_retracted(tmp_path: Path) -> None:
    path = snapshot(tmp_path, row(1, "10.1000/a"))
    registry = RetractionWatch(path)
    path.unlink()
    with pytest.raises(UnreadableFile, match="cannot be read"):
        await registry.retractions([cited("10.1000/a")])


async def test_three_hundred_mutilated_files_give_an_answer_or_one_of_our_errors(tmp_path: Path) -> None:
    whole = table(*(row(number, f"10.1000/{number}", str(100 + number)) for number in range(20)))
    chance = random.Random(11)  # noqa: S311 - the same mutilations every time
    outcomes = []
    for _ in range(300):
        at, more = chance.randrange(len(whole)), chance.choice([b"", b'"', b"\x00", b"\xff\xfe", b",,,", b"\n", b"'\r"])
        path = tmp_path / "snapshot.csv"
        path.write_bytes(whole[:at] + more + whole[at + chance.randrange(200) :])
        try:
            outcomes.append(len(await said(path, *(cited(f"10.1000/{number}") for number in range(20)))))
        except SourceError:
            outcomes.append(-1)
    assert max(outcomes) == 20
    assert sum(outcome >= 15 for outcome in outcomes) > 150


@pytest.mark.slow
@pytest.mark.nightly
async def test_sixty_thousand_rows_are_read_once_in_little_memory(tmp_path: Path) -> None:
    rows = (row(number, f"10.1000/{number}", str(number + 1), notice=f"10.1000/n{number}") for number in range(60_000))
    path = snapshot(tmp_path, *rows)
    tracemalloc.start()
    registry = RetractionWatch(path, DAY)
    assert len(await registry.retractions([cited("10.1000/59999"), cited("10.1000/1")])) == 2
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 80_000_000
    assert peak < held + 5_000_000
    path.unlink()
    assert len(await registry.retractions([cited("10.1000/30000")])) == 1


def test_every_column_that_is_read_is_one_that_is_published() -> None:
    from wellsourced.sources.retraction_watch import COLUMNS

    assert set(COLUMNS) <= set(HEADER)
