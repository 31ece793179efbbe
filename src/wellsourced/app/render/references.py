"""The references of an answer: which work has which number, how a work is printed, and what the draft lost in its
check.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from wellsourced.citations.reference_styles import CitationStyle, render_reference
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import NOT_REPORTED, Answer, Appraisal, Citation, Passage, ReadingDepth, Reference, Statement

DEPTH_WORDS: dict[ReadingDepth, str] = {
    "digest": "digest of the guideline",
    "abstract": "abstract",
    "excerpt": "excerpt of the abstract",
    "full text": "full text",
    "web page": "web page",
    "record": "record, in our words",
}

MAX_AUTHORS = 3

MAX_TITLE_LENGTH = 120
"""Characters of a title in a short reference; a longer one ends at a subtitle, else at a word."""

MIN_MAIN_TITLE_LENGTH = 20
"""Characters that a title keeps at least when its subtitle goes."""

_WORD = re.compile(r"\w+")
_ISSUERS = re.compile(r"((?:[A-Z][A-Za-z]{1,7}/){2})(?:[A-Z][A-Za-z]{1,7}/)+[A-Z][A-Za-z]{1,7}")
"""Four or more organisations in a row, as joint guidelines have them: "ACC/AHA/AAPA/ABC"."""

CITATION_MARK = re.compile(r"[\[［]\s?(\d{1,4}(?:\s?[-–—,;]\s?\d{1,4}){0,40})\s?[\]］]")
"""A mark of reference as documents print it: “[1]”, “[3, 5–7]”."""


def escape_citation_marks(text: str) -> str:
    """The words of others with their own marks as “‹1›”: in what we print, “[1]” is a mark of ours."""
    return CITATION_MARK.sub(r"‹\1›", text)


MAX_WORDS = 20
"""Words of a statement that did not stand that a receipt shows."""

MAX_REASON_WORDS = 25
"""Words of the reason."""

MIN_OVERLAP = 0.3
"""Share of the content stems, of the shorter of two, from which one is written in place of the other."""

_SHARES = re.compile(r"supports (\d\.\d+), contradicts (\d\.\d+), silent (\d\.\d+)")
_JUDGED = (
    "the judge on this machine finds that it is said",
    "the judge on this machine finds that the opposite is said",
    "the judge on this machine does not find it said",
)
"""What the largest of the three shares means."""


class LostStatement(NamedTuple):
    """A drafted statement that is not said, why, and what was written in its place and did not stand either.

    is_replaced   something that was written in its place is said
    """

    text: str
    reason: str
    second: str = ""
    second_reason: str = ""
    is_replaced: bool = False

    @property
    def line(self) -> str:
        told = f"“{short_line(self.text, MAX_WORDS)}”: {_shorten_reason(self.reason)}"
        if self.is_replaced:
            return f"said in other words: {told}"
        if not self.second:
            return f"dropped: {told}"
        anew = f"“{short_line(self.second, MAX_WORDS)}”, which fails too: {_shorten_reason(self.second_reason)}"
        return f"dropped: {told}; rewritten: {anew}"


def list_losses(answer: Answer) -> Iterator[LostStatement]:
    """The statements that are not said as they were drafted."""
    omitted = [one for one in answer.dropped if one.what == "statement"]
    again = [one for one in omitted if one.is_rewrite]
    losses = [
        LostStatement(one.text, one.reason, is_replaced=bool(one.rewritten_as)) for one in omitted if not one.is_rewrite
    ]
    # The record keeps a rewritten statement as a loss of its own; a reader counts the two as one thing that was not
    # said.
    for one in again:
        place = _find_likest(one.text, losses)
        # No draft is like enough: it is told by itself, since a wrong pairing would explain a loss that never was.
        if place is None:
            losses.append(LostStatement(one.text, one.reason))
        else:
            losses[place] = losses[place]._replace(second=one.text, second_reason=one.reason)
    yield from losses


def explain_reason(reason: str) -> str:
    """A reason in plain words: shares of a judge as what the largest of them means."""

    def name_largest(found: re.Match[str]) -> str:
        shares = [float(share) for share in found.groups()]
        # Shares of a judge mean nothing to a reader; which of the three is largest does.
        largest = max(range(3), key=shares.__getitem__)
        sure = "" if shares[largest] >= 0.6 else ", without being sure"
        return f"{_JUDGED[largest]}{sure}"

    return _SHARES.sub(name_largest, reason)


def _shorten_reason(reason: str) -> str:
    return short_line(explain_reason(reason), MAX_REASON_WORDS)


def _find_likest(text: str, losses: Sequence[LostStatement]) -> int | None:
    """Which loss a statement was written for: the likest that has none yet."""
    shares = [
        (_stem_overlap(text, one.text), -place)
        for place, one in enumerate(losses)
        # A draft was rewritten once at most, and one whose rewriting is said did not lose it.
        if not one.second and not one.is_replaced
    ]
    overlap, place = max(shares, default=(0.0, 0))
    return -place if overlap >= MIN_OVERLAP else None


def _stem_overlap(one: str, other: str) -> float:
    said, meant = set(content_stems(one)), set(content_stems(other))
    return len(said & meant) / (min(len(said), len(meant)) or 1)


class NumberedReferences(NamedTuple):
    """The passages and references of an answer, each reference with the number it is cited by, and its appraisal."""

    passages: dict[str, Passage]
    numbers: dict[str, int]
    appraisals: dict[str, Appraisal]
    limited: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def find_reference(self, citation: Citation) -> Reference:
        """The work that a citation quotes."""
        return self.passages[citation.passage_id].reference

    def format_markers(self, statement: Statement, item: str = "") -> str:
        """Return "[1][3]": the works that a statement rests on, each once; that there is none, or what it is not; and
        what of it is not for the patient.

        item   the item of its list that they stand behind: a drug that other items name is not this one's
        """
        ids = dict.fromkeys(self.find_reference(citation).id for citation in statement.citations)
        works = "".join(f"[{self.numbers[reference_id]}]" for reference_id in ids) or "[no source]"
        # Behind the marker, where the eye goes for support: a drug that is barred for this patient must not look
        # recommended.
        if drugs := _name_item_drugs(self.limited.get(statement.text, ()), item):
            works += f" (not for this patient: {', '.join(drugs)}; see the warnings above)"
        told = {"contradicted": "contradicted", "unverified": "not verified"}.get(statement.verdict.status)
        # Only a doubtful verdict is spoken: a marker without words says that the check was passed.
        if told is None or not statement.citations or not statement.verdict.reason:
            return works
        reason = escape_citation_marks(explain_reason(statement.verdict.reason))
        return f"{works} ({told}{f': {reason}' if reason else ''})"

    def list_references(self) -> list[Reference]:
        """The works that are cited, by number."""
        by_id = {passage.reference.id: passage.reference for passage in self.passages.values()}
        return [by_id[reference_id] for reference_id in self.numbers]


def _name_item_drugs(drugs: tuple[str, ...], item: str) -> tuple[str, ...]:
    """Of the drugs of a statement those that an item of its list names; without an item, all."""
    return tuple(one for one in drugs if one.casefold() in item.casefold()) if item else drugs


def number_references(answer: Answer) -> NumberedReferences:
    """Number the references in the order in which a reader meets them: the short answer comes first."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    # Leads are shown first, whatever their place in the answer, and numbers shall rise as one reads.
    met = sorted((*answer.statements, *answer.found_instead), key=lambda statement: not statement.lead)
    ids = dict.fromkeys(passages[one.passage_id].reference.id for statement in met for one in statement.citations)
    appraisals = {item.passage.reference.id: item.appraisal for item in answer.evidence if item.appraisal}
    limited = {one.text: one.drugs for one in (answer.recommendation.limited if answer.recommendation else ())}
    return NumberedReferences(passages, {id: number for number, id in enumerate(ids, start=1)}, appraisals, limited)


