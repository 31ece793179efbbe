"""Faults planted in three styles of text, among as many honest sentences: all are found, nobody honest is accused.

The papers are invented, their words are our own, and the five services that know them speak on loopback.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.factcheck.resolving_world import CHERRY, COLCHICINE, KEY, PAPERS, RASH, TOPHI, VITAMIN, Services, World
from tests.tables import each_row
from wellsourced.app.commands.check import check
from wellsourced.factcheck.verdicts import find_issues, issue_kinds
from wellsourced.types import Checkup, Verdict

WORDS = {
    COLCHICINE: "Two hundred adults with gout took part. Low-dose colchicine shortened gout flares by 2 days compared "
    "with placebo. Nausea occurred in 13% of patients who took colchicine. Low-dose colchicine is enough for most "
    "flares of gout in general practice.",
    RASH: "We followed 1,200 veterans who began allopurinol. A rash occurred in 2% of veterans within the first eight "
    "weeks of allopurinol. Allopurinol reduced serum urate by 30% after six months.",
    CHERRY: "Cherry juice lowered serum urate by 1 mg/dL in adults with hyperuricaemia.",
    TOPHI: "Men with chronic gout took part. Febuxostat 80 mg daily shrank tophi of the hand in 60% of adult men with "
    "chronic gout.",
    VITAMIN: "Ascorbic acid at 500 mg a day reduced the incidence of gout by 17% among male dentists.",
}
PAPERS_WITH_WORDS = tuple(one._replace(abstract=WORDS.get(one, one.abstract)) for one in PAPERS)
INVENTED = "Sulfinpyrazone nanoparticles for podagra in astronauts: the MOON-GOUT randomised trial"

CHATBOT = f"""# Does colchicine help in gout?

**Short answer:** yes, it does.

- **Low-dose colchicine** shortened gout flares by 2 days compared with placebo [1].
- Nausea occurred in 31% of patients who took colchicine [1].
- A rash occurred in 2% of veterans within the first eight weeks of allopurinol [2].
- Allopurinol increased serum urate by 30% after six months [2].
- Cherry juice lowered serum urate by 1 mg/dL in adults with hyperuricaemia [3].
- Most flares of gout end within two weeks, with or without treatment [4].
- Colchicine cures gout in a week [5].

Please talk to your doctor before you take any medicine.

Sources:
1. {COLCHICINE.title}. https://doi.org/{COLCHICINE.doi}
2. {RASH.title}. https://doi.org/{RASH.doi}
3. {CHERRY.title}. https://doi.org/{CHERRY.doi.upper()}
4. WEB/gout/flares
5. WEB/gone
"""

OPENEVIDENCE = f"""Nausea occurred in 13% of patients who took colchicine.[1] Febuxostat 80 mg daily shrank tophi of \
the hand in 60% of adult men with chronic gout.[2]

Febuxostat 80 mg daily shrank tophi of the hand in 60% of children with chronic gout.[2] Ascorbic acid at 500 mg a day \
reduced the incidence of gout by 17% among male dentists.[3] Sulfinpyrazone nanoparticles ended podagra in 95% of \
astronauts.[4]

### References

1. {COLCHICINE.title}. Doe J. Journal of Invented Trials. {COLCHICINE.year};12(3):101-109. doi:{COLCHICINE.doi}.
2. {TOPHI.title}. Loe P. Journal of Invented Trials. {TOPHI.year};12(3):101-109. doi:{TOPHI.doi}.
3. {VITAMIN.title}. Noe M. Journal of Invented Trials. {VITAMIN.year};12(3):101-109. doi:{VITAMIN.doi}.
4. {INVENTED}. Zed Q. Journal of Invented Trials. 2017;9(2):1-9.
"""

MANUSCRIPT = f"""# Introduction

Low-dose colchicine shortened gout flares by 2 days compared with placebo (Doe, 2020). Allopurinol reduced serum urate \
by 30% after six months (Roe, 2018). Febuxostat 80 mg daily shrank tophi of the hand in 60% of adult men with chronic \
gout (Loe, 2019). The veterans' study wrote that “low-dose colchicine is enough for most flares of \
gout in general practice” (Roe, 2018).

# References

Doe J. {COLCHICINE.title}. J Invent Trials. 2020;12(3):101-109. PMID: {RASH.pmid}

Roe K. {RASH.title}. J Invent Trials. 2018;12(3):101-109. PMID: {COLCHICINE.pmid}

Loe P. {TOPHI.title}. J Invent Trials. 2019;12(3):101-109. PMID: {TOPHI.pmid}
"""


HONEST = {
    "chatbot": ("shortened gout flares by 2 days", "A rash occurred in 2%", "Most flares of gout end", RASH.doi),
    "openevidence": ("Nausea occurred in 13%", "in 60% of adult men", "by 17% among male", TOPHI.doi, COLCHICINE.doi),
    "manuscript": ("in 60% of adult men", TOPHI.title),
}
"""Words of honest statements and entries."""


class Checked(NamedTuple):
    """What the command's JSON says of a text."""

    data: dict[str, Any]

    def said(self, words: str) -> dict[str, Any]:
        """The verdict on the statement that has these words."""
        claims = self.data["submitted"]["claims"]
        found = [one["number"] for one in claims if words in one["text"]]
        assert len(found) == 1, (words, [one["text"] for one in claims])
        verdict: dict[str, Any] = self.data["verdicts"][found[0]]
        return verdict

    def source(self, words: str) -> dict[str, Any]:
        """What came of the source whose entry has these words."""
        keys = [one["key"] for one in self.data["submitted"]["sources"] if words in one["written"]]
        assert len(keys) == 1, words
        return next(one for one in self.data["traced"] if one["key"] == keys[0])


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with ExitStack() as stack:
        yield World(papers=PAPERS_WITH_WORDS).running(stack)


