"""Published sets, read from files as their authors write them: which set it is, what is asked, and what is wrong."""

import gzip
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluate.tests import set_files as files
from evaluate.tests.set_files import document, lines, workbook, write_files
from wellsourced.errors import NotFoundError, UnreadableFile
from wellsourced_evaluate.commands.common import FORMS
from wellsourced_evaluate.question_sets.containers import iter_members
from wellsourced_evaluate.question_sets.registry import PUBLISHED_SETS
from wellsourced_evaluate.questions.answer_run import AnswerRecord
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import find_set, list_forms, read_questions
from wellsourced_evaluate.questions.fitted_sets import list_fitted

DDXPLUS = {
    "release_test_patients.csv": files.DDXPLUS_PATIENTS.encode(),
    "release_evidences.json": document(files.DDXPLUS_EVIDENCES),
    "release_conditions.json": document(files.DDXPLUS_CONDITIONS),
}
TEST_LABELS = {
    "test_ground_truth.json": document({"1": "maybe"}),
    "ori_pqal.json": document(files.PUBMEDQA),
}

RELEASES: dict[str, tuple[str, Mapping[str, bytes], str, list[tuple[str, str]], dict[str, int]]] = {
    "PubMedQA": (
        *("", {"ori_pqal.json": document(files.PUBMEDQA)}, "pubmedqa (release)"),
        *([("21645374", "yes"), ("1", "maybe")], {}),
    ),
    "PubMedQA on one line": (
        *("", {"anything.json.gz": json.dumps(files.PUBMEDQA).encode()}, "pubmedqa (release)"),
        *([("21645374", "yes"), ("1", "maybe")], {}),
    ),
    "PubMedQA's test": ("", TEST_LABELS, "pubmedqa_star (test labels)", [("1", "maybe")], {}),
    "PubMedQA* of MIRAGE": (
        *("pubmedqa_star", {"benchmark.json": document(files.MIRAGE)}, "pubmedqa_star (MIRAGE)"),
        *([("21645374", "yes"), ("1", "maybe")], {}),
    ),
    "BioASQ": (
        *("", {"11B1_golden.json": document(files.BIOASQ)}, "bioasq (release)"),
        *(
            [("6402c910201352f04a00000c", "yes"), ("6402c910201352f04a00000d", ""), ("6402c910201352f04a00000e", "")],
            {},
        ),
    ),
    "MedQA": (
        *("medqa", {"phrases_no_exclude_test.jsonl": lines(files.MEDQA)}, "medqa (release)"),
        *([("medqa-0000", "B"), ("medqa-0001", "A")], {}),
    ),
    "MedQA of the mainland": (
        *("medqa_mainland", {"test.jsonl": lines(files.MEDQA_CHINESE)}, "medqa_mainland (release)"),
        *([("medqa_mainland-0000", "B")], {}),
    ),
    "MedQA of Taiwan": (
        *("medqa_taiwan", {"test.jsonl": lines(files.MEDQA_CHINESE)}, "medqa_taiwan (release)"),
        *([("medqa_taiwan-0000", "B")], {}),
    ),
    "MMLU": (
        *("", {"anatomy_test.csv": files.MMLU.encode()}, "mmlu_med (release)"),
        *([("mmlu-anatomy-000", "B"), ("mmlu-anatomy-001", "A")], {}),
    ),
    "K-QA": (
        *("", {"questions_w_answers.jsonl": lines(files.KQA)}, "kqa (release)"),
        *([("kqa-4bad849e3e", "")], {}),
    ),
    "K-QA without answers": (
        "",
        {"questions.jsonl": lines([{"Question": "Is it contagious?", "ICD_10_diag": one} for one in ("Cold", "Flu")])},
        "kqa (unanswered)",
        [("kqa-q-0000", ""), ("kqa-q-0001", "")],
        {},
    ),
    "HealthSearchQA": (
        "healthsearchqa",
        {"41586_2023_6291_MOESM6_ESM.xlsx": workbook(files.SEARCH_ROWS, files.SEARCH_ROWS_RATED)},
        "healthsearchqa (release)",
        [("hsqa-0001", ""), ("hsqa-0002", "")],
        {"sheet that is not the first": 1},
    ),
    "MedicationQA": (
        "",
        {"MedInfo2019-QA-Medications.xlsx": workbook(files.MEDICATION_ROWS)},
        "medication_qa (release)",
        [("medication-001", ""), ("medication-002", "")],
        {},
    ),
    "MedQ": ("", {"medq-30.xlsx": workbook(files.MEDQ_ROWS)}, "briefcontext_medq (release)", [("medq-1", "")], {}),
    "LiveQA's test": (
        *("", {"test.xml": files.LIVEQA_TEST.encode()}, "liveqa (release)"),
        *([("liveqa-TQ1", ""), ("liveqa-TQ2", "")], {}),
    ),
    "LiveQA to train": ("", {"train.xml": files.LIVEQA_TRAIN.encode()}, "liveqa (release)", [("liveqa-Q1", "")], {}),
    "LiveQA of Omni-RAG": (
        "liveqa",
        {"test_long.json": document(files.OMNI_LONG)},
        "liveqa (Omni-RAG)",
        [("liveqa-000411", ""), ("liveqa-000421", "")],
        {"published without a question": 1, "of expertqa": 1},
    ),
    "ExpertQA": (
        *("", {"r2_compiled_anon.jsonl": lines(files.EXPERTQA)}, "expertqa (release)"),
        *([("expertqa-r2-0000", "")], {"of the field History": 1}),
    ),
    "PubMedRS-200": (
        *("", {"PubMedRS-200.csv": files.PUBMEDRS.encode()}, "pubmedrs200 (release)"),
        *([("prs-34158009", "")], {}),
    ),
    "SEER": (
        *("seer", {"test_short.json": document(files.OMNI_SHORT)}, "seer (Omni-RAG)"),
        *([("seer-000192", "C")], {"of medqa": 1}),
    ),
    "DDXPlus": ("", DDXPLUS, "ddxplus (release)", [("ddxplus-000000", "1")], {}),
    "MIMIC-IV-ED": (
        "",
        {"master_dataset.csv": files.MIMIC_ED.encode()},
        "mimic_ed (release)",
        [
            *[("mimic-ed-30001-hospitalization", "yes"), ("mimic-ed-30001-critical", "no")],
            ("mimic-ed-30001-ed_revisit_3d", "no"),
        ],
        {},
    ),
}


