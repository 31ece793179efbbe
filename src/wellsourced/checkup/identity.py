"""Which work a text means, and whether it is what the text says: found, misattributed, unmatched, invented."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from wellsourced.checkup.agreeing import agreement
from wellsourced.checkup.catalogues import Catalogue, IdKind
from wellsourced.checkup.identifying import Ids
from wellsourced.checkup.seeking import Down, Looked, Searched, by_id, by_title
from wellsourced.checkup.titles import NoticeKind, title_of
from wellsourced.http import Failure
from wellsourced.text.works import works
from wellsourced.types import Cited, Reference, Standing

NAMES: Mapping[IdKind, str] = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMC id"}
NOTICES: Mapping[NoticeKind, str] = {
    "correction": "a correction",
    "retraction": "a notice of retraction",
    "concern": "an expression of concern",
    "": "",
}

ENOUGH = 4
"""Content words of a title by which whoever lists it would find it."""

_NO_ARTICLE = re.compile(
    r"\b(?:in press|forthcoming|submitted|unpublished|preprint|personal communication|conference|congress|symposium"
    r"|poster|proceedings|abstract|thesis|dissertation|\d+(?:st|nd|rd|th) ed|edition|eds?|press|publish(?:er|ing|ers)"
    r"|handbook|textbook|guidelines?|report|website|web ?page|internet|available (?:at|from)|package insert"
    r"|prescribing information|monograph|clinicaltrials|NCT\d{8}|isbn)\b",
    re.IGNORECASE,
)
"""What no index of articles has to know."""

_PRINTED = re.compile(
    r"\b(?:19|20)\d\d[;,]\s*\d+\b|\b\d+\s*\(\d+\)\s*[:,]\s*e?\d+|\bvol(?:ume|\.)? ?\d+", re.IGNORECASE
)
"""Volume and pages, as articles have them."""


class Identity(NamedTuple):
    """The work that a source is, as far as it could be known.

    reason    in a sentence without a full stop; "" when all is well
    failure   why nothing is known, where that is so; "" otherwise
    """

    standing: Standing
    reason: str = ""
    reference: Reference | None = None
    differing: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    failure: Failure | None = None


async def identity(cited: Cited, ids: Ids, catalogues: Sequence[Catalogue], today: date) -> Identity:
    """Ask by the ids; by what else is said where they lead nowhere, or to another work, or where there are none."""
    looked = await _looked_up(ids, catalogues)
    records = {kind: one.reference for kind, one in looked.items() if one.reference}
    asked = tuple(dict.fromkeys(name for one in looked.values() for name in one.asked))
    fitting = [kind for kind, one in records.items() if not agreement(cited, one).differing]
    apart = _apart(records)
    missing = [kind for kind, one in looked.items() if one.final]
    if fitting and not missing and not apart:
        return Identity("found", "", records[fitting[0]], (), asked)
    if not ids.said and not records and not title_of(cited.title).stems:
        return Identity("unmatched", "nothing is said by which it could be found", None, (), asked)
    if not ids.said and not records:
        return _by_words(cited, await by_title(cited, catalogues), asked, today)
    searched = await by_title(cited, catalogues) if len(title_of(cited.title).stems) >= ENOUGH - 1 else Searched()
    asked = tuple(dict.fromkeys((*asked, *searched.asked)))
    if records:
        return _elsewhere(cited, ids, records, fitting, missing, searched, asked)
    if unanswered := tuple(down for one in looked.values() if not one.final for down in one.down):
        return _unknown(unanswered, asked, searched)
    if not missing:
        told = ", ".join(f"{NAMES[kind]} {id}" for kind, id in ids.said.items())
        return Identity("unmatched", f"nobody who was asked knows the {told}", None, (), asked)
    return _without_record(ids, missing, searched, asked)


async def _looked_up(ids: Ids, catalogues: Sequence[Catalogue]) -> dict[IdKind, Looked]:
    """What is known of each id; of one that stands only in the address of a page, nothing when it leads nowhere."""
    kinds = list(ids.said)
    found = await asyncio.gather(*(by_id(kind, ids.said[kind], catalogues) for kind in kinds))
    looked = dict(zip(kinds, found, strict=True))
    if ids.hinted:
        hinted = await by_id("doi", ids.hinted, catalogues)
        if hinted.reference:
            looked["doi"] = hinted
    return looked


def _apart(records: Mapping[IdKind, Reference]) -> bool:
    """Whether the ids lead to different works."""
    cards = list(records.values())
    return len(set(works(cards).values())) > 1 and not _one_title(cards)


def _one_title(cards: Sequence[Reference]) -> bool:
    """Records of one work need not share an id: Crossref knows no PMIDs, and doi.org nothing but the DOI."""
    titles = {title_of(one.title).words for one in cards if one.title}
    return len(titles) <= 1


def _elsewhere(
    cited: Cited,
    ids: Ids,
    records: Mapping[IdKind, Reference],
    fitting: Sequence[IdKind],
    missing: Sequence[IdKind],
    searched: Searched,
    asked: tuple[str, ...],
) -> Identity:
    """An id leads to another work than the text describes, or than its other ids, or nowhere."""
    meant = records[fitting[0]] if fitting else searched.sure[0] if len(searched.sure) == 1 else None
    wrong = [kind for kind in records if kind not in fitting]
    if not wrong and not missing:  # nothing is said but ids, and they contradict each other
        wrong = list(records)
    reasons = [_leads(kind, ids, records[kind], cited) for kind in wrong]
    reasons += [f"there is no work with the {NAMES[kind]} {ids.said[kind]}" for kind in missing]
    if meant and not fitting:
        reasons.append(f"what is said fits {_shown(meant)}")
    elif (
        not meant
        and searched.asked
        and not searched.down
        and not searched.near
        and len(title_of(cited.title).stems) >= ENOUGH
    ):
        reasons.append("no work of that title was found")
    if fitting:
        differing = tuple(f"the {NAMES[kind]}" for kind in (*wrong, *missing))
    else:
        differing = agreement(cited, records[wrong[0]]).differing or tuple(f"the {NAMES[kind]}" for kind in missing)
    shown = meant or next(iter(records.values()))
    return Identity("misattributed", "; ".join(reasons), shown, differing, asked)


def _leads(kind: IdKind, ids: Ids, record: Reference, cited: Cited) -> str:
    """Where an id leads, in words."""
    id = ids.said.get(kind) or ids.hinted
    if notice := agreement(cited, record).notice:
        leads = f"the {NAMES[kind]} {id} is that of {_shown(record)}"
        return (
            f"{leads}, {NOTICES[notice]}" if title_of(record.title).notice else f"{leads}, and not of {NOTICES[notice]}"
        )
    return f"the {NAMES[kind]} {id} is that of {_shown(record)}"


def _without_record(ids: Ids, missing: Sequence[IdKind], searched: Searched, asked: tuple[str, ...]) -> Identity:
    """Whoever gives out such ids knows none of these."""
    told = " and ".join(f"the {NAMES[kind]} {ids.said[kind]}" for kind in missing)
    lost = f"there is no work with {told}"
    wrong = tuple(f"the {NAMES[kind]}" for kind in missing)
    if len(searched.sure) == 1:
        reason = f"{lost}; what else is said fits {_shown(searched.sure[0])}"
        return Identity("misattributed", reason, searched.sure[0], wrong, asked)
    if searched.down:
        return _unknown(searched.down, asked, searched, f"{lost}; ")
    if searched.sure or searched.near:
        meant = " or ".join(map(_shown, (searched.sure or searched.near)[:2]))
        return Identity("unmatched", f"{lost}; {meant} may be meant", None, wrong, asked)
    return Identity("invented", f"{lost}{', and none of that title' if searched.asked else ''}", None, wrong, asked)


def _by_words(cited: Cited, searched: Searched, before: tuple[str, ...], today: date) -> Identity:
    """What a title, an author and a year alone lead to."""
    asked = tuple(dict.fromkeys((*before, *searched.asked)))
    if len(searched.sure) == 1:
        return Identity("found", "", searched.sure[0], (), asked)
    if searched.sure:
        meant = "; ".join(map(_shown, searched.sure[:3]))
        return Identity("unmatched", f"several works could be meant: {meant}", None, (), asked)
    if searched.down:
        return _unknown(searched.down, asked, searched)
    if searched.near:
        closest = searched.near[0]
        differing = agreement(cited, closest).differing
        return Identity("unmatched", f"the closest work is {_shown(closest)}", None, differing, asked)
    if not searched.asked:
        return Identity("unreachable", "there is nobody to ask for it", None, (), asked)
    if lacking := _too_little(cited, today):
        return Identity("unmatched", lacking, None, (), asked)
    return Identity("invented", f"no such work is known to {_and(searched.asked)}", None, (), asked)


def _too_little(cited: Cited, today: date) -> str:
    """Why nobody has to know a work, though it exists; "" for an article that its title would find."""
    if len(title_of(cited.title).stems) < ENOUGH:
        return "too little is said of it to find it"
    about = cited.written.replace(cited.title, " ")
    if not cited.journal and not _PRINTED.search(about):
        return "it names no journal, and what is no article stands in no index of articles"
    if not (cited.authors or cited.year):
        return "it names neither an author nor a year"
    if _NO_ARTICLE.search(f"{about} {cited.journal}"):
        return "it may be a book, a report or a talk, which indexes of articles need not list"
    if not re.search(r"[A-Za-z]{3}", cited.title):
        return "its title is in a script that the indexes do not list"
    if cited.year[:4].isdigit() and int(cited.year[:4]) == today.year:
        return "it is of this year, and the indexes may not have it yet"
    return ""


def _unknown(down: Sequence[Down], asked: tuple[str, ...], searched: Searched, before: str = "") -> Identity:
    """Somebody who would know could not be asked. Where a title is found all the same, that is the work."""
    if len(searched.sure) == 1 and not before:
        names = _and([CALLED.get(one.name, one.name) for one in down])
        told = f"its title was found, but its id could not be looked up ({names} could not be asked)"
        return Identity("found", told, searched.sure[0], (), asked)
    told = "; ".join(
        dict.fromkeys(f"{CALLED.get(one.name, one.name)} could not be asked: {one.reason}" for one in down)
    )
    return Identity("unreachable", before + told, None, (), asked, down[0].failure)


def _shown(reference: Reference) -> str:
    """A work in a few words: “Title” (Smith JA, 2019, doi:10.…)."""
    title = " ".join(reference.title.split()).rstrip(".")
    name = f"“{title[:120]}…”" if len(title) > 120 else f"“{title}”" if title else "a work"
    about = ", ".join(
        filter(None, (reference.authors[0] if reference.authors else "", str(reference.year or ""), reference.id))
    )
    return f"{name} ({about})"


CALLED = {"pubmed": "PubMed", "europe_pmc": "Europe PMC", "pmc": "PubMed Central"}
"""What the services are called by those who run them."""


def _and(names: Sequence[str]) -> str:
    names = [CALLED.get(name, name) for name in names]
    return " and ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
