"""Readers of the published sets that no map of fields describes: what published_sets.toml names as `odd`."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from string import ascii_letters, ascii_uppercase
from types import MappingProxyType
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.xml_records import Element, element_text, iter_records, local_name, require_root
from wellsourced_evaluate.question_sets.containers import (
    SetRecord,
    add_to_records,
    iter_keyed_records,
    read_first_sheet,
    read_records,
    read_table_cells,
    suggest_delimiter,
)
from wellsourced_evaluate.question_sets.field_map import (
    Record,
    Row,
    hash_question,
    name_group,
    read_text,
    read_texts,
    require_label,
    require_object,
    require_options,
    require_text,
    strip_marks,
    translate_lines,
)
from wellsourced_evaluate.question_sets.json_members import iter_members
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow, SkippedRow


class OddForm(NamedTuple):
    """A reader and a translation, each where the format itself does not give it, and what of the form they imply."""

    read: Callable[..., Iterator[SetRecord]] | None = None
    translate: Callable[[Any], Row] | None = None
    about: Mapping[str, Any] = MappingProxyType({})


# --- PubMedQA*, BioASQ, MIRAGE, Omni-RAG ------------------------------------------------------------------------------


def read_pubmedqa_test(path: Path) -> Iterator[SetRecord]:
    """The questions whose labels a file has, from the questions beside it; labels that differ are faults."""
    name = "ori_pqal.json"
    beside = path.with_name(name)
    if not beside.is_file():
        reason = f"it holds labels only, and {name}, which has their questions, is not beside it"
        raise UnreadableFile(path, reason, f"Put {name} into the same folder.")
    records = {record.value.get("_key"): record.value for record in iter_keyed_records(beside)
               if isinstance(record.value, dict)}  # fmt: skip
    for number, (pmid, label) in enumerate(iter_members(path), 1):
        value: Any = records.get(pmid)
        if isinstance(label, BadRow):
            value = label
        elif value is None:
            value = BadRow(f"{name} has no such question")
        elif value.get("final_decision") != label:
            value = BadRow(f"its label is “{label}”, and in {name} “{value.get('final_decision')}”")
        yield SetRecord(f"record {number} ({pmid})", value)


BIOASQ_KINDS = ("yesno", "factoid", "list", "summary")


def translate_bioasq_lines(record: Any) -> Row:
    """A line: yes or no by its `answer`, factoids and lists by theirs, a summary by its `ideal_answer`."""
    fields = require_object(record)
    kind = _read_bioasq_kind(fields)
    row = {**translate_lines(record), "kind": kind, "reference": read_texts(fields, "ideal_answer")}
    row["snippets"] = _name_documents(fields.get("snippets"), "pmid")
    if kind == "yesno":
        return {**row, "answer": require_label(fields, "answer", ("yes", "no"))}
    return row if kind == "summary" else {**row, "answer": None, "exact": _require_exact(fields, "answer")}


def translate_bioasq(record: Any) -> Row:
    """A question of an original file; early rounds write "Yes", one name as a text, and lists of one."""
    fields = require_object(record)
    question = require_text(fields, "body")
    kind = _read_bioasq_kind(fields)
    row = {
        "id": require_text(fields, "id"),
        "group": name_group("bioasq", question),
        "question": question,
        "kind": kind,
        "source": [_read_pmid(address) for address in read_texts(fields, "documents")],
        "reference": read_texts(fields, "ideal_answer"),
        "snippets": _name_documents(fields.get("snippets"), "document"),
    }
    if kind != "yesno":
        return row if kind == "summary" else {**row, "exact": _require_exact(fields, "exact_answer")}
    answers = read_texts(fields, "exact_answer")
    if not answers:
        raise BadRow("it has no exact_answer")
    label = answers[0].casefold().rstrip(".")
    if len(answers) > 1 or label not in ("yes", "no"):
        raise BadRow(f"its exact_answer “{', '.join(answers)}” is none of yes, no")
    return {**row, "answer": label}


def _read_pmid(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def _name_documents(snippets: Any, field: str) -> Any:
    """Snippets by the PMIDs of their documents."""
    if not isinstance(snippets, list):
        return snippets
    return [{**one, "document": _read_pmid(str(one.get(field)))} if isinstance(one, dict) else one for one in snippets]


def _require_exact(fields: Record, name: str) -> Any:
    value = fields.get(name)
    if not value:
        raise BadRow(f"it has no {name}")
    return [value] if isinstance(value, str) else value


def _read_bioasq_kind(fields: Record) -> str:
    kind = fields.get("type")
    if kind not in BIOASQ_KINDS:
        raise BadRow(f"its type “{kind}” is none of {', '.join(BIOASQ_KINDS)}")
    if kind == "summary" and not read_texts(fields, "ideal_answer"):
        raise BadRow("it is a summary and has no ideal_answer")
    return str(kind)


def read_bioasq(path: Path) -> Iterator[SetRecord]:
    """The questions of a file. Raises UnreadableFile where it has none."""
    questions = next((value for key, value in iter_members(path) if key == "questions"), None)
    if questions is None:
        raise UnreadableFile(path, "it has no “questions”", "Name a training or golden file of BioASQ task B.")
    if not isinstance(questions, list):
        yield SetRecord("record 1", BadRow("it is no list of records"))
        return
    for number, value in enumerate(questions, 1):
        yield SetRecord(f"record {number}", value)


MIRAGE_PREFIXES = {"medqa": "medqa-", "medmcqa": "medmcqa-", "mmlu": "mmlu-", "pubmedqa": "", "bioasq": ""}
"""What stands before MIRAGE's ids in JSON lines of the same sets."""


