"""An answer or an abstention as blocks. Nothing is decided here but the order and the words."""

from collections import Counter
from collections.abc import Iterator, Sequence

from wellsourced import types
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.claims.required_entities import shares_subject
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.errors import NextStep
from wellsourced.presentation.blocks import Block, Callout, Heading, Item, List, Presentation, Text
from wellsourced.presentation.receipts import build_notes, build_receipt
from wellsourced.presentation.references import (
    NumberedReferences,
    build_references,
    describe_briefly,
    number_references,
    shorten_title,
)
from wellsourced.presentation.statements import build_leads, build_statements
from wellsourced.presentation.wording import CLOSEST_MATCHES, format_count
from wellsourced.text.passages import text_under_titles
from wellsourced.text.quotable_spans import collapse_whitespace, has_same_words

KIND_HEADINGS: dict[types.SourceKind, str] = {
    "research": "From research articles",
    "trial": "From registered trials",
    "book": "From books",
    "own": "From your library",
}
"""The heading over statements without a topic, where others have one."""

NON_STUDY_KINDS: frozenset[types.SourceKind] = frozenset({"guideline", "graph"})

MAX_NEAREST = 3
"""Works that are named as near the question."""

MAX_UNCITED = 5
"""Relevant works that are named although nothing cites them."""

MAX_OMISSIONS = 300
"""Passages and statements that were left out and are listed."""

MAX_WHOLE_WARNINGS = 8
"""Warnings about what is asked, or else those under which a drug is not given, that are shown with their words; of the
rest a line each.
"""

MAX_BRIEF_WARNINGS = 5

MAX_BRIEF_CHARS = 130
"""Characters of the words of a warning that has a line only."""

_CARD_NAMES = {"sample_size": "sample size", "bias": "risk of bias"}
"""Parts of a card whose name in plain words is another."""

_SEVERITIES: dict[types.WarningSeverity, str] = {
    "contraindicated": "Contraindicated",
    "avoid": "Avoid, stop or refer",
    "dose": "Dose or precondition",
    "caution": "Caution",
}


def build_answer(answer: types.Answer, style: CitationStyle | None = None) -> Presentation:
    """The whole answer, or why there is none; then what is missing, the sources, and what was searched.

    style   in which journals would print the references; None: in short, and in full in a receipt
    """
    cited = number_references(answer)
    title = answer.question.asked or answer.question.text
    return Presentation("answer", title, (*build_content(answer, cited), *_build_ending(answer, cited, style)))


