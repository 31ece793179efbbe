"""A checked text as programs read it: JSON, CSV."""

import csv
import io
import json
from datetime import date

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted
from tests.presentation.checked import NAUSEA, check_gout
from tests.tables import each_row
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.verdicts import pool_shares
from wellsourced.presentation.check_exports import (
    COLUMNS,
    export_csv,
    export_json,
)
from wellsourced.text.sanitization import neutralize_cell
from wellsourced.types import Checkup


@pytest.fixture
async def checkup() -> Checkup:
    return await check_gout()


def test_the_json_of_one_text_is_its_checkup_and_of_several_has_their_figures(checkup: Checkup) -> None:
    assert Checkup.model_validate_json(export_json([CheckedText("a.md", checkup)], {})) == checkup
    results = [CheckedText("a.md", checkup), CheckedText("b.md", checkup)]
    data = json.loads(export_json(results, pool_shares([checkup, checkup])))
    assert (data["shares"]["source validity"]["part"], list(data["checkups"])) == (6, ["a.md", "b.md"])


def test_the_rows_are_all_pairs_and_no_cell_is_run_by_a_spreadsheet(checkup: Checkup) -> None:
    rows = [*csv.DictReader(io.StringIO(export_csv([CheckedText("a.md", checkup)])))]
    assert len(rows) == 16
    assert tuple(rows[0]) == COLUMNS
    assert rows[4]["statement"] == f"'{NAUSEA}"
    assert (rows[0]["label"], rows[0]["excerpt"], rows[0]["own"]) == ("verified", "Colchicine shortened flares.", "yes")
    assert (rows[3]["url class"], rows[3]["standing"], rows[3]["label"]) == ("dead", "invented", "unjudged")
    assert {(row["model"], row["date"]) for row in rows} == {("pairs", str(date(2026, 11, 21)))}


async def test_a_source_that_no_statement_was_put_to_has_a_row_too() -> None:
    done = await run_checkup(submitted("", 1), ToldTracer(opened("1", fetched="dead")), Pairs({}))
    rows = [*csv.DictReader(io.StringIO(export_csv([CheckedText("a.md", done)])))]
    assert [(row["statement"], row["url"], row["url class"]) for row in rows] == [("", "https://example.org/1", "dead")]


@each_row("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(cell: str) -> None:
    assert neutralize_cell(cell) == f"'{cell}"
