"""Cases that are asked: of guidelines, for patients, of pages for patients, of studies. Last, the table of all sets."""

import hashlib
import re
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rouge_score_rs.rouge_scorer import RougeScorer

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.events import Event, PassagesRead, ignore_event
from wellsourced.patients.recommendation import recommend
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.search_plan import is_sufficient
from wellsourced.text.quotable_spans import needs_previous_sentence
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, LineToCheck, Query, Question, Statement
from wellsourced_evaluate.clinical import statement_checks, text_checks
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, Marks, Measure, Row, count
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.development_data import draw_rows, find_data, read_rows, show_work
from wellsourced_evaluate.questions.answer_marks import has_pattern, join_texts

CONSUMER, RESEARCH = "consumer", "research"
"""Libraries of a home that were made of corpora/NAME.jsonl.gz of the development data."""

SCORER = RougeScorer(["rougeL"], use_stemmer=False)

Mark = Callable[[Row, Answer], Marks]
Put = Callable[[Row, Context], Awaitable[CaseMarks]]
Ask = Callable[[Question, Context], Awaitable[Answer]]


# --- asking ----------------------------------------------------------------------------------------------------------


async def put_cases(
    cases: Sequence[Row], put: Put, options: CaseOptions, library: str = ""
) -> AsyncIterator[CaseMarks]:
    """Each case put to the libraries of the home, or to the one that is named."""
    async with options.open_context(**({"libraries": (library,)} if library else {})) as context:
        for place, case in enumerate(cases):
            show_work(f"{place} of {len(cases)} cases")
            yield await put(case, context)
    show_work("")


def ask_and_mark(mark: Mark, ask: Ask = ask) -> Put:
    """Ask a case's question, for its patient where it has one, and mark the answer."""

    async def put(case: Row, context: Context) -> CaseMarks:
        answer = await ask(Question(text=case["question"], patient=case.get("record", "")), context)
        missing = [f"missing: {one['about']}" for one in list_missing(case, answer)]
        return CaseMarks(case["id"], mark(case, answer), "\n".join([describe_answer(answer), *missing]))

    return put


def measure_file(name: str, mark: Mark, ask: Ask = ask) -> Measure:
    """Ask the cases of a file of evaluate/data, or of the one that is named in its place; `mark` says what is told."""

    def measure(options: CaseOptions) -> AsyncIterator[CaseMarks]:
        return put_cases(options.read_cases(name), ask_and_mark(mark, ask), options)

    measure.__doc__ = mark.__doc__
    return measure


def describe_answer(answer: Answer) -> str:
    """An answer as it is read through: what leads has a star, what is only nearest a tilde."""
    titles = {item.passage.id: item.passage.reference.title for item in answer.evidence}

    def list_titles(statement: Statement) -> str:
        return "; ".join(dict.fromkeys(titles.get(one, "") for one in statement.cited_ids))

    said = [f"{'*' if one.lead else ' '} {one.text} [{list_titles(one)}]" for one in answer.statements]
    near = [f"~ {one.text}" for one in answer.found_instead]
    lines = [f"! {one.sentence}" for one in list_lines(answer)]
    return "\n".join([answer.question.text, *([answer.reason] if answer.abstained else []), *said, *near, *lines])


def list_leads(answer: Answer) -> list[Statement]:
    """The short answer."""
    return [one for one in answer.statements if one.lead]


def list_quoted(answer: Answer, statements: Sequence[Statement]) -> list[str]:
    """The ids of the documents that statements quote, in their order."""
    documents = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return list(dict.fromkeys(documents[id] for statement in statements for id in statement.cited_ids))


def count_words(text: str) -> tuple[int, int]:
    """The words of one answer."""
    return len(text.split()), 1


def take_every_other(rows: list[Row], half: str) -> list[Row]:
    """Every other row, from the first or from the second; or all."""
    return rows[half == "second" :: 2] if half in ("first", "second") else rows


def is_in_half(group: str, half: str) -> bool:
    """Whether a group of questions is in the half "tune" or "report": what is tuned on one is reported on the other."""
    is_tuned = hashlib.sha256(group.encode()).digest()[0] % 2 == 1
    return half not in ("tune", "report") or is_tuned == (half == "tune")


