"""Readers of the published sets that no map of fields describes: what published_sets.toml names as `odd`."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from string import ascii_letters, ascii_uppercase
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.xml_records import element_text, iter_records, local_name, require_root
from wellsourced_evaluate.question_sets.containers import (
    SetRecord,
    add_fields,
    iter_members,
    key_records,
    read_first_sheet,
    read_records,
)
from wellsourced_evaluate.question_sets.field_map import Record, Row, read_field, read_text, require_label, strip_marks
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow


def _require_beside(path: Path, name: str, what: str) -> Path:
    """Another file of the set, in the same folder."""
    beside = path.with_name(name)
    if not beside.is_file():
        raise UnreadableFile(path, f"{name}, which has {what}, is not in the same folder", "Put it there.")
    return beside


# --- PubMedQA* -------------------------------------------------------------------------------------------------------


def read_pubmedqa_test(path: Path) -> Iterator[SetRecord]:
    """The questions whose labels a file has, from the questions beside it; labels that differ are faults."""
    name = "ori_pqal.json"
    questions = {
        record.value["_key"]: record.value
        for record in key_records(iter_members(_require_beside(path, name, "the questions of these labels")))
        if isinstance(record.value, dict)
    }
    for number, (pmid, label) in enumerate(iter_members(path), 1):
        value: Any = questions.get(pmid)
        if isinstance(label, BadRow):
            value = label
        elif value is None:
            value = BadRow(f"{name} has no such question")
        elif value.get("final_decision") != label:
            value = BadRow(f"its label is “{label}”, and in {name} “{value.get('final_decision')}”")
        yield SetRecord(f"record {number} ({pmid})", value)


# --- multiple choice -------------------------------------------------------------------------------------------------


def read_medmcqa(path: Path) -> Iterator[SetRecord]:
    """The lines of a file, with the number of its first option. Raises UnreadableFile where that cannot be told.

    An answer key that is read one off looks like any other.
    """
    values = [one.value.get("cop") for one in read_records(path, "lines") if isinstance(one.value, dict)]
    numbers = {value for value in values if isinstance(value, int) and value != -1}
    if {0, 4} <= numbers:
        reason = "some of its cop count the options from 0, and some from 1"
        raise UnreadableFile(path, reason, "Take each file as it is published.")
    if numbers and numbers.isdisjoint((0, 4)):
        reason = "its cop are all between 1 and 3, so that it cannot be told whether the first option is 0 or 1"
        raise UnreadableFile(path, reason, "Take a larger part of the file: one with an option 0 or 4.")
    known = {"_first": 0 if 0 in numbers else 1, "_has_answers": bool(numbers)}
    return add_fields(read_records(path, "lines"), known)


def translate_medmcqa(fields: Record) -> Row:
    """The right letter, of its number."""
    number, first = fields.get("cop"), fields["_first"]
    if number in (None, -1) and not fields["_has_answers"]:
        raise SkippedRow("without a published answer")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadRow("it has no cop" if number is None else f"its cop “{number}” is not a whole number")
    if not first <= number <= first + 3:
        raise BadRow(f"its cop {number} is none of {first} to {first + 3}")
    return {"answer": "ABCD"[number - first]}


OMNI_LETTERS = ascii_uppercase + ascii_letters[:26]


def translate_omni_short(fields: Record) -> Row:
    """A question with its options at its end, a line each ("A. …"; beyond Z come a, b, …), and a letter."""
    text = read_field(fields, "question")
    marks = list(re.finditer(r"^([A-Za-z])\. ?(.*)$", text, re.MULTILINE))
    first = max((at for at, mark in enumerate(marks) if mark[1] == "A"), default=None)
    if first is None:
        raise BadRow("its question ends in no options “A. …”")
    marks = marks[first:]
    letters = [mark[1] for mark in marks]
    if len(letters) < 2 or letters != list(OMNI_LETTERS[: len(letters)]):
        raise BadRow(f"its options are called {', '.join(letters)}, and not A, B, …")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = {mark[1]: text[mark.start(2) : end].strip() for mark, end in zip(marks, ends, strict=True)}
    question = text[: marks[0].start()].strip()
    return {"question": question, "options": options, "answer": require_label(fields, "gold", letters)}


DDXPLUS_EVIDENCES, DDXPLUS_CONDITIONS = "release_evidences.json", "release_conditions.json"
SEXES = {"F": "female", "M": "male"}


def read_ddxplus(path: Path) -> Iterator[SetRecord]:
    """The patients, with what the files beside them say: what codes mean, and which conditions there are."""
    evidences, conditions = (
        {key: value for key, value in iter_members(_require_beside(path, name, what)) if isinstance(value, dict)}
        for name, what in ((DDXPLUS_EVIDENCES, "what its codes mean"), (DDXPLUS_CONDITIONS, "its conditions"))
    )
    options = {str(at): name for at, name in enumerate(sorted(conditions), 1)}
    return add_fields(read_records(path, "table"), {"_evidences": evidences, "_options": options})


def translate_ddxplus(fields: Record) -> Row:
    """Asked is what a doctor was told; the differential diagnosis is not shown."""
    pathology, evidences, options = read_text(fields, "PATHOLOGY"), fields["_evidences"], fields["_options"]
    if pathology not in options.values():
        raise BadRow(f"its PATHOLOGY “{pathology}” is none of {DDXPLUS_CONDITIONS}")
    sex, age = require_label(fields, "SEX", tuple(SEXES)), read_text(fields, "AGE")
    if not age.isdecimal():
        raise BadRow(f"its AGE “{age}” is not a number")
    first = _describe_evidence(read_text(fields, "INITIAL_EVIDENCE"), evidences)
    text = "; ".join(dict.fromkeys(_describe_evidence(code, evidences) for code in _read_codes(fields)))
    return {
        "question": f"A patient, {age} years old, {SEXES[sex]}, comes with this: {first}. Asked further: {text}. "
        "Which condition does this patient have?",
        "answer": next(key for key, name in options.items() if name == pathology),
    }


def _read_codes(fields: Record) -> list[str]:
    """EVIDENCES, which is written as Python writes a list of texts; nothing else is taken."""
    try:
        codes = ast.literal_eval(read_text(fields, "EVIDENCES"))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadRow("its EVIDENCES are no list") from error
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise BadRow("its EVIDENCES are no list of codes")
    return codes


def _describe_evidence(code: str, evidences: Mapping[str, Any]) -> str:
    """A question and the patient's answer: "Does the pain radiate? Nowhere"."""
    name, _, value = code.partition("_@_")
    evidence = evidences.get(name)
    if not isinstance(evidence, dict):
        raise BadRow(f"the evidence {name} is none of {DDXPLUS_EVIDENCES}")
    question, meanings = read_text(evidence, "question_en"), evidence.get("value_meaning")
    meaning = meanings.get(value) if isinstance(meanings, dict) else None
    return f"{question} {(read_field(meaning, 'en') if isinstance(meaning, dict) else value) or 'Yes'}"


