"""What an answer is marked by: its label, the facts and exact answers that it says, what it quotes, how it searched.

Exact answers are as BioASQ's task b has them: a factoid with its synonyms, or a list of things with theirs. Candidates
need a language model: sentences of sources name none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import fmean

from wellsourced.citations.quote_alignment import locate_quote
from wellsourced.claims.atomic_facts import is_complete_sentence
from wellsourced.context import Context
from wellsourced.encoders.base import Encoder
from wellsourced.errors import SourceError
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer, Document, Passage, Reference, Statement, TextSpan, Value, VerdictLabel
from wellsourced_evaluate.planning.diversity import query_diversity
from wellsourced_evaluate.questions.case_rows import ExpectedFact, QuestionCase, QuestionKind

MAX_PHRASE_WORDS = 12
"""Words of a candidate: BioASQ's hundred characters."""

_OPENING_LABEL = re.compile(r"\W*(?P<label>yes|no|maybe)\b\**\s*(?:[,.;:—–-]|\Z)", re.IGNORECASE)
"""A model's statement that begins with the label: "No, it did not", and not "No trial was found"."""

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)?|[%°<>±+]")
_ABBREVIATION = re.compile(r"\s*\([^()]*\)\s*\Z")
"""In brackets behind a name: a text that says the name need not say it."""

_OPERATOR = re.compile(r"\b(?:AND|OR|NOT)\b|\[[^\]]*\]|[()\"*:]")
"""What is syntax in a Boolean query, and no word of it."""


class FactMark(Value):
    """One thing that an answer should say.

    said           whether the statements say it; None: who was to judge gave no verdict
    leads          whether the short answer does
    is_judged      by a judge, since it has no pattern
    contradicted   whether the statements contradict it; None: it has a pattern, or no verdict was given
    is_optional    nothing is lacking where it is not said
    """

    fact: str
    said: bool | None
    leads: bool | None
    is_judged: bool = False
    contradicted: bool | None = None
    is_optional: bool = False


class ExactMark(Value):
    """One thing that is the exact answer, or of the list that is: by which of its names it goes, and who says it.

    said    whether a statement says one of them
    leads   whether the short answer does
    asked   whether the question has it already
    """

    synonyms: tuple[str, ...]
    said: bool
    leads: bool
    asked: bool = False


class QuotedSpan(Value):
    """Words that a statement cites: document.text[start:end]; `statement` is its place in the answer, from 0."""

    statement: int
    document: str
    start: int
    end: int
    quote: str = ""


class GoldSpan(Value):
    """Words that somebody marked as evidence.

    start   where they are in the document that is held; None: it is not held, or has other words
    """

    document: str
    start: int | None
    characters: int


def join_texts(statements: Sequence[Statement]) -> str:
    """What statements say, one a line."""
    return "\n".join(statement.text for statement in statements)


def said_text(answer: Answer) -> str:
    """What an answer says: the statements of a model; without one what is shown of sections, below their headings."""
    if answer.head is None:
        return join_texts(answer.statements)
    passages = {item.passage.id: item.passage for item in answer.evidence}
    shown = [(passages[section.passage_id], section.shown) for section in answer.sections]
    return "\n".join(text for passage, spans in shown for text in (head_section(passage), *quote_spans(passage, spans)))


def head_section(passage: Passage) -> str:
    """What a section stands under: the title of its document, and its headings."""
    return ": ".join(filter(None, dict.fromkeys([passage.reference.title, passage.section])))


def quote_spans(passage: Passage, spans: Iterable[TextSpan]) -> list[str]:
    """The words of a passage in spans of its document."""
    return [passage.text[span.start - passage.start : span.end - passage.start] for span in spans]


def lead_text(answer: Answer) -> str:
    """The short answer: the statements of a model that lead; without one the units that are marked, each line once."""
    if answer.head is None:
        return join_texts([statement for statement in answer.statements if statement.lead])
    passages = {item.passage.id: item.passage for item in answer.evidence}
    marked = [(one.passage_id, span) for one in answer.sections for unit in one.marked for span in unit]
    return "\n".join(text for id, span in dict.fromkeys(marked) for text in quote_spans(passages[id], [span]))


def has_pattern(pattern: str, text: str) -> bool:
    """Whether a text has what the expression finds; case does not count."""
    return re.search(pattern, text, re.IGNORECASE) is not None


def read_label(case: QuestionCase, answer: Answer) -> str:
    """The label that a model's answer says, "" for none: a letter, or the word with which it begins."""
    if answer.abstained or answer.head is not None:
        return ""
    if case.options:
        return answer.choice
    return match_opening_label(lead_text(answer) or join_texts(answer.statements))


def match_opening_label(text: str) -> str:
    """The label with which a text begins: yes, no or maybe; "" for none."""
    opening = _OPENING_LABEL.match(text)
    return opening["label"].casefold() if opening else ""


