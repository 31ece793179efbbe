"""Files of published sets as their authors write them, a few records each.

Real: two questions of MedQA and one of its mainland, three of MedMCQA (MIT) and four of GeneTuring (public domain, in
GeneGPT's copy), with their ids. All others are made up, in the form of the original.
"""

import gzip
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

MEDQA = (
    {
        "question": "Which of the following is the correct next action for the resident to take?",
        "answer": "Tell the attending that he cannot fail to disclose this mistake",
        "options": {
            "A": "Disclose the error to the patient and put it in the operative report",
            "B": "Tell the attending that he cannot fail to disclose this mistake",
            "C": "Report the physician to the ethics committee",
            "D": "Refuse to dictate the operative report",
        },
        "meta_info": "step1",
        "answer_idx": "B",
        "metamap_phrases": ["resident"],
    },
    {
        "question": "A photograph of the nails is shown. Which additional finding is most likely?",
        "answer": "Silvery plaques on extensor surfaces",
        "options": {
            "A": "Silvery plaques on extensor surfaces",
            "B": "Flesh-colored papules in the lumbosacral region",
            "C": "Erosions of the dental enamel",
            "D": "Holosystolic murmur at the left lower sternal border",
        },
        "meta_info": "step1",
        "answer_idx": "A",
        "metamap_phrases": ["nails"],
    },
)
"""The first is cut to its last sentence; its options are as published."""

MEDQA_CHINESE = (
    {
        "question": "卧位腰椎穿刺，脑脊液压力正常值是（　　）。",
        "options": {
            "A": "190～220mmH2O",
            "B": "80～180mmH2O",
            "C": "50～70mmH2O",
            "D": "230～250mmH2O",
            "E": "260～280mmH2O",
        },
        "answer": "80～180mmH2O",
        "meta_info": "第三部分　精神神经系统疾病",
        "answer_idx": "B",
    },
)

MEDMCQA = (
    {
        "question": "Axonal transport is:", "exp": None, "cop": 3, "opa": "Antegrade", "opb": "Retrograde",
        "opc": "Antegrade and retrograde", "opd": "None", "subject_name": "Physiology", "topic_name": None,
        "id": "c6365cce-507c-40f6-90a2-46b867f47b6e", "choice_type": "multi",
    },
    {
        "question": "Low insulin to glucagon ratio is seen in all of these except:", "exp": "Answer- A.", "cop": 1,
        "opa": "Glycogen synthesis", "opb": "Glycogen breakdown", "opc": "Gluconeogenesis", "opd": "Ketogenesis",
        "subject_name": "Biochemistry", "topic_name": None, "id": "72c1c5e0-b64f-4eef-bf22-ecfb60c5c19c",
        "choice_type": "multi",
    },
    {
        "question": "In a 6-month-old child, thick curd like white patch appears. Most likely diagnosis is:",
        "exp": None, "cop": 4, "opa": "Tuberculosis", "opb": "Lichen planus", "opc": "Lupus erythematous",
        "opd": "Candidiasis", "subject_name": "Dental", "topic_name": None,
        "id": "e38402c3-69bf-40a8-90c4-09277ca352eb", "choice_type": "single",
    },
)  # fmt: skip

PUBMEDQA = {
    "21645374": {
        "QUESTION": "Does colchicine shorten flares of gout?", "CONTEXTS": ["Forty patients took it."],
        "LABELS": ["METHODS"], "MESHES": ["Gout"], "YEAR": "2011", "reasoning_required_pred": "yes",
        "reasoning_free_pred": "yes", "final_decision": "yes", "LONG_ANSWER": "Colchicine shortened flares.",
    },
    "1": {
        "QUESTION": "Is allopurinol of use?", "CONTEXTS": ["Thirty patients took it."], "LABELS": ["METHODS"],
        "MESHES": [], "YEAR": "2006", "reasoning_required_pred": "no", "reasoning_free_pred": "no",
        "final_decision": "maybe", "LONG_ANSWER": "It may be.",
    },
}  # fmt: skip

