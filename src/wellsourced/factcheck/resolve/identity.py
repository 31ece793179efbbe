"""Which work a text means, and whether it is what the text says: found, misattributed, unmatched, invented."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.factcheck.resolve.base import IdKind, WorkCatalogue
from wellsourced.factcheck.resolve.identifiers import SourceIds
from wellsourced.factcheck.resolve.lookup import CatalogueOutage, IdLookup, TitleSearch, look_up_id, search_title
from wellsourced.factcheck.resolve.record_match import compare_record
from wellsourced.factcheck.resolve.titles import NoticeKind, parse_title
from wellsourced.http import Failure
from wellsourced.types import CitedSource, Reference, SourceStanding

ID_NAMES: Mapping[IdKind, str] = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMC id"}
NOTICE_NAMES: Mapping[NoticeKind, str] = {
    "correction": "a correction",
    "retraction": "a notice of retraction",
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
    failure   why nothing is known, where that is so; "" otherwise
    """

    standing: SourceStanding
    reason: str = ""
    reference: Reference | None = None
    differing: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    failure: Failure | None = None


async def identify_work(
    cited: CitedSource, ids: SourceIds, catalogues: Sequence[WorkCatalogue], today: date
) -> WorkIdentity:
    """Ask by the ids; by what else is said where they lead nowhere, or to another work, or where there are none."""
    looked = await _look_up_ids(ids, catalogues)
    records = {kind: one.reference for kind, one in looked.items() if one.reference}
    asked = tuple(dict.fromkeys(name for one in looked.values() for name in one.asked))
    fitting = [kind for kind, one in records.items() if not compare_record(cited, one).differing]
    apart = _are_different_works(records)
    missing = [kind for kind, one in looked.items() if one.final]
    if fitting and not missing and not apart:
        return WorkIdentity("found", "", records[fitting[0]], (), asked)
    if not ids.stated and not records and not parse_title(cited.title).stems:
        return WorkIdentity("unmatched", "nothing is said by which it could be found", None, (), asked)
    if not ids.stated and not records:
        return _identify_by_title(cited, await search_title(cited, catalogues), asked, today)
    searched = (
        await search_title(cited, catalogues)
        if len(parse_title(cited.title).stems) >= MIN_TITLE_WORDS - 1
        else TitleSearch()
    )
    asked = tuple(dict.fromkeys((*asked, *searched.asked)))
    if records:
        return _build_misattributed(cited, ids, records, fitting, missing, searched, asked)
    if unanswered := tuple(down for one in looked.values() if not one.final for down in one.down):
        return _build_unreachable(unanswered, asked, searched)
    if not missing:
        told = ", ".join(f"{ID_NAMES[kind]} {id}" for kind, id in ids.stated.items())
        return WorkIdentity("unmatched", f"nobody who was asked knows the {told}", None, (), asked)
    return _identify_without_record(ids, missing, searched, asked)


async def _look_up_ids(ids: SourceIds, catalogues: Sequence[WorkCatalogue]) -> dict[IdKind, IdLookup]:
    """What is known of each id; of one that stands only in the address of a page, nothing when it leads nowhere."""
    kinds = list(ids.stated)
    found = await asyncio.gather(*(look_up_id(kind, ids.stated[kind], catalogues) for kind in kinds))
    looked = dict(zip(kinds, found, strict=True))
    if ids.hinted_doi:
        hinted = await look_up_id("doi", ids.hinted_doi, catalogues)
        if hinted.reference:
            looked["doi"] = hinted
    return looked


def _are_different_works(records: Mapping[IdKind, Reference]) -> bool:
    """Whether the ids lead to different works."""
    cards = list(records.values())
    return len(set(group_by_work(cards).values())) > 1 and not _share_title(cards)


def _share_title(cards: Sequence[Reference]) -> bool:
    """Records of one work need not share an id: Crossref knows no PMIDs, and doi.org nothing but the DOI."""
    titles = {parse_title(one.title).words for one in cards if one.title}
    return len(titles) <= 1


def _build_misattributed(
    cited: CitedSource,
    ids: SourceIds,
    records: Mapping[IdKind, Reference],
    fitting: Sequence[IdKind],
    missing: Sequence[IdKind],
    searched: TitleSearch,
    asked: tuple[str, ...],
) -> WorkIdentity:
    """An id leads to another work than the text describes, or than its other ids, or nowhere."""
    meant = records[fitting[0]] if fitting else searched.sure[0] if len(searched.sure) == 1 else None
    wrong = [kind for kind in records if kind not in fitting]
    if not wrong and not missing:  # nothing is said but ids, and they contradict each other
        wrong = list(records)
    reasons = [_describe_record(kind, ids, records[kind], cited) for kind in wrong]
    reasons += [f"there is no work with the {ID_NAMES[kind]} {ids.stated[kind]}" for kind in missing]
    if meant and not fitting:
        reasons.append(f"what is said fits {_describe_work(meant)}")
    elif (
        not meant
        and searched.asked
        and not searched.down
        and not searched.near
        and len(parse_title(cited.title).stems) >= MIN_TITLE_WORDS
    ):
        reasons.append("no work of that title was found")
    if fitting:
        differing = tuple(f"the {ID_NAMES[kind]}" for kind in (*wrong, *missing))
    else:
        differing = compare_record(cited, records[wrong[0]]).differing or tuple(
            f"the {ID_NAMES[kind]}" for kind in missing
        )
    shown = meant or next(iter(records.values()))
    return WorkIdentity("misattributed", "; ".join(reasons), shown, differing, asked)


