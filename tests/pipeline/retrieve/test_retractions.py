"""What was withdrawn or doubted may not count, whoever says so; what nobody knows is unknown, never "not retracted"."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.servers.crossref import CrossrefServer, Json, update, work
from tests.servers.entrez_records import article
from tests.servers.twists import status
from tests.sources.retraction_rows import row, snapshot
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, context, document, passages, source
from wellsourced.errors import SourceError, SourceUnavailable
from wellsourced.http import Client
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.read.section_reading import read_candidates
from wellsourced.pipeline.retrieve.retractions import (
    RetractionLookup,
    exclude_retracted,
    look_up_retractions,
    retraction_in_record,
)
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.pipeline.verify.recheck import recheck_answer
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats import read_jats
from wellsourced.readers.medline import read_medline
from wellsourced.sources.base import RetractionRegistry
from wellsourced.sources.crossref import Crossref
from wellsourced.sources.retraction_watch import RetractionWatch
from wellsourced.types import Citation, Document, Gap, Notice, Passage, Question, Reference, Retraction

TODAY, DAY, EARLIER = date(2026, 11, 21), date(2026, 10, 1), date(2020, 1, 1)
DOI = "10.1016/S0140-6736(20)31180-6"
PLAIN = Reference(id="pubmed:1", pmid="1", doi=DOI)
OTHER_ID = Reference(id="pubmed:7", pmid="7")
FALSE, UNKNOWN = Retraction(status="false", as_of=DAY), Retraction()


def pubmed(**about: Sequence[object]) -> Reference:
    """The card of an invented PubMed record."""
    record = article("1", "A study", [("", "Words.")], doi=DOI, **about).xml  # type: ignore[arg-type]
    (found,) = read_medline(InMemoryFile("a record", b"<PubmedArticleSet>%b</PubmedArticleSet>" % record), "research")
    assert isinstance(found, Document)
    return found.reference


def said(
    kind: str, published: str = "", *, by: str = "Somebody", reason: str = "", as_of: date | None = DAY
) -> Retraction:
    """The word of a registry that knows one notice."""
    notice = Notice.model_validate({"kind": kind, "source": by, "published": published, "reason": reason})
    return Retraction(status="true" if kind == "retraction" else "false", as_of=as_of, notices=(notice,))


class ToldRegistry:
    """Says what it was told about each reference, or fails as it was told to; remembers what it was asked."""

    def __init__(
        self, words: Mapping[str, Retraction] | None = None, failure: SourceError | None = None, wait: float = 0
    ) -> None:
        self.words, self.failure, self.wait = words or {}, failure, wait
        self.asked: list[list[str]] = []

    @property
    def name(self) -> str:
        return "told"

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        self.asked.append([one.id for one in references])
        await asyncio.sleep(self.wait)
        if self.failure:
            raise self.failure
        return {one.id: self.words[one.id] for one in references if one.id in self.words}


class Case(NamedTuple):
    """What a record says and who says what of it; what is then known, and why it may not count.

    watch      rows of the snapshot of Retraction Watch; None: nobody has one
    crossref   the works that Crossref knows; None: it is not asked
    told       words of registries that know the record
    down       one more registry, which cannot be reached
    """

    name: str
    record: Reference
    status: str
    objection: str = ""
    watch: tuple[list[str], ...] | None = None
    crossref: tuple[Json, ...] | None = None
    told: tuple[Retraction, ...] = ()
    down: bool = False
    as_of: date | None = None


def noted(*updates: Json) -> tuple[Json, ...]:
    return (work(DOI, updated_by=updates),)


RW = "retracted (Retraction Watch, 2010-02-06, R)"
PUBMED = "retracted (PubMed, 2021-05-03)"
R = "+R;"
BACK = "3/4/2022 0:00"
IN_PLACE = work(DOI, update_to=[update("withdrawal", DOI.lower(), 2021)])
NOTICE = work("10.1000/n", title="Retraction: A study", update_to=[update("retraction", DOI, 2020, 6, 5)])

MARKED_TITLES = (
    "Colchicine halves mortality in gout [Retracted]",
    "Colchicine halves mortality in gout [RETRACTED].",
    "[Retracted] Colchicine halves mortality in gout",
    "Retracted: Colchicine halves mortality in gout",
    "RETRACTED ARTICLE: Colchicine halves mortality in gout",
    "RETRACTED CHAPTER: Colchicine in gout",
    "RETRACTED – Colchicine halves mortality in gout",
    "WITHDRAWN: Colchicine for acute gout",
    "Withdrawn: Colchicine for acute gout.",
    "[Withdrawn]: Colchicine for acute gout",
    "REMOVED: Colchicine halves mortality in gout",
    "This article has been retracted: Colchicine halves mortality in gout",
    "Colchicine halves mortality in gout (Retracted article. See vol. 12, pg. 3, 2021)",
    "Colchicine halves mortality in gout (this article has been withdrawn)",
    "Colchicine halves mortality in gout - RETRACTED",
)
UNMARKED_TITLES = (
    "Retraction: Colchicine halves mortality in gout",
    "Retraction notice to “Colchicine halves mortality in gout” [Rheumatology 12 (2020) 3]",
    "Notice of retraction: Colchicine halves mortality in gout",
    "Withdrawal: Colchicine for acute gout",
    "Statement of Retraction",
    "Correction: Colchicine halves mortality in gout",
    "Expression of concern: Colchicine halves mortality in gout",
    "Retracted articles in rheumatology: a bibliometric study",
    "Why are papers retracted?",
    "Outcomes in patients in whom colchicine was withdrawn",
    "Management of the retracted nipple",
    "Metastases in removed lymph nodes (removed or not)",
)

CASES = (
    Case("nobody is asked and the record is silent", pubmed(), "unknown"),
    Case("PubMed's type of publication", pubmed(types=["Retracted Publication"]), "true", "retracted (PubMed)"),
    Case("RetractionIn", pubmed(notices=[("RetractionIn", "9")]), "true", PUBMED),
    Case(
        "RetractionIn and the type are one retraction",
        pubmed(types=["Retracted Publication"], notices=[("RetractionIn", "9")]),
        "true",
        PUBMED,
    ),
    Case(
        "ExpressionOfConcernIn",
        pubmed(notices=[("ExpressionOfConcernIn", "9")]),
        "unknown",
        "under an expression of concern (PubMed, 2021-05-03)",
    ),
    Case("ErratumIn is no retraction", pubmed(notices=[("ErratumIn", "9")]), "unknown"),
    Case(
        "retracted and republished: the old version",
        pubmed(notices=[("RetractedandRepublishedIn", "9")]),
        "true",
        PUBMED,
    ),
    Case(
        "retracted and republished: the new version", pubmed(notices=[("RetractedandRepublishedFrom", "9")]), "unknown"
    ),
    Case("corrected and republished", pubmed(notices=[("CorrectedandRepublishedIn", "9")]), "unknown"),
    Case(
        "the notice of a retraction is not the retracted paper",
        pubmed(types=["Retraction of Publication"], notices=[("RetractionOf", "9")]),
        "unknown",
    ),
    Case("the notice of a concern", pubmed(notices=[("ExpressionOfConcernFor", "9")]), "unknown"),
    Case("a comment", pubmed(notices=[("CommentIn", "9"), ("UpdateIn", "10")]), "unknown"),
    Case(
        "a concern, then a retraction",
        pubmed(notices=[("ExpressionOfConcernIn", "8"), ("RetractionIn", "9")]),
        "true",
        PUBMED,
    ),
    Case(
        "its title says so", PLAIN.model_copy(update={"title": "RETRACTED: A study"}), "true", "retracted (its title)"
    ),
    Case(
        "a withdrawn review", PLAIN.model_copy(update={"title": "WITHDRAWN: A review"}), "true", "retracted (its title)"
    ),
    *(
        Case(f"marked by “{title}”", PLAIN.model_copy(update={"title": title}), "true", "retracted (its title)")
        for title in MARKED_TITLES
    ),
    *(
        Case(f"not marked by “{title}”", PLAIN.model_copy(update={"title": title}), "unknown")
        for title in UNMARKED_TITLES
    ),
    Case("the title of a notice", PLAIN.model_copy(update={"title": "Retraction: A study"}), "unknown"),
    Case("the DOI in small letters", PLAIN, "true", RW, (row(1, DOI.lower(), reason=R),), as_of=DAY),
    Case("the DOI in capitals", PLAIN, "true", RW, (row(1, DOI.upper(), reason=R),), as_of=DAY),
    Case("a DOI written as an address", PLAIN, "true", RW, (row(1, f"https://doi.org/{DOI}", reason=R),), as_of=DAY),
    Case(
        "the record's DOI written as an address",
        Reference(id="file:a", doi=f"http://dx.doi.org/{DOI.replace('/', '%2F')}"),
        "true",
        RW,
        (row(1, DOI, reason=R),),
        as_of=DAY,
    ),
    Case("a DOI that is the record's id", Reference(id=f"doi:{DOI}"), "true", RW, (row(1, DOI, reason=R),), as_of=DAY),
    Case("found by the PMID alone", OTHER_ID, "true", RW, (row(1, pmid="7", reason=R),), as_of=DAY),
    Case(
        "a PMID that is the record's id", Reference(id="pubmed:7"), "true", RW, (row(1, pmid="7", reason=R),), as_of=DAY
    ),
    Case("a row on another work", PLAIN, "unknown", "", (row(1, f"{DOI}1", "11"),)),
    Case(
        "no id that anyone could look for", Reference(id="file:a", title="A study"), "unknown", "", (row(1),), noted()
    ),
    Case(
        "the row is on its notice",
        Reference(id="pubmed:9", doi="10.1000/n"),
        "unknown",
        "",
        (row(1, DOI, notice="10.1000/n"),),
    ),
    Case("a correction alone", PLAIN, "unknown", "", (row(1, DOI, nature="Correction"),)),
    Case(
        "a concern in the snapshot",
        PLAIN,
        "unknown",
        "under an expression of concern (Retraction Watch, 2010-02-06, R)",
        (row(1, DOI, nature="Expression of concern", reason=R),),
    ),
    Case("reinstated", PLAIN, "false", "", (row(1, DOI), row(2, DOI, nature="Reinstatement", day=BACK)), as_of=DAY),
    Case(
        "reinstated, then retracted again",
        PLAIN,
        "true",
        "retracted (Retraction Watch, 2023-05-06, R)",
        (row(1, DOI), row(2, DOI, nature="Reinstatement", day=BACK), row(3, DOI, day="5/6/2023 0:00", reason=R)),
        as_of=DAY,
    ),
    Case(
        "reinstated on a day that nobody knows",
        PLAIN,
        "true",
        RW,
        (row(1, DOI, reason=R), row(2, DOI, nature="Reinstatement", day="")),
        as_of=DAY,
    ),
    Case(
        "PubMed still says retracted, and it was reinstated since",
        pubmed(notices=[("RetractionIn", "9")]),
        "false",
        "",
        (row(1, DOI), row(2, DOI, nature="Reinstatement", day=BACK)),
        as_of=DAY,
    ),
    Case(
        "PubMed says retracted after the reinstatement",
        pubmed(notices=[("RetractionIn", "9")]),
        "true",
        PUBMED,
        (row(1, DOI), row(2, DOI, nature="Reinstatement", day="3/4/2020 0:00")),
    ),
    Case(
        "reinstated under a concern that stands",
        PLAIN,
        "false",
        "under an expression of concern (Retraction Watch, 2023-05-06, R)",
        (
            row(1, DOI),
            row(2, DOI, nature="Reinstatement", day=BACK),
            row(3, DOI, nature="Expression of concern", day="5/6/2023 0:00", reason=R),
        ),
        as_of=DAY,
    ),
    Case(
        "Crossref, updated-by",
        PLAIN,
        "true",
        "retracted (Crossref, 2020-06-05)",
        crossref=noted(update("retraction", "10.1000/n", 2020, 6, 5)),
        as_of=TODAY,
    ),
    Case(
        "Crossref, update-to on the notice",
        PLAIN,
        "true",
        "retracted (Crossref, 2020-06-05)",
        crossref=(NOTICE,),
        as_of=TODAY,
    ),
    Case(
        "Crossref, in the place of the work",
        PLAIN,
        "true",
        "retracted (Crossref, 2021, withdrawn)",
        crossref=(IN_PLACE,),
        as_of=TODAY,
    ),
    Case(
        "Crossref, a corrigendum", PLAIN, "false", crossref=noted(update("corrigendum", "10.1000/c", 2020)), as_of=TODAY
    ),
    Case(
        "Crossref, a new version",
        PLAIN,
        "false",
        crossref=noted(update("new_version", "10.1000/v2", 2020)),
        as_of=TODAY,
    ),
    Case("Crossref knows the work and lists nothing", PLAIN, "false", crossref=noted(), as_of=TODAY),
    Case("Crossref does not know the DOI", PLAIN, "unknown", crossref=(work("10.1000/other"),)),
    Case(
        "Crossref knows the notice as a work", Reference(id="doi:10.1000/n"), "false", crossref=(NOTICE,), as_of=TODAY
    ),
    Case("two disagree: one says retracted", PLAIN, "true", RW, (row(1, DOI, reason=R),), noted(), as_of=DAY),
    Case(
        "two disagree: one says concern",
        PLAIN,
        "false",
        "under an expression of concern (Somebody)",
        told=(FALSE, said("concern")),
        as_of=DAY,
    ),
    Case("two agree that there is nothing", PLAIN, "false", told=(FALSE, FALSE), as_of=DAY),
    Case(
        "an older snapshot does not make the newer older",
        PLAIN,
        "false",
        told=(FALSE, Retraction(status="false", as_of=EARLIER)),
        as_of=DAY,
    ),
    Case(
        "retracted after the newer snapshot that says not",
        PLAIN,
        "true",
        "retracted (Somebody, 2019)",
        told=(said("retraction", "2019", as_of=EARLIER), FALSE),
        as_of=EARLIER,
    ),
    Case("a registry that says unknown says nothing", PLAIN, "unknown", told=(UNKNOWN,)),
    Case("a registry is down and the other knows", PLAIN, "true", RW, (row(1, DOI, reason=R),), down=True, as_of=DAY),
    Case("the only registry is down", PLAIN, "unknown", down=True),
    Case(
        "the only registry is down and PubMed knows", pubmed(notices=[("RetractionIn", "9")]), "true", PUBMED, down=True
    ),
)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=1, clock=Moments().clock) as made:
        yield made


async def known(case: Case, folder: Path, client: Client) -> RetractionLookup:
    registries: list[RetractionRegistry] = [ToldRegistry({case.record.id: word}) for word in case.told]
    if case.watch is not None:
        registries.append(RetractionWatch(snapshot(folder, *case.watch), DAY))
    if case.down:
        registries.append(ToldRegistry(failure=SourceUnavailable("told is down: try again later")))
    with serving(CrossrefServer(case.crossref or ())) as service:
        if case.crossref is not None:
            registries.append(Crossref(client, service.url, today=lambda: TODAY))
        return await look_up_retractions([case.record], registries)


@each_row("case", CASES)
async def test_what_is_known_of_a_work(case: Case, tmp_path: Path, client: Client) -> None:
    looked_up = await known(case, tmp_path, client)
    word = looked_up.retractions[case.record.id]
    assert (word.status, word.objection) == (case.status, case.objection)
    assert case.as_of is None or word.as_of == case.as_of
    assert len(looked_up.gaps) == case.down


def test_there_are_enough_cases_and_each_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 50


RECORDS = Path(__file__).parents[2] / "data" / "retractions" / "records.jsonl"


@each_row("source", ["crossref", "pubmed", "jats", "title"])
async def test_records_of_other_hands_are_understood(source: str, client: Client) -> None:
    wrong = []
    for case in map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines()):
        if case["source"] != source:
            continue
        word = await word_of_record(source, case["asked"], case["record"], client)
        verdict = "retracted" if word.status == "true" else "concern" if word.objection else "none"
        corrected = verdict == "none" and any(notice.kind == "correction" for notice in word.notices)
        verdict = "corrected" if corrected else verdict
        # A notice is no retracted work: nothing speaks against it.
        right = case["right"].replace("notice", "notice|none").split("|")
        named = verdict == "none" or any(notice.id.endswith(case["notice"].lower()) for notice in word.notices)
        if verdict not in right or not named:
            wrong.append((case["id"], case["what"], verdict, word.notices))
    assert not wrong


async def word_of_record(source: str, asked: str, record: Any, client: Client) -> Retraction:
    """What is known of the work asked for by this record alone."""
    if source == "title":
        return retraction_in_record(Reference(id="file:a", title=record))
    if source == "crossref":

        def answer(said: Asked) -> Said:
            doi = unquote(said.path).partition("/works/")[2]
            if doi and doi.lower() != record["DOI"].lower():
                return Said(b"Resource not found.", 404, "text/plain")
            listed = {"items": [record], "total-results": 1}
            return Said(json.dumps({"message": record if doi else listed}).encode(), 200, "application/json")

        with serving(answer) as service:
            registry = Crossref(client, service.url, today=lambda: TODAY)
            return (await registry.retractions([Reference(id="asked", doi=asked)])).get("asked", Retraction())
    read, form = (
        (read_medline, b"<PubmedArticleSet>%b</PubmedArticleSet>") if source == "pubmed" else (read_jats, b"%b")
    )
    (document,) = read(InMemoryFile("a record", form % record.encode()), "research")
    assert isinstance(document, Document)
    return retraction_in_record(document.reference)


def candidates(*documents: Document) -> list[Candidate]:
    return [Candidate(passage, "trials") for passage in passages(*documents)]


def paper(number: int, doi: str = "", retraction: Retraction = UNKNOWN, text: str = "") -> Document:
    made = document(f"pubmed:{number}", text or f"Paper {number} on gout.", retraction=retraction)
    return made.model_copy(update={"reference": made.reference.model_copy(update={"doi": doi})})


async def test_what_may_not_count_is_left_out_with_the_reason_and_the_rest_keeps_its_order() -> None:
    registry = ToldRegistry({"pubmed:2": said("retraction", "2020"), "pubmed:3": said("correction"), "pubmed:4": FALSE})
    settled = await exclude_retracted(candidates(paper(4), paper(2), paper(3), paper(1)), [registry])
    assert [one.passage.reference.id for one in settled.candidates] == ["pubmed:4", "pubmed:3", "pubmed:1"]
    statuses = [one.passage.reference.retraction.status for one in settled.candidates]
    assert statuses == ["false", "false", "unknown"]
    (dropped,) = settled.dropped
    assert (dropped.id, dropped.reason) == ("pubmed:2#0-16", "retracted (Somebody, 2020)")
    assert registry.asked == [["pubmed:4", "pubmed:2", "pubmed:3", "pubmed:1"]]


async def test_without_a_registry_nothing_is_asked_and_nothing_changes() -> None:
    found = candidates(paper(1), paper(2))
    assert (await exclude_retracted(found, [])).candidates == tuple(found)


async def test_records_of_one_work_speak_for_each_other() -> None:
    abstract = paper(1, DOI, said("retraction", "2020", by="PubMed"))
    preprint = document(f"doi:{DOI.lower()}", "The same work from another source.")
    settled = await exclude_retracted(candidates(abstract, preprint, paper(3)), [])
    assert [one.passage.reference.id for one in settled.candidates] == ["pubmed:3"]
    assert {one.reason for one in settled.dropped} == {"retracted (PubMed, 2020)"}


async def test_all_registries_are_asked_at_once_and_the_slow_one_is_a_gap() -> None:
    slow, quick = ToldRegistry(wait=60), ToldRegistry({"pubmed:2": said("retraction")})
    settled = await exclude_retracted(candidates(paper(1), paper(2)), [slow, quick], seconds=0.05)
    assert [one.passage.reference.id for one in settled.candidates] == ["pubmed:1"]
    assert settled.candidates[0].passage.reference.retraction.status == "unknown"
    reason = "it could not say which works were retracted: no answer within 0.05 s"
    assert settled.gaps == (Gap(source="told", status="failed", reason=reason),)


async def test_a_crossref_that_is_down_is_a_gap_and_never_not_retracted(client: Client) -> None:
    with serving(CrossrefServer([work(DOI)], status(503))) as service:
        settled = await exclude_retracted(candidates(paper(1, DOI)), [Crossref(client, service.url)])
    assert settled.candidates[0].passage.reference.retraction.status == "unknown"
    assert [(gap.source, gap.status) for gap in settled.gaps] == [("Crossref", "failed")]
    assert "503" in settled.gaps[0].reason


QUESTION = Question(text="Does colchicine shorten a gout flare?")
CURED = "Colchicine cured every gout flare in an hour."


async def test_a_work_that_only_a_registry_knows_to_be_retracted_is_never_read() -> None:
    the_context = context(source("trials", TRIAL, paper(2, text=CURED)), relevant=(COLCHICINE, CURED))
    registry = ToldRegistry({"pubmed:2": said("retraction", "2020"), "pubmed:1": FALSE})
    the_context = replace(the_context, registries=(registry,))
    given = await answer_question(QUESTION, the_context)
    assert [item.passage.reference.id for item in given.evidence] == ["pubmed:1"]
    assert given.evidence[0].passage.reference.retraction == FALSE
    assert ("pubmed:2#0-45", "retracted (Somebody, 2020)") in {(one.id, one.reason) for one in given.dropped}


async def test_the_documents_that_were_read_carry_what_is_known() -> None:
    the_context = context(source("trials", TRIAL))
    the_context = replace(the_context, registries=(ToldRegistry({"pubmed:1": FALSE}),))
    reading = await read_candidates(QUESTION, candidates(TRIAL), the_context)
    assert reading.documents["pubmed:1"].reference.retraction == FALSE
    assert reading.evidence[0].passage.reference == reading.documents["pubmed:1"].reference


async def test_a_registry_that_is_down_is_a_gap_of_the_answer_once() -> None:
    guideline = document("doi:10.1000/gout", "Colchicine is recommended for gout flares.", kind="guideline")
    the_context = context(source("guidelines", guideline, kind="guideline"), source("trials", TRIAL))
    the_context = replace(the_context, registries=(ToldRegistry(failure=SourceUnavailable("told is down")),))
    given = await answer_question(QUESTION, the_context)
    reason = "it could not say which works were retracted: told is down"
    assert given.gaps == (Gap(source="told", status="failed", reason=reason),)
    assert given.statements


async def test_a_stored_answer_is_asked_about_again() -> None:
    given = await answer_question(QUESTION, context(source("trials", TRIAL)))
    registry = ToldRegistry({"pubmed:1": said("retraction", "2026-11-01")})
    again = await recheck_answer(given, [registry])
    (changed,) = again.changes
    assert (changed.id, changed.retraction.objection) == ("pubmed:1", "retracted (Somebody, 2026-11-01)")
    assert again.unsupported_statements == given.statements
    assert again.answer.statements == given.statements
    assert {item.passage.reference.retraction.status for item in again.answer.evidence} == {"true"}
    assert type(given).model_validate_json(again.answer.model_dump_json()) == again.answer


def cited(passage: Passage) -> Citation:
    start = passage.start + passage.text.index(COLCHICINE)
    return Citation(passage_id=passage.id, quote=COLCHICINE, start=start, end=start + len(COLCHICINE))


async def test_a_statement_that_rests_on_another_work_too_does_not_fall() -> None:
    given = await answer_question(QUESTION, context(source("trials", TRIAL, paper(2, text=COLCHICINE))))
    both = tuple(cited(item.passage) for item in given.evidence)
    assert {citation.passage_id.partition("#")[0] for citation in both} == {"pubmed:1", "pubmed:2"}
    statement = given.statements[0].model_copy(update={"citations": both})
    resting = given.model_copy(update={"statements": (statement,)})
    again = await recheck_answer(resting, [ToldRegistry({"pubmed:1": said("retraction")})])
    assert again.unsupported_statements == ()
    assert [one.id for one in again.changes] == ["pubmed:1"]


async def test_when_nothing_has_changed_nothing_is_said_to_have() -> None:
    given = await answer_question(QUESTION, context(source("trials", TRIAL)))
    again = await recheck_answer(given, [ToldRegistry({"pubmed:1": FALSE})])
    assert (again.changes, again.unsupported_statements, again.gaps) == ((), (), ())
    assert again.answer.evidence[0].passage.reference.retraction == FALSE
    once_more = await recheck_answer(again.answer, [ToldRegistry({"pubmed:1": said("correction")})])
    assert once_more.changes == ()


async def test_a_work_that_was_reinstated_since_is_told_as_well() -> None:
    given = await answer_question(QUESTION, context(source("trials", TRIAL)))
    doubted = (await recheck_answer(given, [ToldRegistry({"pubmed:1": said("retraction", "2020")})])).answer
    back = said("republication", "2021-02-03", reason="reinstated: error of the publisher")
    again = await recheck_answer(doubted, [ToldRegistry({"pubmed:1": back})])
    assert [one.retraction.objection for one in again.changes] == [""]
    assert again.unsupported_statements == ()


async def test_a_recheck_without_an_answer_from_a_registry_says_so() -> None:
    given = await answer_question(QUESTION, context(source("trials", TRIAL)))
    again = await recheck_answer(given, [ToldRegistry(failure=SourceUnavailable("told is down"))])
    assert again.changes == ()
    assert [gap.source for gap in again.gaps] == ["told"]
    assert again.answer == given