def read_mirage(path: Path, member: str) -> Iterator[SetRecord]:
    """The questions of one set, which the file has to have."""
    for key, value in iter_members(path):
        if key == member:
            if not isinstance(value, dict):
                raise UnreadableFile(path, f"its member {member} is no object of questions", "Fetch it again.")
            for number, (id, fields) in enumerate(value.items(), 1):
                record = {**fields, "_key": id, "_set": member} if isinstance(fields, dict) else fields
                yield SetRecord(f"{member}, record {number} ({id})", record)
            return
    raise UnreadableFile(path, f"it has no member {member}", "Name another file, or another set with --format.")


def translate_mirage(record: Any) -> Row:
    """One letter of the options is right; in PubMedQA and BioASQ it is that of yes, no or maybe."""
    fields = require_object(record)
    options, question = require_options(fields), require_text(fields, "question")
    member, key = fields["_set"], fields["_key"]
    answer = require_label(fields, "answer", tuple(options))
    row = {"id": MIRAGE_PREFIXES[member] + key, "question": question}
    row["group"] = key if member == "pubmedqa" else name_group({"mmlu": "mmlu_med"}.get(member, member), question)
    if member not in ("pubmedqa", "bioasq"):
        return {**row, "options": options, "answer": answer}
    label = options[answer]
    if label not in YES_NO_LABELS:
        raise BadRow(f"its option “{label}” is none of {', '.join(YES_NO_LABELS)}")
    named = fields.get("PMID") or (key if member == "pubmedqa" else None)
    sources = named if isinstance(named, list) else [named] if named else []
    return {**row, "answer": label, "source": [str(source) for source in sources]}


def refuse_whole_mirage(record: Any) -> Row:  # noqa: ARG001 (every form translates)
    """It is read set by set. Raises BadRow."""
    raise BadRow("MIRAGE is read set by set")


OMNI_LETTERS = ascii_uppercase + ascii_letters[:26]
OMNI_OPTION = re.compile(r"^([A-Za-z])\. ?(.*)$", re.MULTILINE)
OMNI_FORM = {"name": "Omni-RAG", "container": "json", "markers": ["id", "question", "gold", "name", "long"]}


def read_omni(path: Path, member: str) -> Iterator[SetRecord]:
    """[{"id", "question", "gold", "name", "long"}]: records of all sets; those of others are counted."""
    return add_to_records(iter_keyed_records(path), _wanted=member)


def _require_omni(record: Any) -> Record:
    fields = require_object(record)
    if fields.get("name") != fields["_wanted"]:
        raise SkippedRow(f"of {fields.get('name')}")
    if fields.get("question") is not None and not read_text(fields, "question"):
        raise SkippedRow("published without a question")
    return fields


def translate_omni_long(record: Any) -> Row:
    """A question with a text that answers it; two have none, and are compared with nothing."""
    fields = _require_omni(record)
    return {"id": fields.get("id"), "question": fields.get("question"), "reference": read_text(fields, "gold")}


