"""The same articles as files of every format that has a reader: what `readers` measures on.

Full texts (PMC, CC BY) as JATS, Markdown, text, PDF, Word, web pages, chapters of a book and a dump of Wikipedia;
abstracts (PubMed) as lines, a list, a table and MEDLINE; pages for patients (CC BY) as MedQuAD has them.
"""

import bz2
import csv
import gzip
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import docx

from benchmarks.medline import built
from tests.readers.pdfs import Print, article
from tests.servers.pages import DESIGNS, Article
from wellsourced_evaluate.development_data import Bench, Row, read_rows, take_rows

PAPERS, PAGES = 100, 1_000
CELL = 60
"""Characters of a line; three of four are shorter and cells of tables, which the corpus takes apart."""

Files = Iterator[tuple[str, bytes]]
"""The name and the bytes of each file."""


def _papers(bench: Bench) -> Iterator[Article]:
    """The first full texts of the corpus, cut at their headings; their year is invented, for it is not told."""
    for row in islice(read_rows(bench.data / "fulltext/evidence_inference.articles.jsonl.gz"), PAPERS):
        _, *parts = re.split(r"^ *(?:ABSTRACT|BODY)\.?([^\n]*): *\n", row["text"], flags=re.MULTILINE)
        blocks = (tuple(line.strip() for line in text.split("\n") if len(line) > CELL) for text in parts[1::2])
        yield Article(row["title"], "2010", tuple(zip(map(str.capitalize, parts[::2]), blocks, strict=True)))


def _abstracts(bench: Bench) -> Iterator[Row]:
    return (row for row in take_rows(bench, "research") if row["text"].strip())


def _beir(bench: Bench) -> Files:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _abstracts(bench))
    yield "research.jsonl.gz", gzip.compress(lines.encode(), 6)


def _json(bench: Bench) -> Files:
    found = [{"id": row["_id"], "title": row["title"], "text": row["text"]} for row in _abstracts(bench)]
    yield "research.json", json.dumps(found, ensure_ascii=False).encode()


def _table(bench: Bench) -> Files:
    file = io.StringIO()
    file.write("# template: The abstract of PubMed {id} says: {words}\n")
    csv.writer(file).writerows([("id", "words"), *((row["_id"], row["text"]) for row in _abstracts(bench))])
    yield "research.csv", file.getvalue().encode()


def _medline(bench: Bench) -> Files:
    yield "pubmed.xml.gz", built(bench).read_bytes()


def _jats(bench: Bench) -> Files:
    with tarfile.open(bench.data / "fixtures/jats_sample.tar.gz") as archive:
        for member in archive:
            if file := archive.extractfile(member):
                yield Path(member.name).name, file.read()


def _medquad(bench: Bench) -> Files:
    page = '<Document id="{}" source="CancerGov"><Focus>{}</Focus><QAPairs>{}</QAPairs></Document>'
    pair = "<QAPair><Question>{}</Question><Answer>{}</Answer></QAPair>"
    sites = groupby(take_rows(bench, "consumer"), key=lambda row: row["metadata"]["url"])
    for number, (_, answers) in enumerate(islice(sites, PAGES)):
        every = list(answers)
        pairs = (pair.format(escape(row["metadata"]["qtype"]), escape(row["text"])) for row in every)
        yield f"{number:04}.xml", page.format(number, escape(every[0]["title"]), "".join(pairs)).encode()


def _wiki(bench: Bench) -> Files:
    page = "<page><title>{}</title><ns>0</ns><id>{}</id><revision><text>{}</text></revision></page>\n"
    noted = "{}<ref>{{{{cite journal|title=Any|year=2010|pmid=1}}}}</ref>\n\n"
    pages = (
        page.format(escape(paper.title), number, escape(_marked(paper, "== {} ==\n", noted)))
        for number, paper in enumerate(_papers(bench), 1)
    )
    yield "pages-articles.xml.bz2", bz2.compress(f"<mediawiki>{''.join(pages)}</mediawiki>".encode())


def _each(ending: str, one: Callable[[int, Article], str | bytes]) -> Callable[[Bench], Files]:
    """A format of a file an article."""

    def write(bench: Bench) -> Files:
        for number, paper in enumerate(_papers(bench)):
            data = one(number, paper)
            yield f"{number:03}{ending}", data.encode() if isinstance(data, str) else data

    return write


def _marked(paper: Article, heading: str, block: str, after: str = "", spelt: Callable[[str], str] = str) -> str:
    """The parts of an article between the marks of a format."""
    words = []
    for head, blocks in paper.parts:
        words += [heading.format(spelt(head)), *(block.format(spelt(str(one))) for one in blocks), after]
    return "".join(words)


def _markdown(_: int, paper: Article) -> str:
    return f"# {paper.title}\n\n" + _marked(paper, "## {}\n\n", "{}\n\n")


def _text(_: int, paper: Article) -> str:
    return f"{paper.title}\n\n" + _marked(paper, "{}\n\n", "{}\n\n")


def _html(number: int, paper: Article) -> str:
    return DESIGNS[number % len(DESIGNS)](paper)


def _chapter(number: int, paper: Article) -> str:
    ids = f'<book-part-id book-part-id-type="pmcid">NBK{number}</book-part-id>'
    meta = f"{ids}<title-group><title>{escape(paper.title)}</title></title-group>"
    body = _marked(paper, "<sec><title>{}</title>", "<p>{}</p>", "</sec>", escape)
    part = f"<book-part><book-part-meta>{meta}</book-part-meta><body>{body}</body></book-part>"
    return f"<book-part-wrapper><book-meta/>{part}</book-part-wrapper>"


def _word(_: int, paper: Article) -> bytes:
    document: Any = docx.Document()
    file = io.BytesIO()
    document.add_heading(paper.title, 0)
    for head, blocks in paper.parts:
        document.add_heading(head, 1)
        for block in blocks:
            document.add_paragraph(block)
    document.save(file)
    return file.getvalue()


def _pdf(columns: int) -> Callable[[int, Article], bytes]:
    def one(_: int, paper: Article) -> bytes:
        prints = [Print(paper.title, "title")]
        for head, blocks in paper.parts:
            prints += [Print(head, "heading"), *(Print(str(block)) for block in blocks)]
        return article(prints, columns)

    return one


FORMATS: dict[str, Callable[[Bench], Files]] = {
    "BEIR lines, gzip": _beir,
    "JSON list": _json,
    "CSV with a template": _table,
    "MEDLINE XML, gzip": _medline,
    "MedQuAD XML": _medquad,
    "JATS": _jats,
    "Bookshelf": _each(".nxml", _chapter),
    "Wikipedia, bzip2": _wiki,
    "Markdown": _each(".md", _markdown),
    "text": _each(".txt", _text),
    "HTML, five designs": _each(".html", _html),
    "Word": _each(".docx", _word),
    "PDF, one column": _each(".pdf", _pdf(1)),
    "PDF, two columns": _each(".pdf", _pdf(2)),
}
"""How the files of each are made, from the first to the last."""