BIOASQ = {
    "questions": [
        {
            "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/7"], "body": "Is it used in gout?",
            "snippets": [{"document": "http://www.ncbi.nlm.nih.gov/pubmed/7", "text": "It is used in gout."}],
            "type": "yesno", "id": "6402c910201352f04a00000c", "ideal_answer": ["Yes. It is."], "exact_answer": "Yes",
        },
        {
            "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/8"], "snippets": [], "body": "What is gout?",
            "type": "summary", "id": "6402c910201352f04a00000d", "ideal_answer": "An arthritis.",
        },
        {
            "documents": [], "snippets": [], "body": "Which genes?", "type": "list", "id": "6402c910201352f04a00000e",
            "ideal_answer": ["Two."], "exact_answer": [["ABCG2"], ["SLC2A9"]],
        },
    ]
}  # fmt: skip

MIRAGE = {
    "medqa": {
        f"{number:04}": {"question": one["question"], "options": one["options"], "answer": one["answer_idx"]}
        for number, one in enumerate(MEDQA)
    },
    "medmcqa": {
        one["id"]: {
            "question": one["question"],
            "options": {"A": one["opa"], "B": one["opb"], "C": one["opc"], "D": one["opd"]},
            "answer": "ABCD"[one["cop"] - 1],  # type: ignore[operator]
        }
        for one in MEDMCQA
    },
    "pubmedqa": {
        pmid: {
            "question": one["QUESTION"],
            "options": {"A": "yes", "B": "no", "C": "maybe"},
            "answer": {"yes": "A", "no": "B", "maybe": "C"}[str(one["final_decision"])],
        }
        for pmid, one in PUBMEDQA.items()
    },
    "bioasq": {
        "6402c910201352f04a00000c": {
            "question": "Is it used in gout?", "options": {"A": "yes", "B": "no"}, "answer": "A",
        }
    },
    "mmlu": {
        "anatomy-000": {
            "question": "Which of these is a bone?", "options": {"A": "Liver", "B": "Femur", "C": "Aorta", "D": "Lens"},
            "answer": "B",
        }
    },
}  # fmt: skip

MMLU = 'Which of these is a bone?,Liver,Femur,Aorta,Lens,B\n"Which, of these, is an organ?",Liver,Femur,Tibia,Ulna,A\n'

GENETURING = {
    "Gene alias": {"What is the official gene symbol of LMP10?": "PSMB10"},
    "Gene disease association": {
        "What are genes related to Distal renal tubular acidosis?": "SLC4A1, ATP6V0A4",
        "What are genes related to Type diabetes mellitus?": "HNF1B, IL6, GPD2, HMGA1, IRS1, NEUROD1, IL6",
        "What are genes related to Brody myopathy?": "ATP2A1",
    },
}

KQA = (
    {
        "Question": "Can I take colchicine daily?", "Free_form_answer": "Yes, at a low dose.",
        "Must_have": ["A low dose is taken daily."], "Nice_to_have": ["It may cause diarrhoea."],
        "Sources": "https://example.org", "ICD_10_diag": "Gout, unspecified",
    },
)  # fmt: skip

