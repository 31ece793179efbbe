"""The API against its own description: what that allows is answered as it says, and nothing makes the server fail."""

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from wellsourced.server.access import Access
from wellsourced.server.application import build_application

FEW, MANY = 3, 12
"""Requests of each way and phase: an answer takes half a second."""

NOT_SAID = "positive_data_acceptance"
"""That a question is not blank, or that the last message is a user's, no schema says: it is refused all the same."""


@cache
def describe() -> dict[str, Any]:
    return build_application(Access()).openapi()


def test_every_way_shows_an_example_of_what_is_sent_and_the_schema_of_the_answer() -> None:
    ways = [(method, path) for path, methods in describe()["paths"].items() for method in methods]
    assert len(ways) == 25
    for method, path in ways:
        operation = describe()["paths"][path][method]
        for content in operation.get("requestBody", {}).get("content", {}).values():
            (example,) = resolve_schema(content["schema"])["examples"]
            assert not list(list_faults(example, content["schema"])), (method, path)
        told = operation["responses"]
        assert "204" in told or told["200"]["content"], (method, path)
        for kind, content in told.get("200", {"content": {}})["content"].items():
            assert kind == "text/event-stream" or content["schema"], (method, path, kind)


def resolve_schema(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = describe()["components"]["schemas"][name] if name else schema
    return found


def list_faults(example: object, schema: dict[str, Any]) -> Iterator[str]:
    whole = {**schema, "components": describe()["components"]}
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
