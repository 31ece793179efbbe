"""A checked text for a terminal: its statements with the words that decide, its sources, its figures."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from wellsourced.app.check.results import MARKS, WORDS, Result, summary, worded
from wellsourced.app.cited import described, set_marks_apart
from wellsourced.app.noted import told_spent
from wellsourced.app.render import joined
from wellsourced.app.terminal import Page, count, safe, table
from wellsourced.checkup.addresses import AddressCounts, count_addresses
from wellsourced.checkup.findings import DEAD_CLASSES, find_supported_elsewhere
from wellsourced.checkup.verdicts import has_retraction, objection, was_read
from wellsourced.text.lines import one_line
from wellsourced.types import CitedSource, Claim, ClaimEdit, ShareInterval, SourceResolution, Verdict, VerdictLabel

QUOTES = 2
"""Sources that are quoted under a statement, at most."""

MAIN = frozenset({"source validity", "statement support", "response support", "unused sources", "pairing precision"})
"""Figures that are always told."""

LIKE = {
    "source validity, strict": "source validity",
    "statement support at best": "statement support",
    "response support, all responses": "response support",
}
"""Figures that are told when they differ from another."""

WORST: tuple[VerdictLabel, ...] = ("contradicts", "silent", "unjudged", "supports")
"""In this order statements are told: what has to be mended first."""

URGENT: tuple[tuple[Callable[[SourceResolution], bool], str], ...] = (
    (has_retraction, "withdrawn since"),
    (lambda one: one.standing == "invented", "known to nobody who would know"),
    (lambda one: one.standing == "misattributed", "other than the text says"),
    (lambda one: one.fetched in DEAD_CLASSES, "not there at the address given"),
    (lambda one: bool(objection(one)), "under an expression of concern"),
)

CLOSING = "That a source says so does not make it true: support is not proof. Not medical advice."


def said(results: Sequence[Result], together: Mapping[str, ShareInterval], page: Page) -> str:
    """All that there is to say, text by text; several have their figures together at the end."""
    parts = [part for result in results for part in one(result, page)]
    if len(results) > 1:
        parts.append([page.heading(f"All {len(results)} texts together"), *figures(together)])
    return joined(*parts, page.dim(page.wrap(CLOSING)))


def one(result: Result, page: Page) -> Iterator[list[str]]:
    """One text, part by part."""
    checkup = result.checkup
    name = "The text" if result.name == "-" else result.name
    yield [page.heading(line) for line in page.wrap(f"{name}: {summary(result)}")]
    yield urgent(result, page)
    yield [line for claim, verdict in worst_first(result) for line in statement(result, claim, verdict, page)]
    yield sources(result, page)
    yield addresses(result, page)
    yield edits(checkup.edits, page)
    yield [page.heading("Figures"), *figures(checkup.shares)] if checkup.verdicts or checkup.traced else []
    yield notes(result, page)


def worst_first(result: Result) -> list[tuple[Claim, Verdict]]:
    """The statements, those that a source contradicts first and those that stand last; else as in the text."""
    return sorted(result.judged, key=lambda pair: WORST.index(pair[1].label))


def urgent(result: Result, page: Page) -> list[str]:
    """Sources that nobody should cite as they are: withdrawn, unknown to all who would know, another work, gone."""
    keys: dict[str, list[str]] = {}
    for key, found in result.traced.items():
        kinds = [told for holds, told in URGENT if holds(found)]
        for kind in kinds[:1]:
            keys.setdefault(kind, []).append(f"[{key}]")
    lines: list[str] = []
    for _, told in URGENT:
        if told in keys:
            lines += page.wrap(f"! {count(len(keys[told]), 'source')} {told}: {', '.join(keys[told])}", "    ", "  ")
    if elsewhere := find_supported_elsewhere(result.checkup):
        lines += page.wrap(
            f"! {count(len(elsewhere), 'statement')} said only by a source that it does not cite", "    ", "  "
        )
    return lines


def statement(result: Result, claim: Claim, verdict: Verdict, page: Page) -> Iterator[str]:
    """One statement: its mark, whose words decide, and these words."""
    told = result.deciding(claim, verdict)
    keys = "".join(f"[{pair.source}]" for pair in told)
    text = f"{MARKS[verdict.label]} {claim.text}{f' {keys}' if keys else ''}"
    yield from page.wrap(text, "    ", "  ")
    reason = worded(verdict.reason)
    for pair in told[:QUOTES]:  # shown below, and not twice
        reason = reason.replace(f": “{one_line(pair.quote)}”", "")
    if verdict.label == "supports":
        yield from page.dim(page.wrap(reason, "      "))
    else:
        yield from page.wrap(": ".join(filter(None, (WORDS[verdict.label], reason))), "      ")
    for pair in told[:QUOTES]:
        own = "" if pair.own else ", whose mark it does not bear"
        yield from page.dim(
            page.wrap(f"“{set_marks_apart(pair.quote)}” ([{pair.source}]{own}, {pair.start}–{pair.end})", "      ")
        )


def sources(result: Result, page: Page) -> list[str]:
    """Every source: what it is, whether it is what the text says, and what came of reading it."""
    lines = [page.heading("Sources")] if result.checkup.submitted.sources else []
    traced = result.traced
    for cited in result.checkup.submitted.sources:
        found = traced.get(cited.key)
        lines += page.wrap(named(cited, found), "      ", f"{f'[{cited.key}]':>5} ")
        if found and (trouble := troubles(found)):
            lines += page.wrap(trouble, "      ")
    return lines


def named(cited: CitedSource, found: SourceResolution | None) -> str:
    """The work that was found, as references are printed; else what the text says of it."""
    if found and found.reference:
        return described(found.reference)
    return safe(bare(cited))


def bare(cited: CitedSource) -> str:
    """The entry without the number that the list prints before it: its key says it."""
    return re.sub(rf"\A\W*{re.escape(cited.key)}\W+(?=\w)", "", cited.written) or cited.written


def troubles(found: SourceResolution) -> str:
    """What is to be known of a source besides that it was read; "" when all is well."""
    parts: list[str] = [found.standing] if found.standing not in ("found", "unreachable") else []
    parts += [found.fetched] if found.fetched not in (("ok", "not asked") if parts else ("ok",)) else []
    parts += [f"it differs in {', '.join(found.differing)}"] if found.differing else []
    parts += [found.reason] if found.reason else []
    return "; ".join(dict.fromkeys(parts))


def addresses(result: Result, page: Page) -> list[str]:
    """Whose pages are cited: domains, countries, what is sold and what is gone."""
    known = [one.address for one in result.checkup.traced if one.address]
    lines = [page.heading("Addresses")] if known else []
    for told in told_counts(count_addresses(known)) if known else ():
        lines += page.wrap(told, "    ", "  ")
    return lines


def told_counts(counts: AddressCounts) -> Iterator[str]:
    """The tables of the URL analysis, a line each."""
    yield f"domains: {', '.join(f'{name} ({number})' for name, number in counts.domains) or 'none'}"
    yield f"suffixes: {', '.join(f'.{name} ({number})' for name, number in counts.suffixes) or 'none'}"
    guessed = f", by the suffix alone {counts.guessed}" if counts.guessed else ""
    yield f"in the United States {counts.american}, elsewhere {counts.other}{guessed}"
    if counts.paywalled or counts.proxied:
        yield f"behind a paywall {counts.paywalled}, free {counts.free}; through a library's proxy {counts.proxied}"
    if counts.archived:
        yield f"gone: {', '.join(f'{number} {what}' for what, number in counts.archived.items())}"


def edits(made: Sequence[ClaimEdit], page: Page) -> list[str]:
    """What the cleaned text says in place of what does not stand."""
    lines = [page.heading("Repaired")] if made else []
    for edit in made:
        lines += page.wrap(f"− {edit.before}", "    ", "  ")
        after = f"+ {edit.after}{' (the opposite)' if edit.reversed else ''}" if edit.after else "removed"
        lines += page.wrap(after, "    ", "  " if edit.after else "    ")
        lines += page.dim(page.wrap(edit.reason, "      "))
    return lines


def figures(shares: Mapping[str, ShareInterval]) -> list[str]:
    """The shares that there is anything to take a share of: the main ones, and what else came up at all."""
    rows = [
        (name, percent(one.share), f"{one.part:,} of {one.of:,}", between(one))
        for name, one in shares.items()
        if one.share is not None and (name in MAIN or (one.part and one != shares.get(LIKE.get(name, ""))))
    ]
    return table(rows, ("figure", "share", "counted", "95 % interval")).splitlines() if rows else []


def percent(share: float | None) -> str:
    """ "75.0 %"; "" of nothing."""
    return "" if share is None else f"{100 * share:.1f} %"


def between(share: ShareInterval) -> str:
    """The interval in percent; "" without one."""
    return "" if share.low is None or share.high is None else f"{100 * share.low:.1f}–{100 * share.high:.1f}"


def notes(result: Result, page: Page) -> list[str]:
    """How it was done."""
    checkup = result.checkup
    judged = any(map(was_read, checkup.pairings)) and checkup.judge
    told = [*checkup.notes, f"judged by {checkup.judge}" if judged else ""]
    if not checkup.complete:
        told.append(f"this is not complete: {count(len(checkup.pairings), 'pair')} so far")
    if result.spent.calls or result.spent.cached:
        told.append(told_spent(result.spent))
    lines = [page.heading("Notes")]
    return lines + [line for note in dict.fromkeys(filter(None, told)) for line in page.wrap(note, "    ", "  ")]