def cases_of(folder: Path, given: Mapping[str, bytes], form: str = "") -> tuple[QuestionCase, ...]:
    return read_questions(write_files(folder, given), form).cases


def test_a_set_is_read_as_its_authors_publish_it(tmp_path: Path) -> None:
    read, expected = {}, {}
    for number, (which, (form, given, told, cases, skipped)) in enumerate(RELEASES.items()):
        data = read_questions(write_files(tmp_path / str(number), given), form)
        read[which] = (data.form, [(one.id, one.answer) for one in data.cases], data.skipped)
        expected[which] = (told, cases, skipped)
    assert read == expected


def test_what_is_asked_and_what_is_known_of_it_is_as_the_record_has_it(tmp_path: Path) -> None:
    """The fields of one case of each set that has something of its own."""
    gout, _ = cases_of(tmp_path, RELEASES["PubMedQA"][1])
    assert (gout.source_ids, str(gout.as_of), gout.group) == (("21645374", "pubmed:21645374"), "2011-12-31", "21645374")
    assert gout.references == ("Colchicine shortened flares.",)
    asked, summary, listed = cases_of(tmp_path, RELEASES["BioASQ"][1])
    assert (asked.sources, asked.references, summary.references) == (("7",), ("Yes. It is.",), ("An arthritis.",))
    assert [(one.document, one.text) for one in asked.snippets] == [("7", "It is used in gout.")]
    assert (asked.kind, summary.kind, listed.kind) == ("yesno", "summary", "list")
    assert listed.exact == (("ABCG2",), ("SLC2A9",))
    first, second = cases_of(tmp_path, RELEASES["LiveQA's test"][1])
    assert (first.question, second.question) == ("What helps in gout, and for how long?", "How much?")
    assert (first.references, second.references) == (("Colchicine helps.", "Rest helps."), ("0.5 mg.",))
    assert cases_of(tmp_path, RELEASES["LiveQA of Omni-RAG"][1], "liveqa")[1].references == ()
    (kqa,) = cases_of(tmp_path, RELEASES["K-QA"][1])
    assert ([(one.fact, one.is_optional) for one in kqa.facts], kqa.references) == (
        [("A low dose is taken daily.", False), ("It may cause diarrhoea.", True)],
        ("Yes, at a low dose.",),
    )
    told, untold = cases_of(tmp_path, RELEASES["MedicationQA"][1])
    assert (told.references, untold.references, told.group) == (("0.5 mg twice a day.",), (), untold.group)
    (expert,) = cases_of(tmp_path, RELEASES["ExpertQA"][1])
    assert expert.references == ("Colchicine. Rest.",)
    (review,) = cases_of(tmp_path, RELEASES["PubMedRS-200"][1])
    assert (review.question, review.references, str(review.as_of)) == ("Is it really so?", ("It is so.",), "2021-07-08")
    (seer,) = cases_of(tmp_path, RELEASES["SEER"][1], "seer")
    assert seer.question.endswith("A. is no option here:")
    assert list(seer.options.values())[:2] == ["Before", "After"]
    (patient,) = cases_of(tmp_path, DDXPLUS)
    assert "58 years old, male" in patient.question
    assert "Characterize your pain: sensitive; How intense is the pain? 7" in patient.question
    assert dict(patient.options) == {"1": "Anemia", "2": "URTI"}
    stay, *_ = cases_of(tmp_path, RELEASES["MIMIC-IV-ED"][1])
    assert stay.patient == "Age: 58. Sex: F. Chief complaint: Chest pain. Heart rate: 104.0"
    assert "Chest pain" not in stay.question