async def mark_facts(case: QuestionCase, answer: Answer, judge: Judge) -> tuple[FactMark, ...]:
    """Each fact that the case expects, found by its pattern, or by the judge where it has none. Raises ModelError."""
    texts = said_text(answer), lead_text(answer)
    judged = [fact.fact for fact in case.facts if not fact.pattern]
    # An empty text says nothing, and nobody is asked.
    pairs = list(dict.fromkeys(Pair(fact, text) for fact in judged for text in texts if text))
    verdicts = await judge.judge(pairs) if pairs else []
    labels = {pair: verdict.label for pair, verdict in zip(pairs, verdicts, strict=True)}
    return tuple(_mark_fact(fact, texts, labels) for fact in case.facts)


def lose_marks(case: QuestionCase) -> tuple[FactMark, ...]:
    """The marks of a case to which nothing was said: every fact is lacking, and none contradicted."""
    return tuple(_mark_fact(fact, ("", ""), {}) for fact in case.facts)


def _mark_fact(fact: ExpectedFact, texts: tuple[str, str], labels: Mapping[Pair, VerdictLabel]) -> FactMark:
    if fact.pattern:
        found = [bool(text) and has_pattern(fact.pattern, text) for text in texts]
        return FactMark(fact=fact.fact, said=found[0], leads=found[1])
    label, short_label = (labels.get(Pair(fact.fact, text), "silent") for text in texts)
    return FactMark(
        fact=fact.fact,
        said=None if label == "unjudged" else label == "supports",
        leads=None if short_label == "unjudged" else short_label == "supports",
        is_judged=True,
        contradicted=None if label == "unjudged" else label == "contradicts",
        is_optional=fact.is_optional,
    )


def cited_passages(answer: Answer) -> list[str]:
    """Ids of the passages that statements cite, or of those that are shown as sections, in order."""
    shown = [section.passage_id for section in answer.sections]
    return shown or [id for statement in answer.statements for id in statement.cited_ids]


def cited_documents(answer: Answer) -> tuple[str, ...]:
    """Ids of the documents that statements cite or sections are of, each once."""
    documents = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return tuple(dict.fromkeys(documents[id] for id in cited_passages(answer)))


def has_own_source(case: QuestionCase, answer: Answer, *, cited_only: bool = False) -> bool | None:
    """Whether a document from which the question was made is among the evidence, or is cited; None: not known which."""
    if not case.sources:
        return None
    cited = {*cited_passages(answer)}
    passages = [item.passage for item in answer.evidence if not cited_only or item.passage.id in cited]
    return any(_is_own_source(case, passage.reference) for passage in passages)


def _is_own_source(case: QuestionCase, reference: Reference) -> bool:
    return not {reference.id, f"pubmed:{reference.pmid}", f"doi:{reference.doi}"}.isdisjoint(case.source_ids)


def measure_density(case: QuestionCase, answer: Answer) -> float | None:
    """Share of the passages that were read which are of the question's own sources; None: not known which, or none."""
    left = [item for item in answer.dropped if item.what == "passage" and item.is_judged]
    read = len(answer.evidence) + len(left)
    if not case.sources or not read:
        return None
    own = sum(_is_own_source(case, item.passage.reference) for item in answer.evidence)
    own += sum(item.id.rpartition("#")[0] in case.source_ids for item in left)
    return round(own / read, 4)


def reads_reference(case: QuestionCase, answer: Answer) -> bool | None:
    """Whether a reference text is in what was read, word for word: then the answer leaked; None: there is none."""
    references = [" ".join(one.casefold().split()).rstrip(".") for one in case.references]
    texts = [" ".join(item.passage.text.casefold().split()) for item in answer.evidence]
    return any(one in text for one in references for text in texts) if references else None


def says(text: str, synonyms: Iterable[str]) -> bool:
    """Whether a text has one of these names as whole words, whatever their case and what is between them.

    A name that ends with something in brackets is said too by who leaves that out: “progeria (HGPS)”.
    """
    words = f" {_join_words(text)} "
    names = {_join_words(name) for synonym in synonyms for name in (synonym, _ABBREVIATION.sub("", synonym))}
    return any(f" {name} " in words for name in names if name)


def _join_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def mark_exact(exact: Sequence[Sequence[str]], question: str, text: str, short: str) -> tuple[ExactMark, ...]:
    """Each thing of an exact answer, and whether statements, the short answer and the question say it."""
    return tuple(
        ExactMark(synonyms=tuple(names), said=says(text, names), leads=says(short, names), asked=says(question, names))
        for names in exact
    )