def translate_omni_short(record: Any) -> Row:
    """A question with its options at its end, a line each ("A. …"; beyond Z come a, b, …), and a letter."""
    fields = _require_omni(record)
    text = read_text(fields, "question")
    marks = list(OMNI_OPTION.finditer(text))
    first = next((at for at in range(len(marks) - 1, -1, -1) if marks[at][1] == "A"), None)
    if first is None:
        raise BadRow("its question ends in no options “A. …”")
    marks = marks[first:]
    letters = [mark[1] for mark in marks]
    if len(letters) < 2 or letters != list(OMNI_LETTERS[: len(letters)]):
        raise BadRow(f"its options are called {', '.join(letters)}, and not A, B, …")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = {mark[1]: text[mark.start(2) : end].strip() for mark, end in zip(marks, ends, strict=True)}
    answer, question = require_label(fields, "gold", tuple(options)), text[: marks[0].start()].strip()
    return {"id": fields.get("id"), "question": question, "options": options, "answer": answer}


# --- multiple choice: MedMCQA, MMLU, DDXPlus, MIMIC-IV-ED ----------------------------------------------------------------


def read_medmcqa(path: Path) -> Iterator[SetRecord]:
    """The lines of a file, with the number of its first option. Raises UnreadableFile where that cannot be told.

    An answer key that is read one off looks like any other.
    """
    values = {one.value.get("cop") for one in read_records(path, "lines") if isinstance(one.value, dict)}
    numbers = {value for value in values if isinstance(value, int) and value != -1}
    if {0, 4} <= numbers:
        reason = "some of its cop count the options from 0, and some from 1"
        raise UnreadableFile(path, reason, "Take each file as it is published.")
    if numbers and numbers.isdisjoint((0, 4)):
        reason = "its cop are all between 1 and 3, so that it cannot be told whether the first option is 0 or 1"
        raise UnreadableFile(path, reason, "Take a larger part of the file: one with an option 0 or 4.")
    records = read_records(path, "lines")
    return add_to_records(records, _first=0 if 0 in numbers else 1, _has_answers=bool(numbers))


def translate_medmcqa(record: Any) -> Row:
    """An original line. Some options are published empty, and are options all the same."""
    fields = require_object(record)
    number, first = fields.get("cop"), fields["_first"]
    if number in (None, -1) and not fields["_has_answers"]:
        raise SkippedRow("without a published answer")
    question = require_text(fields, "question")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadRow("it has no cop" if number is None else f"its cop “{number}” is no whole number")
    if not first <= number <= first + 3:
        raise BadRow(f"its cop {number} is none of {first} to {first + 3}")
    id, names = f"medmcqa-{require_text(fields, 'id')}", ("opa", "opb", "opc", "opd")
    if missing := next((name for name in names if name not in fields), ""):
        raise BadRow(f"it has no {missing}")
    options = {letter: read_text(fields, name) for letter, name in zip("ABCD", names, strict=True)}
    group = name_group("medmcqa", question)
    return {"id": id, "group": group, "question": question, "options": options, "answer": "ABCD"[number - first]}


MMLU_SUBJECTS = (
    *("anatomy", "clinical_knowledge", "college_biology"),
    *("college_medicine", "medical_genetics", "professional_medicine"),
)


def read_mmlu(path: Path) -> Iterator[SetRecord]:
    """(subject, number, cells) of the rows of a file, whose name says the subject."""
    named = re.fullmatch(rf"({'|'.join(MMLU_SUBJECTS)})_(dev|val|test)\.csv(\.gz)?", path.name)
    if not named:
        reason = f"its name says none of the subjects {', '.join(MMLU_SUBJECTS)}"
        raise UnreadableFile(path, reason, "Call it as MMLU does: anatomy_test.csv.")
    for number, (line, cells) in enumerate(read_table_cells(path)):
        yield SetRecord(f"line {line}", (named[1], number, cells))


def translate_mmlu(record: Any) -> Row:
    """A row: question, four options, the right letter."""
    subject, number, cells = record
    if len(cells) != 6:
        wanted = f"question, four options and a letter{suggest_delimiter(cells)}"
        raise BadRow(f"it has {len(cells)} cells, and not {wanted}")
    question, *options, answer = (cell.strip() for cell in cells)
    if not question:
        raise BadRow("its question is empty")
    if answer not in tuple("ABCD"):
        raise BadRow(f"its last cell “{answer[:40]}” is none of A, B, C, D")
    id, group = f"mmlu-{subject}-{number:03}", name_group("mmlu_med", question)
    options_by_letter = dict(zip("ABCD", options, strict=True))
    return {"id": id, "group": group, "question": question, "options": options_by_letter, "answer": answer}


