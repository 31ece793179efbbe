"""Clinical questions (PICO) from articles whose findings answer them: by rule, or by a language model.

Only what stands alone is kept, and the share that does is told. The conclusion of the article is the known answer, and
the article is the source.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.clinical.word_forms import known_abbreviations
from wellsourced.errors import ModelError
from wellsourced.explain.definitions import find_long_form
from wellsourced.late import compile_late
from wellsourced.models.base import Model
from wellsourced.prompts.probing import WritePicoQuestion
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.sanitization import one_line
from wellsourced.types import Document
from wellsourced_evaluate.builders.articles import (
    OBJECTIVE_LABELS,
    ArticlePart,
    find_conclusion,
    is_finding,
    list_parts,
    list_sentences,
    read_articles,
)
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, Manifest, SetWriter
from wellsourced_evaluate.builders.pico_rules import (
    MAX_WORDS,
    MIN_WORDS,
    NO_FORM,
    RuleQuestion,
    ask_by_aim,
    ask_by_title,
)
from wellsourced_evaluate.probing.question_generation import NAMES_THE_PAGE

BUILDER = "pico-questions"

MAX_CHARACTERS = 12_000
"""Of an article that a language model is shown: its abstract and the beginning of its text."""

BuildProgress = Callable[[int, int], None]
"""Who hears how many articles were looked at, of how many."""

_RESTS_ON_ARTICLE = compile_late(
    r"\b(?:this|these|those|our|we|us|such|its|their|it|they|the (?:present|current|same|former|latter|above"
    r"|two|three|four"
    r"|new|proposed|following|study arm|intervention|program(?:me)?|treatment|system|model|device|tool|app"
    r"|trial|study|project|drug"
    r"|participants|group)s?(?! (?:of|for|with)\b))\b"
    r"|\bthe (?:\w+ )?(?:efficacy|effects?|incidence|outcomes?|results?|risk|rate)\b(?! (?:and|of|on|in|for|or)\b|,)"
    r"|\b(?:two|three|four|five|six|\d) (?:\w+ )?(?:different|methods?|types?|techniques?|doses?|interventions?"
    r"|strategies|approaches|programs?|groups?|arms?|regimens?|protocols?|kinds?|brands?|commercially)\b"
    r"|\b(?:novel|newly developed|phase (?:I+|\d)|pilot|feasibility|protocol|rationale|case report)\b",
    re.IGNORECASE,
)
_ABBREVIATION = compile_late(r"(?<![\w-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*s?(?![\w-])")
_CAPITAL_WORD = compile_late(r"(?<!\w)[A-Z][a-z]+(?!\w)")
_LOWER_WORD = compile_late(r"(?<!\w)[a-z]+(?!\w)")
_NAME_WITHIN = compile_late(r"(?<=[a-z,] )[A-Z][a-z]+(?!\w)")
_EXPLAINED = compile_late(r"\([^()]*\)")
_OPENS_CONCLUSION = compile_late(
    r"^(?:in conclusion|in summary|to conclude|conclusions?:?|we conclude(?: that)?|these (?:results|findings|data)"
    r" (?:suggest|indicate|show|demonstrate|confirm|support)(?: that)?|(?:our|the) (?:results|findings|data)"
    r" (?:suggest|indicate|show|demonstrate|confirm|support)(?: that)?)\b",
    re.IGNORECASE,
)


class PicoTask(NamedTuple):
    """What is read, and into which file; `model` is the name of who writes, "" for the rules."""

    paths: tuple[Path, ...]
    out: Path
    model: str = ""
    limit: int = 0
    fresh: bool = False


async def build_pico_questions(task: PicoTask, model: Model | None, say: BuildProgress) -> Manifest:
    """Write questions.jsonl with its manifest; a build that was cut short goes on, and asks for no article twice.

    Raises UnreadableFile, SourceRefused.
    """
    articles = read_articles(task.paths)
    options = {"model": task.model or "rules", "limit": task.limit}
    writer = SetWriter(
        task.out, BuildHeader(builder=BUILDER, seed=0, options=options, inputs=articles.inputs), fresh=task.fresh
    )
    if writer.manifest:
        return writer.manifest
    chosen = articles.documents[: task.limit or None]
    try:
        for number, document in enumerate(chosen):
            if document.reference.id not in writer.items:
                say(number, len(chosen))
                writer.add(await _ask_model(document, model) if model else ask_by_rule(document))
    finally:
        writer.close()
    for place, reason in articles.faults:
        writer.items[place] = BuiltItem(key=place, left_out="it cannot be read", detail=reason)
    made = sum(bool(item.rows) for item in writer.items.values())
    share = f"{made:,} of {len(writer.items):,} articles gave a question ({made / max(1, len(writer.items)):.0%})."
    return writer.finish(("form", "answer"), (share,))


def ask_by_rule(document: Document) -> BuiltItem:
    """A question of the article's title or aim, or why there is none."""
    key, parts = document.reference.id, list_parts(document)
    findings = find_conclusion(parts) or _find_unlabelled_conclusion(parts)
    first, form = NO_FORM, ""
    for form, asked in _list_readings(document, parts):
        if asked.reason:
            first = first if first.reason != NO_FORM.reason else asked
            continue
        asked = asked._replace(
            text=_tidy(explain_abbreviations(lower_title_words(asked.text, document), document.text))
        )
        if flaw := find_flaw(asked.text):
            first = RuleQuestion(asked.text, reason=flaw)
            continue
        if not findings:
            return BuiltItem(key=key, left_out="its conclusion cannot be told, or says no finding", detail=asked.text)
        pico = {name: getattr(asked, name) for name in ("population", "intervention", "comparison", "outcome")}
        return BuiltItem(key=key, rows=(_build_row(document, asked.text, form, pico, findings),))
    return BuiltItem(key=key, left_out=first.reason, detail=first.text or document.reference.title)


