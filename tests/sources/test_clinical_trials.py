"""ClinicalTrials.gov: the real client asks a server on loopback, over trials written by hand to the documented schema
of its API (version 2): the service itself was not asked."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import date
from typing import Any

import pytest

from tests.http.moments import Moments
from tests.servers.base import Said, Served, serving
from tests.servers.clinical_trials import ClinicalTrialsServer, Json, trial, with_results
from tests.servers.twists import Twist, instead, malformed, once, plainly, status, truncated, truncated_file_error
from tests.tables import each_row
from wellsourced.errors import NotFoundError, OfflineError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.medicine.study_design import detect_design
from wellsourced.sources.base import CountingSource, SearchResult, Source
from wellsourced.sources.clinical_trials import FIELDS, ClinicalTrials, build_document, translate_for_clinical_trials
from wellsourced.sources.service_answers import AnswerPart
from wellsourced.types import Query

PLANNED = trial("NCT00000001", title="Colchicine in Gout Flares", summary="Does colchicine shorten gout flares?")
DONE = with_results(
    trial("NCT00000002", title="Low-dose Colchicine", summary="Colchicine for gout flares.", aliases=["NCT00000009"])
)
GOUT = Query(terms=("Does colchicine shorten gout flares?",))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, clock=Moments().clock) as one:
        yield one


Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Run the service over these trials."""
    with ExitStack() as stack:

        def run(*trials: Json, twist: Twist = plainly) -> Served:
            return stack.enter_context(serving(ClinicalTrialsServer(trials, twist)))

        yield run


async def find_ids(source: Source, query: Query, limit: int = 50) -> list[str]:
    """The trials of its hits, each once."""
    return list_ids(await source.search(query, limit))


def list_ids(result: SearchResult) -> list[str]:
    """The trials of the hits, each once."""
    return list(dict.fromkeys(hit.passage.reference.id for hit in result.hits))


async def test_a_trial_is_a_document_with_a_section_for_each_thing(client: Client, serve: Serve) -> None:
    source = ClinicalTrials(client, serve(PLANNED, DONE).url)
    assert isinstance(source, Source)
    assert isinstance(source, CountingSource)
    document = await source.open("nct:NCT00000002")
    parts = {section.title: document.text[section.start : section.end] for section in document.sections}
    assert [*parts] == [
        "Summary", "Conditions", "Interventions and arms", "Design", "Eligibility", "Outcomes", "Status", "Results",
        "Adverse events",
    ]  # fmt: skip
    assert parts["Design"] == (
        "Study type: interventional.\nPhase: phase 2, phase 3.\nAllocation: randomized.\nModel: parallel.\n"
        "Purpose: treatment.\nMasking: double (participant, investigator).\nEnrolment: 184 participants (actual)."
    )
    assert "Primary outcome: Pain reduced by half (time frame: 24 hours)." in parts["Outcomes"]
    assert parts["Eligibility"].startswith("Ages: 18 Years to no upper limit.\nSex: all.\nHealthy volunteers: not acc")
    assert parts["Results"].splitlines() == [
        "Primary outcome: Responders (time frame: 24 hours). Measured as number (standard deviation), in percentage of "
        "participants.",
        # Of how many people its other number is, is not said: the row is left out.
        "Analysis, Low dose versus Placebo: Odds Ratio (OR) 3.31, 95% CI 1.41 to 7.77, p = 0.005, Fisher Exact.",
    ]
    assert "Low dose: serious adverse events in 0 of 74." in parts["Adverse events"]
    card = document.reference
    assert (card.id, card.kind, card.depth, card.published) == ("nct:NCT00000002", "trial", "record", "2020-05-03")
    assert card.url == "https://clinicaltrials.gov/study/NCT00000002"


async def test_without_results_it_is_a_protocol_and_no_evidence(client: Client, serve: Serve) -> None:
    source = ClinicalTrials(client, serve(PLANNED, DONE).url)
    planned, done = [await source.open(f"nct:NCT0000000{n}") for n in (1, 2)]
    assert planned.reference.publication_types == ("Clinical Trial Protocol",)
    assert "No results are posted." in planned.text
    assert done.reference.publication_types == ("Randomized Controlled Trial",)
    levels = [detect_design(one.reference.publication_types, one.reference.title, "") for one in (planned, done)]
    assert [(one.name, one.level) for one in levels if one] == [
        ("study protocol", None),
        ("randomised controlled trial", 2),
    ]


