"""A library on one real node: from the command line, and what of an index, a disk, a network or a key is refused."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import numpy as np
import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from tests.servers.base import Asked, Said, serving
from tests.servers.opensearch.fixtures import OpenOn, address_of
from tests.servers.opensearch.node import Node, find_free_ports
from tests.tables import each_row
from wellsourced.app.cli import command_line
from wellsourced.errors import OfflineError, SettingsError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.sources.library.engines import EngineAddress, IndexedPassage, NewPassage, PassageFilter
from wellsourced.sources.library.opensearch.engine import OpenSearchEngine, open_engine, parse_address
from wellsourced.text.dates import NO_DAYS
from wellsourced.types import Query

pytestmark = pytest.mark.opensearch

ANY = PassageFilter()
LONG = "url:https://example.org/" + "ä b/" * 300 + "?q=1#part"
"""An id that no server takes as a key, and that has the sign that ends one."""


@pytest.fixture
def index() -> str:
    return f"t{uuid4().hex[:12]}"


def passage(id: str, words: str = "gout flares", hash: int = 7) -> NewPassage:
    return NewPassage(f"{id}#0-10", hash, NO_DAYS, words)


async def filled(engine: OpenSearchEngine, *ids: str) -> OpenSearchEngine:
    await engine.prepare()
    await engine.replace(ids, [passage(id) for id in ids])
    engine.refresh()
    return engine


def test_a_library_is_made_filled_searched_and_copied_from_the_command_line(
    node: Node, home: Path, index: str, tmp_path: Path
) -> None:
    for name, text in (("a", "Colchicine shortened gout flares by two days."), ("b", "Salt had no effect on gout.")):
        (tmp_path / f"{name}.txt").write_text(text)

    def run(*words: str, status: int = 0) -> str:
        done = CliRunner().invoke(command_line, words)
        assert done.exit_code == status, done.output
        return done.output

    address = address_of([node], index)
    files = str(tmp_path / "a.txt"), str(tmp_path / "b.txt")
    assert "2 documents" in run("library", "create", "mine", "--engine", address, "--lexical", "--add", *files)
    assert "Colchicine shortened" in run("search", "colchicine for gout", "--library", "mine")
    assert "2 documents" in run("library", "copy", "mine", "here")
    found = run("--offline", "search", "colchicine", "--library", "mine", status=3)
    assert "offline" in found
    assert "Colchicine shortened" in run("--offline", "search", "colchicine", "--library", "here")
    ledger = [json.loads(line) for line in (home / "egress.jsonl").read_text().splitlines()]
    assert {one["host"] for one in ledger} == {node.url.removeprefix("http://")}
    assert "mine" in run("library", "remove", "mine", "--yes")
    assert not [name for name in node.ask("GET", "/_alias") if name.startswith(index)]


async def test_ids_may_be_long(node: Node, open_on: OpenOn, index: str) -> None:
    engine = await filled(open_on(node, index=index), LONG)
    await engine.replace([LONG], [passage(LONG, hash=-(2**63))])
    (found,) = (await engine.rank_by_words("gout", "", PassageFilter(only=(LONG,)), 10)).passages
    assert (found.passage.document_id, found.passage.document_hash) == (LONG, -(2**63))


async def test_many_vectors_are_searched_by_a_graph_as_few_are_one_by_one(
    node: Node, open_on: OpenOn, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_on(node, index=index)
    await engine.prepare()
    passages = [passage(f"doc:{number:03}") for number in range(400)]
    await engine.replace([], passages)
    vectors = np.random.default_rng(3).standard_normal((400, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    await engine.add_vectors([IndexedPassage(one.id, 7) for one in passages], vectors)
    engine.refresh()
    wanted = PassageFilter(exclude=("doc:007",))
    exact = [(await engine.rank_by_vector(vector, wanted, 10)).passages for vector in vectors[:20]]
    monkeypatch.setattr("wellsourced.sources.library.opensearch.engine.MAX_EXACT", 0)
    near = [(await engine.rank_by_vector(vector, wanted, 10)).passages for vector in vectors[:20]]
    same = sum(len(set(one) & set(other)) for one, other in zip(exact, near, strict=True))
    assert same >= 0.98 * 200
    assert all(one.passage.document_id != "doc:007" for ranking in near for one in ranking)


async def change_mapping(node: Node, index: str, name: str, **change: Any) -> None:
    """Make an index again under the same alias, with something else in its mapping."""
    what = node.ask("GET", f"/{name}")[f"{name}-1"]
    node.ask("DELETE", f"/{name}-1")
    mappings = {**what["mappings"], **change}
    settings = {"index": {"knn": True, **{key: what["settings"]["index"][key] for key in ("analysis", "similarity")}}}
    body = {"mappings": mappings, "settings": settings, "aliases": {name: {}}}
    node.ask("PUT", f"/{name}-1", body)


@pytest.mark.parametrize("kind", ["engine", "format", "owner", "nobody", "field", "dynamic", "index"])
async def test_an_index_that_is_not_as_it_was_made_is_refused_before_it_is_written(
    node: Node, open_on: OpenOn, index: str, kind: str
) -> None:
    await filled(open_on(node, index=index), "doc:1")
    name = f"{index}-vectors"
    mappings = node.ask("GET", f"/{name}")[f"{name}-1"]["mappings"]
    fields, meta = mappings["properties"], mappings["_meta"]["wellsourced"]
    faiss = {"name": "hnsw", "engine": "faiss", "space_type": "innerproduct"}
    changes: dict[str, dict[str, Any]] = {
        "engine": {"properties": {**fields, "vector": {"type": "knn_vector", "dimension": 8, "method": faiss}}},
        "format": {"_meta": {"wellsourced": {**meta, "format": 99}}},
        "owner": {"_meta": {"wellsourced": {**meta, "owner": "b" * 32, "library": "others"}}},
        "nobody": {"_meta": {}},
        "field": {"properties": {**fields, "latest": {"type": "long"}}},
        "dynamic": {"dynamic": "true"},
    }
    reasons = {
        "engine": r"was changed on the server \(vector: engine faiss\)",
        "format": "has format 99",
        "owner": r"is the index of another library \(others\)",
        "nobody": "is an index of another program",
        "field": r"was changed on the server \(latest\)",
        "dynamic": r"was changed on the server \(dynamic\)",
        "index": "is an index of another program",
    }
    if kind == "index":
        node.ask("DELETE", f"/{name}-1")
        node.ask("PUT", f"/{name}", {})
    else:
        await change_mapping(node, index, name, **changes[kind])
    engine = open_on(node, index=index)
    with pytest.raises(SourceRefused, match=reasons[kind]):
        await engine.prepare()
    with pytest.raises(SourceRefused, match=reasons[kind]):
        await engine.rank_by_words("gout", "", ANY, 5)
    assert node.ask("GET", f"/{name}/_count")["count"] == 0
    if kind in ("owner", "nobody", "index"):
        with pytest.raises(SourceRefused, match="is not this library's index, and was not deleted"):
            await engine.drop(vectors=True)
    else:
        # What is ours is made again.
        await engine.drop(vectors=True)
        await filled(engine, "doc:1")


async def test_vectors_of_another_encoder_are_refused_before_a_write(node: Node, open_on: OpenOn, index: str) -> None:
    engine = await filled(open_on(node, index=index, encoder="minilm, fused"), "doc:1")
    await engine.add_vectors([IndexedPassage("doc:1#0-10", 7)], np.eye(1, 8, dtype=np.float32))
    with pytest.raises(
        SourceRefused, match=r"has vectors of minilm, fused, but this library's are of e5\. No document"
    ):
        await open_on(node, index=index, encoder="e5").prepare()
    # Whoever takes another encoder drops the vectors first, and the next are that one's.
    writer = open_on(node, index=index, encoder="minilm, fused")
    await writer.prepare()
    await writer.drop_vectors("e5")
    await writer.add_vectors([IndexedPassage("doc:1#0-10", 7)], np.eye(1, 16, dtype=np.float32))
    await open_on(node, index=index, encoder="e5").prepare()


async def test_an_index_that_is_gone_is_missed_and_made_again(node: Node, open_on: OpenOn, index: str) -> None:
    engine = await filled(open_on(node, index=index), "doc:1")
    node.ask("DELETE", f"/{index}-1")
    engine.refresh()
    with pytest.raises(SourceRefused, match=r"is missing on the server\. No document is lost") as raised:
        await engine.rank_by_words("gout", "", ANY, 5)
    assert raised.value.next_step
    assert raised.value.next_step.kind == "rebuild library"
    writer = await filled(open_on(node, index=index), "doc:1")
    assert (await writer.count()).passages == 1


async def test_what_a_killed_change_left_is_deleted(node: Node, open_on: OpenOn, index: str) -> None:
    engine = await filled(open_on(node, index=index), "doc:1")
    state = await engine.vectors.find()
    assert state
    await engine.vectors.begin_next(state)
    await filled(open_on(node, index=index), "doc:2")
    assert {name for name in node.ask("GET", f"/{index}*") if name.startswith(index)} == {
        f"{index}-1",
        f"{index}-vectors-1",
    }


async def test_a_full_disk_refuses_documents_in_words_and_loses_none(node: Node, open_on: OpenOn, index: str) -> None:
    engine = await filled(open_on(node, index=index), "doc:1")
    blocked = {"index.blocks.read_only_allow_delete": True}
    node.ask("PUT", f"/{index}-1/_settings", blocked)
    # Who has begun to write, and who is about to.
    for writer in (engine, open_on(node, index=index)):
        with pytest.raises(SourceUnavailable, match=r"the server's disk is nearly full\. Free space there"):
            await writer.prepare()
            await writer.replace(["doc:2"], [passage("doc:2")])
    assert len((await engine.rank_by_words("gout", "", ANY, 5)).passages) == 1
    node.ask("PUT", f"/{index}-1/_settings", dict.fromkeys(blocked))
    await engine.replace(["doc:2"], [passage("doc:2")])
    assert (await engine.count()).passages == 2


async def test_an_index_that_was_made_read_only_is_refused(node: Node, open_on: OpenOn, index: str) -> None:
    await filled(open_on(node, index=index), "doc:1")
    node.ask("PUT", f"/{index}-1/_settings", {"index.blocks.write": True})
    with pytest.raises(SourceRefused, match="was made read-only on the server"):
        await open_on(node, index=index).prepare()


async def test_a_search_that_may_identify_somebody_is_cleared_before_it_leaves(node: Node) -> None:
    async with Client(exit=PrivacyFilter("mask")) as client:
        there = open_engine(EngineAddress("opensearch://search.example:9200/x", "x", "a" * 32), client)
        here = open_engine(EngineAddress(address_of([node], "x"), "x", "a" * 32), client)
        asked = Query(terms=("gout", "john.smith@example.org"))
        assert there.clear_query(asked).terms == ("gout",)
        assert here.clear_query(asked) == asked
        # Nothing goes to another machine over plain HTTP.
        plain = open_engine(EngineAddress("opensearch://h:9200/x", "x", "a" * 32), client, "http://search.example:9200")
        with pytest.raises(SourceRefused, match="plain HTTP"):
            await plain.rank_by_words("gout", "", ANY, 5)
    async with Client(offline=True) as client:
        with pytest.raises(OfflineError):
            await open_engine(EngineAddress(address_of([node], "x"), "x", "a" * 32), client).prepare()


@each_row(
    "url",
    ["opensearch://host/x", "opensearch://u:p@host:9200/x", "http://h:1/x", "opensearch://h:1/X", "opensearch://h:1/"],
)
def test_an_address_names_hosts_with_ports_and_an_index(url: str) -> None:
    with pytest.raises(SettingsError):
        parse_address(url)


class Busy:
    """Stands before a node, and does not let every second document of the first bulks in, as a busy server does."""

    def __init__(self, node: Node, times: int) -> None:
        self.node, self.times = node, times

    def __call__(self, asked: Asked) -> Said:
        body = asked.body
        refused: list[int] = []
        if asked.path.endswith("/_bulk") and self.times > 0 and b'"index"' in body:
            self.times -= 1
            pairs = body.splitlines(keepends=True)
            refused = [*range(0, len(pairs) // 2, 2)]
            body = b"".join(b"".join(pairs[2 * at : 2 * at + 2]) for at in range(len(pairs) // 2) if at % 2)
        with httpx2.Client(trust_env=False, timeout=60) as http:
            headers = {"Content-Type": asked.headers.get("Content-Type", "application/json")}
            url = f"{self.node.url}{asked.path}"
            there = http.request(asked.method, url, params=asked.fields, content=body or b"{}", headers=headers)
        answer = there.json() if there.content else {}
        if refused:
            error = {"type": "rejected_execution_exception", "reason": "rejected execution"}
            late = {"index": {"status": 429, "error": error}}
            size = len(asked.body.splitlines()) // 2
            answer = {
                "errors": True,
                "items": [late if at in refused else {"index": {"status": 201}} for at in range(size)],
            }
        return Said(json.dumps(answer).encode(), there.status_code, "application/json")


async def test_what_a_busy_server_did_not_take_is_sent_again_or_told(
    node: Node, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wellsourced.sources.library.opensearch.cluster.BULK_DELAYS", (0.01, 0.01, 0.01))
    ids = [f"doc:{number}" for number in range(9)]
    busy = Busy(node, times=2)
    with serving(busy) as served:
        async with Client() as client:
            at = served.url.removeprefix("http://")
            engine = open_engine(EngineAddress(f"opensearch://{at}/{index}", "x", "a" * 32), client)
            await filled(engine, *ids)
            assert (await engine.count()).passages == 9
            busy.times = 99
            with pytest.raises(SourceUnavailable, match="is too busy to take"):
                await engine.replace(ids, [passage(id, hash=8) for id in ids])
            busy.times = 0
            # As the next writer does with what is still pending.
            await engine.replace(ids, [passage(id, hash=8) for id in ids])
            assert set((await engine.count_by_document()).values()) == {(8, 1)}


NGINX = """
user {user};
daemon off; pid {folder}/pid; error_log stderr;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    auth_basic "search"; auth_basic_user_file {folder}/users; client_max_body_size 100m;
    location / {{ proxy_pass {url}; proxy_set_header Authorization ""; }}
  }}
}}
"""


@contextmanager
def nginx_before(node: Node, folder: Path, port: int) -> Iterator[Path]:
    """nginx with TLS and basic authentication before a node; the file of the certificate that it shows."""
    certificate = folder / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    named = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", certificate]
    subprocess.run([*made, *named], check=True, capture_output=True)
    (folder / "users").write_text("reader:{PLAIN}secret\n")
    (folder / "nginx.conf").write_text(NGINX.format(user=getuser(), folder=folder, port=port, url=node.url))
    server = subprocess.Popen(["nginx", "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with httpx2.Client(verify=False, trust_env=False) as http:
                try:
                    http.get(f"https://127.0.0.1:{port}/")
                    break
                except httpx2.ConnectError:
                    time.sleep(0.05)
        yield certificate
    finally:
        server.terminate()
        server.wait()


@pytest.mark.skipif(not (shutil.which("nginx") and shutil.which("openssl")), reason="nginx is not installed")
async def test_tls_and_basic_authentication_stand_before_the_server(node: Node, tmp_path: Path, index: str) -> None:
    (port,) = find_free_ports(1)
    address, url = (
        EngineAddress(f"opensearch://search.example:9200/{index}", "x", "a" * 32),
        f"https://127.0.0.1:{port}",
    )
    with nginx_before(node, tmp_path, port) as certificate:
        async with Client(certificates=certificate) as client:
            engine = open_engine(address, client, url, SecretStr("reader:secret"))
            await filled(engine, "doc:1")
            assert len((await engine.rank_by_words("gout", "", ANY, 5)).passages) == 1
            for key in (None, SecretStr("reader:wrong"), SecretStr("abc")):
                with pytest.raises(SourceRefused, match=r"refused access \(401\). Check opensearch.key") as raised:
                    await open_engine(address, client, url, key).prepare()
                assert "wrong" not in str(raised.value)
            assert "secret" not in repr(client.ledger.contacts)
        async with Client() as client:
            with pytest.raises(SourceRefused, match="has no valid certificate"):
                await open_engine(address, client, url, SecretStr("reader:secret")).prepare()
        with pytest.raises(SettingsError, match="is not a PEM file"):
            Client(certificates=tmp_path / "users")
