"""Boolean trees and counts of words on a real node: the same as the index in the library's folder gives."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from tests.servers.opensearch.fixtures import OpenOn
from tests.servers.opensearch.node import Node
from tests.sources.library.word_index.test_boolean import BELOW, SAID, draw_trees, drawn, stored
from wellsourced.errors import SourceRefused
from wellsourced.query_language.query_tree import And, MeshHeading, Near, Not, Or, QueryTerm
from wellsourced.query_language.query_tree import Node as Tree
from wellsourced.sources.library.documents import DocumentStore, StoredDocument
from wellsourced.sources.library.selector import DocumentQuery, DocumentSelector
from wellsourced.sources.library.word_index.selection import EmbeddedSelector

pytestmark = pytest.mark.opensearch

NARROWER = {name: [name, *below] for name, below in BELOW.items()}
TREES = 300


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[DocumentStore]:
    stored(tmp_path, drawn(46, 1_000)).close()
    with closing(DocumentStore(tmp_path, write=True)) as opened:
        yield opened


@pytest.fixture
def there(node: Node, open_on: OpenOn, catalogue: DocumentStore) -> DocumentSelector:
    return open_on(node, index=f"t{uuid4().hex[:12]}").open_selector(catalogue)


async def test_a_tree_selects_the_same_documents_as_the_folder_does(
    catalogue: DocumentStore, there: DocumentSelector, tmp_path: Path
) -> None:
    here = EmbeddedSelector(tmp_path)
    drawn_trees = draw_trees(TREES)
    assert len(drawn_trees) > TREES / 2
    deep: Tree = QueryTerm("gout")
    for _ in range(40):
        deep = Or((And((deep, QueryTerm("flare"))), Not(QueryTerm("acute"), QueryTerm("animals"))))
    differing = []
    for tree in (*drawn_trees, deep):
        query = DocumentQuery(tree, NARROWER, exclude=("pubmed:7",))
        if await here.select(query, 30) != await there.select(query, 30):
            differing.append(tree)
    assert differing == []
    here.close()


async def test_words_are_counted_as_the_folder_counts_them(
    catalogue: DocumentStore, there: DocumentSelector, tmp_path: Path
) -> None:
    here = EmbeddedSelector(tmp_path)
    meant = DocumentQuery(MeshHeading("Arthritis"), NARROWER, only=None)
    for words in (["gout"], ["flares", "acute"], ["nowhere"], ["ménière", "cox-2"]):
        assert await there.count_holding_all(words, meant) == await here.count_holding_all(words, meant)
        assert await there.frequencies(words) == await here.frequencies(words)
    for word in ("goute", "arthritic", "artritis", "rthritsi", "mäniere"):
        assert await there.spelled_like(word, 5) == await here.spelled_like(word, 5), word
    assert [one for one in SAID if (await there.frequencies([one])).counts] == [*SAID]
    here.close()


async def test_changes_are_taken_over_and_another_catalogue_is_noticed(
    catalogue: DocumentStore, there: DocumentSelector, node: Node
) -> None:
    everything = DocumentQuery()
    assert (await there.select(everything, 0)).total == 1_000
    new = drawn(47, 3)
    catalogue.store_documents((StoredDocument.from_document(one), 1, one.reference.year, "file") for one in new)
    catalogue.publish_changes(0)
    assert (await there.select(everything, 0)).total == 1_000
    there.clear()
    assert (await there.select(everything, 3)).total == 1_000


async def test_a_query_of_more_phrases_than_the_server_takes_is_refused(there: DocumentSelector) -> None:
    many = Or(tuple(QueryTerm(f"acute gout{number}", "title") for number in range(1_001)))
    with pytest.raises(SourceRefused, match="has more than 1,000 phrases"):
        await there.select(DocumentQuery(many), 5)
    single = Or(tuple(QueryTerm(f"gout{number}") for number in range(1_001)))
    near = Near((QueryTerm("gout"), QueryTerm("flare")), 2)
    assert (await there.select(DocumentQuery(Or((single, near))), 5)).total > 0
