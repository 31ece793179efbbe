"""Which work a text means, asked of everybody who may know it: found, misattributed, unmatched, invented."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.citations.people import parse_author
from wellsourced.errors import NotFoundError, SourceError, WellsourcedError
from wellsourced.factcheck.resolve.base import IdKind, WorkCatalogue
from wellsourced.factcheck.resolve.identifiers import SourceIds, doi_spellings
from wellsourced.factcheck.resolve.record_match import NoticeKind, RecordAgreement, compare_record, parse_title
from wellsourced.http import Failure, classify_failure
from wellsourced.types import CitedSource, Reference, SourceStanding

ID_NAMES: Mapping[IdKind, str] = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMC id"}
NOTICE_NAMES: Mapping[NoticeKind, str] = {
    "correction": "a correction",
    "retraction": "a retraction notice",
    "concern": "an expression of concern",
    "": "",
}

MIN_TITLE_WORDS = 4
"""Content words of a title by which whoever lists it would find it."""

_NO_ARTICLE = re.compile(
    r"\b(?:in press|forthcoming|submitted|unpublished|preprint|personal communication|conference|congress|symposium"
    r"|poster|proceedings|abstract|thesis|dissertation|\d+(?:st|nd|rd|th) ed|edition|eds?|press|publish(?:er|ing|ers)"
    r"|handbook|textbook|guidelines?|report|website|web ?page|internet|available (?:at|from)|package insert"
    r"|prescribing information|monograph|clinicaltrials|NCT\d{8}|isbn)\b",
    re.IGNORECASE,
)
"""What no index of articles has to know."""

_VOLUME_AND_PAGES = re.compile(
    r"\b(?:19|20)\d\d[;,]\s*\d+\b|\b\d+\s*\(\d+\)\s*[:,]\s*e?\d+|\bvol(?:ume|\.)? ?\d+", re.IGNORECASE
)
"""Volume and pages, as articles have them."""


class WorkIdentity(NamedTuple):
    """The work that a source is, as far as it could be known.

    reason    in a sentence without a full stop; "" when all is well
    asked     who was asked
    failure   why nothing is known, where that is so
    """

    standing: SourceStanding
    reason: str = ""
    asked: tuple[str, ...] = ()
    reference: Reference | None = None
    differing: tuple[str, ...] = ()
    failure: Failure | None = None


MAX_CANDIDATES = 5
"""Works that one catalogue is asked for by a title."""

MAX_TITLE = 300
"""Characters of a title that are sent: no title has as many."""


class CatalogueOutage(NamedTuple):
    """Somebody who could not be asked, and why."""

    name: str
    failure: Failure
    reason: str


class IdLookup(NamedTuple):
    """What came of asking for one id.

    reference   the card; None where nobody knows the id
    final       it does not exist: whoever gives out such ids says so
    asked, down who answered, and who did not
    """

    reference: Reference | None = None
    final: bool = False
    asked: tuple[str, ...] = ()
    down: tuple[CatalogueOutage, ...] = ()


async def look_up_id(kind: IdKind, id: str, catalogues: Sequence[WorkCatalogue], written: str = "") -> IdLookup:
    """The work with this id, by the first who knows it. Of a DOI, other spellings are tried when it is not known.

    written   the text that gives it
    """
    looked = await _look_up_spelling(kind, id, catalogues)
    for shorter in doi_spellings(id, written)[1:] if kind == "doi" else ():
        # Other spellings are tried only for a DOI that certainly does not exist: an outage says nothing of its
        # spelling.
        if looked.reference or not looked.final:
            break
        again = await _look_up_spelling(kind, shorter, catalogues)
        looked = again if again.reference else looked
    return looked


async def _look_up_spelling(kind: IdKind, id: str, catalogues: Sequence[WorkCatalogue]) -> IdLookup:
    asked: list[str] = []
    down: list[CatalogueOutage] = []
    found, final = None, False
    for catalogue in (one for one in catalogues if kind in one.ids):
        try:
            found = await catalogue.find_by_id(kind, id)
        except NotFoundError:
            final = catalogue.ids[kind]
        except WellsourcedError as error:
            down.append(_build_outage(catalogue, error))
            continue
        asked.append(catalogue.name)
        if found or final:
            break
    return IdLookup(found, final, tuple(asked), tuple(down))


class TitleSearch(NamedTuple):
    """What came of asking for a title.

    sure    works that it must be, one card each; near: works that may be meant, the likeliest first
    """

    sure: tuple[Reference, ...] = ()
    near: tuple[Reference, ...] = ()
    asked: tuple[str, ...] = ()
    down: tuple[CatalogueOutage, ...] = ()


async def search_title(cited: CitedSource, catalogues: Sequence[WorkCatalogue]) -> TitleSearch:
    """The works that a text may mean by a title, an author and a year; one after another is asked until one is sure."""
    asked: list[str] = []
    down: list[CatalogueOutage] = []
    judged: list[tuple[RecordAgreement, Reference]] = []
    for catalogue in (one for one in catalogues if one.has_title_search):
        try:
            found = await catalogue.find_by_citation(
                cited.title[:MAX_TITLE], cited.authors, cited.year[:4], cited.journal[:MAX_TITLE], MAX_CANDIDATES
            )
        except WellsourcedError as error:
            down.append(_build_outage(catalogue, error))
            continue
        asked.append(catalogue.name)
        judged += [(compare_record(cited, one), one) for one in found]
        if any(how.is_sure for how, _ in judged):
            break
    sure = _one_per_work([one for how, one in judged if how.is_sure])
    ranked = sorted((pair for pair in judged if pair[0].is_near), key=lambda pair: -pair[0].share)
    near = _one_per_work([one for _, one in ranked])
    return TitleSearch(_narrow_matches(cited, sure), near, tuple(asked), tuple(down))


def _narrow_matches(cited: CitedSource, sure: Sequence[Reference]) -> tuple[Reference, ...]:
    """Of several works of one title, those of just this year and author, if there are."""
    exact = [one for one in sure if (how := compare_record(cited, one)).author and how.years == 0]
    return tuple(exact if len(sure) > 1 and exact else sure)


def _one_per_work(references: Sequence[Reference]) -> tuple[Reference, ...]:
    first = group_by_work(references)
    return tuple({first[one.id]: one for one in reversed(references)}.values())[::-1]


def _build_outage(catalogue: WorkCatalogue, error: WellsourcedError) -> CatalogueOutage:
    # A library may lack what it searches with. That is no outage of a server, and as little is known.
    failure = classify_failure(error) if isinstance(error, SourceError) else "refused"
    return CatalogueOutage(catalogue.name, failure, error.phrase)


class _SourceLookup(NamedTuple):
    """What is known of a source's ids, and of its title."""

    cited: CitedSource
    ids: SourceIds
    looked: Mapping[IdKind, IdLookup]
    searched: TitleSearch = TitleSearch()

    @property
    def records(self) -> dict[IdKind, Reference]:
        return {kind: one.reference for kind, one in self.looked.items() if one.reference}

    @property
    def fitting(self) -> list[IdKind]:
        """The ids whose records are of the work that the text describes."""
        return [kind for kind, one in self.records.items() if not compare_record(self.cited, one).differing]

    @property
    def missing(self) -> list[IdKind]:
        """The ids that do not exist."""
        return [kind for kind, one in self.looked.items() if one.final]

    @property
    def service_names(self) -> tuple[str, ...]:
        """Who was asked."""
        names = (name for one in self.looked.values() for name in one.asked)
        return tuple(dict.fromkeys((*names, *self.searched.asked)))


