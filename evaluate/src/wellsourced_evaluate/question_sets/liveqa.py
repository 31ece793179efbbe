"""LiveQA-Med (Ben Abacha et al., TREC 2017): questions that people sent to the US National Library of Medicine.

Original: github.com/abachaa/LiveQA_MedicalTask_TREC2017, XML. TestDataset/TREC-2017-LiveQA-Medical-Test.xml has
NLM-QUESTION qid, Original-Question (Subject, Message), Paraphrase, ReferenceAnswers (ReferenceAnswer, or RefAnswer,
with Answer); its second edition (…-Test-Questions-w-summaries.xml) has the same in capitals, NIST-PARAPHRASE and
NLM-Summary. TrainingDatasets/…-Train-1.xml and -2.xml: SUBJECT, MESSAGE, SUB-QUESTIONS with ANSWER, an id as
`questionid` or `qid`. Asked is the paraphrase, else the message. Every answer is a reference: the nearest counts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.readers.xml_records import Element, element_text, iter_records, local_name, require_root
from wellsourced_evaluate.question_sets.base import PublishedSet, Row, SetDownload, SetForm, SetRecord
from wellsourced_evaluate.question_sets.omni_rag import LONG_FILES, omni_rag_form
from wellsourced_evaluate.questions.case_rows import BadRow

ROOTS = ("LiveQA2017-Medical-Test-Set-Full", "NLM-QUESTIONS")
TEST = "TREC-2017-LiveQA-Medical-Test.xml"
SECOND_TEST = "TREC-2017-LiveQA-Medical-Test-Questions-w-summaries.xml"
ASKED = ("paraphrase", "nist-paraphrase", "nlm-summary", "message", "subject")
"""What may be asked, the likeliest first."""

URL = "https://raw.githubusercontent.com/abachaa/LiveQA_MedicalTask_TREC2017/master/TestDataset/"


def translate_question(record: Any) -> Row:
    """(id, texts by the names of their elements) of a question; one without an answer is compared with nothing."""
    id, texts = record
    if not id:
        raise BadRow("it has neither qid nor questionid")
    question = next((text for name in ASKED for text in texts.get(name, ()) if text), "")
    if not question:
        raise BadRow("it has no question: neither paraphrase nor message")
    return {"id": f"liveqa-{id}", "question": question, "reference": [one for one in texts.get("answer", ()) if one]}


def read_questions_of(path: Path) -> Iterator[SetRecord]:
    """Every NLM-QUESTION. Raises UnreadableFile for what is other or broken XML, and for entities."""
    require_root(path, ROOTS, "a file of LiveQA-Med", "Name one of its three files.")
    for number, element in enumerate(iter_records(path, ("NLM-QUESTION",)), 1):
        id = element.get("qid") or element.get("questionid") or ""
        yield SetRecord(f"record {number} ({id})" if id else f"record {number}", (id, _collect_texts(element)))


def _collect_texts(question: Element) -> dict[str, list[str]]:
    """What stands in the elements that are wanted, each in one line, by their names in small letters."""
    found: dict[str, list[str]] = {}
    for element in question.iter():
        if (name := local_name(element).casefold()) in (*ASKED, "answer"):
            found.setdefault(name, []).append(element_text(element))
    return found


LIVEQA = PublishedSet(
    name="liveqa",
    paper="Ben Abacha et al., TREC 2017",
    address="https://github.com/abachaa/LiveQA_MedicalTask_TREC2017",
    access="public",
    licence="none is stated (US National Library of Medicine)",
    scored="ROUGE-L against the nearest reference answer",
    forms=(
        SetForm("release", f"{TEST}, and the files to train", "xml", translate_question, (), "", read_questions_of),
        omni_rag_form("liveqa", long=True),
    ),
    files=((TEST,), (f"TestDataset/{TEST}",), (SECOND_TEST,), (f"TestDataset/{SECOND_TEST}",), *LONG_FILES),
    downloads=(SetDownload(URL + TEST, TEST),),
)