def reference_lines(cited: NumberedReferences, page: TerminalPage, style: CitationStyle | None = None) -> list[str]:
    """The works that are cited: short; in full in a receipt; as a journal would print them if a style is named."""
    lines = [page.heading("References")] if cited.numbers else []
    for number, reference in enumerate(cited.list_references(), start=1):
        told = describe_reference(reference, style) if style or page.receipt else describe_briefly(reference)
        lines += page.wrap(told, "      ", f"{f'[{number}]':>5} ")
        if appraisal := cited.appraisals.get(reference.id):
            lines += page.dim(page.wrap(describe_appraisal(appraisal), "      "))
    return lines


def describe_reference(reference: Reference, style: CitationStyle | None = None) -> str:
    """One work in a line: title, who published it, when, where to find it, what was read, whether it still stands.

    A work without an address is found by its id: `wellsourced library open NAME ID`.
    """
    if style:
        return f"{escape_citation_marks(render_reference(reference, style))} ({DEPTH_WORDS[reference.depth]})"
    parts = [name_work(reference), describe_publisher(reference), str(reference.year or "")]
    return _join_reference(parts, reference) + describe_retraction_status(reference)


def describe_briefly(reference: Reference) -> str:
    """One work as short as it can be found by: first author, short title, journal or organisation, year, address.

    What its title says is not said again. A retraction, a concern and a correction are told as in a full reference.
    """
    title = shorten_title(reference.title) or name_work(reference)
    author = f"{reference.authors[0]}{' et al' if len(reference.authors) > 1 else ''}" if reference.authors else ""
    issued = (reference.organisation or reference.journal.rstrip("."), str(reference.year or ""))
    parts = ["" if reference.organisation else author, title, " ".join(one for one in issued if not says(title, one))]
    return _join_reference(parts, reference) + describe_retraction_status(reference, only_faults=True)