def test_genes_are_facts_each_once_and_found_as_words(tmp_path: Path) -> None:
    data = read_questions(write_files(tmp_path, {"geneturing.json": document(files.GENETURING)}))
    assert (data.recorded, data.skipped) == (3, {"of Gene alias": 1})
    assert [one.fact for one in data.cases[1].facts] == ["HNF1B", "IL6", "GPD2", "HMGA1", "IRS1", "NEUROD1"]


def test_a_case_is_the_same_in_lines_as_published_and_in_mirage(tmp_path: Path) -> None:
    """Ids and groups too: so that a run on one of them is compared with a run on another, and fitted rows are known."""
    mirage = write_files(tmp_path, {"benchmark.json": document(files.MIRAGE)})
    assert list_forms(mirage, "mirage") == ("medqa", "medmcqa", "pubmedqa_star", "bioasq", "mmlu_med")
    published = {
        "medqa": cases_of(tmp_path, RELEASES["MedQA"][1], "medqa"),
        "medmcqa": cases_of(tmp_path, {"dev.json": lines(files.MEDMCQA)}),
    }
    for name, cases in published.items():
        assert read_questions(mirage, name).cases == cases
    asked, *_ = cases_of(tmp_path, RELEASES["BioASQ"][1])
    (again,) = read_questions(mirage, "bioasq").cases
    assert (again.id, again.group, again.answer) == (asked.id, asked.group, asked.answer)
    own = {"id": "medqa-0000", "group": "medqa-" + published["medqa"][0].group[6:], "question": "x"}
    row = {**own, **{key: files.MEDQA[0][key] for key in ("question", "options")}, "answer": "B"}
    assert cases_of(tmp_path, {"medqa.jsonl": lines([row])}) == published["medqa"][:1]


def test_what_was_fitted_is_known_of_files_as_published(tmp_path: Path) -> None:
    """The SHA-1 of the group 21645374 is even, that of 1 odd (see test_question_cases)."""
    data = read_questions(write_files(tmp_path, RELEASES["PubMedQA"][1]))
    assert data.name == "pubmedqa"
    records = [AnswerRecord(case=one.id, group=one.group, status="answered") for one in data.cases]
    assert list_fitted(data.name, records)[0].cases == 1
    star = read_questions(write_files(tmp_path, TEST_LABELS))
    assert star.name == "pubmedqa"


def test_the_options_of_medmcqa_are_counted_from_1_or_from_0_as_the_file_has_it(tmp_path: Path) -> None:
    def read(*numbers: int) -> str:
        rows = [{**row, "cop": number} for row, number in zip(files.MEDMCQA, numbers, strict=True)]
        return "".join(one.answer for one in cases_of(tmp_path, {"dev.json": lines(rows)}))

    assert (read(3, 1, 4), read(2, 0, 3)) == ("CAD", "CAD")
    with pytest.raises(UnreadableFile, match=r"line 2: its cop -1 is none of 0 to 3"):
        read(0, -1, 2)


