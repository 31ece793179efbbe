"""Small files of every format, in which every document can be found by a word of its own."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from tests.sources.corpus import text, word


def medline(path: Path, numbers: Iterable[int], edition: int = 0, deleted: Iterable[int] = ()) -> Path:
    """Records of PubMed as its baseline and update files have them, some of them deleted."""
    records = "".join(record(number, edition) for number in numbers)
    gone = "".join(f'<PMID Version="1">{number}</PMID>' for number in deleted)
    end = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    xml = f'<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>{records}{end}</PubmedArticleSet>\n'
    path.write_bytes(gzip.compress(xml.encode(), mtime=0) if path.suffix == ".gz" else xml.encode())
    return path


def record(number: int, edition: int = 0) -> str:
    """One record, whose abstract is the text of that number."""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{number}</PMID><Article>'
        f"<Journal><JournalIssue><PubDate><Year>2020</Year></PubDate></JournalIssue><Title>A journal</Title></Journal>"
        f"<ArticleTitle>On gout</ArticleTitle><Abstract><AbstractText>{text(number, edition)}</AbstractText></Abstract>"
        "</Article></MedlineCitation></PubmedArticle>"
    )


def jats(path: Path, number: int, edition: int = 0) -> Path:
    """An article of PMC."""
    path.write_text(
        f'<?xml version="1.0"?>\n<article><front><article-meta><article-id pub-id-type="pmc">{number}</article-id>'
        "<title-group><article-title>On gout</article-title></title-group></article-meta></front>"
        f"<body><sec><title>Results</title><p>{text(number, edition)}</p></sec></body></article>",
        encoding="utf-8",
    )
    return path


def markdown(path: Path, number: int, edition: int = 0) -> Path:
    """A note."""
    path.write_text(f"# On gout\n\n{text(number, edition)}\n", encoding="utf-8")
    return path


def plain(path: Path, number: int, edition: int = 0) -> Path:
    """A letter."""
    path.write_text(f"{text(number, edition)}\n", encoding="utf-8")
    return path


__all__ = ["jats", "markdown", "medline", "plain", "record", "text", "word"]
