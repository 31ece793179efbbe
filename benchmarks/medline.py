"""How fast PubMed XML is read: this package and pubmed_parser, turn by turn, on one file of the make of a real one.

The file holds records of PubMed as they came, and research rows written out as records with all the parts that
records have: authors with affiliations, MeSH, ids, history, references. What is not in the rows is invented.
Run as a program it is one reader in a process of its own: `python -m benchmarks.medline READER FILE` prints its peak
of memory in bytes.
"""

import asyncio
import gzip
import random
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pubmed_parser
from lxml import etree
from lxml.builder import E  # type: ignore[import-not-found]

from benchmarks.footprint import MB, peak
from benchmarks.report import Report
from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced_evaluate.development_data import SEED, Bench, read_rows, show_work

CITATIONS = 24_000
"""A file of the baseline holds 30,000."""

ABSTRACT = 1_300
"""Characters of an abstract; rows that are shorter are joined until there are so many."""

TURNS = 3
HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, '
    '1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
TAIL = "</PubmedArticleSet>\n"
Element = Any
"""An element of lxml, whose builder has no types."""


async def measure(bench: Bench, report: Report) -> None:
    """Megabytes of XML and citations a second of both, and the most memory of each in a process of its own."""
    report.section("medline", f"PubMed XML ({CITATIONS:,} citations, gzip)")
    path = built(bench)
    size = _unpacked(path)
    report.number("the file, unpacked", size / MB, "MB")
    turns = await asyncio.to_thread(timed, path)
    for name, taken in turns.items():
        report.number(f"{name}, XML read", size / MB / median(turn.passed for turn in taken), "MB/s")
        report.number(f"{name}, citations read", CITATIONS / median(turn.passed for turn in taken), "citations/s")
        report.number(f"{name}, seconds", median(turn.passed for turn in taken), "s")
        report.number(f"{name}, processor seconds", median(turn.worked for turn in taken), "s")
    for name in ("pubmed_parser", "pubmed_parser by default"):
        aim = "at least 5" if name == "pubmed_parser" else ""
        report.number(f"faster than {name}", _times(turns[name], turns["wellsourced"]), "times", aim)
    for name in READERS:
        words = [sys.executable, "-m", "benchmarks.medline", name, str(path)]
        done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=True)
        report.number(f"{name}, memory at its highest", int(done.stdout) / MB, "MB")


def ours(path: Path) -> int:
    """Read all of a file; how many documents it gave."""
    return sum(not isinstance(item, UnreadablePart | DeletedDocuments) for item in reader_for(path)(path, "research"))


def theirs(path: Path) -> int:
    """Read all of a file with pubmed_parser, which is asked for what we give: full dates, qualifiers, each author."""
    asked = {"year_info_only": False, "author_list": True, "parse_downto_mesh_subterms": True}
    return sum(1 for _ in pubmed_parser.parse_medline_xml(str(path), **asked))


def theirs_by_default(path: Path) -> int:
    """Read all of a file with pubmed_parser as it is without arguments: years alone, headings without qualifiers."""
    return sum(1 for _ in pubmed_parser.parse_medline_xml(str(path)))


READERS: dict[str, Callable[[Path], int]] = {
    "wellsourced": ours,
    "pubmed_parser": theirs,
    "pubmed_parser by default": theirs_by_default,
}


class Turn(NamedTuple):
    """Seconds that passed while a file was read, and how many of them the processor worked on it."""

    passed: float
    worked: float


def _times(slow: list[Turn], fast: list[Turn]) -> float:
    """How many times as fast, in the median turn, which stands side by side with one of the other."""
    return median(one.passed / other.passed for one, other in zip(slow, fast, strict=True))


def timed(path: Path) -> dict[str, list[Turn]]:
    """What each reader takes, several times, turn by turn: what else the machine does hits all alike."""
    taken: dict[str, list[Turn]] = {name: [] for name in READERS}
    for turn in range(TURNS):
        for name, read in READERS.items():
            show_work(f"reading with {name}, turn {turn + 1} of {TURNS}")
            passed, worked = time.perf_counter(), time.process_time()
            read_of = read(path)
            taken[name].append(Turn(time.perf_counter() - passed, time.process_time() - worked))
            assert read_of == CITATIONS, f"{name} read {read_of:,} of {CITATIONS:,} citations"
    show_work("")
    return taken