# --- guidelines ------------------------------------------------------------------------------------------------------


def has_plain_pattern(pattern: str, text: str) -> bool:
    """Whether a text has an expression that may be written for Markdown, with its marks and the bars of tables."""
    plain = pattern.replace("\\*\\*", "").replace("**", "")
    try:
        re.compile(plain)
    except re.error:
        plain = pattern
    return any(has_pattern(plain, one) for one in (text, text.replace("| ", "|").replace("|", " ")))


def has_deciding_words(case: Mapping[str, Any], text: str) -> bool:
    """Whether a text has the words that decide a case."""
    pattern = case.get("lead") or case.get("expected") or re.escape(case.get("quote", ""))
    return bool(pattern) and has_plain_pattern(pattern, text)


def mark_facts(case: Row, answer: Answer) -> Marks:
    """Of each question the facts, as patterns, that the statements have, and that the short answer has."""
    text, short = join_texts(answer.statements), join_texts(list_leads(answer))
    patterns = [fact["pattern"] for fact in case["facts"]]
    return {
        "facts said": count(has_pattern(one, text) for one in patterns),
        "facts in the short answer": count(has_pattern(one, short) for one in patterns),
        "refused": count([answer.abstained]),
        "words of an answer": count_words(text),
        "words of a short answer": count_words(short),
    }


def mark_near_miss(case: Row, answer: Answer) -> Marks:
    """Questions that the digests do not answer, and controls that they do."""
    text = join_texts(answer.statements)
    if case["missing"]:
        wrong = count([has_pattern(case["wrong"], text)])
        return {"near misses answered": count([not answer.abstained]), "… as the case calls wrong": wrong}
    right = count([has_pattern(case["expected"], text)])
    return {"controls right": right, "controls refused": count([answer.abstained])}


def mark_question(case: Row, answer: Answer) -> Marks:
    """A file questions_*.jsonl: deciding words and facts of what is answerable, what is refused or wrongly said."""
    text, short = join_texts(answer.statements), join_texts(list_leads(answer))
    if not case["answerable"]:
        name = {"near": "near misses", "off": "other matters"}[case["kind"]]
        wrong = count([has_pattern(case.get("wrong") or r"(?!)", text)])
        return {f"{name} answered": count([not answer.abstained]), f"{name}: as the case calls wrong": wrong}
    facts = [fact["pattern"] for fact in case.get("facts", ())]
    marks = {
        "deciding words said": count([has_deciding_words(case, text)]),
        "deciding words in the short answer": count([has_deciding_words(case, short)]),
        "facts said": count(has_plain_pattern(one, text) for one in facts),
        "facts in the short answer": count(has_plain_pattern(one, short) for one in facts),
        "refused": count([answer.abstained]),
    }
    if answer.abstained:
        near = "\n".join(one.text for one in answer.found_instead)
        marks["of those refused the deciding words are in the closest matches"] = count(
            [has_deciding_words(case, near)]
        )
    else:
        marks["words of an answer"] = count_words(text)
    if case["kind"] == "yes_no":
        label = answer.decision.label if answer.decision else ""
        marks["yes or no decided"] = count([label in ("yes", "no")])
        marks["yes or no decided rightly"] = count([label == case.get("answer")])
    return marks


