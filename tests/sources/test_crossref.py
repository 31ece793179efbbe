"""Crossref: the real client asks a real server on loopback over real and invented works."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import date
from itertools import islice
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.servers.base import Served, serving
from tests.servers.crossref import CrossrefServer, Json, corpus, update, work
from tests.servers.twists import Twist, instead, malformed, once, plainly, status, truncated, truncated_file_error
from tests.tables import each_row
from wellsourced.errors import NotFoundError, OfflineError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import RetractionRegistry
from wellsourced.sources.crossref import Crossref
from wellsourced.types import Notice, Reference, Retraction

TODAY = date(2026, 11, 21)
PAPER, NOTICE = "10.1016/S0140-6736(20)31180-6", "10.1016/s0140-6736(20)31324-6"
RETRACTED = work(PAPER, title="A registry analysis", updated_by=[update("retraction", NOTICE, 2020, 6, 5)])
FINE = work("10.1000/fine", title="Colchicine for acute gout")


def cited(doi: str) -> Reference:
    return Reference(id=f"doi:{doi}", doi=doi)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, clock=Moments().clock) as made:
        yield made


Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Run the service over these works."""
    with ExitStack() as stack:

        def run(*works: Json, twist: Twist = plainly) -> Served:
            return stack.enter_context(serving(CrossrefServer(works, twist)))

        yield run


async def said(client: Client, service: Served, *dois: str) -> dict[str, Retraction]:
    return await Crossref(client, service.url, today=lambda: TODAY).retractions([cited(doi) for doi in dois])


async def test_a_retraction_is_told_with_its_notice_and_a_work_without_one_is_not_retracted(
    client: Client, serve: Serve
) -> None:
    words = await said(client, serve(RETRACTED, FINE), PAPER, "10.1000/fine", "10.1000/nobody")
    notice = Notice(kind="retraction", source="Crossref", id=f"doi:{NOTICE}", published="2020-06-05")
    assert words == {
        f"doi:{PAPER}": Retraction(status="true", as_of=TODAY, notices=(notice,)),
        "doi:10.1000/fine": Retraction(status="false", as_of=TODAY),
    }


async def test_it_is_a_registry(client: Client) -> None:
    assert isinstance(Crossref(client, "https://crossref.example"), RetractionRegistry)
    assert Crossref(client, "https://crossref.example").name == "Crossref"


async def test_a_notice_that_names_the_work_is_enough(client: Client, serve: Serve) -> None:
    notice = work(NOTICE, title="Retraction: A registry analysis", update_to=[update("retraction", PAPER, 2020, 6, 5)])
    words = await said(client, serve(notice), PAPER.lower())
    assert words[f"doi:{PAPER.lower()}"].objection == "retracted (Crossref, 2020-06-05)"
    assert words[f"doi:{PAPER.lower()}"].notices[0].id == f"doi:{NOTICE}"


async def test_a_notice_given_from_both_ends_is_told_once(client: Client, serve: Serve) -> None:
    notice = work(NOTICE, update_to=[update("retraction", PAPER, 2020, 6, 5)])
    words = await said(client, serve(RETRACTED, notice), PAPER)
    assert len(words[f"doi:{PAPER}"].notices) == 1


async def test_the_notice_itself_is_not_the_retracted_paper(client: Client, serve: Serve) -> None:
    notice = work(NOTICE, update_to=[update("retraction", PAPER, 2020, 6, 5)])
    assert (await said(client, serve(notice), NOTICE))[f"doi:{NOTICE}"] == Retraction(status="false", as_of=TODAY)


async def test_a_work_in_whose_place_its_publisher_put_the_notice_is_retracted(client: Client, serve: Serve) -> None:
    withdrawn = work("10.1000/w", update_to=[update("withdrawal", "10.1000/W", 2021, 2)])
    words = await said(client, serve(withdrawn), "10.1000/w")
    assert words["doi:10.1000/w"].objection == "retracted (Crossref, 2021-02, withdrawn)"