LIVEQA_TEST = """<?xml version="1.0" encoding="UTF-8"?>
<LiveQA2017-Medical-Test-Set-Full>
<NLM-QUESTION qid="TQ1">
  <Original-Question qfile="71.txt"><Subject>gout</Subject><Message>what helps &amp; when</Message></Original-Question>
  <Paraphrase>What helps in gout, and for how long?</Paraphrase>
  <Annotations><Q-Focus fid="F1" fcategory="Problem">gout</Q-Focus></Annotations>
  <ReferenceAnswers>
    <RefAnswer aid="TQ1A1"><Answer> Colchicine
      helps. </Answer><AnswerURL>https://example.org</AnswerURL><Comment>short</Comment></RefAnswer>
    <ReferenceAnswer aid="TQ1A2"><Answer>Rest helps.</Answer></ReferenceAnswer>
  </ReferenceAnswers>
</NLM-QUESTION>
<NLM-QUESTION qid="TQ2">
  <Original-Question qfile="72.txt"><SUBJECT>dose</SUBJECT><MESSAGE>How much?</MESSAGE></Original-Question>
  <NIST-PARAPHRASE></NIST-PARAPHRASE>
  <ReferenceAnswers><ReferenceAnswer aid="TQ2A1"><ANSWER>0.5 mg.</ANSWER></ReferenceAnswer></ReferenceAnswers>
</NLM-QUESTION>
</LiveQA2017-Medical-Test-Set-Full>
"""
"""Its two editions in one: the second has capitals, and here no paraphrase."""

LIVEQA_TRAIN = """<?xml version="1.0" encoding="UTF-8"?>
<NLM-QUESTIONS>
<NLM-QUESTION questionid="Q1" fRef="1"><SUBJECT></SUBJECT><MESSAGE>Literature on gout.</MESSAGE><SUB-QUESTIONS>
<SUB-QUESTION subqid="Q1-S1"><ANNOTATIONS><FOCUS>gout</FOCUS><TYPE>information</TYPE></ANNOTATIONS><ANSWERS>
<ANSWER answerid="Q1-S1-A1" pairid="1">Gout is an arthritis.</ANSWER></ANSWERS></SUB-QUESTION></SUB-QUESTIONS>
</NLM-QUESTION>
</NLM-QUESTIONS>
"""

EXPERTQA = (
    {
        "question": "How is a flare treated?", "annotator_id": "a1",
        "answers": {"gpt4": {"answer_string": "Rest.", "revised_answer_string": "Colchicine [1]. Rest [2]."}},
        "metadata": {"question_type": "Advice", "field": "Healthcare / Medicine", "specific_field": "Rheumatology"},
    },
    {
        "question": "How old is the town?", "annotator_id": "a2", "answers": {},
        "metadata": {"question_type": "Directed", "field": "History", "specific_field": ""},
    },
)  # fmt: skip

PUBMEDRS = (
    "specialty,SubTopic,Title,Abstract,Introduction,Methods,Results,Conclusion,PMID,Ref_PMIDs,Ref_DOIs,questions,"
    "PublishedDate,HumanQuestions,HumanAnswer,,\n"
    'rheumatology,gout,"Is it so? A review.","BACKGROUND:\nGout.\n\nRESULTS:\nYes.",Gout.,Search.,Yes.,It is.,34158009,'
    "\"['1', '2']\",['10.1/x'],Is it so?,7/9/2021,Is it really so?,It is so. ,,\n"
)

OMNI_SHORT = (
    {
        "id": "seer-000192", "name": "seer", "long": False, "gold": "C",
        "question": "Age at diagnosis: 85\n\nSex: Female\nSuggest one. A. is no option here:\nA. Before\nB. After\n"
        "C. No radiation and/or cancer-directed surgery",
    },
    {"id": "medqa-000786", "name": "medqa", "long": False, "gold": "A", "question": "Which?\nA. One\nB. Two"},
)  # fmt: skip

OMNI_LONG = (
    {"id": "liveqa-000411", "name": "liveqa", "long": True, "gold": "Rest.", "question": "What helps?"},
    {"id": "liveqa-000420", "name": "liveqa", "long": True, "gold": "Rest.", "question": ""},
    {"id": "liveqa-000421", "name": "liveqa", "long": True, "gold": None, "question": "What else helps?"},
    {"id": "expertqa-1", "name": "expertqa", "long": True, "gold": "So.", "question": "How?"},
)

