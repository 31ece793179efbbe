"""A study is what its record says that it is; a design is never guessed from what a work is about."""

import gzip
import json
from pathlib import Path

from tests.tables import each_row
from wellsourced.medicine.study_design import detect_design, find_sample, parse_sample_size

POOLED = "systematic review of randomised trials"


@each_row(
    ("types", "title", "text", "name", "level"),
    [
        (("Journal Article", "Randomized Controlled Trial"), "", "", "randomised controlled trial", 2),
        ((), "Statins in sepsis: a systematic review", "", "systematic review", 2),
        ((), "", "Systematic review of randomized controlled trials of statins.", POOLED, 1),
        (("Meta-Analysis",), "", "We pooled data. A network meta-analysis was done.", POOLED, 1),
        (("Clinical Trial",), "A randomised, double-blind trial of zinc", "", "randomised controlled trial", 2),
        ((), "A non-randomised study of zinc", "", "non-randomised controlled trial", 3),
        ((), "", "Patients were randomly assigned to zinc or placebo.", "randomised controlled trial", 2),
        ((), "", "Patients seen from 2010 to 2015 were retrospectively reviewed.", "cohort study", 3),
        ((), "Zinc and colds: a Mendelian randomization study", "", "Mendelian randomisation", 3),
        ((), "Zinc for colds: study protocol for a randomised controlled trial", "", "study protocol", None),
        ((), "", "Rats were randomly assigned to zinc or chow.", "animal study", 5),
        (("Practice Guideline", "Journal Article"), "", "", "guideline", None),
        (("Case Reports",), "", "", "case report", 4),
        (
            (), "",
            "This was a prospective, observational, population-based study of patients who began oxygen. "
            "A design for a registry-based randomized trial (R-RCT) is proposed.",
            "cohort study", 3,
        ),
        (
            (), "A randomised sham controlled trial of cement",
            "Recent trials provide conflicting results: none is large. In total 180 patients will be enrolled.",
            "study protocol", None,
        ),
        (
            (), "A randomised trial of zinc",
            "Results: colds were shorter. In a second trial 90 children will be randomised.",
            "randomised controlled trial", 2,
        ),
    ],
)  # fmt: skip
def test_a_design_is_read_from_types_title_and_text(
    types: tuple[str, ...], title: str, text: str, name: str, level: int | None
) -> None:
    found = detect_design(types, title, text)
    assert found is not None
    assert (found.name, found.level) == (name, level)


@each_row(
    "text",
    [
        "Zinc is a metal.",
        "Further large randomised controlled trials are needed.",
        "Previous cohort studies disagree.",
        "These findings should be confirmed in randomised trials.",
    ],
)
def test_what_speaks_of_other_studies_has_no_design(text: str) -> None:
    assert detect_design((), "", text) is None


@each_row(
    ("text", "said"),
    [
        ("A total of 4,744 patients were enrolled; 2,373 received the drug.", "4,744 patients"),
        ("We randomised 120 adults to zinc (n = 60) or placebo (n = 60).", "120 adults"),
        ("Thirty trials with 12,345 participants were found.", "Thirty trials with 12,345 participants"),
        ("Zinc (n = 40) was compared with placebo (n = 41).", ""),
        ("Of them, 2 in individuals with asthma died.", ""),
        ("Eighty eight patients were randomly selected. In each group, there were 44 patients.", "88 patients"),
        ("In each group, there were 44 patients.", ""),
        ("Nineteen patients with COPD were randomized to training.", "19 patients"),
        ("There were 44 patients in each of the groups.", ""),
        ("Zinc was given to 25 women in each group.", ""),
        ("Mortality fell by 30 %.", ""),
    ],
)
def test_a_sample_size_is_given_in_the_words_of_the_record(text: str, said: str) -> None:
    assert find_sample(text) == said


def test_the_size_of_a_sample_is_its_largest_number() -> None:
    assert (
        parse_sample_size("30 trials with 12,345 participants"),
        parse_sample_size("n = 41"),
        parse_sample_size("many"),
    ) == (12_345, 41, 0)