def _list_readings(document: Document, parts: tuple[ArticlePart, ...]) -> list[tuple[str, RuleQuestion]]:
    """What title and aims ask; the aim first, which says more."""
    aims = [
        ("aim", asked)
        for part in parts
        if not part.label or OBJECTIVE_LABELS.search(part.label)
        for sentence in list_sentences(part.text)
        if (asked := ask_by_aim(sentence)) is not NO_FORM
    ]
    title = [("title", ask_by_title(document.reference.title))] if document.reference.title else []
    return [*title, *aims]


def _find_unlabelled_conclusion(parts: tuple[ArticlePart, ...]) -> tuple[str, ...]:
    """The sentences that are put as a conclusion where no part is called so."""
    sentences = [one for part in parts for one in list_sentences(part.text)]
    return tuple(one for one in sentences if _OPENS_CONCLUSION.match(one) and is_finding(one))


def lower_title_words(question: str, document: Document) -> str:
    """Words that a title writes with a capital as the text of the article writes them within sentences."""
    text = document.text.removeprefix(document.reference.title)
    within = set(_LOWER_WORD.findall(text))
    names = set(_NAME_WITHIN.findall(text))

    def lower(match: re.Match[str]) -> str:
        word = match.group()
        return word.lower() if word.lower() in within or (word.lower() in STOP_WORDS and word not in names) else word

    opening, rest = question.partition(" ")[::2]
    return f"{opening} {_CAPITAL_WORD.sub(lower, rest)}"


def _tidy(question: str) -> str:
    plain = re.sub(r"\s+([,?)])", r"\1", " ".join(question.split()))
    return plain[0].upper() + plain[1:] if plain else ""


def explain_abbreviations(question: str, text: str) -> str:
    """The question with the abbreviations that its article explains written out, once each."""
    outside = _EXPLAINED.sub(" ", question)
    for short in dict.fromkeys(_ABBREVIATION.findall(outside)):
        if f"({short})" in question or not (long := find_long_form(short, [text])):
            continue
        question = re.sub(rf"(?<![\w-]){re.escape(short)}(?![\w-])", lambda _, long=long: long, question)  # type: ignore[misc]
    return question


def find_flaw(question: str) -> str:
    """Why a question does not stand alone; "" when it does."""
    words = question.split()
    outside = _EXPLAINED.sub(" ", question)
    unknown = [one for one in _ABBREVIATION.findall(outside) if not _is_known_name(one) and f"({one})" not in question]
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return "its question is too short or too long"
    if re.search(r"\b[a-z]\?$", question):
        return "its question breaks off"
    if question.count("(") != question.count(")") or "[" in question or question.count('"') % 2:
        return "its question has a bracket or a quotation mark that is not closed"
    if NAMES_THE_PAGE.search(question) or _RESTS_ON_ARTICLE.search(question):
        return "its question rests on the article"
    if unknown:
        return "its question has an abbreviation that the article does not explain"
    return ""


def _is_known_name(short: str) -> bool:
    """Abbreviations of clinical writing, names such as COVID, mRNA and BRCA1, and what has small letters within."""
    return short.rstrip("s") in known_abbreviations() or not short.rstrip("s").isupper() or len(short) > 5


async def _ask_model(document: Document, model: Model) -> BuiltItem:
    """The question that a language model writes, if it stands alone and the article has the words that answer it."""
    key = document.reference.id
    try:
        reply = await model.complete(
            WritePicoQuestion(title=document.reference.title, text=document.text[:MAX_CHARACTERS])
        )
    except ModelError as error:
        return BuiltItem(key=key, left_out="the model gave no reply that can be used", detail=error.phrase)
    question = one_line(reply.question)
    place = align_quote(reply.finding, document.text) if reply.finding.strip() else ()
    pico = {name: one_line(getattr(reply, name)) for name in ("population", "intervention", "comparison", "outcome")}
    if not question:
        reason = "the model says that it answers no clinical question"
    elif flaw := find_flaw(question):
        reason = flaw
    elif not place:
        reason = "the words that are to answer it are not in the article"
    elif not pico["intervention"] or not pico["outcome"]:
        reason = "the model names no intervention, or no outcome"
    else:
        finding = document.text[place[0].start : place[-1].end]
        row = _build_row(document, question, "model", pico, (" ".join(finding.split()),))
        return BuiltItem(key=key, rows=(row | ({"answer": reply.answer} if reply.answer else {}),))
    return BuiltItem(key=key, left_out=reason, detail=question)


def _build_row(
    document: Document, question: str, form: str, pico: dict[str, str], findings: tuple[str, ...]
) -> dict[str, Any]:
    reference = document.reference
    names = [reference.id, *([f"doi:{reference.doi}"] if reference.doi else [])]
    return {
        "id": f"pico-{reference.id.replace(':', '-')}",
        "question": question,
        "answerable": True,
        "source": list(dict.fromkeys(names)),
        "must_have": list(findings),
        "human_answer": " ".join(findings),
        "form": form,
        "pico": {name: text for name, text in pico.items() if text},
        "title": reference.title,
        "group": reference.id,
    }
