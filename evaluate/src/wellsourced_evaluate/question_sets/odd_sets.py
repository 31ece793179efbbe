"""Readers of the published sets that no map of fields describes: what published_sets.toml names as `odd`."""

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
from wellsourced_evaluate.question_sets.odd_choices import (
    read_ddxplus,
    read_medmcqa,
    read_mimic_ed,
    read_mmlu,
    translate_ddxplus,
    translate_medmcqa,
    translate_mimic_ed,
    translate_mmlu,
)
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
    row["group"] = key if member == "pubmedqa" else name_group("mmlu_med" if member == "mmlu" else member, question)
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


# --- statements and texts -------------------------------------------------------------------------------------------

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
