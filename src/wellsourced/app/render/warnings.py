"""What speaks against a recommendation for one patient, before the recommendation."""

from collections import Counter
from collections.abc import Iterator

from wellsourced.app.render.references import escape_citation_marks, shorten_title
from wellsourced.app.terminal import TerminalPage, format_count
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Answer, PatientWarning, WarningSeverity

MAX_WHOLE_WARNINGS = 8
"""Warnings about what is asked, or else those under which a drug is not given, that are shown with their words; of the
rest a line each.
"""

MAX_BRIEF_WARNINGS = 5

_SAID: dict[WarningSeverity, str] = {
    "contraindicated": "Contraindicated",
    "avoid": "Avoid, stop or refer",
    "dose": "Dose or precondition",
    "caution": "Caution",
}


def warning_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """The record's contradictions, then what sources say against what is asked; what is only taken comes briefly."""
    made = answer.recommendation
    if made is None or not (made.warnings or made.contradictions):
        return []
    lines = [page.heading("Before you act, for this patient")]
    # A record that contradicts itself makes every warning drawn from it doubtful: it is said before them.
    for told in made.contradictions:
        lines += page.wrap(escape_citation_marks(told), "    ", "  ! ")
    asked = [one for one in made.warnings if one.is_asked]
    taken = [one for one in made.warnings if not one.is_asked]
    forbidden = [one for one in taken if one.severity in ("contraindicated", "avoid")]
    # What a patient only takes is quoted whole where nothing speaks against what is asked: the list stays short enough
    # to be read.
    beside = [] if asked else forbidden[:MAX_WHOLE_WARNINGS]
    whole, rest = asked[:MAX_WHOLE_WARNINGS], asked[MAX_WHOLE_WARNINGS:]
    for one in (*whole, *beside):
        lines += _describe_warning(_SAID[one.severity], one, page)
    brief = [*rest, *(one for one in taken if one not in beside)]
    for one in brief[:MAX_BRIEF_WARNINGS]:
        lines += page.dim(page.wrap(escape_citation_marks(_describe_briefly(one)), "    ", "  - "))
    more = len(brief) - MAX_BRIEF_WARNINGS
    if more > 0:
        lines += page.dim([f"  - and {format_count(more, 'other warning')} (--json has all)"])
    return lines


def _describe_warning(severity: str, one: PatientWarning, page: TerminalPage) -> Iterator[str]:
    drugs = f" ({', '.join(one.drugs)})" if one.drugs else ""
    record = "; ".join(dict.fromkeys(f"“{words}”" for words in one.record))
    yield from page.wrap(escape_citation_marks(f"{severity}{drugs}: the record says {record}."), "    ", "  ! ")
    quote = " … ".join(collapse_whitespace(citation.quote) for citation in one.citations)
    yield from page.wrap(escape_citation_marks(f"“{quote}” ({_name_source(one)})"), "      ", "      ")
    if others := _name_others(one):
        yield from page.dim(page.wrap(escape_citation_marks(f"also: {others}"), "      ", "      "))


def _name_others(one: PatientWarning) -> str:
    """Where else the same is said: each other guideline by its title, and how often this one repeats it."""
    titles = Counter(other.passage.reference.title or other.passage.reference.id for other in one.also)
    # A guideline that repeats its own warning is one voice; other guidelines are named, it is only counted.
    repeats = titles.pop(one.passage.reference.title or one.passage.reference.id, 0)
    told = [shorten_title(title) for title in titles]
    return "; ".join([*told, f"{format_count(repeats, 'other place')} of this guideline"] if repeats else told)


def _describe_briefly(one: PatientWarning) -> str:
    quote = collapse_whitespace(one.citations[-1].quote)
    cut = quote if len(quote) <= 130 else quote[:130].rpartition(" ")[0] + " …"
    drugs = ", ".join(one.drugs) or "this patient"
    return f"{drugs}, “{one.record[0]}”: “{cut}” ({shorten_title(one.passage.reference.title)})"


def _name_source(one: PatientWarning) -> str:
    reference, last = one.passage.reference, one.citations[-1]
    section = one.passage.section.rpartition(" › ")[2]
    year = f", {reference.year}" if reference.year else ""
    return f"{reference.title or reference.id}{year}; {section}, characters {last.start}–{last.end}"