async def test_marks_of_commonmark_are_not_part_of_the_text(client: Client, serve: Serve) -> None:
    document = await ClinicalTrials(client, serve(PLANNED).url).open("nct:NCT00000001")
    assert "* Gout flare of <12 hours" in document.text
    assert "\\" not in document.text


async def test_only_what_is_read_is_asked_for(client: Client, serve: Serve) -> None:
    service = serve(DONE)
    whole = (await client.get(f"{service.url}/studies/NCT00000002")).content
    part = (await client.get(f"{service.url}/studies/NCT00000002", {"fields": FIELDS})).content
    assert b"Diarrhoea" in whole
    assert b"Diarrhoea" not in part
    first, second = (build_document(AnswerPart(json.loads(given), "test"), "trial") for given in (part, whole))
    assert first == second
    await ClinicalTrials(client, service.url).search(GOUT, 5)
    assert {request.fields.get("fields") for request in service.asked[2:]} == {FIELDS}


async def test_results_of_which_no_outcome_is_posted_are_still_results(client: Client, serve: Serve) -> None:
    flow = {**PLANNED, "hasResults": True, "resultsSection": {"participantFlowModule": {"groups": []}}}
    document = await ClinicalTrials(client, serve(flow).url).open("nct:NCT00000001")
    assert "No results are posted." not in document.text
    assert document.reference.publication_types == ("Clinical Trial Protocol",)


async def test_every_hit_is_a_slice_of_the_document_that_it_opens(client: Client, serve: Serve) -> None:
    service = serve(PLANNED, DONE)
    hits = (await ClinicalTrials(client, service.url).search(GOUT, 50)).hits
    assert {hit.passage.reference.id for hit in hits} == {"nct:NCT00000001", "nct:NCT00000002"}
    fresh = ClinicalTrials(client, service.url)
    for hit in hits:
        document = await fresh.open(hit.passage.reference.id)
        assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert document.reference == hit.passage.reference


async def test_pages_are_fetched_until_there_are_enough(client: Client, serve: Serve) -> None:
    service = serve(*(trial(f"NCT{n:08}", title="Colchicine", summary="Gout flares shorten.") for n in range(1, 231)))
    assert len(await find_ids(ClinicalTrials(client, service.url), GOUT, 230)) == 230
    assert [asked.fields.get("pageToken") for asked in service.asked] == [None, "t100", "t200"]


async def test_dates_limit_the_search(client: Client, serve: Serve) -> None:
    source = ClinicalTrials(
        client, serve(PLANNED, trial("NCT00000003", title="Colchicine shortens gout flares", posted="2023-02")).url
    )
    assert await find_ids(source, GOUT.model_copy(update={"since": date(2021, 1, 1)})) == ["nct:NCT00000003"]
    assert await find_ids(source, GOUT.model_copy(update={"as_of": date(2021, 1, 1)})) == ["nct:NCT00000001"]


async def test_boolean_queries_are_written_in_essie(client: Client, serve: Serve) -> None:
    written = translate_for_clinical_trials("(gout[tiab] OR podagra[tiab]) AND colchicine[ti] NOT febuxostat[tiab]")
    assert written.text == '(("gout" OR "podagra") AND AREA[BriefTitle]"colchicine") AND NOT "febuxostat"'
    assert translate_for_clinical_trials("AREA[Phase]PHASE3").text == "AREA[Phase]PHASE3"
    source = ClinicalTrials(client, serve(PLANNED, DONE).url)
    query = Query(terms=("colchicin*[ti] AND (gout OR podagra)",), kind="boolean")
    result = await source.search(query, 50)
    assert len(list_ids(result)) == 2
    assert result.notes == ("ClinicalTrials.gov has no wildcards; “colchicin” was searched as a word",)