async def identify_work(
    cited: CitedSource, ids: SourceIds, catalogues: Sequence[WorkCatalogue], today: date
) -> WorkIdentity:
    """Ask by the ids; by what else is said where they lead nowhere, or to another work, or where there are none."""
    known = _SourceLookup(cited, ids, await _look_up_ids(ids, catalogues, cited.written))
    if known.fitting and not known.missing and not _are_different_works(known.records):
        return WorkIdentity("found", "", known.service_names, known.records[known.fitting[0]])
    words, is_by_title = len(parse_title(cited.title).stems), not ids.stated and not known.records
    if is_by_title and not words:
        return WorkIdentity("unmatched", "the reference has neither a title nor an id", known.service_names)
    # A title of a word or two fits many works, and would accuse the wrong one.
    if is_by_title or words >= MIN_TITLE_WORDS - 1:
        known = known._replace(searched=await search_title(cited, catalogues))
    if is_by_title:
        return _identify_by_title(known, today)
    if known.records:
        return _build_misattributed(known)
    if unanswered := tuple(down for one in known.looked.values() if not one.final for down in one.down):
        return _build_unreachable(known, unanswered)
    if not known.missing:
        told = ", ".join(f"{ID_NAMES[kind]} {id}" for kind, id in ids.stated.items())
        return WorkIdentity("unmatched", f"no catalogue has the {told}", known.service_names)
    return _identify_without_record(known)