@each_row(
    ("text", "said"),
    [
        ("We screened 3,912 patients, of whom 1,204 were eligible and 846 gave consent.", "846 gave consent"),
        ("Of 300 volunteers invited, 244 answered a questionnaire; 131 were women.", "244 answered"),
        ("Of the initial 417 subjects, 355 patients met our inclusion criteria.", "355 patients"),
        ("Of the 121 patients included, 70 and 51 patients had breast and colon cancer.", "121 patients"),
        ("We studied 24 healthy subjects and 33 patients with fibrillation.", ""),
        ("512 cases with a thrombosis were matched with 1,536 controls.", ""),
        ("Patients were randomised in three arms of 40 each.", ""),
        ("163 patients in the drug group and 153 patients in the placebo group were analysed.", ""),
        ("412 women were assigned to one of two strata and randomised to either drug.", "412 women"),
        ("430 adult heart patients were randomised to the programme or usual care.", "430 adult heart patients"),
        ("Consecutive adults with fever (n = 637) had an antigen test.", "n = 637"),
        ("The drug was dispensed to 4485 (4.6%) pregnant women, who were followed.", ""),
        ("As in the 36,282 women of another trial, fractures did not differ.", ""),
        ("A trial of 600 patients had been planned. We interviewed 31 nurses.", "31 nurses"),
        ("In a previous trial of 2,325 patients, 54 died. We enrolled 418 patients.", "418 patients"),
        ("Background: In 5,000 patients, it was given. Methods: We studied 40 adults.", "40 adults"),
        ("A 34-year-old woman took the drug. In a cohort of 5,653 patients it was safe.", ""),
        ("Four trials with 245,213 men have been followed. We doubt that it helps.", ""),
        ("Porridge was given to type 2 diabetes subjects, who were studied.", ""),
        ("Homes with 2,140 residents were assigned to soap (1,076 residents) or none.", "2,140 residents"),
        ("A total of 150 patients were enrolled; 12 patients relapsed.", "150 patients"),
        ("We followed 81 patients; 12 patients died.", "81 patients"),
        ("Patients who were treated between 2006 and 2012 were included.", ""),
        ("75 patients failing therapy comprised the drug group.", ""),
        ("Among 55 control subjects measured twice, it fell.", ""),
        ("Excluded were 4 children and 12 patients who were not examined.", ""),
        ("The sample size was calculated as 144 women. We enrolled 160 women.", "160 women"),
        ("DNA was taken in 73 newborns with TTN and 55 healthy controls.", ""),
        ("The study included 30 large neonates; 90 others served as controls.", ""),
        ("In genotype 4 patients, 39 were treated.", ""),
        ("87 patients were randomized to the intervention and 90 to the control group.", ""),
        ("Year 10 students were asked to take part.", ""),
        ("A trial was conducted in 16 practices; networks recruited participants.", ""),
    ],
)
def test_a_sample_is_of_all_who_were_studied_by_the_work_itself_or_not_told(text: str, said: str) -> None:
    assert find_sample(text) == said


@each_row(
    ("title", "text", "name"),
    [
        ("A randomised trial: why it failed", "We interviewed 31 nurses of the 14 centres.", "qualitative study"),
        ("Cysts in mice", "Mice (n = 48) were randomised to a drug. One in 1,000 people has cysts.", "animal study"),
        ("Nomograms", "Retrospective analysis; patients were divided randomly into test sets.", "cohort study"),
        ("Thrombosis", "512 cases with a thrombosis were matched by age with 1,536 controls.", "case-control study"),
        ("Rapid tests", "Patients had both tests: sensitivity 64 %, specificity 98 %.", "diagnostic accuracy study"),
        ("Records", "Patients randomized to the intervention arm of a trial of monitors were included.", ""),
        ("Nails", "417 consecutive patients were treated.", ""),
        ("Advice: a randomised trial", "Prospective follow-up of patients.", "randomised controlled trial"),
        ("Silk: a randomised trial", "Methods: The study will be done in patients with eczema.", "study protocol"),
        ("A qualitative study of advice", "Within a randomised trial, patients spoke.", "qualitative study"),
    ],
)  # fmt: skip
def test_a_design_is_that_of_what_was_done_and_not_of_a_word_in_the_title(title: str, text: str, name: str) -> None:
    found = detect_design((), title, f"{title}\n\n{text}")
    assert (found.name if found else "") == name


FACTS = Path(__file__).parents[1] / "data" / "study_facts"
OTHER_NAMES = {"non-randomised controlled trial": "non-randomised trial", "opinion": "editorial"}


def test_sample_sizes_and_designs_of_other_hands(shared_data: Path) -> None:
    with gzip.open(shared_data / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = {row["_id"]: row for row in map(json.loads, lines)}
    wrong, missed, misnamed = [], [], []
    for file in ("drawn", "written"):
        for row in map(json.loads, (FACTS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()):
            record = row if "text" in row else records[row["id"]]
            text = "\n\n".join(filter(None, (record["title"], record["text"])))
            size = parse_sample_size(find_sample(text))
            if size and size not in (row["n"], *row["n_also"]):
                wrong.append((row["id"], size, row["n"]))
            elif not size and row["n"] and not row["none_ok"]:
                missed.append(row["id"])
            found = detect_design(row.get("publication_types", ()), record["title"], text)
            name = OTHER_NAMES.get(found.name, found.name) if found else "unknown"
            if not any(name in right or right in name for right in row["designs"]):
                misnamed.append((row["id"], name, row["designs"]))
    assert not wrong
    assert len(missed) <= 6, missed
    assert len(misnamed) <= 3, misnamed
