"""Every published set that can be read, by its name; and which set a file is of, by what is in it."""

import re
from collections.abc import Mapping
from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import PublishedSet, Row, SetForm, require_object
from wellsourced_evaluate.question_sets.bioasq import BIOASQ
from wellsourced_evaluate.question_sets.containers import FileGlimpse, glimpse_file
from wellsourced_evaluate.question_sets.ddxplus import DDXPLUS
from wellsourced_evaluate.question_sets.evidence_inference import EVIDENCE_INFERENCE
from wellsourced_evaluate.question_sets.expertqa import EXPERTQA
from wellsourced_evaluate.question_sets.geneturing import GENETURING
from wellsourced_evaluate.question_sets.healthsearchqa import HEALTHSEARCHQA
from wellsourced_evaluate.question_sets.kqa import KQA
from wellsourced_evaluate.question_sets.liveqa import LIVEQA
from wellsourced_evaluate.question_sets.medication_qa import MEDICATION_QA
from wellsourced_evaluate.question_sets.medmcqa import MEDMCQA
from wellsourced_evaluate.question_sets.medq import MEDQ
from wellsourced_evaluate.question_sets.medqa import MEDQA, MEDQA_MAINLAND, MEDQA_TAIWAN
from wellsourced_evaluate.question_sets.mimic_ed import MIMIC_ED
from wellsourced_evaluate.question_sets.mirage import MIRAGE
from wellsourced_evaluate.question_sets.mmlu import MMLU_MED
from wellsourced_evaluate.question_sets.omni_rag import SEER
from wellsourced_evaluate.question_sets.pubmedqa import PUBMEDQA, PUBMEDQA_STAR
from wellsourced_evaluate.question_sets.pubmedrs200 import PUBMEDRS200

OWN_FORM = "questions"


def translate_own(record: object) -> Row:
    """A row in the form of our own, as it is."""
    return dict(require_object(record))


QUESTIONS = PublishedSet(
    name=OWN_FORM,
    paper="the user's own",
    address="any file: docs/evaluation.md says what a line may have",
    access="public",
    licence="the user's own",
    scored="whatever its lines have: answers, facts, statements, references, refusals",
    forms=(SetForm("lines", "any *.jsonl", "lines", translate_own),),
)
GUIDELINE_FACTS = QUESTIONS._replace(
    name="guideline_facts",
    paper="wellsourced",
    address="the authors of this package, who keep half of it back",
    licence="MIT",
    scored="what must be said, by regular expressions (facts_said)",
    forms=(SetForm("lines", "guideline_facts.jsonl", "lines", translate_own),),
)

PUBLISHED_SETS: Mapping[str, PublishedSet] = {
    one.name: one
    for one in (
        *(PUBMEDQA, PUBMEDQA_STAR, BIOASQ, MEDQA, MEDQA_MAINLAND, MEDQA_TAIWAN, MEDMCQA, MMLU_MED, MIRAGE),
        *(GENETURING, KQA, HEALTHSEARCHQA, LIVEQA, MEDICATION_QA, EXPERTQA, PUBMEDRS200, MEDQ),
        *(SEER, DDXPLUS, MIMIC_ED, EVIDENCE_INFERENCE, GUIDELINE_FACTS, QUESTIONS),
    )
}
"""Name, of the set and of `--format` → how it is read."""


def name_set(path: Path) -> str:
    """What the name of a file says: pubmedqa.jsonl.gz is "pubmedqa", ori_pqal.json is "ori_pqal"."""
    return re.sub(r"\.(jsonl|json|csv|tsv|xlsx|xml)$", "", path.name.removesuffix(".gz"))


def find_form(path: Path, name: str) -> tuple[PublishedSet, SetForm]:
    """What set a file is of, and how it is written: as `name` says, else its own name, else what is in it.

    Raises UnreadableFile where none fits, or several sets are in it.
    """
    glimpse = glimpse_file(path)
    # K-QA's second file is called questions too.
    if (named := PUBLISHED_SETS.get(name or name_set(path))) and (name or named is not QUESTIONS):
        return named, choose_form(path, named, glimpse)
    fitting = [
        (one, form)
        for one in PUBLISHED_SETS.values()
        for form in one.forms
        if form.name != "lines" and fits(form, glimpse)
    ]
    release = [found for found in fitting if found[1].name in ("release", "test labels")] or fitting
    # The three MedQA are alike, and lie in folders of their own.
    placed = [found for found in release if any(path.match(one) for group in found[0].files for one in group)]
    release = placed or release
    if len({one.name for one, _ in release}) > 1:
        names = ", ".join(dict.fromkeys(one.name for one, _ in release))
        raise UnreadableFile(path, f"it may be of {names}", "Say with --format which of them.")
    return release[0] if release else (QUESTIONS, choose_form(path, QUESTIONS, glimpse))


def fits(form: SetForm, glimpse: FileGlimpse) -> bool:
    """Whether a file has what a form is known by."""
    if form.container not in glimpse.containers or not glimpse.keys.issuperset(form.markers):
        return False
    is_named = not form.file_name or re.fullmatch(form.file_name, glimpse.name, re.IGNORECASE) is not None
    return is_named and (bool(form.markers or form.file_name) or form.container == "xml")


def choose_form(path: Path, one: PublishedSet, glimpse: FileGlimpse) -> SetForm:
    """How a file of this set is written. Where its fields do not tell it, what kind of file it is has to."""
    if fitting := [form for form in one.forms if fits(form, glimpse)]:
        return fitting[0]
    alike = [form for form in one.forms if form.container in glimpse.containers]
    if len(alike) == 1:
        return alike[0]
    raise UnreadableFile(path, _describe_misfit(one, alike, glimpse), _describe_forms(one))


def _describe_misfit(one: PublishedSet, alike: list[SetForm], glimpse: FileGlimpse) -> str:
    if alike:
        wanted = ", or ".join(" and ".join(form.markers) for form in alike if form.markers)
        return f"its first records have none of the fields by which {one.name} is known: {wanted}"
    if glimpse.is_array and any(form.container == "lines" for form in one.forms):
        return "line 1: it is one JSON array, and not an object on each line"
    kinds = {"lines": "JSON lines", "json": "one JSON document", "workbook": "an Excel workbook", "xml": "XML"}
    found = " or ".join(kinds.get(kind, "a table") for kind in sorted(glimpse.containers))
    if one is QUESTIONS:
        return f"it is {found}, in which no published set is recognised"
    return f"line 1: it is {found}, as which {one.name} is not published"


def _describe_forms(one: PublishedSet) -> str:
    if one is QUESTIONS:
        return "Say with --format which set it is, or give one object a line with id and question."
    return f"{one.name} is read from: {'; '.join(form.about for form in one.forms)}."