@each_row(
    ("type_", "expected", "objection"),
    [
        ("retraction", "true", "retracted (Crossref, 2020)"),
        ("Retraction", "true", "retracted (Crossref, 2020)"),
        ("removal", "true", "retracted (Crossref, 2020, removed)"),
        ("withdrawal", "true", "retracted (Crossref, 2020, withdrawn)"),
        ("expression_of_concern", "false", "under an expression of concern (Crossref, 2020)"),
        ("Expression of Concern", "false", "under an expression of concern (Crossref, 2020)"),
        ("partial_retraction", "false", "under an expression of concern (Crossref, 2020, retracted in part)"),
        ("correction", "false", ""),
        ("corrigendum", "false", ""),
        ("erratum", "false", ""),
        ("addendum", "false", ""),
        ("new_version", "false", ""),
        ("new_edition", "false", ""),
        ("something-else", "false", ""),
    ],
)
async def test_every_type_of_update_has_its_weight(
    client: Client, serve: Serve, type_: str, expected: str, objection: str
) -> None:
    service = serve(work("10.1000/a", updated_by=[update(type_, "10.1000/n", 2020)]))
    word = (await said(client, service, "10.1000/a"))["doi:10.1000/a"]
    assert (word.status, word.objection) == (expected, objection)
    assert len(word.notices) == 1


async def test_who_reported_it_is_told(client: Client, serve: Serve) -> None:
    told = update("retraction", NOTICE, 2020, 6, 5, source="retraction-watch")
    word = (await said(client, serve(work(PAPER, updated_by=[told])), PAPER))[f"doi:{PAPER}"]
    assert word.objection == "retracted (Crossref, 2020-06-05, reported by Retraction Watch)"


async def test_a_reinstatement_lifts_the_retraction_before_it(client: Client, serve: Serve) -> None:
    history = [update("retraction", "10.1000/n", 2019, 1, 2), update("reinstatement", "10.1000/r", 2020, 3, 4)]
    word = (await said(client, serve(work("10.1000/a", updated_by=history)), "10.1000/a"))["doi:10.1000/a"]
    assert (word.status, word.objection) == ("false", "")
    assert [notice.reason for notice in word.notices] == ["reinstated"]


async def test_a_date_that_is_not_known_is_no_date(client: Client, serve: Serve) -> None:
    service = serve(work("10.1000/a", updated_by=[update("retraction", "10.1000/n")]))
    assert (await said(client, service, "10.1000/a"))["doi:10.1000/a"].objection == "retracted (Crossref)"


async def test_sixty_works_are_asked_about_in_three_batches_by_the_polite_way(client: Client, serve: Serve) -> None:
    works = [work(f"10.1000/{number}") for number in range(60)]
    service = serve(*works)
    references = [cited(f"10.1000/{number}") for number in range(60)]
    words = await Crossref(client, f"{service.url}/", "me@example.org").retractions([*references, *references])
    assert len(words) == 60
    assert sorted(asked.fields["filter"].count(":") for asked in service.asked) == [10, 10, 25, 25, 25, 25]
    assert {asked.fields["mailto"] for asked in service.asked} == {"me@example.org"}
    assert {asked.fields["select"] for asked in service.asked} == {"DOI,title,updated-by,update-to"}


async def test_a_doi_with_a_comma_is_asked_for_by_itself(client: Client, serve: Serve) -> None:
    odd = "10.1002/(SICI)1097<1::AID,X>3.0.CO;2-#"
    service = serve(work(odd, updated_by=[update("retraction", "10.1000/n", 2020)]), FINE)
    words = await said(client, service, odd, "10.1000/fine", "10.1000/un,known")
    assert {id: word.status for id, word in words.items()} == {f"doi:{odd}": "true", "doi:10.1000/fine": "false"}


