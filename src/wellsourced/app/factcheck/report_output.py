"""The report of a check, printed or written: in any form, as one page that needs nothing else, and the texts that it
cleaned.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import click

from wellsourced.app.factcheck import checked_text, text_report
from wellsourced.app.factcheck.input_texts import cleaned_ending, output_path
from wellsourced.app.options import ReportFormat
from wellsourced.app.terminal import detect_page, print_utf8
from wellsourced.errors import SettingsError
from wellsourced.factcheck.edited_text import apply_edits, diff_edits
from wellsourced.factcheck.text_outline import claim_spans
from wellsourced.factcheck.verdicts import pool_shares
from wellsourced.presentation.blocks import escape_citation_marks
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.sanitization import sanitize_line, sanitize_text
from wellsourced.types import Claim, ClaimEdit, ShareInterval, Verdict, short_key

REPORT_WIDTH = 100


def output_report(results: Sequence[checked_text.CheckedText], report_format: ReportFormat, path: Path | None) -> None:
    """Print the report, or write it to a file and say what is in it."""
    page = detect_page(None) if path is None else TerminalPage(width=REPORT_WIDTH)
    told = _render_report(results, report_format, page)
    if path is None:
        print_utf8(told, end="")
        return
    write_file(path, told)
    for result in results:
        click.echo(sanitize_line(f"{result.name}: {checked_text.summary_line(result)}"))
    click.echo(sanitize_line(f"Written to {path}"))


# A checked text as one page that needs nothing else: the text with its statements marked, and what decides beside it.
#
# Everything that was read is escaped, nothing is fetched, no script runs, and a link leads only to http or https.


CSS = """
body{font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:76rem;padding:1rem;color:#1b1b1b;background:#fff}
.beside{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:2rem}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
mark{padding:.1em 0;color:inherit;text-decoration:none}
.verbatim,.verified{background:#d8f0d8}.contradicted{background:#f7caca}.unsupported{background:#fbd9b8}
.unverified{background:#fbf3c8}.unjudged{background:#e2e2e2}
.claim{border-left:.4rem solid;padding:.3rem .8rem;margin:0 0 .8rem;background:#fafafa}
.claim.verbatim,.claim.verified{border-color:#3a8f3a}.claim.contradicted{border-color:#b3261e}
.claim.unsupported{border-color:#c75a00}.claim.unverified{border-color:#c7a500}.claim.unjudged{border-color:#777}
u{text-decoration-thickness:2px}
blockquote{margin:.4rem 0;padding-left:.8rem;border-left:2px solid #bbb;color:#333}
table{border-collapse:collapse;width:100%;font-size:.92em}td,th{border-bottom:1px solid #ddd;padding:.3rem .5rem}
td,th{text-align:left;vertical-align:top}td:nth-child(2),td a{overflow-wrap:anywhere}
@media(max-width:50rem){.beside{display:block}}
"""


def render_html(results: Sequence[checked_text.CheckedText], together: Mapping[str, ShareInterval]) -> str:
    """The page."""
    body = "".join(part for result in results for part in render_text_parts(result))
    if len(results) > 1:
        body += f"<h2>All {len(results)} texts together</h2>{_render_figures(together)}"
    return sanitize_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Sources checked</title><style>{CSS}</style></head>"
        f"<body>{body}<p><small>{escape(text_report.DISCLAIMER)}</small></p></body></html>\n"
    )


def render_text_parts(result: checked_text.CheckedText) -> Iterator[str]:
    """The report on one text, part by part: all that was read is escaped."""
    checkup = result.checkup
    name = "The text" if result.name == "-" else result.name
    yield f"<h1>{escape(name)}</h1><p>{escape(checked_text.summary_line(result))}</p>"
    yield f'<div class="beside"><div class="text">{_mark_statements(result)}</div><div>'
    for claim, verdict in result.judged_claims:
        yield _render_claim(result, claim, verdict)
    yield f"</div></div><h2>Sources</h2>{_render_sources(result)}"
    if result.address_lines:
        yield f"<h2>Addresses</h2><ul>{_render_items(result.address_lines)}</ul>"
    yield f"<h2>Figures</h2>{_render_figures(checkup.shares)}"
    if checkup.edits:
        yield "<h2>Repaired</h2>"
    for one in checkup.edits:
        yield _render_edit(one)
    notes = [*checkup.notes, f"judged by {checkup.judge}, {checkup.as_of or ''}"]
    yield f"<h2>Notes</h2><ul>{_render_items(notes)}</ul>"


def _render_edit(edit: ClaimEdit) -> str:
    """A sentence as it was and as it is; one that stays, with what is put behind it."""
    if edit.action in ("marked", "kept"):
        note = f" <ins>[{escape(edit.note)}]</ins>" if edit.note else ""
        return f"<p>{escape(edit.before)}{note}</p>"
    return f"<p><del>{escape(edit.before)}</del> <ins>{escape(edit.after)}</ins><br>{escape(edit.reason)}</p>"


def _mark_statements(result: checked_text.CheckedText) -> str:
    """The text; statements of one sentence are marked together, by the first of them, with a number for each."""
    text = result.checkup.submitted.document.text
    parts: list[str] = []
    at = 0
    own = claim_spans(text, result.checkup.submitted.claims)
    for claim, verdict in sorted(result.judged_claims, key=lambda one: own[one[0].number]):
        start, end = max(at, own[claim.number].start), own[claim.number].end
        link = f'<a href="#{_claim_anchor(result, claim)}"><sup>{claim.number + 1}</sup></a>'
        parts += (
            escape(text[at:start]),
            f'<mark class="{verdict.status}">{escape(text[start:end])}</mark>{link}' if start < end else link,
        )
        at = max(at, end)
    return "".join((*parts, escape(text[at:])))


def _claim_anchor(result: checked_text.CheckedText, claim: Claim) -> str:
    return f"c-{short_key(result.name)}-{claim.number + 1}"


def _render_claim(result: checked_text.CheckedText, claim: Claim, verdict: Verdict) -> str:
    told = f"{checked_text.STATUS_MARKS[verdict.status]} {checked_text.STATUS_WORDS[verdict.status]}"
    reason = f"<p>{escape(checked_text.reword_reason(verdict.reason))}</p>" if verdict.reason else ""
    deciding = result.find_deciding(claim, verdict)
    quotes = "".join(
        f"<blockquote>{_underline(pair.quote, [(one.source_start, one.source_end) for one in pair.differences])} "
        f"<small>[{escape(pair.source)}]</small></blockquote>"
        for pair in deciding
    )
    differing = [(one.claim_start, one.claim_end) for pair in deciding[:1] for one in pair.differences]
    return (
        f'<div class="claim {verdict.status}" id="{_claim_anchor(result, claim)}"><b>{claim.number + 1}. {told}</b>'
        f"<p>{_underline(claim.text, differing)}</p>{reason}{quotes}</div>"
    )


def _underline(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text, escaped, in which some stretches are underlined: the words that differ from the other side."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if at <= start < end:
            parts += (escape_quote(text[at:start]), f"<u>{escape_quote(text[start:end])}</u>")
            at = end
    return "".join((*parts, escape_quote(text[at:])))


def escape_quote(text: str) -> str:
    """A text as it stands in a page, with marks of its own that lead nowhere."""
    return escape(escape_citation_marks(text))


def _render_sources(result: checked_text.CheckedText) -> str:
    traced = result.resolutions
    rows = []
    for cited in result.checkup.submitted.sources:
        found = traced.get(cited.key)
        where = found.address if found else None
        cells = (
            escape(cited.key),
            escape(text_report.describe_source(cited, found)),
            _render_link(result.find_source_address(cited.key)),
            escape(found.fetched if found else "not asked"),
            escape(found.standing if found else ""),
            escape(text_report.describe_faults(found) if found else ""),
            escape(where.domain if where else ""),
            escape(where.country if where else ""),
        )
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    heads = ("no.", "source", "address", "read", "standing", "remarks", "domain", "country")
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(rows)}</table>"


def _render_items(items: Iterable[str]) -> str:
    return "".join(f"<li>{escape(item)}</li>" for item in items)


def _render_link(address: str) -> str:
    if not address.lower().startswith(("https://", "http://")):
        return escape(address)
    return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{escape(address)}</a>'


def _render_figures(shares: Mapping[str, ShareInterval]) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{text_report.format_percent(one.share)}</td>"
        f"<td>{one.part:,} of {one.of:,}</td><td>{text_report.format_interval(one)}</td></tr>"
        for name, one in shares.items()
        if one.share is not None
    )
    return f"<table><tr><th>figure</th><th>share</th><th>counted</th><th>95 % interval</th></tr>{rows}</table>"


def _render_report(results: Sequence[checked_text.CheckedText], report_format: ReportFormat, page: TerminalPage) -> str:
    together: Mapping[str, ShareInterval] = pool_shares([one.checkup for one in results]) if len(results) > 1 else {}
    match report_format:
        case "json":
            return checked_text.render_json(results, together)
        case "html":
            return render_html(results, together)
        case "csv":
            return checked_text.render_csv(results)
        case "sarif":
            return checked_text.render_sarif(results) + "\n"
        case "text":
            return text_report.render_text(results, together, page)


def write_repaired_text(result: checked_text.CheckedText, folder: Path) -> None:
    """Write the cleaned text and what differs; nothing where nothing had to be repaired."""
    submitted, edits = result.checkup.submitted, result.checkup.edits
    if not edits:
        click.echo(sanitize_line(f"{result.name}: nothing was repaired."), err=True)
        return
    text = output_path(result.name, folder, f".cleaned{cleaned_ending(result.name)}")
    changes = text.with_suffix(".diff")
    write_file(text, apply_edits(submitted, edits))
    write_file(changes, diff_edits(submitted, edits, Path(result.name).name))
    click.echo(sanitize_line(f"{result.name}: cleaned text in {text}, changes in {changes}"), err=True)


def write_file(path: Path, text: str) -> None:
    """Write a file as it is to be read by other programs. Raises SettingsError for a place that cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror or error}. Name another place.") from error