async def test_keywords_are_relaxed_and_that_is_told(client: Client, serve: Serve) -> None:
    source = ClinicalTrials(client, serve(PLANNED, DONE).url)
    result = await source.search(Query(terms=("colchicine", "gout", "astronauts")), 50)
    assert len(list_ids(result)) == 2
    assert result.notes == (
        "ClinicalTrials.gov has nothing with all of: colchicine, gout, astronauts; "
        "without “gout”, “astronauts” it has 2",
    )


@each_row("id", ["nct:NCT99999999", "nct:12", "pubmed:1", "", "nct:NCT00000001/../x"])
async def test_an_id_that_it_does_not_know_is_not_found(client: Client, serve: Serve, id: str) -> None:
    with pytest.raises(NotFoundError):
        await ClinicalTrials(client, serve(PLANNED).url).open(id)


async def test_another_trial_than_the_one_that_was_cited_is_not_given_for_it(client: Client, serve: Serve) -> None:
    source = ClinicalTrials(client, serve(PLANNED, DONE, twist=instead(DONE)).url)
    with pytest.raises(NotFoundError, match="returned NCT00000002 for NCT00000001"):
        await source.open("nct:NCT00000001")


async def test_an_obsolete_id_leads_to_the_trial(client: Client, serve: Serve) -> None:
    assert (await ClinicalTrials(client, serve(DONE).url).open("nct:NCT00000009")).reference.id == "nct:NCT00000002"


