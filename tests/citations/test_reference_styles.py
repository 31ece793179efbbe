"""References in AMA, Vancouver and IEEE style, checked against worked examples of their manuals."""

import json
from datetime import date

from tests.tables import each_row
from wellsourced.citations.reference_styles import (
    CitationStyle,
    render_reference,
    render_reference_file,
)
from wellsourced.types import Notice, Reference, Retraction

TRIAL = Reference(
    id="pubmed:29963580",
    title="Quantitative imaging of the lung: a trial",
    authors=("Chen A", "Smith JA", "Lung Study Group"),
    journal="J Med Imaging",
    published="2018-04-09",
    volume="5",
    issue="2",
    pages="026002-026010",
    doi="10.1117/1.JMI.5.2.026002",
    pmid="29963580",
)
MANY = TRIAL.model_copy(update={"authors": tuple(f"Author{letter} {letter}" for letter in "ABCDEFG")})
GUIDELINE = Reference(id="doi:10.1/x", title="Guideline for gout.", organisation="ACR", published="2020", doi="10.1/x")
PAGE = Reference(id="url:1", title="Gout", url="https://example.org/gout", accessed=date(2026, 5, 3))


@each_row(
    ("style", "line"),
    [
        (
            "ama",
            "Chen A, Smith JA; Lung Study Group. Quantitative imaging of the lung: a trial. J Med Imaging. "
            "2018;5(2):026002-026010. doi:10.1117/1.JMI.5.2.026002",
        ),
        (
            "vancouver",
            "Chen A, Smith JA; Lung Study Group. Quantitative imaging of the lung: a trial. J Med Imaging. "
            "2018 Apr 9;5(2):026002-026010. doi: 10.1117/1.JMI.5.2.026002. PMID: 29963580.",
        ),
        (
            "ieee",
            "A. Chen, J. A. Smith, and Lung Study Group, “Quantitative imaging of the lung: a trial,” J Med Imaging, "
            "vol. 5, no. 2, pp. 026002–026010, Apr. 2018, doi: 10.1117/1.JMI.5.2.026002.",
        ),
    ],
)
def test_an_article_is_cited_as_the_manual_says(style: str, line: str) -> None:
    assert render_reference(TRIAL, style) == line  # type: ignore[arg-type]


# Of the ICMJE and Citing Medicine, of the AMA's guides, of the IEEE Reference Guide.
PUBLISHED = [
    (
        "vancouver",
        ("Halpern, Scott D", "Ubel, Peter A", "Caplan, Arthur L"),
        "Solid-organ transplantation in HIV-infected patients",
        ("N Engl J Med", "2002-07-25", "347", "4", "284-7", ""),
        "Halpern SD, Ubel PA, Caplan AL. {}. N Engl J Med. 2002 Jul 25;347(4):284-7.",
    ),
    (
        "vancouver",
        ("Rose ME", "Huerbin MB", "Melick J", "Marion DW", "Palmer AM", "Schiding JK", "Kochanek PM"),
        "Regulation of interstitial excitatory amino acid concentrations after cortical contusion injury",
        ("Brain Res", "2002", "935", "1-2", "40-6", ""),
        "Rose ME, Huerbin MB, Melick J, Marion DW, Palmer AM, Schiding JK, et al. {}. Brain Res. 2002;935(1-2):40-6.",
    ),
    (
        "vancouver",
        ("Vallancien G", "Emberton M", "Harving N", "van Moorselaar RJ", "Alf-One Study Group"),
        "Sexual dysfunction in 1,274 European men suffering from lower urinary tract symptoms",
        ("J Urol", "2003", "169", "6", "2257-61", ""),
        "Vallancien G, Emberton M, Harving N, van Moorselaar RJ; Alf-One Study Group. {}. J Urol. 2003;169(6):2257-61.",
    ),
    (
        "vancouver",
        ("Diabetes Prevention Program Research Group",),
        "Hypertension, insulin, and proinsulin in participants with impaired glucose tolerance",
        ("Hypertension", "2002", "40", "5", "679-86", ""),
        "Diabetes Prevention Program Research Group. {}. Hypertension. 2002;40(5):679-86.",
    ),
    (
        "vancouver",
        (),
        "21st century heart solution may have a sting in the tail",
        ("BMJ", "2002", "325", "7357", "184", ""),
        "{}. BMJ. 2002;325(7357):184.",
    ),
    (
        "ama",
        ("Towfighi, Amytis", "Markovic, Daniela", "Ovbiagele, Bruce"),
        "Utility of Framingham Coronary Heart Disease risk score for predicting cardiac risk after stroke",
        ("Stroke", "2012", "43", "11", "2942-7", ""),
        "Towfighi A, Markovic D, Ovbiagele B. {}. Stroke. 2012;43(11):2942-2947.",
    ),
    (
        "ama",
        ("Jackson D", "Firtko A", "Edenborough M"),
        "Personal resilience as a strategy for surviving and thriving in the face of workplace adversity",
        ("J Adv Nurs", "2007", "60", "1", "1-9", "10.1111/j.1365-2648.2007.04412.x"),
        "Jackson D, Firtko A, Edenborough M. {}. J Adv Nurs. 2007;60(1):1-9. doi:10.1111/j.1365-2648.2007.04412.x",
    ),
    (
        "ieee",
        ("Duncombe JU",),
        "Infrared navigation—Part I: An assessment of feasibility",
        ("IEEE Trans. Electron Devices", "1959-01", "ED-11", "1", "34-39", "10.1109/TED.2016.2628402"),
        "J. U. Duncombe, “{},” IEEE Trans. Electron Devices, vol. ED-11, no. 1, pp. 34–39, Jan. 1959, "
        "doi: 10.1109/TED.2016.2628402.",
    ),
    (
        "ieee",
        ("Chiampi MM", "Zilberti LL"),
        "Induction of electric field in human bodies moving near MRI: An efficient BEM computational procedure",
        ("IEEE Trans. Biomed. Eng.", "2011-10", "58", "10", "2787-93", "10.1109/TBME.2011.2158315"),
        "M. M. Chiampi and L. L. Zilberti, “{},” IEEE Trans. Biomed. Eng., vol. 58, no. 10, pp. 2787–2793, "
        "Oct. 2011, doi: 10.1109/TBME.2011.2158315.",
    ),
]


