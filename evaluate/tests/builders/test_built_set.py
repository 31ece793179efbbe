"""The files of a set that is built: nothing is lost when a build is cut at any instant, and nothing is overwritten."""

import json
from pathlib import Path

import pytest

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, NothingBuilt, SetWriter

HEADER = BuildHeader(builder="pico-questions", inputs={"trials.jsonl": "ab12"}, options={"kinds": ("a", "b")})
MADE = BuiltItem(key="t1", rows=({"id": "q1", "kind": "title", "answerable": True},))
LACKING = BuiltItem(key="t2", left_out="it has no abstract", detail="A title")


def test_a_build_that_is_cut_within_a_line_goes_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    writer = SetWriter(out, HEADER)
    writer.add(MADE)
    writer.add(LACKING)
    writer.close()
    part = out.with_name("set.jsonl.part")
    part.write_bytes(part.read_bytes()[:-9])
    again = SetWriter(out, HEADER)
    assert list(again.items) == ["t1"]
    again.add(LACKING)
    made = again.finish(("kind", "answerable"), ("One note.",))
    assert (made.rows, made.items, made.left_out) == (1, 2, {"it has no abstract": 1})
    assert made.counts == {"kind": {"title": 1}, "answerable": {"true": 1}}
    assert json.loads(out.read_text()) == MADE.rows[0]
    left_out = json.loads((tmp_path / "set.left-out.jsonl").read_text())
    assert left_out == {"key": "t2", "left_out": "it has no abstract", "detail": "A title"}
    assert not part.exists()
    assert SetWriter(out, HEADER).manifest == made


def test_a_set_of_another_build_is_refused_with_what_differs(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    writer = SetWriter(out, HEADER)
    writer.add(MADE)
    writer.finish()
    other = HEADER.model_copy(update={"seed": 8})
    with pytest.raises(SourceRefused, match=r"seed: 7 → 8.*--fresh"):
        SetWriter(out, other)
    fresh = SetWriter(out, other, fresh=True)
    assert (fresh.manifest, fresh.items, out.exists()) == (None, {}, False)
    fresh.close()


def test_what_is_no_build_and_what_gives_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl.part").write_text("no build\n")
    with pytest.raises(UnreadableFile, match="holds no build"):
        SetWriter(tmp_path / "set.jsonl", HEADER)
    writer = SetWriter(tmp_path / "other.jsonl", HEADER)
    writer.add(LACKING)
    with pytest.raises(NothingBuilt, match=r"it has no abstract \(1\)"):
        writer.finish()
