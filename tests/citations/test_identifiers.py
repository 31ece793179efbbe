"""Identifiers as people, publishers and programs write them; each is one identifier."""

import json
from pathlib import Path

from tests.tables import each_row
from wellsourced.citations.identifiers import (
    normalize_doi,
    normalize_pmcid,
    normalize_pmid,
    normalize_trial_id,
    plain_doi,
)
from wellsourced.citations.links import find_links, possible_ids

PRINTED = Path(__file__).parents[1] / "data" / "identifiers" / "printed.jsonl"
PAPER = "10.1016/j.jtest.2020.01.001"
SICI = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"
LEUKAEMIA = "10.1182/blood-2010-10-311704"

MISPRINTED_DOIS = {
    "10.1016/j.\u200bjtest.\u200b2020.01.001": PAPER,
    "10.1016/j.jtest.\u00ad2020.01.001": PAPER,
    "\ufeff10.1016/j.jtest.2020.01.001\u200e": PAPER,
    "10.1016/j.jte\u00ad\nst.2020.01.001": PAPER,
    "10.1016/j.jtest.\u00a02020.01.001": PAPER,
    "10.1016/j.jtеst.2020.01.001": PAPER,  # a Cyrillic e
    "１０．１０１６／ｊ．ｊｔｅｓｔ．２０２０．０１．００１": PAPER,
    "10.1016⁄j.jtest․2020.01.001": PAPER,
    "10.1016%2Fj.jtest.2020.01.001": PAPER,
    "10.1016%252Fj.jtest.2020.01.001": PAPER,
    "10.1182/blood‑2010‑10‑311704": LEUKAEMIA,
    "10.1182/blood–2010—10−311704": LEUKAEMIA,
    "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2": SICI,
    "10.1002/(SICI)1097-0258(19980815/30)17:15/16&lt;1661::AID-SIM968&gt;3.0.CO;2-2": SICI,
    "10.1002/(SICI)1097-0258(19980815/30)17:15/16&amp;lt;1661::AID-SIM968&amp;gt;3.0.CO;2-2": SICI,
    "10.1002/%28SICI%291097-0258%2819980815/30%2917:15/16%3C1661::AID-SIM968%3E3.0.CO;2-2": SICI,
    "10.1016/S0140-6736(20)31180-6": "10.1016/s0140-6736(20)31180-6",
    "10.5555/a,b": "10.5555/a,b",
    "10.1000.10/123456": "10.1000.10/123456",
}


@each_row(("printed", "doi"), list(MISPRINTED_DOIS.items()))
def test_a_doi_is_one_however_it_is_misprinted(printed: str, doi: str) -> None:
    for written in (printed, f"doi:{printed}", f"DOI: {printed}.", f"https://doi.org/{printed}", f" {printed}) "):
        assert normalize_doi(written) == doi, written


@each_row(("printed", "doi"), list(MISPRINTED_DOIS.items()))
def test_a_misprinted_doi_is_found_in_a_text_at_its_place(printed: str, doi: str) -> None:
    for before, behind in (("Doe J. J Tests–X. 2020. doi:", ". Next"), ("(see https://doi.org/", ")"), ("", "")):
        text = f"{before}{printed}{behind}"
        (found,) = find_links(text)
        assert found.doi == doi, text
        assert text[found.start : found.end].endswith(printed.strip("\u200e\ufeff")), text


def test_a_doi_keeps_its_capitals_where_it_is_shown() -> None:
    assert plain_doi("https://dx.doi.org/10.1016/S0140-6736(20)31180-6.") == "10.1016/S0140-6736(20)31180-6"
    assert plain_doi("n/a") == plain_doi("doi: pending") == ""


@each_row(
    ("printed", "pmid"),
    [
        ("31234567", "31234567"),
        ("PMID: 31234567.", "31234567"),
        ("pmid:\u200b31234567", "31234567"),
        ("PubMed ID 31234567", "31234567"),
        ("PubMed: 31234567", "31234567"),
        ("３１２３４５６７", "31234567"),
        ("31234567.0", "31234567"),
        ("0031234567", "31234567"),
        ("[PMID 31234567]", ""),
        ("0", ""),
        ("none", ""),
        ("PMC31234567", ""),
        ("31 234 567", ""),
    ],
)
def test_a_pmid_is_its_digits(printed: str, pmid: str) -> None:
    assert normalize_pmid(printed) == pmid


