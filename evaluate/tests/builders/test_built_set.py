"""The files of a set that is built: nothing is lost when a build is cut at any instant, and nothing is overwritten."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.builders.built_set import (
    BuildHeader,
    BuiltItem,
    LeftOut,
    Manifest,
    NothingBuilt,
    SetRecipe,
    build_set,
)

HEADER = BuildHeader(builder="pico-questions", inputs={"trials.jsonl": "ab12"}, settings={"kinds": ("a", "b")})
MADE = BuiltItem(key="t1", rows=({"id": "q1", "kind": "title", "answerable": True},))
LACKING = BuiltItem(key="t2", left_out="it has no abstract", detail="A title")


async def build(
    out: Path, *items: BuiltItem | Exception, header: BuildHeader = HEADER, fresh: bool = False
) -> Manifest:
    async def make(item: BuiltItem | Exception) -> Sequence[dict[str, Any]]:
        if isinstance(item, Exception):
            raise item
        if item.left_out:
            raise LeftOut(item.left_out, item.detail)
        return item.rows

    said: list[str] = []
    doing = "Made {done} of {every}"
    things = {item.key if isinstance(item, BuiltItem) else "fault": item for item in items}
    recipe = SetRecipe(header, things, make, doing, count_by=("kind", "answerable"), notes=["One note."])
    made = await build_set(out, recipe, said.append, fresh=fresh)
    assert said == [doing.format(done=len(items) - left, every=len(items)) for left in range(len(said), 0, -1)]
    return made


async def test_a_build_that_is_cut_within_a_line_goes_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    with pytest.raises(KeyError):
        await build(out, MADE, LACKING, KeyError())
    part = out.with_name("set.jsonl.part")
    part.write_bytes(part.read_bytes()[:-9])
    changed = MADE.model_copy(update={"rows": ({"id": "q9"},)})
    made = await build(out, changed, LACKING)
    assert (made.rows, made.items, made.left_out) == (1, 2, {"it has no abstract": 1})
    assert made.counts == {"kind": {"title": 1}, "answerable": {"true": 1}}
    assert made.notes == ("One note.",)
    assert json.loads(out.read_text()) == MADE.rows[0]
    left_out = json.loads((tmp_path / "set.left-out.jsonl").read_text())
    assert left_out == {"key": "t2", "left_out": "it has no abstract", "detail": "A title"}
    assert not part.exists()
    assert await build(out, KeyError()) == made


async def test_a_set_of_another_build_is_refused_with_what_differs(tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    await build(out, MADE)
    other = HEADER.model_copy(update={"seed": 8})
    with pytest.raises(SourceRefused, match=r"seed: 7 → 8.*--fresh"):
        await build(out, MADE, header=other)
    assert (await build(out, MADE, header=other, fresh=True)).build == other


async def test_what_is_no_build_and_what_gives_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl.part").write_text("no build\n")
    with pytest.raises(UnreadableFile, match="holds no build"):
        await build(tmp_path / "set.jsonl", MADE)
    with pytest.raises(NothingBuilt, match=r"it has no abstract \(1\)"):
        await build(tmp_path / "other.jsonl", LACKING)
