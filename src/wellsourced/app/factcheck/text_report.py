"""A checked text for a terminal: its statements with the words that decide, its sources, its figures."""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from wellsourced.app.factcheck.checked_text import STATUS_MARKS, STATUS_WORDS, CheckedText, reword_reason, summary_line
from wellsourced.app.render.answer import join_parts
from wellsourced.factcheck.resolve.base import ADDRESS_FAULTS
from wellsourced.factcheck.verdicts import find_supported_elsewhere, has_retraction, objection, was_read
from wellsourced.presentation.blocks import escape_citation_marks
from wellsourced.presentation.receipts import describe_usage
from wellsourced.presentation.references import describe_reference
from wellsourced.presentation.terminal import TerminalPage, format_table
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import one_line, sanitize_line
from wellsourced.types import CitedSource, Claim, ClaimEdit, ShareInterval, SourceResolution, Verdict, VerdictStatus

MAX_QUOTES = 2
"""Sources that are quoted under a statement, at most."""

MAIN_FIGURES = frozenset(
    {"source validity", "statement support", "response support", "unused sources", "pairing precision"}
)
"""Figures that are always told."""

FIGURE_VARIANTS = {
    "source validity, strict": "source validity",
    "statement support at best": "statement support",
    "response support, all responses": "response support",
}
"""Figures that are told when they differ from another."""

STATUS_ORDER: tuple[VerdictStatus, ...] = (
    "contradicted",
    "unsupported",
    "unjudged",
    "unverified",
    "verified",
    "verbatim",
)
"""In this order statements are told: what has to be mended first."""

URGENT_FAULTS: tuple[tuple[Callable[[SourceResolution], bool], str], ...] = (
    (has_retraction, "withdrawn since"),
    (lambda one: one.standing == "invented", "known to nobody who would know"),
    (lambda one: one.standing == "misattributed", "other than the text says"),
    (lambda one: one.fetched in ADDRESS_FAULTS, "not there at the address given"),
    (lambda one: bool(objection(one)), "under an expression of concern"),
)

DISCLAIMER = "That a source says so does not make it true: support is not proof. Not medical advice."


def render_text(results: Sequence[CheckedText], together: Mapping[str, ShareInterval], page: TerminalPage) -> str:
    """All that there is to say, text by text; several have their figures together at the end."""
    parts = [part for result in results for part in text_parts(result, page)]
    if len(results) > 1:
        parts.append([page.heading(f"All {len(results)} texts together"), *figure_lines(together)])
    return join_parts(*parts, page.dim(page.wrap(DISCLAIMER)))


def text_parts(result: CheckedText, page: TerminalPage) -> Iterator[list[str]]:
    """One text, part by part."""
    checkup = result.checkup
    name = "The text" if result.name == "-" else result.name
    yield page.headings(f"{name}: {summary_line(result)}")
    yield urgent_lines(result, page)
    by_urgency = sorted(result.judged_claims, key=lambda pair: STATUS_ORDER.index(pair[1].status))
    yield [line for claim, verdict in by_urgency for line in statement_lines(result, claim, verdict, page)]
    yield source_lines(result, page)
    yield page.section("Addresses", result.address_lines)
    yield edit_lines(checkup.edits, page)
    yield [page.heading("Figures"), *figure_lines(checkup.shares)] if checkup.verdicts or checkup.traced else []
    yield note_lines(result, page)


def urgent_lines(result: CheckedText, page: TerminalPage) -> list[str]:
    """Sources that nobody should cite as they are: withdrawn, unknown to all who would know, another work, gone."""
    keys: dict[str, list[str]] = {}
    for key, found in result.resolutions.items():
        kinds = [told for holds, told in URGENT_FAULTS if holds(found)]
        for kind in kinds[:1]:
            keys.setdefault(kind, []).append(f"[{key}]")
    lines: list[str] = []
    for _, told in URGENT_FAULTS:
        if told in keys:
            sources = format_count(len(keys[told]), "source")
            lines += page.wrap(f"! {sources} {told}: {', '.join(keys[told])}", "    ", "  ")
    if elsewhere := find_supported_elsewhere(result.checkup):
        statements = format_count(len(elsewhere), "statement")
        lines += page.wrap(f"! {statements} said only by a source that it does not cite", "    ", "  ")
    return lines


def statement_lines(result: CheckedText, claim: Claim, verdict: Verdict, page: TerminalPage) -> Iterator[str]:
    """One statement: its mark, whose words decide, and these words."""
    told = result.find_deciding(claim, verdict)
    keys = "".join(f"[{pair.source}]" for pair in told)
    text = f"{STATUS_MARKS[verdict.status]} {claim.text}{f' {keys}' if keys else ''}"
    yield from page.wrap(text, "    ", "  ")
    reason = reword_reason(verdict.reason)
    for pair in told[:MAX_QUOTES]:  # shown below, and not twice
        reason = reason.replace(f": “{one_line(pair.quote)}”", "")
    if verdict.is_confirmed:
        yield from page.dim(page.wrap(reason, "      "))
    else:
        yield from page.wrap(": ".join(filter(None, (STATUS_WORDS[verdict.status], reason))), "      ")
    for pair in told[:MAX_QUOTES]:
        own = "" if pair.own else ", whose mark it does not bear"
        quote = (
            f"“{escape_citation_marks(pair.quote.replace('**', ''))}” ([{pair.source}]{own}, {pair.start}–{pair.end})"
        )
        yield from page.dim(page.wrap(quote, "      "))