COMMA = "10.5555/a,b"
UPDATES: dict[str, object] = {
    "one in a list": [update("retraction", PAPER, 2021)],
    "one, not in a list": update("retraction", PAPER, 2021),
    "its DOI in other letters": [update("RETRACTION", PAPER.upper(), 2021)],
    "its DOI as an address": [update("retraction", f"https://doi.org/{PAPER}", 2021)],
    "its DOI with what nobody sees": [update("retraction", PAPER.replace("(", "\u200b("), 2021)],
    "a list of DOIs": [{**update("retraction", "", 2021), "DOI": ["10.1000/other", PAPER]}],
    "two DOIs in one string": [update("retraction", f"10.1000/other,{PAPER}", 2021)],
    "a label without a type": [{"DOI": PAPER, "label": "Retraction", "updated": {"date-parts": [[2021]]}}],
    "its name in small letters": [{"doi": PAPER, "type": "retraction", "updated": {"date-parts": [[2021]]}}],
    "another name of the type": [update("Retraction Notice", PAPER, 2021)],
}


@each_row("said_to", UPDATES.values())
async def test_a_notice_is_understood_in_whatever_form_it_names_the_work(
    client: Client, serve: Serve, said_to: object
) -> None:
    notice = {**work("10.1000/notice", title="Retraction: A registry analysis"), "update-to": said_to}
    # The server answers by the DOI alone; how the notice spells it is what is read.
    twisted = {"message": {"items": [work(PAPER), notice], "total-results": 2}}
    word = (await said(client, serve(twist=instead(twisted)), PAPER))[f"doi:{PAPER}"]
    assert (word.status, word.objection) == ("true", "retracted (Crossref, 2021)")


async def test_a_notice_on_a_doi_with_a_comma_is_found_by_the_title(client: Client, serve: Serve) -> None:
    paper = work(COMMA, title="Colchicine and comma works in gout")
    notice = work("10.5555/n", title="Retraction: Colchicine and comma works in gout",
                  update_to=[update("retraction", COMMA, 2021, 1, 20)])  # fmt: skip
    assert (await said(client, serve(paper, notice), COMMA))[f"doi:{COMMA}"].status == "true"
    # Notices that name it cannot be asked for: their silence is no answer.
    assert (await said(client, serve(paper), COMMA))[f"doi:{COMMA}"] == Retraction()


async def test_the_record_of_a_work_alone_never_says_that_it_was_not_retracted(client: Client, serve: Serve) -> None:
    corrected = work("10.1000/n", update_to=[update("correction", "10.1000/elsewhere", 2020)])
    service = serve(FINE, corrected)
    card = await Crossref(client, service.url, today=lambda: TODAY).find_by_id("doi", "10.1000/fine")
    assert card.retraction.status == "unknown"
    # A notice names it, and its own record is not there.
    assert (await said(client, service, "10.1000/elsewhere"))["doi:10.1000/elsewhere"].status == "unknown"


async def test_a_title_that_its_publisher_marked_is_a_retraction(client: Client, serve: Serve) -> None:
    service = serve(work("10.1000/a", title="RETRACTED: Colchicine"), work("10.1000/n", title="Retraction: Colchicine"))
    words = await said(client, service, "10.1000/a", "10.1000/n")
    assert {id: word.status for id, word in words.items()} == {"doi:10.1000/a": "true", "doi:10.1000/n": "false"}


async def test_works_without_a_doi_are_not_asked_about(client: Client, serve: Serve) -> None:
    service = serve(FINE)
    assert await Crossref(client, service.url).retractions([Reference(id="pubmed:1", pmid="1")]) == {}
    assert service.asked == []