async def _look_up_ids(ids: SourceIds, catalogues: Sequence[WorkCatalogue], written: str) -> dict[IdKind, IdLookup]:
    """What is known of each id; of one that stands only in the address of a page, nothing when it leads nowhere."""
    kinds = list(ids.stated)
    found = await asyncio.gather(*(look_up_id(kind, ids.stated[kind], catalogues, written) for kind in kinds))
    looked = dict(zip(kinds, found, strict=True))
    if ids.hinted_doi:
        hinted = await look_up_id("doi", ids.hinted_doi, catalogues)
        if hinted.reference:
            looked["doi"] = hinted
    return looked


def _are_different_works(records: Mapping[IdKind, Reference]) -> bool:
    """Whether the ids lead to different works. Records of one work need not share an id: Crossref knows no PMIDs, and
    doi.org nothing but the DOI."""
    cards = list(records.values())
    titles = {parse_title(one.title).words for one in cards if one.title}
    return len(titles) > 1 and len(set(group_by_work(cards).values())) > 1


def _build_misattributed(known: _SourceLookup) -> WorkIdentity:
    records, fitting, missing, searched = known.records, known.fitting, known.missing, known.searched
    meant = records[fitting[0]] if fitting else searched.sure[0] if len(searched.sure) == 1 else None
    wrong = [kind for kind in records if kind not in fitting]
    if not wrong and not missing:  # nothing is said but ids, and they contradict each other
        wrong = list(records)
    reasons = [_describe_record(known, kind) for kind in wrong]
    reasons += [f"no work has the {ID_NAMES[kind]} {known.ids.stated[kind]}" for kind in missing]
    has_title = len(parse_title(known.cited.title).stems) >= MIN_TITLE_WORDS
    if meant and not fitting:
        reasons.append(f"the other details match {_describe_work(meant)}")
    elif not meant and has_title and searched.asked and not searched.down and not searched.near:
        reasons.append("no work with that title was found")
    differing = () if fitting else compare_record(known.cited, records[wrong[0]]).differing
    odd = (*wrong, *missing) if fitting else missing
    shown = meant or next(iter(records.values()))
    return WorkIdentity("misattributed", "; ".join(reasons), known.service_names, shown, differing or _name_ids(odd))


def _name_ids(kinds: Sequence[IdKind]) -> tuple[str, ...]:
    return tuple(f"the {ID_NAMES[kind]}" for kind in kinds)


def _describe_record(known: _SourceLookup, kind: IdKind) -> str:
    record = known.records[kind]
    leads = f"the {ID_NAMES[kind]} {known.ids.stated.get(kind) or known.ids.hinted_doi} belongs to"
    notice = compare_record(known.cited, record).notice
    if not notice:
        return f"{leads} {_describe_work(record)}"
    is_notice = parse_title(record.title).notice
    return f"{leads} {_describe_work(record)}, {'' if is_notice else 'not to '}{NOTICE_NAMES[notice]}"


