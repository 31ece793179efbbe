"""A page that the user has in a library is the one that a text cites, however the text spells its address."""

import json
from pathlib import Path

import pytest

from tests.app.conftest import Run

FLARE = "Colchicine shortened gout flares by two days in adults."
PAGE = f"""---
title: Colchicine in gout
url: https://www.example.org/gout/colchicine/
---
{FLARE} It was studied for a year in four countries, and adults of all ages took part in it.
"""


@pytest.fixture
def leaflets(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "leaflet.md").write_text(PAGE, encoding="utf-8")
    made = run("library", "create", "leaflets", "--add", str(tmp_path / "leaflet.md"))
    assert made.exit_code == 0, made.output
    return tmp_path


@pytest.mark.parametrize(
    ("address", "fetched"),
    [
        ("https://www.example.org/gout/colchicine/", "ok"),
        ("http://example.org/gout/colchicine", "ok"),
        ("https://example.org/gout/colchicine/?utm_source=chatgpt.com#dose", "ok"),
        ("https://example.org/gout/allopurinol", "offline"),
        ("https://example.org/gout/colchicine?page=2", "offline"),
    ],
)
def test_the_page_is_read_from_the_library_without_the_network(
    run: Run, leaflets: Path, address: str, fetched: str
) -> None:
    answer = leaflets / "answer.md"
    answer.write_text(f"{FLARE} [1]\n\nReferences\n1. {address}\n", encoding="utf-8")
    done = run("--offline", "check", "--json", str(answer))
    (source,) = json.loads(done.stdout)["traced"]
    assert source["fetched"] == fetched, done.output
    assert ("leaflets" in source["asked"]) == (fetched == "ok")
    assert [one["label"] for one in json.loads(done.stdout)["verdicts"]] == [
        "supports" if fetched == "ok" else "unjudged"
    ]


def test_a_page_that_is_added_while_the_library_is_open_is_found(run: Run, leaflets: Path) -> None:
    answer = leaflets / "answer.md"
    answer.write_text(f"{FLARE} [1]\n\nReferences\n1. http://example.org/new\n", encoding="utf-8")
    assert json.loads(run("--offline", "check", "--json", str(answer)).stdout)["traced"][0]["fetched"] == "offline"
    (leaflets / "new.md").write_text(PAGE.replace("gout/colchicine/", "new"), encoding="utf-8")
    assert run("library", "add", "leaflets", str(leaflets / "new.md")).exit_code == 0
    assert json.loads(run("--offline", "check", "--json", str(answer)).stdout)["traced"][0]["fetched"] == "ok"