async def measure_messages(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Questions as people write messages, beside the plain ones: refused, same first document, facts, decisions.

    Those on studies of the research corpus are asked where --data is named.
    """
    known = {"facts": {case["id"]: case for case in read_rows(find_data("clinical_cases/facts.jsonl"))}, "pubmedqa": {}}
    if options.data:
        known["pubmedqa"] = {case["id"]: case for case in read_rows(options.data / "qa/pubmedqa.jsonl.gz")}
    rows = options.read_cases("clinical_cases/messages.jsonl")
    cases = [{"facts": [], **known[row["of"]][row["id"]], **row} for row in rows if row["id"] in known[row["of"]]]
    cases = [one for one in cases if options.half in ("", one["half"])]
    async for one in put_cases([case for case in cases if case["of"] == "facts"], compare_message, options):
        yield one
    if options.data:
        settings = config.load({"home": str(options.home), "network.offline": True} if options.home else {})
        built = await open_corpus(str(options.data / "corpora/research.jsonl.gz"), settings, "research", ignore_event)
        async with config.open_context(built.settings, libraries=(built.library,), live=()) as context:
            for case in cases:
                if case["of"] == "pubmedqa":
                    yield await compare_message(case, context)


async def compare_message(case: Row, context: Context) -> CaseMarks:
    """A question as a message beside the plain one: refused, facts said, first document and decision kept."""
    plain, message = [await ask(Question(text=case[name]), context) for name in ("question", "message")]
    name = f"{case['half']} {case['of']}"
    facts = [
        count(has_pattern(fact["pattern"], join_texts(one.statements)) for fact in case["facts"])
        for one in (plain, message)
    ]
    marks: dict[str, tuple[float, float]] = {
        f"{name}: refused as a plain question": count([plain.abstained]),
        f"{name}: refused as a message": count([message.abstained]),
        f"{name}: facts said, plain": facts[0],
        f"{name}: facts said, message": facts[1],
    }
    was, now = (list_quoted(one, list_leads(one))[:1] for one in (plain, message))
    if was:
        marks[f"{name}: same first document"] = count([was == now])
    decided, kept = (one.decision.label if one.decision else "" for one in (plain, message))
    if decided in ("yes", "no", "depends"):
        marks[f"{name}: decision kept"] = count([decided == kept])
    return CaseMarks(case["id"], marks, describe_answer(message))


# --- recommendations -------------------------------------------------------------------------------------------------


def mark_patient(case: Row, answer: Answer) -> Marks:
    """Expected warnings among the lines to check, lines a patient, and those of a patient in whom nothing conflicts."""
    lines, wanted = list_lines(answer), case["must_warn"]
    marks: dict[str, tuple[float, float]] = {
        "expected warnings among the lines to check": (len(wanted) - len(list_missing(case, answer)), len(wanted)),
        "lines to check, a patient": (len(lines), 1),
    }
    if not wanted and not case.get("beyond"):
        marks["lines to check, a patient in whom nothing conflicts"] = (len(lines), 1)
    return marks


def list_missing(case: Row, answer: Answer) -> list[Row]:
    """What a case wants to be warned of and no line to check says."""
    said = [" ".join((*line.drugs, *(one.quote for one in line.citations))) for line in list_lines(answer)]
    return [one for one in case.get("must_warn", ()) if not _finds(one["pattern"], said)]


def list_lines(answer: Answer) -> tuple[LineToCheck, ...]:
    """The lines to check of a recommendation."""
    return answer.recommendation.lines if answer.recommendation else ()


def _finds(pattern: str, texts: Iterable[str]) -> bool:
    return any(has_pattern(pattern, text) for text in texts)


def mark_first(case: Row, answer: Answer) -> Marks:
    """Whether the first sentences of a recommendation say what they must; what no digest covers has to be refused."""
    right = has_pattern(case["first"], join_texts(list_leads(answer))) if case["first"] else answer.abstained
    return {"first recommendation right": count([right])}


# --- pages for patients ----------------------------------------------------------------------------------------------

BEGINNING_WORDS = 60
"""Words of a page that are its beginning."""

SAID_SHARE = 0.7
"""Share of a fact's content words from which it counts as said."""

_SPLINTER = re.compile(r"[-•*]\s|.*:$", re.DOTALL)
"""An item without its list, a line without what it introduces."""


def measure_patient_pages(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Five questions of each site of MedQuAD in a patient's words: whether its page is quoted, leads, what is said."""
    library = options.open_library(CONSUMER)

    async def put(case: Row, context: Context) -> CaseMarks:
        page = (await library.open(case["gold"][0])).text.partition("\n\n")[2]
        answer = await ask(Question(text=case["question"]), context)
        return CaseMarks(case["id"], mark_page(case, answer, page), describe_answer(answer))

    cases = take_every_other(options.read_cases("questions/patient_pages.jsonl"), options.half)
    return put_cases(cases, put, options, CONSUMER)


def mark_page(case: Row, answer: Answer, page: str) -> Marks:
    """An answer beside the page that the collection has for its question."""
    leads = list_quoted(answer, list_leads(answer))
    titles = {item.passage.reference.id: item.passage.reference.title for item in answer.evidence}
    gold, said = set(case["gold"]), " ".join(one.text for one in answer.statements)
    beginning = " ".join(page.split()[:BEGINNING_WORDS])
    marks: dict[str, tuple[float, float]] = {
        "refused": count([answer.abstained]),
        "the page quoted": count([gold & {*list_quoted(answer, answer.statements)}]),
        "the page leads": count([gold & {*leads}]),
        "a page of its title leads": count([case["focus"] in {titles[id] for id in leads}]),
        "of the beginning of the page said (recall of ROUGE-L)": (SCORER.score(beginning, said)["rougeL"].recall, 1),
        "statements that hang on what is not shown": count(map(_dangles, answer.statements)),
    }
    if not answer.abstained:
        marks |= {"words of an answer": count_words(said), "words of a short answer": count_words(answer.tldr)}
    return marks


def _dangles(statement: Statement) -> bool:
    """Whether a statement begins with a word that points at what is not shown, or is a splinter of a list."""
    return needs_previous_sentence(statement.text) or _SPLINTER.match(statement.text) is not None


def measure_patient_facts(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """K-QA: what doctors say an answer must have, as the share of its content words that one statement has."""
    path = options.file or options.need_data() / "qa/kqa.jsonl.gz"
    cases = take_every_other(options.cut(read_rows(path)), options.half)
    return put_cases(cases, ask_and_mark(mark_patient_facts), options, CONSUMER)


def mark_patient_facts(case: Row, answer: Answer) -> Marks:
    """How many facts have most of their content words in one statement."""
    said = [set(content_stems(one.text)) for one in answer.statements]
    facts = [set(content_stems(fact)) for fact in case["must_have"]]
    return {
        "refused": count([answer.abstained]),
        "facts said": count(any(len(fact & one) >= SAID_SHARE * len(fact) for one in said) for fact in facts),
        "words of an answer": (sum(len(one.text.split()) for one in answer.statements), int(not answer.abstained)),
    }


# --- studies ---------------------------------------------------------------------------------------------------------

QUESTIONS = 300
"""Drawn of BioASQ with a fixed seed."""

FLOOR_SENTENCES = 2
"""Sentences that end the first abstract, which an answer has to beat."""


def draw_questions(path: Path, number: int, half: str) -> list[Row]:
    """Questions that an abstract answers, drawn with a fixed seed; 0: all. Raises OSError without the file."""
    able = [row for row in read_rows(path) if row["gold_doc_ids"] and row["ideal_answer"]]
    drawn = draw_rows(able, number) if 0 < number < len(able) else able
    return [row for row in drawn if is_in_half(row["group"], half)]


def measure_short_answers(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """BioASQ: ROUGE-L of the short answer against the experts' nearest one, beside the end of the first abstract.

    Who abstains scores 0; the floor is the end of the abstract that BM25 finds first.
    """
    drawn = draw_questions(options.need_data() / "qa/bioasq.jsonl.gz", QUESTIONS, options.half)
    by_words = options.open_library(RESEARCH)

    async def put(case: Row, context: Context) -> CaseMarks:
        hits = (await by_words.search(Query(terms=(case["question"],)), 1)).hits
        floor = take_end((await by_words.open(hits[0].passage.reference.id)).text) if hits else ""
        answer = await ask(Question(text=case["question"]), context)
        return CaseMarks(case["id"], mark_short_answer(case, answer, floor), describe_answer(answer))

    return put_cases(options.cut(drawn), put, options)


def mark_short_answer(row: Row, answer: Answer, floor: str) -> Marks:
    """How near the short answer is to the experts', and whether it has a factoid's name; the same of the floor."""
    said = "" if answer.abstained else answer.tldr
    marks: dict[str, tuple[float, float]] = {
        "ROUGE-L F1": (score_overlap(said, row["ideal_answer"]), 1),
        "ROUGE-L F1 of the floor": (score_overlap(floor, row["ideal_answer"]), 1),
        "abstained": count([answer.abstained]),
    }
    names = [name for one in row["answer"] for name in one] if row["type"] == "factoid" else []
    if names:
        marks["factoid answers contained"] = count([contains_any(said, names)])
        marks["factoid answers contained in the floor"] = count([contains_any(floor, names)])
    return marks | {"words of a short answer": count_words(said)} if said else marks


def score_overlap(said: str, ideal: Sequence[str]) -> float:
    """F1 of ROUGE-L against the nearest answer, 0 … 1."""
    return max((SCORER.score(one, said)["rougeL"].fmeasure for one in ideal), default=0.0)


def contains_any(said: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in the text, as whole words; case, accents and punctuation do not count."""

    def normalize(text: str) -> str:
        plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
        return " " + re.sub(r"\W+", " ", plain).strip() + " "

    return any(name in normalize(said) for name in map(normalize, names) if name.strip())


def take_end(text: str, number: int = FLOOR_SENTENCES) -> str:
    """The sentences that end a text, in one line."""
    return " ".join(" ".join(text[start:end].split()) for start, end in list(split_sentences(text))[-number:])


# --- tiers -----------------------------------------------------------------------------------------------------------

ENOUGH, CERTAIN = (1, 2, 3, 4), (0.5, 0.6, 0.7, 0.8)
NEVER = 1_000_000
"""So many works are never enough: every tier is read once, and where the path would have ended is seen afterwards."""


def measure_tiers(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Whether guideline questions stop at the guidelines, and others are not held up by one that is near.

    20 questions that a guideline answers; 20 that a study of the research corpus answers, most of them on a disease
    that has a guideline; others of which a guideline is near and says nothing.
    """
    options.open_library(RESEARCH)
    return put_cases(options.read_cases("questions/tiers.jsonl"), put_tiered, options)


async def put_tiered(case: Row, context: Context) -> CaseMarks:
    """Where the path ends by each policy, and whether what answers is read by then."""
    heard: list[PassagesRead] = []

    def hear(event: Event) -> None:
        if isinstance(event, PassagesRead):
            heard.append(event)

    through = replace(context, policy=context.policy.model_copy(update={"sufficient_works": NEVER}))
    answer = await answer_question(Question(text=case["question"]), through, hear)
    documents, is_guideline = set(case["documents"]), case["tier"] == "guidelines"
    kind = "guideline: stopped" if is_guideline else "research: held up" if documents else "near: held up"
    marks: dict[str, tuple[float, float]] = {}
    for enough in ENOUGH:
        for certain in CERTAIN:
            changed: dict[str, Any] = {"sufficient_works": enough, "min_certainty": certain}
            policy = context.policy.model_copy(update=changed)
            stop = len(heard) - 1
            for place, tier in reversed(list(enumerate(heard))):
                if await is_sufficient(answer.question, tier.evidence, context.understanding, policy):
                    stop = place
            marks[f"{enough} x {certain:g}, {kind}"] = count([stop == 0])
            if documents:
                ids = {item.passage.reference.id for tier in heard[: stop + 1] for item in tier.evidence}
                marks[f"{enough} x {certain:g}, document among the evidence"] = count([ids & documents])
    cited = [one.citations[0].passage_id.split("#")[0] in documents for one in answer.statements]
    if is_guideline:
        marks["guideline: statements from it, all tiers read"] = count(cited)
    elif documents:
        marks["research: answered from its study"] = count([any(cited)])
    return CaseMarks(case["question"], marks, describe_answer(answer))


# --- the table -------------------------------------------------------------------------------------------------------

CASE_SETS: Mapping[str, Measure] = {
    "facts": measure_file("clinical_cases/facts.jsonl", mark_facts),
    "near-misses": measure_file("clinical_cases/near_misses.jsonl", mark_near_miss),
    "questions": measure_file("", mark_question),
    "messages": measure_messages,
    "patients": measure_file("clinical_cases/patients.jsonl", mark_patient, recommend),
    "recommended-first": measure_file("clinical_cases/recommended_first.jsonl", mark_first, recommend),
    "patient-pages": measure_patient_pages,
    "patient-facts": measure_patient_facts,
    "short-answers": measure_short_answers,
    "tiers": measure_tiers,
    "emergencies": text_checks.measure_emergencies,
    "identifiers": text_checks.measure_identifiers,
    "vetoes": statement_checks.measure_vetoes,
    "statuses": statement_checks.measure_statuses,
    "marks": statement_checks.measure_marks,
}
"""Every set, with its measure; the first sentence of the measure's docstring is what the command says of the set."""