def built(bench: Bench) -> Path:
    """The file; written once, and whole or not at all."""
    path = bench.work / f"pubmed-{CITATIONS}.xml.gz"
    if not path.exists():
        show_work("writing the PubMed file")
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        with gzip.open(half, "wt", encoding="utf-8", compresslevel=6) as file:
            file.write(HEAD)
            file.writelines(records(bench))
            file.write(TAIL)
        half.rename(path)
        show_work("")
    return path


def _unpacked(path: Path) -> int:
    with gzip.open(path) as file:
        return sum(len(block) for block in iter(lambda: file.read(1 << 20), b""))


def records(bench: Bench) -> Iterator[str]:
    """CITATIONS records: every thirtieth one is real, under a number of its own."""
    draw = random.Random(SEED)  # noqa: S311
    real, texts = cycle(_real(bench)), _texts(bench)
    for number in range(1, CITATIONS + 1):
        record = _renumbered(next(real), number) if number % 30 == 0 else _written(next(texts), number, draw)
        yield etree.tostring(record, encoding="unicode", pretty_print=True)


def _real(bench: Bench) -> list[Element]:
    """The records of PubMed among the fixtures."""
    found: list[Element] = []
    with tarfile.open(bench.data / "fixtures/pubmed_xml.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file and "pubmed" in member.name.partition("__")[2] and member.name.endswith(".xml"):
                found += etree.parse(file).getroot().findall("PubmedArticle")
    return found


def _renumbered(record: Element, number: int) -> Element:
    pmid = record.find("MedlineCitation/PMID")
    assert pmid is not None
    pmid.text, record.tail = str(number), None
    return record


class Text(NamedTuple):
    """What the rows give of a record."""

    title: str
    paragraphs: list[str]
    mesh: list[str]


def _texts(bench: Bench) -> Iterator[Text]:
    """Titles and abstracts of the research rows, over and over."""
    paragraphs: list[str] = []
    for row in cycle(list(read_rows(bench.data / "corpora/research.jsonl.gz"))):
        paragraphs += filter(None, row["text"].split("\n"))
        if sum(map(len, paragraphs)) >= ABSTRACT:
            title = row["title"] or paragraphs[0].partition(". ")[0]
            yield Text(title, paragraphs, row["metadata"].get("mesh", MESH))
            paragraphs = []


LABELS = ("BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS")
MESH = ["Humans", "Male", "Female", "Aged", "Middle Aged", "Hypertension", "Double-Blind Method", "Treatment Outcome"]
QUALIFIERS = ("drug therapy", "epidemiology", "adverse effects", "metabolism", "administration & dosage")
NAMES = ("Okafor", "Lindqvist", "Moreau", "Tanaka", "Fernández", "Kowalski", "Ahmed", "Schröder", "Rossi", "Nguyen")
PLACE = "Department of Invented Medicine, University Hospital of {0}, School of {0}, {1} {0}, Exampleland. a@ex.org."


def _written(text: Text, number: int, draw: random.Random) -> Element:
    article = E.Article(
        _journal(number, draw),
        E.ArticleTitle(text.title + "."),
        E.Pagination(E.StartPage(str(number)), E.EndPage(str(number + 9)), E.MedlinePgn(f"{number}-{number + 9}")),
        E.ELocationID(f"10.1234/invented.{number}", EIdType="doi", ValidYN="Y"),
        _abstract(text.paragraphs, draw),
        _authors(draw),
        E.Language("eng"),
        E.GrantList(E.Grant(E.GrantID(f"R01 {number}"), E.Agency("Invented Institute"), E.Country("Exampleland"))),
        E.PublicationTypeList(
            E.PublicationType("Journal Article", UI="D016428"),
            E.PublicationType("Randomized Controlled Trial", UI="D016449"),
        ),
        E.ArticleDate(*_day(draw), DateType="Electronic"),
        PubModel="Print-Electronic",
    )
    citation = E.MedlineCitation(
        E.PMID(str(number), Version="1"),
        E.DateCompleted(*_day(draw)),
        E.DateRevised(*_day(draw)),
        article,
        E.MedlineJournalInfo(E.Country("Exampleland"), E.MedlineTA("J Inv Trials"), E.NlmUniqueID("1234567")),
        E.ChemicalList(*(_chemical(n) for n in range(draw.randrange(5)))),
        E.CitationSubset("IM"),
        E.MeshHeadingList(*(_heading(term, draw) for term in text.mesh)),
        E.KeywordList(*(E.Keyword(f"keyword {n}", MajorTopicYN="N") for n in range(4)), Owner="NOTNLM"),
        Status="MEDLINE",
        Owner="NLM",
    )
    return E.PubmedArticle(citation, _data(number, draw))


def _journal(number: int, draw: random.Random) -> Element:
    issue = E.JournalIssue(
        E.Volume(str(draw.randint(1, 90))),
        E.Issue(str(draw.randint(1, 12))),
        E.PubDate(E.Year(str(draw.randint(1990, 2025))), E.Month(draw.choice(("Jan", "May", "Nov")))),
        CitedMedium="Internet",
    )
    title, short = E.Title("Journal of invented trials"), E.ISOAbbreviation("J Inv Trials")
    return E.Journal(E.ISSN(f"{number:08}", IssnType="Electronic"), issue, title, short)


def _day(draw: random.Random) -> tuple[Element, ...]:
    return E.Year("2025"), E.Month(f"{draw.randint(1, 12):02}"), E.Day(f"{draw.randint(1, 28):02}")


def _abstract(paragraphs: list[str], draw: random.Random) -> Element:
    """Every second one with labels, every tenth with raised figures and names in italics."""
    if draw.random() < 0.5:
        parts = [E.AbstractText(" ".join(paragraphs))]
    else:
        labelled = zip(LABELS, paragraphs, strict=False)
        parts = [E.AbstractText(text, Label=label, NlmCategory=label) for label, text in labelled]
    if draw.random() < 0.1:
        parts[0].extend([_tailed(E.i("In vitro"), ", 10"), _tailed(E.sup("5"), " cells were seen.")])
    return E.Abstract(*parts, E.CopyrightInformation("Copyright: nobody, for it is invented."))


def _tailed(element: Element, tail: str) -> Element:
    element.tail = tail
    return element


def _authors(draw: random.Random) -> Element:
    count = min(40, 1 + int(draw.expovariate(1 / 5)))
    return E.AuthorList(*(_author(draw) for _ in range(count)), CompleteYN="Y")


def _author(draw: random.Random) -> Element:
    name, place = draw.choice(NAMES), draw.choice(NAMES)
    affiliation = E.AffiliationInfo(E.Affiliation(PLACE.format(place, draw.randint(1000, 9999))))
    return E.Author(E.LastName(name), E.ForeName("Robin A"), E.Initials("RA"), affiliation, ValidYN="Y")


def _chemical(number: int) -> Element:
    return E.Chemical(E.RegistryNumber("0"), E.NameOfSubstance(f"substance {number}", UI=f"D{number:06}"))


def _heading(term: str, draw: random.Random) -> Element:
    parts = [E.DescriptorName(term, UI="D000001", MajorTopicYN=draw.choice("YN"))]
    if draw.random() < 0.3:
        parts.append(E.QualifierName(draw.choice(QUALIFIERS), UI="Q000001", MajorTopicYN=draw.choice("YN")))
    return E.MeshHeading(*parts)


def _data(number: int, draw: random.Random) -> Element:
    """The ids, the history and, in three of ten records, the works that it cites."""
    history = [
        E.PubMedPubDate(*_day(draw), E.Hour("6"), E.Minute("0"), PubStatus=status)
        for status in ("received", "accepted", "entrez", "pubmed", "medline")
    ]
    ids = E.ArticleIdList(
        E.ArticleId(str(number), IdType="pubmed"),
        E.ArticleId(f"PMC{number}", IdType="pmc"),
        E.ArticleId(f"10.1234/invented.{number}", IdType="doi"),
    )
    cited = int(draw.expovariate(1 / 30)) if draw.random() < 0.3 else 0
    lists = [E.ReferenceList(*(_cited(draw) for _ in range(cited)))] if cited else []
    return E.PubmedData(E.History(*history), E.PublicationStatus("epublish"), ids, *lists)


def _cited(draw: random.Random) -> Element:
    pmid, page = str(draw.randint(1, 40_000_000)), draw.randint(1, 900)
    return E.Reference(
        E.Citation(f"Invented A, Somebody B. A work that was cited. J Inv Trials. 2011;12(3):{page}-{page + 9}."),
        E.ArticleIdList(E.ArticleId(pmid, IdType="pubmed"), E.ArticleId(f"10.1234/cited.{pmid}", IdType="doi")),
    )


if __name__ == "__main__":
    READERS[sys.argv[1]](Path(sys.argv[2]))
    print(peak())