DDXPLUS_EVIDENCES, DDXPLUS_CONDITIONS = "release_evidences.json", "release_conditions.json"
SEXES = {"F": "female", "M": "male"}


def read_ddxplus(path: Path) -> Iterator[SetRecord]:
    """(number, row, evidences, options) of the patients, with what the files beside them say."""
    evidences, conditions = (_read_beside(path, name) for name in (DDXPLUS_EVIDENCES, DDXPLUS_CONDITIONS))
    options = {str(number): name for number, name in enumerate(sorted(conditions), 1)}
    for number, (where, value) in enumerate(read_records(path, "table")):
        yield SetRecord(where, value if isinstance(value, BadRow) else (number, value, evidences, options))


def _read_beside(path: Path, name: str) -> dict[str, Any]:
    beside = path.with_name(name)
    if not beside.is_file():
        raise UnreadableFile(path, f"{name}, which says what its codes mean, is not beside it", "Put it there.")
    return {key: value for key, value in iter_members(beside) if isinstance(value, dict)}


def translate_ddxplus(record: Any) -> Row:
    """Asked is what a doctor was told; the differential diagnosis is not shown."""
    number, value, evidences, options = record
    fields = require_object(value)
    pathology = require_text(fields, "PATHOLOGY")
    if pathology not in options.values():
        raise BadRow(f"its PATHOLOGY “{pathology}” is none of {DDXPLUS_CONDITIONS}")
    sex, age = require_label(fields, "SEX", tuple(SEXES)), require_text(fields, "AGE")
    if not age.isdecimal():
        raise BadRow(f"its AGE “{age}” is no number")
    first = _describe_evidence(require_text(fields, "INITIAL_EVIDENCE"), evidences)
    answers = [_describe_evidence(code, evidences) for code in _read_codes(fields)]
    text = "; ".join(dict.fromkeys(answers))
    return {
        "id": f"ddxplus-{number:06}",
        "question": f"A patient, {age} years old, {SEXES[sex]}, comes with this: {first}. Asked further: {text}. "
        "Which condition does this patient have?",
        "options": options,
        "answer": next(key for key, name in options.items() if name == pathology),
    }


def _read_codes(fields: Record) -> list[str]:
    """EVIDENCES, which is written as Python writes a list of texts; nothing else is taken."""
    try:
        codes = ast.literal_eval(require_text(fields, "EVIDENCES"))
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
    question, meanings = require_text(evidence, "question_en"), evidence.get("value_meaning")
    meaning = meanings.get(value) if isinstance(meanings, dict) else None
    return f"{question} {(read_text(meaning, 'en') if isinstance(meaning, dict) else value) or 'Yes'}"


MIMIC_TASKS = {
    "outcome_hospitalization": "Will this patient of the emergency department be admitted to hospital?",
    "outcome_critical": "Will this patient die in hospital, or be taken to intensive care within 12 hours?",
    "outcome_ed_revisit_3d": "Will this patient come back to the emergency department within 72 hours?",
}
"""Column → what is asked of each stay."""

MIMIC_LABELS = {"True": "yes", "False": "no", "1": "yes", "0": "no", "1.0": "yes", "0.0": "no"}

MIMIC_FINDINGS = {
    "age": "Age",
    "gender": "Sex",
    "chiefcomplaint": "Chief complaint",
    "triage_acuity": "Acuity at triage (1 to 5)",
    "triage_temperature": "Temperature",
    "triage_heartrate": "Heart rate",
    "triage_resprate": "Breaths per minute",
    "triage_o2sat": "Oxygen saturation",
    "triage_sbp": "Systolic pressure",
    "triage_dbp": "Diastolic pressure",
    "triage_pain": "Pain (0 to 10)",
}
"""Column → its name in the record: what is known at triage, and nothing that came later."""


def read_mimic_ed(path: Path) -> Iterator[SetRecord]:
    """(column of the outcome, row): each stay once for each outcome."""
    for where, value in read_records(path, "table"):
        if isinstance(value, BadRow):
            yield SetRecord(where, value)
            continue
        for column in MIMIC_TASKS:
            yield SetRecord(f"{where} ({column})", (column, value))