MIMIC_TASKS = {
    "outcome_hospitalization": "Will this patient of the emergency department be admitted to hospital?",
    "outcome_critical": "Will this patient die in hospital, or be taken to intensive care within 12 hours?",
    "outcome_ed_revisit_3d": "Will this patient come back to the emergency department within 72 hours?",
}
"""Column → what is asked of each stay."""


def read_mimic_ed(path: Path) -> Iterator[SetRecord]:
    """Each stay once for each outcome, whose column is the `_outcome`."""
    for where, value in read_records(path, "table"):
        for column in MIMIC_TASKS if isinstance(value, dict) else ():
            yield SetRecord(f"{where} ({column})", {**value, "_outcome": column})
        if isinstance(value, BadRow):
            yield SetRecord(where, value)


def translate_mimic_ed(fields: Record) -> Row:
    """The record of the patient is the `patient` of the question, which stays on the machine, and no part of it."""
    column, stay = fields["_outcome"], read_text(fields, "stay_id").removesuffix(".0")
    outcome = read_field(fields, column)
    if not outcome:
        raise SkippedRow(f"without {column}")
    if outcome.removesuffix(".0") not in ("True", "False", "1", "0"):
        raise BadRow(f"its {column} “{outcome}” is neither True nor False")
    return {
        "id": f"mimic-ed-{stay}-{column.removeprefix('outcome_')}",
        "group": f"mimic-ed-{read_field(fields, 'subject_id') or stay}",
        "question": MIMIC_TASKS[column],
        "answer": "yes" if outcome.removesuffix(".0") in ("True", "1") else "no",
    }


# --- statements and texts -------------------------------------------------------------------------------------------


def read_geneturing(path: Path) -> Iterator[SetRecord]:
    """Every question with its answer and its module."""
    for module, questions in iter_members(path):
        if not isinstance(questions, dict):
            yield SetRecord(module, questions)
            continue
        for number, (question, answer) in enumerate(questions.items(), 1):
            record = {"module": module, "question": question, "answer": answer}
            yield SetRecord(f"{module}, record {number}", record)


def translate_geneturing(fields: Record) -> Row:
    """Each symbol is a fact that the answer should say, found as a word by itself.

    GeneTuring gives each question the share of its genes and takes the mean; `facts_said` is the share of all genes.
    """
    answer = fields["answer"]
    if not isinstance(answer, str):
        raise BadRow("its answer is not a text")
    genes = list(dict.fromkeys(gene.strip() for gene in answer.split(",") if gene.strip()))
    if not genes:
        raise BadRow("its answer names no gene")
    if odd := next((gene for gene in genes if not re.fullmatch(r"[A-Za-z0-9][\w.@-]*", gene)), None):
        raise BadRow(f"its answer names “{odd}”, which is not the symbol of a gene")
    return {"facts": [{"fact": gene, "pattern": rf"(?<![\w-]){re.escape(gene)}(?![\w-])"} for gene in genes]}


