"""Files that were made to do harm, and files that chance has broken: a typed error, a fault, or documents; soon."""

import gzip
import random
import time
from pathlib import Path

import pytest

from tests.readers.reading import DATA, assert_sound, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
ENTITIES = {
    "a billion laughs": f'<!DOCTYPE article [<!ENTITY l0 "lol">{LAUGHS}]>',
    "another file": '<!DOCTYPE article [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>',
    "another host": '<!DOCTYPE article [<!ENTITY l9 SYSTEM "http://127.0.0.1:9/x">]>',
    "a parameter entity": '<!DOCTYPE article [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>',
}
ARTICLE = (
    '<article><front><article-meta><article-id pub-id-type="pmid">5</article-id></article-meta></front>'
    "<body><p>Secret: &l9;</p></body></article>"
)


@each_row("name", ["a.nxml", "a.xml", "a.xml.gz"])
@each_row("head", ENTITIES.values())
def test_xml_that_declares_entities_is_refused(tmp_path: Path, name: str, head: str) -> None:
    path = written(tmp_path / name, head + ARTICLE)
    with pytest.raises(UnreadableFile, match="declares XML entities"):
        list(reader_for(path)(path, "own"))


def test_entities_are_seen_in_every_encoding(tmp_path: Path) -> None:
    xml = '<?xml version="1.0" encoding="UTF-16"?>' + ENTITIES["another file"] + ARTICLE
    path = written(tmp_path / "a.nxml", xml.encode("utf-16"))
    with pytest.raises(UnreadableFile, match="declares XML entities"):
        list(reader_for(path)(path, "own"))


def test_an_entity_that_nobody_declared_opens_nothing(tmp_path: Path) -> None:
    head = '<!DOCTYPE article PUBLIC "-//NLM//DTD x//EN" "file:///etc/hostname">'
    path = written(tmp_path / "a.nxml", head + ARTICLE.replace("&l9;", "&beta;&unheard;"))
    (document,) = reader_for(path)(path, "own")
    assert isinstance(document, Document)
    assert document.text == "Secret: β&unheard;"


@each_row("name", ["a.txt.gz.txt", "a.md"])
def test_a_bomb_is_not_unpacked_into_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(bytes(70 * 1024 * 1024)))
    with pytest.raises(UnreadableFile, match="unpacks to more than 200 times its size"):
        list(reader_for(path)(path, "own"))


def test_a_bomb_behind_a_sound_line_leaves_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"_id":"1","text":"sound"}\n' + bytes(70 * 1024 * 1024)))
    document, fault = reader_for(path)(path, "own")
    assert isinstance(document, Document)
    assert isinstance(fault, UnreadablePart)
    assert fault.where == "after 1 documents"


def test_a_bomb_of_one_xml_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    record = b"<PubmedArticle>" + b"<a/>" * 9_000_000
    path.write_bytes(gzip.compress(b"<PubmedArticleSet>" + record, 1))
    with pytest.raises(UnreadableFile, match="larger than 32 MB"):
        list(reader_for(path)(path, "own"))


@each_row("xml", ["<article>" * 100_000, "<article " + "a='1' " * 50_000 + "/>", "<article>\x00</article>"])
def test_absurd_xml_is_refused(tmp_path: Path, xml: str) -> None:
    path = written(tmp_path / "a.nxml", xml)
    with pytest.raises(UnreadableFile):
        list(reader_for(path)(path, "own"))


@each_row("text", [">" * 3_000 + " x", "- " * 3_000 + "x", "[" * 20_000, "*a " * 20_000])
def test_absurd_markdown_costs_nothing_but_itself(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "a.md", f"# Title\n\nFirst.\n\n{text}\n")
    began = time.process_time()
    (document,) = reader_for(path)(path, "own")
    assert isinstance(document, Document)
    assert document.text.startswith("Title\n\nFirst.")
    assert time.process_time() - began < 10


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, dropped, doubled or cut off: what disks, networks and editors do."""
    broken = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at, length = chance.randrange(len(broken)), chance.choice((1, 1, 3, 40))
        piece = bytes(broken[at : at + length])
        new = chance.choice((b"", piece * 2, chance.randbytes(length), b"<", b"&", b'"', b"\n", b"]]>", b"\xff\xfe"))
        broken[at : at + length] = new
    return bytes(broken[: chance.randrange(len(broken)) + 1] if chance.random() < 0.2 else broken)


JSONL = b"".join(
    b'{"_id": "%d", "title": "T\xc3\xa9 \\u00e9", "text": "BACKGROUND: a. RESULTS: b.", "metadata": {"pmid": "%d"}}\n'
    % (n, n)
    for n in range(12)
)
SEEDS = {
    "a.nxml": (DATA / "trial.nxml").read_bytes(),
    "a.xml": (DATA / "pubmed.xml").read_bytes(),
    "b.xml.gz": gzip.compress((DATA / "pubmed.xml").read_bytes()),
    "a.md": (DATA / "note.md").read_bytes(),
    "a.txt": (DATA / "note.md").read_bytes(),
    "a.jsonl": JSONL,
    "b.jsonl.gz": gzip.compress(JSONL),
}


@each_row("name", SEEDS)
def test_a_broken_file_gives_documents_or_faults_or_is_unreadable_and_never_anything_else(
    tmp_path: Path, name: str
) -> None:
    chance = random.Random(name)  # noqa: S311 (nothing secret here)
    outcomes = {"document": 0, "fault": 0, "unreadable": 0}
    for _ in range(300):
        path = tmp_path / name
        path.write_bytes(mutated(SEEDS[name], chance))
        began = time.process_time()
        try:
            for item in reader_for(path)(path, "own"):
                outcomes["document" if isinstance(item, Document) else "fault"] += 1
                if isinstance(item, Document):
                    assert_sound(item)
        except UnreadableFile as error:
            assert error.reason
            assert error.remedy
            outcomes["unreadable"] += 1
        assert time.process_time() - began < 5
    assert outcomes["document"]
    assert outcomes["fault"] or outcomes["unreadable"]