def build_content(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """What is answered: the short answer, then the rest, topic by topic; what has to be read before, and beside it."""
    yield from _build_emergency(answer)
    yield from _build_basis(answer)
    # Before the answer, not behind it: who stops reading after the first line has read what speaks against acting on
    # it.
    yield from _build_warnings(answer, cited)
    yield from _build_abstention(answer, cited) if answer.abstained else _build_summary(answer, cited)
    yield from _build_choice(answer)
    for heading, statements in _group_by_topic(answer, cited):
        yield from [heading] if heading.text or heading.citations else []
        yield from build_statements(statements, cited)
    glosses = [Item(f"{gloss.term}: {gloss.meaning}") for gloss in answer.glosses]
    yield from _fill(List("Terms explained by the language model, not by the sources", tuple(glosses)))
    yield from _fill(List("This recommendation", tuple(_describe_recommendation(answer))))
    yield from _fill(List("Sources disagree", tuple(_list_conflicts(answer, cited))))
    yield from _fill(List("The studies, as the language model summarised them", tuple(_list_cards(answer, cited))))


def _build_ending(answer: types.Answer, cited: NumberedReferences, style: CitationStyle | None) -> Iterator[Block]:
    # Passages of one withdrawn work are one loss: the id of the work is what is before "#".
    withdrawn = {each.id.rpartition("#")[0]: each.reason for each in answer.dropped if each.is_withdrawal}
    title = "Left out: retracted, or under an expression of concern"
    yield from _fill(List(title, tuple(Item(f"{work}: {reason}") for work, reason in withdrawn.items())))
    yield from _fill(build_notes(answer))
    yield from build_gaps(list_gaps(answer), list_missing_parts(answer))
    if cited.numbers:
        yield build_references(cited, style)
    yield from _fill(List("Relevant, not cited", tuple(_list_uncited(answer, cited)), detail="receipt"))
    omissions = [Item(f"{each.reason}: {each.text}" if each.text else each.reason) for each in answer.dropped]
    more = len(omissions) - MAX_OMISSIONS
    rest = [Item(f"{more} more", step=NextStep("show json"))] if more > 0 else []
    yield from _fill(List("Left out, and why", (*omissions[:MAX_OMISSIONS], *rest), detail="omissions"))
    yield build_receipt(answer, cited)


def _fill(block: List | Callout) -> Iterator[Block]:
    """A list with items; nothing without."""
    if block.items:
        yield block


def _build_emergency(answer: types.Answer) -> Iterator[Block]:
    """What to do first, when the question has signs of an emergency."""
    if emergency := answer.emergency:
        signs = ", ".join(f"“{sign}”" for sign in emergency.signs)
        items = (Item(f"{emergency.advice} (You wrote {signs}.)"),)
        yield Callout("emergency", f"This may be an emergency ({emergency.kind})", items)


def _build_basis(answer: types.Answer) -> Iterator[Block]:
    """That statements rest on no source, where they do not."""
    if answer.basis == "parametric":
        items = (Item(f"Its reasoning: {answer.reasoning}"),) if answer.reasoning else ()
        yield Callout("unsourced", "From the language model alone: it read no source, and nothing was checked.", items)


def _build_abstention(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """Why there is no answer, what is nearest to one, and what to do; in an emergency its advice is what to do."""
    yield Callout("abstention", f"No answer is given. {answer.reason}")
    # The sources' own sentences say more than titles do, so titles are shown only where there are none.
    if instead := sorted(answer.found_instead, key=lambda statement: not statement.lead):
        yield Heading(CLOSEST_MATCHES)
        yield from build_statements(instead, cited)
    else:
        nearest = (Item(_describe_nearest(passage)) for passage in _nearest_passages(answer))
        yield from _fill(List(f"{CLOSEST_MATCHES}, which do not answer it", tuple(nearest)))
    # Advice to call for help must not compete with advice on searching.
    if answer.emergency is None:
        yield from _fill(List("What you can do", tuple(Item(step=step) for step in _list_next_steps(answer))))


def _nearest_passages(answer: types.Answer) -> list[types.Passage]:
    """The most relevant passage of each of the most relevant works; of guidelines, which are near every question, only
    what shares a disease or a drug with it."""
    best: dict[str, types.Passage] = {}
    for item in sorted(answer.evidence, key=lambda item: -item.relevance):
        is_guideline = item.passage.reference.kind == "guideline"
        # Guidelines are near every question: without a shared disease or drug their nearness says nothing.
        if is_guideline and not shares_subject(answer.question, text_under_titles(item.passage)):
            continue
        best.setdefault(item.passage.reference.id, item.passage)
    return list(best.values())[:MAX_NEAREST]


def _describe_nearest(passage: types.Passage) -> str:
    """The section of a work, and the work."""
    section = passage.section.rpartition(" › ")[2]
    return f"{section}. In: {describe_briefly(passage.reference)}" if section else describe_briefly(passage.reference)


def _list_next_steps(answer: types.Answer) -> Iterator[NextStep]:
    """What may bring an answer, as far as it was not done."""
    if not answer.attempts:
        # Nothing was searched: either there is no library yet, or the gaps below say what went wrong.
        if not answer.gaps and not answer.question.given:
            yield NextStep("create library")
        return
    if any(attempt.status == "failed" for attempt in answer.attempts):
        yield NextStep("check sources")
    yield NextStep("rephrase")
    if answer.evidence:
        yield NextStep("read hits")
    # The words of a search leave this machine only when the user asks for it, so it is offered, never done.
    if not {attempt.search.source for attempt in answer.attempts}.intersection(LIVE_SOURCES):
        yield NextStep("search research")


def _build_summary(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """The statements that lead, whether they say yes or no, and who wrote them; nothing where none leads."""
    if leads := [statement for statement in answer.statements if statement.lead]:
        yield Heading("In short", is_lead=True)
        if decision := _describe_decision(answer):
            yield Text(decision, "strong")
        yield from build_leads(leads, cited)
        if author := _describe_author(answer):
            yield Text(author, "aside")


def _describe_decision(answer: types.Answer) -> str:
    """Whether the sources say yes or no, where that is asked, and how often such a "yes" or "no" was right."""
    if answer.decision is None:
        return ""
    if answer.decision.label == "not said":
        return "The sources do not say yes or no."
    # "Not said" and "depends" have no share of right answers: nothing was decided that could be right.
    if answer.decision.label == "depends":
        return "It depends, by this source:"
    share = f"{answer.decision.probability:.0%}".replace("%", " %")
    return f"{answer.decision.label.capitalize()} (right in about {share} of such answers):"


def _describe_author(answer: types.Answer) -> str:
    """Who wrote the answer, where a language model was asked."""
    # Only what a model wrote needs an author; a model that merely helped is named in the receipt.
    if answer.writer and answer.basis == "evidence":
        lost = answer.checks.dropped if answer.checks else 0
        fallen = f"; {format_count(lost, 'statement')} of its draft failed the check" if lost > 0 else ""
        gaps = "; see Gaps for what is missing" if answer.not_found or answer.lost else ""
        return f"Written by {answer.writer} from the sources below; every statement was checked{fallen}{gaps}."
    if answer.basis == "evidence" and (answer.spent.calls or answer.spent.cached):
        return "These are the sources' own sentences; no language model wrote any."
    return ""


def _build_choice(answer: types.Answer) -> Iterator[Block]:
    """The option that was chosen, where there were any."""
    if not (options := answer.question.options):
        return
    yield Heading("Choice")
    if answer.choice in options:
        yield Text(f"{answer.choice}. {options[answer.choice]}", "strong")
    else:
        # Without a language model nothing could have chosen, and the reader learns how to get a choice.
        is_asked = answer.spent.calls or answer.spent.cached
        yield Text("No option could be confirmed.", "strong", step=None if is_asked else NextStep("choose model"))


def _group_by_topic(answer: types.Answer, cited: NumberedReferences) -> Iterator[tuple[Heading, list[types.Statement]]]:
    """What the short answer leaves to say, under its headings, each once; an empty one where nothing has one."""
    topics: dict[str, list[types.Statement]] = {}
    for statement in answer.statements:
        if not statement.lead:
            topics.setdefault(statement.topic, []).append(statement)
    has_leads = any(statement.lead for statement in answer.statements)
    # Statements without a topic need a heading only beside others that have one.
    untitled = "From other sources" if any(topics) else "In detail" if has_leads else ""
    for topic, statements in topics.items():
        yield _build_topic(topic, statements, cited, untitled), statements


def _build_topic(
    topic: str, statements: Sequence[types.Statement], cited: NumberedReferences, untitled: str
) -> Heading:
    """The heading of a topic. A work's title, which the references print, is shortened and has the work's number.

    untitled   the heading over statements without a topic that are not all of one kind of source
    """
    references = {
        reference.id: reference
        for statement in statements
        for reference in map(cited.find_reference, statement.citations)
    }
    if topic and len(references) == 1:
        [reference] = references.values()
        if (rest := topic.removeprefix(reference.title)) != topic:
            numbers = (cited.numbers[reference.id],)
            # With one work its title would repeat the reference that is printed right below.
            if len(cited.numbers) == 1:
                return Heading(rest.strip(), prefix="More from", citations=numbers)
            return Heading(f"{shorten_title(reference.title)}{rest}", prefix="From", citations=numbers)
    kinds = {reference.kind for reference in references.values()}
    if topic or not untitled or len(kinds) != 1:
        return Heading(topic or untitled)
    return Heading(KIND_HEADINGS.get(kinds.pop(), untitled))


def list_gaps(answer: types.Answer) -> list[types.Gap]:
    """The gaps of an answer, and any search that failed and is none of them."""
    known = {gap.source for gap in answer.gaps}
    failed = (
        types.Gap(source=attempt.search.source, status="failed", reason=attempt.error)
        for attempt in answer.attempts
        # A gap already names its source: the same outage is not shown twice.
        if attempt.status == "failed" and attempt.search.source not in known
    )
    return [*answer.gaps, *failed]


def build_gaps(gaps: Sequence[types.Gap], parts: Sequence[str] = ()) -> Iterator[Block]:
    """What is missing, a sentence each; which sources could not be searched, and why."""
    missing = (Item(f"{gap.source} ({gap.status}): {gap.reason}", step=gap.next_step) for gap in gaps)
    items = (*map(Item, parts), *missing)
    yield from _fill(Callout("gap", "Gaps", items))


def list_missing_parts(answer: types.Answer) -> list[str]:
    """What nothing that was found answers, and what the draft said that failed its check."""
    lost = [f"Left out: {topic} (what the draft said on it failed the check)" for topic in answer.lost]
    return [*(f"Not found: {part}" for part in answer.not_found), *lost]


def _describe_recommendation(answer: types.Answer) -> Iterator[Item]:
    """How strong a recommendation is, how certain, for whom it was asked, and what does not fit."""
    made, pico = answer.recommendation, answer.question.pico
    # An abstention without anything unchecked has no recommendation to describe.
    if made is None or not (answer.statements or made.unchecked):
        return
    # A strength beside a contraindication would be read as permission, so the warnings above stay alone.
    if answer.statements and made.is_barred:
        yield Item("No strength shown, because of the warnings above")
    elif answer.statements:
        yield Item(f"strength: {made.strength}; certainty: {made.certainty} (in the sources' own words)")
    if pico:
        typed = f"“{answer.question.asked}” as " if answer.question.asked else "as "
        parts = {name: getattr(pico, name) for name in types.Pico.model_fields}
        yield Item(f"asked {typed}{'; '.join(f'{name}: {text}' for name, text in parts.items() if text)}")
    yield from (Item(f"does not fit: {misfit}") for misfit in made.fit)
    yield from map(Item, made.unchecked)


def _list_conflicts(answer: types.Answer, cited: NumberedReferences) -> Iterator[Item]:
    """What sources do not agree on: each side once, with its words; what it is about, where no side says just that."""
    for conflict in answer.conflicts:
        # A side that says the point of disagreement in the same words would print it twice.
        is_side = any(
            has_same_words(conflict.about, text) for side in conflict.sides for text in (side.says, side.quote)
        )
        settled = [Item(f"settled by the writer: {conflict.resolution}")] if conflict.resolution else []
        sides = [_describe_side(side, cited) for side in conflict.sides]
        if is_side:
            yield from sides[:-1]
            yield Item(sides[-1].text, tuple(settled), sides[-1].quotes)
        else:
            yield Item(conflict.about, (*sides, *settled))


def _describe_side(side: types.ConflictSide, cited: NumberedReferences) -> Item:
    passage = cited.passages[side.passage_id]
    at = passage.start + passage.text.index(side.quote)
    words = types.Citation(passage_id=passage.id, quote=side.quote, start=at, end=at + len(side.quote))
    says = "" if has_same_words(side.says, side.quote) else side.says
    return Item(says, quotes=(cited.quote_passage(passage, [words]),))


def _list_cards(answer: types.Answer, cited: NumberedReferences) -> Iterator[Item]:
    """What a model noted of each study that is cited, one card a work; a guideline is no study."""
    cards: dict[int, types.ArticleCard] = {}
    for item in answer.evidence:
        reference = item.passage.reference
        # A guideline or a graph has no sample and no risk of bias that a card could report.
        is_cited_study = reference.kind not in NON_STUDY_KINDS and reference.id in cited.numbers
        if item.card and is_cited_study and _list_card_parts(item.card):
            cards.setdefault(cited.numbers[reference.id], item.card)
    for number, card in sorted(cards.items()):
        doubtful = ", ".join(_CARD_NAMES.get(part, part) for part in card.unconfirmed)
        caution = f" (figures not found in the passage: {doubtful})" if doubtful else ""
        yield Item("; ".join(_list_card_parts(card)) + caution, citations=(number,))


def _list_card_parts(card: types.ArticleCard) -> list[str]:
    """What a card says, part by part; empty for one that reports nothing."""
    parts = {
        "": card.summary,
        "design": card.design,
        _CARD_NAMES["sample_size"]: card.sample_size,
        "population": card.population,
        _CARD_NAMES["bias"]: card.bias,
    }
    filled = [f"{name}: {text}" if name else text for name, text in parts.items() if text != types.NOT_REPORTED]
    return [part.rstrip(".") for part in filled]


def _list_uncited(answer: types.Answer, cited: NumberedReferences) -> Iterator[Item]:
    """Works that a model judged relevant to the question, and that nothing cites."""
    works = {
        item.passage.reference.id: item.passage.reference
        for item in answer.uncited_evidence
        # What was not judged may be about anything: only works that were found relevant are named.
        if item.passage.reference.id not in cited.numbers and not (item.judged and item.judged.label == "unjudged")
    }
    if answer.abstained:
        return
    for reference in list(works.values())[:MAX_UNCITED]:
        yield Item(f"{reference.title or reference.id} ({reference.year or 'undated'})")
    if len(works) > MAX_UNCITED:
        yield Item(f"and {format_count(len(works) - MAX_UNCITED, 'other')}")


def _build_warnings(answer: types.Answer, cited: NumberedReferences) -> Iterator[Block]:
    """The record's contradictions, then what sources say against what is asked; what is only taken comes briefly."""
    made = answer.recommendation
    if made is None:
        return
    # A record that contradicts itself makes every warning drawn from it doubtful: it is named before them.
    items = [Item(contradiction, role="strong") for contradiction in made.contradictions]
    asked = [warning for warning in made.warnings if warning.is_asked]
    taken = [warning for warning in made.warnings if not warning.is_asked]
    forbidden = [warning for warning in taken if warning.severity in ("contraindicated", "avoid")]
    # What a patient only takes is quoted whole where nothing speaks against what is asked: the list stays short enough
    # to be read.
    others = [] if asked else forbidden[:MAX_WHOLE_WARNINGS]
    items += [_describe_warning(warning, cited) for warning in (*asked[:MAX_WHOLE_WARNINGS], *others)]
    brief = [*asked[MAX_WHOLE_WARNINGS:], *(warning for warning in taken if warning not in others)]
    items += [Item(_describe_briefly(warning), role="aside") for warning in brief[:MAX_BRIEF_WARNINGS]]
    more = len(brief) - MAX_BRIEF_WARNINGS
    if more > 0:
        items.append(Item(f"and {format_count(more, 'other warning')}", role="aside", step=NextStep("show json")))
    yield from _fill(Callout("patient", "Before you act, for this patient", tuple(items)))


def _describe_warning(warning: types.PatientWarning, cited: NumberedReferences) -> Item:
    drugs = f" ({', '.join(warning.drugs)})" if warning.drugs else ""
    # No file has the words of a record: in an answer that was read from one, what they are about is all there is.
    words = "; ".join(dict.fromkeys(f"“{each}”" for each in warning.record))
    reason = f"the record says {words}" if words else f"for {', '.join(warning.about)}"
    others = [Item(f"also: {names}", role="aside")] if (names := _name_others(warning)) else []
    return Item(
        f"{_SEVERITIES[warning.severity]}{drugs}: {reason}.",
        tuple(others),
        (cited.quote_passage(warning.passage, warning.citations),),
        role="strong",
    )


def _name_others(warning: types.PatientWarning) -> str:
    """Where else the same is said: each other guideline by its title, and how often this one repeats it."""
    titles = Counter(other.passage.reference.title or other.passage.reference.id for other in warning.also)
    # A guideline that repeats its own warning is one voice; other guidelines are named, it is only counted.
    repeats = titles.pop(warning.passage.reference.title or warning.passage.reference.id, 0)
    names = [shorten_title(title) for title in titles]
    return "; ".join([*names, f"{format_count(repeats, 'other place')} of this guideline"] if repeats else names)


def _describe_briefly(warning: types.PatientWarning) -> str:
    quote = collapse_whitespace(warning.citations[-1].quote)
    cut = quote if len(quote) <= MAX_BRIEF_CHARS else quote[:MAX_BRIEF_CHARS].rpartition(" ")[0] + " …"
    drugs = ", ".join(warning.drugs) or "this patient"
    reason = f"“{warning.record[0]}”" if warning.record else ", ".join(warning.about)
    return f"{drugs}, {reason}: “{cut}” ({shorten_title(warning.passage.reference.title)})"


def build_cited_words(answer: types.Answer) -> Presentation:
    """Each work that an answer cites, and below it the words that each statement quotes of it, with their places."""
    cited = number_references(answer)
    statements = (*answer.statements, *answer.found_instead)
    quotes = [quote for statement in statements for quote in cited.quote(statement.citations)]
    works = [
        Item(
            work.brief,
            tuple(Item(quotes=(quote,)) for quote in quotes if quote.locator.number == work.number),
            citations=(work.number,),
        )
        for work in build_references(cited).entries
    ]
    return Presentation("quotes", "", (List("", tuple(works)) if works else Text("The last answer cites nothing."),))
