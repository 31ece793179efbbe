"""Notes of an answer beside its statements: an alarm, warnings for one patient, a choice, a recommendation, cards,
conflicts, the cost.
"""

from collections import Counter
from collections.abc import Iterator

from wellsourced import types
from wellsourced.app.render.references import NumberedReferences, escape_citation_marks, shorten_title
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.wording import format_count
from wellsourced.text.quotable_spans import collapse_whitespace, has_same_words

NON_STUDY_KINDS: frozenset[types.SourceKind] = frozenset({"guideline", "graph"})

_CARD_NAMES = {"sample_size": "sample size", "bias": "risk of bias"}
"""Parts of a card whose name in plain words is another."""

MAX_UNCITED = 5
"""Relevant works that are named although nothing cites them."""


def emergency_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
    """What to do first, when the question has signs of an emergency."""
    if answer.emergency is None:
        return []
    signs = ", ".join(f"“{sign}”" for sign in answer.emergency.signs)
    heading = page.heading(f"This may be an emergency ({answer.emergency.kind})")
    return [heading, *page.wrap(f"{answer.emergency.advice} (You wrote {signs}.)", "  ")]


def choice_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
    """The option that was chosen, where there were any."""
    options = answer.question.options
    if not options:
        return []
    # Without a language model nothing could have chosen, and the reader learns how to get a choice.
    asked = answer.spent.calls or answer.spent.cached
    none = "none could be told to be right" + ("" if asked else " (only a language model chooses: --model NAME)")
    chosen = f"{answer.choice}. {options[answer.choice]}" if answer.choice in options else none
    return page.wrap(f"{page.heading('Choice:')} {chosen}")


def basis_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
    """That statements rest on no source, where they do not."""
    if answer.basis != "parametric":
        return []
    told = "This is the language model's own knowledge: no source was read for it, and nothing below was checked."
    reasoned = f"It reasoned: {answer.reasoning}" if answer.reasoning else ""
    return [*page.wrap(told), *page.wrap(reasoned, "  ")]


def gloss_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
    """Terms that a language model explained, and that no source did."""
    told = [f"{gloss.term}: {gloss.meaning}" for gloss in answer.glosses]
    return page.section("Words explained by the language model, not from the sources", told) if told else []


def recommendation_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
    """How strong a recommendation is, how certain, for whom it was asked, and what does not fit."""
    made = answer.recommendation
    if made is None:
        return []
    # An abstention with nothing to say of its checks has no recommendation to describe.
    if not (answer.statements or made.unchecked):
        return []
    told = [f"strength: {made.strength}; certainty: {made.certainty} (in the words of the sources)"]
    # A strength beside a contraindication would be read as permission, so the warnings above stand alone.
    if made.is_barred:
        told = ["no strength shown, because of the warnings above"]
    if not answer.statements:
        told = []
    if answer.question.pico:
        typed = f"“{answer.question.asked}” as " if answer.question.asked else "as "
        told.append(f"asked {typed}{describe_pico(answer.question.pico)}")
    return page.section("This recommendation", [*told, *(f"does not fit: {one}" for one in made.fit), *made.unchecked])


def describe_pico(pico: types.Pico) -> str:
    """The parts that there are."""
    parts = {name: getattr(pico, name) for name in types.Pico.model_fields}
    return "; ".join(f"{name}: {text}" for name, text in parts.items() if text)


