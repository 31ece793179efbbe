"""Checked texts as blocks: each text with its statements, the words that decide, its sources and its figures."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from wellsourced import types
from wellsourced.errors import NextStep
from wellsourced.factcheck import verdicts
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.pages.addresses import AddressCounts, count_addresses
from wellsourced.factcheck.pairing import DIFFERS, NEEDS_MODEL
from wellsourced.factcheck.resolve.base import ADDRESS_FAULTS
from wellsourced.factcheck.text_outline import claim_spans
from wellsourced.factcheck.verdicts import ClaimGroup
from wellsourced.judges.base import VERBATIM_VERDICT
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Block, Locator, Mark, Presentation, Quote, Text
from wellsourced.presentation.receipts import describe_usage
from wellsourced.presentation.references import describe_reference, name_work
from wellsourced.presentation.wording import explain_reason, format_count, format_interval, format_percent
from wellsourced.text.sanitization import one_line

DISCLAIMER = "That a source says so does not make it true: support is not proof. Not medical advice."

MAX_QUOTES = 2
"""Sources that are quoted under a statement, at most; JSON and tables have all."""

GROUP_TITLES: dict[ClaimGroup, str] = {
    "contradicted": "Contradicted by the source",
    "differs": "Differs in what it says",
    "unsupported": "Not supported",
    "nowhere": "Nowhere in the source",
    "wording": "Differs in wording only",
    "unread": "Not checked",
    "verified": "Supported",
    "verbatim": "The source's own words",
}
"""Heading over the statements of a group, the most urgent first."""

KIND_WORDS = {"added": "figure", "left out": "figure", "wording": "figure"}
"""What words of these kinds differ in where they count: a figure stands among them."""

GROUP_WORDS: dict[ClaimGroup, str] = {
    "contradicted": "contradicted",
    "differs": "differing from the source",
    "unsupported": "not supported",
    "nowhere": "nowhere in the source",
    "wording": "worded differently",
    "unread": "not checked",
    "verified": "supported",
    "verbatim": "verbatim",
}
"""How many statements of a group there are, in words."""

URGENT_FAULTS: tuple[tuple[Callable[[types.SourceResolution], bool], str], ...] = (
    (verdicts.has_retraction, "was retracted"),
    (lambda found: found.standing == "invented", "was found in no catalogue"),
    (lambda found: found.standing == "misattributed", "is not the work named"),
    (lambda found: found.fetched in ADDRESS_FAULTS, "is not at its address"),
    (lambda found: bool(verdicts.objection(found)), "has an expression of concern"),
)
"""Why nobody should cite a source as it is, worst first."""

STANDING_WORDS: dict[types.SourceStanding, str] = {
    "misattributed": "not the work named",
    "unmatched": "not identified",
    "invented": "in no catalogue",
}

MAIN_FIGURES = ("source validity", "statement support", "response support", "unused sources", "pairing precision")


def present_checks(results: Sequence[CheckedText], shares: Mapping[str, types.ShareInterval]) -> Presentation:
    """The report on these texts; `shares` are the figures of several together."""
    parts = [block for result in results for block in _present_text(result)]
    if len(results) > 1:
        parts.append(
            blocks.List(
                f"All {len(results)} texts together", tuple(map(Text, describe_figures(shares))), detail="receipt"
            )
        )
    return Presentation("Sources checked", (*parts, Text(DISCLAIMER, role="aside")))


def _present_text(result: CheckedText) -> Iterator[Block]:
    checkup = result.checkup
    yield blocks.Heading("The text" if result.name == "-" else result.name, level=1)
    yield Text(summarize_check(result))
    yield blocks.List("Look at these first", tuple(_list_urgent(result)), "urgent")
    yield _mark_statements(result)
    yield from _present_sources(result)
    yield blocks.List("Repaired", tuple(map(_present_edit, checkup.edits)))
    yield blocks.List("Notes", tuple(dict.fromkeys(_list_notes(result))))
    if addresses := [found.address for found in checkup.traced if found.address]:
        counts = tuple(map(Text, describe_addresses(count_addresses(addresses))))
        yield blocks.List("Addresses", counts, detail="receipt")
    yield blocks.List("Figures", tuple(map(Text, describe_figures(checkup.shares))), detail="receipt")
    yield blocks.List("How it was judged", tuple(_list_means(result)), detail="receipt")


def summarize_check(result: CheckedText) -> str:
    """One line: how many statements of each group, and how many sources were read."""
    groups = [result.find_group(*judged) for judged in result.judged_claims]
    counts = ", ".join(f"{groups.count(one)} {word}" for one, word in GROUP_WORDS.items() if one in groups)
    statements = f"{format_count(len(groups), 'statement')}{f': {counts}' if counts else ''}"
    read = len(verdicts.sources_with_text(result.checkup))
    return f"{statements}; {format_count(len(result.checkup.traced), 'source')}, {read:,} read"


def _list_urgent(result: CheckedText) -> Iterator[Text]:
    """Sources that nobody should cite as they are, the worst first, and statements that cite the wrong one."""
    left = dict(result.resolutions)
    for holds, words in URGENT_FAULTS:
        # A source counts once, for the worst that is known of it.
        for key in [key for key, found in left.items() if holds(found)]:
            del left[key]
            yield Text(f"Source {key} {words}")
    if elsewhere := len(verdicts.find_supported_elsewhere(result.checkup)):
        are = "is supported only by a source it does" if elsewhere == 1 else "are supported only by sources they do"
        yield Text(f"{format_count(elsewhere, 'statement')} {are} not cite")


def _mark_statements(result: CheckedText) -> blocks.MarkedText:
    document, claims = result.checkup.submitted.document, result.checkup.submitted.claims
    spans = sorted((*span, number) for number, span in claim_spans(document.text, claims).items())
    marks = tuple(Mark(start, end, "statement", number + 1) for start, end, number in spans if start < end)
    groups = {claim.number: result.find_group(claim, verdict) for claim, verdict in result.judged_claims}
    counts, order = Counter(groups.values()), list(GROUP_TITLES)
    titles = {group: f"{title} ({counts[group]})" for group, title in GROUP_TITLES.items()}
    by_urgency = sorted(
        result.judged_claims, key=lambda pair: (order.index(groups[pair[0].number]), _rank_harm(result, *pair))
    )
    statements = tuple(
        replace(_present_statement(result, claim, verdict), group=titles[groups[claim.number]])
        for claim, verdict in by_urgency
    )
    return blocks.MarkedText(document.text, marks, statements)


def _rank_harm(result: CheckedText, claim: types.Claim, verdict: types.Verdict) -> int:
    """Of statements of one group the first are those in which a figure, a negation or a name differs."""
    kinds = get_args(types.DifferenceKind)
    deciding = result.find_deciding(claim, verdict)[:1]
    harmful = (one for pair in deciding for one in verdicts.list_harmful(pair.differences, claim.text))
    return min((kinds.index(one.kind) for one in harmful), default=len(kinds))


def _present_statement(result: CheckedText, claim: types.Claim, verdict: types.Verdict) -> Text:
    """One statement and the words that decide; those that differ are marked on both sides."""
    deciding = result.find_deciding(claim, verdict)
    reason = reword_reason(verdict.reason)
    for pair in deciding:  # shown below, and not twice
        reason = reason.replace(f": “{one_line(pair.quote)}”", "")
    group = result.find_group(claim, verdict)
    best = result.find_nearest(claim, verdict)
    if best and best.missing and group == "nowhere":
        named = ", ".join(f"“{one}”" for one in best.missing)
        reason = f"{named} {'is' if len(best.missing) == 1 else 'are'} nowhere in the source; this is nearest:"
        reason = reason if deciding else reason.partition(";")[0]
    elif deciding and deciding[0].differences and reason.startswith(DIFFERS):
        # Words that differ are marked in both: only what they are is told.
        harmful = {one.kind for one in verdicts.list_harmful(deciding[0].differences, claim.text)}
        kinds = dict.fromkeys(KIND_WORDS.get(kind, kind) for kind in get_args(types.DifferenceKind) if kind in harmful)
        reason = f"differs in: {', '.join(kinds)}" if kinds else ""
    return Text(
        claim.text,
        number=claim.number + 1,
        marks=_mark_differing((one.claim_start, one.claim_end) for pair in deciding[:1] for one in pair.differences),
        citations=tuple(_number_source(pair.source) for pair in deciding),
        status=verdict.status,
        remark="" if verdict.reason == VERBATIM_VERDICT.reason else reason,  # its heading says so
        quotes=tuple(_quote_source(result, pair) for pair in deciding[:MAX_QUOTES]),
    )


def _quote_source(result: CheckedText, pair: types.ClaimSourceVerdict) -> Quote:
    reference, link = result.resolutions[pair.source].reference, result.find_source_address(pair.source)
    document, number = reference.id if reference else "", _number_source(pair.source)
    differing = _mark_differing((one.source_start, one.source_end) for one in pair.differences)
    return Quote(
        pair.quote,
        (Mark(0, len(pair.quote)), *differing),
        Locator(document, "", pair.section, start=pair.start, end=pair.end, number=number, link=link),
        # Of a text without marks of reference all its sources are meant.
        facts=("not cited here",) if not pair.own and any(one.cites for one in result.checkup.submitted.claims) else (),
        above=pair.above,
    )


def _mark_differing(spans: Iterable[tuple[int, int]]) -> tuple[Mark, ...]:
    # An empty side is only the place where the words of the other side are missing.
    return tuple(Mark(start, end, "differs") for start, end in sorted(spans) if start < end)


def reword_reason(reason: str) -> str:
    """A judge's reason in the words of a check, where "the text" is the one that is checked."""
    reworded = reason.replace("the text's own words", "the source's own words")
    reworded = re.sub(r"(?<=”) in the claim\b", " in the statement", reworded)
    reworded = re.sub(r"(?:(?<=”)|(?<=nothing)) in the text\b", " in the source", reworded)
    return explain_reason(reworded)