def test_medmcqa_without_answers_is_counted_and_an_ambiguous_key_is_refused(tmp_path: Path) -> None:
    test = [{key: value for key, value in row.items() if key != "cop"} for row in files.MEDMCQA]
    with pytest.raises(UnreadableFile, match=r"no question that can be scored \(3 without a published answer\)"):
        cases_of(tmp_path, {"test.json": lines(test)})
    for numbers, reason in (((1, 2, 3), "all between 1 and 3"), ((0, 4, 1), "some from 1")):
        rows = [{**row, "cop": number} for row, number in zip(files.MEDMCQA, numbers, strict=True)]
        with pytest.raises(UnreadableFile, match=reason):
            cases_of(tmp_path, {"dev.json": lines(rows)})


def replaced(rows: Any, **fields: Any) -> bytes:
    """JSON lines, the second with other fields."""
    return lines([row if at != 1 else {**row, **fields} for at, row in enumerate(rows)])


XML = '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "b">]>\n<LiveQA2017-Medical-Test-Set-Full/>'
DEFECTS: dict[str, tuple[str, str, bytes, str]] = {
    "a missing field": ("medqa", "a.jsonl", replaced(files.MEDQA, question=None), "line 2: it has no question"),
    "a letter of no option": (
        "medqa",
        "a.jsonl",
        replaced(files.MEDQA, answer_idx="E"),
        "line 2: its answer_idx “E” is",
    ),
    "an id twice": (
        *("", "dev.json", replaced(files.MEDMCQA, id=files.MEDMCQA[0]["id"])),
        "line 2: the id “medmcqa-c6365cce-507c-40f6-90a2-46b867f47b6e” is on line 1 already",
    ),
    "an unknown label": (
        *("", "a.json", document({**files.PUBMEDQA, "2": {**files.PUBMEDQA["1"], "final_decision": "no idea"}})),
        "record 3 (2): its final_decision “no idea” is none of yes, no, maybe",
    ),
    "a key twice": (
        *("", "a.json", document(files.PUBMEDQA).replace(b'"1": {', b'"21645374": {')),
        "it is not JSON (an object has “21645374” twice)",
    ),
    "labels that differ": (
        *("", "test_ground_truth.json", document({"1": "no", "3": "yes"})),
        "record 1 (1): its label is “no”, and in ori_pqal.json “maybe”; record 2 (3): ori_pqal.json has no such",
    ),
    "a document cut off": ("bioasq", "a.json", document(files.BIOASQ)[:-40], "it is not JSON"),
    "an array instead of lines": (
        *("medqa_taiwan", "a.jsonl", document(list(files.MEDQA))),
        "line 1: it is one JSON array, and not an object on each line",
    ),
    "an empty file": ("medqa", "a.jsonl", b"\n", "it is empty"),
    "a pointer of Git LFS": (
        "expertqa",
        "a.jsonl",
        b"version https://git-lfs.github.com/spec/v1\n",
        "pointer of Git LFS",
    ),
    "another encoding": ("", "anatomy_test.csv", "Größe?,a,b,c,d,A\n".encode("latin-1"), "it is not UTF-8 text"),
    "lines of another encoding": (
        *("medqa", "a.jsonl", lines(files.MEDQA) + '{"question": "Größe"}\n'.encode("latin-1")),
        "line 3: it is not UTF-8 text (byte 17)",
    ),
    "another delimiter": (
        *("", "anatomy_test.csv", b"Which?;a;b;c;d;A\n"),
        "line 1: it has 1 cells, and not 6; its cells seem to be divided by semi",
    ),
    "a header that is not wanted": (
        *("", "anatomy_test.csv", b"question,A,B,C,D,answer\n"),
        "line 1: its last cell “answer” is none of A, B, C, D",
    ),
    "a header of others": ("pubmedrs200", "a.csv", b"a;b\n1;2\n", "line 2: it has no PMID"),
    "a cell too few": ("", "PubMedRS-200.csv", files.PUBMEDRS.encode() + b"a,b\n", "it has 2 cells, and not 17"),
    "a quotation mark that is not closed": (
        "",
        "anatomy_test.csv",
        b'"Which?,a,b,c,d,A\n',
        "it is not a row of a table",
    ),
    "a condition that nobody knows": (
        *("", "release_test_patients.csv", files.DDXPLUS_PATIENTS.replace("M,Anemia", "M,Flu").encode()),
        "line 2: its PATHOLOGY “Flu” is none of release_conditions.json",
    ),
    "a code that is no list": (
        *("", "release_test_patients.csv", files.DDXPLUS_PATIENTS.replace("['E_53',", "__import__('os')").encode()),
        "line 2: its EVIDENCES are no list",
    ),
    "XML with entities": ("liveqa", "a.xml", XML.encode(), "it declares XML entities"),
    "XML of another": (
        "liveqa",
        "a.xml",
        b"<PubmedArticleSet/>",
        "its root <PubmedArticleSet> is not a file of LiveQA-Med",
    ),
    "XML cut off": ("liveqa", "a.xml", files.LIVEQA_TEST.encode()[:900], "its XML is invalid"),
    "a workbook that is none": ("briefcontext_medq", "a.xlsx", b"PK\x03\x04none", "it is not an Excel workbook"),
    "a set in a file of others": ("seer", "a.json", document([files.OMNI_SHORT[1]]), "can be scored (1 of medqa)"),
    "options out of order": (
        *("seer", "a.json", document([{**files.OMNI_SHORT[0], "question": "Which?\nA. One\nC. Two"}])),
        "record 1: its options are called A, C, and not A, B",
    ),
    "what nobody knows": ("", "a.json", document({"a": 1}), "in which no published set is recognised"),
    "what may be several": ("", "a.jsonl", lines(files.MEDQA), "it may be of medqa, medqa_mainland, medqa_taiwan"),
}


