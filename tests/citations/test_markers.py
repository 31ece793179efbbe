"""How a text says what a sentence rests on, in the ways that people, journals and chat programs write it."""

import re
import time

from tests.tables import each_row
from wellsourced.citations.links import find_links
from wellsourced.citations.markers import find_markers
from wellsourced.claims.extraction import extract_claims


def labels(text: str, listed: frozenset[str] = frozenset()) -> list[tuple[str, ...]]:
    return [mark.labels for mark in find_markers(text, listed)]


@each_row(
    ("text", "expected"),
    [
        ("It fell [1].", [("1",)]),
        ("It fell within days [3] by that hazard ratio [4].", [("3",), ("4",)]),
        ("It fell [1,2] and rose [4–6].", [("1", "2"), ("4", "5", "6")]),
        ("It fell [1][2].", [("1",), ("2",)]),
        ("Mortality fell.¹² Then it rose.", [("12",)]),
        ("It fell<sup>1,2</sup> there.", [("1", "2")]),
        ("It fell【1†source】.", [("1",)]),
        ("It fell citeturn0search1turn0search2.", [("turn0search1", "turn0search2")]),
        ("It fell (Smith et al., 2020; Doe 2019).", [("smith 2020", "doe 2019")]),
        ("Smith et al. (2020) saw it fall.", [("smith 2020",)]),
        ("Smith and Doe (2019) saw it fall.", [("smith 2019",)]),
        ("It fell (World Health Organization, 2020).", [("world health organization 2020",)]),
        ("It fell[^1] and rose[^smith].", [("1",), ("smith",)]),
        ("It fell [[3]](https://a.org/x).", [("3",)]),
    ],
)
def test_marks_of_every_common_kind_are_found(text: str, expected: list[tuple[str, ...]]) -> None:
    assert labels(text) == expected


@each_row(
    "text",
    [
        "He wrote [sic] so.",
        "The ratio was 0.7 (95 % CI [1.2, 1.5]).",
        "The ratio was 3 (95% CI [1, 5]).",
        "Do this: (1) rest, (2) ice and (3) heat.",
        "It was seen in (2020) and in (May 2020).",
        "Cells took up [3H]thymidine and ¹³C.",
        "An area of 5 m² and 10⁹ cells, R² = 1, Ca²⁺.",
        "There were few (n = 12), see (Table 2).",
        "Cases rose in Germany (2020).",
        "It was seen in [2020] and in [1998].",
        "It rose, see Table (2), in grade (3).",
    ],
)
def test_what_only_looks_like_a_mark_is_none(text: str) -> None:
    assert labels(text, frozenset({"1", "2", "3"})) == []


def test_round_brackets_are_marks_only_where_the_list_has_them() -> None:
    text = "It fell (2). Then it rose."
    assert labels(text) == []
    assert labels(text, frozenset({"2", "12"})) == [("2",)]


def test_a_link_keeps_its_words_in_the_sentence_and_a_bare_host_name_is_cut() -> None:
    text = "As the [Mayo Clinic](https://mayo.org/x) says, it falls ([nejm.org](https://nejm.org/y))."
    first, second = find_markers(text)
    assert text[slice(*first.words_span)] == "Mayo Clinic"
    assert first.links[0].url == "https://mayo.org/x"
    assert text[second.start : second.end] == "([nejm.org](https://nejm.org/y))"
    assert second.words_span == (0, 0)