def _describe_record(kind: IdKind, ids: SourceIds, record: Reference, cited: CitedSource) -> str:
    """Where an id leads, in words."""
    id = ids.stated.get(kind) or ids.hinted_doi
    if notice := compare_record(cited, record).notice:
        leads = f"the {ID_NAMES[kind]} {id} is that of {_describe_work(record)}"
        return (
            f"{leads}, {NOTICE_NAMES[notice]}"
            if parse_title(record.title).notice
            else f"{leads}, and not of {NOTICE_NAMES[notice]}"
        )
    return f"the {ID_NAMES[kind]} {id} is that of {_describe_work(record)}"


def _identify_without_record(
    ids: SourceIds, missing: Sequence[IdKind], searched: TitleSearch, asked: tuple[str, ...]
) -> WorkIdentity:
    """Whoever gives out such ids knows none of these."""
    told = " and ".join(f"the {ID_NAMES[kind]} {ids.stated[kind]}" for kind in missing)
    lost = f"there is no work with {told}"
    wrong = tuple(f"the {ID_NAMES[kind]}" for kind in missing)
    if len(searched.sure) == 1:
        reason = f"{lost}; what else is said fits {_describe_work(searched.sure[0])}"
        return WorkIdentity("misattributed", reason, searched.sure[0], wrong, asked)
    if searched.down:
        return _build_unreachable(searched.down, asked, searched, f"{lost}; ")
    if searched.sure or searched.near:
        meant = " or ".join(map(_describe_work, (searched.sure or searched.near)[:2]))
        return WorkIdentity("unmatched", f"{lost}; {meant} may be meant", None, wrong, asked)
    return WorkIdentity("invented", f"{lost}{', and none of that title' if searched.asked else ''}", None, wrong, asked)


def _identify_by_title(cited: CitedSource, searched: TitleSearch, before: tuple[str, ...], today: date) -> WorkIdentity:
    """What a title, an author and a year alone lead to."""
    asked = tuple(dict.fromkeys((*before, *searched.asked)))
    if len(searched.sure) == 1:
        return WorkIdentity("found", "", searched.sure[0], (), asked)
    if searched.sure:
        meant = "; ".join(map(_describe_work, searched.sure[:3]))
        return WorkIdentity("unmatched", f"several works could be meant: {meant}", None, (), asked)
    if searched.down:
        return _build_unreachable(searched.down, asked, searched)
    if searched.near:
        closest = searched.near[0]
        differing = compare_record(cited, closest).differing
        return WorkIdentity("unmatched", f"the closest work is {_describe_work(closest)}", None, differing, asked)
    if not searched.asked:
        return WorkIdentity("unreachable", "there is nobody to ask for it", None, (), asked)
    if lacking := _unlisted_reason(cited, today):
        return WorkIdentity("unmatched", lacking, None, (), asked)
    return WorkIdentity("invented", f"no such work is known to {_join_names(searched.asked)}", None, (), asked)


def _unlisted_reason(cited: CitedSource, today: date) -> str:
    """Why nobody has to know a work, though it exists; "" for an article that its title would find."""
    if len(parse_title(cited.title).stems) < MIN_TITLE_WORDS:
        return "too little is said of it to find it"
    about = cited.written.replace(cited.title, " ")
    if not cited.journal and not _VOLUME_AND_PAGES.search(about):
        return "it names no journal, and what is no article stands in no index of articles"
    if not (cited.authors or cited.year):
        return "it names neither an author nor a year"
    if _NO_ARTICLE.search(f"{about} {cited.journal}"):
        return "it may be a book, a report or a talk, which indexes of articles need not list"
    if not re.search(r"[A-Za-z]{3}", cited.title):
        return "its title is in a script that the indexes do not list"
    if cited.year[:4].isdecimal() and int(cited.year[:4]) == today.year:
        return "it is of this year, and the indexes may not have it yet"
    return ""


def _build_unreachable(
    down: Sequence[CatalogueOutage], asked: tuple[str, ...], searched: TitleSearch, before: str = ""
) -> WorkIdentity:
    """Somebody who would know could not be asked. Where a title is found all the same, that is the work."""
    if len(searched.sure) == 1 and not before:
        names = _join_names([SERVICE_NAMES.get(one.name, one.name) for one in down])
        told = f"its title was found, but its id could not be looked up ({names} could not be asked)"
        return WorkIdentity("found", told, searched.sure[0], (), asked)
    told = "; ".join(
        dict.fromkeys(f"{SERVICE_NAMES.get(one.name, one.name)} could not be asked: {one.reason}" for one in down)
    )
    return WorkIdentity("unreachable", before + told, None, (), asked, down[0].failure)


def _describe_work(reference: Reference) -> str:
    """A work in a few words: “Title” (Smith JA, 2019, doi:10.…)."""
    title = " ".join(reference.title.split()).rstrip(".")
    name = f"“{title[:120]}…”" if len(title) > 120 else f"“{title}”" if title else "a work"
    about = ", ".join(
        filter(None, (reference.authors[0] if reference.authors else "", str(reference.year or ""), reference.id))
    )
    return f"{name} ({about})"


SERVICE_NAMES = {"pubmed": "PubMed", "europe_pmc": "Europe PMC", "pmc": "PubMed Central"}
"""What the services are called by those who run them."""


def _join_names(names: Sequence[str]) -> str:
    names = [SERVICE_NAMES.get(name, name) for name in names]
    return " and ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