def _present_sources(result: CheckedText) -> Iterator[Block]:
    """Every source: what it is, whether it is what the text says, whether it was read; shared reasons once."""
    shared = find_shared_reasons(result.resolutions)
    yield blocks.References(tuple(_present_source(result, one, shared) for one in result.checkup.submitted.sources))
    yield blocks.List("", tuple(Text(f"Sources {', '.join(keys)}: {reason}") for reason, keys in shared.items()))


def _number_source(key: str) -> int:
    return int(key) if key.isdecimal() else 0


def _present_source(result: CheckedText, cited: types.CitedSource, shared: Collection[str]) -> blocks.CitedWork:
    found = result.resolutions.get(cited.key)
    if reference := found.reference if found else None:
        work, title = describe_reference(reference), name_work(reference)
    else:
        # Its key says the number that the text's own list prints before it.
        work = title = re.sub(rf"\A\W*{re.escape(cited.key)}\W+(?=\w)", "", cited.written) or cited.written
    remark = describe_faults(found, shared) if found else "not asked"
    return blocks.CitedWork(_number_source(cited.key), title, work, remark, result.find_source_address(cited.key))


def find_shared_reasons(traced: Mapping[str, types.SourceResolution]) -> dict[str, list[str]]:
    """What is said of several sources in the same words, with their keys: mostly that a service was down."""
    keys: dict[str, list[str]] = {}
    for key, found in traced.items():
        for reason in dict.fromkeys(found.reason.split("; ")):
            keys.setdefault(reason, []).append(key)
    return {reason: which for reason, which in keys.items() if reason and len(which) > 1}


