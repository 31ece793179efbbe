"""The API against its own description: what that allows is answered as it says, and nothing makes the server fail."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.tables import each_row
from wellsourced.server.access import Access
from wellsourced.server.application import build_application

FEW, MANY = 3, 12
"""Requests of each way and phase: an answer takes half a second."""

NOT_SAID = "positive_data_acceptance"
"""That a question is not blank, or that the last message is a user's, no schema says: it is refused all the same."""


def list_operations() -> list[tuple[str, dict[str, Any]]]:
    """Each way with its method, as the description has it."""
    paths = DESCRIPTION["paths"]
    return [(f"{method} {path}", one) for path, methods in paths.items() for method, one in methods.items()]


DESCRIPTION = build_application(Access()).openapi()


@each_row(("way", "operation"), list_operations())
def test_every_way_shows_an_example_of_what_is_sent_and_the_schema_of_the_answer(
    way: str, operation: dict[str, Any]
) -> None:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        (example,) = resolve_schema(content["schema"])["examples"]
        assert not list(list_faults(example, content["schema"]))
    told = operation["responses"]
    assert "204" in told or told["200"]["content"], way
    for kind, content in told.get("200", {"content": {}})["content"].items():
        assert kind == "text/event-stream" or content["schema"], (way, kind)


def resolve_schema(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = DESCRIPTION["components"]["schemas"][name] if name else schema
    return found


def list_faults(example: object, schema: dict[str, Any]) -> Iterator[str]:
    whole = {**schema, "components": DESCRIPTION["components"]}
    return (str(one) for one in jsonschema_rs.validator_for(whole).iter_errors(example))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phases", "examples"),
    [("examples,fuzzing", FEW), pytest.param("examples,coverage,fuzzing", MANY, marks=pytest.mark.nightly)],
)
def test_whatever_the_description_allows_is_answered_as_it_says(
    address: str, tmp_path: Path, phases: str, examples: int
) -> None:
    program = Path(sys.executable).with_name("schemathesis")
    options = ["--max-examples", str(examples), "--exclude-checks", NOT_SAID, "--request-timeout", "30"]
    # With several workers it parses syntax trees in several threads, and Python 3.11 fails: "AST constructor recursion
    # depth mismatch" (https://github.com/python/cpython/issues/106905).
    options += ["--phases", phases, "--seed", "18", "--no-color"]
    command = [str(program), "run", f"{address}/openapi.json", *options]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False)
    assert told.returncode == 0, told.stdout[-4_000:]
    assert "Tested: 25" in told.stdout
