"""PMC full text."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from tests.readers.reading import DATA, assert_sound, documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.types import Document


def test_the_card_of_an_article_comes_from_the_article() -> None:
    reference = only(DATA / "trial.nxml").reference
    assert reference.id == "pmc:PMC2222222"
    assert reference.url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC2222222/"
    assert reference.doi == "10.1234/jit.1"
    assert reference.authors == ("Doe, Ann B", "The Salt Study Group")
    assert reference.journal == "Journal of Invented Trials"
    assert reference.published == "2018-12-09"
    assert reference.publication_types == ("research-article",)
    assert reference.depth == "full text"
    assert reference.retraction.status == "unknown"


def test_an_article_is_cut_at_its_headings_and_exhibits() -> None:
    assert parts(only(DATA / "trial.nxml")) == [
        ("Abstract › Background", "Salt is eaten."),
        ("Abstract › Results", "It fell by 5 mmHg."),
        (
            "Introduction",
            "Salt was known in 2009[3,4] and before [1], see Figure 1. There were 10^5 cells in CO2 at 30 kg/m^2, "
            "4 mL kg^−1 and 3\xa0gα. We saw it.[5]",
        ),
        ("Methods › Patients", "Two groups:\n\n1. salt\n  - coarse\n2. sugar\n\nand a rest of n=10^2 or [formula]."),
        ("Methods › Patients › Table 1", "Doses In grams.\n\nDrug | Dose\nSalt | 3.1[a]\n\naMean."),
        ("Methods › Patients", "They were well."),
        ("Figure 1", "Flow of patients."),
    ]


@each_row("words", ["A cited title", "We thank the cook", "documentclass", "None of this", "table of contents"])
def test_what_is_not_the_article_is_left_out(words: str) -> None:
    assert words not in only(DATA / "trial.nxml").text


def article(
    meta: str = "", body: str = "<p>Words.</p>", ids: str = '<article-id pub-id-type="pmid">5</article-id>'
) -> str:
    return f"<article><front><article-meta>{ids}{meta}</article-meta></front><body>{body}</body></article>"


def test_of_two_whole_dates_the_electronic_one_counts(tmp_path: Path) -> None:
    days = (("ppub", "2019", "1", "15"), ("epub", "2018", "12", "9"))
    dates = "".join(
        f'<pub-date pub-type="{kind}"><year>{year}</year><month>{month}</month><day>{day}</day></pub-date>'
        for kind, year, month, day in days
    )
    assert only(written(tmp_path / "a.nxml", article(meta=dates))).reference.published == "2018-12-09"


@each_row(
    ("ids", "id", "url"),
    [
        (
            '<article-id pub-id-type="pmcid">PMC12.1</article-id>',
            "pmc:PMC12",
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC12/",
        ),
        ('<article-id pub-id-type="pmid">5</article-id>', "pubmed:5", "https://pubmed.ncbi.nlm.nih.gov/5/"),
        ('<article-id pub-id-type="doi">10.1/x</article-id>', "doi:10.1/x", "https://doi.org/10.1/x"),
    ],
)
def test_the_best_id_that_there_is_names_the_article(tmp_path: Path, ids: str, id: str, url: str) -> None:
    reference = only(written(tmp_path / "a.nxml", article(ids=ids))).reference
    assert (reference.id, reference.url) == (id, url)


@each_row(
    ("xml", "text"),
    [
        ("word<sup>3</sup>", "word[3]"),
        ("word<xref>3</xref>", "word[3]"),
        ("[<xref>1</xref>-<xref>4</xref>]", "[1-4]"),
        ("(Smith, <xref>2003</xref>)", "(Smith, 2003)"),
        ("<sup>[<xref>1</xref>]</sup>", "[1]"),
        ("12.5<xref ref-type='table-fn'><sup>a</sup></xref>", "12.5[a]"),
        ("χ<sup>2 </sup>test", "χ^2 test"),
        ("10<sup>-5</sup>", "10^-5"),
        ("<sup>18</sup>F", "18F"),
        ("4<sup>th</sup>", "4th"),
        ("Ca<sup>2+</sup>", "Ca2+"),
        ("CD56<sup>bright</sup>", "CD56bright"),
        ("<italic>P</italic> &lt; 0.05", "P < 0.05"),
        ("HbA<sub>1c</sub>", "HbA1c"),
        ("one<break/>two", "one two"),
    ],
)
def test_a_raised_mark_never_fuses_with_the_word_or_number_before_it(tmp_path: Path, xml: str, text: str) -> None:
    assert only(written(tmp_path / "a.nxml", article(body=f"<p>{xml}</p>"))).text == text


SPANNED = """<table-wrap><label>Table 2</label><caption><p>Effects.</p></caption><table><thead>
<tr><th rowspan="2">Group</th><th colspan="2">Salt</th><th rowspan="2">p</th></tr>
<tr><th>n</th><th>mmHg</th></tr></thead>
<tbody><tr><td colspan="4">Women</td></tr><tr><td rowspan="2">Old</td><td>5</td><td>3.1</td><td>0.04</td></tr>
<tr><td colspan="2">none</td><td/></tr><tr><td>Young</td><td>7</td><td colspan="9999999">2</td></tr></tbody>
</table></table-wrap>"""


def test_each_row_of_a_table_can_be_read_alone(tmp_path: Path) -> None:
    body = article(body=SPANNED.replace("9999999", "2"))
    ((_, words),) = parts(only(written(tmp_path / "a.nxml", body)))
    assert words.split("\n\n")[1].split("\n") == [
        "Group | Salt: n | Salt: mmHg | p",
        "Women",
        "Old | 5 | 3.1 | 0.04",
        "Old | none | none | ",
        "Young | 7 | 2 | 2",
    ]


def test_a_cell_that_says_it_spans_a_million_columns_fills_no_memory(tmp_path: Path) -> None:
    assert len(only(written(tmp_path / "a.nxml", article(body=SPANNED))).text) < 5_000


RELATED = (
    '<related-article related-article-type="{}" ext-link-type="doi" xlink:href="10.1/n" '
    'xmlns:xlink="http://www.w3.org/1999/xlink"/>'
)


@each_row(
    ("meta", "status", "notices"),
    [
        (RELATED.format("retraction-forward"), "true", [("retraction", "doi:10.1/n")]),
        (RELATED.format("object-of-concern-forward"), "unknown", [("concern", "doi:10.1/n")]),
        (RELATED.format("correction-forward"), "unknown", [("correction", "doi:10.1/n")]),
        (RELATED.format("retracted-article"), "unknown", []),
        (RELATED.format("commentary"), "unknown", []),
        (
            "<custom-meta-group><custom-meta><meta-name>pmc-prop-is-retracted</meta-name><meta-value>yes</meta-value>"
            "</custom-meta></custom-meta-group>",
            "true",
            [("retraction", "")],
        ),
    ],
)
def test_a_retraction_is_seen_and_a_correction_is_not_one(
    tmp_path: Path, meta: str, status: str, notices: list[tuple[str, str]]
) -> None:
    retraction = only(written(tmp_path / "a.nxml", article(meta=meta))).reference.retraction
    assert retraction.status == status
    assert [(notice.kind, notice.id) for notice in retraction.notices] == notices


def test_the_notice_of_a_retraction_is_not_itself_retracted(tmp_path: Path) -> None:
    notice = article(meta=RELATED.format("retraction-forward")).replace(
        "<article>", "<article article-type='retraction'>"
    )
    assert only(written(tmp_path / "a.nxml", notice)).reference.retraction.status == "unknown"


def test_all_ids_and_the_place_in_the_journal_are_on_the_card(tmp_path: Path) -> None:
    ids = "".join(
        f'<article-id pub-id-type="{kind}">{id}</article-id>'
        for kind, id in (("pmc", "12"), ("pmid", "5"), ("doi", "10.1/x"))
    )
    meta = "<volume>3</volume><issue>4</issue><fpage>10</fpage><lpage>19</lpage>"
    card = only(written(tmp_path / "a.nxml", article(meta=meta, ids=ids))).reference
    assert (card.pmcid, card.pmid, card.doi) == ("PMC12", "5", "10.1/x")
    assert (card.volume, card.issue, card.pages) == ("3", "4", "10-19")
    online = only(written(tmp_path / "b.nxml", article(meta="<elocation-id>e7</elocation-id>"))).reference
    assert online.pages == "e7"


def test_a_set_of_articles_is_read_one_by_one_and_a_nameless_one_is_told(tmp_path: Path) -> None:
    both = f"<pmc-articleset>{article()}{article(ids='')}{article(ids='').replace('front', 'head')}</pmc-articleset>"
    document, nameless, headless = read(written(tmp_path / "set.xml", both))
    assert isinstance(document, Document)
    assert isinstance(nameless, UnreadablePart)
    assert nameless.where == "article 2"
    assert "has no PMC id, PMID or DOI" in nameless.reason
    assert isinstance(headless, UnreadablePart)


def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="its root <html> is not a PMC article"):
        read(written(tmp_path / "a.nxml", "<html/>"))


@pytest.mark.slow
def test_a_hundred_real_articles_are_read(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "fixtures" / "jats_sample.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    with gzip.open(shared_data / "fixtures" / "jats_manifest.jsonl.gz", "rt", encoding="utf-8") as file:
        manifest = {row["file"]: row for row in map(json.loads, file)}
    with_abstract = 0
    for path in sorted(tmp_path.rglob("*.nxml")):
        (document,) = documents(path)
        assert_sound(document)
        row, reference = manifest[path.name], document.reference
        assert reference.id == f"pmc:{row['pmcid']}"
        assert reference.doi == (row["doi"] or "")
        assert reference.journal.split()[0] == row["journal"].split()[0]
        assert reference.year is not None
        assert reference.authors
        assert len(document.text) > 1_000
        with_abstract += any(s.title.split(" › ")[0].lower() in {"abstract", "summary"} for s in document.sections)
    assert len(manifest) == 100
    assert with_abstract == 99


def test_items_keep_their_numbers_and_labels(tmp_path: Path) -> None:
    body = (
        '<list list-type="order"><list-item><p>Ask</p><list list-type="alpha-lower"><list-item><p>x</p></list-item>'
        '<list-item><p>y</p></list-item></list></list-item></list><list list-type="simple"><list-item>'
        "<label>(iv)</label><p>z</p></list-item></list>"
    )
    assert only(written(tmp_path / "a.xml", article(body=body))).text == "1. Ask\n  a. x\n  b. y\n\n(iv) z"


def test_a_footnote_stands_behind_the_text_and_one_about_the_authors_nowhere(tmp_path: Path) -> None:
    body = (
        '<p>Start.<xref ref-type="fn" rid="n1">*</xref> Then<fn id="n2"><label>b</label><p>Inside.</p></fn> stop.</p>'
        "</body><back><fn-group><fn id='n1'><label>*</label><p>Not before.</p></fn>"
        "<fn fn-type='con'><p>A wrote it.</p></fn></fn-group></back><body>"
    )
    text = only(written(tmp_path / "a.xml", article(body=body))).text
    assert text == "Start.* Then stop.\n\n* Not before.\n[b] Inside."


def test_lines_of_a_cell_stay_apart_and_a_surplus_cell_has_no_name(tmp_path: Path) -> None:
    table = (
        "<table-wrap><label>Table 1</label><table><thead><tr><th>Drug</th><th>Dose<break/>mg</th></tr></thead><tbody>"
        "<tr><td>A</td><td>1<break/>2</td></tr><tr><td>B</td><td><list><list-item><label>1.</label><p>x</p></list-item>"
        "<list-item><p>y</p></list-item></list></td><td>z</td></tr></tbody></table>"
        "<table-wrap-foot><fn><label>a</label><p>Halved.</p></fn></table-wrap-foot></table-wrap>"
    )
    assert only(written(tmp_path / "a.xml", article(body=table))).text == (
        "Table 1\n\nDrug | Dose mg | [no header]\nA | 1; 2 | \nB | 1. x; y | z\n\n[a] Halved."
    )