def describe_faults(found: types.SourceResolution, shared: Collection[str] = ()) -> str:
    """What is wrong with a source, but for the reasons that it shares with others; "" when all is well."""
    parts: list[str] = [STANDING_WORDS[found.standing]] if found.standing in STANDING_WORDS else []
    # "server error" counts what did not answer too (SourceCheckup), and a reader would look for the fault there.
    fetched = "not reached" if found.fetched == "server error" else found.fetched
    parts += [fetched] if fetched not in (("ok", "not asked") if parts else ("ok",)) else []
    parts += [f"differs in {', '.join(found.differing)}"] if found.differing else []
    parts += [reason for reason in found.reason.split("; ") if reason and reason not in shared]
    return "; ".join(dict.fromkeys(parts))


def describe_addresses(counts: AddressCounts) -> Iterator[str]:
    """The tables of the URL analysis, a line each."""
    yield f"domains: {', '.join(f'{name} ({number})' for name, number in counts.domains)}"
    yield f"suffixes: {', '.join(f'.{name} ({number})' for name, number in counts.suffixes)}"
    # A suffix says little on a country: without the registries' word there is no count.
    if counts.american + counts.other > counts.guessed:
        guessed = f" ({counts.guessed} by the suffix alone)" if counts.guessed else ""
        yield f"in the United States {counts.american}, elsewhere {counts.other}{guessed}"
    if counts.paywalled or counts.proxied:
        yield f"behind a paywall {counts.paywalled}, free {counts.free}; through a library's proxy {counts.proxied}"
    if counts.archived:
        yield f"gone: {', '.join(f'{number} {outcome}' for outcome, number in counts.archived.items())}"


def _present_edit(edit: types.ClaimEdit) -> Text:
    """A sentence, what the repaired text says instead, and why."""
    endings = {"removed": "removed", "marked": "stays, with a note", "kept": "unchanged"}
    ending = endings.get(edit.action, f"+ {edit.after}")
    return Text(f"− {edit.before}", items=(Text(ending), Text(edit.note or edit.reason, "aside")))


def describe_figures(shares: Mapping[str, types.ShareInterval]) -> Iterator[str]:
    """The main figures, a line each; JSON has the others too."""
    for name in MAIN_FIGURES:
        share = shares.get(name)
        if share and share.share is not None:
            interval = format_interval(share.low, share.high)
            counted = f"{share.part:,} of {share.of:,}{f'; 95 % interval {interval}' if interval else ''}"
            yield f"{name}: {format_percent(share.share)} ({counted})"


def _list_notes(result: CheckedText) -> Iterator[Text]:
    checkup = result.checkup
    yield from map(Text, checkup.notes)
    if any(found.fetched == "offline" for found in checkup.traced):
        yield Text(step=NextStep("go online"))
    if any(verdict.reason.endswith(NEEDS_MODEL) for verdict in checkup.verdicts):
        yield Text(step=NextStep("choose model"))
    if not checkup.complete:
        yield Text(f"incomplete: {format_count(len(checkup.pairings), 'pair')} judged so far")


def _list_means(result: CheckedText) -> Iterator[Text]:
    """Who judged, and at what cost."""
    checkup = result.checkup
    if checkup.judge and any(map(verdicts.was_read, checkup.pairings)):
        yield Text(f"judged by {checkup.judge}{f', {checkup.as_of}' if checkup.as_of else ''}")
    if result.spent.calls or result.spent.cached:
        yield Text(describe_usage(result.spent))