def source_lines(result: CheckedText, page: TerminalPage) -> list[str]:
    """Every source: what it is, whether it is what the text says, what came of reading it; shared reasons once."""
    lines = [page.heading("Sources")] if result.checkup.submitted.sources else []
    traced = result.resolutions
    shared = find_shared_reasons(traced)
    for cited in result.checkup.submitted.sources:
        found = traced.get(cited.key)
        lines += page.wrap(describe_source(cited, found), "      ", f"{f'[{cited.key}]':>5} ")
        if found and (trouble := describe_faults(found, shared)):
            lines += page.wrap(trouble, "      ")
    for reason, keys in shared.items():
        lines += page.wrap(f"{''.join(f'[{key}]' for key in keys)} {reason}", "      ", "  ")
    return lines


def find_shared_reasons(traced: Mapping[str, SourceResolution]) -> dict[str, list[str]]:
    """What is to be known of several sources in the same words, with their keys: mostly that a service was down."""
    keys: dict[str, list[str]] = {}
    for key, found in traced.items():
        for reason in dict.fromkeys(found.reason.split("; ")):
            keys.setdefault(reason, []).append(key)
    return {reason: which for reason, which in keys.items() if reason and len(which) > 1}


def describe_source(cited: CitedSource, found: SourceResolution | None) -> str:
    """The work that was found, as references are printed; else what the text says of it."""
    if found and found.reference:
        return describe_reference(found.reference)
    return sanitize_line(strip_entry_number(cited))


def strip_entry_number(cited: CitedSource) -> str:
    """The entry without the number that the list prints before it: its key says it."""
    return re.sub(rf"\A\W*{re.escape(cited.key)}\W+(?=\w)", "", cited.written) or cited.written


def describe_faults(found: SourceResolution, told_elsewhere: Container[str] = ()) -> str:
    """What is to be known of a source besides that it was read, but for these reasons; "" when all is well."""
    parts: list[str] = [found.standing] if found.standing not in ("found", "unreachable") else []
    parts += [found.fetched] if found.fetched not in (("ok", "not asked") if parts else ("ok",)) else []
    parts += [f"it differs in {', '.join(found.differing)}"] if found.differing else []
    parts += [reason for reason in found.reason.split("; ") if reason and reason not in told_elsewhere]
    return "; ".join(dict.fromkeys(parts))


def edit_lines(made: Sequence[ClaimEdit], page: TerminalPage) -> list[str]:
    """What the cleaned text says in place of what does not stand; what is only marked is counted."""
    lines = [page.heading("Repaired")] if made else []
    marked = sum(edit.action == "marked" for edit in made)
    for edit in made:
        if edit.action != "marked":
            lines += page.wrap(f"− {edit.before}", "    ", "  ")
            lines += page.wrap(describe_edit(edit), "    ", "  " if edit.action == "edited" else "    ")
            lines += page.dim(page.wrap(edit.reason, "      "))
    if marked:
        stay = "sentence stays, with a note" if marked == 1 else "sentences stay, each with a note"
        lines += page.wrap(f"{marked:,} {stay} that says why it is not believed", "    ", "  ")
    return lines


def describe_edit(edit: ClaimEdit) -> str:
    """What became of a sentence, in a line."""
    if edit.action == "edited":
        return f"+ {edit.after}{' (the opposite)' if edit.reversed else ''}"
    return "removed" if edit.action == "removed" else "left as it stands"


def figure_lines(shares: Mapping[str, ShareInterval]) -> list[str]:
    """The shares that there is anything to take a share of: the main ones, and what else came up at all."""
    rows = [
        (name, format_percent(one.share), f"{one.part:,} of {one.of:,}", format_interval(one))
        for name, one in shares.items()
        if one.share is not None
        and (name in MAIN_FIGURES or (one.part and one != shares.get(FIGURE_VARIANTS.get(name, ""))))
    ]
    return format_table(rows, ("figure", "share", "counted", "95 % interval")).splitlines() if rows else []


def format_percent(share: float | None) -> str:
    """ "75.0 %"; "" of nothing."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_interval(share: ShareInterval) -> str:
    """The interval in percent; "" without one."""
    return "" if share.low is None or share.high is None else f"{100 * share.low:.1f}–{100 * share.high:.1f}"


def note_lines(result: CheckedText, page: TerminalPage) -> list[str]:
    """How it was done."""
    checkup = result.checkup
    judged = any(map(was_read, checkup.pairings)) and checkup.judge
    told = [*checkup.notes, f"judged by {checkup.judge}" if judged else ""]
    if not checkup.complete:
        told.append(f"this is not complete: {format_count(len(checkup.pairings), 'pair')} so far")
    if result.spent.calls or result.spent.cached:
        told.append(describe_usage(result.spent))
    return page.section("Notes", dict.fromkeys(told)) or [page.heading("Notes")]