@each_row(
    ("printed", "pmcid"),
    [
        ("PMC 1234567", "PMC1234567"),
        ("PMCID: PMC1234567.", "PMC1234567"),
        ("PMCID:1234567", "PMC1234567"),
        ("pmc\u00a01234567", "PMC1234567"),
        ("PMC1234567.1", "PMC1234567"),
        ("1234567", "PMC1234567"),
        ("PMC", ""),
        ("PMC0", ""),
    ],
)
def test_a_pmc_id_is_pmc_and_its_digits(printed: str, pmcid: str) -> None:
    assert normalize_pmcid(printed) == pmcid


@each_row(
    ("text", "ids"),
    [
        ("PMC 1234567.", ("", "PMC1234567", "")),
        ("PMCID: 1234567", ("", "PMC1234567", "")),
        ("PMID:\u00a0\u200b12345678.", ("12345678", "", "")),
        ("PMID： １２３４５６７８", ("12345678", "", "")),
        ("(NCT 01234567)", ("", "", "NCT01234567")),
        ("https://pubmed.ncbi.nlm.nih.gov/?term=12345678", ("12345678", "", "")),
        ("https://europepmc.org/abstract/MED/12345678", ("12345678", "", "")),
    ],
)
def test_numbers_are_found_however_they_are_written(text: str, ids: tuple[str, str, str]) -> None:
    assert [(one.pmid, one.pmcid, one.trial_id) for one in find_links(text)] == [ids]


def test_two_identifiers_that_a_semicolon_parts_are_two() -> None:
    found = list(find_links("doi:10.1000/abc;PMID:12345678,PMCID: PMC123456"))
    assert [(one.doi, one.pmid, one.pmcid) for one in found] == [
        ("10.1000/abc", "", ""),
        ("", "12345678", ""),
        ("", "", "PMC123456"),
    ]


def test_the_dashes_and_letters_of_an_address_are_its_own() -> None:
    (found,) = find_links("see https://en.wikipedia.org/wiki/Guillain–Barré_syndrome.")
    assert found.url == "https://en.wikipedia.org/wiki/Guillain–Barré_syndrome"


@each_row(
    ("given", "id"),
    [
        ("PMC 123", "pmc:PMC123"),
        ("PMID: 123.", "pubmed:123"),
        ("nct01234567", "nct:NCT01234567"),
        ("doi:10.1182/blood–2010–10–311704", f"doi:{LEUKAEMIA}"),
        ("https://pubmed.ncbi.nlm.nih.gov/31234567/", "pubmed:31234567"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC123456/", "pmc:PMC123456"),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2022190", "doi:10.1056/nejmoa2022190"),
        ("info:doi/10.1000/abc", "doi:10.1000/abc"),
    ],
)
def test_what_people_write_for_an_id_leads_to_it(given: str, id: str) -> None:
    assert possible_ids(given) == (given, id)


def test_identifiers_of_other_hands_are_found_in_texts_and_read_in_fields() -> None:
    reading = {
        "doi": ("doi", normalize_doi),
        "pmid": ("pmid", normalize_pmid),
        "pmcid": ("pmcid", normalize_pmcid),
        "nct": ("trial_id", normalize_trial_id),
    }
    wrong = []
    for row in map(json.loads, PRINTED.read_text(encoding="utf-8").splitlines()):
        name, normalize = reading[row["kind"]]
        found = [id for one in find_links(row["printed"]) if (id := getattr(one, name))]
        # An address of a trial stays an address; its number is read where one is asked for.
        if found != [row["right"]] * bool(row["right"]) and (row["kind"], row["what"]) != ("nct", "address"):
            wrong.append((row["id"], "text", found))
        is_field = len(row["printed"].split()) == 1 and "://" not in row["printed"]
        if row["right"] and is_field and normalize(row["printed"]) != row["right"]:
            wrong.append((row["id"], "field", normalize(row["printed"])))
    assert not wrong
