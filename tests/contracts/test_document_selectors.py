"""What every engine that selects whole documents keeps: it selects what a reader would pick one by one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from tests.sources.boolean_by_hand import holds
from tests.sources.library.word_index.test_boolean import BELOW, draw_trees, drawn, stored
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.selector import DocumentQuery, DocumentSelector
from wellsourced.sources.library.word_index.selection import EmbeddedSelector

NARROWER = {name: [name, *below] for name, below in BELOW.items()}
CORPUS = drawn(46, 60)


@pytest.fixture(params=["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)])
def selector(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DocumentSelector]:
    stored(tmp_path, CORPUS).close()
    with closing(DocumentStore(tmp_path)) as catalogue:
        if request.param == "embedded":
            yield EmbeddedSelector(tmp_path)
        else:
            node, open_on = request.getfixturevalue("node"), request.getfixturevalue("open_on")
            yield open_on(node, index=f"contract-{uuid4().hex[:12]}").open_selector(catalogue)


async def test_a_tree_selects_what_a_reader_would_pick_newest_first(selector: DocumentSelector) -> None:
    for tree in draw_trees(40):
        found = await selector.select(DocumentQuery(tree, NARROWER), 100)
        assert {*found.ids} == {one.reference.id for one in CORPUS if holds(tree, one, BELOW) is not False}, tree
        assert found.total == len(found.ids)
        first = await selector.select(DocumentQuery(tree, NARROWER, exclude=tuple(found.ids[:1])), 5)
        assert (first.total, first.ids) == (max(0, found.total - 1), found.ids[1:6])
    assert (await selector.frequencies(["gout"])).documents == len(CORPUS)
    selector.close()
