"""Sound files of every kind that can be read: what the fuzzing breaks. File name → how it is made."""

import bz2
import gzip
import io
import json
import zipfile
from collections.abc import Callable

from tests.readers.jats.test_bookshelf import NBK, wrapped
from tests.readers.pdfs import Print, article
from tests.readers.reading import DATA
from tests.readers.test_concepts import SAMPLES
from tests.readers.test_drug_labels import METFORMIN, SPL, openfda
from tests.readers.test_medlineplus import TOPICS
from tests.readers.test_medquad import PAGE
from tests.readers.test_wikipedia import ARTICLE, dump, page

ONE_PAGE = DATA.parents[1] / "data" / "one_page"
SENTENCES = (
    "Salt is eaten daily. It raises the pressure (95% CI 1.2 to 3.4; p < 0.001). Größe and β-blockers: see [3]. "
)
JSONL = b"".join(
    b'{"_id": "%d", "title": "T\xc3\xa9 \\u00e9", "text": "BACKGROUND: a. RESULTS: b.", "metadata": {"pmid": "%d"}}\n'
    % (n, n)
    for n in range(12)
)
ROWS = [
    "Alphabetical,salt",
    {"text": "One", "id": 7, "year": 2020},
    {"title": "Two", "content": "Three", "authors": ["A B"]},
]
ONCOLOGY = "Gene,Alteration,Cancer Type,Drug,Level,note\n" + "".join(
    f'BRAF,V600E,Melanoma,"Drug {n}",{level},"two\nlines, ""quoted"""\n'
    for n, level in enumerate(("1", "2", "3A", "3B", "4", "R1", "R2", "LEVEL_1"))
)
HTML = f"""<!DOCTYPE html><html><head><title>Salt</title><meta charset="utf-8">
<meta name="citation_publication_date" content="2020/05/03"><script type="application/ld+json">{{"datePublished":
"2020"}}</script></head><body>
<nav><a href="/">Home</a></nav><main><h1>Salt</h1><h2>Dose</h2><p>{SENTENCES * 4}</p><table>
<tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2 &lt; 3</td></tr></table><ul><li>{SENTENCES * 3}</li></ul></main></body>
</html>"""


def prints() -> list[Print]:
    body = SENTENCES.encode("latin-1", "ignore").decode("latin-1")
    return [
        Print("A title of a paper on salt", "title"),
        *(
            Print(text, style)
            for n in range(4)
            for text, style in ((f"Part {n} of it", "heading"), (body * 12, "body"))
        ),
        Print("References", "heading"),
        *(Print(f"{n}. Doe A. On salt. 20{n:02}.") for n in range(1, 12)),
    ]


def word() -> bytes:
    """A Word file with everything that the reader knows."""
    import docx

    document = docx.Document()
    document.add_heading("On salt", 0)
    for level in (1, 2):
        document.add_heading(f"Part {level}", level)
        document.add_paragraph(SENTENCES)
        document.add_paragraph("An item", style="List Bullet")
        document.add_paragraph("Below it", style="List Number 2")
    table = document.add_table(3, 3)
    for number in range(9):
        table.cell(number // 3, number % 3).text = f"cell {number}"
    file = io.BytesIO()
    document.save(file)
    with zipfile.ZipFile(file) as old:
        return zipped(*((name, old.read(name)) for name in old.namelist()))


def zipped(*files: tuple[str, bytes]) -> bytes:
    """An archive of files, the same each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def held(name: str) -> Callable[[], bytes]:
    return (DATA / name).read_bytes


SEEDS: dict[str, Callable[[], bytes]] = {
    "medline.xml": held("pubmed.xml"),
    "medline.xml.gz": lambda: gzip.compress(held("pubmed.xml")()),
    "jats.nxml": held("trial.nxml"),
    "chapter.nxml": lambda: wrapped(NBK).encode(),
    "medquad.xml": PAGE.encode,
    "label.xml": SPL.encode,
    "topics.xml": TOPICS.encode,
    "drug-label.json": openfda(METFORMIN).encode,
    "wiki.xml": lambda: dump(page(ARTICLE), page(ARTICLE)).encode(),
    "wiki.xml.bz2": lambda: bz2.compress(dump(page(ARTICLE)).encode()),
    "note.md": held("note.md"),
    "note.txt": held("note.md"),
    **{name: held(f"reference_files/{name}") for name in ("zotero.ris", "pubmed.nbib", "jabref.bib", "zotero.json")},
    "rows.jsonl": lambda: JSONL,
    "rows.jsonl.gz": lambda: gzip.compress(JSONL),
    "list.json": lambda: json.dumps(ROWS, ensure_ascii=False).encode(),
    "lists.json": lambda: json.dumps({"about": "salt", "texts": ROWS}).encode(),
    "oncology.csv": lambda: ONCOLOGY.encode(),
    "texts.tsv": lambda: f'id\ttext\n1\t{SENTENCES}\n2\t"{SENTENCES * 2}\n{SENTENCES}"\n'.encode("utf-8-sig"),
    "page.html": lambda: HTML.encode(),
    "word.docx": word,
    "slides.pptx": (ONE_PAGE / "python.pptx").read_bytes,
    "sheet.xlsx": (ONE_PAGE / "office.xlsx").read_bytes,
    "book.epub": (ONE_PAGE / "pandoc.epub").read_bytes,
    "all.zip": lambda: zipped(("note.md", held("note.md")()), ("word.docx", word())),
    "one_column.pdf": lambda: article(prints(), 1),
    "two_columns.pdf": lambda: article(prints(), 2, packed=False),
}

GENES = (
    "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n10\tNAT2\tHP:0000007\tAutosomal\t-\tOMIM:1\n"
)
CONCEPTS: dict[str, Callable[[], bytes]] = {name: text.encode for name, text in SAMPLES.items()} | {
    "MRSTY.RRF": lambda: b"C0000001|T047|B2.2.1.2.1|Disease or Syndrome|AT17683839|256|\n" * 5,
    "MRCONSO.RRF.gz": lambda: gzip.compress(SAMPLES["MRCONSO.RRF"].encode()),
    "x.nodes.jsonl": lambda: b'{"id": "A:1", "label": "a", "exact_xrefs": ["MESH:D1"], "synonyms": ["b"]}\n' * 5,
    "genes_to_phenotype.txt": GENES.encode,
}
"""Files of terms, for the graph."""