def name_work(reference: Reference) -> str:
    """The title of a work; of one without, what its number is a number of, since a number alone names nothing."""
    if reference.title:
        return reference.title
    number = reference.id.rpartition(":")[2]
    # An id in words (a file's name, a chapter) already names the work.
    if not number.isdecimal():
        return reference.id
    return f"{'PubMed' if 'pubmed' in f'{reference.id} {reference.url}' else 'Record'} {number}, without a title here"


def shorten_title(title: str) -> str:
    """A title in which a long row of organisations ends after the second, cut where it is longer than a line or so."""
    title = _ISSUERS.sub(r"\1…", title.rstrip("."))
    if len(title) <= MAX_TITLE_LENGTH:
        return title
    main = re.split(r"[:.?!] ", title, maxsplit=1)[0]
    # A subtitle goes first, unless the title before it is too short to be recognised ("Heart failure: …").
    if MIN_MAIN_TITLE_LENGTH <= len(main) <= MAX_TITLE_LENGTH:
        return f"{main}…"
    return f"{title[:MAX_TITLE_LENGTH].rsplit(' ', 1)[0].rstrip(',;: ')}…"


def says(title: str, issuer: str) -> bool:
    """Whether a title has the words of an issuer, a journal or a year, or words with these initials."""
    words = _WORD.findall(title)
    initials = "".join(word[0] for word in words if word[0].isupper())
    return all(part in words or (part.isupper() and part in initials) for part in _WORD.findall(issuer))


def _join_reference(parts: Sequence[str], reference: Reference) -> str:
    link = f"https://doi.org/{reference.doi}" if reference.doi else reference.url
    # A work without an address is found by its id, unless the line already consists of it.
    link = link or (reference.id if name_work(reference) != reference.id else "")
    line = escape_citation_marks("".join(f"{_end_sentence(part)} " for part in parts if part))
    return f"{line}{link}{' ' if link else ''}({DEPTH_WORDS[reference.depth]})"


def _end_sentence(part: str) -> str:
    """A part with one stop behind it; a question has its own."""
    return part if part.endswith(("?", "!")) else f"{part.rstrip('.')}."


def describe_appraisal(appraisal: Appraisal) -> str:
    """What sort of study it is and what speaks against it; "" when nothing can be told, and of a guideline's design."""
    sample = f" ({appraisal.sample})" if appraisal.sample != NOT_REPORTED else ""
    level = f", OCEBM level {appraisal.level}" if appraisal.level else ""
    # Of a guideline its kind is plain from its reference, and OCEBM levels are of studies.
    known = appraisal.design not in {NOT_REPORTED, "guideline"}
    parts = (
        f"{appraisal.design}{sample}{level}" if known else "",
        *(reason for reason in appraisal.reasons if known and not reason.startswith(("its ", "only its "))),
        f"population differs: {appraisal.misfit}" if appraisal.misfit else "",
        f"it reports another work here: “{'”, “'.join(appraisal.cites)}”" if appraisal.cites else "",
    )
    return "; ".join(filter(None, parts))


def describe_publisher(reference: Reference) -> str:
    """The organisation, or authors and journal."""
    if reference.organisation:
        return reference.organisation
    authors = ", ".join(reference.authors[:MAX_AUTHORS]) + (" et al." if len(reference.authors) > MAX_AUTHORS else "")
    return ". ".join(part.rstrip(".") for part in (authors, reference.journal) if part)


def describe_retraction_status(reference: Reference, *, only_faults: bool = False) -> str:
    """Whether the work was retracted, doubted or corrected, as far as anybody who was asked knows.

    only_faults   that it was not retracted is left out
    """
    retraction = reference.retraction
    # A retraction or a concern silences everything milder: corrections of a withdrawn work matter to nobody.
    if retraction.objection:
        return f" ({retraction.objection.upper()})"
    corrections = (n for n in retraction.notices if n.kind == "correction")
    told = [*dict.fromkeys(f"corrected, see {n.id or n.published}" for n in corrections)]
    if retraction.status == "false" and not only_faults:
        told.insert(0, "not retracted" + (f", as of {retraction.as_of}" if retraction.as_of else ""))
    return "".join(f" ({one})" for one in told)