@each_row(
    ("twist", "error", "words"),
    [
        (status(400, b"Expression is malformed"), SourceRefused, "Expression is malformed"),
        (status(429, retry_after="1"), SourceUnavailable, "429"),
        (status(500), SourceUnavailable, "500"),
        (malformed, SourceRefused, "did not answer with JSON"),
        (truncated, SourceRefused, "did not answer with JSON"),
        (truncated_file_error, SourceUnavailable, "127"),
        (instead([]), SourceRefused, "unknown form"),
        (instead({"studies": 3}), SourceRefused, "studies"),
        (instead({"studies": [{"protocolSection": {}}]}), SourceUnavailable, "no readable trial"),
    ],
)
async def test_an_outage_is_an_error_and_never_an_empty_list(
    client: Client, serve: Serve, twist: Twist, error: type[SourceError], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        await ClinicalTrials(client, serve(PLANNED, twist=twist).url).search(GOUT, 5)


async def test_a_server_that_asks_to_wait_is_asked_again_then(serve: Serve) -> None:
    moments = Moments()
    async with Client(attempts=2, clock=moments.clock) as client:
        service = serve(PLANNED, twist=once(status(429, retry_after="7")))
        assert await find_ids(ClinicalTrials(client, service.url), GOUT) == ["nct:NCT00000001"]
    assert max(moments.slept) >= 7


async def test_one_broken_record_costs_only_itself_and_is_told(client: Client, serve: Serve) -> None:
    service = serve(twist=instead({"studies": ["text", PLANNED], "totalCount": 2}))
    query = Query(terms=("gout",), kind="boolean")
    result = await ClinicalTrials(client, service.url).search(query, 50)
    assert list_ids(result) == ["nct:NCT00000001"]
    (note,) = result.notes
    assert "one record that cannot be read" in note


async def test_offline_and_for_nothing_nobody_is_asked(client: Client, serve: Serve) -> None:
    service = serve(PLANNED)
    async with Client(offline=True) as closed:
        with pytest.raises(OfflineError):
            await ClinicalTrials(closed, service.url).search(GOUT, 5)
    source = ClinicalTrials(client, service.url)
    assert await source.search(GOUT, 0) == await source.search(Query(terms=("?",)), 5) == SearchResult([])
    assert service.asked == []


async def test_a_redirect_to_another_machine_is_refused(client: Client, serve: Serve) -> None:
    def elsewhere(_: object, __: Said) -> Said:
        return Said(b"", 302, "text/plain", {"Location": "http://10.0.0.1/studies"})

    with pytest.raises(SourceError):
        await ClinicalTrials(client, serve(PLANNED, twist=elsewhere).url).search(GOUT, 5)


def results_of(outcome: dict[str, Any], **more: Any) -> str:
    """The posted results of a trial with this outcome, as they are put into words."""
    groups = [{"id": "OG000", "title": "Drug"}, {"id": "OG001", "title": "Placebo"}]
    whole = {"type": "PRIMARY", "title": "Flares", "paramType": "MEAN", "groups": groups, **outcome}
    posted = {"hasResults": True, "resultsSection": {"outcomeMeasuresModule": {"outcomeMeasures": [whole]}, **more}}
    document = build_document(AnswerPart({**PLANNED, **posted}, "test"), "trial")
    return next((document.text[one.start : one.end] for one in document.sections if one.title == "Results"), "")


def counted(first: str, second: str, units: str = "Participants") -> dict[str, Any]:
    """Of how many each group is."""
    counts = [{"groupId": "OG000", "value": first}, {"groupId": "OG001", "value": second}]
    return {"units": units, "counts": [one for one in counts if one["value"]]}


def measured(first: str, second: str) -> list[dict[str, Any]]:
    """A row of two values."""
    return [{"measurements": [{"groupId": "OG000", "value": first}, {"groupId": "OG001", "value": second}]}]


def test_each_row_of_results_has_the_numbers_analysed_there_or_is_left_out() -> None:
    classes = [
        {"title": "Week 4", "categories": measured("1", "2")},
        {"title": "Week 52", "denoms": [counted("20", "9")], "categories": measured("3", "4")},
        {"title": "Week 90", "denoms": [counted("11", "")], "categories": measured("5", "6")},
    ]
    told = results_of({"denoms": [counted("60", "61")], "classes": classes})
    assert "Week 4: Drug (n=60): 1; Placebo (n=61): 2." in told
    assert "Week 52: Drug (n=20): 3; Placebo (n=9): 4." in told
    assert "Week 90" not in told
    assert "Drug" not in results_of({"classes": classes[:1]})
    eyes = {"typeUnitsAnalyzed": "Eyes", "denoms": [counted("60", "61"), counted("119", "120", "Eyes")]}
    assert "Drug (n=119 eyes): 1; Placebo (n=120 eyes): 2." in results_of({**eyes, "classes": classes[:1]})


@each_row(
    ("analysis", "words"),
    [
        ({"nonInferiorityType": "SUPERIORITY"}, "Drug versus Placebo: HR 0.9, p = 0.02."),
        ({}, "Drug versus Placebo: HR 0.9, p = 0.02."),
        ({"nonInferiorityType": "NON_INFERIORITY", "nonInferiorityComment": "Margin 1.3."},
         "Drug versus Placebo (test of non-inferiority; Margin 1.3): HR 0.9, p = 0.02."),
        ({"nonInferiorityType": "EQUIVALENCE"}, "Drug versus Placebo (test of equivalence): HR 0.9, p = 0.02."),
        ({"pValueComment": "for non-inferiority"}, "HR 0.9, p = 0.02 (for non-inferiority)."),
        ({"ciNumSides": "ONE_SIDED", "ciPctValue": "97.5", "ciUpperLimit": "1.2"}, "one-sided 97.5% CI up to 1.2"),
        ({"ciNumSides": "ONE_SIDED", "ciPctValue": "95", "ciLowerLimit": "0.8"}, "one-sided 95% CI from 0.8"),
        ({"ciLowerLimit": "0.8", "ciUpperLimit": "1.2"}, "HR 0.9, CI 0.8 to 1.2"),
        ({"groupIds": []}, ""),
    ],
)  # fmt: skip
def test_an_analysis_says_what_it_tests_and_which_side_is_open(analysis: dict[str, Any], words: str) -> None:
    usual = {"groupIds": ["OG000", "OG001"], "paramType": "HR", "paramValue": "0.9", "pValue": "0.02"}
    told = results_of({"denoms": [counted("60", "61")], "analyses": [{**usual, **analysis}]})
    assert (words in told) if words else "Analysis" not in told


def test_limitations_that_are_posted_stand_before_the_results() -> None:
    words = "Stopped early;\nthe results are exploratory."
    caveats = {"moreInfoModule": {"limitationsAndCaveats": {"description": words}}}
    told = results_of({"denoms": [counted("60", "61")], "classes": [{"categories": measured("1", "2")}]}, **caveats)
    assert told.startswith("Limitations that the sponsor states: Stopped early;")
    assert told.index("the results are exploratory.") < told.index("Drug (n=60)")
