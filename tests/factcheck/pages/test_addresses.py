"""Addresses: whose they are, who sells what they show, where they are registered, and whether they ever were."""

import gzip
import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from tests.servers.base import Said, serving
from tests.servers.registrars import ArchiveServer, RdapServer, at
from tests.tables import each_row
from wellsourced.factcheck.pages.addresses import AddressDescriber, count_addresses
from wellsourced.factcheck.pages.page_fetcher import FetchedPage
from wellsourced.factcheck.resolve import identifiers as hosts
from wellsourced.factcheck.resolve.identifiers import registered_domain, strip_proxy
from wellsourced.http import Client
from wellsourced.sources.page_registries import InternetArchive, Rdap
from wellsourced.types import SourceAddress

GONE = "https://old.example.org/gout"


@each_row(
    ("host", "domain"),
    [
        ("ghr.nlm.nih.gov", "nih.gov"), ("www.mind.org.uk", "mind.org.uk"), ("WWW.NEJM.ORG.", "nejm.org"),
        ("www.healthdirect.gov.au", "healthdirect.gov.au"), ("www.who.int", "who.int"), ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"), ("a.b.co.jp", "b.co.jp"), ("", ""),
    ],
)  # fmt: skip
def test_a_host_belongs_to_the_domain_that_somebody_registered(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


@each_row("host", ["www.mind.org.uk", "ghr.nlm.nih.gov", "www.healthdirect.gov.au", "go.drugbank.com"])
def test_without_the_public_suffix_list_common_suffixes_are_still_known(host: str) -> None:
    assert hosts._domain_by_parts(host.removeprefix("www.")) == registered_domain(host)


@each_row(
    ("url", "publisher"),
    [
        ("https://www-uptodate-com.meir.idm.oclc.org/contents/x?a=b", "https://www.uptodate.com/contents/x?a=b"),
        ("https://www.bmj.com.ezproxy.lib.ucalgary.ca/a", "https://www.bmj.com/a"),
        ("https://ezproxy.uni.edu/login?url=https://www.nejm.org/doi/1", "https://www.nejm.org/doi/1"),
        ("https://www-nejm-org.libproxy.ucl.ac.uk/x", "https://www.nejm.org/x"),
        ("https://jamanetwork-com.ezp-prod1.hul.harvard.edu/j", "https://jamanetwork.com/j"),
        ("https://my--clinic-org.ezproxy.x.edu/", "https://my-clinic.org/"),
    ],
)
def test_behind_a_librarys_proxy_stands_the_publisher(url: str, publisher: str) -> None:
    assert strip_proxy(url) == (publisher, True)


@each_row(
    "url", ["https://www.nejm.org/x", "https://my-clinic.org/ezproxy", "https://bjp.rcpsych.org/a", "https://zproxyfree.com/"]
)  # fmt: skip
def test_what_is_no_proxy_stays_as_it_is(url: str) -> None:
    assert strip_proxy(url) == (url, False)


async def analysed(urls: Sequence[str]) -> list[SourceAddress]:
    addresses = AddressDescriber()
    return [await addresses.describe(url) for url in urls]


async def test_the_addresses_of_k_qa_are_counted_as_the_paper_would(shared_data: Path) -> None:
    with gzip.open(shared_data / "qa" / "kqa.jsonl.gz", "rt", encoding="utf-8") as lines:
        urls = [url for line in lines for url in re.findall(r"https?://\S+", json.loads(line)["sources"])]
    assert (len(urls), len(set(urls))) == (326, 323)
    known = await analysed(urls)
    uptodate = [one for one in known if one.domain == "uptodate.com"]
    assert (sum(not one.proxied for one in uptodate), sum(one.proxied for one in uptodate)) == (82, 24)
    counts = count_addresses(known)
    assert dict(counts.suffixes) == {
        "com": 161, "org": 85, "gov": 55, "uk": 18, "edu": 3, "au": 2, "ca": 1, "int": 1
    }  # fmt: skip
    assert (counts.american, counts.all, counts.guessed) == (304, 326, 326)
    assert round(counts.american / counts.all, 3) == 0.933
    assert counts.domains[0] == ("uptodate.com", 106) and len(counts.domains) == 5
    assert counts.paywalled >= 106 + 9


async def test_the_addresses_of_the_consumer_corpus_are_all_of_the_government(shared_data: Path) -> None:
    with gzip.open(shared_data / "corpora" / "consumer.jsonl.gz", "rt", encoding="utf-8") as lines:
        urls = [json.loads(line)["metadata"]["url"] for line in lines]
    counts = count_addresses(await analysed(urls))
    assert (counts.all, dict(counts.suffixes)) == (16_407, {"gov": 16_407})
    sites = {urlsplit(url).netloc for url in urls}
    assert len(sites) == 9
    assert sum(urlsplit(url).netloc == "ghr.nlm.nih.gov" for url in urls) == 5_430
    assert {domain for domain, _ in counts.domains} == {"nih.gov", "nihseniorhealth.gov", "cancer.gov", "cdc.gov"}


async def test_no_address_and_what_is_none_give_empty_tables() -> None:
    assert count_addresses([]).domains == () and count_addresses([]).american == 0
    assert (await AddressDescriber().describe("http://[broken")).country == "unknown"
    assert (await AddressDescriber().describe("not an address")).domain == ""


async def test_the_pages_word_comes_before_the_list_of_paywalls() -> None:
    known, url = AddressDescriber(), "https://www.uptodate.com/contents/x"
    assert (await known.describe(url)).paywalled is True
    assert (await known.describe(url, FetchedPage("ok", paywalled=False))).paywalled is False
    assert (await known.describe("https://example.org/a", FetchedPage("ok"))).paywalled is False
    assert (await known.describe("https://example.org/a")).paywalled is None
    assert (await known.describe("https://www.nejm.org/a", FetchedPage("refused"))).paywalled is True
    assert (await known.describe("https://www.nejm.org/a", FetchedPage("ok"))).paywalled is False
    assert (await known.describe("https://bestpractice.bmj.com/a")).paywalled is True
    assert (await known.describe("https://www.bmj.com/a")).paywalled is None


async def test_the_archive_is_asked_for_dead_pages_alone_and_copies_of_later_days_do_not_count() -> None:
    copies = {
        GONE: [("20150304000000", "200")],
        f"{GONE}/late": [("20250101000000", "200")],
        f"{GONE}/bad": [("20150101000000", "404")],
    }
    with serving(ArchiveServer(copies)) as served:
        async with Client(attempts=1) as client:
            known = AddressDescriber(archive=InternetArchive(client, served.url), cited_on=date(2024, 5, 1))
            dead = FetchedPage("dead")
            assert (await known.describe(GONE, dead)).archived == "once valid"
            assert (await known.describe(f"{GONE}/late", dead)).archived == "never seen"
            assert (await known.describe(f"{GONE}/bad", dead)).archived == "never seen"
            assert (await known.describe(f"{GONE}/never", FetchedPage("unknown host"))).archived == "never seen"
            asked = len(served.asked)
            assert (await known.describe(GONE, FetchedPage("ok"))).archived == ""
            assert (await known.describe(GONE)).archived == ""
            assert len(served.asked) == asked
    assert (await AddressDescriber().describe(GONE, FetchedPage("dead"))).archived == ""


async def test_an_archive_that_is_down_leaves_it_open() -> None:
    with serving(lambda _: Said(b"busy", 403, "text/plain")) as served:
        async with Client(attempts=1) as client:
            known = AddressDescriber(archive=InternetArchive(client, served.url))
            assert (await known.describe(GONE, FetchedPage("dead"))).archived == "unknown"


async def test_the_country_is_that_of_the_registration_and_else_guessed_from_the_suffix() -> None:
    owners = {"nih.gov": at("United States"), "mind.org.uk": at("GB", code=True), "hidden.com": None}
    with serving(RdapServer(owners)) as served:
        async with Client(attempts=1) as client:
            known = AddressDescriber(registrations=Rdap(client, served.url))

            async def told(url: str) -> tuple[str, str]:
                address = await known.describe(url)
                return address.country, address.by

            assert await told("https://ghr.nlm.nih.gov/a") == ("US", "registration")
            assert await told("https://www.mind.org.uk/a") == ("other", "registration")
            assert await told("https://hidden.com/a") == ("US", "suffix")
            assert await told("https://nobody.de/a") == ("other", "suffix")
            await known.describe("https://www.nlm.nih.gov/b")
            assert len([one for one in served.asked if one.path.endswith("/nih.gov")]) == 1
    assert (await AddressDescriber().describe("http://127.0.0.1/a")).country == "unknown"