def test_a_file_that_cannot_be_used_is_refused_with_the_place_of_what_is_wrong(tmp_path: Path) -> None:
    missed = {}
    for number, (defect, (form, name, data, fault)) in enumerate(DEFECTS.items()):
        folder = tmp_path / str(number)
        write_files(folder, {**DDXPLUS, "ori_pqal.json": document(files.PUBMEDQA)})
        with pytest.raises(UnreadableFile) as refused:
            read_questions(write_files(folder, {name: data}), form)
        if fault not in str(refused.value):
            missed[defect] = str(refused.value)
    assert missed == {}


def test_a_workbook_without_a_column_that_may_be_empty_is_read(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"a.xlsx": workbook([("Question",), ("how much",)])})
    assert [one.references for one in read_questions(path, "medication_qa").cases] == [()]


def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    """Room is made for the whole rectangle, so that a cell far out is enough; and a part is no longer than it says."""
    far = sheet_with_a_cell_at("XFD1048576")
    with pytest.raises(UnreadableFile, match="more than 4,000,000 cells"):
        read_questions(write_files(tmp_path, {"far.xlsx": far}), "medication_qa")
    huge = workbook([("Question",), ("x" * (33 * 1024 * 1024),)])
    with pytest.raises(UnreadableFile, match="unpacks to more than 32 MB"):
        read_questions(write_files(tmp_path, {"huge.xlsx": huge}), "medication_qa")


def sheet_with_a_cell_at(place: str) -> bytes:
    """A workbook of one cell."""
    made, plain = io.BytesIO(), workbook([("Question",)])
    with zipfile.ZipFile(io.BytesIO(plain)) as given, zipfile.ZipFile(made, "w") as archive:
        for name in given.namelist():
            archive.writestr(name, given.read(name).replace(b'r="A1"', f'r="{place}"'.encode()))
    return made.getvalue()


def test_values_of_another_kind_are_told_and_never_stop_the_reader(tmp_path: Path) -> None:
    rows = [{**files.MEDMCQA[0], "cop": [1]}, *files.MEDMCQA[1:]]
    with pytest.raises(UnreadableFile, match=r"line 1: its cop “\[1\]” is not a whole number"):
        cases_of(tmp_path, {"dev.json": lines(rows)})
    row = {"id": "e", "question": "x", "intervention": "a", "comparator": "b", "outcome": "c", "gold_doc_ids": 7}
    with pytest.raises(UnreadableFile, match="line 1: source: it is neither a text nor a list of texts"):
        cases_of(tmp_path, {"evidence_inference.jsonl": lines([{**row, "answer": "significantly increased"}])})


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dev.json.gz"
    path.write_bytes(gzip.compress(lines(files.MEDMCQA * 99))[:-20])
    with pytest.raises(UnreadableFile, match="incomplete or damaged"):
        read_questions(path)