def _identify_without_record(known: _SourceLookup) -> WorkIdentity:
    """Whoever gives out such ids knows none of these."""
    searched, wrong = known.searched, _name_ids(known.missing)
    told = " and ".join(f"the {ID_NAMES[kind]} {known.ids.stated[kind]}" for kind in known.missing)
    lost = f"no work has {told}"
    if len(searched.sure) == 1:
        reason = f"{lost}; the other details match {_describe_work(searched.sure[0])}"
        return WorkIdentity("misattributed", reason, known.service_names, searched.sure[0], wrong)
    if searched.down:
        return _build_unreachable(known, searched.down, f"{lost}; ")
    if searched.sure or searched.near:
        meant = " or ".join(map(_describe_work, (searched.sure or searched.near)[:2]))
        return WorkIdentity("unmatched", f"{lost}; {meant} may be meant", known.service_names, None, wrong)
    untitled = ", and none that title" if searched.asked else ""
    return WorkIdentity("invented", f"{lost}{untitled}", known.service_names, None, wrong)


def _identify_by_title(known: _SourceLookup, today: date) -> WorkIdentity:
    """What a title, an author and a year alone lead to."""
    searched, asked = known.searched, known.service_names
    if len(searched.sure) == 1:
        return WorkIdentity("found", "", asked, searched.sure[0])
    if searched.sure:
        meant = "; ".join(map(_describe_work, searched.sure[:3]))
        return WorkIdentity("unmatched", f"several works match: {meant}", asked)
    if searched.down:
        return _build_unreachable(known, searched.down)
    if searched.near:
        closest = searched.near[0]
        differing = compare_record(known.cited, closest).differing
        return WorkIdentity("unmatched", f"the closest work is {_describe_work(closest)}", asked, None, differing)
    if not searched.asked:
        return WorkIdentity("unreachable", "no catalogue could be asked", asked)
    # "Invented" is the gravest word there is here: only for what an index of articles would certainly have.
    if lacking := _unlisted_reason(known.cited, today):
        return WorkIdentity("unmatched", lacking, asked)
    return WorkIdentity("invented", f"not found in {_join_names(searched.asked)}", asked)


def _unlisted_reason(cited: CitedSource, today: date) -> str:
    """Why nobody has to know a work, though it exists; "" for an article that its title would find."""
    if len(parse_title(cited.title).stems) < MIN_TITLE_WORDS:
        return "the reference has too few details"
    about = cited.written.replace(cited.title, " ")
    if not cited.journal and not _VOLUME_AND_PAGES.search(about):
        return "it names no journal, and article indexes list only articles"
    if not (cited.authors or cited.year):
        return "it names no author and no year"
    if _NO_ARTICLE.search(f"{about} {cited.journal}"):
        return "it may be a book, report or talk, which article indexes need not list"
    if not re.search(r"[A-Za-z]{3}", cited.title):
        return "its title is in a script that the indexes do not list"
    if cited.year[:4].isdecimal() and int(cited.year[:4]) == today.year:
        return "it is from this year and may not be indexed yet"
    return ""


def _build_unreachable(known: _SourceLookup, down: Sequence[CatalogueOutage], before: str = "") -> WorkIdentity:
    """Somebody who would know could not be asked. Where a title is found all the same, that is the work."""
    sure = known.searched.sure
    if len(sure) == 1 and not before:
        names = _join_names([one.name for one in down])
        told = f"matched by title; the id was not checked ({names} could not be asked)"
        return WorkIdentity("found", told, known.service_names, sure[0])
    told = "; ".join(dict.fromkeys(f"{_join_names([one.name])} could not be asked: {one.reason}" for one in down))
    return WorkIdentity("unreachable", before + told, known.service_names, failure=down[0].failure)


def _describe_work(reference: Reference) -> str:
    title = " ".join(reference.title.split()).rstrip(".")
    name = f"“{title[:120]}…”" if len(title) > 120 else f"“{title}”" if title else "a work"
    about = ", ".join(
        filter(None, (*map(str, map(parse_author, reference.authors[:1])), str(reference.year or ""), reference.id))
    )
    return f"{name} ({about})"


SERVICE_NAMES = {"pubmed": "PubMed", "europe_pmc": "Europe PMC", "pmc": "PubMed Central"}
"""What the services are called by those who run them."""


def _join_names(names: Sequence[str]) -> str:
    names = [SERVICE_NAMES.get(name, name) for name in names]
    return " and ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