def translate_mimic_ed(record: Any) -> Row:
    """The record of the patient is the `patient` of the question, which stays on the machine, and no part of it."""
    column, value = record
    fields = require_object(value)
    stay, outcome = require_text(fields, "stay_id").removesuffix(".0"), read_text(fields, column)
    if not outcome:
        raise SkippedRow(f"without {column}")
    if outcome not in MIMIC_LABELS:
        raise BadRow(f"its {column} “{outcome}” is neither True nor False")
    findings = [f"{name}: {text}" for key, name in MIMIC_FINDINGS.items() if (text := read_text(fields, key))]
    if not findings:
        raise BadRow("it says nothing of the patient")
    return {
        "id": f"mimic-ed-{stay}-{column.removeprefix('outcome_')}",
        "group": f"mimic-ed-{read_text(fields, 'subject_id') or stay}",
        "question": MIMIC_TASKS[column],
        "patient": ". ".join(findings),
        "answer": MIMIC_LABELS[outcome],
    }


# --- statements and texts: GeneTuring, HealthSearchQA, LiveQA, ExpertQA, Evidence Inference ------------------------------

GENE_MODULE = "Gene disease association"
GENE_SYMBOL = re.compile(r"[A-Za-z0-9][\w.@-]*")


def read_geneturing(path: Path) -> Iterator[SetRecord]:
    """(module, question, answer) of each. Raises UnreadableFile where the module of diseases is missing."""
    has_module = False
    for module, questions in iter_members(path):
        has_module = has_module or module == GENE_MODULE
        if not isinstance(questions, dict):
            fault = BadRow("it is no object of questions")
            yield SetRecord(module, questions if isinstance(questions, BadRow) else fault)
            continue
        for number, (question, answer) in enumerate(questions.items(), 1):
            yield SetRecord(f"{module}, record {number}", (module, question, answer))
    if not has_module:
        raise UnreadableFile(path, f"it has no module “{GENE_MODULE}”", "Take geneturing.json of GeneGPT.")


def translate_geneturing(record: Any) -> Row:
    """Each symbol is a fact that the answer should say, found as a word by itself.

    GeneTuring gives each question the share of its genes and takes the mean; `facts_said` is the share of all genes.
    """
    module, question, answer = record
    if module != GENE_MODULE:
        raise SkippedRow(f"of the module {module}")
    if not isinstance(answer, str):
        raise BadRow("its answer is no text")
    genes = list(dict.fromkeys(gene.strip() for gene in answer.split(",") if gene.strip()))
    if not genes:
        raise BadRow("its answer names no gene")
    if odd := next((gene for gene in genes if not GENE_SYMBOL.fullmatch(gene)), None):
        raise BadRow(f"its answer names “{odd}”, which is no symbol of a gene")
    return {
        "id": f"geneturing-{hash_question(question)[:10]}",
        "question": question,
        "facts": [{"fact": gene, "pattern": rf"(?<![\w-]){re.escape(gene)}(?![\w-])"} for gene in genes],
    }


def read_healthsearchqa(path: Path) -> Iterator[SetRecord]:
    """(number of the row, cells) of the first sheet; the other sheets are counted."""
    sheet = read_first_sheet(path)
    for at, (number, cells) in enumerate(sheet.rows.items()):
        if at or cells[0].casefold() not in ("question", "questions"):
            yield SetRecord(f"row {number}", (number, cells))
    for _ in range(sheet.others):
        yield SetRecord("", (None, ()))


def translate_healthsearchqa(record: Any) -> Row:
    """A row of one cell."""
    number, cells = record
    if number is None:
        raise SkippedRow("sheet that is not the first")
    if any(cells[1:]):
        raise BadRow(f"it has {sum(map(bool, cells))} cells, and not one question")
    return {"id": f"hsqa-{number:04}", "question": cells[0]}


LIVEQA_ROOTS = ("LiveQA2017-Medical-Test-Set-Full", "NLM-QUESTIONS")
LIVEQA_ASKED = ("paraphrase", "nist-paraphrase", "nlm-summary", "message", "subject")
"""What may be asked, the likeliest first."""


def read_liveqa(path: Path) -> Iterator[SetRecord]:
    """(id, texts) of every question. Raises UnreadableFile for other or broken XML, and for entities."""
    require_root(path, LIVEQA_ROOTS, "a file of LiveQA-Med", "Name one of its three files.")
    for number, element in enumerate(iter_records(path, ("NLM-QUESTION",)), 1):
        id = element.get("qid") or element.get("questionid") or ""
        yield SetRecord(f"record {number} ({id})" if id else f"record {number}", (id, _collect_texts(element)))


def _collect_texts(question: Element) -> dict[str, list[str]]:
    """The texts of the elements that are wanted, each in one line, by their names in small letters."""
    texts: dict[str, list[str]] = {}
    for element in question.iter():
        if (name := local_name(element).casefold()) in (*LIVEQA_ASKED, "answer"):
            texts.setdefault(name, []).append(element_text(element))
    return texts