@pytest.fixture(scope="module")
def checked(services: Services, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checked]:
    """The three texts, checked once by one command."""
    folder = tmp_path_factory.mktemp("planted")
    names = {}
    for name, text in {"chatbot": CHATBOT, "openevidence": OPENEVIDENCE, "manuscript": MANUSCRIPT}.items():
        names[name] = str(folder / f"{name}.md")
        Path(names[name]).write_text(text.replace("WEB", services.web.url), encoding="utf-8")
    flags = {
        "home": str(folder / "home"),
        "network.private_hosts": ",".join(urlsplit(one.url).netloc for one in services),
        "network.cache": "false",
        "pubmed.key": KEY,
        "pubmed.url": f"{services.eutils.url}/",
        "europe_pmc.url": services.europe_pmc.url,
        "crossref.url": services.crossref.url,
        "tracing.doi": services.doi.url,
    }
    done = CliRunner().invoke(check, [*names.values(), "--json", "--scope", "own"], obj=flags)
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)["checkups"]
    return {name: Checked(data[path]) for name, path in names.items()}


@each_row(
    ("style", "words"),
    [
        ("chatbot", "colchicine shortened gout flares by 2 days"),
        ("chatbot", "A rash occurred in 2% of veterans"),
        ("chatbot", "Most flares of gout end within two weeks"),
        ("openevidence", "Nausea occurred in 13%"),
        ("openevidence", "in 60% of adult men"),
        ("openevidence", "reduced the incidence of gout by 17%"),
        ("manuscript", "in 60% of adult men"),
    ],
)
def test_an_honest_statement_stands(checked: dict[str, Checked], style: str, words: str) -> None:
    assert checked[style].said(words)["label"] == "supports", checked[style].said(words)


@each_row(
    ("style", "words", "why"),
    [
        ("chatbot", "Nausea occurred in 31%", "31"),
        ("chatbot", "Allopurinol increased serum urate", "increased"),
        ("chatbot", "Cherry juice lowered", "retracted"),
        ("chatbot", "Colchicine cures gout", "dead"),
        ("openevidence", "in 60% of children", "children"),
        ("openevidence", "Sulfinpyrazone nanoparticles ended", "could not be read"),
        ("manuscript", "low-dose colchicine is enough", ""),
    ],
)
def test_a_planted_fault_is_no_support_and_the_reason_names_it(
    checked: dict[str, Checked], style: str, words: str, why: str
) -> None:
    verdict = checked[style].said(words)
    assert not Verdict.model_validate(verdict).is_confirmed, verdict
    assert why in verdict["reason"], verdict


@each_row(
    ("style", "words"),
    [
        ("chatbot", COLCHICINE.title),
        ("chatbot", RASH.title),  # the DOI has brackets and a comma
        ("chatbot", "/gout/flares"),
        ("openevidence", COLCHICINE.title),
        ("openevidence", TOPHI.title),
        ("openevidence", VITAMIN.title),
        ("manuscript", TOPHI.title),
    ],
)
def test_an_honest_citation_is_found_and_read(checked: dict[str, Checked], style: str, words: str) -> None:
    source = checked[style].source(words)
    assert (source["standing"], source["fetched"]) == ("found", "ok"), source


@each_row(
    ("style", "words", "field", "what"),
    [
        ("chatbot", "/gone", "fetched", "dead"),
        ("chatbot", CHERRY.doi.upper(), "reason", "retracted"),
        ("openevidence", INVENTED, "standing", "invented"),
        ("openevidence", TOPHI.title, "reason", "a correction was published"),
        ("openevidence", VITAMIN.title, "reason", "concern"),
        ("manuscript", COLCHICINE.title, "standing", "misattributed"),
        ("manuscript", RASH.title, "standing", "misattributed"),
    ],
)
def test_what_is_wrong_with_a_source_is_told(
    checked: dict[str, Checked], style: str, words: str, field: str, what: str
) -> None:
    assert what in checked[style].source(words)[field], checked[style].source(words)


def test_the_words_under_a_concern_still_count_and_their_reader_is_told(checked: dict[str, Checked]) -> None:
    assert "concern" in checked["openevidence"].said("reduced the incidence of gout by 17%")["reason"]


def test_nobody_honest_is_accused(checked: dict[str, Checked]) -> None:
    for style, honest in HONEST.items():
        checkup = Checkup.model_validate(checked[style].data)
        accused = [checkup.submitted.document.text[one.start : one.end] for one in find_issues(checkup)]
        for words in honest:
            assert not any(words in place for place in accused), (words, accused)


async def test_words_quoted_from_another_source_than_is_named_are_misattributed() -> None:
    quote = "The trial wrote that “low-dose colchicine is enough for most flares of gout”."
    text = submitted(quote, 2, c0=("1",))
    tracer = ToldTracer(opened("1", "Rashes were seen."), opened("2", quote))
    done = await run_checkup(text, tracer, Pairs({(quote, "enough"): verdict("supports")}))
    assert issue_kinds(find_issues(done)) == {"misattributed"}
    own = await run_checkup(submitted(quote, 2, c0=("2",)), tracer, Pairs({(quote, "enough"): verdict("supports")}))
    assert find_issues(own) == []