DDXPLUS_PATIENTS = (
    "AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE\n"
    "58,\"[['Anemia', 0.7], ['URTI', 0.3]]\",M,Anemia,\"['E_53', 'E_54_@_V_161', 'E_56_@_7']\",E_53\n"
)
DDXPLUS_EVIDENCES = {
    "E_53": {"name": "E_53", "question_en": "Do you have pain somewhere?", "data_type": "B", "value_meaning": {}},
    "E_54": {
        "name": "E_54", "question_en": "Characterize your pain:", "data_type": "M",
        "value_meaning": {"V_161": {"fr": "sensible", "en": "sensitive"}},
    },
    "E_56": {"name": "E_56", "question_en": "How intense is the pain?", "data_type": "C", "value_meaning": {}},
}  # fmt: skip
DDXPLUS_CONDITIONS = {"URTI": {"condition_name": "URTI"}, "Anemia": {"condition_name": "Anemia"}}

MIMIC_ED = (
    "index,subject_id,stay_id,age,gender,chiefcomplaint,triage_heartrate,outcome_hospitalization,outcome_critical,"
    "outcome_ed_revisit_3d\n"
    "0,1001,30001,58,F,Chest pain,104.0,True,False,False\n"
)

MEDICATION_ROWS = (
    ("Question", "Focus (Drug)", "Question Type", "Answer", "Section Title", "URL"),
    ("how much colchicine", "colchicine", "Dose", "0.5 mg twice a day.", "Dosage", "https://example.org"),
    ("how much colchicine", "colchicine", "Dose", "", "Dosage", "https://example.org"),
)
MEDQ_ROWS = (
    ("ID", "Question", "Answer", "Domain"),
    (1, "In gout (P), does colchicine (I) help (O)?", "It does.", "Gout"),
)
SEARCH_ROWS = (("How serious is gout?",), ("What helps in gout?",))
SEARCH_ROWS_RATED = (("What helps in gout?",),)


def lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def document(value: Any) -> bytes:
    """One JSON document, indented as most are."""
    return json.dumps(value, indent=4).encode()


def workbook(*sheets: Sequence[Sequence[Any]]) -> bytes:
    """A workbook as Excel writes it: texts shared between cells, numbers as they are, empty cells left out."""
    shared: list[str] = []
    made = io.BytesIO()
    space = "http://schemas.openxmlformats.org"
    numbers = range(1, len(sheets) + 1)
    office = f"{space}/officeDocument/2006/relationships"
    listed = "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    links += f'<Relationship Id="rId0" Type="{office}/sharedStrings" Target="sharedStrings.xml"/>'
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        main = f'xmlns="{space}/spreadsheetml/2006/main"'
        archive.writestr("xl/workbook.xml", f'<workbook {main} xmlns:r="{office}"><sheets>{listed}</sheets></workbook>')
        start = f'<Relationship Id="rId1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        for place, within in (("_rels/.rels", start), ("xl/_rels/workbook.xml.rels", links)):
            relations = f'<Relationships xmlns="{space}/package/2006/relationships">{within}</Relationships>'
            archive.writestr(place, relations)
        for number, rows in enumerate(sheets, 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", sheet_xml(rows, shared))
        items = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
        archive.writestr("xl/sharedStrings.xml", f"<sst {main}>{items}</sst>")
    return made.getvalue()


def sheet_xml(rows: Sequence[Sequence[Any]], shared: list[str]) -> str:
    """A sheet; its texts go to the shared ones."""
    told = []
    for number, row in enumerate(rows, 1):
        cells = ""
        for column, value in enumerate(row):
            place = f"{chr(ord('A') + column)}{number}"
            if isinstance(value, str) and value:
                shared.append(value)
                cells += f'<c r="{place}" t="s"><v>{len(shared) - 1}</v></c>'
            elif value != "":
                cells += f'<c r="{place}"><v>{value}</v></c>'
        told.append(f'<row r="{number}">{cells}</row>')
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{"".join(told)}</sheetData></worksheet>'


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Files by their names, those that end in .gz packed; the first of them."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder / next(iter(files))