def translate_liveqa(record: Any) -> Row:
    """Every answer is a reference: the nearest counts; a question without one is compared with nothing."""
    id, texts = record
    if not id:
        raise BadRow("it has neither qid nor questionid")
    question = next((text for name in LIVEQA_ASKED for text in texts.get(name, ()) if text), "")
    if not question:
        raise BadRow("it has no question: neither paraphrase nor message")
    return {"id": f"liveqa-{id}", "question": question, "reference": [one for one in texts.get("answer", ()) if one]}


def translate_expertqa(record: Any) -> Row:
    """Asked are questions of health and biology, as Omni-RAG has them; eight have no revised answer."""
    fields = require_object(record)
    question, about = require_text(fields, "question"), fields.get("metadata")
    if not isinstance(about, dict):
        raise BadRow("it has no metadata")
    field = require_text(about, "field")
    if field.casefold() not in ("healthcare / medicine", "biology"):
        raise SkippedRow(f"of the field {field}")
    answers = fields.get("answers")
    if not isinstance(answers, dict) or not all(isinstance(one, dict) for one in answers.values()):
        raise BadRow("it has no answers by the names of their models")
    revised = [strip_marks(read_text(one, "revised_answer_string")) for one in answers.values()]
    return {
        "id": f"expertqa-r2-{fields['_number']:04}",
        "group": name_group("expertqa", question),
        "question": question,
        "reference": [text for text in revised if text],
    }


EFFECT_CLAIMS: Mapping[str, str] = {
    "significantly increased": "Compared with {comparator}, {intervention} significantly increased {outcome}.",
    "significantly decreased": "Compared with {comparator}, {intervention} significantly decreased {outcome}.",
    "no significant difference": "Compared with {comparator}, {intervention} made no significant difference to "
    "{outcome}.",
}
"""Effect → how it is said of a prompt."""


def translate_evidence_inference(record: Any) -> Row:
    """A prompt and its effect, as one statement that the answer should say; whether it does, the judge says."""
    fields = require_object(record)
    effect = require_label(fields, "answer", tuple(EFFECT_CLAIMS))
    parts = {name: require_text(fields, name) for name in ("intervention", "comparator", "outcome")}
    document, spans = next(iter(fields.get("gold_doc_ids") or []), None), fields.get("evidence")
    snippets = [
        {"document": document, "text": span["text"]}
        for span in (spans if isinstance(spans, list) and document is not None else ())
        if isinstance(span, dict) and isinstance(span.get("text"), str) and span["text"].strip()
    ]
    return {**translate_lines(record), "must_have": [EFFECT_CLAIMS[effect].format(**parts)], "snippets": snippets}


ODD_FORMS: Mapping[str, OddForm] = {
    "pubmedqa_test": OddForm(read_pubmedqa_test),
    "bioasq_lines": OddForm(None, translate_bioasq_lines),
    "bioasq": OddForm(read_bioasq, translate_bioasq),
    "mirage": OddForm(
        read_mirage,
        translate_mirage,
        {
            "name": "MIRAGE",
            "about": "benchmark.json of MIRAGE",
            "container": "json",
            "markers": ["medqa", "question", "options", "answer"],
        },
    ),
    "mirage_whole": OddForm(None, refuse_whole_mirage),
    "omni_long": OddForm(
        read_omni, translate_omni_long, {**OMNI_FORM, "about": "test_long.json of Omni-RAG, of it MEMBER"}
    ),
    "omni_short": OddForm(
        read_omni, translate_omni_short, {**OMNI_FORM, "about": "test_short.json of Omni-RAG, of it MEMBER"}
    ),
    "medmcqa": OddForm(read_medmcqa, translate_medmcqa),
    "mmlu": OddForm(read_mmlu, translate_mmlu),
    "ddxplus": OddForm(read_ddxplus, translate_ddxplus),
    "mimic_ed": OddForm(read_mimic_ed, translate_mimic_ed),
    "geneturing": OddForm(read_geneturing, translate_geneturing),
    "healthsearchqa": OddForm(read_healthsearchqa, translate_healthsearchqa),
    "liveqa": OddForm(read_liveqa, translate_liveqa),
    "expertqa": OddForm(None, translate_expertqa),
    "evidence_inference": OddForm(None, translate_evidence_inference),
}
"""Name in published_sets.toml → how it is read."""