@each_row(
    ("twist", "error", "words"),
    [
        (status(429, retry_after="1"), SourceUnavailable, "429"),
        (status(503), SourceUnavailable, "503"),
        (status(400), SourceRefused, "400"),
        (malformed, SourceRefused, "did not answer with JSON"),
        (truncated, SourceRefused, "did not answer with JSON"),
        (truncated_file_error, SourceUnavailable, "127"),
        (instead({"status": "ok"}), SourceRefused, "Crossref answered in an unknown form"),
        (instead({"message": {"items": [{"title": ["no DOI"]}]}}), SourceUnavailable, "unreadable record"),
        (instead({"message": {"items": [], "total-results": 2_000}}), SourceUnavailable, "0 of 2000"),
    ],
)
async def test_an_answer_that_is_not_whole_is_an_error_and_never_not_retracted(
    client: Client, serve: Serve, twist: Twist, error: type[SourceError], words: str
) -> None:
    with pytest.raises(error, match=words):
        await said(client, serve(RETRACTED, twist=twist), PAPER)


async def test_a_server_that_asks_to_wait_is_asked_again_then(serve: Serve) -> None:
    moments = Moments()
    async with Client(attempts=2, clock=moments.clock) as client:
        words = await said(client, serve(RETRACTED, twist=once(status(429, retry_after="7"))), PAPER)
    assert words[f"doi:{PAPER}"].status == "true"
    assert max(moments.slept) >= 7


async def test_offline_nobody_is_asked(serve: Serve) -> None:
    service = serve(RETRACTED)
    async with Client(offline=True) as client:
        with pytest.raises(OfflineError):
            await said(client, service, PAPER)
    assert service.asked == []


async def test_a_doi_in_any_spelling_gives_its_card(client: Client, serve: Serve) -> None:
    service = serve(RETRACTED)
    for spelling in (PAPER, PAPER.lower(), f"https://doi.org/{PAPER}", f"doi:{PAPER}", f" {PAPER}. "):
        card = await Crossref(client, service.url, today=lambda: TODAY).find_by_id("doi", spelling)
        assert (card.id, card.title, card.published) == (f"doi:{PAPER}", "A registry analysis", "2020-05-03")
    assert (card.authors, card.organisation) == (("Doe, Jane", "The Invented Group"), "Invented Press")
    assert (card.journal, card.volume, card.issue, card.pages) == ("Journal of Invented Trials", "12", "3", "101-109")
    assert card.retraction.objection == "retracted (Crossref, 2020-06-05)"
    assert card.publication_types == ("journal-article",)


async def test_a_doi_that_nobody_registered_is_not_found(client: Client, serve: Serve) -> None:
    service = serve(FINE)
    for doi in ("10.1000/nobody", "no doi", ""):
        with pytest.raises(NotFoundError, match="Crossref has no work"):
            await Crossref(client, service.url).find_by_id("doi", doi)
    assert len(service.asked) == 1


async def test_a_citation_in_words_gives_the_likeliest_works(client: Client, serve: Serve) -> None:
    service = serve(FINE, RETRACTED, work("10.1000/other", title="Naproxen for acute gout"))
    matches = await Crossref(client, service.url).find_by_citation(
        "Colchicine for acute gout", ["Doe J"], "2020", "J Invented Trials", 2
    )
    assert [match.doi for match in matches] == ["10.1000/fine", "10.1000/other"]
    assert service.asked[0].fields["rows"] == "2"
    assert await Crossref(client, service.url).find_by_citation(" ", [], "", "", 2) == []


async def test_real_works_are_known_and_found_by_their_titles(client: Client, shared_data: Path) -> None:
    works = list(islice((one for one in corpus(shared_data) if len(one["title"][0]) > 40), 200))
    with serving(CrossrefServer(works)) as service:
        crossref = Crossref(client, service.url)
        words = await crossref.retractions([cited(one["DOI"].upper()) for one in works])
        assert len(words) == len({one["DOI"].lower() for one in works})
        assert {word.status for word in words.values()} == {"false"}
        for one in works[::20]:
            assert (await crossref.find_by_citation(one["title"][0], [], "", "", 5))[0].doi == one["DOI"]