def read_candidates(answer: Answer, kind: QuestionKind) -> tuple[str, ...] | None:
    """What an answer names as exact answers, best first; None when it speaks in sentences.

    A language model that is asked for a thing may name it and no more: its short answer is then a phrase, or phrases
    with semicolons, lines or, where a list is asked for, commas between them. The sources' own sentences are none.
    """
    leading = [one.text for one in answer.statements if one.lead] or [one.text for one in answer.statements]
    if not answer.writer or kind not in ("factoid", "list") or any(map(is_complete_sentence, leading)):
        return None
    parting = r"\s*[;\n•]\s*" if kind == "factoid" else r"\s*[;\n•]\s*|,\s+(?:and\s+)?|\s+and\s+"
    phrases = [part.strip(" .*_-–") for text in leading for part in re.split(parting, text)]
    phrases = [phrase for phrase in phrases if phrase]
    return tuple(phrases) if phrases and all(len(one.split()) <= MAX_PHRASE_WORDS for one in phrases) else None


def list_quotes(answer: Answer) -> tuple[QuotedSpan, ...]:
    """What the statements of an answer quote, statement by statement, or what is shown, section by section."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    documents = {id: passage.reference.id for id, passage in passages.items()}
    if answer.head is not None:
        return tuple(
            QuotedSpan(statement=place, document=documents[id], start=span.start, end=span.end, quote=words)
            for place, (id, spans) in enumerate((section.passage_id, section.shown) for section in answer.sections)
            for span, words in zip(spans, quote_spans(passages[id], spans), strict=True)
        )
    return tuple(
        QuotedSpan(statement=place, document=documents[one.passage_id], start=one.start, end=one.end, quote=one.quote)
        for place, statement in enumerate(answer.statements)
        for one in statement.citations
    )


async def locate_snippets(case: QuestionCase, context: Context) -> tuple[GoldSpan, ...]:
    """Where the evidence that is marked for a case is in the libraries that are searched."""
    ids = dict.fromkeys(snippet.document for snippet in case.snippets)
    held = {id: await find_document((id, f"pubmed:{id}"), context) for id in ids}
    return tuple(_locate_snippet(one.text, one.document, held[one.document]) for one in case.snippets)


async def find_document(ids: Sequence[str], context: Context, *, with_live: bool = False) -> Document | None:
    """The document in the first library that has it, or live source where those are asked, by one of these ids."""
    for source in context.sources:
        for name in ids if with_live or not (await source.describe()).live else ():
            with suppress(SourceError):
                return await source.open(name)
    return None


def _locate_snippet(text: str, id: str, document: Document | None) -> GoldSpan:
    if document is None:
        return GoldSpan(document=id, start=None, characters=len(text))
    id, start = document.reference.id, document.text.find(text)
    # As marked it may begin or end inside a word, where a quote never does.
    if start < 0 and (place := locate_quote(text, document.text)):
        return GoldSpan(document=id, start=place.start, characters=place.end - place.start)
    return GoldSpan(document=id, start=start if start >= 0 else None, characters=len(text))


def measure_searches(answer: Answer, encoder: Encoder | None) -> dict[str, float | None]:
    """How many searches were made, how long they are and how unlike those of one source (see `query_diversity`; None
    where no source was asked twice), and how many passages were judged.
    """
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for attempt in answer.attempts:
        by_source[attempt.search.source].append(_OPERATOR.sub(" ", attempt.search.query.text))
    texts = [text for queries in by_source.values() for text in queries]
    judged = sum(item.what == "passage" and item.is_judged for item in answer.dropped)
    return {
        "queries": len(texts),
        "query_words": _round_mean(len(text.split()) for text in texts),
        "query_diversity": query_diversity(by_source.values(), encoder),
        "passages_read": len(answer.evidence) + judged,
    }


def _round_mean(values: Iterable[float]) -> float | None:
    every = list(values)
    return round(fmean(every), 4) if every else None


def describe_answer(case: QuestionCase, answer: Answer, encoder: Encoder | None) -> dict[str, object]:
    """All that a record has of an answer, but what a judge says of it."""
    text, short = said_text(answer), lead_text(answer)
    return {
        "status": "abstained" if answer.abstained else "answered",
        "reason": answer.reason,
        "writer": answer.writer,
        "label": read_label(case, answer),
        "text": text,
        "short": short,
        "exact": mark_exact(case.exact, case.question, text, short),
        "candidates": read_candidates(answer, case.kind),
        "quotes": list_quotes(answer),
        "cited": cited_documents(answer),
        "relevant": list(dict.fromkeys(item.passage.reference.id for item in answer.evidence)),
        "irrelevant": list(dict.fromkeys(one.id.rpartition("#")[0] for one in answer.dropped if one.is_judged)),
        "own_source": has_own_source(case, answer),
        "own_source_cited": has_own_source(case, answer, cited_only=True),
        "reference_read": reads_reference(case, answer),
        "gaps": [f"{gap.source}: {gap.reason}" for gap in answer.gaps],
        **measure_searches(answer, encoder),
        "gold_density": measure_density(case, answer),
    }