def read_healthsearchqa(path: Path) -> Iterator[SetRecord]:
    """The rows of the first sheet, of one cell each; of every other sheet a record that asks nothing."""
    rows, other_sheets = read_first_sheet(path)
    for at, (row, (question, *others)) in enumerate(rows.items()):
        if any(others):
            yield SetRecord(f"row {row}", BadRow(f"it has {1 + sum(map(bool, others))} cells, and not one question"))
        elif at or question.casefold() not in ("question", "questions"):
            yield SetRecord(f"row {row}", {"_row": row, "question": question})
    for _ in range(other_sheets):
        yield SetRecord("", {"question": None})


LIVEQA_ASKED = ("paraphrase", "nist-paraphrase", "nlm-summary", "message", "subject")
"""What may be asked, the likeliest first."""


def read_liveqa(path: Path) -> Iterator[SetRecord]:
    """Every question with its id and its answers. Raises UnreadableFile for other or broken XML, and for entities."""
    roots = ("LiveQA2017-Medical-Test-Set-Full", "NLM-QUESTIONS")
    require_root(path, roots, "a file of LiveQA-Med", "Name one of its three files.")
    for number, question in enumerate(iter_records(path, ("NLM-QUESTION",)), 1):
        id = question.get("qid") or question.get("questionid") or ""
        texts: dict[str, list[str]] = {name: [] for name in (*LIVEQA_ASKED, "answer")}
        for element in question.iter():
            if (name := local_name(element).casefold()) in texts:
                texts[name].append(element_text(element))
        asked = next((text for name in LIVEQA_ASKED for text in texts[name] if text), "")
        where = f"record {number} ({id})" if id else f"record {number}"
        yield SetRecord(where, {"id": id, "question": asked, "answer": texts["answer"]})


def translate_expertqa(fields: Record) -> Row:
    """Asked are questions of health and biology, as Omni-RAG has them; eight have no revised answer."""
    about = fields.get("metadata")
    if not isinstance(about, dict):
        raise BadRow("it has no metadata")
    field = read_text(about, "field")
    if field.casefold() not in ("healthcare / medicine", "biology"):
        raise SkippedRow(f"of the field {field}")
    answers = fields.get("answers")
    if not isinstance(answers, dict) or not all(isinstance(one, dict) for one in answers.values()):
        raise BadRow("it has no answers by the names of their models")
    revised = [strip_marks(read_field(one, "revised_answer_string")) for one in answers.values()]
    return {"reference": [text for text in revised if text]}


EFFECT_CLAIMS: Mapping[str, str] = {
    "significantly increased": "significantly increased {outcome}.",
    "significantly decreased": "significantly decreased {outcome}.",
    "no significant difference": "made no significant difference to {outcome}.",
}
"""Effect → how it is said of a prompt."""


def translate_evidence_inference(fields: Record) -> Row:
    """A prompt and its effect, as one statement that the answer should say; whether it does, the judge says."""
    effect = require_label(fields, "answer", tuple(EFFECT_CLAIMS))
    parts = {name: read_text(fields, name) for name in ("intervention", "comparator", "outcome")}
    claim = f"Compared with {{comparator}}, {{intervention}} {EFFECT_CLAIMS[effect]}".format(**parts)
    documents, spans = fields.get("gold_doc_ids"), fields.get("evidence")
    document = documents[0] if isinstance(documents, list) and documents else None
    snippets = [
        {"document": document, "text": span["text"]}
        for span in (spans if isinstance(spans, list) and document is not None else ())
        if isinstance(span, dict) and isinstance(span.get("text"), str) and span["text"].strip()
    ]
    return {"must_have": [claim], "snippets": snippets}


def refuse_whole_mirage(_: Record) -> Row:
    """It is read set by set. Raises BadRow."""
    raise BadRow("MIRAGE is read set by set")


class OddForm(NamedTuple):
    """A reader and a translation, each where the format and the map of fields do not give it."""

    read: Callable[[Path], Iterator[SetRecord]] | None = None
    translate: Callable[[Record], Row] | None = None


ODD_FORMS: Mapping[str, OddForm] = {
    "": OddForm(),
    "pubmedqa_test": OddForm(read_pubmedqa_test),
    "mirage_whole": OddForm(None, refuse_whole_mirage),
    "omni_short": OddForm(None, translate_omni_short),
    "medmcqa": OddForm(read_medmcqa, translate_medmcqa),
    "ddxplus": OddForm(read_ddxplus, translate_ddxplus),
    "mimic_ed": OddForm(read_mimic_ed, translate_mimic_ed),
    "geneturing": OddForm(read_geneturing, translate_geneturing),
    "healthsearchqa": OddForm(read_healthsearchqa),
    "liveqa": OddForm(read_liveqa),
    "expertqa": OddForm(None, translate_expertqa),
    "evidence_inference": OddForm(None, translate_evidence_inference),
    "own": OddForm(None, dict),
}
"""Name in published_sets.toml → how it is read."""