@each_row(
    ("text", "expected"),
    [
        ("see doi:10.1016/S0140-6736(20)30183-5.", ["10.1016/s0140-6736(20)30183-5"]),
        ("(https://doi.org/10.1056/NEJMoa1911303).", ["10.1056/nejmoa1911303"]),
        ("https://doi.org/10.1056/\nNEJMoa1911303", ["10.1056/nejmoa1911303"]),
        ("doi: 10.1016/j.jacc.2021.\n12.012. Next", ["10.1016/j.jacc.2021.12.012"]),
        ("DOI:10.1000/XYZ123.\n12. Smith J", ["10.1000/xyz123"]),
        ("10.1000/abc,10.1000/def", ["10.1000/abc", "10.1000/def"]),
        ("10.1002/(SICI)1097-0258(1998)17:15/16<1661::AID-SIM968>3.0.CO;2-2", None),
        ("https://doi.org/10.1001/jama.2020.1?utm_source=x", ["10.1001/jama.2020.1"]),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2022190?query=x", ["10.1056/nejmoa2022190"]),
        ("https://dx.doi.org/10.1016%2FS0140-6736(20)30183-5", ["10.1016/s0140-6736(20)30183-5"]),
        ("doi:10.1002/1097-0258(1998)17%3A15%3C1661", ["10.1002/1097-0258(1998)17:15<1661"]),
    ],
)
def test_a_doi_is_read_with_commas_brackets_capitals_and_line_ends_and_without_what_follows(
    text: str, expected: list[str] | None
) -> None:
    found = [one.doi for one in find_links(text)]
    assert found == (expected or ["10.1002/(sici)1097-0258(1998)17:15/16<1661::aid-sim968>3.0.co;2-2"])


def test_numbers_of_pubmed_pmc_and_trials_become_addresses() -> None:
    found = list(find_links("PMID: 12345678; PMCID: PMC1234567; NCT03036124"))
    assert [(one.pmid, one.pmcid, one.trial_id) for one in found] == [
        ("12345678", "", ""),
        ("", "PMC1234567", ""),
        ("", "", "NCT03036124"),
    ]
    assert found[2].url == "https://clinicaltrials.gov/study/NCT03036124"


def test_an_address_ends_before_the_bracket_that_was_not_opened_in_it() -> None:
    text = "(see https://en.wikipedia.org/wiki/Aspirin_(drug)), www.who.int/news. Also nih.gov/x!"
    assert [text[one.start : one.end] for one in find_links(text)] == [
        "https://en.wikipedia.org/wiki/Aspirin_(drug)",
        "www.who.int/news",
        "nih.gov/x",
    ]


@each_row("part", ["[[[[((((", "1", "[1", "(Smith ", "[a](b", "10.1234/", "http://", "x; 2020 ("])
def test_hostile_text_takes_time_in_proportion_to_its_length(part: str) -> None:
    text = part * (100_000 // len(part))
    began = time.process_time()
    find_markers(text, {"1"})
    assert time.process_time() - began < 2


@each_row(
    ("mark", "labels"),
    [
        (r" \[1\]", ("1",)), (" ［1］", ("1",)), (" [1]–[3]", ("1", "2", "3")), (" [1],[2]", ("1", "2")),
        (" [ref. 1]", ("1",)), (" [source 2]", ("2",)), (" [citation:2]", ("2",)), (" (refs. 1 and 2)", ("1", "2")),
        (" [1, 2 and 4]", ("1", "2", "4")), (" [3, p. 14]", ("3",)), (" [3:14]", ("3",)),
        ("<sup>[1]</sup>", ("1",)),
        (" (see [1])", ("1",)), ("[1](see it)", ("1",)),
    ],
)  # fmt: skip
def test_marks_of_other_programs_are_read_and_none_stays_in_a_claim(mark: str, labels: tuple[str, ...]) -> None:
    text = f"Colchicine shortened gout flares in adults{mark}."
    found = find_markers(text)
    assert tuple(label for one in found for label in one.labels) == labels
    assert not re.search(r"\d|@|[\[\]^<>（］]", extract_claims(text, found).claims[0].text)


def test_numbers_in_round_brackets_are_a_mark_only_if_all_of_them_are_listed() -> None:
    assert labels("Colchicine shortened flares (1, 2).", frozenset({"1", "2"})) == [("1", "2")]
    assert labels("Colchicine shortened flares (1, 9).", frozenset({"1", "2"})) == []


def test_a_month_with_a_year_is_no_mark() -> None:
    assert labels("In March 2014 it fell.", frozenset({"march 2014"})) == []