@each_row(("style", "authors", "title", "place", "line"), PUBLISHED)
def test_published_references_are_printed_as_their_manuals_do(
    style: CitationStyle, authors: tuple[str, ...], title: str, place: tuple[str, ...], line: str
) -> None:
    fields = dict(zip(("journal", "published", "volume", "issue", "pages", "doi"), place, strict=True))
    work = Reference.model_validate({"id": "x:1", "title": title, "authors": authors, **fields})
    assert render_reference(work, style) == line.format(title)


def test_seven_authors_are_three_six_or_one_and_others() -> None:
    assert render_reference(MANY, "ama").startswith("AuthorA A, AuthorB B, AuthorC C, et al. Quant")
    assert render_reference(MANY, "vancouver").startswith(
        "AuthorA A, AuthorB B, AuthorC C, AuthorD D, AuthorE E, AuthorF F, et al. Q"
    )
    assert render_reference(MANY, "ieee").startswith("A. AuthorA et al., “Quant")


def test_who_published_a_guideline_stands_where_authors_would() -> None:
    assert render_reference(GUIDELINE, "ama") == "ACR. Guideline for gout. 2020. doi:10.1/x"
    assert render_reference(GUIDELINE, "ieee") == "ACR, “Guideline for gout,” 2020, doi: 10.1/x."


def test_a_page_says_when_it_was_read_and_its_address_ends_the_line() -> None:
    assert render_reference(PAGE, "ama") == "Gout. Accessed May 3, 2026. https://example.org/gout"
    assert render_reference(PAGE, "vancouver") == "Gout. Available from: https://example.org/gout"
    assert render_reference(PAGE, "ieee") == "“Gout,” [Online]. Available: https://example.org/gout"


def test_a_work_without_a_title_is_found_by_its_id() -> None:
    assert render_reference(Reference(id="file:abc"), "vancouver") == "file:abc."


def test_a_retracted_work_says_so_first() -> None:
    notice = Notice(kind="retraction", source="PubMed", published="2020-05")
    retracted = TRIAL.model_copy(update={"retraction": Retraction(status="true", notices=(notice,))})
    assert render_reference(retracted, "ama").startswith("[RETRACTED (PUBMED, 2020-05)] Chen A")


def test_files_for_reference_managers_carry_the_record() -> None:
    awkward = TRIAL.model_copy(update={"title": "Salt & 50% {more}"})
    entry = render_reference_file([awkward], "bibtex")
    assert entry.startswith("@article{pubmed:29963580,\n  author = {Chen, A and Smith, JA and {Lung Study Group}},\n")
    assert r"title = {{Salt \& 50\% \{more\}}}" in entry
    assert "TY  - JOUR\r\nAU  - Chen, A\r\nAU  - Smith, JA\r\nAU  - Lung Study Group\r\n" in render_reference_file(
        [TRIAL], "ris"
    )
    assert render_reference_file([TRIAL], "ris").endswith("ER  - \r\n")
    (item,) = json.loads(render_reference_file([TRIAL], "csl"))
    assert item["author"][2] == {"literal": "Lung Study Group"}
    assert item["issued"] == {"date-parts": [[2018, 4, 9]]}
