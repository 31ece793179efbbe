"""The public JSON: one object with its version, the pages that describe it, and other versions."""

import json
import pickle
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.presentation.results import ANSWER, CHECKUP, EXPLANATION, RECOMMENDATION, SEARCH_FINDINGS
from tests.tables import each_row
from tests.world import GUIDELINE
from wellsourced.errors import LaterFormat
from wellsourced.presentation.json_schema import RESULTS, list_schemas, to_excerpt
from wellsourced.types import Answer, PublicResult

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
KINDS = {str(result.model_fields["kind"].default): result for result in RESULTS}
MADE = (ANSWER, RECOMMENDATION, CHECKUP, EXPLANATION, SEARCH_FINDINGS, to_excerpt(GUIDELINE, 3, 10))


@each_row("result", MADE)
def test_a_result_says_first_what_it_is_and_fits_the_schema_of_its_kind(result: Any) -> None:
    written = json.loads(result.model_dump_json())
    assert list(written)[:2] == ["version", "kind"]
    assert written["version"] == 3
    jsonschema.validate(written, list_schemas()[written["kind"]])
    assert KINDS[written["kind"]].model_validate(written).model_dump(mode="json") == written


@each_row("kind", KINDS)
def test_the_page_names_every_field_and_its_example_fits_the_schema(kind: str) -> None:
    section = PAGE.split(f"\n## `{kind}`\n")[1].split("\n## ")[0]
    example = json.loads(re.findall(r"```json\n(.*?)```", section, re.DOTALL)[0])
    assert example["kind"] == kind
    jsonschema.validate(example, list_schemas()[kind])
    KINDS[kind].model_validate(example)
    fields = {*KINDS[kind].model_fields, *KINDS[kind].model_computed_fields} - {"version", "kind"}
    named = {name for words in re.findall(r"`([^`]+)`", section) for name in re.findall(r"\w+", words)}
    assert fields - named == set()


@each_row("result", MADE)
def test_what_was_written_without_a_version_is_read_and_what_comes_later_is_refused(result: PublicResult) -> None:
    written = json.loads(result.model_dump_json())
    first = {name: value for name, value in written.items() if name not in ("version", "kind")}
    assert (
        type(result).model_validate_json(json.dumps(first)).model_dump()
        == type(result).model_validate(written).model_dump()
    )
    for version in (1, 2):
        assert type(result).model_validate_json(json.dumps({"version": version, **first})) == type(
            result
        ).model_validate(written)
    for version in (4, 40):
        with pytest.raises(LaterFormat, match=rf"^Written by a later wellsourced \(format {version}\)\. Update "):
            type(result).model_validate_json(json.dumps({**written, "version": version, "unknown": [1]}))
    with pytest.raises(ValueError, match="version"):
        type(result).model_validate({**written, "version": "two"})


def test_the_refusal_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(LaterFormat(3))).version == 3  # noqa: S301 - written here


def test_an_answer_within_an_explanation_of_a_later_version_is_refused() -> None:
    written = json.loads(EXPLANATION.model_dump_json())
    written["terms"][0]["answer"]["version"] = 4
    with pytest.raises(LaterFormat):
        type(EXPLANATION).model_validate(written)


def test_python_shows_five_lines_that_command_no_terminal() -> None:
    question = ANSWER.question.model_copy(update={"text": "gout\x1b[31m\n\u202e" * 99})
    hostile = ANSWER.model_copy(update={"question": question})
    for result in (ANSWER, CHECKUP, hostile, Answer(question=ANSWER.question, abstained=True, reason="Nothing found.")):
        lines = repr(result).splitlines()
        assert len(lines) == 5
        assert all(len(line) <= 110 and line.isprintable() for line in lines)
        assert str(result) == repr(result)
    assert repr(ANSWER) == (
        "Question: Which dose of colchicine is used in a gout flare?\n"
        "Answer: 1 statement\n"
        "First statement: Low-dose colchicine is strongly recommended over high-dose colchicine for gout flares …\n"
        "Works cited: 1: 2020 ACR Guideline for the Management of Gout\n"
        "Sources searched: –"
    )


@each_row("result", MADE)
def test_a_notebook_gets_a_page_of_its_own_for_each_result(result: PublicResult) -> None:
    shown = result._repr_html_()
    assert "<script" not in shown
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    assert ids == [] or len({id.partition("-")[0] for id in ids if not id.startswith(("quote", "statement"))}) <= 1