def conflict_lines(answer: types.Answer, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """What sources do not agree on, side by side."""
    lines = [line for conflict in answer.conflicts for line in _describe_conflict(conflict, cited, page)]
    return [page.heading("Sources disagree"), *lines] if lines else []


def _describe_conflict(conflict: types.Conflict, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """Each side once, with its words; what it is about too, where no side says just that."""
    # A side that says the point of disagreement in the same words would print it twice.
    is_side = any(has_same_words(conflict.about, text) for side in conflict.sides for text in (side.says, side.quote))
    lines = [] if is_side else page.wrap(conflict.about, "    ", "  • ")
    for side in conflict.sides:
        reference = cited.passages[side.passage_id].reference
        quoted = f"“{collapse_whitespace(side.quote)}” ({reference.title or reference.id})"
        said = quoted if has_same_words(side.says, side.quote) else f"{side.says}: {quoted}"
        indent, opening = ("        ", "      ") if lines else ("    ", "  • ")
        lines += page.wrap(escape_citation_marks(said), indent, opening)
    if conflict.resolution:
        lines += page.wrap(f"settled by the writer: {conflict.resolution}", "        ", "      ")
    return lines


def study_card_lines(answer: types.Answer, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """What a model noted of each study that is cited, one card a work; a guideline is no study."""
    noted: dict[int, types.Evidence] = {}
    for item in answer.evidence:
        reference = item.passage.reference
        # A guideline or a graph has no sample and no risk of bias that a card could report.
        is_cited_study = reference.kind not in NON_STUDY_KINDS and reference.id in cited.numbers
        if item.card and is_cited_study and _list_card_parts(item.card):
            noted.setdefault(cited.numbers[reference.id], item)
    lines = [page.heading("The studies, as a language model noted them")] if noted else []
    for number, item in sorted(noted.items()):
        card = escape_citation_marks(_describe_card(item.card or types.ArticleCard()))
        lines += page.wrap(card, "      ", f"{f'[{number}]':>5} ")
    return lines


def _describe_card(card: types.ArticleCard) -> str:
    parts = ", ".join(_CARD_NAMES.get(part, part) for part in card.unconfirmed)
    return "; ".join(_list_card_parts(card)) + (f" (figures not found in the passage: {parts})" if parts else "")


def _list_card_parts(card: types.ArticleCard) -> list[str]:
    """What a card says, part by part; nothing of one that reports nothing."""
    parts = {
        "": card.summary,
        "design": card.design,
        _CARD_NAMES["sample_size"]: card.sample_size,
        "population": card.population,
        _CARD_NAMES["bias"]: card.bias,
    }
    told = [f"{name}: {said}" if name else said for name, said in parts.items() if said != types.NOT_REPORTED]
    return [one.rstrip(".") for one in told]


def uncited_lines(answer: types.Answer, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """Works that somebody judged to bear on the question, and that nothing cites."""
    works = {
        item.passage.reference.id: item.passage.reference
        for item in answer.uncited_evidence
        # What nobody judged may bear on anything: only works that were found relevant are named.
        if item.passage.reference.id not in cited.numbers and not (item.judged and item.judged.label == "unjudged")
    }
    if not works or answer.abstained:
        return []
    told = [
        f"{escape_citation_marks(one.title) or one.id} ({one.year or 'undated'})"
        for one in list(works.values())[:MAX_UNCITED]
    ]
    more = len(works) - MAX_UNCITED
    return page.section("Relevant, not cited", [*told, f"and {format_count(more, 'other')}" if more > 0 else ""])


def model_use_lines(answer: types.Answer) -> Iterator[str]:
    """How passages were read, and what language models were asked, a line each."""
    if answer.preflight:
        yield describe_preflight(answer.preflight)
    if answer.spent.calls or answer.spent.cached:
        yield describe_usage(answer.spent)


def describe_checks(checks: types.DraftChecks) -> str:
    """Where quotes were found, what the verdicts were at first sight, what became of the rest."""
    quotes = {
        "as they stand": checks.quotes.exact,
        "but for typography": checks.quotes.normalised,
        "over the edge of a passage": checks.quotes.crossing,
        "in another passage than the one named": checks.quotes.misattributed,
        "nowhere": checks.quotes.invented,
    }
    verdicts = {
        "verbatim": checks.verbatim,
        "verified": checks.verified,
        "contradicted": checks.contradicted,
        "not said by their sources": checks.unsupported,
        "not verified": checks.unverified,
        "not judged": checks.unjudged,
    }
    ends = {"rewritten": checks.repaired, "dropped": checks.dropped}
    found, judged, ended = (
        ", ".join(f"{n} {said}" for said, n in told.items() if n) for told in (quotes, verdicts, ends)
    )
    parts = (f"quotes found: {found}" if found else "", judged, ended)
    return f"{format_count(checks.drafted, 'statement')} drafted; {'; '.join(filter(None, parts))}"


def describe_preflight(preflight: types.Preflight) -> str:
    """Whether passages were read in parts, and why."""
    way = f"read in {format_count(preflight.parts, 'part')}" if preflight.mapped else "read at once"
    saved = f", which saved {format_count(preflight.saved, 'call')}" if preflight.saved else ""
    return f"passages {way}{saved}: {preflight.reason}"


def describe_usage(spent: types.Usage) -> str:
    """Calls, how many waited for each other, tokens, and what they cost."""
    parts = [f"{format_count(spent.calls, 'call') if spent.calls else 'no call'} to language models"]
    if spent.depth > 1:
        parts.append(f"{spent.depth} after one another")
    if spent.cached:
        parts.append(f"{spent.cached} answered from the disk")
    if spent.tokens_in or spent.tokens_out:
        parts.append(f"{spent.tokens_in:,} tokens read and {spent.tokens_out:,} written")
    # None is a price that is not known, and 0 a model that costs nothing: the second needs no words.
    if spent.cost is None:
        parts.append("price unknown")
    elif spent.cost:
        parts.append(f"${spent.cost:.4f}")
    return ", ".join(parts)


MAX_WHOLE_WARNINGS = 8
"""Warnings about what is asked, or else those under which a drug is not given, that are shown with their words; of the
rest a line each.
"""

MAX_BRIEF_WARNINGS = 5

_SAID: dict[types.WarningSeverity, str] = {
    "contraindicated": "Contraindicated",
    "avoid": "Avoid, stop or refer",
    "dose": "Dose or precondition",
    "caution": "Caution",
}


def warning_lines(answer: types.Answer, page: TerminalPage) -> list[str]:
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


def _describe_warning(severity: str, one: types.PatientWarning, page: TerminalPage) -> Iterator[str]:
    drugs = f" ({', '.join(one.drugs)})" if one.drugs else ""
    record = "; ".join(dict.fromkeys(f"“{words}”" for words in one.record))
    yield from page.wrap(escape_citation_marks(f"{severity}{drugs}: the record says {record}."), "    ", "  ! ")
    quote = " … ".join(collapse_whitespace(citation.quote) for citation in one.citations)
    yield from page.wrap(escape_citation_marks(f"“{quote}” ({_name_source(one)})"), "      ", "      ")
    if others := _name_others(one):
        yield from page.dim(page.wrap(escape_citation_marks(f"also: {others}"), "      ", "      "))


def _name_others(one: types.PatientWarning) -> str:
    """Where else the same is said: each other guideline by its title, and how often this one repeats it."""
    titles = Counter(other.passage.reference.title or other.passage.reference.id for other in one.also)
    # A guideline that repeats its own warning is one voice; other guidelines are named, it is only counted.
    repeats = titles.pop(one.passage.reference.title or one.passage.reference.id, 0)
    told = [shorten_title(title) for title in titles]
    return "; ".join([*told, f"{format_count(repeats, 'other place')} of this guideline"] if repeats else told)


def _describe_briefly(one: types.PatientWarning) -> str:
    quote = collapse_whitespace(one.citations[-1].quote)
    cut = quote if len(quote) <= 130 else quote[:130].rpartition(" ")[0] + " …"
    drugs = ", ".join(one.drugs) or "this patient"
    return f"{drugs}, “{one.record[0]}”: “{cut}” ({shorten_title(one.passage.reference.title)})"


def _name_source(one: types.PatientWarning) -> str:
    reference, last = one.passage.reference, one.citations[-1]
    section = one.passage.section.rpartition(" › ")[2]
    year = f", {reference.year}" if reference.year else ""
    return f"{reference.title or reference.id}{year}; {section}, characters {last.start}–{last.end}"