def test_twenty_faults_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    rows = [{**files.MEDQA[0], "answer_idx": "Z"}] * 23
    with pytest.raises(UnreadableFile) as refused:
        cases_of(tmp_path, {"a.jsonl": lines(rows)}, "medqa")
    assert str(refused.value).count("its answer_idx “Z”") == 20
    assert "and 3 more lines" in str(refused.value)


def test_a_set_of_several_files_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    subjects = [one.removesuffix("_test.csv") for one in PUBLISHED_SETS["mmlu_med"].files[0]]
    write_files(tmp_path, {f"data/test/{one}_test.csv": files.MMLU.encode() for one in subjects})
    folder = find_set("mmlu_med", tmp_path)
    assert folder == tmp_path
    data = read_questions(folder, "mmlu_med")
    assert (data.name, data.recorded, data.cases[0].id) == ("mmlu_med", 12, "mmlu-anatomy-000")
    (tmp_path / "data/test/anatomy_test.csv").write_text("Which?,a,b,c,d,X\n")
    with pytest.raises(UnreadableFile, match=r"anatomy_test.csv, line 1: its last cell “X”"):
        read_questions(folder, "mmlu_med")
    (tmp_path / "data/test/anatomy_test.csv").unlink()
    with pytest.raises(NotFoundError, match=r"anatomy_test\.csv and clinical_knowledge_test\.csv"):
        find_set("mmlu_med", tmp_path)


def test_a_set_asked_for_by_its_name_is_read_as_that_set_in_whatever_file_it_lies(tmp_path: Path) -> None:
    row = {"id": "1", "question": "Is it?", "answer": "yes", "year": "2004", "official_test": True}
    write_files(tmp_path, {"qa/pubmedqa.jsonl.gz": lines([row, {**row, "id": "2", "official_test": False}])})
    path = find_set("pubmedqa_star", tmp_path)
    (form,) = list_forms(path, "pubmedqa_star")
    data = read_questions(path, form)
    assert (data.name, data.form, data.recorded) == ("pubmedqa", "pubmedqa_star", 1)
    assert data.skipped == {"not in the official test": 1}
    assert list_forms(find_set("pubmedqa", tmp_path), "pubmedqa") == ("pubmedqa",)


def test_files_that_are_alike_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for name in ("US/4_options/phrases_no_exclude_test", "Mainland/test", "Taiwan/test"):
        path = write_files(tmp_path, {f"questions/{name}.jsonl": lines(files.MEDQA_CHINESE)})
        expected = {"US": "medqa", "Mainland": "medqa_mainland", "Taiwan": "medqa_taiwan"}[name.partition("/")[0]]
        assert read_questions(path).name == expected


def test_a_document_is_read_member_by_member_wherever_its_blocks_end(tmp_path: Path) -> None:
    """Values of all lengths around the 65,536 characters of a block, numbers at its end too."""
    given = {str(n): ["x" * n, n, {"ä": None}] for n in range(65_000, 66_000, 83)} | {"n": 12345}
    path = write_files(tmp_path, {"a.json": json.dumps(given, ensure_ascii=False).encode()})
    assert dict(iter_members(path)) == given
    twice = write_files(tmp_path, {"b.json": b'[{"a": 1, "a": 2}, 3]'})
    with pytest.raises(UnreadableFile, match="an object has “a” twice"):
        list(iter_members(twice))


def test_the_command_names_every_set(tmp_path: Path) -> None:
    assert sorted(FORMS) == sorted(PUBLISHED_SETS)
    every = {name for one in PUBLISHED_SETS.values() for name in one.parts}
    assert every <= PUBLISHED_SETS.keys()
    with pytest.raises(UnreadableFile, match="it has not the files of medmcqa"):
        read_questions(tmp_path, "medmcqa")
    with pytest.raises(UnreadableFile, match="Say so with --format"):
        read_questions(tmp_path)
